//! Parses JSON with comments and trailing commas, as VS Code, Cursor and Gemini accept it.

use super::{
    error::ConfigErrorKind,
    spanned::{SpannedData, SpannedMember, SpannedValue},
};
use jsonc_parser::{
    CollectOptions, ParseOptions,
    ast::{ObjectProp, Value},
    common::Ranged,
};

/// Parses a file. An empty file is an empty object.
///
/// # Errors
///
/// Returns the offset of the first syntax error, and the error.
pub(super) fn parse(text: &str) -> Result<SpannedValue, (usize, ConfigErrorKind)> {
    match jsonc_parser::parse_to_ast(text, &CollectOptions::default(), &parse_options()) {
        Ok(parsed) => Ok(parsed.value.map_or_else(empty_object, convert_value)),
        Err(error) => {
            let why = error.kind().to_string();
            Err((
                error.range().start,
                ConfigErrorKind::Syntax {
                    format: "JSON",
                    // The error puts this in the middle of a sentence.
                    why: lower_first(&why),
                },
            ))
        }
    }
}

/// The parser accepts most of JSON5 by default. The clients that own these files do not, so a file
/// that only the gateway could read is refused.
pub(crate) fn parse_options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn empty_object() -> SpannedValue {
    SpannedValue {
        offset: 0,
        data: SpannedData::Object(Vec::new()),
    }
}

fn convert_value(value: Value<'_>) -> SpannedValue {
    let offset = value.start();
    let data = match value {
        Value::NullKeyword(_) => SpannedData::Null,
        Value::BooleanLit(literal) => SpannedData::Boolean(literal.value),
        Value::NumberLit(literal) => {
            // A number that `f64` cannot parse fails every later check of its range.
            SpannedData::Number(
                literal.value.parse().unwrap_or(f64::NAN),
                literal.value.to_owned(),
            )
        }
        Value::StringLit(literal) => SpannedData::Text(literal.value.into_owned()),
        Value::Array(array) => {
            SpannedData::Array(array.elements.into_iter().map(convert_value).collect())
        }
        Value::Object(object) => {
            SpannedData::Object(object.properties.into_iter().map(convert_member).collect())
        }
    };
    SpannedValue { offset, data }
}

fn convert_member(property: ObjectProp<'_>) -> SpannedMember {
    let offset = property.name.start();
    SpannedMember {
        key: property.name.into_string(),
        offset,
        value: convert_value(property.value),
    }
}

fn lower_first(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| {
        first.to_lowercase().chain(characters).collect()
    })
}
