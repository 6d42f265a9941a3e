//! The headers of a plain call: each header that MCP reads occurs once, in the form that most
//! clients send.

use crate::protocol::headers::{METHOD, NAME, SESSION_ID, VERSION};
use http::{
    HeaderMap, HeaderName,
    header::{ACCEPT, CONTENT_TYPE, HOST, ORIGIN},
};
use rmcp::model::{CallToolRequestMethod, ConstString, ProtocolVersion};

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

/// The values that remain to be compared.
pub(super) struct FastPathHead<'a> {
    pub(super) host: &'a str,
    pub(super) name: &'a str,
}

impl<'a> FastPathHead<'a> {
    /// Reads the headers. Returns `None` if rmcp would have to examine them more closely.
    pub(super) fn parse(headers: &'a HeaderMap) -> Option<Self> {
        let is_plain = only(headers, METHOD)? == CallToolRequestMethod::VALUE
            && only(headers, VERSION)? == ProtocolVersion::V_2026_07_28.as_str()
            && only(headers, CONTENT_TYPE)?.eq_ignore_ascii_case(JSON)
            && accepts_both(only(headers, ACCEPT)?)
            // With one of these, rmcp also checks the origin, or looks the session up.
            && !headers.contains_key(ORIGIN)
            && !headers.contains_key(SESSION_ID);
        // `=?base64?…?=` encodes a name that a header cannot contain (SEP-2243).
        let name = only(headers, NAME).filter(|name| is_plain && !name.starts_with("=?"))?;
        Some(Self {
            host: only(headers, HOST)?,
            name,
        })
    }
}

/// Returns the value of a header that occurs exactly once.
fn only(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next().filter(|_| values.next().is_none())?;
    value.to_str().ok()
}

fn accepts_both(value: &str) -> bool {
    // Quoted parameters and weights need a real parser.
    let is_plain = !value.contains(['"', ';']);
    let accepts = |kind: &str| {
        value
            .split(',')
            .any(|one| one.trim().eq_ignore_ascii_case(kind))
    };
    is_plain && accepts(JSON) && accepts(EVENTS)
}

/// The allowed hosts that are plain names, each on any port.
#[derive(Debug)]
pub(in crate::serve::http) struct PlainHosts(Box<[String]>);

impl PlainHosts {
    pub(in crate::serve::http) fn new(allowed: &[String]) -> Self {
        Self(
            allowed
                .iter()
                .filter(|host| !host.is_empty() && host.bytes().all(is_of_a_name))
                .cloned()
                .collect(),
        )
    }

    /// Returns whether a request may certainly name this host. Otherwise rmcp decides.
    pub(super) fn allow(&self, host: &str) -> bool {
        let (name, has_port) = match host.split_once(':') {
            Some((name, port)) => (
                name,
                port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok(),
            ),
            None => (host, true),
        };
        has_port
            && self
                .0
                .iter()
                .any(|allowed| name.eq_ignore_ascii_case(allowed))
    }
}

fn is_of_a_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-')
}
