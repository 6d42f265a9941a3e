//! Makes a request's span a child of the client's span, for OpenTelemetry (feature `otel`).

use super::trace_context::{TRACEPARENT, TraceParent, header};
use opentelemetry::{
    Context, KeyValue,
    baggage::BaggageExt,
    trace::{SpanContext, SpanId, TraceContextExt, TraceFlags, TraceId, TraceState},
};
use pd_schema::percent;
use rmcp::{RoleServer, service::RequestContext};
use serde_json::Value;
use std::str::FromStr;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

const TRACESTATE: &str = "tracestate";
const BAGGAGE: &str = "baggage";
/// The limits, in members and bytes, up to which the W3C recommendations require every party to
/// propagate state and baggage. More is not taken.
const STATE_MAX: (usize, usize) = (32, 512);
const BAGGAGE_MAX: (usize, usize) = (64, 8_192);

/// Makes the span a child of the span that the client sent. This has no effect without an
/// OpenTelemetry layer.
pub(super) fn adopt(span: &Span, parent: &TraceParent, context: &RequestContext<RoleServer>) {
    let (Ok(trace), Ok(id)) = (
        TraceId::from_hex(parent.trace_id()),
        SpanId::from_hex(parent.parent_id()),
    ) else {
        return;
    };
    let state = beside(context, TRACESTATE).filter(|state| fits(state, STATE_MAX));
    // A malformed state does not affect the parent (W3C Trace Context, section 3.3).
    let state = state
        .and_then(|state| TraceState::from_str(state).ok())
        .unwrap_or_default();
    // `true` marks the parent as a span of another process.
    let remote = SpanContext::new(trace, id, TraceFlags::new(parent.flags), true, state);
    let baggage = beside(context, BAGGAGE)
        .filter(|text| fits(text, BAGGAGE_MAX))
        .unwrap_or_default();
    let parent = Context::new()
        .with_remote_span_context(remote)
        .with_baggage(members(baggage));
    // An error means that no OpenTelemetry layer is installed, which is legitimate.
    let _ = span.set_parent(parent);
}

/// Returns a value from the place of the parent, so that the context does not come half from
/// `_meta` and half from headers.
fn beside<'a>(context: &'a RequestContext<RoleServer>, name: &str) -> Option<&'a str> {
    match context.meta.contains_key(TRACEPARENT) {
        true => context.meta.get(name).and_then(Value::as_str),
        false => header(context, name),
    }
}

fn fits(text: &str, (members, bytes): (usize, usize)) -> bool {
    text.len() <= bytes && text.split(',').count() <= members
}

/// Returns the members of a baggage (W3C Baggage, section 3.3), without malformed ones and without
/// properties.
fn members(baggage: &str) -> Vec<KeyValue> {
    baggage
        .split(',')
        .filter_map(|member| {
            let (key, value) = member.split(';').next()?.split_once('=')?;
            let key = key.trim();
            let value = value.trim();
            let is_token = !key.is_empty() && key.bytes().all(is_token);
            is_token.then(|| {
                Some(KeyValue::new(
                    key.to_owned(),
                    percent::decode(value)?.into_owned(),
                ))
            })?
        })
        .collect()
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn baggage_is_read_member_by_member() {
        let parsed = |text: &str| {
            members(text)
                .iter()
                .map(|member| format!("{}={}", member.key, member.value))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            parsed("userId=alice, node=DF%2028;secure ,x="),
            ["userId=alice", "node=DF 28", "x="]
        );
        assert_eq!(parsed("no value,=x,a b=c,ok=1%"), ["ok=1%"]);
        assert_eq!(parsed("bad=%ff"), Vec::<String>::new());
        assert_eq!(parsed(""), Vec::<String>::new());
    }

    #[test]
    fn what_is_oversized_is_left_alone() {
        assert!(fits("a=1,b=2", STATE_MAX));
        assert!(!fits(&"a=1,".repeat(33), STATE_MAX));
        assert!(!fits(&"a".repeat(513), STATE_MAX));
    }
}
