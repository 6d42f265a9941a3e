//! Conversion of calls and results between MCP and the providers' formats.

use super::error::ClientError;
use crate::text::invisible::without_invisible;
use rmcp::model::{CallToolResult, ContentBlock, ImageContent};
use serde_json::{Value, json};
use std::borrow::Cow;

/// The image types that both providers accept.
const IMAGE_TYPES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/// A call in a provider's request.
#[derive(Debug)]
pub(super) struct ProviderCall<'a> {
    pub(super) id: &'a str,
    pub(super) name: &'a str,
    pub(super) arguments: Value,
}

/// Parses a `tool_use` block of Anthropic's.
pub(super) fn parse_tool_use(block: &Value) -> Result<ProviderCall<'_>, ClientError> {
    let text = |key: &'static str| {
        block
            .get(key)
            .and_then(Value::as_str)
            .ok_or(ClientError::NotACall(key))
    };
    if text("type")? != "tool_use" {
        return Err(ClientError::NotACall("type"));
    }
    Ok(ProviderCall {
        id: text("id")?,
        name: text("name")?,
        arguments: block.get("input").cloned().unwrap_or_default(),
    })
}

/// Parses a `function_call` of OpenAI's, or a `tool_search_call`, which counts as a call of the
/// tool `describe`. The flag in the result is true for the latter.
pub(super) fn parse_function_call<'a>(
    item: &'a Value,
    describe: &'a str,
) -> Result<(ProviderCall<'a>, bool), ClientError> {
    let text = |key: &'static str| {
        item.get(key)
            .and_then(Value::as_str)
            .ok_or(ClientError::NotACall(key))
    };
    let searches = match text("type")? {
        "function_call" => false,
        "tool_search_call" => true,
        _ => return Err(ClientError::NotACall("type")),
    };
    let name = if searches { describe } else { text("name")? };
    let arguments = match item.get("arguments") {
        // OpenAI sends arguments as JSON text. Text that does not parse is passed on as a string:
        // the call then fails with an error for the model, not for the caller.
        Some(Value::String(text)) => {
            serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone()))
        }
        Some(arguments) => arguments.clone(),
        None => Value::Null,
    };
    Ok((
        ProviderCall {
            id: text("call_id")?,
            name,
            arguments,
        },
        searches,
    ))
}

/// Renders a result as Anthropic's `tool_result`.
pub(super) fn tool_result(id: &str, result: &CallToolResult) -> Value {
    let content: Vec<Value> = supported_blocks(result)
        .iter()
        .map(|block| anthropic_block(block))
        .collect();
    let mut block = json!({ "type": "tool_result", "tool_use_id": id, "content": content });
    if result.is_error == Some(true)
        && let Value::Object(block) = &mut block
    {
        block.insert("is_error".to_owned(), Value::Bool(true));
    }
    block
}

/// Returns the content that a provider accepts. Images of other types become a text, and empty
/// texts are dropped. If no content is left, the structured content is rendered as text.
fn supported_blocks(result: &CallToolResult) -> Vec<Cow<'_, ContentBlock>> {
    let blocks: Vec<_> = result.content.iter().filter_map(supported_block).collect();
    if !blocks.is_empty() {
        return blocks;
    }
    let fallback = match &result.structured_content {
        Some(structured) => structured.to_string(),
        // Providers reject an error with empty content.
        None if result.is_error == Some(true) => {
            "the tool failed without an error message".to_owned()
        }
        None => return blocks,
    };
    vec![Cow::Owned(ContentBlock::text(fallback))]
}

fn supported_block(block: &ContentBlock) -> Option<Cow<'_, ContentBlock>> {
    match block {
        ContentBlock::Text(text) if text.text.trim().is_empty() => None,
        ContentBlock::Image(image) if !IMAGE_TYPES.contains(&image.mime_type.as_str()) => {
            Some(Cow::Owned(ContentBlock::text(image_placeholder(image))))
        }
        block => Some(Cow::Borrowed(block)),
    }
}

fn image_placeholder(image: &ImageContent) -> String {
    // The server controls the type, and a model reads this text: it is cleaned and cut.
    let kind = without_invisible(&image.mime_type);
    let kind: String = kind
        .chars()
        .filter(|letter| !letter.is_control())
        .take(64)
        .collect();
    format!("[an image of type `{kind}` was left out: only JPEG, PNG, GIF and WebP can be shown]")
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

/// Renders a result as OpenAI's `function_call_output`.
pub(super) fn function_call_output(id: &str, result: &CallToolResult) -> Value {
    let blocks = supported_blocks(result);
    let has_image = blocks
        .iter()
        .any(|block| matches!(**block, ContentBlock::Image(_)));
    // Only images need an array of blocks; a string is the simpler form.
    let output = match has_image {
        true => blocks.iter().map(|block| openai_block(block)).collect(),
        false => Value::String(
            blocks
                .iter()
                .map(|block| text(block))
                .collect::<Vec<_>>()
                .join("\n"),
        ),
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

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn what_providers_refuse_is_not_sent() {
        let image = |kind: &str| ContentBlock::image("AA==", kind);
        let result = CallToolResult::success(vec![
            image("image/svg+xml"),
            image("image/png"),
            ContentBlock::text(" "),
        ]);
        let sent = tool_result("t", &result)["content"].clone();
        assert_eq!(sent.as_array().map(Vec::len), Some(2), "{sent}");
        assert_eq!(
            (&sent[0]["type"], &sent[1]["type"]),
            (&json!("text"), &json!("image"))
        );
        assert!(
            sent[0]["text"]
                .as_str()
                .is_some_and(|text| text.contains("image/svg+xml")),
            "{sent}"
        );
        let sent = function_call_output("c", &result)["output"].clone();
        assert_eq!(
            (&sent[0]["type"], &sent[1]["type"]),
            (&json!("input_text"), &json!("input_image"))
        );
    }

    #[test]
    fn a_result_without_text_tells_its_structure() {
        let mut result = CallToolResult::success(vec![ContentBlock::text("")]);
        result.structured_content = Some(json!({ "days": 3 }));
        assert_eq!(
            tool_result("t", &result)["content"],
            json!([{ "type": "text", "text": r#"{"days":3}"# }])
        );
        assert_eq!(
            function_call_output("c", &result)["output"],
            r#"{"days":3}"#
        );
        let nothing = CallToolResult::success(Vec::new());
        assert_eq!(tool_result("t", &nothing)["content"], json!([]));
        let failed = CallToolResult::error(Vec::new());
        assert_eq!(
            tool_result("t", &failed)["content"]
                .as_array()
                .map(Vec::len),
            Some(1)
        );
    }
}
