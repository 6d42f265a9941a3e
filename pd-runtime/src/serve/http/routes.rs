//! All that a server answers over HTTP: the endpoint, and what is beside it.

use super::{
    PATH, connection::App, cross_origin, endpoint::Endpoint, request_source::AllowedOrigins, response_body::Content,
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

/// The endpoint and what is beside it. No router stands before the endpoint, which almost every request is for.
#[derive(Clone)]
pub(super) struct Site {
    pub(super) endpoint: Endpoint,
    /// The path of the endpoint.
    pub(super) path: Arc<str>,
    pub(super) beside: Router,
}

/// Where load balancers and orchestrators ask whether the server answers.
const HEALTH: &str = "/health";

impl Site {
    /// The site of a server that has no routes but ours: with [`HEALTH`], and an answer at all other
    /// paths that names the endpoint's.
    pub(super) fn standalone(self, origins: &AllowedOrigins) -> Self {
        let health = cross_origin::shared(get(health), origins.clone());
        let not_found = cross_origin::shared(any(not_found), origins.clone());
        let beside = self.beside.route_service(HEALTH, health).fallback_service(not_found);
        Self { beside, ..self }
    }

    pub(super) fn into_router(self) -> Router {
        self.endpoint.at(&self.path).merge(self.beside)
    }
}

impl App for Site {
    async fn answer(&self, request: Request<Incoming>) -> Response<Content> {
        if Endpoint::is_named(request.uri().path(), &self.path) {
            self.endpoint.answer(request).await
        } else {
            self.beside.answer(request).await
        }
    }
}

/// Checks that a path is one of plain segments. A router would take braces for parameters, and panic where they do not match.
///
/// # Errors
///
/// [`ServeError::Path`].
pub(super) fn check_path(path: &str) -> Result<(), ServeError> {
    let is_plain = |segment: &str| !segment.is_empty() && segment.bytes().all(is_plain);
    let is_path = path.strip_prefix('/').is_some_and(|rest| rest.split('/').all(is_plain));
    if is_path { Ok(()) } else { Err(ServeError::Path(path.to_owned())) }
}

/// What a segment consists of without encoding (RFC 3986, section 2.3), and `~` and `@`.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~@".contains(&byte)
}

/// Reports that the server answers, to anybody: probes name a container by its address and have no
/// token.
async fn health() -> AnyResponse {
    ([(CONTENT_TYPE, "application/json")], r#"{"status":"ok"}"#).into_response()
}

async fn not_found() -> AnyResponse {
    (StatusCode::NOT_FOUND, format!("Not Found: this server answers MCP at {PATH}")).into_response()
}
