//! Answers that are too large, too slow, compressed, or at another server: each costs bounded time
//! and memory, and no credential leaves.

use crate::{
    front::{Front, TOKEN, until},
    harness::{client::Era, text},
    mock::MockApi,
};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A document whose operations answer as `mocks` says, by their names.
fn document(mocks: &Value) -> Value {
    let answer = json!({ "200": { "description": "Done" } });
    let operation = |name: &str, mock: &Value| json!({ "get": { "operationId": name, "responses": answer, "x-mock": mock } });
    let paths: serde_json::Map<_, _> = mocks
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, mock)| (format!("/{name}"), operation(name, mock)))
        .collect();
    json!({
        "openapi": "3.1.0", "servers": [{ "url": "/v1" }], "paths": paths, "security": [{ "token": [] }, { "query": [] }],
        "components": { "securitySchemes": {
            "token": { "type": "http", "scheme": "bearer" },
            "query": { "type": "apiKey", "in": "query", "name": "api_key" },
        } },
    })
}

async fn front(api: &MockApi, mocks: &Value, pd: Value) -> Front {
    let entry = json!({ "url": format!("{}/v1", api.url), "auth": { "token": TOKEN }, "pd": pd });
    let front = Front::new(&document(mocks), entry).await;
    assert_eq!(front.error(), "");
    front
}

#[tokio::test]
async fn an_endless_answer_ends_at_the_bound_and_its_connection_with_it() {
    let json_head = json!({ "Content-Type": "application/json" });
    let mocks = json!({
        "text": { "endless": 65_536 },
        "json": { "endless": 65_536, "headers": json_head },
        "events": { "endless": 65_536, "headers": { "Content-Type": "text/event-stream" } },
        // It says that there is little.
        "problem": { "endless": 65_536, "status": 500 },
        "fine": { "headers": { "Content-Type": "text/plain" }, "body": "fine" },
    });
    let api = MockApi::start(&document(&mocks)).await;
    let front = front(&api, &mocks, json!({ "responseBytes": 1_000_000 })).await;
    for era in [Era::Session, Era::HttpInline] {
        let client = front.client(era).await;
        for tool in ["text", "json", "events"] {
            let result = client
                .call_described(&format!("api__{tool}"), json!({}))
                .await;
            assert_eq!(result["isError"], true, "{era:?} {tool}: {result}");
            assert!(
                text(&result).contains("1000000 bytes"),
                "{era:?} {tool}: {result}"
            );
        }
        let problem = client.call_described("api__problem", json!({})).await;
        let shown = text(&problem);
        assert!(shown.starts_with("HTTP 500"), "{era:?}: {shown}");
        assert!(shown.len() < 4_000, "{era:?}: {}", shown.len());
        let fine = client.call_described("api__fine", json!({})).await;
        assert_eq!(text(&fine), "fine", "{era:?}: {fine}");
    }
    until("the end of all answers", || api.ended_answers().len() == 8).await;
    // Buffers of both sides hold the rest.
    let most = api.ended_answers().into_iter().max().unwrap();
    assert!(most < 200, "{most}");
    front.gateway.stop().await;
}

#[tokio::test]
async fn a_slow_answer_fails_after_the_time_of_its_entry() {
    let mocks = json!({
        "drip": { "endless": 1, "pause": 0.1 },
        "fine": { "headers": { "Content-Type": "text/plain" }, "body": "fine" },
    });
    let api = MockApi::start(&document(&mocks)).await;
    let front = front(&api, &mocks, json!({ "timeout": 1 })).await;
    let client = front.client(Era::Session).await;
    let began = Instant::now();
    let result = client.call_described("api__drip", json!({})).await;
    assert_eq!(result["isError"], true, "{result}");
    assert!(text(&result).contains("TIMEOUT"), "{result}");
    assert!(
        began.elapsed() < Duration::from_secs(10),
        "{:?}",
        began.elapsed()
    );
    // The request does not go on without its call.
    until("the end of the answer", || api.ended_answers().len() == 1).await;
    let fine = client.call_described("api__fine", json!({})).await;
    assert_eq!(text(&fine), "fine", "{fine}");
    front.gateway.stop().await;
}

