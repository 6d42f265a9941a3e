//! Paragraphs and fences: as much of Markdown as doc sections need.

use super::line::{self, Line};
use proc_macro2::Span;

/// A run of lines.
pub(super) enum Block {
    Paragraph(Vec<Line>),
    Fence(Fenced),
}

/// A fenced block of code.
pub(super) struct Fenced {
    /// What the fence says its content is.
    pub(super) label: String,
    pub(super) opening: Line,
    pub(super) body: Vec<Line>,
    pub(super) closing: Option<Line>,
}

impl Fenced {
    /// All of it, as it stands in the doc comment.
    pub(super) fn into_lines(self) -> Vec<Line> {
        [self.opening].into_iter().chain(self.body).chain(self.closing).collect()
    }
}

/// What begins a fence, so that its end is known.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Fence {
    mark: char,
    length: usize,
}

impl Fence {
    /// The fence that this line opens, and its label.
    pub(super) fn opened_by(line: &str) -> Option<(Self, &str)> {
        let text = line.trim_start();
        let mark = text.chars().next().filter(|mark| ['`', '~'].contains(mark))?;
        let label = text.trim_start_matches(mark);
        let length = text.len() - label.len();
        let opens = length >= 3 && !(mark == '`' && label.contains('`'));
        opens.then(|| (Self { mark, length }, label.trim()))
    }

    /// Whether this line closes it.
    pub(super) fn is_closed_by(self, line: &str) -> bool {
        Self::opened_by(line)
            .is_some_and(|(other, label)| label.is_empty() && other.mark == self.mark && other.length >= self.length)
    }

    /// The fence that is open after `line`, when `open` was before it.
    pub(super) fn after(open: Option<Self>, line: &str) -> Option<Self> {
        match open {
            Some(fence) => (!fence.is_closed_by(line)).then_some(fence),
            None => Self::opened_by(line).map(|(fence, _)| fence),
        }
    }
}

/// Splits lines at blank lines and fences.
pub(super) fn split(lines: &[Line]) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut paragraph = Vec::new();
    let mut rest = lines.iter();
    while let Some(line) = rest.next() {
        let fence = Fence::opened_by(&line.text);
        if (line.is_blank() || fence.is_some()) && !paragraph.is_empty() {
            blocks.push(Block::Paragraph(std::mem::take(&mut paragraph)));
        }
        match fence {
            Some((fence, label)) => blocks.push(Block::Fence(read_fence(fence, label, line, &mut rest))),
            None if line.is_blank() => {}
            None => paragraph.push(line.clone()),
        }
    }
    if !paragraph.is_empty() {
        blocks.push(Block::Paragraph(paragraph));
    }
    blocks
}

fn read_fence<'a>(fence: Fence, label: &str, opening: &Line, rest: &mut impl Iterator<Item = &'a Line>) -> Fenced {
    let mut fenced = Fenced { label: label.to_owned(), opening: opening.clone(), body: Vec::new(), closing: None };
    for line in rest {
        if fence.is_closed_by(&line.text) {
            fenced.closing = Some(line.clone());
            break;
        }
        fenced.body.push(line.clone());
    }
    fenced
}

/// The paragraph that the text begins with, on one line; a text may begin with a heading or a fence instead.
pub(super) fn first_paragraph(lines: &[Line]) -> Option<(String, Span)> {
    match split(lines).into_iter().next()? {
        Block::Paragraph(lines) => {
            let first = lines.first().filter(|line| !line.text.starts_with('#'))?;
            Some((line::flow(&lines), first.span))
        }
        Block::Fence(_) => None,
    }
}
