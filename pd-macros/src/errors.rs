//! The error collector: it reports every independent mistake of one declaration, each at its own
//! token.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use std::fmt::Display;
use syn::{Error, Result};

/// The mistakes so far.
#[derive(Debug, Default)]
pub(crate) struct Errors(Vec<Error>);

impl Errors {
    /// Reports `message` at `tokens`.
    pub(crate) fn at(&mut self, tokens: &impl ToTokens, message: impl Display) {
        self.0.push(Error::new_spanned(tokens, message));
    }

    /// Reports `message` at `span`.
    pub(crate) fn push(&mut self, span: Span, message: impl Display) {
        self.0.push(Error::new(span, message));
    }

    /// Returns the value, or collects the error and returns `None`.
    pub(crate) fn take<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|error| self.0.push(error)).ok()
    }

    /// Returns whether no mistake was reported.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the messages.
    #[cfg(test)]
    pub(crate) fn messages(self) -> Vec<String> {
        let errors = self.0.into_iter().flatten();
        errors.map(|error| error.to_string()).collect()
    }

    /// Emits one `compile_error!` for each mistake, with the item as prefix: "`#[pd_tool]` on
    /// `log`: …".
    pub(crate) fn into_compile_errors(self, subject: &str) -> TokenStream {
        // A `syn::Error` may combine several errors. Iteration separates them, so that each gets
        // the prefix.
        self.0
            .into_iter()
            .flatten()
            .map(|error| spread(&error, &format!("{subject}: {error}")))
            .collect()
    }
}

/// Replaces the message of an error. The tokens of `compile_error!` carry both ends of the error's
/// place; `error.span()` on stable Rust returns only the first.
fn spread(error: &Error, message: &str) -> TokenStream {
    Error::new_spanned(error.to_compile_error(), message).to_compile_error()
}
