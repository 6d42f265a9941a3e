//! A connection in memory, written to by the byte. Its server takes the client for somebody on the network, so that access
//! matters as it does over HTTP and thousands of connections a second are possible.

use super::world::Who;
use http::request::Parts;
use pd_runtime::{PdServer, server::PdHandler};
use rmcp::{
    RoleServer, ServiceExt,
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::{Transport, async_rw::AsyncRwTransport},
};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};

/// A connection.
pub(crate) struct Line {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    meta: Option<Value>,
    next_id: u64,
}

/// The protocol generation and what a client declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Client {
    pub(crate) inline: bool,
    pub(crate) extension: bool,
}

impl Client {
    fn capabilities(self) -> Value {
        match self.extension {
            true => json!({ "extensions": { "dev.pd-runtime/disclosure": { "version": 1 } } }),
            false => json!({}),
        }
    }

    /// The metadata of its requests (2026-07-28).
    pub(crate) fn meta(self) -> Option<Value> {
        self.inline.then(|| {
            json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "fuzz", "version": "0" },
                "io.modelcontextprotocol/clientCapabilities": self.capabilities(),
            })
        })
    }
}

impl Line {
    /// A connection on which nothing was said.
    pub(crate) fn open<S: Send + Sync + 'static>(shared: &PdServer<S>, who: &Who) -> Self {
        Self::to(shared.handler(), who)
    }

    /// Not generic, so that what serves a connection compiles once.
    fn to(handler: PdHandler, who: &Who) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (reader, writer) = tokio::io::split(theirs);
        let transport = Known {
            transport: AsyncRwTransport::new(reader, writer),
            parts: parts(who),
        };
        tokio::spawn(async move {
            if let Ok(running) = handler.serve(transport).await {
                let _ = running.waiting().await;
            }
        });
        let (reader, writer) = tokio::io::split(ours);
        Self {
            lines: BufReader::new(reader).lines(),
            writer,
            meta: None,
            next_id: 1,
        }
    }

    /// A connection that is ready for requests.
    pub(crate) async fn connect<S: Send + Sync + 'static>(
        shared: &PdServer<S>,
        who: &Who,
        client: Client,
    ) -> Self {
        let mut line = Self::open(shared, who);
        line.meta = client.meta();
        if !client.inline {
            line.handshake(client).await;
        }
        line
    }

    async fn handshake(&mut self, client: Client) {
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": client.capabilities(),
            "clientInfo": { "name": "fuzz", "version": "0" },
        });
        self.request("initialize", params).await;
        self.say(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")
            .await;
    }

    /// The line that answers a request.
    pub(crate) async fn request(&mut self, method: &str, mut params: Value) -> String {
        if let Some(Value::Object(meta)) = &self.meta {
            let mut whole = meta.clone();
            if let Some(Value::Object(own)) = params.get("_meta") {
                whole.extend(own.clone());
            }
            params["_meta"] = Value::Object(whole);
        }
        let id = self.next_id;
        self.next_id += 1;
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let heard = self.say(format!("{request}\n").as_bytes()).await;
        let answers: Vec<_> = heard.into_iter().filter(|line| answers(line, id)).collect();
        let [answer] = answers.as_slice() else {
            panic!("{} answers to {request}", answers.len())
        };
        answer.clone()
    }

    /// The result of a call, or its error.
    pub(crate) async fn call(
        &mut self,
        name: &str,
        arguments: Value,
        meta: Option<Value>,
    ) -> Value {
        let mut params = json!({ "name": name, "arguments": arguments });
        if let Some(meta) = meta {
            params["_meta"] = meta;
        }
        parsed(&self.request("tools/call", params).await)
    }

    /// Writes bytes and returns every line that came back before all was quiet.
    pub(crate) async fn say(&mut self, bytes: &[u8]) -> Vec<String> {
        let Self { lines, writer, .. } = self;
        let mut heard = Vec::new();
        let writing = async {
            // A server that has left reads no more.
            let _ = writer.write_all(bytes).await;
        };
        let reading = async {
            while let Ok(Ok(Some(line))) =
                tokio::time::timeout(Duration::from_millis(10), lines.next_line()).await
            {
                heard.push(line);
            }
        };
        tokio::join!(writing, reading);
        heard
    }
}

/// A message as JSON; the server writes nothing else.
pub(crate) fn parsed(line: &str) -> Value {
    serde_json::from_str(line)
        .unwrap_or_else(|error| panic!("the server wrote no JSON: {error}: {line}"))
}

fn answers(line: &str, id: u64) -> bool {
    let message = parsed(line);
    message.get("id") == Some(&json!(id)) && message.get("method").is_none()
}

fn parts(who: &Who) -> Parts {
    let (mut parts, ()) = http::Request::new(()).into_parts();
    parts.extensions =
        who.principal()
            .into_iter()
            .fold(http::Extensions::new(), |mut extensions, principal| {
                extensions.insert(principal);
                extensions
            });
    parts
}

/// A transport that puts into every message who sent it, as rmcp's HTTP transport does.
struct Known<T> {
    transport: T,
    parts: Parts,
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Known<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        self.transport.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let mut message = self.transport.receive().await?;
        message.insert_extension(self.parts.clone());
        Some(message)
    }

    fn close(&mut self) -> impl Future<Output = Result<(), T::Error>> + Send {
        self.transport.close()
    }
}
