//! Signatures: the contract of a tool in few tokens. A signature is a declaration like
//! TypeScript's, exact enough to call the tool.
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
//! Parentheses after a type contain its limits: the length of a string, or the range of a number,
//! both ends included. An object accepts only the properties that it names, and others only if it
//! contains `...` or `[key]: …`. `oneOf(a|b)` means exactly one. `exact {…}` refuses the properties
//! of the other part of an intersection. `schema({…})` is JSON Schema without a shorter form. A
//! signature keeps every constraint of the input schema. It shows results in brief. Help for errors
//! comes with the errors.

pub(crate) mod argument;
mod ast;
mod call;
mod comments;
mod definitions;
mod disjoint;
mod limits;
mod lower;
mod render;
mod results;
mod value_types;
pub(crate) mod variants;

use crate::registry::{Registry, tool_spec::ToolSpec};
use call::CallDeclaration;
use comments::ExampleComment;

/// The space reserved for the ticket argument, in bytes.
const TICKET_MAX: usize = 48;

/// The text of a signature, rendered once and copied for each caller.
#[derive(Debug, Clone)]
pub(crate) struct ToolSignature {
    /// The comments above the declaration.
    head: Box<str>,
    call: CallDeclaration,
    results: Box<str>,
    example: ExampleComment,
}

impl ToolSignature {
    pub(crate) fn new(about: &ToolSpec) -> Self {
        Self {
            head: comments::head(about).into(),
            call: CallDeclaration::new(&about.name, &about.input.schema),
            results: about
                .output_schema
                .as_deref()
                .map(results::text)
                .unwrap_or_default()
                .into(),
            example: ExampleComment::new(about),
        }
    }

    /// Returns the same signature under another name.
    pub(crate) fn with_name(mut self, name: &str) -> Self {
        self.call = self.call.with_name(name);
        self
    }

    /// Appends the purpose of the tool, the declaration, the result type, and an example. `ticket`
    /// is an extra argument, of the declaration and of the example.
    pub(crate) fn write(&self, out: &mut String, ticket: Option<&str>) {
        self.write_declaration(out, ticket);
        self.example.write(out, ticket);
    }

    /// Appends the same without the example and without a ticket, for answers that contain a call.
    pub(crate) fn write_without_example(&self, out: &mut String) {
        self.write_declaration(out, None);
    }

    /// Renders the call on one line: required arguments with their types, optional ones by name, and
    /// no comments. Returns `None` if the line would not say all that is required.
    pub(crate) fn outline(&self, ticket: Option<&str>) -> Option<String> {
        self.call.outline(ticket)
    }

    fn write_declaration(&self, out: &mut String, ticket: Option<&str>) {
        out.push_str(&self.head);
        self.call.write(out, ticket, &self.results);
    }

    /// Appends the declaration only.
    #[cfg(test)]
    pub(crate) fn write_call(&self, out: &mut String, ticket: Option<&str>) {
        self.call.write(out, ticket, "");
    }

    /// Returns an upper bound on the number of bytes that [`ToolSignature::write`] appends.
    pub(crate) fn len(&self) -> usize {
        self.head.len() + self.call.len() + self.results.len() + self.example.len()
    }
}

impl<S: 'static> Registry<S> {
    /// Returns the contract of a tool in few tokens: a declaration like TypeScript's, with docs,
    /// defaults and limits, exact enough to call the tool. It does not repeat the summary. Returns
    /// `None` if no tool is called `name`.
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
    /// Limits include both ends: `int(1..10)`, `string(1..200)` (its length), `string[>=1]` (the
    /// number of items). An object accepts only the properties that it names, and others only if it
    /// contains `...` or `[key]: …`. `oneOf(a|b)` means exactly one. `exact {…}` refuses the
    /// properties of the other part of an intersection. `schema({…})` is JSON Schema without a
    /// shorter form. Results are shown in brief.
    pub fn signature(&self, name: &str) -> Option<String> {
        let signature = ToolSignature::new(&self.tool(name)?.about);
        let mut out = String::with_capacity(signature.len());
        signature.write(&mut out, None);
        Some(out)
    }
}

#[cfg(test)]
mod tests;
