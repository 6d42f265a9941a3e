//! The HTTP headers of MCP (basic, transports), and the encoding of their values (SEP-2243).

use base64::{Engine, prelude::BASE64_STANDARD};
use http::HeaderName;
use std::borrow::Cow;

/// The session that a request belongs to. Used up to 2025-11-25.
pub const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");

/// The protocol version. Used since 2025-06-18.
pub const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// The method. Used since 2026-07-28.
pub const METHOD: HeaderName = HeaderName::from_static("mcp-method");

/// The target of a request, such as the name of a tool. Used since 2026-07-28.
pub const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// The beginning of the name of a header that repeats an argument. Used since 2026-07-28.
pub const PARAM_PREFIX: &str = "Mcp-Param-";

/// The marks around a Base64 value, for texts that a header cannot carry as they are.
const BASE64: (&str, &str) = ("=?base64?", "?=");

/// Returns the text of a header's value, or `None` if its Base64 is not valid.
pub(crate) fn decode(value: &str) -> Option<Cow<'_, str>> {
    let (before, after) = BASE64;
    match value
        .strip_prefix(before)
        .and_then(|inner| inner.strip_suffix(after))
    {
        // The Base64 may encode bytes that are not UTF-8.
        Some(inner) => String::from_utf8(BASE64_STANDARD.decode(inner).ok()?)
            .ok()
            .map(Cow::Owned),
        None => Some(Cow::Borrowed(value)),
    }
}

/// Returns the value for a text. A text that is not plain ASCII, or that `decode` would take for
/// Base64, becomes Base64.
pub fn encode(text: &str) -> Cow<'_, str> {
    let (before, after) = BASE64;
    // White space at the ends is not part of a field value (RFC 9110, section 5.5).
    let is_plain = text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) && text.trim() == text;
    // A plain text with these marks would be decoded as Base64 by its reader.
    if is_plain && !text.starts_with(before) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("{before}{}{after}", BASE64_STANDARD.encode(text)))
}
