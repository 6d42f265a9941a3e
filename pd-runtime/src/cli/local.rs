//! An rmcp client of the server in this process, with a record of all messages.

use super::CliError;
use crate::{protocol::keys::DESCRIPTIONS_URI, server::erased_server::ErasedServer};
use parking_lot::Mutex;
use rmcp::{
    RoleClient, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResult, JsonObject, ReadResourceRequestParams,
        ResourceContents, Tool,
    },
    service::{RunningService, ServiceError},
};
use std::sync::Arc;
use tokio::io::{
    AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream, duplex,
};

/// The capacity of each pipe in bytes. A writer waits until there is room.
const PIPE: usize = 64 * 1024;

/// A connected client.
#[derive(Debug)]
pub struct LocalClient {
    running: RunningService<RoleClient, ()>,
    wire: WireLog,
}

/// All messages so far, oldest first, one line each.
type WireLog = Arc<Mutex<Vec<String>>>;

impl LocalClient {
    pub(super) async fn connect(server: &dyn ErasedServer) -> Result<Self, CliError> {
        let wire = WireLog::default();
        // Through pipes and not by function calls, so that the record has what a client sends and
        // receives.
        let (ours, theirs) = recorded_pipes(&wire);
        let handler = server.connect().handler;
        // The task ends when the client is dropped, which closes the pipe.
        tokio::spawn(async move {
            if let Ok(running) = handler.serve(theirs).await {
                let _ = running.waiting().await;
            }
        });
        Ok(Self {
            running: ().serve(ours).await?,
            wire,
        })
    }

    /// Lists all tools.
    pub async fn tools(&self) -> Result<Vec<Tool>, CliError> {
        self.running.list_all_tools().await.map_err(service_error)
    }

    /// Reads a tool's description from the resource.
    pub(super) async fn describe(&self, name: &str) -> Result<String, CliError> {
        let params = ReadResourceRequestParams::new(format!("{DESCRIPTIONS_URI}?tools={name}"));
        let read = self
            .running
            .read_resource(params)
            .await
            .map_err(service_error)?;
        match read.contents.into_iter().next() {
            Some(ResourceContents::TextResourceContents { text, .. }) => Ok(text),
            _ => Err("the description has no text".into()),
        }
    }

    /// Calls a tool.
    pub async fn call(
        &self,
        name: &str,
        arguments: JsonObject,
    ) -> Result<CallToolResult, CliError> {
        let params = CallToolRequestParams::new(name.to_owned()).with_arguments(arguments);
        self.running.call_tool(params).await.map_err(service_error)
    }

    /// Returns the last two messages: the last one sent and the last one received.
    pub(super) fn last_exchange(&self) -> Option<(String, String)> {
        let wire = self.wire.lock();
        match wire.as_slice() {
            // The client sends one request at a time, so the last two messages belong together.
            [.., sent, received] => Some((sent.clone(), received.clone())),
            _ => None,
        }
    }
}

/// Returns the server's message without the protocol's error code.
fn service_error(error: ServiceError) -> CliError {
    match error {
        ServiceError::McpError(error) => error.message.into(),
        other => other.into(),
    }
}

/// Returns the text of a result. Content without text is rendered as JSON.
pub fn text_of(result: &CallToolResult) -> String {
    let texts = result.content.iter().map(|block| match block.as_text() {
        Some(text) => text.text.clone(),
        None => serde_json::to_string(block).unwrap_or_default(),
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// Returns a pair of pipes, and records every line that passes between them.
fn recorded_pipes(wire: &WireLog) -> (DuplexStream, DuplexStream) {
    let (client, client_end) = duplex(PIPE);
    let (server, server_end) = duplex(PIPE);
    let (client_reads, client_writes) = tokio::io::split(client_end);
    let (server_reads, server_writes) = tokio::io::split(server_end);
    tokio::spawn(forward(client_reads, server_writes, wire.clone()));
    tokio::spawn(forward(server_reads, client_writes, wire.clone()));
    (client, server)
}

async fn forward(
    from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    wire: WireLog,
) -> std::io::Result<()> {
    let mut lines = BufReader::new(from).lines();
    while let Some(line) = lines.next_line().await? {
        wire.lock().push(line.clone());
        // A line is recorded before it is forwarded, so that the record is complete when the
        // receiver has answered.
        to.write_all(line.as_bytes()).await?;
        to.write_all(b"\n").await?;
        to.flush().await?;
    }
    to.shutdown().await
}
