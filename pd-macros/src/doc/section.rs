//! The sections of a tool's doc comment: which heading means what, and near misses of one that does.

use super::{block::Fence, line::Line};
use crate::{errors::Errors, nearest::distance};

/// A heading and the lines below it; the text before the first heading has none.
pub(super) struct Section {
    pub(super) heading: Option<Line>,
    pub(super) lines: Vec<Line>,
}

/// What a section is for.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Examples,
    Guidance,
    Notes,
    Errors,
    /// `# Panics` and `# Safety` speak to Rust callers.
    ForRustdoc,
    /// Part of the description.
    Other,
}

impl Kind {
    fn is_list(self) -> bool {
        matches!(self, Self::Guidance | Self::Notes | Self::Errors)
    }
}

/// The headings that mean something.
const HEADINGS: &[(&str, Kind)] = &[
    ("Examples", Kind::Examples),
    ("Example", Kind::Examples),
    ("Guidance", Kind::Guidance),
    ("Notes", Kind::Notes),
    ("Errors", Kind::Errors),
    ("Panics", Kind::ForRustdoc),
    ("Safety", Kind::ForRustdoc),
];

/// Splits at headings, where a section of ours keeps the deeper headings below it. Text in a fence is never a heading.
pub(super) fn split(lines: Vec<Line>) -> Vec<Section> {
    let mut sections = vec![Section { heading: None, lines: Vec::new() }];
    let mut fence = None;
    for line in lines {
        let heading = if fence.is_none() { heading(&line.text) } else { None };
        fence = Fence::after(fence, &line.text);
        match (heading, sections.last_mut()) {
            (Some((level, title)), Some(current)) if level > 1 && current.is_ours() && near_miss(title).is_none() => {
                current.lines.push(line);
            }
            (None, Some(current)) => current.lines.push(line),
            _ => sections.push(Section { heading: Some(line), lines: Vec::new() }),
        }
    }
    sections
}

impl Section {
    fn is_ours(&self) -> bool {
        self.heading.as_ref().is_some_and(|line| meaning(&line.text) != Kind::Other)
    }
}

/// `## Title` as level and title.
fn heading(line: &str) -> Option<(usize, &str)> {
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    ((1..=6).contains(&level) && title.starts_with(' ')).then(|| (level, title.trim()))
}

fn meaning(line: &str) -> Kind {
    let known = HEADINGS.iter().find(|(title, _)| heading(line) == Some((1, title)));
    known.map_or(Kind::Other, |(_, kind)| *kind)
}

/// A section that says something stands once, or a reader of one misses the other; and says it.
pub(super) fn check(sections: &[Section], errors: &mut Errors) {
    let mut earlier = Vec::new();
    for (heading, lines) in sections.iter().filter_map(|section| Some((section.heading.as_ref()?, &section.lines))) {
        let (kind, title) = (meaning(&heading.text), heading.text.trim());
        if earlier.contains(&kind) {
            errors.push(heading.span, format_args!("a second `{title}`; put what it holds under the first"));
        } else if kind.is_list() && lines.iter().all(Line::is_blank) {
            let message = format_args!("nothing stands below `{title}`; begin a line with `- `, or remove the heading");
            errors.push(heading.span, message);
        }
        earlier.extend(Some(kind).filter(|kind| kind.is_list() || *kind == Kind::Examples));
    }
}

/// What the heading means; one that nearly means something is reported, since its section would be lost in the text.
pub(super) fn kind(line: Option<&Line>, errors: &mut Errors) -> Kind {
    let Some(line) = line else { return Kind::Other };
    let kind = meaning(&line.text);
    if kind == Kind::Other
        && let Some((level, title)) = heading(&line.text)
        && let Some(meant) = near_miss(title)
    {
        let marks = "#".repeat(level);
        errors.push(line.span, format_args!("the heading `{marks} {title}` means nothing here; write `# {meant}`"));
    }
    kind
}

fn near_miss(title: &str) -> Option<&'static str> {
    let lower = title.to_lowercase();
    let near = |known: &str| {
        let known = known.to_lowercase();
        let singular = known.trim_end_matches('s');
        // Short words have innocent neighbours ("Nodes"), so only long ones are forgiven a letter.
        lower == known || lower == singular || (known.len() > 6 && distance(&lower, &known) <= 2)
    };
    HEADINGS.iter().map(|(known, _)| *known).find(|known| near(known))
}
