//! The name of a client, as the client sent it.

use pd_schema::member;
use rmcp::{RoleServer, model::InitializeRequestParams, service::RequestContext};
use std::sync::Arc;

const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";

/// The name that a client sent.
#[derive(Debug, Default)]
pub(crate) enum ClientName {
    /// In `initialize`.
    Handshake(Arc<InitializeRequestParams>),
    /// With the request.
    Request(Box<str>),
    #[default]
    None,
}

impl ClientName {
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Handshake(info) => &info.client_info.name,
            Self::Request(name) => name,
            Self::None => "",
        }
    }
}

/// Returns the name that the client sent with the request or in `initialize`.
pub(crate) fn client_name(request: &RequestContext<RoleServer>) -> ClientName {
    match member::find(&request.meta, CLIENT_INFO).and_then(|info| info.get("name")?.as_str()) {
        Some(name) => ClientName::Request(name.into()),
        None => request
            .peer
            .peer_info()
            .map_or(ClientName::None, ClientName::Handshake),
    }
}
