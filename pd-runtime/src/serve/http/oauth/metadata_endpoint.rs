//! The endpoint of the resource metadata: the document of RFC 9728, and its parts in challenges.

use super::resource::{ProtectedResource, WELL_KNOWN};
use crate::{
    Principal,
    serve::http::{cross_origin, unauthorized::AuthenticationError},
    server::erased_server::ErasedServer,
};
use axum::{
    Router,
    extract::{Request, State},
    response::{IntoResponse, Response},
    routing,
};
use http::{StatusCode, header::CONTENT_TYPE};
use std::{future::ready, sync::Arc};

/// The limit on the list of scopes in a challenge, in bytes. Proxies refuse headers of several
/// thousand. Clients find a longer list in the document.
const MOST_IN_HEADER: usize = 1_000;

/// A resource's metadata, with the server that has the described tools.
pub(in crate::serve::http) struct MetadataEndpoint {
    resource: ProtectedResource,
    url: String,
    host: Arc<dyn ErasedServer>,
}

impl MetadataEndpoint {
    pub(in crate::serve::http) fn new(
        resource: ProtectedResource,
        host: Arc<dyn ErasedServer>,
    ) -> Self {
        Self {
            url: resource.metadata_url(),
            resource,
            host,
        }
    }

    /// Returns the principal if its token has all required scopes.
    ///
    /// # Errors
    ///
    /// Returns an error if the token lacks a scope.
    pub(in crate::serve::http) fn sufficient(
        &self,
        principal: Principal,
    ) -> Result<Principal, AuthenticationError> {
        if self
            .resource
            .required
            .iter()
            .all(|scope| principal.has_scope(scope))
        {
            return Ok(principal);
        }
        Err(AuthenticationError::insufficient_scope(
            "this token lacks a scope; request one with the scopes that are named here",
        ))
    }

    /// Adds to a refusal where to get a token, and for which scopes. It lists all scopes, since no
    /// later refusal could name the scope of a tool that is unknown to the caller.
    pub(in crate::serve::http) fn challenge(
        &self,
        refusal: AuthenticationError,
    ) -> AuthenticationError {
        refusal
            .with_missing("scope", || self.scope())
            .with_missing("resource_metadata", || Some(self.url.clone()))
    }

    fn scope(&self) -> Option<String> {
        let catalog = self.host.served().catalog();
        let scopes: Vec<_> = self
            .resource
            .published(&catalog.scopes)
            .into_iter()
            .collect();
        let scope = scopes.join(" ");
        // A `scope` without any scope is not valid (RFC 6749, section 3.3).
        (1..=MOST_IN_HEADER).contains(&scope.len()).then_some(scope)
    }

    /// Returns the routes of the document. They need no token and check no host, since the document
    /// is public and does not depend on the request.
    pub(in crate::serve::http) fn routes(self: Arc<Self>, endpoint: &str) -> Router {
        let endpoint: Arc<str> = endpoint.into();
        let below = format!("{WELL_KNOWN}/{{*path}}");
        let paths = move |State(published): State<Arc<Self>>, request: Request| {
            let path = request
                .uri()
                .path()
                .strip_prefix(WELL_KNOWN)
                .unwrap_or_default();
            // Behind a proxy the endpoint's own path may differ from the public one in the
            // resource's URL. Both are served.
            let is_ours = *path == *endpoint || path == published.resource.path();
            ready(if is_ours {
                published.document()
            } else {
                StatusCode::NOT_FOUND.into_response()
            })
        };
        let routes = Router::new()
            .route(
                WELL_KNOWN,
                routing::get(
                    |State(published): State<Arc<Self>>| async move { published.document() },
                ),
            )
            .route(&below, routing::get(paths));
        // Clients in browsers read the document from their own pages, and send MCP headers with the
        // request.
        routes.layer(cross_origin::public()).with_state(self)
    }

    fn document(&self) -> Response {
        let catalog = self.host.served().catalog();
        let headers = [(CONTENT_TYPE, "application/json")];
        (headers, self.resource.document(&catalog.scopes).to_string()).into_response()
    }
}
