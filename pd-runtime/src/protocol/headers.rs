//! The headers of MCP over HTTP (basic, transports).

use http::HeaderName;

/// The session that a request belongs to, up to 2025-11-25.
pub(crate) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");

/// The protocol version; from 2025-06-18 on.
pub(crate) const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// The method; from 2026-07-28 on.
#[cfg(feature = "http")]
pub(crate) const METHOD: HeaderName = HeaderName::from_static("mcp-method");

/// What a request is about, a tool's name for one; from 2026-07-28 on.
#[cfg(feature = "http")]
pub(crate) const NAME: HeaderName = HeaderName::from_static("mcp-name");
