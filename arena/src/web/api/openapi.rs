//! The description of the API (OpenAPI 3.1), made of the same list and types as the API itself.

use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::super::tables::Operation;
use super::Endpoint;
use super::answers::{Computing, Refused};

/// The description of these endpoints and operations.
pub fn describe(endpoints: &[Endpoint], operations: &[Operation]) -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut generator = settings
        .with(|settings| settings.definitions_path = "/components/schemas".into())
        .into_generator();
    let mut paths: Map<String, Value> = endpoints
        .iter()
        .map(|endpoint| {
            let path = format!("/api/v1{}", endpoint.path);
            (path, json!({"get": of_endpoint(endpoint, &mut generator)}))
        })
        .collect();
    for operation in operations {
        let path = format!("/api/v1{}", operation.path);
        let method = if operation.body.is_some() { "post" } else { "get" };
        paths.entry(path).or_insert_with(|| json!({}))[method] = of_operation(operation, &mut generator);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Mancala arena",
            "description": "What `arena serve` tells of a results file, and tables to play by hand at. Ask again with \
                            If-None-Match: what has not changed is not sent again.",
            "version": env!("CARGO_PKG_VERSION"),
        },
        "paths": paths,
        "components": {"schemas": generator.take_definitions(true)},
    })
}

fn of_endpoint(endpoint: &Endpoint, generator: &mut SchemaGenerator) -> Value {
    let answer = (endpoint.answer)(generator);
    let mut responses = Map::new();
    responses.insert("200".to_owned(), response("The answer", &answer));
    responses.insert("304".to_owned(), json!({"description": "As it was"}));
    if endpoint.computes {
        let computing = generator.subschema_for::<Computing>();
        responses.insert(
            "202".to_owned(),
            response("It is being computed: ask again in a second", &computing),
        );
    }
    let refused = generator.subschema_for::<Refused>();
    responses.insert("default".to_owned(), response("Why there is no answer", &refused));
    json!({
        "summary": endpoint.summary,
        "parameters": parameters(endpoint.path, Some(endpoint.query)),
        "responses": responses,
    })
}

fn of_operation(operation: &Operation, generator: &mut SchemaGenerator) -> Value {
    let answer = (operation.answer)(generator);
    let refused = generator.subschema_for::<Refused>();
    let mut parameters = parameters(operation.path, operation.query);
    if operation.path.starts_with("/tables/") {
        parameters.push(json!({
            "name": "Seat-Token",
            "in": "header",
            "description": "The tokens of one's seats, separated by commas; without one, one looks on",
            "schema": {"type": "string"},
        }));
    }
    let status = if operation.body.is_some() { "2XX" } else { "200" };
    let mut described = json!({
        "summary": operation.summary,
        "parameters": parameters,
        "responses": {
            status: response("The answer", &answer),
            "default": response("Why nothing was done", &refused),
        },
    });
    if let Some(body) = operation.body {
        described["requestBody"] = json!({
            "required": true,
            "content": {"application/json": {"schema": body(inline())}},
        });
    }
    described
}

fn response(description: &str, schema: &Schema) -> Value {
    json!({"description": description, "content": {"application/json": {"schema": schema}}})
}

fn parameters(path: &str, query: Option<fn(SchemaGenerator) -> Schema>) -> Vec<Value> {
    let in_path = path
        .split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let in_path =
        in_path.map(|name| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}));
    let fields = query.and_then(|query| query(inline()).remove("properties"));
    let fields = fields.as_ref().and_then(Value::as_object).into_iter().flatten();
    let in_query = fields.map(|(name, schema)| json!({"name": name, "in": "query", "schema": schema}));
    in_path.chain(in_query).collect()
}

/// Makes schemas that refer to nothing.
fn inline() -> SchemaGenerator {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    settings
        .with(|settings| settings.inline_subschemas = true)
        .into_generator()
}
