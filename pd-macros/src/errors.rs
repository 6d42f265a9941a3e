//! The collector: every independent mistake of one declaration is reported, each at its own token.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use std::fmt::Display;
use syn::{Error, Result};

/// The mistakes found so far.
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

    /// Keeps the error, if it is one, and goes on without the value.
    pub(crate) fn take<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|error| self.0.push(error)).ok()
    }

    /// Whether nothing is wrong.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One `compile_error!` each, which says whose fault it is: "#[pd_tool] on `log`: …".
    pub(crate) fn into_compile_errors(self, subject: &str) -> TokenStream {
        let named = |error: Error| spread(&error, &format!("{subject}: {error}"));
        self.0.into_iter().flatten().map(named).collect()
    }
}

/// Says `message` where `error` is: its own tokens carry both ends of its place, `error.span()` only the first.
fn spread(error: &Error, message: &str) -> TokenStream {
    Error::new_spanned(error.to_compile_error(), message).to_compile_error()
}
