//! Texts that keys give: a title, other names, scopes, what to use instead.

use crate::{args::Args, errors::Errors};
use syn::LitStr;

/// Checks each, and each against its neighbours.
pub(super) fn check(args: &Args, name: &str, errors: &mut Errors) {
    for (key, text) in [("title", &args.title), ("deprecated", &args.deprecated)] {
        text.iter().for_each(|text| check_text(key, text, errors));
    }
    check_listed("aliases", &args.aliases, errors);
    check_listed("scopes", &args.scopes, errors);
    for alias in args.aliases.iter().filter(|alias| alias.value().eq_ignore_ascii_case(name)) {
        errors.at(alias, format_args!("`{name}` is the tool's own name; write another word, or remove this one"));
    }
    for scope in args.scopes.iter().filter(|scope| scope.value().trim().contains(' ')) {
        errors.at(scope, "a scope has no spaces; write each as a text of its own: `scopes(\"…\", \"…\")`");
    }
}

/// One that says something, in one line that shows all of itself.
fn check_text(key: &str, text: &LitStr, errors: &mut Errors) {
    let value = text.value();
    if value.trim().is_empty() {
        errors.at(text, format_args!("this text of `{key}` is empty; fill it, or remove it"));
    } else if let Some(what) = stray(&value) {
        errors.at(text, format_args!("this text of `{key}` has {what}; remove it"));
    }
}

fn check_listed(key: &str, texts: &[LitStr], errors: &mut Errors) {
    for (index, text) in texts.iter().enumerate() {
        check_text(key, text, errors);
        if texts.iter().take(index).any(|earlier| earlier.value() == text.value()) {
            errors.at(text, format_args!("`{key}` has \"{}\" twice; keep one", text.value()));
        }
    }
}

/// Names what no reader sees and a model reads all the same: the first invisible character, or spaces at an edge. Joiners
/// are left to the scripts and emoji that need them.
pub(super) fn stray(text: &str) -> Option<String> {
    let hides = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
            || matches!(c, '\u{feff}' | '\u{e0000}'..='\u{e007f}')
    };
    match text.chars().find(|c| hides(*c)) {
        Some(found) => Some(format!("the invisible character U+{:04X}", u32::from(found))),
        None => (text.trim() != text).then(|| "a space at an edge".to_owned()),
    }
}
