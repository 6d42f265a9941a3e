//! The rule for the tool's name.

use crate::{args::Args, errors::Errors, item::Function};
use syn::{LitStr, ext::IdentExt, spanned::Spanned};

/// The maximum length of a name in characters. Clients add the server's name as a prefix, and hosts
/// limit the result.
const MOST: usize = 64;

/// Returns the tool's name and reports an invalid one.
pub(super) fn check(args: &Args, function: &Function, errors: &mut Errors) -> String {
    let ident = &function.signature.ident;
    let name = args
        .name
        .as_ref()
        .map_or_else(|| ident.unraw().to_string(), LitStr::value);
    if name.is_empty() || name.len() > MOST || !name.chars().all(is_legal) {
        let span = args.name.as_ref().map_or(ident.span(), Spanned::span);
        let message = "a tool's name has 1 to 64 characters out of `A-Z`, `a-z`, `0-9`, `_`, `.` and `-`, or model providers refuse the tool";
        errors.push(
            span,
            format_args!("{message}; write `name = \"{}\"`", nearest(&name)),
        );
    }
    name
}

fn is_legal(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_.-".contains(c)
}

/// Suggests a valid name: illegal characters become `_`, and the rest is cut.
fn nearest(name: &str) -> String {
    let replaced: String = name
        .chars()
        .take(MOST)
        .map(|c| if is_legal(c) { c } else { '_' })
        .collect();
    // A name in another script would become a row of `_`, so no name is suggested.
    if replaced.trim_matches('_').is_empty() || !name.is_ascii() {
        "…".to_owned()
    } else {
        replaced
    }
}
