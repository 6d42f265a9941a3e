//! Messages that cannot be read, or that answer no request by their id: each call is settled at once.

use super::{
    raw::{RawUpstream, TRANSPORTS},
    *,
};

fn result(id: &str, text: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":"{text}"}}]}}}}"#
    )
}

#[tokio::test]
async fn what_other_clients_read_is_read() {
    for transport in TRANSPORTS {
        let upstream = RawUpstream::open(transport).await;
        for (sent, expected) in [
            (r"a\ud800b", "a\u{fffd}b"),
            (r"\uDE00", "\u{fffd}"),
            (r"x\uD83D", "x\u{fffd}"),
            (r"\ud83d\ude00 \\ud83d", "\u{1f600} \\ud83d"),
            ("a\u{ff}b", "a\u{fffd}b"),
        ] {
            let lines = json!({ "lines": [result("$ID", sent)] });
            assert_eq!(text(&upstream.call(lines).await), expected, "{transport}");
        }
        let key = upstream
            .result(r#"{"content":[],"structuredContent":{"k\ud83d":[NaN,-Infinity,1e400,1.5]}}"#)
            .await;
        assert_eq!(
            key["structuredContent"],
            json!({ "k\u{fffd}": [null, null, null, 1.5] }),
            "{transport}"
        );
        let id = upstream
            .call(json!({ "lines": [format!("\u{ef}\u{bb}\u{bf}{}", result("\"$ID\"", "ok"))] }))
            .await;
        assert_eq!(
            text(&id),
            "ok",
            "{transport}: a byte order mark, and the id as a text"
        );
    }
}

#[tokio::test]
async fn a_message_that_cannot_be_read_fails_its_call_at_once() {
    let deep = format!(
        r#"{{"jsonrpc":"2.0","result":{}{},"id":$ID}}"#,
        "[".repeat(200),
        "]".repeat(200)
    );
    for transport in TRANSPORTS {
        let upstream = RawUpstream::open(transport).await;
        for (lines, reason) in [
            (vec![result("$ID", "a\u{1}b")], "control character"),
            (
                vec![r#"{"result":{"id":1,"content":[],},"id":$ID}"#.to_owned()],
                "trailing comma",
            ),
            (
                vec![r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"te"#.to_owned()],
                "EOF while parsing",
            ),
            (vec![deep.clone()], "nested over 128 deep"),
            (
                vec![r#"{"jsonrpc":"2.0","id":$ID,"result":{"n":nan}}"#.to_owned()],
                "cannot be read",
            ),
            (
                vec![r#"{"jsonrpc":"2.0","result":{"n":nan}"#.to_owned()],
                "cannot be read",
            ),
            (
                vec![r#"{"jsonrpc":"2.0","id":$ID}"#.to_owned()],
                "no result and no error",
            ),
        ] {
            let answer = upstream.call(json!({ "lines": lines })).await;
            assert!(
                answer.to_string().contains(reason),
                "{transport}: {reason}: {answer}"
            );
        }
        assert_eq!(text(&upstream.call(json!({})).await), "ok", "{transport}");
    }
}

#[tokio::test]
async fn a_message_over_several_lines_fails_its_call_at_once() {
    let upstream = RawUpstream::open("stdio").await;
    for lines in [
        json!([
            "{",
            "  \"jsonrpc\": \"2.0\",",
            "  \"id\": $ID,",
            "  \"result\": {",
            "    \"content\": []",
            "  }",
            "}"
        ]),
        json!([
            "{",
            "\"result\": {\"content\": [",
            "{}",
            "]},",
            "\"id\": $ID",
            "}"
        ]),
        json!([
            r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"a"#,
            r#"b"}]}}"#
        ]),
    ] {
        let answer = upstream.call(json!({ "lines": lines })).await;
        assert_eq!(answer["isError"], true, "{answer}");
    }
    assert_eq!(text(&upstream.call(json!({})).await), "ok");
    assert!(upstream.gateway.status()[0].is_running);
}

#[tokio::test]
async fn banners_and_lines_of_logs_settle_nothing() {
    let upstream = RawUpstream::open("stdio").await;
    let noise = [
        "starting",
        "{ not json",
        r#"{"level":"error","error":"disk full","id":$ID}"#,
        r#"{"level":"info","id":$ID,"n":nan}"#,
        r#"{"error":"disk full"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/x","params":nan}"#,
        "{",
        "[]",
        "42",
        "",
    ];
    let mut lines: Vec<String> = noise.map(str::to_owned).into();
    lines.push(result("$ID", "ok"));
    assert_eq!(text(&upstream.call(json!({ "lines": lines })).await), "ok");
}

#[tokio::test]
async fn a_body_settles_its_request_whatever_its_id() {
    let upstream = RawUpstream::open("http").await;
    for (body, reason) in [
        (
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#,
            "Parse error",
        ),
        (
            r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}"#,
            "Parse error",
        ),
        (
            r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Bad Request"}}"#,
            "Bad Request",
        ),
        (
            r#"{"jsonrpc":"2.0","id":999999,"error":{"code":-32600,"message":"Bad Request"}}"#,
            "Bad Request",
        ),
        (r#"{"error":"rate limited"}"#, "rate limited"),
        (r#"{"jsonrpc":"2.0","id":999999,"result":{}}"#, "another id"),
        (r#"{"jsonrpc":"2.0","id":null,"result":{}}"#, "another id"),
        (r#"{"detail":"rate limited"}"#, "rate limited"),
        (
            r#"{"jsonrpc":"2.0","method":"notifications/x"}"#,
            "none to this request",
        ),
        ("[]", "none to this request"),
        (r#""busy""#, "busy"),
        ("42", "42"),
        ("<html>sorry</html>", "an HTML page in place of a message"),
        ("", "without a body"),
    ] {
        for kind in ["application/json", "text/event-stream"] {
            if kind != "application/json" && !body.starts_with('{') {
                continue;
            }
            let answer = upstream.call(json!({ "body": body, "type": kind })).await;
            assert!(
                answer.to_string().contains(reason),
                "{kind}: {body}: {answer}"
            );
        }
    }
    let body = result("\"$ID\"", "ok");
    assert_eq!(
        text(&upstream.call(json!({ "body": body })).await),
        "ok",
        "the id as a text"
    );
    let batch = format!("[{}]", result("$ID", "ok"));
    assert_eq!(
        text(&upstream.call(json!({ "body": batch })).await),
        "ok",
        "a batch"
    );
}

#[tokio::test]
async fn a_stream_settles_its_request_when_it_ends_or_answers_another() {
    let upstream = RawUpstream::open("http").await;
    for (lines, reason) in [
        (json!([]), "ended before the response"),
        (
            json!(["garbage", r#"{"detail":"x"}"#]),
            "ended before the response",
        ),
        (
            json!([r#"{"jsonrpc":"2.0","id":999999,"result":{}}"#]),
            "another id",
        ),
        (
            json!([r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"boom"}}"#]),
            "boom",
        ),
    ] {
        let answer = upstream.call(json!({ "lines": lines })).await;
        assert!(answer.to_string().contains(reason), "{lines}: {answer}");
    }
}

#[tokio::test]
async fn an_error_without_an_id_settles_the_only_open_request() {
    for transport in ["stdio", "sse"] {
        let upstream = RawUpstream::open(transport).await;
        for error in [
            r#"{"code":-32700,"message":"Parse error"}"#,
            r#""Parse error""#,
        ] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":null,"error":{error}}}"#);
            let answer = upstream.call(json!({ "lines": [line] })).await;
            assert!(
                answer.to_string().contains("Parse error"),
                "{transport}: {answer}"
            );
        }
    }
    let upstream = RawUpstream::open("stdio").await;
    let late = json!({ "wait": 0.5, "lines": [result("$ID", "late")] });
    let line = r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"whose"}}"#;
    let two = json!({ "lines": [line, result("$ID", "soon")] });
    let (late, soon) = tokio::join!(upstream.call(late), upstream.call(two));
    assert_eq!((text(&late), text(&soon)), ("late", "soon"), "two are open");
}

/// A client that cannot read the answer to its handshake would wait for the longest start.
#[tokio::test]
async fn a_handshake_that_cannot_be_read_fails_at_once() {
    let cases = [
        (
            "stdio",
            r#"{"jsonrpc":"2.0","id":$ID,"result":{"protocolVersion":nan}}"#,
            "cannot be read",
        ),
        ("http", r#"{"detail":"closed"}"#, "closed"),
        (
            "http",
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"closed"}}"#,
            "closed",
        ),
    ];
    for (transport, line, reason) in cases {
        let began = Instant::now();
        let fixed = json!({ "server/discover": [line], "initialize": [line] });
        let upstream = RawUpstream::with(transport, json!({}), &fixed).await;
        let error = upstream.gateway.status()[0]
            .last_error
            .clone()
            .unwrap_or_default();
        assert!(
            error.contains(reason) && began.elapsed() < Duration::from_secs(8),
            "{line}: {error}"
        );
    }
}

#[tokio::test]
async fn half_an_emoji_in_a_list_loses_nothing() {
    let tools = r#"[{"name":"a","description":"half \ud83d","inputSchema":{"type":"object"}},{"name":"b","inputSchema":{"type":"object"}}]"#;
    let list = format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{{"tools":{tools}}}}}"#);
    for transport in TRANSPORTS {
        let upstream =
            RawUpstream::with(transport, json!({}), &json!({ "tools/list": [list] })).await;
        assert_eq!(
            upstream.gateway.status()[0].tools,
            2,
            "{transport}: {:?}",
            upstream.gateway.status()
        );
        let listed = upstream.client.list().await;
        assert_eq!(
            listed["tools"][0]["description"], "half \u{fffd}",
            "{transport}: {listed}"
        );
    }
}

/// Other arguments change nothing for a server that does not answer.
#[tokio::test]
async fn a_server_that_gives_no_answer_twice_is_no_reason_for_other_arguments() {
    let upstream = RawUpstream::open("stdio").await;
    for _ in 0..2 {
        let lines = json!({ "lines": [r#"{"jsonrpc":"2.0","id":$ID,"result":{"n":nan}}"#] });
        let answer = upstream.call(lines).await.to_string();
        assert!(answer.contains("UPSTREAM_LOST_CALL"), "{answer}");
        assert!(!answer.contains("Send other arguments"), "{answer}");
    }
}
