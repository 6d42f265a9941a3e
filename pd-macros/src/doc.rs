//! Doc comments as data: a tool's description, examples, guidance, notes and errors, and the text
//! of a parameter or a group.

mod block;
mod bullet;
mod example;
mod expression;
mod flow;
mod line;
mod link;
mod section;
mod text;

pub(crate) use self::{
    bullet::ErrorBullet,
    example::Example,
    line::DocLine,
    text::{DocExpressions, DocText},
};

use self::section::{DocSection, SectionKind};
use crate::errors::Errors;
use proc_macro2::{Span, TokenStream};
use syn::Attribute;

/// The parsed doc comment of a tool.
#[derive(Default)]
pub(crate) struct ToolDoc {
    /// The first paragraph on one line, and its span.
    pub(crate) first_paragraph: Option<(String, Span)>,
    /// All text outside the known sections.
    pub(crate) description: DocText,
    pub(crate) examples: Vec<Example>,
    pub(crate) guidance: Vec<String>,
    pub(crate) notes: Vec<String>,
    pub(crate) errors: Vec<ErrorBullet>,
    pub(crate) expressions: DocExpressions,
}

/// Parses a tool's doc comment.
pub(crate) fn parse(attributes: &[Attribute], errors: &mut Errors) -> ToolDoc {
    let source = line::read(attributes);
    // Links are reduced before anything else, so that summary, description and bullets are all free
    // of them.
    let lines = link::shrink(source.lines);
    // A fence without an end makes every later section part of its code, so fences are checked over
    // all lines.
    example::check_fences(&lines, errors);
    let mut doc = ToolDoc {
        first_paragraph: block::first_paragraph(&lines),
        ..ToolDoc::default()
    };
    doc.expressions = source.expressions;
    let mut description = Vec::new();
    let sections = section::split(lines);
    section::check(&sections, errors);
    for section in sections {
        doc.read_section(section, &mut description, errors);
    }
    doc.description = doc.expressions.text(flow::join(&description));
    doc
}

impl ToolDoc {
    fn read_section(
        &mut self,
        section: DocSection,
        description: &mut Vec<DocLine>,
        errors: &mut Errors,
    ) {
        let DocSection { heading, mut lines } = section;
        let kind = section::kind(heading.as_ref(), errors);
        if let Some(heading) = heading.as_ref().filter(|_| kind.is_parsed()) {
            self.refuse_unread(heading, &mut lines, errors);
        }
        match kind {
            SectionKind::Other => description.extend(heading.into_iter().chain(lines)),
            SectionKind::Examples => {
                self.examples
                    .extend(example::parse(heading.as_ref(), &lines, errors))
            }
            SectionKind::Guidance => self
                .guidance
                .extend(texts(bullet::parse("Guidance", &lines, errors))),
            SectionKind::Notes => self
                .notes
                .extend(texts(bullet::parse("Notes", &lines, errors))),
            SectionKind::Errors => {
                let (bullets, prose) = bullet::parse_errors(&lines, errors);
                self.errors.extend(bullets);
                // Only a code can be an entry of the error help. The prose stays in the
                // description, below its heading.
                if !prose.iter().all(DocLine::is_blank) {
                    description.extend(heading.into_iter().chain(prose));
                }
            }
            SectionKind::ForRustdoc => {}
        }
    }

    /// Removes texts that only the compiler can read from a section that the macro parses.
    fn refuse_unread(&self, heading: &DocLine, lines: &mut Vec<DocLine>, errors: &mut Errors) {
        lines.retain(|line| {
            let unread = self.expressions.unread_in(&line.text);
            if let Some(expression) = unread {
                let title = heading.text.trim();
                let message =
                    format!("{UNREAD}, so it cannot be part of `{title}`; {READABLE}, or move it above the heading");
                errors.at(expression, message);
            }
            unread.is_none()
        });
    }

    /// Returns the part of the first paragraph that only the compiler can read.
    pub(crate) fn unread_summary(&self) -> Option<&TokenStream> {
        self.first_paragraph
            .as_ref()
            .and_then(|(paragraph, _)| self.expressions.unread_in(paragraph))
    }

    /// Emits what the compiler checks of the texts.
    pub(crate) fn emit_checks(&self, runtime: &TokenStream) -> TokenStream {
        let mut checks = self.expressions.emit_checks(runtime, &[]);
        checks.extend(
            self.expressions
                .emit_heading_checks(runtime, &section::titles()),
        );
        checks
    }
}

/// The beginning of an error about a text that only the compiler can read.
pub(crate) const UNREAD: &str = "a macro cannot read this text";

/// The forms that a macro can read.
pub(crate) const READABLE: &str = "write the text itself, `concat!(…)` or `include_str!(…)`";

fn texts(bullets: Vec<DocLine>) -> impl Iterator<Item = String> {
    bullets.into_iter().map(|bullet| bullet.text)
}

/// A doc comment without sections.
#[derive(Default)]
pub(crate) struct PlainDoc {
    /// The first paragraph on one line. Empty if the comment does not ask for it.
    pub(crate) summary: String,
    pub(crate) text: DocText,
    pub(crate) expressions: DocExpressions,
}

/// Returns a doc comment without sections as one text.
pub(crate) fn plain(attributes: &[Attribute]) -> PlainDoc {
    let source = line::read(attributes);
    let text = source
        .expressions
        .text(flow::join(&link::shrink(source.lines)));
    PlainDoc {
        summary: String::new(),
        text,
        expressions: source.expressions,
    }
}

/// Splits a doc comment into its first paragraph on one line, and the rest.
pub(crate) fn split_first(attributes: &[Attribute]) -> PlainDoc {
    let source = line::read(attributes);
    let lines = link::shrink(source.lines);
    let first = lines
        .iter()
        .position(|line| !line.is_blank())
        .unwrap_or_default();
    let end = lines
        .iter()
        .skip(first)
        .position(DocLine::is_blank)
        .map_or(lines.len(), |length| first + length);
    let (paragraph, rest) = lines.split_at(end);
    let text = source.expressions.text(flow::join(rest));
    PlainDoc {
        summary: line::flow(paragraph),
        text,
        expressions: source.expressions,
    }
}

impl PlainDoc {
    /// Returns the part of the summary that only the compiler can read.
    pub(crate) fn unread_summary(&self) -> Option<&TokenStream> {
        self.expressions.unread_in(&self.summary)
    }
}
