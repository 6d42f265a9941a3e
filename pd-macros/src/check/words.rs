//! Rules for short texts: title, aliases, scopes and the deprecation note.

use crate::{args::Args, errors::Errors};
use syn::LitStr;

/// Checks each text, and that lists have no duplicates.
pub(super) fn check(args: &Args, name: &str, errors: &mut Errors) {
    for (key, text) in [("title", &args.title), ("deprecated", &args.deprecated)] {
        text.iter().for_each(|text| check_text(key, text, errors));
    }
    check_listed("aliases", &args.aliases, errors);
    check_listed("scopes", &args.scopes, errors);
    for alias in args
        .aliases
        .iter()
        .filter(|alias| alias.value().eq_ignore_ascii_case(name))
    {
        errors.at(
            alias,
            format_args!("`{name}` is the tool's own name; write another word, or remove this one"),
        );
    }
    // `check_listed` has reported spaces at the edges.
    for scope in args
        .scopes
        .iter()
        .filter(|scope| scope.value().trim().contains(' '))
    {
        errors.at(
            scope,
            "a scope has no spaces; write each as a text of its own: `scopes(\"…\", \"…\")`",
        );
    }
}

/// Checks that the text is not empty and contains no invisible characters.
fn check_text(key: &str, text: &LitStr, errors: &mut Errors) {
    let value = text.value();
    if value.trim().is_empty() {
        errors.at(
            text,
            format_args!("this text of `{key}` is empty; fill it, or remove it"),
        );
    } else if let Some(what) = stray(&value) {
        errors.at(
            text,
            format_args!("this text of `{key}` has {what}; remove it"),
        );
    }
}

pub(super) fn check_listed(key: &str, texts: &[LitStr], errors: &mut Errors) {
    for (index, text) in texts.iter().enumerate() {
        check_text(key, text, errors);
        if texts
            .iter()
            .take(index)
            .any(|earlier| earlier.value() == text.value())
        {
            errors.at(
                text,
                format_args!("`{key}` has \"{}\" twice; keep one", text.value()),
            );
        }
    }
}

/// Names the first invisible character, or a space at an edge. A model reads these although an
/// author does not see them. Joiners (U+200C, U+200D) are allowed, because some scripts and emoji
/// need them.
pub(super) fn stray(text: &str) -> Option<String> {
    let hides = |c: char| {
        c.is_control()
            // Zero-width and directional marks, then the word joiner block, the byte order mark,
            // and tag characters, which can hide instructions from a reader.
            || matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
            || matches!(c, '\u{feff}' | '\u{e0000}'..='\u{e007f}')
    };
    match text.chars().find(|c| hides(*c)) {
        Some(hidden) => Some(format!(
            "the invisible character U+{:04X}",
            u32::from(hidden)
        )),
        None => (text.trim() != text).then(|| "a space at an edge".to_owned()),
    }
}
