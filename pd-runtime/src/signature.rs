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

mod apart;
mod definitions;
mod form;
mod keywords;
mod layout;
mod limits;
mod prose;
mod read;
mod results;

use crate::{
    descriptor::TICKET_ARGUMENT,
    registry::{Registry, about::About},
};
use form::{Form, Object};
use layout::Page;
use read::Reader;
use serde_json::Value;

/// A signature's text, put together once and cut where a caller's ticket goes in.
#[derive(Debug, Clone)]
pub(crate) struct Signature {
    /// What the tool is for.
    head: Box<str>,
    /// The declaration up to the last argument.
    before: Box<str>,
    /// What stands between the last argument and one more.
    separator: &'static str,
    /// The rest of the declaration.
    after: Box<str>,
    results: Box<str>,
    /// The types that the arguments name.
    types: Box<str>,
    example: Box<str>,
}

impl Signature {
    pub(crate) fn new(about: &About) -> Self {
        let schema = Value::Object((*about.input.schema).clone());
        let reader = Reader::of(&schema);
        let arguments = reader.as_ref().map_or_else(|| Form::verbatim(&schema), |reader| reader.root(&schema));
        let mut page = Page::default();
        page.push(&about.name);
        let (object, beside) = root(arguments, &mut page);
        page.push(if object.is_exact && !beside.is_empty() { "(exact {" } else { "({" });
        page.members(&object);
        let before = if object.is_empty() { page.cut() } else { page.cut_line() };
        page.push(if object.is_empty() { "}" } else { "\n}" });
        beside.iter().for_each(|form| page.and(form));
        page.push(")");
        let after = page.cut();
        page.end();
        for (name, form) in reader.iter().flat_map(Reader::types) {
            page.push(&format!("\ntype {name} = "));
            page.form(&form);
            page.end();
        }
        Self {
            head: prose::head(about).into(),
            before,
            separator: if object.is_empty() { "" } else { "\n " },
            after,
            results: results(about).into(),
            types: page.cut(),
            example: prose::example(about).map(|example| format!("\n{example}")).unwrap_or_default().into(),
        }
    }

    /// Writes what the tool is for, how it is called, and what comes back. A `ticket` is one more argument.
    pub(crate) fn write(&self, out: &mut String, ticket: Option<&str>) {
        out.push_str(&self.head);
        self.declare(out, ticket, &self.results);
        out.push_str(&self.example);
    }

    /// Writes only how the tool is called, where its summary stands beside it.
    #[cfg_attr(not(test), expect(dead_code, reason = "for surfaces that list several tools"))]
    pub(crate) fn write_call(&self, out: &mut String, ticket: Option<&str>) {
        self.declare(out, ticket, "");
    }

    fn declare(&self, out: &mut String, ticket: Option<&str>, results: &str) {
        out.push_str(&self.before);
        if let Some(ticket) = ticket {
            for part in [self.separator, TICKET_ARGUMENT, ": \"", ticket, "\""] {
                out.push_str(part);
            }
        }
        for part in [&self.after, results, &self.types] {
            out.push_str(part);
        }
    }

    /// At least as many bytes as [`Signature::write`] adds.
    pub(crate) fn len(&self) -> usize {
        let parts = [&self.head, &self.before, &self.after, &self.results, &self.types, &self.example];
        parts.iter().map(|part| part.len()).sum::<usize>() + TICKET_MAX
    }
}

/// The longest argument for a ticket, in bytes.
const TICKET_MAX: usize = 48;

/// The arguments as an object, and what else they must be.
fn root(arguments: Form, page: &mut Page) -> (Object, Vec<Form>) {
    match arguments {
        Form::Told(form, about) => {
            page.remark(&about);
            root(*form, page)
        }
        Form::Object(object) => (object, Vec::new()),
        Form::AllOf(mut forms) => match forms.iter().position(|form| matches!(form, Form::Object(_))) {
            Some(index) => match forms.remove(index) {
                Form::Object(object) => (object, forms),
                other => (Object::default(), vec![other]),
            },
            None => (Object::default(), forms),
        },
        other => (Object::default(), vec![other]),
    }
}

fn results(about: &About) -> String {
    let Some(schema) = &about.output_schema else { return String::new() };
    let mut page = Page::default();
    page.push(": ");
    page.form(&results::read(&Value::Object((**schema).clone())));
    page.text
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
    ///  city: string // A city's name, in any language.
    ///  days?: int(1..10) = 3 // How many days ahead.
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
