//! Everything that a server answers over HTTP: the endpoint, and the routes beside it.

use super::{
    PATH, connection::HttpApp, cross_origin, endpoint::McpEndpoint, request_source::AllowedOrigins,
    response_body::ResponseBody,
};
use crate::serve::ServeError;

use axum::{
    Router,
    response::{IntoResponse, Response as AnyResponse},
    routing::{any, get},
};
use http::{Request, Response, StatusCode, header::CONTENT_TYPE};
use hyper::body::Incoming;
use std::sync::Arc;

/// The endpoint and the routes beside it. Almost every request is for the endpoint, so no router
/// precedes it.
#[derive(Clone)]
pub(super) struct HttpRoutes {
    pub(super) endpoint: McpEndpoint,
    /// The path of the endpoint.
    pub(super) path: Arc<str>,
    pub(super) beside: Router,
}

/// The path at which load balancers and orchestrators probe the server.
const HEALTH: &str = "/health";

impl HttpRoutes {
    /// Returns the routes of a server without routes of an application: with [`HEALTH`], and with
    /// an answer at all other paths that names the endpoint's path.
    pub(super) fn standalone(self, origins: &AllowedOrigins) -> Self {
        let health = cross_origin::shared(get(health), origins.clone());
        // With CORS, so that a page of another origin can read which path is right.
        let not_found = cross_origin::shared(any(not_found), origins.clone());
        let beside = self
            .beside
            .route_service(HEALTH, health)
            .fallback_service(not_found);
        Self { beside, ..self }
    }

    pub(super) fn into_router(self) -> Router {
        self.endpoint.into_router_at(&self.path).merge(self.beside)
    }
}

impl HttpApp for HttpRoutes {
    async fn answer(&self, request: Request<Incoming>) -> Response<ResponseBody> {
        if McpEndpoint::is_named(request.uri().path(), &self.path) {
            self.endpoint.answer(request).await
        } else {
            self.beside.answer(request).await
        }
    }
}

/// Checks that a path has plain segments only. A router would read braces as parameters, and panic
/// if they do not match.
///
/// # Errors
///
/// Returns [`ServeError::Path`] otherwise.
pub(super) fn check_path(path: &str) -> Result<(), ServeError> {
    let is_path = path.strip_prefix('/').is_some_and(|rest| {
        rest.split('/')
            .all(|segment| !segment.is_empty() && segment.bytes().all(is_plain))
    });
    if is_path {
        Ok(())
    } else {
        Err(ServeError::Path(path.to_owned()))
    }
}

/// Returns whether a segment may contain this byte without encoding: the unreserved characters (RFC
/// 3986, section 2.3), and `@`.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~@".contains(&byte)
}

/// Reports that the server is up, without authentication and for any host: probes name a container
/// by its address and have no token.
async fn health() -> AnyResponse {
    ([(CONTENT_TYPE, "application/json")], r#"{"status":"ok"}"#).into_response()
}

async fn not_found() -> AnyResponse {
    (
        StatusCode::NOT_FOUND,
        format!("Not Found: this server answers MCP at {PATH}"),
    )
        .into_response()
}