/// 10 MiB of zeros in 10 KiB. The gateway asks for no compression, and expands nothing.
#[tokio::test]
async fn a_compressed_answer_is_not_expanded() {
    let head = json!({ "Content-Type": "application/json", "Content-Encoding": "gzip" });
    let mocks = json!({
        "bomb": { "headers": head, "gzipped": 10_485_760 },
        "failed": { "status": 500, "headers": head, "gzipped": 10_485_760 },
        "fine": { "echo": true },
    });
    let api = MockApi::start(&document(&mocks)).await;
    let front = front(&api, &mocks, json!({ "responseBytes": 100_000 })).await;
    let client = front.client(Era::Session).await;
    let echo = client.call_described("api__fine", json!({})).await;
    let asked = &echo["structuredContent"]["headers"]["accept-encoding"];
    assert!(asked.is_null() || asked == "identity", "{echo}");
    let result = client.call_described("api__bomb", json!({})).await;
    assert_eq!(result["isError"], true, "{result}");
    assert!(text(&result).contains("gzip"), "{result}");
    assert!(
        result.to_string().len() < 4_000,
        "{}",
        result.to_string().len()
    );
    let failed = client.call_described("api__failed", json!({})).await;
    assert!(
        text(&failed).starts_with("HTTP 500 Internal Server Error"),
        "{failed}"
    );
    assert!(
        failed.to_string().len() < 4_000,
        "{}",
        failed.to_string().len()
    );
    front.gateway.stop().await;
}

#[tokio::test]
async fn a_redirect_to_another_server_takes_no_credential_along() {
    let other_mocks = json!({ "away": { "echo": true } });
    let other = MockApi::start(&document(&other_mocks)).await;
    let to = |status: u16, target: String| json!({ "status": status, "headers": { "Location": target } });
    // Without a path of its own, so that `TARGET` is the whole of the request's.
    let mut mocks = json!({ "here": to(307, "/v1/fine".to_owned()), "fine": { "echo": true }, "round": to(302, "/v1/round".to_owned()) });
    for status in [301, 302, 303, 307, 308] {
        mocks[format!("a{status}")] = to(status, format!("{}/v1/away", other.url));
    }
    for (name, target) in [
        ("user", "http://me:pass@HOST/v1/fine"),
        ("scheme", "https://HOST/v1/fine"),
        ("file", "file:///etc/passwd"),
        (
            "slashes",
            &*format!("{}/v1/away", other.url.trim_start_matches("http:")),
        ),
    ] {
        mocks[name] = to(302, target.to_owned());
    }
    let api = MockApi::start(&document(&mocks)).await;
    let front = front(&api, &mocks, json!({})).await;
    let client = front.client(Era::Session).await;
    for tool in [
        "a301", "a302", "a303", "a307", "a308", "scheme", "file", "slashes",
    ] {
        let result = client
            .call_described(&format!("api__{tool}"), json!({}))
            .await;
        assert_ne!(result["isError"], true, "{tool}: {result}");
        assert!(
            text(&result).contains("The target was not requested"),
            "{tool}: {result}"
        );
    }
    assert_eq!(other.count(), 0);
    let here = client.call_described("api__here", json!({})).await;
    assert_eq!(here["structuredContent"]["target"], "/v1/fine", "{here}");
    assert_eq!(
        api.last()["headers"]["authorization"],
        format!("Bearer {TOKEN}")
    );
    // The user of a target would be sent in place of the credential.
    client.call_described("api__user", json!({})).await;
    assert_eq!(
        api.last()["headers"]["authorization"],
        format!("Bearer {TOKEN}")
    );
    let round = client.call_described("api__round", json!({})).await;
    assert!(
        text(&round).contains("redirected more than 5 times"),
        "{round}"
    );
    front.gateway.stop().await;
}

/// A client refuses a result without structured content if the tool declares what it has.
#[tokio::test]
async fn a_redirect_of_an_operation_with_an_output_schema_is_a_result_that_clients_take() {
    let mocks =
        json!({ "away": { "status": 302, "headers": { "Location": "http://other.example/x" } } });
    let mut document = document(&mocks);
    document["paths"]["/away"]["get"]["responses"]["200"]["content"] = json!({ "application/json": { "schema": {
        "type": "object", "required": ["id"], "properties": { "id": { "type": "integer" } },
    } } });
    let api = MockApi::start(&document).await;
    let entry = json!({ "url": format!("{}/v1", api.url) });
    let front = Front::new(&document, entry).await;
    let client = front.client(Era::Session).await;
    let described = client.describe("api__away").await;
    let schema = described["api__away"]["outputSchema"].clone();
    assert!(schema.is_object(), "{described}");
    let result = client.call_described("api__away", json!({})).await;
    assert!(text(&result).starts_with("HTTP 302 Found"), "{result}");
    let is_valid = jsonschema::is_valid(&schema, &result["structuredContent"]);
    assert!(result["isError"] == true || is_valid, "{result} {schema}");
    front.gateway.stop().await;
}

#[tokio::test]
async fn an_endless_document_ends_at_its_bound() {
    let mocks = json!({ "doc": { "endless": 1_048_576, "headers": { "Content-Type": "application/json" } } });
    let api = MockApi::start(&document(&mocks)).await;
    let entry = json!({ "openapi": format!("{}/v1/doc", api.url), "url": "https://a.example" });
    let front = Front::new(&json!({}), entry).await;
    assert!(
        front.error().contains("more than 33554432 bytes"),
        "{}",
        front.error()
    );
    until("the end of the answer", || !api.ended_answers().is_empty()).await;
    front.gateway.stop().await;
}
