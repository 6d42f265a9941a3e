//! All errors of a registry in one.

use super::RegistryError;
use std::fmt;

/// All errors found in a registry.
#[derive(Clone, PartialEq, Eq)]
pub struct RegistryErrors(Vec<RegistryError>);

impl RegistryErrors {
    pub(crate) fn fail_if_any(found: Vec<RegistryError>) -> Result<(), Self> {
        if found.is_empty() {
            Ok(())
        } else {
            Err(Self(found))
        }
    }

    /// Returns the errors.
    pub fn iter(&self) -> impl Iterator<Item = &RegistryError> {
        self.0.iter()
    }
}

impl std::error::Error for RegistryErrors {}

impl fmt::Display for RegistryErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.0.len() == 1 {
            "problem"
        } else {
            "problems"
        };
        write!(f, "the registry has {} {plural}:", self.0.len())?;
        self.0
            .iter()
            .try_for_each(|problem| write!(f, "\n- {problem}"))
    }
}

// `unwrap` in a test prints the `Debug` form, so it is the readable message.
impl fmt::Debug for RegistryErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
