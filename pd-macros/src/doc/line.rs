//! The lines of a doc comment, each with the place it came from.

use crate::attributes::called;
use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// One line.
#[derive(Clone)]
pub(crate) struct Line {
    pub(crate) text: String,
    pub(crate) span: Span,
}

impl Line {
    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    fn indent(&self) -> usize {
        self.text.chars().take_while(|c| *c == ' ').count()
    }
}

/// A doc comment's lines, and whether there is a part that cannot be read.
#[derive(Default)]
pub(super) struct Source {
    pub(super) lines: Vec<Line>,
    pub(super) unreadable: Option<TokenStream>,
}

/// Reads every `#[doc = "…"]`, without the indent that all lines share.
pub(super) fn read(attributes: &[Attribute]) -> Source {
    let mut source = Source::default();
    for attribute in called(attributes, "doc") {
        if let Meta::NameValue(pair) = &attribute.meta {
            source.read_value(&pair.value);
        }
    }
    dedent(&mut source.lines);
    source
}

impl Source {
    fn read_value(&mut self, value: &Expr) {
        match value {
            // `macro_rules!` hands `$doc:literal` over in an invisible group.
            Expr::Group(group) => self.read_value(&group.expr),
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => {
                let undecorated = undecorated(&text.value());
                self.lines.extend(undecorated.into_iter().map(|line| Line { text: line, span: text.span() }));
            }
            other => self.unreadable = Some(other.to_token_stream()),
        }
    }
}

/// The lines of one comment; a `/** … */` loses the stars that begin its lines.
fn undecorated(text: &str) -> Vec<String> {
    let starred =
        text.contains('\n') && text.lines().skip(1).all(|line| line.trim().is_empty() || stars(line).is_some());
    let plain = |line: &str| if starred { stars(line).unwrap_or(line).to_owned() } else { line.to_owned() };
    if text.is_empty() { vec![String::new()] } else { text.lines().map(plain).collect() }
}

fn stars(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix('*')
}

/// Removes the indent that all lines share.
fn dedent(lines: &mut [Line]) {
    let written = lines.iter().filter(|line| !line.is_blank());
    let shared = written.map(Line::indent).min().unwrap_or_default();
    for line in lines {
        line.text = line.text.get(shared..).unwrap_or_default().trim_end().to_owned();
    }
}

/// The lines as they stand, without blank edges.
pub(super) fn join(lines: &[Line]) -> String {
    let texts: Vec<_> = lines.iter().map(|line| line.text.as_str()).collect();
    texts.join("\n").trim_matches('\n').to_owned()
}

/// The lines as one flowing line.
pub(super) fn flow(lines: &[Line]) -> String {
    let texts: Vec<_> = lines.iter().map(|line| line.text.trim()).filter(|text| !text.is_empty()).collect();
    texts.join(" ")
}
