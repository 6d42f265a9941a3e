//! Identifiers that clients and servers declare in `initialize`: MCP extensions, and the versions of Delta-MCP.

/// This project's extension. A client that declares it promises to describe a tool before it calls the tool.
pub(crate) const DISCLOSURE: &str = "dev.pd-runtime/disclosure";
/// The Groups extension (draft).
pub(crate) const GROUPS: &str = "io.modelcontextprotocol/groups";
/// Prefix of the versions that Delta-MCP's clients send in place of a date. Clients and servers agree within a major
/// version.
pub(crate) const DELTA_VERSION_PREFIX: &str = "delta-mcp/0.";
