//! Tables and comma-separated values: from cells to text. Decides widths and quotes, nothing about what the cells mean.

use serde_json::{Map, Value};
use tabled::builder::Builder;
use tabled::settings::object::Columns;
use tabled::settings::style::HorizontalLine;
use tabled::settings::{Alignment, Padding, Style};

use super::Format;
pub(super) use crate::report::words::{cut, name};

/// What a table should not be wider than.
pub(super) const COLUMNS_MAX: usize = 80;

/// Where the text of a column stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Align {
    Left,
    Right,
}

/// The table with a line under its titles, each row ended by a newline. Closer set where it would be too wide.
pub(super) fn table(titles: &[(&str, Align)], rows: &[Vec<String>]) -> String {
    let wide = drawn(titles, rows, 2);
    if width(&wide) > COLUMNS_MAX {
        drawn(titles, rows, 1)
    } else {
        wide
    }
}

fn drawn(titles: &[(&str, Align)], rows: &[Vec<String>], gap: usize) -> String {
    let mut builder = Builder::default();
    builder.push_record(titles.iter().map(|(title, _)| *title));
    for row in rows {
        builder.push_record(row);
    }
    let mut table = builder.build();
    table
        .with(Style::empty().horizontals([(1, HorizontalLine::new('─'))]))
        .with(Padding::new(gap, 0, 0, 0));
    for (column, (_, align)) in titles.iter().enumerate() {
        let alignment = match align {
            Align::Left => Alignment::left(),
            Align::Right => Alignment::right(),
        };
        table.modify(Columns::one(column), alignment);
    }
    table.modify(Columns::first(), Padding::zero());
    table
        .to_string()
        .lines()
        .flat_map(|line| [line.trim_end(), "\n"])
        .collect()
}

fn width(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
}

/// One line of comma-separated values, quoted where RFC 4180 asks for it, ended by a newline.
pub(super) fn csv(fields: &[String]) -> String {
    let quoted = fields.iter().map(|field| {
        if field.contains(['"', ',', '\n', '\r']) {
            format!("\"{}\"", field.replace('"', "\"\""))
        } else {
            field.clone()
        }
    });
    quoted.collect::<Vec<_>>().join(",") + "\n"
}

/// Rows of values for programs, by `keys`: a list of objects, or comma-separated, where what is absent is an empty field and
/// what is a list has blanks between.
pub(super) fn values(keys: &[&str], rows: &[Vec<Value>], format: Format) -> String {
    if format == Format::Json {
        let objects = rows.iter().map(|row| {
            let fields = keys.iter().map(|&key| key.to_owned()).zip(row.iter().cloned());
            Value::Object(fields.collect::<Map<_, _>>())
        });
        let objects: Vec<_> = objects.collect();
        return serde_json::to_string_pretty(&objects).expect("objects have string keys only") + "\n";
    }
    let mut text = keys.join(",") + "\n";
    for row in rows {
        text += &csv(&row.iter().map(field).collect::<Vec<_>>());
    }
    text
}

fn field(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(field).collect::<Vec<_>>().join(" "),
        number => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_right_and_names_left() {
        let rows = [
            vec!["a".to_owned(), "1".to_owned()],
            vec!["longer".to_owned(), "100".to_owned()],
        ];
        let found = table(&[("bot", Align::Left), ("n", Align::Right)], &rows);
        assert_eq!(found, "bot       n\n───────────\na         1\nlonger  100\n");
    }

    #[test]
    fn a_table_too_wide_is_set_closer() {
        let rows = [vec!["x".repeat(40), "y".repeat(39)]];
        let found = table(&[("a", Align::Left), ("b", Align::Right)], &rows);
        assert_eq!(width(&found), 80);
    }

    #[test]
    fn csv_quotes_what_needs_it() {
        let fields = ["plain", "a,b", "say \"x\""].map(str::to_owned);
        assert_eq!(csv(&fields), "plain,\"a,b\",\"say \"\"x\"\"\"\n");
    }

    #[test]
    fn values_that_are_lists_or_absent_have_a_field_too() {
        let rows = [vec![
            Value::Null,
            serde_json::json!(["a", 1]),
            serde_json::json!("b, c"),
        ]];
        let keys = ["one", "two", "three"];
        assert_eq!(values(&keys, &rows, Format::Csv), "one,two,three\n,a 1,\"b, c\"\n");
        let json: Value = serde_json::from_str(&values(&keys, &rows, Format::Json)).expect("JSON");
        assert_eq!(
            json,
            serde_json::json!([{"one": null, "two": ["a", 1], "three": "b, c"}])
        );
    }
}
