//! Entries of lists whose optional keys are not quite those of MCP.
//!
//! A client refuses a whole list for one key of another type, and rmcp's types refuse the entry. So
//! a key is read as it is meant where that is clear, and left out where it is not. Entries are
//! mended when they are read, so that the lock reviews what clients are listed.

use super::wire::LEFT_OUT;
use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;
use serde_json::{Number, Value, json};
use std::collections::HashSet;

/// What an optional key has.
#[derive(Debug, Clone, Copy)]
enum KeyShape {
    Text,
    /// A text that only a text can be.
    Time,
    Truth,
    /// A count of bytes.
    Size,
    /// A number from 0 to 1.
    Share,
    Object,
    /// A list of sizes, such as `48x48`.
    Sizes,
    Theme,
    Roles,
    Icons,
    /// An object with these keys.
    Keys(KeyShapes),
    /// The arguments of a prompt.
    Arguments,
}

type KeyShapes = &'static [(&'static str, KeyShape)];

use KeyShape::{
    Arguments, Icons, Keys, Object, Roles, Share, Size, Sizes, Text, Theme, Time, Truth,
};

const TOOL: KeyShapes = &[
    ("title", Text),
    ("description", Text),
    // One without an input schema is listed with an empty one (`odd_definition`).
    ("inputSchema", Object),
    ("outputSchema", Object),
    ("annotations", Keys(HINTS)),
    ("icons", Icons),
    ("_meta", Object),
];
const HINTS: KeyShapes = &[
    ("title", Text),
    ("readOnlyHint", Truth),
    ("destructiveHint", Truth),
    ("idempotentHint", Truth),
    ("openWorldHint", Truth),
];
const RESOURCE: KeyShapes = &[
    ("name", Text),
    ("title", Text),
    ("description", Text),
    ("mimeType", Text),
    ("size", Size),
    ("annotations", Keys(ANNOTATIONS)),
    ("icons", Icons),
    ("_meta", Object),
];
const ANNOTATIONS: KeyShapes = &[
    ("audience", Roles),
    ("priority", Share),
    ("lastModified", Time),
];
const PROMPT: KeyShapes = &[
    ("title", Text),
    ("description", Text),
    ("arguments", Arguments),
    ("icons", Icons),
    ("_meta", Object),
];
const ARGUMENT: KeyShapes = &[("title", Text), ("description", Text), ("required", Truth)];
const ICON: KeyShapes = &[("mimeType", Text), ("sizes", Sizes), ("theme", Theme)];

/// Mends the optional keys of an entry. `list` is the key of its list, and `id` that of its name or URI.
pub(crate) fn mend_entry(list: &str, id: &str, entry: &mut Value) {
    let Value::Object(members) = entry else {
        return;
    };
    match list {
        "tools" => mend_keys(TOOL, members),
        "prompts" => mend_keys(PROMPT, members),
        _ => mend_resource(id, members),
    }
}

/// Mends a resource, a template or a link. `key` has its URI.
fn mend_resource(key: &str, members: &mut JsonObject) {
    mend_keys(RESOURCE, members);
    // Clients require a name, and a person knows a resource by its URI, too.
    if members.get("name").is_none_or(Value::is_null)
        && let Some(uri) = members.get(key).filter(|uri| uri.is_string())
    {
        let uri = uri.clone();
        members.insert("name".to_owned(), uri);
    }
}

/// Mends the optional keys of a block of a result.
pub(crate) fn mend_block(block: &mut Value) {
    let Value::Object(members) = block else {
        return;
    };
    if members
        .get("type")
        .is_some_and(|kind| kind == "resource_link")
    {
        mend_resource("uri", members);
        return;
    }
    mend_keys(
        &[("annotations", Keys(ANNOTATIONS)), ("_meta", Object)],
        members,
    );
    if let Some(Value::Object(contents)) = members.get_mut("resource") {
        mend_contents(contents);
    }
}

/// Mends the optional keys of a resource's contents.
pub(crate) fn mend_contents(contents: &mut JsonObject) {
    mend_keys(&[("mimeType", Text), ("_meta", Object)], contents);
}

/// Checks that an entry is one of MCP.
///
/// # Errors
///
/// Returns the reason why it is not offered.
pub(crate) fn check_type<T: DeserializeOwned>(entry: &Value) -> Result<(), String> {
    T::deserialize(entry)
        .map(drop)
        .map_err(|error| format!("its definition is not valid: {error}"))
}

/// Returns what is reported of an entry without the key that identifies it.
pub(crate) fn without_name(noun: &str, key: &str) -> (String, String) {
    (
        format!("a {noun} without `{key}`"),
        format!("`{key}` must be a text"),
    )
}

