//! Answers in JSON for a client that accepts no event stream. rmcp answers the requests of a
//! session in event streams only.

use super::{BoxedResponse, BufferedRequest, HttpRefusal};
use axum::body::Bytes;
use futures::StreamExt;
use http::{
    HeaderMap, HeaderValue, Method, StatusCode,
    header::{ACCEPT, CONTENT_TYPE},
};
use http_body_util::{BodyExt, Full, combinators::BoxBody};
use serde::{Deserialize, de::IgnoredAny};
use sse_stream::SseStream;
use std::convert::Infallible;

const EVENTS: &str = "text/event-stream";
const JSON: [&str; 3] = ["application/json", "application/*", "*/*"];

/// The members that distinguish an answer from a notification or a request of the server.
#[derive(Deserialize)]
struct MessageKind {
    method: Option<IgnoredAny>,
    id: Option<IgnoredAny>,
}

/// Returns whether a request's client accepts JSON and does not name event streams. Without the
/// header it accepts anything (RFC 9110, section 12.5.1).
pub(super) fn is_wanted(request: &BufferedRequest) -> bool {
    let headers = request.headers();
    request.method() == Method::POST
        && !accepts(headers, &[EVENTS])
        && (accepts(headers, &JSON) || !headers.contains_key(ACCEPT))
}

/// Replaces the request's `Accept` header with the one that rmcp requires.
pub(super) fn accept_events(headers: &mut HeaderMap) {
    headers.insert(
        ACCEPT,
        HeaderValue::from_static("application/json, text/event-stream"),
    );
}

fn accepts(headers: &HeaderMap, kinds: &[&str]) -> bool {
    let values = headers
        .get_all(ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|range| {
        let mut parts = range.split(';').map(str::trim);
        let kind = parts.next().unwrap_or_default();
        // A weight of zero means "not acceptable" (RFC 9110, section 12.4.2).
        kinds.iter().any(|one| one.eq_ignore_ascii_case(kind)) && !parts.any(is_zero_weight)
    })
}

fn is_zero_weight(parameter: &str) -> bool {
    let weight = parameter
        .strip_prefix("q=")
        .or_else(|| parameter.strip_prefix("Q="));
    weight.and_then(|weight| weight.parse::<f32>().ok()) == Some(0.0)
}

/// Converts an answer in an event stream to plain JSON. Notifications before the answer are
/// dropped, since JSON has no place for them.
pub(super) async fn collect_answer(response: BoxedResponse) -> BoxedResponse {
    if response
        .headers()
        .get(CONTENT_TYPE)
        .is_none_or(|kind| kind != EVENTS)
    {
        return response;
    }
    let (mut head, body) = response.into_parts();
    let Some(answer) = answer_in(body).await else {
        return broken_off();
    };
    head.headers
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    // rmcp sets this header to keep proxies from buffering event streams. A JSON body may be
    // buffered.
    head.headers.remove("x-accel-buffering");
    BoxedResponse::from_parts(head, Full::from(answer).boxed())
}

async fn answer_in(body: BoxBody<Bytes, Infallible>) -> Option<String> {
    let mut events = SseStream::new(body);
    while let Some(Ok(event)) = events.next().await {
        if let Some(answer) = event.data.filter(|data| is_answer(data)) {
            return Some(answer);
        }
    }
    None
}

fn is_answer(data: &str) -> bool {
    serde_json::from_str::<MessageKind>(data)
        .is_ok_and(|message| message.method.is_none() && message.id.is_some())
}

fn broken_off() -> BoxedResponse {
    let message = "the request ended without an answer; it may have run, so check whether it did before you send it again";
    let refusal = HttpRefusal::new(StatusCode::INTERNAL_SERVER_ERROR, message);
    refusal.into_response().map(|body| Full::new(body).boxed())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn wants(accept: &[&str]) -> bool {
        let request = http::Request::post("/mcp");
        let request = accept
            .iter()
            .fold(request, |request, value| request.header(ACCEPT, *value));
        is_wanted(&request.body(Full::default()).unwrap())
    }

    #[test]
    fn json_is_wanted_where_events_are_not_named() {
        for accept in [
            &["application/json"][..],
            &["*/*"],
            &["text/html, */*;q=0.1"],
            &["APPLICATION/*"],
            &[],
        ] {
            assert!(wants(accept), "{accept:?}");
        }
        let zero = ["application/json, text/event-stream;q=0"];
        assert!(wants(&zero));
        for accept in [
            &["application/json, text/event-stream"][..],
            &["application/json", "text/event-stream"],
            &["text/event-stream"],
            &["text/html"],
            &["application/json;q=0"],
            &[""],
        ] {
            assert!(!wants(accept), "{accept:?}");
        }
    }

    #[test]
    fn an_answer_is_told_from_other_messages() {
        assert!(is_answer(
            r#"{"jsonrpc":"2.0","id":1,"result":{"method":"x"}}"#
        ));
        assert!(is_answer(
            r#"{"jsonrpc":"2.0","id":"a","error":{"code":1,"message":""}}"#
        ));
        for other in [
            "",
            r#"{"jsonrpc":"2.0","method":"notifications/progress"}"#,
            r#"{"id":1,"method":"ping"}"#,
        ] {
            assert!(!is_answer(other), "{other}");
        }
    }
}
