//! Doc comments as data: a tool's description, examples, guidance, notes and errors, and the text
//! of a parameter or a group.

mod block;
mod bullet;
mod example;
mod flow;
mod line;
mod link;
mod section;

pub(crate) use self::{bullet::ErrorBullet, example::Example, line::Line};

use self::section::{Kind, Section};
use crate::errors::Errors;
use proc_macro2::{Span, TokenStream};
use syn::Attribute;

/// The parsed doc comment of a tool.
#[derive(Default)]
pub(crate) struct Doc {
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
pub(crate) fn parse(attributes: &[Attribute], errors: &mut Errors) -> Doc {
    let source = line::read(attributes);
    // Links are reduced before anything else, so that summary, description and bullets are all free
    // of them.
    let lines = link::shrink(source.lines);
    // A fence without an end makes every later section part of its code, so fences are checked over
    // all lines.
    example::check_fences(&lines, errors);
    let mut doc = Doc { first_paragraph: block::first_paragraph(&lines), ..Doc::default() };
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

impl Doc {
    fn read_section(&mut self, section: Section, description: &mut Vec<Line>, errors: &mut Errors) {
        let Section { heading, lines } = section;
        match section::kind(heading.as_ref(), errors) {
            Kind::Other => description.extend(heading.into_iter().chain(lines)),
            Kind::Examples => self.examples.extend(example::parse(heading.as_ref(), &lines, errors)),
            Kind::Guidance => self.guidance.extend(texts(bullet::parse("Guidance", &lines, errors))),
            Kind::Notes => self.notes.extend(texts(bullet::parse("Notes", &lines, errors))),
            Kind::Errors => {
                let (bullets, prose) = bullet::parse_errors(&lines, errors);
                self.errors.extend(bullets);
                // Only a code can be an entry of the error help. The prose stays in the
                // description, below its heading.
                if !prose.iter().all(Line::is_blank) {
                    description.extend(heading.into_iter().chain(prose));
                }
            }
            Kind::ForRustdoc => {}
        }
    }
}

fn texts(bullets: Vec<Line>) -> impl Iterator<Item = String> {
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
    let end = lines.iter().skip(first).position(Line::is_blank).map_or(lines.len(), |length| first + length);
    let (paragraph, rest) = lines.split_at(end);
    (line::flow(paragraph), flow::join(rest))
}
