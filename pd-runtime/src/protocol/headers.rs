//! The HTTP headers of MCP (basic, transports).

use http::HeaderName;

/// The session that a request belongs to. Used up to 2025-11-25.
pub(crate) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");

/// The protocol version. Used since 2025-06-18.
pub(crate) const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// The method. Used since 2026-07-28.
#[cfg(feature = "http")]
pub(crate) const METHOD: HeaderName = HeaderName::from_static("mcp-method");

/// The target of a request, such as the name of a tool. Used since 2026-07-28.
#[cfg(feature = "http")]
pub(crate) const NAME: HeaderName = HeaderName::from_static("mcp-name");
