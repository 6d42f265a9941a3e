//! Types as tokens: their generic arguments and their text.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{GenericArgument, PathArguments, PathSegment, Type};

/// Returns the types directly inside a type: generic arguments, tuple elements, or the element of
/// an array.
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

/// Returns the generic arguments of a type's last segment.
pub(crate) fn generics(ty: &Type) -> impl Iterator<Item = &GenericArgument> {
    let arguments = match last_segment(ty).map(|segment| &segment.arguments) {
        Some(PathArguments::AngleBracketed(inner)) => Some(&inner.args),
        _ => None,
    };
    arguments.into_iter().flatten()
}

/// Removes parentheses, and the invisible group that `macro_rules!` puts around a `$type`.
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

/// Renders a type for messages, without the spaces that the token printer inserts.
pub(crate) fn plain(ty: &Type) -> String {
    let text = ty.to_token_stream().to_string();
    // In this order, because the longer patterns contain the shorter ones.
    [
        (" < ", "<"),
        (" >", ">"),
        (" :: ", "::"),
        ("< ", "<"),
        (" ,", ","),
        ("& ", "&"),
    ]
    .iter()
    .fold(text, |text, (spaced, tight)| text.replace(spaced, tight))
}

/// Replaces the generic arguments: `Parameters<T>` becomes `Parameters<__pd::UnknownType>`, which
/// any item can name.
pub(crate) fn with_unknown(ty: &Type) -> Type {
    let mut ty = peel(ty).clone();
    if let Type::Path(path) = &mut ty
        && let Some(last) = path.path.segments.last_mut()
    {
        last.arguments = PathArguments::AngleBracketed(syn::parse_quote!(<__pd::UnknownType>));
    }
    ty
}

/// Replaces every lifetime with `'static`, as constants require. A type with `for<'a> …` binds its
/// own lifetimes and stays unchanged.
pub(crate) fn without_lifetimes(ty: TokenStream) -> TokenStream {
    let mut tokens: Vec<_> = ty.into_iter().collect();
    if tokens
        .iter()
        .any(|token| matches!(token, TokenTree::Ident(word) if word == "for"))
    {
        return tokens.into_iter().collect();
    }
    // A lifetime is two tokens, a tick and a word.
    let mut after_tick = false;
    for token in &mut tokens {
        match token {
            TokenTree::Ident(lifetime) if after_tick => {
                *lifetime = Ident::new("static", lifetime.span())
            }
            TokenTree::Group(group) => {
                let mut inner =
                    proc_macro2::Group::new(group.delimiter(), without_lifetimes(group.stream()));
                inner.set_span(group.span());
                *group = inner;
            }
            _ => {}
        }
        after_tick = matches!(token, TokenTree::Punct(tick) if tick.as_char() == '\'');
    }
    tokens.into_iter().collect()
}
