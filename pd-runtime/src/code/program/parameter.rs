//! The tag `@param {type} name - text`.

use serde_json::{Value, json};

/// An argument of a program.
#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) is_optional: bool,
    pub(super) schema: Value,
}

/// Parses the text after `@param`.
///
/// # Errors
///
/// Returns the correction.
pub(super) fn parse_parameter(text: &str) -> Result<Parameter, String> {
    let Some((kind, rest)) = text.strip_prefix('{').and_then(|text| text.split_once('}')) else {
        let name = text
            .split_whitespace()
            .last()
            .filter(|word| is_name(word))
            .unwrap_or("name");
        return Err(format!(
            "the type is missing; write `@param {{string}} {name} - text`"
        ));
    };
    let Some(mut schema) = schema_of(kind.trim()) else {
        return Err(format!(
            "unknown type `{}`; write `string`, `number`, `integer`, `boolean` or `object`, with `[]` for a list, or \
             `\"one\"|\"other\"`; other types need `@input {{JSON Schema}}`",
            kind.trim()
        ));
    };
    let (name, default, is_optional, rest) = split_name(rest.trim_start())?;
    if !is_name(name) {
        return Err(format!(
            "`{name}` is not a name; write `@param {{{kind}}} name - text`"
        ));
    }
    let members = [(
        "description",
        Some(one_line(rest))
            .filter(|text| !text.is_empty())
            .map(Value::from),
    )];
    let default = default
        .map(|default| default_value(name, default, &schema))
        .transpose()?;
    if let Value::Object(schema) = &mut schema {
        for (key, value) in members.into_iter().chain([("default", default)]) {
            schema.extend(value.map(|value| (key.to_owned(), value)));
        }
    }
    Ok(Parameter {
        name: name.to_owned(),
        is_optional,
        schema,
    })
}

/// Returns a text in one line, without the hyphen before it.
pub(super) fn one_line(text: &str) -> String {
    let text = text.trim_start();
    let text = text.strip_prefix(['-', '–']).unwrap_or(text);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Splits `name text`, `[name] text` and `[name=default] text`. Returns the name, the default,
/// whether the argument is optional, and the text.
fn split_name(text: &str) -> Result<(&str, Option<&str>, bool, &str), String> {
    let Some(inside) = text.strip_prefix('[') else {
        let (name, rest) = text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()));
        return Ok((name, None, false, rest));
    };
    // A default may contain brackets, so the last one before the text ends it.
    let end = inside
        .find("] ")
        .or_else(|| inside.find("]\n"))
        .or_else(|| inside.strip_suffix(']').map(str::len));
    let end = end.or_else(|| inside.find(']'));
    let Some((inside, rest)) =
        end.and_then(|end| Some((inside.get(..end)?, inside.get(end + 1..)?)))
    else {
        let name = inside
            .split(|c: char| !is_name_character(c))
            .next()
            .unwrap_or_default();
        return Err(format!("a bracket is not closed; write `[{name}]`"));
    };
    match inside.split_once('=') {
        Some((name, default)) => Ok((name.trim(), Some(default.trim()), true, rest)),
        None => Ok((inside.trim(), None, true, rest)),
    }
}

fn is_name_character(character: char) -> bool {
    character.is_alphanumeric() || "_-$".contains(character)
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_name_character)
}

/// Returns the schema of a type, if there is such a type.
fn schema_of(kind: &str) -> Option<Value> {
    if let Some(item) = kind.strip_suffix("[]") {
        return Some(json!({ "type": "array", "items": schema_of(item)? }));
    }
    if ["string", "number", "integer", "boolean", "object"].contains(&kind) {
        return Some(json!({ "type": kind }));
    }
    let texts: Option<Vec<String>> = kind
        .split('|')
        .map(|text| serde_json::from_str(text.trim()).ok())
        .collect();
    Some(json!({ "type": "string", "enum": texts? }))
}

/// Reads a default. A text needs no quotes.
fn default_value(name: &str, default: &str, schema: &Value) -> Result<Value, String> {
    let is_text = schema.get("type").is_some_and(|kind| kind == "string");
    match serde_json::from_str::<Value>(default) {
        Ok(value) if value.is_string() || !is_text => Ok(value),
        // `[name=1]` of a string is the text "1".
        _ if is_text => Ok(default.into()),
        Ok(value) => Ok(value),
        Err(_) => Err(format!(
            "the default of `{name}` is not JSON; write a value such as `[{name}=1]`"
        )),
    }
}
