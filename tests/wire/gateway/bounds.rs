//! The bounds of messages: their bytes, the memory of their values, and the log lines that they cause.

use super::{raw::RawUpstream, *};

const MIB: usize = 1 << 20;

/// A result whose text has so many bytes.
fn text_of(bytes: usize) -> Value {
    json!([
        r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":""#,
        ["x", bytes],
        r#""}]}}"#
    ])
}

#[tokio::test]
async fn an_entry_sets_its_own_limit_on_results() {
    let upstream = RawUpstream::with("stdio", json!({ "responseBytes": 1000 }), &json!({})).await;
    assert_eq!(
        text(&upstream.call(json!({ "lines": [text_of(900)] })).await).len(),
        900
    );
    for bytes in [1_001, 5 * MIB] {
        let answer = upstream.call(json!({ "lines": [text_of(bytes)] })).await;
        assert!(
            text(&answer).contains("RESPONSE_TOO_LARGE"),
            "{answer:.300}"
        );
    }
}

/// The id may be the last member, behind all that is not kept.
#[tokio::test]
async fn a_message_over_the_bound_settles_its_own_call_alone() {
    for transport in ["stdio", "sse"] {
        let upstream =
            RawUpstream::with(transport, json!({ "responseBytes": 1000 }), &json!({})).await;
        let long = json!([
            r#"{"result":{"id":1,"t":""#,
            ["x", 6 * MIB],
            r#""},"id":$ID}"#
        ]);
        let slow = json!({ "wait": 0.5, "lines": [text_of(10)] });
        let (long, other) = tokio::join!(
            upstream.call(json!({ "lines": [long] })),
            upstream.call(slow)
        );
        assert!(
            text(&long).contains("RESPONSE_TOO_LARGE"),
            "{transport}: {long}"
        );
        assert_eq!(text(&other).len(), 10, "{transport}");
    }
}

#[tokio::test]
async fn a_list_that_takes_too_much_memory_is_cut() {
    let schema = r#""inputSchema":{"type":"object"}"#;
    let tool = format!(r#"{{"name":"t","description":"d",{schema}}},"#);
    let large = json!([
        r#"{"name":"u","description":""#,
        ["x", 3 * MIB],
        format!(r#"",{schema}}}"#)
    ]);
    let mut list = vec![
        json!(r#"{"jsonrpc":"2.0","id":$ID,"result":{"tools":["#),
        json!(tool),
    ];
    for _ in 0..8 {
        list.extend(large.as_array().unwrap().iter().cloned());
        list.push(json!(","));
    }
    list.extend(large.as_array().unwrap().iter().cloned());
    list.push(json!("],\"nextCursor\":\"more\"}}"));
    let upstream = RawUpstream::with("http", json!({}), &json!({ "tools/list": [list] })).await;
    let status = upstream.gateway.status().remove(0);
    assert!((1..=12).contains(&status.tools), "{}", status.tools);
}
