//! Results without the shape of MCP, in the shape that MCP has for them. A server's text reaches
//! the model, whatever shape the server has given it.

use super::{
    odd_entry::{mend_block, mend_contents, read_boolean},
    wire::LEFT_OUT,
};
use rmcp::model::JsonObject;
use serde_json::{Value, json};

/// Returns the result of a tool. One that is of MCP stays as it is.
pub(crate) fn tool_result(result: Value) -> Value {
    let mut object = match result {
        Value::Object(object) => object,
        Value::Null => JsonObject::new(),
        other => JsonObject::from_iter([("content".to_owned(), other)]),
    };
    // Neither has content, and the client reads other members of them.
    if matches!(
        object.get("resultType").and_then(Value::as_str),
        Some("input_required" | "task")
    ) {
        return Value::Object(object);
    }
    if let Some(is_error) = object.get("isError")
        && !is_error.is_boolean()
    {
        match read_boolean(is_error) {
            Some(is_error) => object.insert("isError".to_owned(), is_error.into()),
            // rmcp's type takes a boolean only, and would refuse the whole result.
            None => object.shift_remove("isError"),
        };
    }
    drop_meta(&mut object);
    if object
        .get("structuredContent")
        .is_some_and(|content| content == LEFT_OUT)
    {
        object.shift_remove("structuredContent");
        // Beside its text, the model misses nothing.
        let has_content = object
            .get("content")
            .is_some_and(|content| *content != json!([]) && !content.is_null());
        if !has_content {
            let text = text_block("its structured content is nested over 128 deep".into());
            object.insert("content".to_owned(), json!([text]));
            object.insert("isError".to_owned(), true.into());
        }
    }
    if let Some(Value::Array(blocks)) = object.get_mut("content") {
        blocks.iter_mut().for_each(mend_block);
    }
    match object.get("content") {
        Some(Value::Array(blocks)) if blocks.iter().all(is_block) => return Value::Object(object),
        // MCP requires `content`, and structured content needs no text beside it.
        Some(Value::Null) | None
            if object
                .get("structuredContent")
                .is_some_and(|content| !content.is_null()) =>
        {
            object.insert("content".to_owned(), json!([]));
        }
        Some(Value::Null) | None => {
            let content = match object.shift_remove("toolResult") {
                // MCP 2024-10-07 had this key in place of `content`.
                Some(result) => blocks(result),
                None => {
                    object.shift_remove("content");
                    rest_as_text(&object)
                }
            };
            object.insert("content".to_owned(), content.into());
        }
        Some(_) => {
            let content = object
                .get_mut("content")
                .map(Value::take)
                .unwrap_or_default();
            object.insert("content".to_owned(), blocks(content).into());
        }
    }
    Value::Object(object)
}

/// Removes metadata that is not an object.
fn drop_meta(object: &mut JsonObject) {
    if object.get("_meta").is_some_and(|meta| !meta.is_object()) {
        // rmcp's type would refuse the whole result.
        object.shift_remove("_meta");
    }
}

/// The keys of a result that are not its content.
const RESULT_KEYS: [&str; 6] = [
    "_meta",
    "isError",
    "resultType",
    "structuredContent",
    "content",
    "jsonrpc",
];

/// Returns the keys of a result that MCP does not have as a text.
fn rest_as_text(object: &JsonObject) -> Vec<Value> {
    let rest = object
        .iter()
        .filter(|(key, _)| !RESULT_KEYS.contains(&key.as_str()));
    let rest: JsonObject = rest
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    match rest.is_empty() {
        true => Vec::new(),
        false => vec![text_block(Value::Object(rest))],
    }
}

/// Returns whether a value is a block with a type. A block of an unknown type stays as it is.
fn is_block(block: &Value) -> bool {
    let kind = block.get("type").and_then(Value::as_str);
    kind.is_some_and(|kind| kind != "text" || block.get("text").is_some_and(Value::is_string))
}

fn blocks(content: Value) -> Vec<Value> {
    match content {
        Value::Array(blocks) => blocks.into_iter().map(block).collect(),
        Value::Null => Vec::new(),
        other => vec![block(other)],
    }
}

fn block(mut block: Value) -> Value {
    mend_block(&mut block);
    if is_block(&block) {
        return block;
    }
    match block.get_mut("text").map(Value::take) {
        Some(text) => text_block(text),
        None => text_block(block),
    }
}

fn text_block(value: Value) -> Value {
    json!({ "type": "text", "text": into_text(value) })
}

fn into_text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// Returns the contents of the resource `uri`. A result that is of MCP stays as it is.
pub(crate) fn resource_result(result: Value, uri: &str) -> Value {
    let mut object = match result {
        // A server may return the one content in place of the list.
        Value::Object(object)
            if object.contains_key("contents") || object.contains_key("resultType") =>
        {
            object
        }
        Value::Null => JsonObject::new(),
        Value::Object(object) if object.is_empty() => object,
        other => JsonObject::from_iter([("contents".to_owned(), other)]),
    };
    drop_meta(&mut object);
    if object
        .get("resultType")
        .is_some_and(|kind| kind == "input_required")
    {
        return Value::Object(object);
    }
    let contents = match object.get_mut("contents").map(Value::take) {
        Some(Value::Array(contents)) => contents,
        Some(Value::Null) | None => Vec::new(),
        Some(other) => vec![other],
    };
    let contents: Vec<_> = contents
        .into_iter()
        .map(|content| resource_content(content, uri))
        .collect();
    object.insert("contents".to_owned(), contents.into());
    Value::Object(object)
}

