//! What clients are told of tokens, served: the document of RFC 9728, and what it adds to challenges.

use super::resource::{ProtectedResource, WELL_KNOWN};
use crate::{
    Principal,
    serve::http::{cross_origin, unauthorized::Unauthorized},
    server::erased_server::Host,
};
use axum::{
    Router,
    extract::{Request, State},
    response::{IntoResponse, Response},
    routing,
};
use http::{StatusCode, header::CONTENT_TYPE};
use std::{future::ready, sync::Arc};

/// The longest list of scopes in a challenge, in bytes: proxies refuse headers of some thousand. Clients then find the list in the
/// document.
const MOST_IN_HEADER: usize = 1_000;

/// A resource's description, with the server whose tools it speaks of.
pub(in crate::serve::http) struct Published {
    resource: ProtectedResource,
    url: String,
    host: Arc<dyn Host>,
}

impl Published {
    pub(in crate::serve::http) fn new(resource: ProtectedResource, host: Arc<dyn Host>) -> Self {
        Self { url: resource.metadata_url(), resource, host }
    }

    /// The principal, if its token has what every token must have.
    ///
    /// # Errors
    ///
    /// It lacks a scope.
    pub(in crate::serve::http) fn sufficient(&self, principal: Principal) -> Result<Principal, Unauthorized> {
        if self.resource.required.iter().all(|scope| principal.has_scope(scope)) {
            return Ok(principal);
        }
        Err(Unauthorized::insufficient_scope(
            "this token lacks a scope; ask for one with the scopes that are named here",
        ))
    }

    /// A refusal that says where to get a token, and for which scopes: all that there are, since no later refusal could name a
    /// tool's scope to whom the tool is unknown.
    pub(in crate::serve::http) fn challenge(&self, refusal: Unauthorized) -> Unauthorized {
        refusal.with_missing("scope", || self.scope()).with_missing("resource_metadata", || Some(self.url.clone()))
    }

    fn scope(&self) -> Option<String> {
        let catalogue = self.host.served().catalogue();
        let scopes: Vec<_> = self.resource.published(&catalogue.scopes).into_iter().collect();
        let scope = scopes.join(" ");
        (1..=MOST_IN_HEADER).contains(&scope.len()).then_some(scope)
    }

    /// The document's places. A token is not asked for, nor is the host looked at: what is public anyway comes from no request.
    pub(in crate::serve::http) fn routes(self: Arc<Self>, endpoint: &str) -> Router {
        let endpoint: Arc<str> = endpoint.into();
        let below = format!("{WELL_KNOWN}/{{*path}}");
        let paths = move |State(published): State<Arc<Self>>, request: Request| {
            let path = request.uri().path().strip_prefix(WELL_KNOWN).unwrap_or_default();
            let is_ours = *path == *endpoint || path == published.resource.path();
            ready(if is_ours { published.document() } else { StatusCode::NOT_FOUND.into_response() })
        };
        let root = |State(published): State<Arc<Self>>| async move { published.document() };
        let routes = Router::new().route(WELL_KNOWN, routing::get(root)).route(&below, routing::get(paths));
        // Clients in browsers read the document from pages of their own, and send headers of MCP with
        // the request.
        routes.layer(cross_origin::public()).with_state(self)
    }

    fn document(&self) -> Response {
        let catalogue = self.host.served().catalogue();
        let headers = [(CONTENT_TYPE, "application/json")];
        (headers, self.resource.document(&catalogue.scopes).to_string()).into_response()
    }
}
