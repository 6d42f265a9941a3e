//! The size of a document: how many values and levels it may have.

use super::error::OpenApiError;
use std::cell::Cell;

/// The most values in a document, with those that aliases repeat. A value takes up to 100 bytes.
pub(super) const VALUES_MAX: usize = 2_000_000;
/// The most levels of a YAML document. serde_json has the same limit for JSON.
pub(super) const LEVELS_MAX: usize = 127;

/// The values that a document may still have.
#[derive(Debug)]
pub(super) struct ValueBudget(Cell<usize>);

impl Default for ValueBudget {
    fn default() -> Self {
        Self::new(VALUES_MAX)
    }
}

impl ValueBudget {
    pub(super) fn new(values: usize) -> Self {
        Self(Cell::new(values))
    }

    /// Takes this many values.
    ///
    /// # Errors
    ///
    /// Returns an error if the document has more values than it may have.
    pub(super) fn take(&self, values: usize) -> Result<(), OpenApiError> {
        let left = self.0.get().checked_sub(values);
        self.0.set(left.unwrap_or_default());
        left.map(drop)
            .ok_or(OpenApiError::TooManyValues { max: VALUES_MAX })
    }
}
