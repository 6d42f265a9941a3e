//! The HTTP endpoint without a network: requests go straight into the router.

use axum::{
    Router,
    body::{Body, BodyDataStream},
    extract::Request,
};
use futures::StreamExt;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use pd_runtime::{
    PdServer, Principal,
    serve::{HttpOptions, router},
};
use serde_json::Value;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

/// An endpoint; its sessions end with it.
pub(crate) struct Endpoint(Router);

/// What came back.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Endpoint {
    pub(crate) fn open<S: Send + Sync + 'static>(shared: &PdServer<S>, sessions: bool) -> Self {
        Self::with(shared, &HttpOptions::new().sessions(sessions))
    }

    pub(crate) fn with<S: Send + Sync + 'static>(
        shared: &PdServer<S>,
        options: &HttpOptions,
    ) -> Self {
        Self(router(shared, options, CancellationToken::new()).expect("a router"))
    }

    /// Sends any request as this principal, and reads what comes before all is quiet: a stream may stay open.
    pub(crate) async fn send(
        &self,
        principal: Option<Principal>,
        method: Method,
        headers: Vec<(HeaderName, HeaderValue)>,
        body: Vec<u8>,
    ) -> Reply {
        let mut request = Request::builder()
            .method(method)
            .uri("/mcp")
            .body(Body::from(body))
            .expect("a request");
        request.headers_mut().extend(headers);
        if let Some(principal) = principal {
            request.extensions_mut().insert(principal);
        }
        self.answer(request).await
    }

    /// Sends this to another path than MCP's.
    pub(crate) async fn post(&self, path: &str, body: Vec<u8>) -> Reply {
        self.answer(
            Request::post(path)
                .body(Body::from(body))
                .expect("a request"),
        )
        .await
    }

    async fn answer(&self, request: Request) -> Reply {
        let response = self
            .0
            .clone()
            .oneshot(request)
            .await
            .unwrap_or_else(|never| match never {});
        let (parts, body) = response.into_parts();
        Reply {
            status: parts.status,
            headers: parts.headers,
            body: read(body.into_data_stream()).await,
        }
    }
}

async fn read(mut body: BodyDataStream) -> String {
    let mut text = Vec::new();
    while let Ok(Some(part)) = tokio::time::timeout(Duration::from_millis(10), body.next()).await {
        text.extend(part.expect("a whole body"));
    }
    String::from_utf8(text).expect("the server writes UTF-8")
}

impl Reply {
    /// The JSON-RPC messages in it: all of the body, or the events of a stream.
    pub(crate) fn messages(&self) -> Vec<Value> {
        let data = self
            .body
            .lines()
            .filter_map(|line| line.strip_prefix("data:"));
        let texts = std::iter::once(self.body.as_str()).chain(data);
        texts
            .filter_map(|text| serde_json::from_str(text).ok())
            .collect()
    }
}

/// A header from text that is one.
pub(crate) fn header(name: &str, value: &str) -> (HeaderName, HeaderValue) {
    (
        name.parse().expect("a header's name"),
        value.parse().expect("a header's value"),
    )
}

/// What every client sends.
pub(crate) fn usual_headers() -> Vec<(HeaderName, HeaderValue)> {
    vec![
        header("host", "localhost"),
        header("content-type", "application/json"),
        header("accept", "application/json, text/event-stream"),
    ]
}
