//! The size limit of `initialize`. It is checked before rmcp parses the request, since the parsed
//! form takes many times its bytes.

use crate::{http_sessions::HttpRefusal, protocol::negotiated::handshake::INITIALIZE_MAX};
use http::StatusCode;
use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, Visitor},
};
use std::fmt;

/// Checks the size of a request that may be `initialize`. Small bodies are not parsed.
///
/// # Errors
///
/// Returns the answer to an `initialize` that is too large.
pub(super) fn check(body: &[u8]) -> Result<(), HttpRefusal> {
    if body.len() <= INITIALIZE_MAX || !is_initialize(body) {
        return Ok(());
    }
    let message = format!(
        "this `initialize` has {} bytes, and {INITIALIZE_MAX} bytes are the most that are read; \
         declare fewer capabilities and extensions",
        body.len()
    );
    Err(HttpRefusal::new(StatusCode::PAYLOAD_TOO_LARGE, message))
}

/// Returns whether rmcp may read a body as `initialize`.
pub(super) fn is_initialize(body: &[u8]) -> bool {
    serde_json::from_slice::<MethodProbe>(body).is_ok_and(|method| method.is_initialize)
}

/// Returns whether a body of the size of `initialize` is one. It is asked of every request, so it
/// searches the text before it parses.
pub(super) fn is_small_initialize(body: &[u8]) -> bool {
    body.len() <= INITIALIZE_MAX
        && std::str::from_utf8(body).is_ok_and(|text| text.contains("\"initialize\""))
        && is_initialize(body)
}

/// The method of a message: whether it is `initialize`. Of several `method` members any counts,
/// since parsers differ in which one they use.
struct MethodProbe {
    is_initialize: bool,
}

impl<'de> Deserialize<'de> for MethodProbe {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MethodVisitor)
    }
}

struct MethodVisitor;

impl<'de> Visitor<'de> for MethodVisitor {
    type Value = MethodProbe;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON-RPC message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<MethodProbe, A::Error> {
        let mut is_initialize = false;
        // Visits members without allocating: a derived struct with unknown values would build the
        // whole message.
        while let Some(name) = members.next_key::<MemberName>()? {
            match name {
                MemberName::MethodMember => {
                    is_initialize |= members.next_value::<MethodName>()? == MethodName::Initialize
                }
                MemberName::Other => drop(members.next_value::<IgnoredAny>()?),
            }
        }
        Ok(MethodProbe { is_initialize })
    }
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum MemberName {
    #[serde(rename = "method")]
    MethodMember,
    #[serde(other)]
    Other,
}

#[derive(Deserialize, PartialEq)]
#[serde(field_identifier, rename_all = "lowercase")]
enum MethodName {
    Initialize,
    #[serde(other)]
    Other,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_refused(start: &str) -> bool {
        let body = format!("{start}{}}}", " ".repeat(INITIALIZE_MAX));
        check(body.as_bytes()).is_err()
    }

    #[test]
    fn a_large_initialize_is_refused_however_it_is_written() {
        for initialize in [
            r#"{"method":"initialize""#,
            r#"{"id":{"method":"ping"},"method":"initi\u0061lize","params":{}"#,
            r#"{"m\u0065thod":"initialize""#,
            r#"{"method":"initialize","method":"ping""#,
            r#"{"method":"ping","method":"initialize""#,
        ] {
            assert!(is_refused(initialize), "{initialize}");
        }
        for other in [
            r#"{"method":"ping""#,
            r#"{"params":{"method":"initialize"}"#,
            r#"["method""#,
            r#"{"method":1"#,
        ] {
            assert!(!is_refused(other), "{other}");
        }
        assert!(check(br#"{"method":"initialize"}"#).is_ok());
    }
}
