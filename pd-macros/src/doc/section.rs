//! The sections of a tool's doc comment: recognized headings, and headings that are almost one.

use super::{block::Fence, line::DocLine};
use crate::{errors::Errors, nearest::nearest};

/// A heading and the lines below it. The text before the first heading has none.
pub(super) struct DocSection {
    pub(super) heading: Option<DocLine>,
    pub(super) lines: Vec<DocLine>,
}

/// The role of a section.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum SectionKind {
    Examples,
    Guidance,
    Notes,
    Errors,
    /// `# Panics` and `# Safety` address Rust callers and are dropped.
    ForRustdoc,
    /// Part of the description.
    Other,
}

impl SectionKind {
    fn is_list(self) -> bool {
        matches!(self, Self::Guidance | Self::Notes | Self::Errors)
    }

    /// Returns whether the section becomes fields of the description.
    pub(super) fn is_parsed(self) -> bool {
        self.is_list() || self == Self::Examples
    }
}

/// The recognized headings.
const HEADINGS: &[(&str, SectionKind)] = &[
    ("Examples", SectionKind::Examples),
    ("Example", SectionKind::Examples),
    ("Guidance", SectionKind::Guidance),
    ("Notes", SectionKind::Notes),
    ("Errors", SectionKind::Errors),
    ("Panics", SectionKind::ForRustdoc),
    ("Safety", SectionKind::ForRustdoc),
];

/// Returns the titles of the sections that become fields of the description.
pub(super) fn titles() -> Vec<&'static str> {
    HEADINGS
        .iter()
        .filter(|(_, kind)| kind.is_parsed())
        .map(|(title, _)| *title)
        .collect()
}

/// Splits the lines at headings. A recognized section keeps deeper headings as part of its text.
/// Headings in fences are ignored.
pub(super) fn split(lines: Vec<DocLine>) -> Vec<DocSection> {
    let mut sections = vec![DocSection {
        heading: None,
        lines: Vec::new(),
    }];
    let mut fence = None;
    for line in lines {
        let heading = if fence.is_none() {
            heading(&line.text)
        } else {
            None
        };
        fence = Fence::after(fence, &line.text);
        match (heading, sections.last_mut()) {
            // A deeper heading that is almost a recognized one starts a section, so that `kind`
            // reports it.
            (Some((level, title)), Some(current))
                if level > 1 && current.is_ours() && near_miss(title).is_none() =>
            {
                current.lines.push(line);
            }
            (None, Some(current)) => current.lines.push(line),
            _ => sections.push(DocSection {
                heading: Some(line),
                lines: Vec::new(),
            }),
        }
    }
    sections
}

impl DocSection {
    fn is_ours(&self) -> bool {
        self.heading
            .as_ref()
            .is_some_and(|line| meaning(&line.text) != SectionKind::Other)
    }
}

/// Parses `## Title` into level and title.
fn heading(line: &str) -> Option<(usize, &str)> {
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    ((1..=6).contains(&level) && title.starts_with(' ')).then(|| (level, title.trim()))
}

fn meaning(line: &str) -> SectionKind {
    let known = HEADINGS
        .iter()
        .find(|(title, _)| heading(line) == Some((1, title)));
    known.map_or(SectionKind::Other, |(_, kind)| *kind)
}

/// Reports a recognized section that occurs twice, because readers stop at the first, and an empty
/// list section.
pub(super) fn check(sections: &[DocSection], errors: &mut Errors) {
    let mut earlier = Vec::new();
    for (heading, lines) in sections
        .iter()
        .filter_map(|section| Some((section.heading.as_ref()?, &section.lines)))
    {
        let kind = meaning(&heading.text);
        let title = heading.text.trim();
        if earlier.contains(&kind) {
            errors.push(
                heading.span,
                format_args!("a second `{title}`; put what it holds under the first"),
            );
        } else if kind.is_list() && lines.iter().all(DocLine::is_blank) {
            let message = format!(
                "there is no text below `{title}`; begin a line with `- `, or remove the heading"
            );
            errors.push(heading.span, message);
        }
        // Sections for rustdoc are dropped, so a second one is harmless.
        earlier.extend(Some(kind).filter(|kind| kind.is_list() || *kind == SectionKind::Examples));
    }
}

/// Returns the role of a heading. Reports a heading that is almost a recognized one, because its
/// section would become part of the description.
pub(super) fn kind(line: Option<&DocLine>, errors: &mut Errors) -> SectionKind {
    let Some(line) = line else {
        return SectionKind::Other;
    };
    let kind = meaning(&line.text);
    if kind == SectionKind::Other
        && let Some((level, title)) = heading(&line.text)
        && let Some(meant) = near_miss(title)
    {
        let marks = "#".repeat(level);
        errors.push(
            line.span,
            format_args!("the heading `{marks} {title}` has no meaning here; write `# {meant}`"),
        );
    }
    kind
}

fn near_miss(title: &str) -> Option<&'static str> {
    let lower = title.to_lowercase();
    let near = |known: &str| {
        let known = known.to_lowercase();
        let singular = known.trim_end_matches('s');
        // Short titles resemble unrelated words ("Notes" and "Nodes"), so only long titles tolerate
        // misspellings.
        lower == known
            || lower == singular
            || (known.len() > 6 && nearest(&lower, [known.as_str()]).is_some())
    };
    HEADINGS
        .iter()
        .map(|(known, _)| *known)
        .find(|known| near(known))
}
