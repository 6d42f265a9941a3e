//! Requests to a server. They bypass rmcp's own cache, which does not know of
//! [`Client::changed`](super::Client::changed), and carry the extension's declaration if each
//! request declares its own capabilities.

use super::{
    error::ClientError,
    timeouts::{RequestTimeouts, TimeLimit, send_within},
};
use crate::surface::extension;
use rmcp::{
    RoleClient,
    model::{
        CallToolRequest, CallToolRequestParams, CallToolResponse, ClientCapabilities,
        ClientRequest, CustomRequest, ListResourcesRequest, ListToolsRequest, MetaObject,
        PaginatedRequestParams, ReadResourceRequest, ReadResourceRequestParams, RequestMetaObject,
        Resource, ResourceContents, ServerResult, Tool,
    },
    service::{Peer, PeerRequestOptions, ServiceError},
};
use serde_json::Value;

/// The largest number of pages that are read of a list, so that a list with endless cursors is
/// bounded.
const PAGES_MAX: usize = 200;
/// The largest number of pages that are searched for one resource.
const RESOURCE_PAGES_MAX: usize = 20;
/// The largest number of tools that are taken from one server.
const TOOLS_MAX: usize = 10_000;

/// A peer and the settings of requests to it.
#[derive(Debug, Clone)]
pub(super) struct RequestSender {
    pub(super) peer: Peer<RoleClient>,
    /// Whether each request carries its own metadata (protocol version 2026-07-28).
    pub(super) inline: bool,
    /// The capabilities that the handler declared, as far as they are known.
    pub(super) declared: ClientCapabilities,
    pub(super) timeouts: RequestTimeouts,
}

impl RequestSender {
    pub(super) fn new(
        peer: Peer<RoleClient>,
        declared: ClientCapabilities,
        timeouts: RequestTimeouts,
    ) -> Self {
        // A protocol without `initialize` has no sessions, so each request repeats what it would
        // have declared.
        let inline = peer
            .peer_info()
            .is_some_and(|info| !info.protocol_version.has_initialize());
        Self {
            peer,
            inline,
            declared,
            timeouts,
        }
    }

    async fn send(&self, request: ClientRequest) -> Result<ServerResult, ClientError> {
        send_within(
            &self.peer,
            request,
            PeerRequestOptions::no_options(),
            self.timeouts.request,
        )
        .await
    }

    /// Fetches all tools page by page, at most [`TOOLS_MAX`].
    pub(super) async fn fetch_tools(&self) -> Result<Vec<Tool>, ClientError> {
        let mut tools = Vec::new();
        let mut cursor = None;
        for _ in 0..PAGES_MAX {
            let request = ListToolsRequest::with_param(page(cursor));
            let ServerResult::ListToolsResult(result) =
                self.send(ClientRequest::ListToolsRequest(request)).await?
            else {
                return Err(ServiceError::UnexpectedResponse.into());
            };
            tools.extend(result.tools);
            cursor = result.next_cursor;
            if cursor.is_none() || tools.len() >= TOOLS_MAX {
                break;
            }
        }
        tools.truncate(TOOLS_MAX);
        Ok(tools)
    }

    /// Fetches the first resource that matches, and no further pages. A server that cannot list its
    /// resources has none.
    pub(super) async fn find_resource(
        &self,
        wanted: impl Fn(&Resource) -> bool,
    ) -> Result<Option<Resource>, ClientError> {
        let mut cursor = None;
        for _ in 0..RESOURCE_PAGES_MAX {
            let request = ListResourcesRequest::with_param(page(cursor));
            let result = match self
                .send(ClientRequest::ListResourcesRequest(request))
                .await
            {
                Err(ClientError::Service(ServiceError::McpError(_))) => return Ok(None),
                other => other?,
            };
            let ServerResult::ListResourcesResult(list) = result else {
                return Err(ServiceError::UnexpectedResponse.into());
            };
            if let Some(resource) = list.resources.into_iter().find(&wanted) {
                return Ok(Some(resource));
            }
            cursor = list.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        Ok(None)
    }

    /// Reads the text of a resource, and the result's `_meta`.
    pub(super) async fn read_resource(
        &self,
        uri: String,
    ) -> Result<(String, Option<MetaObject>), ClientError> {
        let request = ReadResourceRequest::new(ReadResourceRequestParams::new(uri));
        let result = self
            .send(ClientRequest::ReadResourceRequest(request))
            .await?;
        let ServerResult::ReadResourceResult(read) = result else {
            return Err(ServiceError::UnexpectedResponse.into());
        };
        let text = read
            .contents
            .into_iter()
            .find_map(|contents| match contents {
                ResourceContents::TextResourceContents { text, .. } => Some(text),
                _ => None,
            });
        let text =
            text.ok_or_else(|| ClientError::unreadable("resources/read", "it contains no text"))?;
        Ok((text, read.meta))
    }

    /// Sends a method that rmcp has no type for. If requests declare their own capabilities, this
    /// one declares the extension.
    pub(super) async fn send_custom(
        &self,
        method: &str,
        params: Value,
    ) -> Result<Value, ClientError> {
        let mut options = PeerRequestOptions::no_options();
        if self.inline {
            let mut capabilities = self.declared.clone();
            // The handler may not know the extension, but this client does.
            capabilities
                .extensions
                .get_or_insert_default()
                .extend(extension::declaration());
            let mut meta = RequestMetaObject::new();
            meta.set_client_capabilities(capabilities);
            options.meta = Some(meta);
        }
        let request = ClientRequest::CustomRequest(CustomRequest::new(method, Some(params)));
        let result = send_within(&self.peer, request, options, self.timeouts.request).await?;
        // rmcp parses a result into the first of its types that fits. Serializing it again restores
        // the JSON.
        serde_json::to_value(result).map_err(|_| ServiceError::UnexpectedResponse.into())
    }

    /// Calls a tool within a limit.
    pub(super) async fn call(
        &self,
        params: CallToolRequestParams,
        limit: TimeLimit,
    ) -> Result<CallToolResponse, ClientError> {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        match send_within(&self.peer, request, PeerRequestOptions::no_options(), limit).await? {
            ServerResult::CallToolResult(result) => Ok(CallToolResponse::Complete(result)),
            ServerResult::InputRequiredResult(result) => {
                Ok(CallToolResponse::InputRequired(result))
            }
            ServerResult::CreateTaskResult(result) => Ok(CallToolResponse::Task(result)),
            _ => Err(ServiceError::UnexpectedResponse.into()),
        }
    }
}

fn page(cursor: Option<String>) -> PaginatedRequestParams {
    PaginatedRequestParams::default().with_cursor(cursor)
}
