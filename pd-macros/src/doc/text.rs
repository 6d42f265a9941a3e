//! Texts that may contain an expression of the author's, which only the compiler can evaluate.

use super::expression;
use crate::literal::text;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use std::rc::Rc;
use syn::{Attribute, Expr};

/// The character around the number of an expression in a text. No doc comment can contain it.
const MARK: char = '\0';

/// The expressions among the `#[doc = …]` of one item.
#[derive(Clone, Default)]
pub(crate) struct DocExpressions {
    /// The expressions that the macro evaluated, each with its text.
    read: Vec<(TokenStream, String)>,
    /// The expressions that only the compiler can evaluate.
    unread: Rc<Vec<TokenStream>>,
}

impl DocExpressions {
    /// Returns the text of the expression, or a placeholder for it.
    pub(super) fn read(&mut self, expression: &Expr) -> String {
        let tokens = expression.to_token_stream();
        match expression::evaluate(expression) {
            Some(text) => {
                self.read.push((tokens, text.clone()));
                // Some editors begin a file with a byte order mark.
                text.strip_prefix('\u{feff}')
                    .map(str::to_owned)
                    .unwrap_or(text)
            }
            None => {
                let unread = Rc::make_mut(&mut self.unread);
                unread.push(tokens);
                format!("{MARK}{}{MARK}", unread.len() - 1)
            }
        }
    }

    /// Returns the expression that the line is the placeholder of.
    pub(super) fn unread_in(&self, line: &str) -> Option<&TokenStream> {
        pieces(line).find_map(|piece| self.find(piece))
    }

    fn find(&self, piece: DocPiece<'_>) -> Option<&TokenStream> {
        match piece {
            DocPiece::Expression(number) => self.unread.get(number),
            DocPiece::Text(_) => None,
        }
    }

    pub(super) fn text(&self, text: String) -> DocText {
        DocText {
            text,
            unread: Rc::clone(&self.unread),
        }
    }

    /// Emits a comparison of each text that the macro read with what the compiler reads. The
    /// expression also makes the crate depend on the file, if it names one.
    pub(crate) fn emit_checks(&self, runtime: &TokenStream, cfgs: &[Attribute]) -> TokenStream {
        let checks = self.read.iter().map(|(expression, read)| {
            let read = text(read);
            let call = emit_call(runtime, "check_read_text", expression, &quote!(#read));
            quote!(#(#cfgs)* const _: () = #call;)
        });
        checks.collect()
    }

    /// Emits a check that no unread text has one of these headings, whose sections only the macro
    /// can parse.
    pub(super) fn emit_heading_checks(
        &self,
        runtime: &TokenStream,
        headings: &[&str],
    ) -> TokenStream {
        let checks = self.unread.iter().map(|expression| {
            let call = emit_call(
                runtime,
                "check_unread_text",
                expression,
                &quote!(&[#(#headings),*]),
            );
            quote!(const _: () = #call;)
        });
        checks.collect()
    }
}

/// Emits `__pd::check_read_text(concat!("a", "b"), "ab")`. rustc underlines from the path's first
/// token to the parentheses, so these have the spans of the expression.
fn emit_call(
    runtime: &TokenStream,
    function: &str,
    expression: &TokenStream,
    other: &TokenStream,
) -> TokenStream {
    let mut tokens = expression.clone().into_iter();
    let first = tokens
        .next()
        .map_or_else(Span::call_site, |token| token.span());
    let last = tokens.last().map_or(first, |token| token.span());
    let function = Ident::new(function, first);
    let runtime = runtime.clone().into_iter().map(|mut token| {
        token.set_span(first);
        token
    });
    let runtime: TokenStream = runtime.collect();
    let path = quote_spanned!(first=> #runtime::#function);
    let passed = quote_spanned!(last=> (#expression, #other));
    quote!(#path #passed)
}

/// A text for the model.
#[derive(Clone, Default)]
pub(crate) struct DocText {
    text: String,
    unread: Rc<Vec<TokenStream>>,
}

impl DocText {
    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns the text on one line, except for parts that only the compiler can read.
    pub(crate) fn on_one_line(mut self) -> Self {
        self.text = self.text.replace('\n', " ");
        self
    }
}

/// Emits a literal, or `concat!("…", shared!(), "…")`.
impl ToTokens for DocText {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        if self.unread.is_empty() || !self.text.contains(MARK) {
            return text(&self.text).to_tokens(tokens);
        }
        let pieces = pieces(&self.text).map(|piece| match piece {
            DocPiece::Text(piece) => text(piece).to_token_stream(),
            DocPiece::Expression(number) => self.unread.get(number).cloned().unwrap_or_default(),
        });
        tokens.extend(quote!(::core::concat!(#(#pieces),*)));
    }
}

/// A part of a text.
enum DocPiece<'a> {
    Text(&'a str),
    /// The number of an unread expression.
    Expression(usize),
}

/// Splits a text at its placeholders.
fn pieces(text: &str) -> impl Iterator<Item = DocPiece<'_>> {
    // Marks occur in pairs, so every second part is the number of an expression.
    let parts = text
        .split(MARK)
        .enumerate()
        .map(|(at, part)| match part.parse() {
            Ok(number) if at % 2 == 1 => DocPiece::Expression(number),
            _ => DocPiece::Text(part),
        });
    // Two neighboring placeholders have an empty text between them.
    parts.filter(|piece| !matches!(piece, DocPiece::Text("")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn an_unread_expression_stays_in_its_place() {
        let mut expressions = DocExpressions::default();
        let unread = expressions.read(&parse_quote!(shared!()));
        let text = expressions.text(format!("Before\n{unread}\nafter."));
        assert_eq!(
            text.to_token_stream().to_string(),
            ":: core :: concat ! (r#\"Before\n\"# , shared ! () , r#\"\nafter.\"#)"
        );
        assert!(
            expressions.unread_in(&unread).is_some() && expressions.unread_in("after.").is_none()
        );
    }

    #[test]
    fn a_text_without_expressions_is_a_literal() {
        let text = DocExpressions::default().text("a \0 b".to_owned());
        assert_eq!(text.to_token_stream().to_string(), "\"a \\0 b\"");
    }
}
