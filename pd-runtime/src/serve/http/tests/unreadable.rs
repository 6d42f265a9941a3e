//! Bodies that are not valid JSON.

use super::{
    super::HttpOptions,
    site::{TestSite, answer, text},
};
use axum::body::Body;
use http::{Method, StatusCode};
use serde_json::Value;

#[tokio::test]
async fn an_unreadable_body_is_an_error_with_the_id_of_its_request() {
    let site = TestSite::open(HttpOptions::default());
    let call = r#"{"jsonrpc":"2.0","id":20,"method":"tools/call","params":{"name":"none","arguments":{"a":"#;
    for client in [site.session(None).await, site.stranger(None)] {
        for (body, id, code) in [
            (format!("{call}01}}}}}}"), Value::from(20), -32700),
            (format!("{call}\"\t\"}}}}}}"), Value::from(20), -32700),
            (call.to_owned(), Value::from(20), -32700),
            ("nonsense".to_owned(), Value::Null, -32700),
            (
                r#"{"jsonrpc":"2.0","id":7}"#.to_owned(),
                Value::Null,
                -32600,
            ),
        ] {
            let sent = client.request(Method::POST, Body::from(body.clone()));
            let response = site.send(sent).await;
            assert_eq!(response.status(), StatusCode::BAD_REQUEST, "{body}");
            assert_eq!(response.headers()["content-type"], "application/json");
            let error = answer(response).await;
            assert_eq!(error["error"]["code"], code, "{body}: {error}");
            assert_eq!(error["id"], id, "{body}: {error}");
        }
    }
}

/// As other servers read it. Here, the repaired call names no tool.
#[tokio::test]
async fn a_body_is_repaired() {
    let site = TestSite::open(HttpOptions::default());
    let call = r#"{"jsonrpc":"2.0","id":20,"method":"tools/call","params":{"name":"none","arguments":{"a":"#;
    let client = site.session(None).await;
    for value in [&br#""\ud83d""#[..], b"NaN", b"\"\xff\""] {
        let body = [call.as_bytes(), value, b"}}}"].concat();
        let response = site
            .send(client.request(Method::POST, Body::from(body)))
            .await;
        let status = response.status();
        let error = answer(response).await;
        assert_eq!(error["id"], 20, "{status} {error}");
        assert_ne!(error["error"]["code"], -32700, "{status} {error}");
    }
}

#[tokio::test]
async fn a_body_of_another_type_is_refused_as_before() {
    let site = TestSite::open(HttpOptions::default());
    let client = site.session(None).await;
    let mut sent = client.request(Method::POST, Body::from("{}"));
    sent.headers_mut()
        .insert("content-type", "text/plain".parse().unwrap());
    let response = site.send(sent).await;
    assert_eq!(response.status(), StatusCode::UNSUPPORTED_MEDIA_TYPE);
    assert!(text(response).await.contains("Content-Type"));
}
