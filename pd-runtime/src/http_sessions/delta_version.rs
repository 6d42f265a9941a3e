//! The `MCP-Protocol-Version` header of Delta-MCP clients. They send the same value with every
//! request: the date of the version that they build on, or the version of Delta-MCP. The body of
//! `initialize` has the latter, and rmcp refuses a header that differs from the body, or that is
//! not a date.

use crate::protocol::{
    extensions::DELTA_ANY_VERSION_PREFIX,
    headers::{METHOD, VERSION},
};
use http::HeaderMap;
use rmcp::model::ProtocolVersion;

/// Returns whether a Delta-MCP client may have sent these headers with `initialize`: the version is
/// one of Delta-MCP, or one that rmcp knows.
pub(crate) fn may_be_delta(headers: &HeaderMap) -> bool {
    let is_known = |version: &str| {
        ProtocolVersion::KNOWN_VERSIONS
            .iter()
            .any(|known| known.as_str() == version)
    };
    only(headers).is_some_and(|version| is_delta(version) || is_known(version))
}

/// Returns whether a request's version would exclude it from the session that it names, although a
/// Delta-MCP client may have sent it.
pub(super) fn excludes_session(headers: &HeaderMap) -> bool {
    // From 2026-07-28 on, rmcp refuses a request that does not name its method. So no request of
    // that version is taken for one of the session.
    let has_no_sessions = |version: &str| {
        version == ProtocolVersion::V_2026_07_28.as_str() && !headers.contains_key(METHOD)
    };
    only(headers).is_some_and(|version| is_delta(version) || has_no_sessions(version))
}

fn is_delta(version: &str) -> bool {
    version.starts_with(DELTA_ANY_VERSION_PREFIX)
}

/// Returns the version, if the header occurs exactly once.
fn only(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(VERSION).iter();
    let value = values.next().filter(|_| values.next().is_none())?;
    value.to_str().ok()
}
