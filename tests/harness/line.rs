//! JSON-RPC by hand over a connection in memory, where rmcp's client would hide the shape.

use super::inline_meta;
use pd_runtime::PdServer;
use rmcp::{ServerHandler, ServiceExt};
use serde_json::{Value, json};
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

impl Line {
    /// A connection of the session era.
    pub(crate) async fn session<S: Send + Sync + 'static, H: ServerHandler>(
        shared: &PdServer<S, H>,
    ) -> Self {
        Self::session_with(shared, json!({})).await.0
    }

    /// The same with client capabilities, and what `initialize` answered.
    pub(crate) async fn session_with<S: Send + Sync + 'static, H: ServerHandler>(
        shared: &PdServer<S, H>,
        capabilities: Value,
    ) -> (Self, Value) {
        let mut line = Self::open(shared);
        let initialized = line.handshake(capabilities).await;
        (line, initialized)
    }

    /// A connection whose requests carry their own metadata.
    pub(crate) fn inline<S: Send + Sync + 'static, H: ServerHandler>(
        shared: &PdServer<S, H>,
        capabilities: Value,
    ) -> Self {
        let mut line = Self::open(shared);
        line.carry(Some(inline_meta(&capabilities)));
        line
    }

    /// A connection on which nothing was said.
    pub(crate) fn open<S: Send + Sync + 'static, H: ServerHandler>(
        shared: &PdServer<S, H>,
    ) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let handler = shared.handler();
        tokio::spawn(async move {
            if let Ok(running) = handler.serve(theirs).await {
                let _ = running.waiting().await;
            }
        });
        Self::over(ours)
    }

    /// A connection over this end of a pipe.
    pub(crate) fn over(ours: DuplexStream) -> Self {
        let (reader, writer) = tokio::io::split(ours);
        Self {
            lines: BufReader::new(reader).lines(),
            writer,
            meta: None,
            next_id: 1,
        }
    }

    /// Opens a session, and returns what `initialize` answered.
    pub(crate) async fn handshake(&mut self, capabilities: Value) -> Value {
        self.handshake_with(json!({
            "protocolVersion": "2025-11-25",
            "capabilities": capabilities,
            "clientInfo": { "name": "wire", "version": "0" },
        }))
        .await
    }

    /// The same with parameters of its own.
    pub(crate) async fn handshake_with(&mut self, params: Value) -> Value {
        let initialized = self.request("initialize", params).await["result"].take();
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
            .await;
        initialized
    }

    /// Carries this metadata in every request from now on.
    pub(crate) fn carry(&mut self, meta: Option<Value>) {
        self.meta = meta;
    }

    /// The whole response to a request; notifications before it are passed over.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params).await;
        loop {
            let message = self.next().await;
            if message.get("id") == Some(&json!(id)) && message.get("method").is_none() {
                return message;
            }
        }
    }

    /// The result of a request.
    pub(crate) async fn result(&mut self, method: &str, params: Value) -> Value {
        let mut response = self.request(method, params).await;
        assert!(response.get("error").is_none(), "{method}: {response}");
        response["result"].take()
    }

    /// The result of a call.
    pub(crate) async fn call(&mut self, name: &str, arguments: Value) -> Value {
        self.result(
            "tools/call",
            json!({ "name": name, "arguments": arguments }),
        )
        .await
    }

    /// The result of a read.
    pub(crate) async fn read(&mut self, uri: &str) -> Value {
        self.result("resources/read", json!({ "uri": uri })).await
    }

    /// Sends a request and does not wait.
    pub(crate) async fn ask(&mut self, method: &str, mut params: Value) -> u64 {
        if let Some(Value::Object(meta)) = &self.meta {
            let mut whole = meta.clone();
            if let Some(Value::Object(own)) = params.get("_meta") {
                whole.extend(own.clone());
            }
            params["_meta"] = Value::Object(whole);
        }
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await;
        id
    }

    /// Sends one message.
    pub(crate) async fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string()).await;
    }

    /// Sends one line.
    pub(crate) async fn send_text(&mut self, line: &str) {
        self.writer
            .write_all(format!("{line}\n").as_bytes())
            .await
            .expect("an open connection");
    }

    /// The next message, within five seconds.
    pub(crate) async fn next(&mut self) -> Value {
        let waited =
            tokio::time::timeout(std::time::Duration::from_secs(5), self.lines.next_line()).await;
        let line = waited
            .expect("an answer in time")
            .expect("an open connection")
            .expect("an open connection");
        serde_json::from_str(&line).expect("JSON")
    }
}
