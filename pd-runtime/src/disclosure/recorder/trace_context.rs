//! W3C Trace Context, from a request's `_meta` (SEP-414) or, over HTTP, from the header of the same
//! name.

use rmcp::{RoleServer, service::RequestContext};

pub(super) const TRACEPARENT: &str = "traceparent";

/// The length of a version 00 value: `00-<trace id>-<parent id>-<flags>`.
const LENGTH: usize = 55;
/// The most bytes of a later version's value, which may have more fields after these.
const LENGTH_MAX: usize = 256;

/// The parent of a request's span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TraceParent {
    trace_id: Box<str>,
    parent_id: Box<str>,
    #[cfg_attr(
        not(feature = "otel"),
        allow(dead_code, reason = "a span that is no child needs no flags")
    )]
    pub(super) flags: u8,
}

impl TraceParent {
    /// Reads the parent from `_meta`, or otherwise from the header: one connection may carry
    /// requests of many traces. An invalid value in `_meta` counts as none, without a fallback to
    /// the header.
    pub(super) fn from_request(context: &RequestContext<RoleServer>) -> Option<Self> {
        match context.meta.get(TRACEPARENT) {
            Some(value) => Self::parse(value.as_str()?),
            None => Self::parse(header(context, TRACEPARENT)?),
        }
    }

    /// Parses the value as strictly as the recommendation requires (W3C Trace Context, section
    /// 3.2.2): lower-case digits, ids that are not zero, nothing after version 00.
    fn parse(text: &str) -> Option<Self> {
        // Splitting at a byte offset panics inside a character, so only ASCII passes.
        if !text.is_ascii() || text.len() < LENGTH || text.len() > LENGTH_MAX {
            return None;
        }
        let (known, rest) = text.split_at(LENGTH);
        let mut parts = known.split('-');
        let mut part = |digits| {
            parts
                .next()
                .filter(|part| part.len() == digits && is_hex(part))
        };
        let version = part(2)?;
        let trace_id = part(32)?;
        let parent_id = part(16)?;
        let flags = part(2)?;
        // Version `ff` is forbidden. A later version may append fields after a dash, which are
        // ignored.
        let is_whole = match version {
            "ff" => false,
            "00" => rest.is_empty(),
            _ => rest.is_empty() || rest.starts_with('-'),
        };
        if !is_whole || is_zero(trace_id) || is_zero(parent_id) {
            return None;
        }
        let flags = u8::from_str_radix(flags, 16).ok()?;
        Some(Self {
            trace_id: trace_id.into(),
            parent_id: parent_id.into(),
            flags,
        })
    }

    pub(super) fn trace_id(&self) -> &str {
        &self.trace_id
    }

    pub(super) fn parent_id(&self) -> &str {
        &self.parent_id
    }
}

/// Returns an HTTP header of the request, if it came over HTTP and has the header exactly once.
pub(super) fn header<'a>(context: &'a RequestContext<RoleServer>, name: &str) -> Option<&'a str> {
    let parts = context.extensions.get::<http::request::Parts>()?;
    let mut values = parts.headers.get_all(name).into_iter();
    let only = values.next().filter(|_| values.next().is_none())?;
    only.to_str().ok()
}

fn is_hex(text: &str) -> bool {
    text.bytes()
        .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_zero(id: &str) -> bool {
    id.bytes().all(|byte| byte == b'0')
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    const PARENT: &str = "00f067aa0ba902b7";

    #[test]
    fn what_the_recommendation_allows_is_read() {
        for (text, flags) in [
            (format!("00-{TRACE}-{PARENT}-01"), 1),
            (format!("00-{TRACE}-{PARENT}-00"), 0),
            (format!("00-{TRACE}-{PARENT}-ff"), 0xff),
            (format!("01-{TRACE}-{PARENT}-01"), 1),
            (format!("fe-{TRACE}-{PARENT}-01-what-comes-later"), 1),
        ] {
            let read = TraceParent::parse(&text);
            let expected = TraceParent {
                trace_id: TRACE.into(),
                parent_id: PARENT.into(),
                flags,
            };
            assert_eq!(read, Some(expected), "{text}");
        }
    }

    #[test]
    fn whatever_else_is_none() {
        let zeros = "0".repeat(32);
        for text in [
            String::new(),
            "00".to_owned(),
            format!("00-{TRACE}-{PARENT}"),
            format!("00-{TRACE}-{PARENT}-"),
            format!("00-{TRACE}-{PARENT}-1"),
            format!("00-{TRACE}-{PARENT}-0g"),
            format!("00-{TRACE}-{PARENT}-01-"),
            format!("00-{TRACE}-{PARENT}-01-more"),
            format!("00-{TRACE}-{PARENT}-011"),
            format!("ff-{TRACE}-{PARENT}-01"),
            format!("0-{TRACE}-{PARENT}-01"),
            format!("000-{TRACE}-{PARENT}-1"),
            format!("01-{TRACE}-{PARENT}-01.more"),
            format!("01-{TRACE}-{PARENT}-01-{}", "x".repeat(300)),
            format!("00-{zeros}-{PARENT}-01"),
            format!("00-{TRACE}-0000000000000000-01"),
            format!("00-{}-{PARENT}-01", TRACE.to_uppercase()),
            format!("00-{TRACE}-{}-01", PARENT.to_uppercase()),
            format!("00_{TRACE}_{PARENT}_01"),
            format!("00-{}-{PARENT}-01", &TRACE[1..]),
            format!("00-{TRACE}{PARENT}--01"),
            format!(" 00-{TRACE}-{PARENT}-01"),
            format!("00-{TRACE}-{PARENT}-01 "),
            format!("00-{}é-{PARENT}-01", &TRACE[2..]),
        ] {
            assert_eq!(TraceParent::parse(&text), None, "{text}");
        }
    }
}
