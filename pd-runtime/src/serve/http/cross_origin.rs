//! Cross-origin resource sharing (CORS): the headers by which a browser lets a page of another
//! origin send MCP's requests and read the answers. Which origins may is `request_source`'s business.

use super::request_source::AllowedOrigins;
use crate::protocol::headers::{SESSION_ID, VERSION};
use http::{
    Method,
    header::{RETRY_AFTER, WWW_AUTHENTICATE},
};
use std::time::Duration;
use tower_http::cors::{AllowHeaders, AllowOrigin, Cors, CorsLayer};

/// How long a browser need not ask again. Chromium keeps no answer for longer.
const MAX_AGE: Duration = Duration::from_secs(2 * 60 * 60);

/// The service with CORS for these origins.
///
/// The layer answers every `OPTIONS` request itself, so hosts and origins have to be checked before
/// it. A preflight request carries no token, so callers are authenticated behind it.
pub(super) fn shared<S>(inner: S, origins: AllowedOrigins) -> Cors<S> {
    Cors::new(inner)
        .allow_origin(AllowOrigin::predicate(move |origin, _| origins.allow(origin)))
        .allow_methods([Method::GET, Method::POST, Method::DELETE])
        // No list can name `Mcp-Param-*`, nor the header of an author's own `Authenticate`; `*` does
        // not cover `Authorization`.
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers([SESSION_ID, VERSION, WWW_AUTHENTICATE, RETRY_AFTER])
        .max_age(MAX_AGE)
}

/// CORS for documents that every page may read.
pub(super) fn public() -> CorsLayer {
    CorsLayer::new()
        .allow_origin(tower_http::cors::Any)
        .allow_methods([Method::GET])
        .allow_headers(AllowHeaders::mirror_request())
        .max_age(MAX_AGE)
}
