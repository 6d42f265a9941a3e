//! The cost of a tool in the minimal listing. Compile time and run time check the budget with the
//! same estimate.

use crate::{text::token_estimate::estimate_tokens, tool::descriptor::ToolAnnotations};

/// Estimates the cost of one entry of the minimal listing, in tokens.
pub(crate) const fn listing_cost(name: &str, summary: &str, hints: &ToolAnnotations) -> usize {
    const HINT: usize = estimate_tokens(r#","annotations":{"readOnlyHint":true}"#);
    const FRAME: usize = estimate_tokens(
        r#"{"name":"","description":"","inputSchema":{"type":"object","additionalProperties":true}},"#,
    );
    // Minimal entries contain only the annotations that differ from MCP's cautious defaults: hosts
    // ask before each call of a tool that may write or destroy.
    let is_hinted =
        matches!(hints.read_only, Some(true)) || matches!(hints.destructive, Some(false));
    let words = estimate_tokens(name) + estimate_tokens(summary);
    FRAME + words + if is_hinted { HINT } else { 0 }
}
