//! Values that must not appear in logs, errors or files.

use std::fmt;

/// A text that may be a secret: the value of an environment variable or of an HTTP header.
///
/// `Debug` hides the text. There is no `Display`, so that no format string prints it by accident.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretText(String);

impl SecretText {
    /// Wraps a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the text. The caller must not log it or store it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretText(hidden)")
    }
}
