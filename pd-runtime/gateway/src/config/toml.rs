//! Parses TOML, the format of Codex.

use super::{
    error::ConfigErrorKind,
    spanned::{SpannedData, SpannedMember, SpannedValue},
};
use toml_edit::{Document, Item, TableLike, Value};

/// Parses a file.
///
/// # Errors
///
/// Returns the offset of the first syntax error, and the error.
pub(super) fn parse(text: &str) -> Result<SpannedValue, (usize, ConfigErrorKind)> {
    match Document::parse(text) {
        Ok(document) => Ok(SpannedValue {
            offset: 0,
            data: convert_table(document.as_table(), 0),
        }),
        Err(error) => {
            let offset = error.span().map_or(0, |span| span.start);
            Err((
                offset,
                ConfigErrorKind::Syntax {
                    format: "TOML",
                    why: error.message().to_owned(),
                },
            ))
        }
    }
}

/// Converts a table. Members without a position get `offset`.
fn convert_table(table: &dyn TableLike, offset: usize) -> SpannedData {
    let members = table.iter().map(|(key, item)| {
        let span = table.key(key).and_then(toml_edit::Key::span);
        let offset = span.map_or(offset, |span| span.start);
        SpannedMember {
            key: key.to_owned(),
            offset,
            value: convert_item(item, offset),
        }
    });
    SpannedData::Object(members.collect())
}

fn convert_item(item: &Item, offset: usize) -> SpannedValue {
    match item {
        Item::None => SpannedValue {
            offset,
            data: SpannedData::Null,
        },
        Item::Value(value) => convert_value(value, offset),
        Item::Table(table) => SpannedValue {
            offset,
            data: convert_table(table, offset),
        },
        Item::ArrayOfTables(tables) => {
            let elements = tables.iter().map(|table| SpannedValue {
                offset,
                data: convert_table(table, offset),
            });
            SpannedValue {
                offset,
                data: SpannedData::Array(elements.collect()),
            }
        }
    }
}

fn convert_value(value: &Value, parent: usize) -> SpannedValue {
    let offset = value.span().map_or(parent, |span| span.start);
    let data = match value {
        Value::String(text) => SpannedData::Text(text.value().clone()),
        // Settings are far below 2^53, where `f64` begins to lose integers.
        Value::Integer(number) => {
            SpannedData::Number(*number.value() as f64, number.value().to_string())
        }
        Value::Float(number) => SpannedData::Number(*number.value(), number.value().to_string()),
        Value::Boolean(value) => SpannedData::Boolean(*value.value()),
        Value::Datetime(_) => SpannedData::Date,
        Value::Array(array) => SpannedData::Array(
            array
                .iter()
                .map(|value| convert_value(value, offset))
                .collect(),
        ),
        Value::InlineTable(table) => convert_table(table, offset),
    };
    SpannedValue { offset, data }
}
