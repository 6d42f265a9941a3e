//! A provider's call answered in the provider's own form.

use super::error::ClientError;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

/// A call as a provider sent it.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub(super) id: &'a str,
    pub(super) name: &'a str,
    pub(super) arguments: Value,
}

/// A `tool_use` block of Anthropic's.
pub(super) fn tool_use(block: &Value) -> Result<Call<'_>, ClientError> {
    let text = |key: &'static str| block.get(key).and_then(Value::as_str).ok_or(ClientError::NotACall(key));
    if text("type")? != "tool_use" {
        return Err(ClientError::NotACall("type"));
    }
    Ok(Call { id: text("id")?, name: text("name")?, arguments: block.get("input").cloned().unwrap_or_default() })
}

/// A `function_call` of OpenAI's, or a `tool_search_call`, which is a call of the tool that describes.
pub(super) fn function_call<'a>(item: &'a Value, describe: &'a str) -> Result<(Call<'a>, bool), ClientError> {
    let text = |key: &'static str| item.get(key).and_then(Value::as_str).ok_or(ClientError::NotACall(key));
    let searches = match text("type")? {
        "function_call" => false,
        "tool_search_call" => true,
        _ => return Err(ClientError::NotACall("type")),
    };
    let name = if searches { describe } else { text("name")? };
    let arguments = match item.get("arguments") {
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone())),
        Some(arguments) => arguments.clone(),
        None => Value::Null,
    };
    Ok((Call { id: text("call_id")?, name, arguments }, searches))
}

/// A result as Anthropic's `tool_result`.
pub(super) fn tool_result(id: &str, result: &CallToolResult) -> Value {
    let content: Vec<Value> = result.content.iter().map(anthropic_block).collect();
    let mut block = json!({ "type": "tool_result", "tool_use_id": id, "content": content });
    if result.is_error == Some(true)
        && let Value::Object(block) = &mut block
    {
        block.insert("is_error".to_owned(), Value::Bool(true));
    }
    block
}

fn anthropic_block(block: &ContentBlock) -> Value {
    match block {
        ContentBlock::Text(text) => json!({ "type": "text", "text": text.text }),
        ContentBlock::Image(image) => json!({
            "type": "image",
            "source": { "type": "base64", "media_type": image.mime_type, "data": image.data },
        }),
        other => json!({ "type": "text", "text": json!(other).to_string() }),
    }
}

/// A result as OpenAI's `function_call_output`.
pub(super) fn function_call_output(id: &str, result: &CallToolResult) -> Value {
    let has_image = result.content.iter().any(|block| matches!(block, ContentBlock::Image(_)));
    let output = match has_image {
        true => result.content.iter().map(openai_block).collect(),
        false => Value::String(result.content.iter().map(text).collect::<Vec<_>>().join("\n")),
    };
    json!({ "type": "function_call_output", "call_id": id, "output": output })
}

fn openai_block(block: &ContentBlock) -> Value {
    match block {
        ContentBlock::Image(image) => json!({
            "type": "input_image",
            "detail": "auto",
            "image_url": format!("data:{};base64,{}", image.mime_type, image.data),
        }),
        other => json!({ "type": "input_text", "text": text(other) }),
    }
}

fn text(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        other => json!(other).to_string(),
    }
}
