//! The lines of a doc comment with their spans.

use super::text::DocExpressions;
use crate::attributes::called;
use proc_macro2::Span;
use syn::{Attribute, Expr, ExprLit, Lit, Meta, spanned::Spanned};

/// One line of a doc comment.
#[derive(Clone)]
pub(crate) struct DocLine {
    pub(crate) text: String,
    pub(crate) span: Span,
}

impl DocLine {
    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    fn indent(&self) -> usize {
        self.text.chars().take_while(|c| *c == ' ').count()
    }
}

/// The lines of a doc comment, and its expressions.
#[derive(Default)]
pub(super) struct DocSource {
    pub(super) lines: Vec<DocLine>,
    pub(super) expressions: DocExpressions,
}

/// Reads every `#[doc = …]`, and removes the common indentation.
pub(super) fn read(attributes: &[Attribute]) -> DocSource {
    let mut source = DocSource::default();
    let mut comments = Vec::new();
    for attribute in called(attributes, "doc") {
        if let Meta::NameValue(pair) = &attribute.meta {
            comments.push(source.read_value(&pair.value));
        }
    }
    dedent(&mut comments);
    source.lines = comments.into_iter().flatten().collect();
    source
}

impl DocSource {
    fn read_value(&mut self, value: &Expr) -> Vec<DocLine> {
        match value {
            // `macro_rules!` passes `$doc:literal` in an invisible group.
            Expr::Group(group) => self.read_value(&group.expr),
            Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            }) => {
                let mut lines = lines_at(undecorated(&text.value()), text.span());
                dedent_rest(&mut lines);
                lines
            }
            other => {
                let lines = self
                    .expressions
                    .read(other)
                    .lines()
                    .map(str::to_owned)
                    .collect();
                lines_at(lines, other.span())
            }
        }
    }
}

fn lines_at(texts: Vec<String>, span: Span) -> Vec<DocLine> {
    texts
        .into_iter()
        .map(|text| DocLine { text, span })
        .collect()
}

/// Splits one comment into lines. Removes the leading stars of a `/** … */` comment.
fn undecorated(text: &str) -> Vec<String> {
    // Stars are decoration only if every further line has one. Otherwise they may be list items.
    let starred = text.contains('\n')
        && text
            .lines()
            .skip(1)
            .all(|line| line.trim().is_empty() || stars(line).is_some());
    // `str::lines` yields nothing for an empty `///`, which is a blank line.
    if text.is_empty() {
        vec![String::new()]
    } else {
        text.lines()
            .map(|line| {
                if starred {
                    stars(line).unwrap_or(line).to_owned()
                } else {
                    line.to_owned()
                }
            })
            .collect()
    }
}

fn stars(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix('*')
}

/// Removes the indentation that the further lines of `/** One` share beyond that of the first line.
/// They are indented as the comment is, and would be code otherwise.
fn dedent_rest(lines: &mut [DocLine]) {
    let Some((first, rest)) = lines.split_first_mut() else {
        return;
    };
    // A comment of this form begins with a space.
    if first.is_blank() || first.indent() == 0 {
        return;
    }
    let further = rest.iter().filter(|line| !line.is_blank());
    let shared = further.map(DocLine::indent).min().unwrap_or_default();
    let removed = shared.saturating_sub(first.indent());
    for line in rest {
        line.text = line.text.get(removed..).unwrap_or_default().to_owned();
    }
}

/// Removes the common indentation. If a `#[doc = "…"]` without indentation is among the comments,
/// `///` lines lose only the space after the slashes, as in rustdoc.
fn dedent(comments: &mut [Vec<DocLine>]) {
    let indent = |comment: &Vec<DocLine>| {
        comment
            .iter()
            .filter(|line| !line.is_blank())
            .map(DocLine::indent)
            .min()
    };
    let shared = comments.iter().filter_map(indent).min().unwrap_or_default();
    for comment in comments {
        let indent = indent(comment).unwrap_or_default().min(shared.max(1));
        for line in comment {
            line.text = line
                .text
                // A blank line may be shorter than the indentation.
                .get(indent..)
                .unwrap_or_default()
                .trim_end()
                .to_owned();
        }
    }
}

/// Joins the lines unchanged, without leading or trailing blank lines.
pub(super) fn join(lines: &[DocLine]) -> String {
    let texts: Vec<_> = lines.iter().map(|line| line.text.as_str()).collect();
    texts.join("\n").trim_matches('\n').to_owned()
}

/// Joins the lines into one line.
pub(super) fn flow(lines: &[DocLine]) -> String {
    let texts: Vec<_> = lines
        .iter()
        .map(|line| line.text.trim())
        .filter(|text| !text.is_empty())
        .collect();
    texts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    fn texts(attributes: &[Attribute]) -> Vec<String> {
        read(attributes)
            .lines
            .into_iter()
            .map(|line| line.text)
            .collect()
    }

    #[test]
    fn a_shared_indent_is_not_part_of_the_text() {
        assert_eq!(
            texts(&[
                parse_quote!(#[doc = " One"]),
                parse_quote!(#[doc = "   two"])
            ]),
            ["One", "  two"]
        );
        assert_eq!(
            texts(&[parse_quote!(#[doc = "One\n\n    code"])]),
            ["One", "", "    code"]
        );
    }

    #[test]
    fn the_indent_of_a_block_comment_is_not_part_of_the_text() {
        let comment = " One\n\n        # Errors\n\n        - a\n          b\n    ";
        assert_eq!(
            texts(&[parse_quote!(#[doc = #comment])]),
            ["One", "", "# Errors", "", "- a", "  b", ""]
        );
        assert_eq!(
            texts(&[parse_quote!(#[doc = " One\n two\n   three"])]),
            ["One", "two", "  three"]
        );
    }

    #[test]
    fn comments_and_attributes_may_alternate() {
        let mixed = [
            parse_quote!(#[doc = " # Notes"]),
            parse_quote!(#[doc = ""]),
            parse_quote!(#[doc = "- Slow."]),
        ];
        assert_eq!(texts(&mixed), ["# Notes", "", "- Slow."]);
        assert_eq!(
            texts(&[
                parse_quote!(#[doc = "A:"]),
                parse_quote!(#[doc = "     code"])
            ]),
            ["A:", "    code"]
        );
    }

    #[test]
    fn expressions_keep_their_place_and_their_stars() {
        let mixed = [
            parse_quote!(#[doc = " Before."]),
            parse_quote!(#[doc = concat!("# Notes\n", "* Slow.")]),
            parse_quote!(#[doc = shared!()]),
            parse_quote!(#[doc = " After."]),
        ];
        assert_eq!(
            texts(&mixed),
            ["Before.", "# Notes", "* Slow.", "\x000\0", "After."]
        );
    }
}
