//! A tool's contract in few tokens: a declaration like TypeScript's, exact enough to call from.
//!
//! ```text
//! // Commits of one branch or path.
//! log({
//!  path?: string // Only commits that touch this path.
//!  limit?: int(1..500) = 20 // How many commits to return.
//!  kinds?: ("merge"|"plain")[1..2, unique]
//! }): {commits: {id: string, at: string}[]}
//! // e.g. {"path":"src/lib.rs"}
//! ```
//!
//! What follows a kind in parentheses limits it: a string's length, a number's range, both ends included. An object takes what it
//! names, and more only where it says `...` or `[key]: …`. `oneOf(a|b)` means exactly one, `exact {…}` refuses what a form beside
//! it asks for, and `schema({…})` is JSON Schema that has no shorter form. Every constraint of the input schema is told; results
//! are told in brief, and help for errors comes with the errors.

mod ast;
mod call;
mod comments;
mod definitions;
mod disjoint;
mod keywords;
mod limits;
mod lower;
mod render;
mod results;
mod types;

use crate::registry::{Registry, tool_spec::About};
use call::Call;

/// A signature's text, put together once and copied for each caller.
#[derive(Debug, Clone)]
pub(crate) struct Signature {
    /// What the tool is for.
    head: Box<str>,
    call: Call,
    results: Box<str>,
    example: Box<str>,
}

impl Signature {
    pub(crate) fn new(about: &About) -> Self {
        Self {
            head: comments::head(about).into(),
            call: Call::new(&about.name, &about.input.schema),
            results: about.output_schema.as_deref().map(results::text).unwrap_or_default().into(),
            example: comments::example(about).into(),
        }
    }

    /// Writes what the tool is for, how it is called, what comes back, and an example. A `ticket` is one more argument.
    pub(crate) fn write(&self, out: &mut String, ticket: Option<&str>) {
        out.push_str(&self.head);
        self.call.write(out, ticket, &self.results);
        out.push_str(&self.example);
    }

    /// Writes only how the tool is called.
    #[cfg(test)]
    pub(crate) fn write_call(&self, out: &mut String, ticket: Option<&str>) {
        self.call.write(out, ticket, "");
    }

    /// At least as many bytes as [`Signature::write`] adds.
    pub(crate) fn len(&self) -> usize {
        self.head.len() + self.call.len() + self.results.len() + self.example.len()
    }
}

impl<S: 'static> Registry<S> {
    /// A tool's contract in few tokens: a declaration like TypeScript's, with docs, defaults and limits, exact enough to call
    /// from. It does not repeat the summary. `None` where no tool is called `name`.
    ///
    /// ```
    /// use pd_runtime::prelude::*;
    ///
    /// /// Highest temperature of each day, in °C.
    /// #[pd_tool(summary = "Forecast the weather of a city")]
    /// fn forecast(
    ///     /// A city's name, in any language.
    ///     city: String,
    ///     /// How many days ahead.
    ///     #[arg(default = 3, minimum = 1, maximum = 10)]
    ///     days: u8,
    /// ) -> Json<Vec<f64>> {
    ///     Json(vec![21.5; days.into()])
    /// }
    ///
    /// let registry: Registry<()> = pd_runtime::registry! { forecast };
    /// assert_eq!(
    ///     registry.signature("forecast").as_deref(),
    ///     Some("\
    /// // Highest temperature of each day, in °C.
    /// forecast({
    ///  city: string // A city's name, in any language
    ///  days?: int(1..10) = 3 // How many days ahead
    /// }): number[]")
    /// );
    /// ```
    ///
    /// Limits hold both ends: `int(1..10)`, `string(1..200)` (its length), `string[>=1]` (how many). An object takes what it
    /// names, and more only where it says `...` or `[key]: …`. `oneOf(a|b)` means exactly one, `exact {…}` refuses what a form
    /// beside it asks for, and `schema({…})` is JSON Schema that has no shorter form. Results are told in brief.
    pub fn signature(&self, name: &str) -> Option<String> {
        let signature = Signature::new(&self.tool(name)?.about);
        let mut out = String::with_capacity(signature.len());
        signature.write(&mut out, None);
        Some(out)
    }
}

#[cfg(test)]
mod tests;
