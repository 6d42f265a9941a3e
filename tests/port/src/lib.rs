//! docs-mcp, a public server on rmcp, in three forms: its tools adopted unchanged, half of them moved, all moved.
//!
//! One client script runs against each form and against docs-mcp itself (`tests/script.rs`). The server's own code is
//! the published crate; `docs-mcp/server.rs` is a copy of the one file that declares its tools, under its licence.

#[expect(
    missing_debug_implementations,
    missing_docs,
    reason = "it contains a file that is not ours"
)]
pub mod adopted;
pub mod full;
pub mod half;
pub mod offline;

// `docs-mcp/server.rs` names its tools by this path.
use docs_mcp::tools;
