//! Cross-origin resource sharing (CORS): the headers by which a browser lets pages of another
//! origin send MCP requests and read the answers. `request_source` decides which origins are
//! allowed.

use super::request_source::AllowedOrigins;
use crate::protocol::headers::{SESSION_ID, VERSION};
use http::{
    Method,
    header::{RETRY_AFTER, WWW_AUTHENTICATE},
};
use std::time::Duration;
use tower_http::cors::{AllowHeaders, AllowOrigin, Cors, CorsLayer};

/// The time for which a browser may cache the answer to a preflight request. Chromium caps it at
/// two hours.
const MAX_AGE: Duration = Duration::from_secs(2 * 60 * 60);

/// Wraps a service with CORS for these origins.
///
/// The layer answers every `OPTIONS` request itself, so hosts and origins must be checked before
/// it. A preflight request has no token, so authentication comes after it.
pub(super) fn shared<S>(inner: S, origins: AllowedOrigins) -> Cors<S> {
    Cors::new(inner)
        .allow_origin(AllowOrigin::predicate(move |origin, _| {
            origins.allow(origin)
        }))
        .allow_methods([Method::GET, Method::POST, Method::DELETE])
        // A list cannot contain `Mcp-Param-*`, or the header of an author's own `Authenticate`. `*`
        // does not cover `Authorization`.
        .allow_headers(AllowHeaders::mirror_request())
        // A browser hides these headers by default, and a page needs them to go on, to log in and
        // to try again.
        .expose_headers([SESSION_ID, VERSION, WWW_AUTHENTICATE, RETRY_AFTER])
        .max_age(MAX_AGE)
}

/// Returns CORS for documents that every page may read.
pub(super) fn public() -> CorsLayer {
    CorsLayer::new()
        .allow_origin(tower_http::cors::Any)
        .allow_methods([Method::GET])
        .allow_headers(AllowHeaders::mirror_request())
        .max_age(MAX_AGE)
}
