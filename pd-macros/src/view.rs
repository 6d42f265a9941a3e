//! `ui = "ui/board.html"`, or `ui("ui/board.html", { "csp": { … } })`: the page that hosts render
//! for the calls of a tool, and what the page may do; and `visibility = "app"`.

use crate::{json, keys};
use proc_macro2::{Ident, Span, TokenTree};
use serde_json::Value;
use syn::{Error, LitStr, Result, Token, parse::ParseStream};

const USAGE: &str = "`ui` is written `ui = \"ui/page.html\"`, or `ui(\"ui/page.html\", { \"csp\": { \"connectDomains\": [\"https://…\"] } })`";

/// The key `ui`.
pub(crate) struct ViewKey {
    /// The file, from the directory of the package.
    pub(crate) file: LitStr,
    /// `_meta.ui` of the page's resource, and where it begins.
    pub(crate) settings: Option<(Value, Span)>,
}

impl ViewKey {
    pub(crate) fn parse(key: &Ident, input: ParseStream<'_>) -> Result<Self> {
        if input.peek(Token![=]) {
            return keys::text(key, input).map(|file| Self {
                file,
                settings: None,
            });
        }
        if !input.peek(syn::token::Paren) {
            return Err(Error::new(keys::span_at(key, input), USAGE));
        }
        let written = |error: Error| Error::new(error.span(), USAGE);
        let list = keys::list(key, input, "(\"ui/page.html\", { … })", |inside| {
            let file = inside.parse().map_err(written)?;
            if inside.parse::<Option<Token![,]>>()?.is_none() || inside.is_empty() {
                return Ok((file, None));
            }
            // The span of the group, and not of its first token.
            let span = inside.fork().parse::<TokenTree>()?.span();
            let settings = json::parse(inside)?;
            inside.parse::<Option<Token![,]>>()?;
            Ok((file, Some((settings, span))))
        });
        list.map(|(file, settings)| Self { file, settings })
    }
}

/// Who calls a tool, if it is not for both models and views.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolVisibility {
    Model,
    App,
}

/// The key `visibility`, with its text for errors.
pub(crate) struct VisibilityKey {
    pub(crate) text: LitStr,
    pub(crate) value: ToolVisibility,
}

impl VisibilityKey {
    pub(crate) fn parse(key: &Ident, input: ParseStream<'_>) -> Result<Self> {
        let text = keys::text(key, input)?;
        let value = match text.value().as_str() {
            "model" => ToolVisibility::Model,
            "app" => ToolVisibility::App,
            _ => {
                return Err(Error::new(
                    text.span(),
                    "`visibility` is `\"app\"` for a tool that views alone call, or `\"model\"`; without it, both call the tool",
                ));
            }
        };
        Ok(Self { text, value })
    }
}

/// A page that passed all rules.
pub(crate) struct CheckedView {
    pub(crate) file: String,
    /// `_meta.ui` of the page's resource, as JSON text. Empty if the author sets nothing.
    pub(crate) settings: String,
    /// The names of the tools that the page calls.
    pub(crate) calls: Vec<String>,
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use quote::quote;
    use syn::parse::Parser;

    fn parsed(tokens: proc_macro2::TokenStream) -> Result<ViewKey> {
        let parser = |input: ParseStream<'_>| {
            let key: Ident = input.parse()?;
            ViewKey::parse(&key, input)
        };
        parser.parse2(tokens)
    }

    #[test]
    fn a_page_stands_alone_or_with_settings() {
        for tokens in [
            quote!(ui = "a.html"),
            quote!(ui("a.html")),
            quote!(ui("a.html",)),
        ] {
            let key = parsed(tokens).unwrap();
            assert_eq!(key.file.value(), "a.html");
            assert!(key.settings.is_none());
        }
        let key = parsed(quote!(ui("a.html", { "prefersBorder": true },))).unwrap();
        assert_eq!(
            key.settings.unwrap().0,
            serde_json::json!({ "prefersBorder": true })
        );
        for (tokens, why) in [
            (quote!(ui), "`ui` is written"),
            (quote!(ui()), "`ui` is written"),
            (quote!(ui(3)), "`ui` is written"),
            (quote!(ui("a.html", { prefers: true })), "expected"),
        ] {
            let error = parsed(tokens).err().unwrap().to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
