//! Types as tokens: what they hold, how they are written, and what to write for those that are only ever borrowed.

use crate::known::Known;
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{GenericArgument, PathArguments, PathSegment, Type, TypeReference};

/// The types that a type is made of.
pub(crate) fn inner_types(ty: &Type) -> Vec<&Type> {
    match ty {
        Type::Tuple(tuple) => tuple.elems.iter().map(peel).collect(),
        Type::Array(array) => vec![peel(&array.elem)],
        ty => generics(ty)
            .filter_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(peel(ty)),
                _ => None,
            })
            .collect(),
    }
}

/// What stands in angle brackets behind a type.
pub(crate) fn generics(ty: &Type) -> impl Iterator<Item = &GenericArgument> {
    let arguments = match last_segment(ty).map(|segment| &segment.arguments) {
        Some(PathArguments::AngleBracketed(inner)) => Some(&inner.args),
        _ => None,
    };
    arguments.into_iter().flatten()
}

/// What to write instead of a reference.
pub(crate) fn owned(reference: &TypeReference) -> String {
    owned_form(&reference.elem).unwrap_or_else(|| plain(&reference.elem))
}

/// What to write for a type that is only ever borrowed.
pub(crate) fn owned_form(elem: &Type) -> Option<String> {
    match peel(elem) {
        Type::Slice(slice) => Some(format!("Vec<{}>", plain(&slice.elem))),
        Type::Tuple(tuple) if tuple.elems.iter().all(is_data) => Some(plain(elem)),
        Type::Array(array) if is_data(&array.elem) => Some(plain(elem)),
        ty => match last_segment(ty)?.ident.to_string().as_str() {
            "str" => Some("String".to_owned()),
            "Path" => Some("PathBuf".to_owned()),
            "OsStr" => Some("OsString".to_owned()),
            _ => is_data(ty).then(|| plain(ty)),
        },
    }
}

/// Whether the type is plain data, as callers send it and no server keeps it: `String`, `Option<Vec<u8>>`.
pub(crate) fn is_data(ty: &Type) -> bool {
    let known = Known::of(ty);
    known.is_complete() && !matches!(known, Known::Map(_))
        || last_segment(ty).is_some_and(|last| last.ident == "PathBuf")
}

/// Without the invisible group that `macro_rules!` puts around a `$type`.
pub(crate) fn peel(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => peel(&group.elem),
        Type::Paren(paren) => peel(&paren.elem),
        _ => ty,
    }
}

pub(crate) fn is_context(ty: &Type) -> bool {
    last_segment(peel(ty)).is_some_and(|segment| segment.ident == "CallContext")
}

pub(crate) fn is_self(ty: &Type) -> bool {
    last_segment(ty).is_some_and(|segment| segment.ident == "Self")
}

pub(crate) fn last_segment(ty: &Type) -> Option<&PathSegment> {
    match ty {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    }
}

/// A type as one would write it, for messages.
pub(crate) fn plain(ty: &Type) -> String {
    let text = ty.to_token_stream().to_string();
    [(" < ", "<"), (" >", ">"), (" :: ", "::"), ("< ", "<"), (" ,", ","), ("& ", "&")]
        .iter()
        .fold(text, |text, (spaced, tight)| text.replace(spaced, tight))
}

/// `Parameters<T>` as `Parameters<__pd::UnknownType>`, which any item can name.
pub(crate) fn with_unknown(ty: &Type) -> Type {
    let mut ty = peel(ty).clone();
    if let Type::Path(path) = &mut ty
        && let Some(last) = path.path.segments.last_mut()
    {
        last.arguments = PathArguments::AngleBracketed(syn::parse_quote!(<__pd::UnknownType>));
    }
    ty
}

/// The type with every lifetime `'static`, as constants need it. A `for<'a> …` binds its own and stays as it is.
pub(crate) fn without_lifetimes(ty: TokenStream) -> TokenStream {
    let mut tokens: Vec<_> = ty.into_iter().collect();
    if tokens.iter().any(|token| matches!(token, TokenTree::Ident(word) if word == "for")) {
        return tokens.into_iter().collect();
    }
    let mut after_tick = false;
    for token in &mut tokens {
        match token {
            TokenTree::Ident(lifetime) if after_tick => *lifetime = Ident::new("static", lifetime.span()),
            TokenTree::Group(group) => {
                let mut inner = proc_macro2::Group::new(group.delimiter(), without_lifetimes(group.stream()));
                inner.set_span(group.span());
                *group = inner;
            }
            _ => {}
        }
        after_tick = matches!(token, TokenTree::Punct(tick) if tick.as_char() == '\'');
    }
    tokens.into_iter().collect()
}
