//! Identifiers that clients and servers declare in `initialize`: MCP extensions, and the versions
//! of Delta-MCP.

/// This project's extension. A client that declares it promises to describe each tool before it
/// calls the tool.
pub(crate) const DISCLOSURE: &str = "dev.pd-runtime/disclosure";
/// The setting of a client that passes the tools on, and describes them itself: a gateway. It is
/// listed full definitions, and its calls need no proof of a description.
pub(crate) const RELAY: &str = "relay";
/// The Groups extension (draft).
pub(crate) const GROUPS: &str = "io.modelcontextprotocol/groups";
/// The prefix of the versions that clients of Delta-MCP send in place of a date. Client and server
/// are compatible within a major version.
pub(crate) const DELTA_VERSION_PREFIX: &str = "delta-mcp/0.";
/// The prefix of the versions of Delta-MCP of any major version. A client of another major version
/// is served as a standard client, over the same transport.
#[cfg(feature = "http")]
pub(crate) const DELTA_ANY_VERSION_PREFIX: &str = "delta-mcp/";
