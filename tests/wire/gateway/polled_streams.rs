//! Servers over HTTP that end the stream of a response early, and expect the client to resume it
//! (MCP 2025-11-25, "Resumability and Redelivery").

use super::*;

struct PollingUpstream {
    _process: tokio::process::Child,
    url: String,
}

impl PollingUpstream {
    async fn start() -> Self {
        let (process, url) = http_script("polled_streams.py", &[]).await;
        Self {
            _process: process,
            url,
        }
    }

    async fn behind_gateway(&self) -> (Desk, Gateway, Client) {
        let desk = Desk::new();
        let entry = json!({ "url": format!("{}/mcp", self.url), "pd": { "tools": { "endless": { "timeout": 1 } } } });
        let gateway = desk.gateway([("web".to_owned(), entry)]);
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

    /// The times of the resumptions in milliseconds, and the ids of their last events.
    async fn resumed(&self, tool: &str) -> Vec<(f64, String)> {
        let sent = reqwest::Client::new()
            .post(format!("{}/resumed", self.url))
            .body("{}")
            .send()
            .await
            .unwrap();
        let resumed: Value = serde_json::from_str(&sent.text().await.unwrap()).unwrap();
        serde_json::from_value(resumed[tool].clone()).unwrap()
    }
}

#[tokio::test]
async fn a_response_is_fetched_where_its_stream_was_ended_early() {
    let upstream = PollingUpstream::start().await;
    let (_desk, gateway, client) = upstream.behind_gateway().await;
    assert!(
        !upstream.resumed("list").await.is_empty(),
        "the list of tools was resumed, too"
    );
    assert_eq!(
        text(&client.call("web__polled", json!({})).await),
        "polled done"
    );
    let resumed = upstream.resumed("polled").await;
    let ids: Vec<&str> = resumed.iter().map(|(_, id)| id.as_str()).collect();
    assert_eq!(ids, ["polled-0", "polled-1", "polled-2"]);
    for pair in resumed.windows(2) {
        assert!(
            pair[1].0 - pair[0].0 >= 150.0,
            "the server asks for 150 ms: {resumed:?}"
        );
    }
    // Also where the connection broke, and the server is not ready at once.
    assert_eq!(
        text(&client.call("web__broken", json!({})).await),
        "broken done"
    );
    assert_eq!(upstream.resumed("broken").await.len(), 2);
    gateway.stop().await;
}

#[tokio::test]
async fn a_stream_that_cannot_be_resumed_fails_its_call() {
    let upstream = PollingUpstream::start().await;
    let (_desk, gateway, client) = upstream.behind_gateway().await;
    let lost = client.call("web__forgotten", json!({})).await;
    assert!(text(&lost).contains("resuming it had HTTP 400"), "{lost}");
    let lost = client.call("web__ended", json!({})).await;
    assert!(
        text(&lost).contains("the stream ended before the response"),
        "{lost}"
    );
    assert!(upstream.resumed("ended").await.is_empty());
    gateway.stop().await;
}

#[tokio::test]
async fn a_stream_is_resumed_only_while_somebody_waits() {
    let upstream = PollingUpstream::start().await;
    let (_desk, gateway, client) = upstream.behind_gateway().await;
    let lost = client.call("web__endless", json!({})).await;
    assert_eq!(lost["isError"], true, "{lost}");
    let resumed = upstream.resumed("endless").await.len();
    assert!(
        (2..=50).contains(&resumed),
        "at least 20 ms apart: {resumed}"
    );
    sleep(Duration::from_millis(200)).await;
    assert_eq!(
        upstream.resumed("endless").await.len(),
        resumed,
        "nobody waits"
    );
    gateway.stop().await;
}
