//! Messages that cannot be read as JSON. Some can be repaired, as JavaScript's and Python's clients
//! read them. A request that cannot be is answered with the id that is found in it, because it would
//! otherwise wait for ever.
//!
//! pd-gateway scans messages of upstreams for another purpose: they answer requests of its own, with
//! numbers as ids.

use super::repair::repaired;
use rmcp::model::{ClientJsonRpcMessage, ErrorCode, ErrorData, RequestId};
use serde_json::Value;

/// What can be done with a message that was not read.
#[derive(Debug)]
pub(crate) enum UnreadableMessage {
    /// It could be repaired.
    Repaired(Box<ClientJsonRpcMessage>),
    /// It is a request, which gets this error.
    Refused { id: RequestId, error: ErrorData },
}

impl UnreadableMessage {
    /// Reads a message that is not valid, or is not known. Returns `None` if nobody waits for its
    /// answer.
    pub(crate) fn read(text: &[u8]) -> Option<Self> {
        let repaired = repaired(text).and_then(|text| serde_json::from_slice(&text).ok());
        if let Some(message) = repaired {
            return Some(Self::Repaired(Box::new(message)));
        }
        let id = request_id(text)?;
        let error = error(text);
        Some(Self::Refused { id, error })
    }

    /// Reads the beginning of a message that is too long. Returns `None` if it has no id.
    pub(crate) fn read_beginning(text: &[u8]) -> Option<Self> {
        let id = request_id(text)?;
        let error = ErrorData::new(
            ErrorCode::INVALID_REQUEST,
            "the request is longer than this server reads; send less at once",
            None,
        );
        Some(Self::Refused { id, error })
    }
}

/// Returns the id of the request that a text contains, if its top level has an `id` and a `method`.
/// The text may be any bytes.
pub(crate) fn request_id(text: &[u8]) -> Option<RequestId> {
    let mut scanner = Scanner { rest: text };
    let mut id = None;
    let mut has_method = false;
    let mut depth = 0_usize;
    while let Some(byte) = scanner.next() {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let key = scanner.string();
                if depth == 1 && scanner.skip_colon() {
                    match key {
                        b"id" if id.is_none() => id = Some(scanner.value()),
                        b"method" => has_method = true,
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    serde_json::from_slice(id?).ok().filter(|_| has_method)
}

/// Returns the error for such a request: what is wrong with its JSON, or with its form.
pub(crate) fn error(text: &[u8]) -> ErrorData {
    match serde_json::from_slice::<Value>(text) {
        Err(error) => ErrorData::parse_error(
            format!("the request is not valid JSON: {error}. Mend it, and send it again"),
            None,
        ),
        Ok(_) => ErrorData::new(
            ErrorCode::INVALID_REQUEST,
            "the request does not have the form of a JSON-RPC request of MCP",
            None,
        ),
    }
}

/// What is left of a text.
struct Scanner<'a> {
    rest: &'a [u8],
}

impl<'a> Scanner<'a> {
    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    /// Skips a string after its first quotation mark. Returns its contents as they are written.
    fn string(&mut self) -> &'a [u8] {
        let start = self.rest;
        while let Some(byte) = self.next() {
            match byte {
                b'"' => break,
                b'\\' => _ = self.next(),
                _ => {}
            }
        }
        let end = start.len() - self.rest.len();
        start.get(..end.saturating_sub(1)).unwrap_or_default()
    }

    /// Skips a colon, which makes the string before it a key.
    fn skip_colon(&mut self) -> bool {
        self.rest = self.rest.trim_ascii_start();
        match self.rest.strip_prefix(b":") {
            Some(rest) => {
                self.rest = rest.trim_ascii_start();
                true
            }
            None => false,
        }
    }

    /// Skips a string or a number. Returns it as it is written.
    fn value(&mut self) -> &'a [u8] {
        let start = self.rest;
        if let Some(rest) = start.strip_prefix(b"\"") {
            self.rest = rest;
            self.string();
        } else {
            // A part of `1.5` would be the id of another request.
            let number = start
                .iter()
                .take_while(|byte| !byte.is_ascii_whitespace() && !b",]}".contains(byte));
            let len = number.count();
            self.rest = start.get(len..).unwrap_or_default();
        }
        start
            .get(..start.len() - self.rest.len())
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::panic,
        reason = "a test fails by panicking"
    )]

    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_id_of_a_request_is_read_from_what_there_is() {
        for (text, id) in [
            (
                r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"\ud83d"}}"#,
                Some("7"),
            ),
            (
                r#"{"params":{"id":1,"method":"x","a":[NaN]},"method":"ping","id":"a\"b"}"#,
                Some("a\"b"),
            ),
            (
                r#" { "id" : -3 , "method" : "tools/call", "params": {"name"#,
                Some("-3"),
            ),
            (r#"{"id":7,"result":{"a":"\ud83d"}}"#, None),
            (
                r#"{"method":"notifications/x","params":{"id":"\ud83d"}}"#,
                None,
            ),
            (r#"[{"id":7,"method":"ping","a":NaN}]"#, None),
            (r#"{"id":1.5,"method":"ping","a":NaN}"#, None),
            (r#"{"id":1e3,"method":"ping","a":NaN}"#, Some("1000")),
            (r#"{"id":null,"method":"ping","a":NaN}"#, None),
            (r#""id":7,"method":"ping""#, None),
            ("nonsense", None),
            ("", None),
        ] {
            let found = request_id(text.as_bytes()).map(|id| id.to_string());
            assert_eq!(found.as_deref(), id, "{text}");
        }
        let deep = format!(
            r#"{{"id":7,"params":{}1{},"method":"x"}}"#,
            "[".repeat(999),
            "]".repeat(999)
        );
        assert_eq!(request_id(deep.as_bytes()), Some(RequestId::Number(7)));
        assert_eq!(
            request_id(b"{\"id\":7,\"method\":\"x\",\"a\":\"\xff\"}"),
            Some(RequestId::Number(7))
        );
    }

    #[test]
    fn the_error_has_the_reason() {
        let error = error(br#"{"a":01}"#);
        assert_eq!(error.code, ErrorCode::PARSE_ERROR);
        assert!(error.message.contains("invalid number"), "{error:?}");
        assert_eq!(super::error(b"{}").code, ErrorCode::INVALID_REQUEST);
    }

    #[test]
    fn what_other_servers_read_is_repaired() {
        let call = |a: &str| {
            let params = format!(r#"{{"name":"t","arguments":{{"a":{a}}}}}"#);
            format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{params}}}"#)
        };
        for (sent, read) in [
            (r#""x\ud83d""#, "\"x\u{fffd}\""),
            ("NaN", "null"),
            ("-1e999", "null"),
        ] {
            let Some(UnreadableMessage::Repaired(message)) =
                UnreadableMessage::read(call(sent).as_bytes())
            else {
                panic!("{sent}");
            };
            let expected: Value = serde_json::from_str(&call(read)).unwrap();
            assert_eq!(serde_json::to_value(&*message).unwrap(), expected, "{sent}");
        }
        assert!(UnreadableMessage::read(b"NaN").is_none());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_to_their_end(text in prop::collection::vec(prop::sample::select(b"{}[]\":\\,id7method ".to_vec()), 0..40)) {
            let _ = request_id(&text);
        }
    }
}
