//! Doc comments as data: a tool's description, examples, guidance, notes and errors, and the text
//! of a parameter or a group.

mod block;
mod bullet;
mod example;
mod flow;
mod line;
mod link;
mod section;

pub(crate) use self::{bullet::ErrorBullet, example::Example, line::DocLine};

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
    pub(crate) description: String,
    pub(crate) examples: Vec<Example>,
    pub(crate) guidance: Vec<String>,
    pub(crate) notes: Vec<String>,
    pub(crate) errors: Vec<ErrorBullet>,
    /// A doc attribute that only the compiler can evaluate: `#[doc = include_str!(…)]`.
    pub(crate) unreadable: Option<TokenStream>,
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
    let mut doc = ToolDoc { first_paragraph: block::first_paragraph(&lines), ..ToolDoc::default() };
    doc.unreadable = source.unreadable;
    let mut description = Vec::new();
    let sections = section::split(lines);
    section::check(&sections, errors);
    for section in sections {
        doc.read_section(section, &mut description, errors);
    }
    doc.description = flow::join(&description);
    doc
}

impl ToolDoc {
    fn read_section(&mut self, section: DocSection, description: &mut Vec<DocLine>, errors: &mut Errors) {
        let DocSection { heading, lines } = section;
        match section::kind(heading.as_ref(), errors) {
            SectionKind::Other => description.extend(heading.into_iter().chain(lines)),
            SectionKind::Examples => self.examples.extend(example::parse(heading.as_ref(), &lines, errors)),
            SectionKind::Guidance => self.guidance.extend(texts(bullet::parse("Guidance", &lines, errors))),
            SectionKind::Notes => self.notes.extend(texts(bullet::parse("Notes", &lines, errors))),
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
}

fn texts(bullets: Vec<DocLine>) -> impl Iterator<Item = String> {
    bullets.into_iter().map(|bullet| bullet.text)
}

/// Returns a doc comment without sections as one text.
pub(crate) fn plain(attributes: &[Attribute]) -> String {
    flow::join(&link::shrink(line::read(attributes).lines))
}

/// Splits a doc comment into its first paragraph on one line, and the rest.
pub(crate) fn split_first(attributes: &[Attribute]) -> (String, String) {
    let lines = link::shrink(line::read(attributes).lines);
    let first = lines.iter().position(|line| !line.is_blank()).unwrap_or_default();
    let end = lines.iter().skip(first).position(DocLine::is_blank).map_or(lines.len(), |length| first + length);
    let (paragraph, rest) = lines.split_at(end);
    (line::flow(paragraph), flow::join(rest))
}
