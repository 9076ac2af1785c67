//! The messages as a JSON Schema, generated from the types.

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::{FromBot, ToBot, VERSIONS};

/// The JSON Schema (2020-12) of every message: `$defs/ToBot` is a line to a bot and `$defs/FromBot` a line from one; each
/// message has its own definition too, such as `$defs/to_bot_turn` and `$defs/from_bot_move`.
pub fn schema() -> Value {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let to_bot = generator.subschema_for::<ToBot>();
    let from_bot = generator.subschema_for::<FromBot>();
    let mut definitions = generator.take_definitions(true);
    split(&mut definitions, "ToBot", "to_bot");
    split(&mut definitions, "FromBot", "from_bot");
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("The line protocol of the mancala arena, version {}", VERSIONS[0]),
        "anyOf": [to_bot, from_bot],
        "$defs": definitions,
    })
}

/// Gives each alternative of `name` a definition of its own, named by its type.
fn split(definitions: &mut Map<String, Value>, name: &str, prefix: &str) {
    let mut own = Vec::new();
    let alternatives = definitions[name]
        .as_object_mut()
        .expect("an enum's schema is an object");
    for alternative in alternatives.values_mut().filter_map(Value::as_array_mut).flatten() {
        let kind = alternative["properties"]["type"]["const"].as_str();
        let kind = format!("{prefix}_{}", kind.expect("every variant has its type as a constant"));
        let reference = json!({ "$ref": format!("#/$defs/{kind}") });
        own.push((kind, std::mem::replace(alternative, reference)));
    }
    definitions.extend(own);
}
