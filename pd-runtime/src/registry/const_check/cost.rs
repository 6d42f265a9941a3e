//! What a tool costs in the minimal listing: the figure that a budget bounds, at compile time and at run time alike.

use crate::{text::token_estimate::estimate_tokens, tool::descriptor::Hints};

/// About what one entry of the minimal listing costs, in tokens.
pub(crate) const fn listing_cost(name: &str, summary: &str, hints: &Hints) -> usize {
    const HINT: usize = estimate_tokens(r#","annotations":{"readOnlyHint":true}"#);
    const FRAME: usize =
        estimate_tokens(r#"{"name":"","description":"","inputSchema":{"type":"object","additionalProperties":true}},"#);
    let is_hinted = matches!(hints.read_only, Some(true)) || matches!(hints.destructive, Some(false));
    let words = estimate_tokens(name) + estimate_tokens(summary);
    FRAME + words + if is_hinted { HINT } else { 0 }
}