/// Reads what servers write for a boolean.
pub(super) fn read_boolean(value: &Value) -> Option<bool> {
    match value {
        Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" => Some(true),
            "false" | "0" | "no" | "" => Some(false),
            _ => None,
        },
        Value::Number(number) => Some(number.as_f64().is_some_and(|number| number != 0.0)),
        _ => None,
    }
}

fn mend_keys(shapes: KeyShapes, members: &mut JsonObject) {
    // An entry with a part that was too deep is not offered.
    let may_be_odd = |value: &&mut Value| value.as_str() != Some(LEFT_OUT);
    for (key, shape) in shapes {
        // `null` is as good as absent for a server. A client refuses the whole list for it.
        if let Some(value) = members.get_mut(*key).filter(may_be_odd)
            && (value.is_null() || !mend(*shape, value))
        {
            members.shift_remove(*key);
        }
    }
}

/// Mends a value. Returns `false` if it has no clear meaning.
fn mend(shape: KeyShape, value: &mut Value) -> bool {
    match shape {
        Text => mend_by(value, Value::is_string, |value| {
            value.as_number().map(|number| number.to_string().into())
        }),
        Time => value.is_string(),
        Object => value.is_object(),
        Truth => mend_by(value, Value::is_boolean, |value| {
            // An empty text says nothing, and `false` may be the promise to delete nothing.
            let is_empty = value.as_str().is_some_and(|text| text.trim().is_empty());
            read_boolean(value).filter(|_| !is_empty).map(Value::Bool)
        }),
        Size => mend_by(value, Value::is_u64, |value| {
            let number = match value {
                Value::String(text) => text.trim().parse::<f64>().ok()?,
                other => other.as_f64()?,
            };
            // Beyond it, a float is no exact count.
            let is_whole = number.fract() == 0.0 && (0.0..=9e15).contains(&number);
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "it is whole, and in the range"
            )]
            is_whole.then(|| json!(number as u64))
        }),
        Share => mend_by(value, is_share, |value| {
            let number = value.as_str()?.trim().parse().ok()?;
            Some(Value::Number(Number::from_f64(number)?)).filter(is_share)
        }),
        Theme => value == "light" || value == "dark",
        Sizes => {
            if let Value::String(text) = value {
                // The attribute of HTML, which MCP had before 2025-11-25.
                *value = text.split_whitespace().collect();
            }
            mend_items(value, |size| size.is_string())
        }
        Roles => {
            if value.is_string() {
                *value = json!([value.take()]);
            }
            mend_items(value, |role| *role == "user" || *role == "assistant")
        }
        Icons => {
            if value.is_object() {
                *value = json!([value.take()]);
            }
            mend_items(value, |icon| {
                let Value::Object(members) = icon else {
                    return false;
                };
                mend_keys(ICON, members);
                members.get("src").is_some_and(Value::is_string)
            })
        }
        Keys(shapes) => {
            let Value::Object(members) = value else {
                return false;
            };
            mend_keys(shapes, members);
            true
        }
        Arguments => mend_arguments(value),
    }
}

fn is_share(value: &Value) -> bool {
    let number = value.as_f64();
    number.is_some_and(|number| (0.0..=1.0).contains(&number))
}

/// Replaces a value that is not as it must be by what `read` returns.
fn mend_by(
    value: &mut Value,
    is_whole: impl Fn(&Value) -> bool,
    read: impl Fn(&Value) -> Option<Value>,
) -> bool {
    if is_whole(value) {
        return true;
    }
    match read(value) {
        Some(read) => *value = read,
        None => return false,
    }
    true
}

/// Removes the items of a list that have no clear meaning. Returns `false` if none is left of some.
fn mend_items(value: &mut Value, mend: impl FnMut(&mut Value) -> bool) -> bool {
    let Value::Array(items) = value else {
        return false;
    };
    let was_empty = items.is_empty();
    items.retain_mut(mend);
    was_empty || !items.is_empty()
}

fn mend_arguments(value: &mut Value) -> bool {
    if let Value::Object(by_name) = value {
        // Some servers write them as they write properties.
        let arguments = std::mem::take(by_name).into_iter();
        *value = arguments
            .filter_map(|(name, argument)| {
                let mut named = JsonObject::from_iter([("name".to_owned(), name.into())]);
                let Value::Object(members) = argument else {
                    return None;
                };
                named.extend(members.into_iter().filter(|(key, _)| key != "name"));
                Some(Value::Object(named))
            })
            .collect();
        if value == &json!([]) {
            return false;
        }
    }
    let mut names = HashSet::new();
    mend_items(value, |argument| {
        if argument.is_string() {
            *argument = json!({ "name": argument.take() });
        }
        let Value::Object(members) = argument else {
            return false;
        };
        mend_keys(ARGUMENT, members);
        // A second argument of a name would hide the first one from the lock.
        let name = members.get("name").and_then(Value::as_str);
        name.is_some_and(|name| names.insert(name.to_owned()))
    })
}

#[cfg(test)]
mod tests;
