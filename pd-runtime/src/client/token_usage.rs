//! The tokens that a conversation's tools have cost its model, by this crate's estimate.

/// The tokens that one conversation has spent on tools, by
/// [`estimate_tokens`](crate::estimate_tokens).
///
/// Results of tools are not counted: they are the purpose of the calls, not their overhead.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TokenUsage {
    /// The system prompt, as it was rendered last.
    pub prompt: usize,
    /// Definitions that were in the list from the start, or were added by a changed list.
    pub listing: usize,
    /// Descriptions, counted when the conversation first got them and after each change.
    pub descriptions: usize,
    /// Refusals of calls that could not be repeated with success.
    pub refusals: usize,
}

impl TokenUsage {
    /// Returns the sum of all fields.
    pub fn total(&self) -> usize {
        self.prompt + self.listing + self.descriptions + self.refusals
    }
}
