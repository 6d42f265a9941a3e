//! The charge for `initialize`. It opens a session, which takes memory here and in the store that
//! replicas share. So a principal pays for it as for a call, besides the rate of sessions that
//! applies to all callers. The charge is made before rmcp reads the request, because rmcp opens the
//! session first.

use super::initialize_size;
use crate::{
    http_sessions::HttpRefusal,
    policy::rate_limit::retry_after::TryLater,
    protocol::headers::{METHOD, SESSION_ID, VERSION},
    server::erased_server::ErasedServer,
    tool::principal::Principal,
};
use http::{HeaderMap, Method, StatusCode, request::Parts};
use rmcp::{
    ErrorData,
    model::{ConstString, InitializeResultMethod, ProtocolVersion},
};

/// Charges a request that opens a session to the principal that sent it.
///
/// # Errors
///
/// Returns the answer to a principal that is at its limit.
pub(super) fn charge(
    host: &dyn ErasedServer,
    parts: &Parts,
    body: &[u8],
) -> Result<(), HttpRefusal> {
    let Some(principal) = parts
        .extensions
        .get::<Principal>()
        .filter(|_| may_open(parts))
    else {
        return Ok(());
    };
    // Checked last: it parses the body, and only for requests that may open a session.
    if !initialize_size::is_initialize(body) {
        return Ok(());
    }
    host.served().charge_session(principal).map_err(refusal)
}

fn may_open(parts: &Parts) -> bool {
    parts.method == Method::POST
        && !parts.headers.contains_key(SESSION_ID)
        && !names_another_method(&parts.headers)
}

/// Returns whether rmcp would refuse an `initialize` in the body. From 2026-07-28 on, a header that
/// names the method must match the body.
fn names_another_method(headers: &HeaderMap) -> bool {
    let version = headers
        .get(VERSION)
        .and_then(|version| version.to_str().ok());
    // Versions are dates, which compare as text.
    let is_named =
        version.is_some_and(|version| version >= ProtocolVersion::STANDARD_HEADERS.as_str());
    is_named
        && headers
            .get(METHOD)
            .is_some_and(|method| method != InitializeResultMethod::VALUE)
}

fn refusal(later: TryLater) -> HttpRefusal {
    let seconds = later.retry_after;
    HttpRefusal::new(
        StatusCode::TOO_MANY_REQUESTS,
        ErrorData::from(later).message,
    )
    .retry_after(seconds)
}
