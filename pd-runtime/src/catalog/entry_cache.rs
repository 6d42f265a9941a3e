//! The parts of a tool that are built on first use: no server shows all tools in all forms, and one
//! with very many tools shows few of them.

use super::{outline::ListedNames, rendered_tool::RenderedTool, token_cost::TokenCosts};
use crate::catalog::signature::ToolSignature;
use pd_schema::CompiledSchema;

use std::sync::OnceLock;

/// The parts of one tool. Each is built on first use, and kept.
#[derive(Debug, Default)]
pub(super) struct EntryCache {
    /// The digest as `sha256:…`, as surfaces send it.
    pub(super) digest_text: OnceLock<Box<str>>,
    pub(super) costs: TokenCosts,
    /// The entry in a minimal list.
    pub(super) minimal: OnceLock<Box<rmcp::model::Tool>>,
    pub(super) outline: OnceLock<Box<OutlineEntry>>,
    /// The entry in a list for clients that request brief lists.
    pub(super) brief: OnceLock<Box<rmcp::model::Tool>>,
    pub(super) modern: OnceLock<Box<RenderedTool>>,
    /// The rendering for clients before 2026-07-28, if structured results are not objects and have
    /// to be wrapped for them. Most tools have one rendering.
    pub(super) legacy: OnceLock<Option<Box<RenderedTool>>>,
    /// Most signatures are never rendered: only hosts that prefer signatures request them.
    pub(super) signature: OnceLock<ToolSignature>,
    pub(super) fits_providers: OnceLock<bool>,
    /// The output schema, if results are checked against it.
    pub(super) promised_result: OnceLock<Option<CompiledSchema>>,
}

/// The entry of a tool in a list in outline.
#[derive(Debug)]
pub(super) struct OutlineEntry {
    pub(super) tool: rmcp::model::Tool,
    pub(super) names: ListedNames,
}
