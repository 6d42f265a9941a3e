//! JSON-RPC by hand over HTTP: any header, any body.

use super::inline_meta;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// To make a client takes milliseconds, for its certificates. It keeps no connection, since each test has a runtime of its own.
static CLIENT: LazyLock<reqwest::Client> = LazyLock::new(|| {
    reqwest::Client::builder()
        .pool_max_idle_per_host(0)
        .build()
        .expect("a client")
});

/// A caller over HTTP.
#[derive(Debug, Clone)]
pub(crate) struct Post {
    url: String,
    bearer: Option<String>,
    session: Option<String>,
    capabilities: Option<Value>,
    headers: Vec<(String, String)>,
}

/// An HTTP status and the JSON-RPC response in the body, `null` where there is none.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) session: Option<String>,
    pub(crate) body: Value,
}

impl Post {
    /// A caller of the legacy generation without a session.
    pub(crate) fn stateless(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            bearer: None,
            session: None,
            capabilities: None,
            headers: Vec::new(),
        }
    }

    /// A caller of 2026-07-28.
    pub(crate) fn inline(url: &str) -> Self {
        Self {
            capabilities: Some(json!({})),
            ..Self::stateless(url)
        }
    }

    /// A caller that opens a session as this principal.
    pub(crate) async fn session(url: &str, bearer: Option<&str>) -> Self {
        Self::session_of(url, bearer, "2025-11-25", json!({})).await
    }

    /// The same, asking for this protocol version with these capabilities.
    pub(crate) async fn session_of(
        url: &str,
        bearer: Option<&str>,
        version: &str,
        capabilities: Value,
    ) -> Self {
        let mut post = Self {
            bearer: bearer.map(str::to_owned),
            ..Self::stateless(url)
        };
        let params = json!({
            "protocolVersion": version,
            "capabilities": capabilities,
            "clientInfo": { "name": "wire", "version": "0" },
        });
        post.session = post.send("initialize", params).await.session;
        assert!(post.session.is_some(), "a session");
        post.deliver(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
            .await;
        post
    }

    /// The same caller as another principal.
    pub(crate) fn bearer(&self, token: &str) -> Self {
        Self {
            bearer: Some(token.to_owned()),
            ..self.clone()
        }
    }

    /// The same caller with these capabilities in every request.
    pub(crate) fn capabilities(&self, capabilities: Value) -> Self {
        Self {
            capabilities: Some(capabilities),
            ..self.clone()
        }
    }

    /// The same caller with one more header.
    pub(crate) fn header(&self, name: &str, value: &str) -> Self {
        let mut headers = self.headers.clone();
        headers.push((name.to_owned(), value.to_owned()));
        Self {
            headers,
            ..self.clone()
        }
    }

    /// The session's id.
    pub(crate) fn session_id(&self) -> &str {
        self.session.as_deref().expect("a session")
    }

    /// The result of a request.
    pub(crate) async fn result(&self, method: &str, params: Value) -> Value {
        let mut answer = self.send(method, params).await;
        assert!(
            answer.body.get("result").is_some(),
            "{method}: {} {}",
            answer.status,
            answer.body
        );
        answer.body["result"].take()
    }

    /// The result of a call.
    pub(crate) async fn call(&self, name: &str, arguments: Value) -> Value {
        self.result(
            "tools/call",
            json!({ "name": name, "arguments": arguments }),
        )
        .await
    }

    /// The descriptions of these tools, by the resource.
    pub(crate) async fn describe(&self, names: &str) -> Value {
        let uri = format!("resource:///tool_descriptions?tools={names}");
        super::told(&self.result("resources/read", json!({ "uri": uri })).await)
    }

    /// Sends a request.
    pub(crate) async fn send(&self, method: &str, mut params: Value) -> Answer {
        if let Some(capabilities) = &self.capabilities {
            let Value::Object(mut meta) = inline_meta(capabilities) else {
                unreachable!()
            };
            if let Some(Value::Object(own)) = params.get("_meta") {
                meta.extend(own.clone());
            }
            params["_meta"] = Value::Object(meta);
        }
        self.deliver(&json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }))
            .await
    }

    /// Sends a notification.
    pub(crate) async fn notify(&self, method: &str, params: Value) {
        self.deliver(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
            .await;
    }

    async fn deliver(&self, message: &Value) -> Answer {
        let version = if self.capabilities.is_some() {
            "2026-07-28"
        } else {
            "2025-11-25"
        };
        let mut request = CLIENT
            .post(&self.url)
            .header("accept", "application/json, text/event-stream")
            .json(message);
        // Which it is to be is not known before.
        if message["method"] != "initialize" {
            request = request.header("mcp-protocol-version", version);
        }
        if self.capabilities.is_some() {
            request = request.header("mcp-method", message["method"].as_str().unwrap_or_default());
            let name = message
                .pointer("/params/name")
                .or_else(|| message.pointer("/params/uri"));
            if let Some(name) = name.and_then(Value::as_str) {
                request = request.header("mcp-name", name);
            }
        }
        if let Some(bearer) = &self.bearer {
            request = request.header("authorization", format!("Bearer {bearer}"));
        }
        if let Some(session) = &self.session {
            request = request.header("mcp-session-id", session);
        }
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let response = request.send().await.expect("an answer");
        let status = response.status().as_u16();
        let session = response
            .headers()
            .get("mcp-session-id")
            .and_then(|id| id.to_str().ok())
            .map(str::to_owned);
        let body = response.text().await.expect("a body");
        Answer {
            status,
            session,
            body: json_rpc(&body),
        }
    }
}

/// A JSON body, or the response among the events of a stream.
fn json_rpc(body: &str) -> Value {
    let data = body.lines().filter_map(|line| line.strip_prefix("data:"));
    let mut messages = std::iter::once(body)
        .chain(data)
        .filter_map(|text| serde_json::from_str::<Value>(text).ok());
    messages
        .find(|message| message.get("id").is_some())
        .unwrap_or_default()
}
