//! Requests as they go out: past rmcp's own cache, which does not know of changes that are said by hand, and with the
//! extension declared where each request declares for itself.

use super::{
    error::ClientError,
    timeouts::{RequestTimeouts, TimeLimit, send_within},
};
use crate::surface::extension;
use rmcp::{
    RoleClient,
    model::{
        CallToolRequest, CallToolRequestParams, CallToolResponse, ClientCapabilities, ClientRequest, CustomRequest,
        ListResourcesRequest, ListToolsRequest, MetaObject, PaginatedRequestParams, ReadResourceRequest,
        ReadResourceRequestParams, RequestMetaObject, Resource, ResourceContents, ServerResult, Tool,
    },
    service::{Peer, PeerRequestOptions, ServiceError},
};
use serde_json::Value;

/// How many pages of a list are read, so that one without an end has one.
const PAGES_MAX: usize = 200;
/// How many pages are looked through for one resource.
const RESOURCE_PAGES_MAX: usize = 20;
/// How many tools of one server are taken.
const TOOLS_MAX: usize = 10_000;

/// A peer, and how requests to it are sent.
#[derive(Debug, Clone)]
pub(super) struct Wire {
    pub(super) peer: Peer<RoleClient>,
    /// Whether each request carries its own metadata (2026-07-28).
    pub(super) inline: bool,
    /// What the handler declared, as far as it is known.
    pub(super) declared: ClientCapabilities,
    pub(super) timeouts: RequestTimeouts,
}

impl Wire {
    pub(super) fn new(peer: Peer<RoleClient>, declared: ClientCapabilities, timeouts: RequestTimeouts) -> Self {
        let inline = peer.peer_info().is_some_and(|info| !info.protocol_version.has_initialize());
        Self { peer, inline, declared, timeouts }
    }

    async fn send(&self, request: ClientRequest) -> Result<ServerResult, ClientError> {
        send_within(&self.peer, request, PeerRequestOptions::no_options(), self.timeouts.request).await
    }

    /// All tools, page by page, at most [`TOOLS_MAX`].
    pub(super) async fn tools(&self) -> Result<Vec<Tool>, ClientError> {
        let mut tools = Vec::new();
        let mut cursor = None;
        for _ in 0..PAGES_MAX {
            let request = ListToolsRequest::with_param(page(cursor));
            let ServerResult::ListToolsResult(result) = self.send(ClientRequest::ListToolsRequest(request)).await?
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

    /// The first resource that this is true of. The rest of the list is not read; a server that does not list its resources
    /// has none.
    pub(super) async fn resource(&self, wanted: impl Fn(&Resource) -> bool) -> Result<Option<Resource>, ClientError> {
        let mut cursor = None;
        for _ in 0..RESOURCE_PAGES_MAX {
            let request = ListResourcesRequest::with_param(page(cursor));
            let result = match self.send(ClientRequest::ListResourcesRequest(request)).await {
                Err(ClientError::Service(ServiceError::McpError(_))) => return Ok(None),
                other => other?,
            };
            let ServerResult::ListResourcesResult(list) = result else {
                return Err(ServiceError::UnexpectedResponse.into());
            };
            if let Some(found) = list.resources.into_iter().find(&wanted) {
                return Ok(Some(found));
            }
            cursor = list.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        Ok(None)
    }

    /// The text of a resource, and the result's `_meta`.
    pub(super) async fn read(&self, uri: String) -> Result<(String, Option<MetaObject>), ClientError> {
        let request = ReadResourceRequest::new(ReadResourceRequestParams::new(uri));
        let result = self.send(ClientRequest::ReadResourceRequest(request)).await?;
        let ServerResult::ReadResourceResult(read) = result else {
            return Err(ServiceError::UnexpectedResponse.into());
        };
        let text = read.contents.into_iter().find_map(|contents| match contents {
            ResourceContents::TextResourceContents { text, .. } => Some(text),
            _ => None,
        });
        let text = text.ok_or_else(|| ClientError::unreadable("resources/read", "there is no text in it"))?;
        Ok((text, read.meta))
    }

    /// A method that rmcp has no words for. The extension is declared by the request itself, where requests declare.
    pub(super) async fn custom(&self, method: &str, params: Value) -> Result<Value, ClientError> {
        let mut options = PeerRequestOptions::no_options();
        if self.inline {
            let mut capabilities = self.declared.clone();
            capabilities.extensions.get_or_insert_default().extend(extension::declaration());
            let mut meta = RequestMetaObject::new();
            meta.set_client_capabilities(capabilities);
            options.meta = Some(meta);
        }
        let request = ClientRequest::CustomRequest(CustomRequest::new(method, Some(params)));
        let result = send_within(&self.peer, request, options, self.timeouts.request).await?;
        // rmcp takes what it knows the shape of for that.
        serde_json::to_value(result).map_err(|_| ServiceError::UnexpectedResponse.into())
    }

    /// One call of a tool within a limit.
    pub(super) async fn call(
        &self,
        params: CallToolRequestParams,
        limit: TimeLimit,
    ) -> Result<CallToolResponse, ClientError> {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        match send_within(&self.peer, request, PeerRequestOptions::no_options(), limit).await? {
            ServerResult::CallToolResult(result) => Ok(CallToolResponse::Complete(result)),
            ServerResult::InputRequiredResult(result) => Ok(CallToolResponse::InputRequired(result)),
            ServerResult::CreateTaskResult(result) => Ok(CallToolResponse::Task(result)),
            _ => Err(ServiceError::UnexpectedResponse.into()),
        }
    }
}

fn page(cursor: Option<String>) -> PaginatedRequestParams {
    PaginatedRequestParams::default().with_cursor(cursor)
}
