//! Estimates the size of values without serializing them: the bytes of texts, plus a constant for
//! each value.

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, ResourceContents};
use serde_json::Value;

/// The estimate for a number, a constant, a pair of brackets or a pair of quotes, in bytes.
const SIGN: usize = 4;

/// Returns the approximate size of a value as JSON, in bytes. It is exact for texts, except for
/// escapes.
pub fn of_value(value: &Value) -> usize {
    match value {
        Value::String(text) => SIGN + text.len(),
        Value::Array(items) => SIGN + items.iter().map(of_value).sum::<usize>(),
        Value::Object(object) => of_object(object),
        Value::Null | Value::Bool(_) | Value::Number(_) => SIGN,
    }
}

fn of_object(object: &JsonObject) -> usize {
    SIGN + object
        .iter()
        .map(|(key, value)| SIGN + key.len() + of_value(value))
        .sum::<usize>()
}

/// Returns the approximate size of a result's content, in bytes.
pub(crate) fn of_result(result: &CallToolResult) -> usize {
    let meta = result.meta.as_ref().map_or(0, |meta| of_object(meta));
    let structured = result.structured_content.as_ref().map_or(0, of_value);
    meta + structured + result.content.iter().map(of_block).sum::<usize>()
}

fn of_block(block: &ContentBlock) -> usize {
    match block {
        ContentBlock::Text(text) => SIGN + text.text.len(),
        ContentBlock::Image(image) => SIGN + image.data.len(),
        ContentBlock::Audio(audio) => SIGN + audio.data.len(),
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::TextResourceContents { text, .. } => SIGN + text.len(),
            ResourceContents::BlobResourceContents { blob, .. } => SIGN + blob.len(),
            _ => SIGN,
        },
        ContentBlock::ResourceLink(link) => {
            SIGN + link.uri.len() + link.description.as_ref().map_or(0, String::len)
        }
        // rmcp may add kinds of content, which then count as small.
        _ => SIGN,
    }
}
