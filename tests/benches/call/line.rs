//! A client and a server, connected.

use super::Failure;
use rmcp::{
    ClientLifecycleMode, ClientServiceExt, RoleClient, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResult, JsonObject, ReadResourceRequestParams,
        ReadResourceResult, ResourceContents,
    },
    service::RunningService,
};

/// A client connected to a server, and the one request it sends.
#[derive(Debug)]
pub(crate) struct Line {
    client: RunningService<RoleClient, ()>,
    /// What is asked, again and again.
    pub(crate) request: Request,
}

/// What a client asks.
#[derive(Debug, Clone)]
pub(crate) enum Request {
    /// `tools/call`
    Call(CallToolRequestParams),
    /// `resources/read`
    Read(ReadResourceRequestParams),
}

impl Request {
    /// A call of this tool.
    pub(crate) fn call(tool: &str, arguments: JsonObject) -> Self {
        Self::Call(CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments))
    }

    /// A read of this tool's description.
    pub(crate) fn describe(tool: &str) -> Self {
        Self::Read(ReadResourceRequestParams::new(format!(
            "resource:///tool_descriptions?tools={tool}"
        )))
    }
}

impl Line {
    /// Connects a real rmcp client to this server, over memory.
    ///
    /// # Errors
    ///
    /// They do not come to terms.
    pub(crate) async fn open(
        server: impl ServerHandler,
        lifecycle: ClientLifecycleMode,
        request: Request,
    ) -> Result<Self, Failure> {
        let (near, far) = tokio::io::duplex(64 * 1024);
        tokio::spawn(async move {
            server
                .serve(far)
                .await?
                .waiting()
                .await
                .map_err(Failure::from)
        });
        Ok(Self {
            client: ().serve_with_lifecycle(near, lifecycle).await?,
            request,
        })
    }

    /// Sends the request once, and gives back the answer's text.
    ///
    /// # Errors
    ///
    /// The request failed.
    pub(crate) async fn send(&self) -> Result<String, Failure> {
        match &self.request {
            Request::Call(params) => said(self.client.call_tool(params.clone()).await?),
            Request::Read(params) => read(self.client.read_resource(params.clone()).await?),
        }
    }
}

fn said(result: CallToolResult) -> Result<String, Failure> {
    let text = result
        .content
        .first()
        .and_then(|block| block.as_text())
        .map(|block| block.text.clone());
    text.ok_or_else(|| "the result has no text".into())
}

fn read(result: ReadResourceResult) -> Result<String, Failure> {
    match result.contents.into_iter().next() {
        Some(ResourceContents::TextResourceContents { text, .. }) => Ok(text),
        _ => Err("the resource has no text".into()),
    }
}
