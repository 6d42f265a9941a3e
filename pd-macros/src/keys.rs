//! `key`, `key = value`, `key(values)`: the common syntax of `#[pd_tool(…)]`, `#[arg(…)]` and the
//! derives' attributes.

use crate::{attributes, errors::Errors, nearest::suggestion};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::{
    Attribute, Error, ExprPath, LitBool, LitInt, LitStr, Meta, Path, Result, Token,
    ext::IdentExt,
    parse::{Parse, ParseStream, Parser},
    punctuated::Punctuated,
};

/// Parses the keys of all lists. `read` receives each key and the input after it. An entry with an
/// error is reported and skipped.
pub(crate) fn read(
    lists: impl IntoIterator<Item = TokenStream>,
    errors: &mut Errors,
    mut read: impl FnMut(&Ident, ParseStream<'_>) -> Result<()>,
) {
    // A key may occur once across all attributes of an item, so this list outlives the loop.
    let mut seen = Vec::new();
    for list in lists {
        let parser = |input: ParseStream<'_>| {
            while !input.is_empty() {
                let entry = read_entry(input, &mut seen, &mut read);
                errors.take(entry);
                skip_entry(input);
            }
            Ok(())
        };
        let all = parser.parse2(list);
        debug_assert!(all.is_ok(), "every entry is skipped to its end");
    }
}

/// Returns the contents of every attribute called `name`.
pub(crate) fn lists(
    declared: &[Attribute],
    name: &str,
    usage: &str,
    errors: &mut Errors,
) -> Vec<TokenStream> {
    attributes::called(declared, name)
        .filter_map(|attribute| match &attribute.meta {
            Meta::List(list) => Some(list.tokens.clone()),
            _ => {
                errors.at(
                    attribute,
                    format_args!("`#[{name}]` is empty; write `#[{name}({usage})]`, or remove it"),
                );
                None
            }
        })
        .collect()
}

