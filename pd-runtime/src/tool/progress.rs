//! The progress that a tool reported, for tests.

/// One progress report of a recorded call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// The amount of work that is done.
    pub done: f64,
    /// The amount of work in total, if the tool knows it.
    pub total: Option<f64>,
    /// A description of the current step. May be empty.
    pub message: String,
}
