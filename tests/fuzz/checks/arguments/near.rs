//! Values near a schema: mostly what fits, often what nearly does, sometimes anything.

use arbitrary::{Result, Unstructured};
use serde_json::{Map, Value, json};

/// How deep values go.
const DEPTH: u32 = 5;

/// Arguments for a schema whose root is an object.
pub(crate) fn arguments(schema: &Value, bytes: &mut Unstructured<'_>) -> Result<Value> {
    match near(schema, schema, bytes, DEPTH)? {
        Value::Object(arguments) => Ok(Value::Object(arguments)),
        other => Ok(json!({ "value": other })),
    }
}

fn near(schema: &Value, root: &Value, bytes: &mut Unstructured<'_>, depth: u32) -> Result<Value> {
    if depth == 0 || bytes.ratio(1, 12)? {
        return any(bytes, depth);
    }
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        let target = root
            .pointer(target.trim_start_matches('#'))
            .unwrap_or(&Value::Null);
        return near(target, root, bytes, depth - 1);
    }
    for key in ["anyOf", "oneOf", "allOf"] {
        if let Some(Value::Array(branches)) = schema.get(key) {
            let branch = bytes.choose(branches)?;
            return near(branch, root, bytes, depth);
        }
    }
    if let Some(only) = schema.get("const") {
        return Ok(only.clone());
    }
    if let Some(Value::Array(values)) = schema.get("enum") {
        return bytes.choose(values).cloned();
    }
    match kind(schema, bytes)? {
        "object" => object(schema, root, bytes, depth),
        "array" => array(schema, root, bytes, depth),
        "string" => text(schema, bytes),
        "integer" => integer(schema, bytes),
        "number" => number(schema, bytes),
        "boolean" => Ok(json!(bytes.arbitrary::<bool>()?)),
        "null" => Ok(Value::Null),
        _ => any(bytes, depth),
    }
}

fn kind<'a>(schema: &'a Value, bytes: &mut Unstructured<'_>) -> Result<&'a str> {
    match schema.get("type") {
        Some(Value::String(kind)) => Ok(kind),
        Some(Value::Array(kinds)) => Ok(bytes.choose(kinds)?.as_str().unwrap_or_default()),
        _ if schema.get("properties").is_some() => Ok("object"),
        _ => Ok(""),
    }
}

fn object(schema: &Value, root: &Value, bytes: &mut Unstructured<'_>, depth: u32) -> Result<Value> {
    let mut made = Map::new();
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    if let Some(Value::Object(properties)) = schema.get("properties") {
        for (name, property) in properties {
            let leave_out = if required.contains(&json!(name)) {
                bytes.ratio(1, 24)?
            } else {
                bytes.ratio(1, 2)?
            };
            if leave_out {
                continue;
            }
            let value = if bytes.ratio(1, 10)? {
                Value::Null
            } else {
                near(property, root, bytes, depth - 1)?
            };
            made.insert(name.clone(), value);
        }
    }
    if let Some(others) = schema
        .get("additionalProperties")
        .filter(|others| others.is_object())
    {
        for _ in 0..bytes.int_in_range(0..=2)? {
            made.insert(key(bytes)?, near(others, root, bytes, depth - 1)?);
        }
    }
    if bytes.ratio(1, 16)? {
        made.insert(key(bytes)?, any(bytes, 1)?);
    }
    Ok(Value::Object(made))
}

fn array(schema: &Value, root: &Value, bytes: &mut Unstructured<'_>, depth: u32) -> Result<Value> {
    let count = bytes.int_in_range(0..=4)?;
    let prefix = schema["prefixItems"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let count = if prefix.is_empty() || bytes.ratio(1, 8)? {
        count
    } else {
        prefix.len()
    };
    let item = |at: usize| {
        prefix
            .get(at)
            .or(schema.get("items"))
            .unwrap_or(&Value::Null)
    };
    (0..count)
        .map(|at| near(item(at), root, bytes, depth - 1))
        .collect()
}

/// Texts that a pattern or format may want, and any other.
fn text(schema: &Value, bytes: &mut Unstructured<'_>) -> Result<Value> {
    const FORMATS: &[&str] = &[
        "2026-07-28",
        "2026-07-28T12:00:00Z",
        "2026-02-30",
        "ada@example.org",
        "https://example.org/a?b#c",
        "not a uri",
        "67e55044-10b1-426f-9247-bb680e5fe0c8",
        "127.0.0.1",
        "::1",
        "12:00:00Z",
        "P1D",
        "a",
        "abc",
        "AB-1234",
        "é",
        "",
    ];
    match schema
        .get("default")
        .filter(|_| bytes.len().is_multiple_of(7))
    {
        Some(default) => Ok(default.clone()),
        None if bytes.ratio(1, 2)? => Ok(json!(bytes.choose(FORMATS)?)),
        None => Ok(json!(bytes.arbitrary::<&str>()?)),
    }
}

/// Whole numbers at the edges of what is allowed and of what Rust has.
fn integer(schema: &Value, bytes: &mut Unstructured<'_>) -> Result<Value> {
    let edge = |key: &str| schema.get(key).and_then(Value::as_i64);
    let edges = [
        edge("minimum"),
        edge("maximum"),
        Some(0),
        Some(i64::from(u32::MAX)),
        Some(i64::from(i32::MIN)),
        Some(255),
    ];
    let edge = bytes.choose(&edges)?.unwrap_or(1);
    Ok(match bytes.int_in_range(0..=7)? {
        0..=2 => json!(edge.saturating_add(i64::from(bytes.int_in_range(-1_i8..=1)?))),
        3 | 4 => json!(bytes.arbitrary::<i8>()?),
        5 => json!(edge as f64),
        6 => json!(bytes.arbitrary::<u64>()?),
        _ => number(schema, bytes)?,
    })
}

fn number(schema: &Value, bytes: &mut Unstructured<'_>) -> Result<Value> {
    let base = schema.get("maximum").and_then(Value::as_f64).unwrap_or(1.0);
    Ok(match bytes.int_in_range(0..=4)? {
        0 => json!(base),
        1 => json!(base / 2.0),
        2 => json!(bytes.arbitrary::<i16>()?),
        3 => json!(bytes.arbitrary::<f64>()?),
        _ => json!(-0.0),
    })
}

fn key(bytes: &mut Unstructured<'_>) -> Result<String> {
    Ok(match bytes.int_in_range(0..=3)? {
        0 => (*bytes.choose(&["a/b", "~", "~1", "", "disclosure_ticket", "x"])?).to_owned(),
        _ => bytes.arbitrary::<&str>()?.to_owned(),
    })
}

fn any(bytes: &mut Unstructured<'_>, depth: u32) -> Result<Value> {
    Ok(
        match bytes.int_in_range(0..=if depth == 0 { 5 } else { 7 })? {
            0 => Value::Null,
            1 => json!(bytes.arbitrary::<bool>()?),
            2 => json!(bytes.arbitrary::<i64>()?),
            3 => json!(bytes.arbitrary::<f64>()?),
            4 => json!(bytes.arbitrary::<&str>()?),
            5 => json!("{\"a\":1}"),
            6 => (0..bytes.int_in_range(0..=3)?)
                .map(|_| any(bytes, depth - 1))
                .collect::<Result<_>>()?,
            _ => {
                let mut made = Map::new();
                for _ in 0..bytes.int_in_range(0..=3)? {
                    made.insert(key(bytes)?, any(bytes, depth - 1)?);
                }
                Value::Object(made)
            }
        },
    )
}
