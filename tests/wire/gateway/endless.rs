//! Lines and events of upstreams that never end.

use super::{
    raw::{RawUpstream, TRANSPORTS},
    *,
};

/// A setting with the smallest bound of messages, so that less has to be sent.
fn small_results() -> Value {
    json!({ "responseBytes": 1_000 })
}

#[tokio::test]
async fn the_stream_outside_of_responses_ends_at_a_line_without_an_end() {
    let part = "x".repeat(1 << 18);
    for (begin, part) in [
        ("data: ", &part),
        (": ", &part),
        ("", &format!("data: {part}\n")),
    ] {
        let fixed = json!({ "session": true, "endless": { "begin": begin, "part": part } });
        let upstream = RawUpstream::with("http", small_results(), &fixed).await;
        until("the end of the stream", || {
            upstream.desk.log("s").contains("closed")
        })
        .await;
        assert_eq!(text(&upstream.call(json!({})).await), "ok", "{begin}");
        // Longer than the first pause before a stream is opened again.
        sleep(Duration::from_millis(1_500)).await;
        assert_eq!(upstream.desk.log("s").matches("closed").count(), 1);
    }
}

#[tokio::test]
async fn a_shared_stream_ends_at_a_line_without_an_end_and_names_the_reason() {
    for transport in TRANSPORTS.into_iter().filter(|name| *name != "http") {
        let upstream = RawUpstream::with(transport, small_results(), &json!({})).await;
        let lines = json!({ "lines": [[["x", 70 << 20]]] });
        let answer = upstream.call(lines).await.to_string();
        assert!(
            answer.contains("it sent 64 MiB without the end of"),
            "{transport}: {answer}"
        );
        assert_eq!(text(&upstream.call(json!({})).await), "ok", "{transport}");
    }
}
