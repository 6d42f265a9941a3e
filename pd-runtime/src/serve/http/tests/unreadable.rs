//! Bodies that are not valid JSON.

use super::{
    super::HttpOptions,
    site::{TestSite, answer, text},
};
use crate::config::Rate;
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

/// The checks of an `initialize` hold for one that must be repaired, too.
#[tokio::test]
async fn a_repaired_initialize_is_checked_and_charged_like_others() {
    let options = HttpOptions {
        initialize_rate: Some(Rate::per_minute(1)),
        ..HttpOptions::default()
    };
    let site = TestSite::open(options);
    let client = site.stranger(Some("alice"));
    let initialize = |name: &str, experimental: &str| {
        let capabilities = format!(r#"{{"experimental":{{{experimental}}}}}"#);
        let info = format!(r#"{{"name":{name},"version":"0"}}"#);
        let params = format!(
            r#"{{"protocolVersion":"2025-11-25","capabilities":{capabilities},"clientInfo":{info}}}"#
        );
        format!(r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{params}}}"#)
    };
    let send = |body: Vec<u8>| site.send(client.request(Method::POST, Body::from(body)));
    let many = (0..20_000).map(|number| format!(r#""x{number}":{{}}"#));
    let many = many.collect::<Vec<_>>().join(",") + ",\"y\":{\"z\":NaN}";
    let large = send(initialize("\"c\"", &many).into_bytes()).await;
    assert_eq!(large.status(), StatusCode::PAYLOAD_TOO_LARGE);
    let mut cut = initialize("\"c?\"", "").into_bytes();
    let place = cut.iter().position(|byte| *byte == b'?').unwrap();
    cut[place] = b'\xff';
    let opened = send(cut.clone()).await;
    assert_eq!(opened.status(), StatusCode::OK);
    let capabilities = answer(opened).await["result"]["capabilities"].take();
    assert!(capabilities.get("experimental").is_none_or(|own| {
        own.as_object()
            .unwrap()
            .keys()
            .all(|key| !key.starts_with("tools."))
    }));
    assert_eq!(send(cut).await.status(), StatusCode::TOO_MANY_REQUESTS);
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
