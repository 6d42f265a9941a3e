//! Reads the values of keywords, and compiles the keywords that contain no schemas.

use super::{
    super::{
        member,
        node::{NumberBound, SchemaKeyword, SizeLimit, TypeSet},
        number::integer,
    },
    Keywords,
};
use serde_json::{Map, Number, Value};

pub(super) fn add_values(
    object: &Keywords,
    keywords: &mut Vec<SchemaKeyword>,
) -> Result<(), String> {
    match member::find(object, "type") {
        None => {}
        Some(Value::String(name)) => keywords.push(SchemaKeyword::Type(TypeSet::parse(
            [name.as_str()].into_iter(),
        )?)),
        Some(names) => {
            let names = strings("type", names)?;
            keywords.push(SchemaKeyword::Type(TypeSet::parse(
                names.iter().map(AsRef::as_ref),
            )?));
        }
    }
    keywords.extend(
        member::find(object, "const")
            .cloned()
            .map(SchemaKeyword::Const),
    );
    match member::find(object, "enum") {
        None => {}
        Some(Value::Array(values)) => keywords.push(SchemaKeyword::Enum(values.clone())),
        Some(other) => return Err(invalid("enum", "an array", other)),
    }
    Ok(())
}

pub(super) fn add_limits(
    object: &Keywords,
    keywords: &mut Vec<SchemaKeyword>,
) -> Result<(), String> {
    for (key, exclusive_key, inclusive, exclusive) in [
        (
            "minimum",
            "exclusiveMinimum",
            NumberBound::Minimum,
            NumberBound::Above,
        ),
        (
            "maximum",
            "exclusiveMaximum",
            NumberBound::Maximum,
            NumberBound::Below,
        ),
    ] {
        // In draft 4, `exclusiveMinimum` is a boolean that changes what `minimum` means.
        let is_exclusive = member::find(object, exclusive_key) == Some(&Value::Bool(true));
        let bound = if is_exclusive { exclusive } else { inclusive };
        keywords.extend(number(object, key)?.map(|limit| SchemaKeyword::Bound(bound, limit)));
        // Since draft 6, it is a bound beside `minimum`.
        if !member::find(object, exclusive_key).is_some_and(Value::is_boolean) {
            keywords.extend(
                number(object, exclusive_key)?.map(|limit| SchemaKeyword::Bound(exclusive, limit)),
            );
        }
    }
    if let Some(divisor) = number(object, "multipleOf")? {
        if divisor.as_f64().is_none_or(|divisor| divisor <= 0.0) {
            return Err(invalid(
                "multipleOf",
                "a number greater than 0",
                &Value::Number(divisor),
            ));
        }
        keywords.push(SchemaKeyword::MultipleOf(divisor));
    }
    for (key, limit) in [
        ("minLength", SizeLimit::MinLength),
        ("maxLength", SizeLimit::MaxLength),
        ("minItems", SizeLimit::MinItems),
        ("maxItems", SizeLimit::MaxItems),
        ("minProperties", SizeLimit::MinProperties),
        ("maxProperties", SizeLimit::MaxProperties),
    ] {
        keywords.extend(size(object, key)?.map(|bound| SchemaKeyword::Size(limit, bound)));
    }
    match member::find(object, "uniqueItems") {
        Some(Value::Bool(true)) => keywords.push(SchemaKeyword::Unique),
        None | Some(Value::Bool(false)) => {}
        Some(other) => return Err(invalid("uniqueItems", "a boolean", other)),
    }
    Ok(())
}

pub(super) fn invalid(key: &str, expected: &str, value: &Value) -> String {
    format!("`{key}` must be {expected}, not {value}")
}

pub(super) fn text<'a>(object: &'a Keywords, key: &str) -> Result<Option<&'a str>, String> {
    match member::find(object, key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(invalid(key, "a string", other)),
    }
}

fn number(object: &Keywords, key: &str) -> Result<Option<Number>, String> {
    match member::find(object, key) {
        None => Ok(None),
        Some(Value::Number(number)) => Ok(Some(number.clone())),
        Some(other) => Err(invalid(key, "a number", other)),
    }
}

pub(super) fn size(object: &Keywords, key: &str) -> Result<Option<u64>, String> {
    let Some(number) = number(object, key)? else {
        return Ok(None);
    };
    // `3.0` is an integer, too, because JSON Schema compares numbers by value.
    let integer = integer(&number).and_then(|integer| u64::try_from(integer).ok());
    integer
        .map(Some)
        .ok_or_else(|| invalid(key, "an integer of at least 0", &Value::Number(number)))
}

pub(super) fn named<'a>(
    object: &'a Keywords,
    key: &str,
) -> Result<Option<&'a Map<String, Value>>, String> {
    match member::find(object, key) {
        None => Ok(None),
        Some(Value::Object(named)) => Ok(Some(named)),
        Some(other) => Err(invalid(key, "an object", other)),
    }
}

pub(super) fn strings(key: &str, list: &Value) -> Result<Vec<Box<str>>, String> {
    let strings = list
        .as_array()
        .and_then(|list| list.iter().map(|one| Some(one.as_str()?.into())).collect());
    strings.ok_or_else(|| invalid(key, "an array of strings", list))
}
