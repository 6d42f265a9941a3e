//! Any attribute, doc comment and item into the macros: they never panic, what they give back is Rust, mistakes are told where
//! they were made, and no word of a doc comment is lost.

mod lost;

use crate::{derive, expand, registry};
use proc_macro2::{TokenStream, TokenTree};
use std::{collections::HashSet, ops::Range};
use syn::{Item, Lit};

/// What stands between the attribute's arguments, the doc comment, and the item.
const CUT: &str = "\n---\n";
/// The item where none is given.
const ITEM: &str = "pub async fn find(&self, id: u64, #[arg(default = 20)] limit: u32) -> Result<Json<Found>, AppError> {}";

/// A text in up to three parts. Arguments that begin with `registry!` are a literal; a struct or enum gets the derives.
pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    // The places of tokens are kept until somebody says that nobody needs them.
    proc_macro2::extra::invalidate_current_thread_spans();
    if nests_deep(text) {
        return;
    }
    if let Some(literal) = text.strip_prefix("registry!") {
        return check_registry(literal);
    }
    let mut parts = text.splitn(3, CUT);
    let (args, doc) = (
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
    );
    let item = parts.next().unwrap_or(ITEM);
    let documented = format!("{}{item}", comment(doc));
    let (Ok(args), Ok(item)) = (
        args.parse::<TokenStream>(),
        documented.parse::<TokenStream>(),
    ) else {
        return;
    };
    check_derives(&item);
    check_tool(args, item, doc);
}

/// The parser of Rust is recursive, rustc's as well; what it does with a thousand brackets is not ours to judge.
fn nests_deep(text: &str) -> bool {
    let (mut depth, mut deepest) = (0_u32, 0_u32);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' | b'<' | b'&' | b'*' | b'!' | b'-' | b'|' => depth += 1,
            b')' | b']' | b'}' | b'>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest > 64
}

/// `/// ` before each line.
fn comment(doc: &str) -> String {
    let line = |line: &str| {
        if line.is_empty() {
            "///\n".to_owned()
        } else {
            format!("/// {line}\n")
        }
    };
    if doc.is_empty() {
        String::new()
    } else {
        doc.split('\n').map(line).collect()
    }
}

fn check_registry(literal: &str) {
    let Ok(literal) = literal.parse::<TokenStream>() else {
        return;
    };
    let expanded = registry::expand(literal.clone());
    if let Err(error) = syn::parse2::<syn::Expr>(expanded.clone()) {
        panic!("{error}: {expanded}");
    }
    assert_spanned(&expanded, &literal);
}

fn check_derives(item: &TokenStream) {
    if !matches!(
        syn::parse2(item.clone()),
        Ok(Item::Struct(_) | Item::Enum(_) | Item::Union(_))
    ) {
        return;
    }
    for derive in [derive::tool_errors, derive::tool_arg, derive::state] {
        let expanded = derive(item.clone());
        if let Err(error) = syn::parse2::<syn::File>(expanded.clone()) {
            panic!("{error}: {expanded}");
        }
        assert_spanned(&expanded, item);
    }
}

fn check_tool(args: TokenStream, item: TokenStream, doc: &str) {
    let is_function = matches!(syn::parse2(item.clone()), Ok(Item::Fn(_)));
    let expanded = expand::expand(args.clone(), item.clone());
    if !is_function {
        // Half-typed code stays as it is, and so does what rustc says about it.
        return;
    }
    let file = match syn::parse2::<syn::File>(expanded.clone()) {
        Ok(file) => file,
        Err(error) => panic!("{error}: {expanded}"),
    };
    let both: TokenStream = args.into_iter().chain(item).collect();
    assert_spanned(&expanded, &both);
    let beside: TokenStream = file
        .items
        .into_iter()
        .skip(1)
        .map(quote::ToTokens::into_token_stream)
        .collect();
    if !is_refused(&expanded) {
        lost::assert_none(doc, &texts(beside));
    }
}

fn is_refused(expanded: &TokenStream) -> bool {
    !errors(expanded.clone()).is_empty()
}

/// The `compile_error`s, wherever they stand, each with what it says.
fn errors(tokens: TokenStream) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    let mut at = None;
    for token in tokens {
        match token {
            TokenTree::Ident(name) if name == "compile_error" => {
                at = Some(name.span().byte_range())
            }
            TokenTree::Group(group) => match at.take() {
                Some(at) => found.push((at, texts(group.stream()).concat())),
                None => found.extend(errors(group.stream())),
            },
            _ => {}
        }
    }
    found
}

/// Every error points into what was written; only what is missing at the end has no place there. Under cargo-fuzz proc-macro2
/// keeps no places, so this is for the replay.
fn assert_spanned(expanded: &TokenStream, source: &TokenStream) {
    let places: HashSet<_> = starts(source.clone()).into_iter().collect();
    if places.iter().all(|place| *place == 0) {
        return;
    }
    for (at, says) in errors(expanded.clone()) {
        if at.is_empty() {
            assert!(
                says.contains("expected"),
                "`{says}` points at the whole macro: {source}"
            );
        } else {
            assert!(
                places.contains(&at.start),
                "`{says}` points nowhere: {source}"
            );
        }
    }
}

fn starts(tokens: TokenStream) -> Vec<usize> {
    let mut found = Vec::new();
    for token in tokens {
        found.push(token.span().byte_range().start);
        if let TokenTree::Group(group) = token {
            found.extend([
                group.span_open().byte_range().start,
                group.span_close().byte_range().start,
            ]);
            found.extend(starts(group.stream()));
        }
    }
    found
}

/// All texts in it.
fn texts(tokens: TokenStream) -> Vec<String> {
    let mut found = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) => found.extend(texts(group.stream())),
            TokenTree::Literal(literal) => {
                if let Lit::Str(text) = Lit::new(literal) {
                    found.push(text.value());
                }
            }
            _ => {}
        }
    }
    found
}
