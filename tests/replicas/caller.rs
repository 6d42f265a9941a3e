//! A client by hand, which can go to whichever replica it likes.

use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};

/// Requests under way in one session have ids of their own.
static IDS: AtomicU64 = AtomicU64::new(1);

/// A caller with a session, or one of 2026-07-28.
#[derive(Clone)]
pub(crate) struct Caller {
    http: reqwest::Client,
    url: String,
    bearer: Option<String>,
    session: Option<String>,
    extension: bool,
}

/// What became of a request.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Value,
    session: Option<String>,
}

/// What became of a call that was answered.
#[derive(Debug, PartialEq)]
pub(crate) enum Called {
    Ran(String),
    /// The description was not read; here it is.
    Refused(Value),
}

impl Caller {
    /// A caller of 2026-07-28.
    pub(crate) fn inline(url: &str) -> Self {
        Self {
            http: reqwest::Client::new(),
            url: url.to_owned(),
            bearer: None,
            session: None,
            extension: false,
        }
    }

    /// A caller that opens a session as this principal.
    pub(crate) async fn session(url: &str, bearer: Option<&str>) -> Self {
        Self {
            bearer: bearer.map(str::to_owned),
            ..Self::inline(url)
        }
        .opened()
        .await
    }

    /// Tries to open a session as this principal, with parameters of about so many bytes.
    pub(crate) async fn try_session(
        url: &str,
        bearer: Option<&str>,
        bytes: usize,
    ) -> Result<Self, Answer> {
        let caller = Self {
            bearer: bearer.map(str::to_owned),
            ..Self::inline(url)
        };
        let mut initialize = caller.initialize();
        initialize["params"]["clientInfo"]["name"] = "x".repeat(bytes).into();
        let answer = caller.deliver("POST", Some(&initialize)).await;
        match answer.session.clone() {
            Some(session) if answer.status == 200 => Ok(Self {
                session: Some(session),
                ..caller
            }),
            _ => Err(answer),
        }
    }

    /// The same, declaring the extension `dev.pd-runtime/disclosure`.
    pub(crate) async fn session_with_extension(url: &str) -> Self {
        Self {
            extension: true,
            ..Self::inline(url)
        }
        .opened()
        .await
    }

    async fn opened(self) -> Self {
        let answer = self.deliver("POST", Some(&self.initialize())).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        Self {
            session: Some(answer.session.expect("a session")),
            ..self
        }
    }

    fn initialize(&self) -> Value {
        let capabilities = match self.extension {
            true => json!({ "extensions": { "dev.pd-runtime/disclosure": { "version": 1 } } }),
            false => json!({}),
        };
        let client = json!({ "name": "replicas", "version": "0" });
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": client });
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params })
    }

    /// The same caller at another place.
    pub(crate) fn at(&self, url: &str) -> Self {
        Self {
            url: url.to_owned(),
            ..self.clone()
        }
    }

    /// Somebody else who has the session's id.
    pub(crate) fn stolen_by(&self, bearer: Option<&str>) -> Self {
        Self {
            bearer: bearer.map(str::to_owned),
            ..self.clone()
        }
    }

    /// The same with another session's id.
    pub(crate) fn with_session(&self, id: &str) -> Self {
        Self {
            session: Some(id.to_owned()),
            ..self.clone()
        }
    }

    pub(crate) fn session_id(&self) -> &str {
        self.session.as_deref().expect("a session")
    }

    /// Ends the session; says the status.
    pub(crate) async fn delete(&self) -> u16 {
        self.deliver("DELETE", None).await.status
    }

    /// Whether the session's next request finds it.
    pub(crate) async fn status(&self) -> u16 {
        self.send("tools/list", json!({})).await.status
    }

    /// The description of a tool.
    pub(crate) async fn describe(&self, name: &str) -> Value {
        let uri = format!("resource:///tool_descriptions?tools={name}");
        let answer = self.send("resources/read", json!({ "uri": uri })).await;
        let text = answer
            .body
            .pointer("/result/contents/0/text")
            .and_then(Value::as_str);
        let text = text.unwrap_or_else(|| panic!("no description: {answer:?}"));
        serde_json::from_str::<Value>(text).unwrap()[name].take()
    }

    /// A call, which must be answered by a result.
    pub(crate) async fn call(&self, name: &str, arguments: Value) -> Called {
        self.try_call(name, arguments)
            .await
            .unwrap_or_else(|answer| panic!("{answer:?}"))
    }

    /// A call, or what came instead of a result.
    pub(crate) async fn try_call(&self, name: &str, arguments: Value) -> Result<Called, Answer> {
        let answer = self
            .send(
                "tools/call",
                json!({ "name": name, "arguments": arguments }),
            )
            .await;
        let text = answer
            .body
            .pointer("/result/content/0/text")
            .and_then(Value::as_str);
        let Some(text) = text.filter(|_| answer.status == 200).map(str::to_owned) else {
            return Err(answer);
        };
        if answer.body["result"]["isError"] != json!(true) {
            return Ok(Called::Ran(text));
        }
        // Advice follows the error after a blank line.
        let told: Value = serde_json::from_str(text.split("\n\n").next().unwrap()).unwrap();
        match told.pointer("/error/code").and_then(Value::as_str) {
            Some("TOOL_DESCRIPTION_REQUIRED") => {
                Ok(Called::Refused(told["tool_description"].clone()))
            }
            _ => Err(answer),
        }
    }

    pub(crate) async fn send(&self, method: &str, mut params: Value) -> Answer {
        if self.session.is_none() {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "replicas", "version": "0" },
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        let id = IDS.fetch_add(1, Ordering::Relaxed);
        self.deliver(
            "POST",
            Some(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })),
        )
        .await
    }

    async fn deliver(&self, verb: &str, message: Option<&Value>) -> Answer {
        let verb = reqwest::Method::try_from(verb).unwrap();
        let mut request = self
            .http
            .request(verb, &self.url)
            .header("accept", "application/json, text/event-stream");
        if let Some(message) = message {
            request = request.json(message);
        }
        for (name, value) in self.headers(message.unwrap_or(&Value::Null)) {
            request = request.header(name, value);
        }
        let answer = request.send().await.expect("an answer");
        let status = answer.status().as_u16();
        let session = answer
            .headers()
            .get("mcp-session-id")
            .map(|id| id.to_str().unwrap().to_owned());
        Answer {
            status,
            session,
            body: json_rpc(&answer.text().await.expect("a body")),
        }
    }

    fn headers(&self, message: &Value) -> Vec<(&'static str, String)> {
        let mut headers = Vec::new();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        if let Some(bearer) = &self.bearer {
            headers.push(("authorization", format!("Bearer {bearer}")));
        }
        if let Some(session) = &self.session {
            headers.push(("mcp-session-id", session.clone()));
            headers.push(("mcp-protocol-version", "2025-11-25".to_owned()));
        } else if message["method"] != "initialize" {
            headers.push(("mcp-protocol-version", "2026-07-28".to_owned()));
            headers.push(("mcp-method", text(&message["method"])));
            let named = message
                .pointer("/params/name")
                .or_else(|| message.pointer("/params/uri"));
            headers.extend(named.map(|name| ("mcp-name", text(name))));
        }
        headers
    }
}

/// The ticket that a description asks for.
pub(crate) fn ticket(description: &Value) -> Value {
    description
        .pointer("/inputSchema/properties/disclosure_ticket/const")
        .cloned()
        .unwrap_or_default()
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
