//! The answer of a server as the result of a tool.

use super::{
    object::Object, operation::OpenApiOperation, output::fitting, plain_text::plain_line,
    security::SecuritySchemes, text::read_answer,
};
use crate::text::truncate::first_chars;
use base64::{Engine, engine::general_purpose::STANDARD};
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::Value;

/// The characters of a problem's body that an error contains.
const PROBLEM_MAX: usize = 2_000;
/// The characters of what the document says about a status.
const MEANING_MAX: usize = 200;

/// The answer of a server, with its body as a whole.
#[derive(Debug)]
pub(super) struct ServerAnswer {
    pub(super) status: u16,
    /// The media type in lower case, without parameters.
    pub(super) media: String,
    pub(super) body: Vec<u8>,
    /// The header `Retry-After`.
    pub(super) retry_after: Option<String>,
    /// The header `Location` of a redirect that was not followed, or of what was created.
    pub(super) location: Option<String>,
    /// The URL without its query, for the name of a file.
    pub(super) url: String,
}

impl ServerAnswer {
    /// Converts the answer into the result of a tool. `key` is the setting that has credentials.
    pub(super) fn into_result(self, operation: &OpenApiOperation, key: &str) -> CallToolResult {
        match self.status {
            200..=299 => self.success(operation.output()),
            // The target can be a download with its own credentials, so the model decides.
            300..=399 => {
                let mut result = CallToolResult::success(vec![ContentBlock::text(self.redirect())]);
                result.structured_content = nothing(operation.output());
                result
            }
            _ => CallToolResult::error(vec![ContentBlock::text(self.problem(operation, key))]),
        }
    }

    fn success(self, output: Option<&Object>) -> CallToolResult {
        if self.body.is_empty() {
            let mut result = CallToolResult::success(vec![ContentBlock::text(self.status_line())]);
            result.structured_content = nothing(output);
            return result;
        }
        if self.is_json()
            && let Some(value) = read_answer(&self.body)
        {
            let mut result = CallToolResult::success(vec![ContentBlock::text(value.to_string())]);
            result.structured_content = match output {
                Some(schema) => Some(fitting(&value, schema)),
                None => value.is_object().then_some(value),
            };
            return result;
        }
        let mut result = CallToolResult::success(vec![self.content()]);
        result.structured_content = nothing(output);
        result
    }

    fn is_json(&self) -> bool {
        self.media.ends_with("json") || self.media.is_empty()
    }

    /// Returns a body that is not JSON: an image, a text, or a resource with bytes.
    fn content(self) -> ContentBlock {
        if self.media.starts_with("image/") && self.media != "image/svg+xml" {
            return ContentBlock::image(STANDARD.encode(&self.body), self.media);
        }
        match String::from_utf8(self.body) {
            Ok(text) if !text.contains('\0') => ContentBlock::text(text),
            other => {
                let bytes = other.map_or_else(|error| error.into_bytes(), String::into_bytes);
                let blob = ResourceContents::blob(STANDARD.encode(bytes), self.url);
                ContentBlock::resource(blob.with_mime_type(self.media))
            }
        }
    }

    fn status_line(&self) -> String {
        let reason = http::StatusCode::from_u16(self.status).ok();
        let reason = reason.and_then(|status| status.canonical_reason());
        let mut line = match reason {
            Some(reason) => format!("HTTP {} {reason}", self.status),
            None => format!("HTTP {}", self.status),
        };
        if let Some(location) = &self.location {
            line.push_str(&format!(
                ", Location: {}",
                plain_line(location, PROBLEM_MAX)
            ));
        }
        line
    }

    fn redirect(&self) -> String {
        format!(
            "{}. The target was not requested, because it is at another server or needs another request.",
            self.status_line()
        )
    }

    /// Renders a failure: the status, what the document says about it, what to do, and the body.
    fn problem(&self, operation: &OpenApiOperation, key: &str) -> String {
        let mut text = self.status_line();
        if let Some(meaning) = operation.meaning_of(self.status) {
            text.push_str(&format!(
                ": {}",
                plain_line(meaning.trim_end_matches('.'), MEANING_MAX)
            ));
        }
        text.push('.');
        if matches!(self.status, 401 | 403) {
            let advice = SecuritySchemes::advice(operation.security());
            let advice = advice.map_or_else(
                || format!(" The document names no security scheme; the operator sets {key}."),
                |advice| format!(" The operation requires {advice} in {key}."),
            );
            text.push_str(&advice);
        }
        if let Some(after) = &self.retry_after {
            let after = plain_line(after, 40);
            let unit = match after.parse::<u64>() {
                Ok(_) => " seconds",
                Err(_) => "",
            };
            text.push_str(&format!(" Try again after {after}{unit}."));
        }
        let body = String::from_utf8_lossy(&self.body);
        let body = match serde_json::from_str::<Value>(&body) {
            Ok(value) => value.to_string(),
            Err(_) => plain_line(&body, PROBLEM_MAX),
        };
        if !body.is_empty() {
            text.push_str(&format!("\n{}", first_chars(&body, PROBLEM_MAX)));
            if first_chars(&body, PROBLEM_MAX).len() < body.len() {
                text.push('…');
            }
        }
        text
    }
}

/// Returns the structured content of an answer that has none. Clients refuse a result without it if
/// the tool declares an output schema.
fn nothing(output: Option<&Object>) -> Option<Value> {
    output.map(|schema| fitting(&Value::Null, schema))
}
