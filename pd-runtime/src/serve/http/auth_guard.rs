//! The guard of the endpoint, which authenticates each request.

use super::{
    authenticate::Authenticate,
    oauth::{ProtectedResource, metadata_endpoint::MetadataEndpoint},
    unauthorized::AuthenticationError,
};
use crate::{Principal, server::erased_server::ErasedServer};
use axum::{Router, response::Response};
use http::request::Parts;
use std::sync::Arc;

/// The authentication of the endpoint's requests.
pub(super) struct AuthGuard {
    who: Arc<dyn Authenticate>,
    /// The resource metadata for clients, if the operator publishes any.
    published: Option<Arc<MetadataEndpoint>>,
}

impl AuthGuard {
    /// Returns the guard of the endpoint, if an authenticator is set, and the public routes of the
    /// resource metadata.
    pub(super) fn with_metadata(
        host: &Arc<dyn ErasedServer>,
        authenticator: Option<Arc<dyn Authenticate>>,
        resource: Option<ProtectedResource>,
        path: &str,
    ) -> (Option<Arc<Self>>, Router) {
        let published =
            resource.map(|resource| Arc::new(MetadataEndpoint::new(resource, host.clone())));
        let guard = authenticator.map(|who| {
            Arc::new(Self {
                who,
                published: published.clone(),
            })
        });
        (
            guard,
            published.map_or_else(Router::new, |published| published.routes(path)),
        )
    }

    /// Returns the principal that sent a request with this head.
    ///
    /// # Errors
    ///
    /// Returns an error if the request is not authenticated, or if its token lacks a required
    /// scope.
    pub(super) async fn principal(
        &self,
        request: &Parts,
    ) -> Result<Principal, AuthenticationError> {
        let known = self.who.authenticate(request).await;
        let Some(published) = &self.published else {
            return known;
        };
        known
            .and_then(|principal| published.sufficient(principal))
            .map_err(|refusal| published.challenge(refusal))
    }

    /// Puts the principal into the request's extensions, where `caller::authority` reads it.
    ///
    /// # Errors
    ///
    /// Returns the answer to a request that is not authenticated. Its body was not read.
    pub(super) async fn admit(&self, request: &mut Parts) -> Result<(), Response> {
        let principal = self
            .principal(request)
            .await
            .map_err(AuthenticationError::into_response)?;
        request.extensions.insert(principal);
        Ok(())
    }
}
