//! Servers over HTTP that forget a session, and refuse it with another status than 404.

use super::*;

pub(super) struct Forgetful {
    _process: tokio::process::Child,
    pub(super) url: String,
}

impl Forgetful {
    pub(super) async fn start(status: u16, body: &str) -> Self {
        let (process, url) = http_script("lost_sessions.py", &[&status.to_string(), body]).await;
        Self {
            _process: process,
            url,
        }
    }

    async fn post(&self, path: &str) -> String {
        let sent = reqwest::Client::new()
            .post(format!("{}{path}", self.url))
            .body("{}")
            .send()
            .await
            .unwrap();
        sent.text().await.unwrap()
    }

    async fn forget_sessions(&self) {
        self.post("/expire").await;
    }

    pub(super) async fn count(&self, what: &str) -> u64 {
        serde_json::from_str::<Value>(&self.post("/counts").await).unwrap()[what]
            .as_u64()
            .unwrap()
    }

    pub(super) async fn behind_gateway(&self, path: &str) -> (Desk, Gateway, Client) {
        let desk = Desk::new();
        let gateway = desk.gateway([(
            "web".to_owned(),
            json!({ "url": format!("{}{path}", self.url) }),
        )]);
        gateway.refresh().await;
        let server = gateway
            .builder()
            .listing(Listing::Full)
            .gate(GateMode::Off)
            .build()
            .unwrap();
        let client = connect(Era::Session, &server).await;
        (desk, gateway, client)
    }
}

const STATUSES: [(u16, &str); 11] = [
    (400, "null_id"),
    (400, "own_id"),
    (400, ""),
    (401, ""),
    (403, "session expired"),
    (404, "own_id"),
    (409, "{}"),
    (410, "Gone"),
    (500, "null_id"),
    (503, ""),
    (200, "own_id"),
];

#[tokio::test]
async fn a_forgotten_session_is_renewed_whatever_the_status() {
    for (status, body) in STATUSES {
        let upstream = Forgetful::start(status, body).await;
        let (_desk, gateway, client) = upstream.behind_gateway("/mcp").await;
        for sessions in 2..5 {
            upstream.forget_sessions().await;
            let result = client.call("web__read", json!({})).await;
            assert_eq!(text(&result), "read done", "{status} {body}: {result}");
            assert_eq!(
                upstream.count("sessions").await,
                sessions,
                "{status} {body}"
            );
        }
        upstream.forget_sessions().await;
        let read = client
            .running
            .peer()
            .read_resource(ReadResourceRequestParams::new("memo://one"))
            .await;
        assert!(read.is_ok(), "{status} {body}: {read:?}");
        assert!(
            gateway.status()[0].last_error.is_none(),
            "{:?}",
            gateway.status()
        );
        gateway.stop().await;
    }
}

/// It may have run if the server failed, so it is reported, and never sent again.
#[tokio::test]
async fn a_write_that_meets_a_forgotten_session_is_reported_once() {
    for (status, body) in STATUSES {
        let upstream = Forgetful::start(status, body).await;
        let (_desk, gateway, client) = upstream.behind_gateway("/mcp").await;
        upstream.forget_sessions().await;
        let result = client.call("web__write", json!({})).await;
        // MCP has a server that answers 404 not look at the request.
        let expected = match status {
            404 => "write done",
            500.. => "it is unknown whether the tool ran",
            _ => "the tool did not run",
        };
        assert!(
            text(&result).contains(expected),
            "{status} {body}: {result}"
        );
        assert!(!text(&result).contains("Send other arguments"), "{result}");
        let result = client.call("web__write", json!({})).await;
        assert_eq!(text(&result), "write done", "{status} {body}: {result}");
        assert_eq!(
            upstream.count("write").await,
            if status == 404 { 2 } else { 1 }
        );
        gateway.stop().await;
    }
}

/// A failure of the request itself must not end the session of other clients.
#[tokio::test]
async fn a_tool_that_always_fails_keeps_the_session() {
    for (status, body) in STATUSES {
        if status == 404 {
            continue;
        }
        let upstream = Forgetful::start(status, body).await;
        let (_desk, gateway, client) = upstream.behind_gateway("/mcp").await;
        for _ in 0..3 {
            let result = client.call("web__broken", json!({})).await;
            assert_eq!(result["isError"], true, "{status}: {result}");
        }
        assert_eq!(
            text(&client.call("web__read", json!({})).await),
            "read done"
        );
        assert_eq!(upstream.count("sessions").await, 1, "{status} {body}");
        gateway.stop().await;
    }
}

/// A refusal with 400 says that the tool did not run. Neither it nor what is renewed after it is counted
/// as a failure of the server.
#[tokio::test]
async fn a_refused_write_did_not_run_and_the_next_lost_session_is_renewed() {
    for (status, body) in STATUSES {
        let upstream = Forgetful::start(status, body).await;
        let (_desk, gateway, client) = upstream.behind_gateway("/mcp").await;
        let refused = client.call("web__refused", json!({})).await;
        assert!(
            text(&refused).contains("the tool did not run"),
            "{status} {body}: {refused}"
        );
        assert_eq!(
            (
                upstream.count("refused").await,
                upstream.count("sessions").await
            ),
            (1, 1),
            "{status} {body}"
        );
        upstream.forget_sessions().await;
        assert_eq!(
            text(&client.call("web__read", json!({})).await),
            "read done",
            "{status} {body}"
        );
        assert!(
            gateway.status()[0].last_error.is_none(),
            "{:?}",
            gateway.status()
        );
        gateway.stop().await;
    }
}

/// A server that does not answer the end of its session must not hold up the end of the gateway.
#[tokio::test]
async fn the_gateway_ends_while_a_server_does_not_answer_delete() {
    let upstream = Forgetful::start(404, "own_id").await;
    let (_desk, gateway, client) = upstream.behind_gateway("/hangs").await;
    assert_eq!(
        text(&client.call("web__read", json!({})).await),
        "read done"
    );
    let began = Instant::now();
    gateway.stop().await;
    assert!(
        began.elapsed() < Duration::from_secs(2),
        "{:?}",
        began.elapsed()
    );
    assert_eq!(upstream.count("deletes").await, 1);
}

#[tokio::test]
async fn calls_at_once_renew_a_forgotten_session_once() {
    let upstream = Forgetful::start(400, "null_id").await;
    let (_desk, gateway, client) = upstream.behind_gateway("/mcp").await;
    upstream.forget_sessions().await;
    let calls = (0..20).map(|_| client.call("web__read", json!({})));
    for result in futures::future::join_all(calls).await {
        assert_eq!(text(&result), "read done", "{result}");
    }
    assert_eq!(upstream.count("sessions").await, 2);
    gateway.stop().await;
}

/// The stream of HTTP+SSE can stay open behind a proxy when the server behind it was restarted.
#[tokio::test]
async fn a_forgotten_session_of_http_and_sse_is_renewed() {
    for status in [400, 404, 503] {
        let upstream = Forgetful::start(status, "").await;
        let (_desk, gateway, client) = upstream.behind_gateway("/sse").await;
        for _ in 0..2 {
            upstream.forget_sessions().await;
            let result = client.call("web__read", json!({})).await;
            assert_eq!(text(&result), "read done", "{status}: {result}");
        }
        gateway.stop().await;
    }
}
