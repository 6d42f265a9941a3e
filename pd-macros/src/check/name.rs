//! The name by which callers know the tool.

use crate::{args::Args, errors::Errors, item::Function};
use syn::{LitStr, ext::IdentExt, spanned::Spanned};

/// 64 characters, because clients prefix names with the server's.
const MOST: usize = 64;

/// Finds the name and checks it.
pub(super) fn check(args: &Args, function: &Function, errors: &mut Errors) -> String {
    let ident = &function.signature.ident;
    let name = args.name.as_ref().map_or_else(|| ident.unraw().to_string(), LitStr::value);
    if name.is_empty() || name.len() > MOST || !name.chars().all(is_legal) {
        let span = args.name.as_ref().map_or(ident.span(), Spanned::span);
        let message = "a tool's name has 1 to 64 characters out of `A-Z`, `a-z`, `0-9`, `_`, `.` and `-`";
        errors.push(span, format_args!("{message}; write `name = \"{}\"`", nearest(&name)));
    }
    name
}

fn is_legal(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_.-".contains(c)
}

/// As much of the name as is legal.
fn nearest(name: &str) -> String {
    let replaced: String = name.chars().take(MOST).map(|c| if is_legal(c) { c } else { '_' }).collect();
    if replaced.trim_matches('_').is_empty() || !name.is_ascii() { "…".to_owned() } else { replaced }
}
