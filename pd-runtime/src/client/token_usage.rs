//! What a conversation's tools have cost its model so far, by the estimate that this crate uses everywhere.

/// Tokens that one conversation spent on tools, by [`estimate_tokens`](crate::estimate_tokens).
///
/// What tools answered is not in it: that is what they are for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tokens {
    /// The system prompt, as it was made last.
    pub prompt: usize,
    /// Definitions that stood in the set of tools from the start, or joined it with a changed list.
    pub listing: usize,
    /// Descriptions, each when this conversation was first given it, and again when it changed.
    pub descriptions: usize,
    /// What refusals cost whose calls were not mended.
    pub refusals: usize,
}

impl Tokens {
    /// All that was spent.
    pub fn total(&self) -> usize {
        self.prompt + self.listing + self.descriptions + self.refusals
    }
}