fn resource_content(content: Value, uri: &str) -> Value {
    let has_data = |object: &JsonObject| {
        ["text", "blob"]
            .iter()
            .any(|key| object.get(*key).is_some_and(Value::is_string))
    };
    match content {
        Value::Object(mut object) if has_data(&object) => {
            if !object.get("uri").is_some_and(Value::is_string) {
                // rmcp's type requires the URI, and the request has it.
                object.insert("uri".to_owned(), uri.into());
            }
            mend_contents(&mut object);
            Value::Object(object)
        }
        Value::Object(mut object) if object.contains_key("text") => {
            let text = object.get_mut("text").map(Value::take).unwrap_or_default();
            object.insert("text".to_owned(), into_text(text).into());
            object.entry("uri").or_insert_with(|| uri.into());
            mend_contents(&mut object);
            Value::Object(object)
        }
        other => json!({ "uri": uri, "text": into_text(other) }),
    }
}

/// Returns the messages of a prompt. A result that is of MCP stays as it is.
pub(crate) fn prompt_result(result: Value) -> Value {
    let mut object = match result {
        Value::Object(object)
            if object.contains_key("messages") || object.contains_key("resultType") =>
        {
            object
        }
        Value::Null => JsonObject::new(),
        Value::Object(object) if object.is_empty() => object,
        other => JsonObject::from_iter([("messages".to_owned(), other)]),
    };
    drop_meta(&mut object);
    if object
        .get("resultType")
        .is_some_and(|kind| kind == "input_required")
    {
        return Value::Object(object);
    }
    let messages = match object.get_mut("messages").map(Value::take) {
        Some(Value::Array(messages)) => messages,
        Some(Value::Null) | None => Vec::new(),
        Some(other) => vec![other],
    };
    let messages: Vec<_> = messages.into_iter().flat_map(prompt_messages).collect();
    if object
        .get("description")
        .is_some_and(|text| !text.is_string())
    {
        // A client refuses the whole prompt for it.
        object.shift_remove("description");
    }
    object.insert("messages".to_owned(), messages.into());
    Value::Object(object)
}

/// Returns one message for each block of a message.
fn prompt_messages(message: Value) -> Vec<Value> {
    let Value::Object(mut object) = message else {
        return vec![json!({ "role": "user", "content": text_block(message) })];
    };
    let role = object.get("role").and_then(Value::as_str);
    // MCP has no other roles, and rmcp's type refuses them.
    if !matches!(role, Some("user" | "assistant")) {
        object.insert("role".to_owned(), "user".into());
    }
    match object.get_mut("content").map(Value::take) {
        Some(Value::Array(content)) => {
            // A message of a prompt has one block (server, prompts), so each block gets a message.
            let messages = content.into_iter().map(|content| {
                let mut message = object.clone();
                message.insert("content".to_owned(), block(content));
                Value::Object(message)
            });
            messages.collect()
        }
        Some(content) => {
            object.insert("content".to_owned(), block(content));
            vec![Value::Object(object)]
        }
        None => {
            let text = object.shift_remove("text").unwrap_or_default();
            let text = if text.is_null() {
                Value::Object(object.clone())
            } else {
                text
            };
            object.insert("content".to_owned(), text_block(text));
            vec![Value::Object(object)]
        }
    }
}

/// The most values of a completion (MCP, completion). A client refuses more.
const VALUES_MAX: usize = 100;

/// Returns whether rmcp's type takes a number of values.
fn is_total(total: &Value) -> bool {
    total
        .as_u64()
        .is_some_and(|total| u32::try_from(total).is_ok())
}

/// Returns the values of a completion. A result that is of MCP stays as it is.
pub(crate) fn completion_result(result: Value) -> Value {
    let completion = match &result {
        Value::Object(object) => object
            .get("completion")
            .or_else(|| object.get("values").map(|_| &result)),
        Value::Array(_) => Some(&result),
        _ => None,
    };
    let (completion, mut values) = match completion {
        Some(Value::Object(completion)) => (
            completion.clone(),
            completion.get("values").cloned().unwrap_or_default(),
        ),
        Some(values) => (JsonObject::new(), values.clone()),
        None => (JsonObject::new(), Value::Null),
    };
    let is_of_mcp = values
        .as_array()
        .is_some_and(|values| values.len() <= VALUES_MAX && values.iter().all(Value::is_string))
        && completion.get("total").is_none_or(is_total)
        && completion.get("hasMore").is_none_or(Value::is_boolean);
    if is_of_mcp && result.get("completion").is_some_and(Value::is_object) {
        return result;
    }
    let mut values: Vec<Value> = match values.take() {
        Value::Array(values) => values
            .into_iter()
            // rmcp's type takes texts only.
            .map(|value| into_text(value).into())
            .collect(),
        Value::Null => Vec::new(),
        other => vec![into_text(other).into()],
    };
    let mut completion = completion;
    if completion
        .get("total")
        .is_some_and(|total| !is_total(total))
    {
        completion.shift_remove("total");
    }
    if let Some(has_more) = completion.get("hasMore").filter(|more| !more.is_boolean()) {
        match read_boolean(has_more) {
            Some(has_more) => completion.insert("hasMore".to_owned(), has_more.into()),
            None => completion.shift_remove("hasMore"),
        };
    }
    if values.len() > VALUES_MAX {
        completion
            .entry("total")
            .or_insert_with(|| values.len().into());
        completion.insert("hasMore".to_owned(), true.into());
        values.truncate(VALUES_MAX);
    }
    completion.insert("values".to_owned(), values.into());
    let mut object = match result {
        Value::Object(mut object) => {
            object.shift_remove("values");
            object
        }
        _ => JsonObject::new(),
    };
    object.insert("completion".to_owned(), completion.into());
    Value::Object(object)
}

#[cfg(test)]
mod tests;
