//! The cause of an error, from the format string that `thiserror` renders for a variant.

use proc_macro2::TokenStream;
use syn::{Attribute, LitStr, parse::ParseStream};

/// The placeholder for a value without a name.
const UNNAMED: &str = "…";

/// Renders the text of `#[error("…")]` for a tool description: `{path}` for a named value, `…` for
/// any other value. Returns `None` if the text is not a literal, cannot be parsed, or contains no
/// word besides its values.
pub(super) fn parse(attributes: &[Attribute]) -> Option<String> {
    let attribute = attributes
        .iter()
        .find(|attribute| attribute.path().is_ident("error"))?;
    let text = attribute.parse_args_with(first_literal).ok()?;
    render(&text.value())
}

/// Parses the format string and skips the argument expressions after it.
fn first_literal(input: ParseStream<'_>) -> syn::Result<LitStr> {
    let text = input.parse()?;
    input.parse::<TokenStream>()?;
    Ok(text)
}

fn render(format: &str) -> Option<String> {
    let mut cause = String::with_capacity(format.len());
    let mut has_words = false;
    let mut rest = format;
    while let Some(at) = rest.find(['{', '}']) {
        let (words, braces) = rest.split_at(at);
        has_words |= words.contains(char::is_alphanumeric);
        cause.push_str(words);
        // `{{` begins like a placeholder, so escapes are looked for first.
        rest = match escaped(braces) {
            Some((brace, after)) => {
                cause.push(brace);
                after
            }
            None => {
                let (placeholder, after) = braces.strip_prefix('{')?.split_once('}')?;
                push_value(&mut cause, placeholder);
                after
            }
        };
    }
    cause.push_str(rest);
    has_words |= rest.contains(char::is_alphanumeric);
    // A cause of placeholders alone, as `{0}`, explains nothing.
    has_words.then(|| cause.replace('\n', " "))
}

/// Returns the brace that `{{` or `}}` escapes, and the text after it.
fn escaped(braces: &str) -> Option<(char, &str)> {
    let escape = |double, brace| Some((brace, braces.strip_prefix(double)?));
    escape("{{", '{').or_else(|| escape("}}", '}'))
}

/// Appends a placeholder. The format specification after the colon is dropped, because it means
/// nothing to a caller.
fn push_value(cause: &mut String, placeholder: &str) {
    let name = placeholder.split(':').next().unwrap_or_default().trim();
    let name = name.strip_prefix("r#").unwrap_or(name);
    if is_name(name) {
        cause.extend(["{", name, "}"]);
    } else {
        cause.push_str(UNNAMED);
    }
}

fn is_name(text: &str) -> bool {
    // `{0}` is a position and not a name.
    text.starts_with(|first: char| !first.is_numeric())
        && text
            .chars()
            .all(|letter| letter.is_alphanumeric() || letter == '_')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use syn::parse_quote;

    #[test]
    fn values_become_their_names_or_an_ellipsis() {
        for (format, cause) in [
            ("the repository is broken", "the repository is broken"),
            ("{0} is in no commit", "… is in no commit"),
            (
                "no answer within {seconds} s",
                "no answer within {seconds} s",
            ),
            ("{path:?} is not {kind:>5}", "{path} is not {kind}"),
            ("{} of {0:?} and {:#x}", "… of … and …"),
            ("write {{\"limit\": {max}}}", "write {\"limit\": {max}}"),
            ("{r#type} is unknown", "{type} is unknown"),
            ("two\nlines", "two lines"),
        ] {
            assert_eq!(render(format).as_deref(), Some(cause), "{format}");
        }
    }

    #[test]
    fn what_has_no_words_or_cannot_be_read_is_no_cause() {
        for format in ["", "{0}", "{source}: {0}", "open { brace", "closed } brace"] {
            assert_eq!(render(format), None, "{format}");
        }
    }

    #[test]
    fn only_a_literal_is_read() {
        let literal: Attribute = parse_quote!(#[error("at most {max}", max = Self::MAX)]);
        assert_eq!(parse(&[literal]).as_deref(), Some("at most {max}"));
        let others: [Attribute; 4] = [
            parse_quote!(#[error(transparent)]),
            parse_quote!(#[error(fmt = render)]),
            parse_quote!(#[error]),
            parse_quote!(#[doc = "text"]),
        ];
        for attribute in others {
            assert_eq!(parse(&[attribute]), None);
        }
    }
}