fn read_entry(
    input: ParseStream<'_>,
    seen: &mut Vec<String>,
    read: &mut impl FnMut(&Ident, ParseStream<'_>) -> Result<()>,
) -> Result<()> {
    // `parse_any` accepts keywords, because `crate` is a key.
    let key = input.call(Ident::parse_any);
    let key =
        key.map_err(|error| Error::new(error.span(), "a key comes first, as in `key = …`"))?;
    let name = key.to_string();
    if seen.contains(&name) {
        return Err(Error::new(
            key.span(),
            format_args!("`{name}` is set twice; keep one"),
        ));
    }
    // A key with an invalid value counts, too, so that its duplicate is still reported.
    seen.push(name);
    read(&key, input)?;
    if input.is_empty() || input.peek(Token![,]) {
        return Ok(());
    }
    Err(input.error(format_args!("expected `,` after `{key}`")))
}

/// Skips the rest of an entry and the comma after it.
pub(crate) fn skip_entry(input: ParseStream<'_>) {
    while let Ok(token) = input.parse::<TokenTree>() {
        if matches!(&token, TokenTree::Punct(comma) if comma.as_char() == ',') {
            break;
        }
    }
}

/// Returns the error for an unknown key. `kind` is the list's word for its keys.
pub(crate) fn unknown(key: &Ident, kind: &str, known: &[&str]) -> Error {
    let word = key.to_string();
    let meant = suggestion(&word, known.iter().copied());
    let all = known.join("`, `");
    Error::new(
        key.span(),
        format_args!("unknown {kind} `{word}`{meant} (known are `{all}`)"),
    )
}

/// Parses `= "text"`.
pub(crate) fn text(key: &Ident, input: ParseStream<'_>) -> Result<LitStr> {
    value(key, input, "= \"…\"")
}

/// Parses `= 100`.
pub(crate) fn count(key: &Ident, input: ParseStream<'_>) -> Result<usize> {
    let number: LitInt = value(key, input, "= 100")?;
    number
        .base10_parse()
        .map_err(|_| written(number.span(), key, "= 100"))
}

/// Parses `= 100`, at least 1.
pub(crate) fn positive(key: &Ident, input: ParseStream<'_>) -> Result<usize> {
    // Taken before the number is parsed, because the input is behind it afterwards.
    let start = input.span();
    match count(key, input)? {
        0 => Err(Error::new(
            start,
            format_args!("`{key} = 0` allows nothing; write at least 1, or remove it"),
        )),
        number => Ok(number),
    }
}

/// Parses a flag: the key alone for true, or `= true`, `= false`.
pub(crate) fn flag(key: &Ident, input: ParseStream<'_>) -> Result<bool> {
    if input.is_empty() || input.peek(Token![,]) {
        return Ok(true);
    }
    value::<LitBool>(key, input, "` alone, or `= false").map(|flag| flag.value)
}

/// Parses `= some::path`.
pub(crate) fn path(key: &Ident, input: ParseStream<'_>) -> Result<Path> {
    assign(key, input, "= path::to::it")?;
    let start = input.span();
    input
        .call(Path::parse_mod_style)
        .map_err(|_| written(start, key, "= path::to::it"))
}

/// Parses `("text", "text")`.
pub(crate) fn texts(key: &Ident, input: ParseStream<'_>) -> Result<Vec<LitStr>> {
    all(key, input, "(\"…\")")
}

/// Parses `(one, other)`.
pub(crate) fn words(key: &Ident, input: ParseStream<'_>) -> Result<Vec<Ident>> {
    let listed = list(key, input, "(name, …)", |inside| {
        inside.parse_terminated(Ident::parse, Token![,])
    });
    let named = listed.map_err(|error| written(error.span(), key, "(name, …)"))?;
    Ok(named.into_iter().collect())
}

/// Parses `(path::to::one, Type::<T>::other)`.
pub(crate) fn paths(key: &Ident, input: ParseStream<'_>) -> Result<Vec<ExprPath>> {
    all(key, input, "(path::to::tool)")
}

/// Parses `(one, other)`, at least one.
fn all<T: Parse>(key: &Ident, input: ParseStream<'_>, usage: &str) -> Result<Vec<T>> {
    let listed = list(key, input, usage, |inside| {
        inside.parse_terminated(T::parse, Token![,])
    });
    let listed: Punctuated<T, _> = listed.map_err(|error| written(error.span(), key, usage))?;
    if listed.is_empty() {
        return Err(Error::new(
            key.span(),
            format_args!("`{key}` lists nothing; write `{key}{usage}`, or remove it"),
        ));
    }
    Ok(listed.into_iter().collect())
}

/// Parses `(…)` and consumes its content even after an error. The error about a missing value then
/// points at the closing parenthesis.
pub(crate) fn list<T>(
    key: &Ident,
    input: ParseStream<'_>,
    usage: &str,
    read: impl FnOnce(ParseStream<'_>) -> Result<T>,
) -> Result<T> {
    if !input.peek(syn::token::Paren) {
        return Err(misused(key, input, usage));
    }
    let inside;
    syn::parenthesized!(inside in input);
    let read = read(&inside);
    // syn reports leftover tokens of a group as a separate error, which would hide the first
    // one.
    while inside.parse::<TokenTree>().is_ok() {}
    read
}

/// Parses the `=` of a key that takes a value.
pub(crate) fn assign(key: &Ident, input: ParseStream<'_>, usage: &str) -> Result<()> {
    input
        .parse::<Token![=]>()
        .map(drop)
        .map_err(|_| misused(key, input, usage))
}

/// Parses `= value`.
pub(crate) fn value<T: Parse>(key: &Ident, input: ParseStream<'_>, usage: &str) -> Result<T> {
    assign(key, input, usage)?;
    // The error is built before parsing, which moves the input past the wrong value.
    let wrong = misused(key, input, usage);
    input.parse().map_err(|_| wrong)
}

fn misused(key: &Ident, input: ParseStream<'_>, usage: &str) -> Error {
    written(span_at(key, input), key, usage)
}

/// Returns the span of the next token, or of the key if the entry ends.
pub(crate) fn span_at(key: &Ident, input: ParseStream<'_>) -> Span {
    if input.is_empty() || input.peek(Token![,]) {
        key.span()
    } else {
        input.span()
    }
}

fn written(span: Span, key: &Ident, usage: &str) -> Error {
    let space = if usage.starts_with('=') { " " } else { "" };
    Error::new(
        span,
        format_args!("`{key}` is written `{key}{space}{usage}`"),
    )
}
