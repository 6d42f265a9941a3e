//! MCP over such a connection, by hand: a client is a session's id or nothing at all, so that ten thousand cost little.

use super::{
    Failure,
    connection::{Answer, Connection},
};
use http::{
    HeaderMap, HeaderName, HeaderValue, Method,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE},
};
use hyper::body::Incoming;
use serde_json::{Value, json};

const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// Which protocol generation a client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// 2025-11-25, with a session.
    Session,
    /// 2026-07-28, where every request carries its own metadata.
    Inline,
}

/// A client; its requests may go over any connection.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    era: Era,
    session: Option<HeaderValue>,
    bearer: Option<HeaderValue>,
    next_id: u64,
}

impl Client {
    /// A client of this generation: one of the session era opens its session. With `bearer`, it says who it is.
    ///
    /// # Errors
    ///
    /// The server opens no session.
    pub(crate) async fn open(
        era: Era,
        bearer: Option<&str>,
        connection: &mut Connection,
    ) -> Result<Self, Failure> {
        let bearer = bearer
            .map(|token| format!("Bearer {token}").parse())
            .transpose()?;
        let mut client = Self {
            era,
            session: None,
            bearer,
            next_id: 1,
        };
        if era == Era::Session {
            client.initialize(connection).await?;
        }
        Ok(client)
    }

    async fn initialize(&mut self, connection: &mut Connection) -> Result<(), Failure> {
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "bench", "version": "0" },
        });
        let opened = self.send("initialize", params, connection).await?;
        opened.text()?;
        self.session = Some(opened.session.ok_or("`initialize` opened no session")?);
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let headers = self.headers("notifications/initialized", None)?;
        connection
            .send(Method::POST, headers, initialized.to_string())
            .await?
            .text()?;
        Ok(())
    }

    /// The description of a tool, as a text.
    ///
    /// # Errors
    ///
    /// The request failed.
    pub(crate) async fn describe(
        &mut self,
        tool: &str,
        connection: &mut Connection,
    ) -> Result<String, Failure> {
        let uri = format!("resource:///tool_descriptions?tools={tool}");
        let result = self
            .request("resources/read", json!({ "uri": uri }), connection)
            .await?;
        let text = result.pointer("/contents/0/text").and_then(Value::as_str);
        text.map(str::to_owned)
            .ok_or_else(|| "the description has no text".into())
    }

    /// The result of a call.
    ///
    /// # Errors
    ///
    /// The request failed; that the call did, stands in its result.
    pub(crate) async fn call(
        &mut self,
        tool: &str,
        arguments: Value,
        connection: &mut Connection,
    ) -> Result<Value, Failure> {
        self.request(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
            connection,
        )
        .await
    }

    /// The result of a request.
    ///
    /// # Errors
    ///
    /// The request failed.
    pub(crate) async fn request(
        &mut self,
        method: &str,
        params: Value,
        connection: &mut Connection,
    ) -> Result<Value, Failure> {
        let answer = self.send(method, params, connection).await?;
        let mut response =
            response(answer.text()?).ok_or_else(|| format!("no answer to {method}"))?;
        match response.get_mut("result") {
            Some(result) => Ok(result.take()),
            None => Err(format!("{method}: {response}").into()),
        }
    }

    async fn send(
        &mut self,
        method: &str,
        params: Value,
        connection: &mut Connection,
    ) -> Result<Answer, Failure> {
        let id = self.next_id;
        self.next_id += 1;
        let prepared = self.prepare(method, params)?;
        prepared.send(id, connection).await
    }

    /// A request to be sent often.
    ///
    /// # Errors
    ///
    /// What it names cannot stand in a header.
    pub(crate) fn prepare(&self, method: &str, mut params: Value) -> Result<Prepared, Failure> {
        let name = params
            .get("name")
            .or(params.get("uri"))
            .and_then(Value::as_str);
        let headers = self.headers(method, name)?;
        if let (Era::Inline, Value::Object(params)) = (self.era, &mut params) {
            params.insert("_meta".to_owned(), inline_meta());
        }
        let tail = format!(",\"method\":\"{method}\",\"params\":{params}}}");
        Ok(Prepared { headers, tail })
    }

    /// The events that the server sends of itself in the session; they come as long as they are held.
    ///
    /// # Errors
    ///
    /// The server sends none.
    pub(crate) async fn events(&self, connection: &mut Connection) -> Result<Incoming, Failure> {
        connection
            .begin(Method::GET, self.headers("", None)?, "")
            .await
    }

    /// Ends the session, if there is one.
    ///
    /// # Errors
    ///
    /// The server does not know it any more.
    pub(crate) async fn close(self, connection: &mut Connection) -> Result<(), Failure> {
        if self.session.is_some() {
            let headers = self.headers("", None)?;
            connection.send(Method::DELETE, headers, "").await?.text()?;
        }
        Ok(())
    }

    fn headers(&self, method: &str, name: Option<&str>) -> Result<HeaderMap, Failure> {
        let mut headers = HeaderMap::with_capacity(8);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(
            ACCEPT,
            HeaderValue::from_static("application/json, text/event-stream"),
        );
        headers.extend(self.bearer.clone().map(|bearer| (AUTHORIZATION, bearer)));
        headers.extend(self.session.clone().map(|session| (SESSION, session)));
        if self.era == Era::Inline {
            headers.insert(VERSION, HeaderValue::from_static("2026-07-28"));
            headers.insert(METHOD, method.parse()?);
            headers.extend(
                name.map(str::parse)
                    .transpose()?
                    .map(|name: HeaderValue| (NAME, name)),
            );
        } else if method != "initialize" {
            headers.insert(VERSION, HeaderValue::from_static("2025-11-25"));
        }
        Ok(headers)
    }
}

/// A request but for its id.
#[derive(Debug)]
pub(crate) struct Prepared {
    headers: HeaderMap,
    tail: String,
}

impl Prepared {
    /// Sends it under this id.
    ///
    /// # Errors
    ///
    /// The connection is closed.
    pub(crate) async fn send(
        &self,
        id: u64,
        connection: &mut Connection,
    ) -> Result<Answer, Failure> {
        let body = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id}{}", self.tail);
        connection
            .send(Method::POST, self.headers.clone(), body)
            .await
    }

    /// Sends it under this id; its events come as long as they are held.
    ///
    /// # Errors
    ///
    /// The server sends none.
    pub(crate) async fn events(
        &self,
        id: u64,
        connection: &mut Connection,
    ) -> Result<Incoming, Failure> {
        let body = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id}{}", self.tail);
        connection
            .begin(Method::POST, self.headers.clone(), body)
            .await
    }
}

fn inline_meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "0" },
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// A JSON body, or the response among the events of a stream.
fn response(body: &str) -> Option<Value> {
    let data = body.lines().filter_map(|line| line.strip_prefix("data:"));
    let mut messages = std::iter::once(body)
        .chain(data)
        .filter_map(|text| serde_json::from_str::<Value>(text).ok());
    messages.find(|message| message.get("id").is_some())
}
