//! What a nested item can name: it knows neither `Self` nor the type parameters of the impl around it, and to tokens a type
//! parameter looks like any other type.

use crate::ty::{inner_types, peel};
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::BTreeMap;
use syn::{GenericArgument, Path, PathArguments, Type};

/// Whether the type can be named again elsewhere: beside a free function all can that are written out.
pub(super) fn is_concrete(ty: &Type) -> bool {
    fn is_written_out(tokens: TokenStream) -> bool {
        tokens.into_iter().all(|token| match token {
            TokenTree::Ident(word) => word != "impl" && word != "_",
            TokenTree::Group(group) => is_written_out(group.stream()),
            _ => true,
        })
    }
    is_written_out(ty.to_token_stream())
}

/// Whether a nested item can name the type, or else find that it cannot: not what hangs on `Self` or on a parameter of
/// the impl, and no constant parameter.
pub(super) fn is_nameable(ty: &Type) -> bool {
    match peel(ty) {
        Type::Tuple(tuple) => tuple.elems.iter().all(is_nameable),
        Type::Path(path) if path.qself.is_none() => {
            let segments = &path.path.segments;
            !hangs_on_a_type(&path.path)
                && !is_loud(ty)
                && !path.path.is_ident("Self")
                && segments.iter().all(|segment| are_nameable(&segment.arguments))
        }
        _ => false,
    }
}

/// `T::Id`, `Self::LIMIT`, and `Limits::MOST` as well: tokens cannot tell a type from a type parameter.
pub(super) fn hangs_on_a_type(path: &Path) -> bool {
    let is_type = |name: &Ident| name.to_string().starts_with(char::is_uppercase);
    path.segments.len() > 1 && path.segments.first().is_some_and(|first| is_type(&first.ident))
}

fn are_nameable(arguments: &PathArguments) -> bool {
    match arguments {
        PathArguments::None => true,
        PathArguments::AngleBracketed(inner) => inner.args.iter().all(|argument| match argument {
            GenericArgument::Type(ty) => is_nameable(ty),
            GenericArgument::Lifetime(_) => true,
            _ => false,
        }),
        PathArguments::Parenthesized(_) => false,
    }
}

/// `T`, and `N` in `ArrayVec<u8, N>`, which to tokens is a type: so parameters are called, and hardly anything else.
fn is_loud(ty: &Type) -> bool {
    let Type::Path(path) = peel(ty) else { return false };
    path.path.get_ident().is_some_and(|name| !name.to_string().contains(char::is_lowercase))
}

/// The names in a type that stand alone and may be parameters.
pub(super) fn uncertain_names(ty: &Type, names: &mut BTreeMap<String, Ident>) {
    inner_types(ty).into_iter().for_each(|inner| uncertain_names(inner, names));
    if let Type::Path(path) = peel(ty)
        && let Some(name) = path.path.get_ident()
        && may_be_a_parameter(&name.to_string())
    {
        names.insert(name.to_string(), name.clone());
    }
}

/// Neither a primitive nor a name that every module has from std's prelude.
fn may_be_a_parameter(name: &str) -> bool {
    name.starts_with(char::is_uppercase) && name != "String"
}
