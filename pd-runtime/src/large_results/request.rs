//! The arguments of `read_more`, in each form in which models write them.

use super::reading::ReadRequest;
use rmcp::model::JsonObject;
use serde_json::Value;

/// Reads the arguments. A model writes a range as a text, a number or a list, and columns as a list
/// or a text.
pub(super) fn read_request(arguments: &JsonObject) -> Result<ReadRequest, String> {
    let text = |key: &str| {
        let text = arguments.get(key).and_then(Value::as_str);
        text.filter(|text| !text.is_empty()).map(str::to_owned)
    };
    Ok(ReadRequest {
        lines: range(arguments.get("lines"), "lines")?,
        rows: range(arguments.get("rows"), "rows")?,
        path: text("path"),
        columns: columns(arguments.get("columns")),
        query: text("query"),
    })
}

fn columns(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(text)) => match serde_json::from_str(text) {
            Ok(Value::Array(names)) => columns(Some(&Value::Array(names))),
            _ => text
                .split(',')
                .map(|name| name.trim().to_owned())
                .filter(|name| !name.is_empty())
                .collect(),
        },
        Some(Value::Array(names)) => names
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        _ => Vec::new(),
    }
}

/// Reads the first and the last of a range.
fn range(value: Option<&Value>, key: &str) -> Result<Option<(usize, usize)>, String> {
    let number = |value: &Value| {
        value
            .as_u64()
            .and_then(|number| usize::try_from(number).ok())
    };
    let read = match value {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Array(ends)) => match ends.as_slice() {
            [first, last] => number(first).zip(number(last)),
            _ => None,
        },
        Some(Value::String(text)) if text.is_empty() => return Ok(None),
        Some(Value::String(text)) => {
            let (first, last) = text.split_once(['-', ':', '–']).unwrap_or((text, text));
            let end = |text: &str| text.trim().parse().ok();
            // `20-` is all from there.
            match last.trim() {
                "" => end(first).map(|first| (first, usize::MAX)),
                last => end(first).zip(end(last)),
            }
        }
        Some(value) => number(value).map(|place| (place, place)),
    };
    match read {
        Some((first, last)) if first <= last => Ok(Some((first, last))),
        _ => Err(format!("`{key}` must be a range, such as \"20-39\"")),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ranges_and_columns_are_read_in_every_form_that_models_write() {
        for (value, expected) in [
            (json!("3-9"), Some((3, 9))),
            (json!("3 - 9"), Some((3, 9))),
            (json!("3:9"), Some((3, 9))),
            (json!("3"), Some((3, 3))),
            (json!(3), Some((3, 3))),
            (json!([3, 9]), Some((3, 9))),
            (json!("3-"), Some((3, usize::MAX))),
            (json!(""), None),
            (json!(null), None),
        ] {
            assert_eq!(range(Some(&value), "lines").unwrap(), expected, "{value}");
        }
        for value in [json!("9-3"), json!("a"), json!(-1), json!([1]), json!({})] {
            assert!(range(Some(&value), "lines").is_err(), "{value}");
        }
        for value in [json!(["a", "b"]), json!("a, b"), json!("[\"a\",\"b\"]")] {
            assert_eq!(columns(Some(&value)), ["a", "b"], "{value}");
        }
    }
}
