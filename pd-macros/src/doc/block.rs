//! Paragraphs and fenced code blocks: the subset of Markdown that doc sections need.

use super::line::{self, DocLine};
use proc_macro2::Span;

/// A paragraph or a fenced code block.
pub(super) enum DocBlock {
    Paragraph(Vec<DocLine>),
    Fence(FencedBlock),
}

/// A fenced block of code.
pub(super) struct FencedBlock {
    /// The info string of the fence, as `json`.
    pub(super) label: String,
    pub(super) opening: DocLine,
    pub(super) body: Vec<DocLine>,
    pub(super) closing: Option<DocLine>,
}

impl FencedBlock {
    /// Returns all lines of the block as written.
    pub(super) fn into_lines(self) -> Vec<DocLine> {
        [self.opening]
            .into_iter()
            .chain(self.body)
            .chain(self.closing)
            .collect()
    }
}

/// The marker of an open fence, which determines the line that closes it.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Fence {
    mark: char,
    length: usize,
}

impl Fence {
    /// Returns the fence that this line opens, and its label.
    pub(super) fn opened_by(line: &str) -> Option<(Self, &str)> {
        let text = line.trim_start();
        let mark = text
            .chars()
            .next()
            .filter(|mark| ['`', '~'].contains(mark))?;
        let label = text.trim_start_matches(mark);
        let length = text.len() - label.len();
        // A backtick in the label makes the line inline code (CommonMark, "Fenced code blocks").
        let opens = length >= 3 && !(mark == '`' && label.contains('`'));
        opens.then(|| (Self { mark, length }, label.trim()))
    }

    /// Returns whether this line closes the fence: same marker, at least the same length, no label.
    pub(super) fn is_closed_by(self, line: &str) -> bool {
        Self::opened_by(line).is_some_and(|(other, label)| {
            // A closing line has no label (CommonMark, "Fenced code blocks").
            label.is_empty() && other.mark == self.mark && other.length >= self.length
        })
    }

    /// Returns the fence that is open after `line`, if `open` was the state before it.
    pub(super) fn after(open: Option<Self>, line: &str) -> Option<Self> {
        match open {
            Some(fence) => (!fence.is_closed_by(line)).then_some(fence),
            None => Self::opened_by(line).map(|(fence, _)| fence),
        }
    }
}

/// Splits lines at blank lines and fences.
pub(super) fn split(lines: &[DocLine]) -> Vec<DocBlock> {
    let mut blocks = Vec::new();
    let mut paragraph = Vec::new();
    let mut rest = lines.iter();
    while let Some(line) = rest.next() {
        let fence = Fence::opened_by(&line.text);
        // A fence may interrupt a paragraph (CommonMark, "Fenced code blocks").
        if (line.is_blank() || fence.is_some()) && !paragraph.is_empty() {
            blocks.push(DocBlock::Paragraph(std::mem::take(&mut paragraph)));
        }
        match fence {
            Some((fence, label)) => {
                blocks.push(DocBlock::Fence(read_fence(fence, label, line, &mut rest)))
            }
            None if line.is_blank() => {}
            None => paragraph.push(line.clone()),
        }
    }
    if !paragraph.is_empty() {
        blocks.push(DocBlock::Paragraph(paragraph));
    }
    blocks
}

fn read_fence<'a>(
    fence: Fence,
    label: &str,
    opening: &DocLine,
    rest: &mut impl Iterator<Item = &'a DocLine>,
) -> FencedBlock {
    let mut fenced = FencedBlock {
        label: label.to_owned(),
        opening: opening.clone(),
        body: Vec::new(),
        closing: None,
    };
    // Without a closing line, the block goes to the end of the text, as in CommonMark.
    for line in rest {
        if fence.is_closed_by(&line.text) {
            fenced.closing = Some(line.clone());
            break;
        }
        fenced.body.push(line.clone());
    }
    fenced
}

/// Returns the first paragraph on one line, or `None` if the text begins with a heading or a fence.
pub(super) fn first_paragraph(lines: &[DocLine]) -> Option<(String, Span)> {
    match split(lines).into_iter().next()? {
        DocBlock::Paragraph(lines) => {
            let first = lines.first().filter(|line| !line.text.starts_with('#'))?;
            Some((line::flow(&lines), first.span))
        }
        DocBlock::Fence(_) => None,
    }
}
