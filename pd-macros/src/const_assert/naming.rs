//! Types that a nested item can name. It can use neither `Self` nor the type parameters of the impl
//! around it, and tokens do not distinguish a type parameter from another type.

use crate::ty::{inner_types, peel};
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::BTreeMap;
use syn::{GenericArgument, Path, PathArguments, Type};

/// Returns whether the type can be repeated elsewhere. Beside a free function this holds for every
/// type without `impl` and `_`.
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

/// Returns whether a nested item can name the type, or can detect that it cannot. Excluded are
/// types that depend on `Self` or on a type parameter, and constant parameters.
pub(super) fn is_nameable(ty: &Type) -> bool {
    match peel(ty) {
        Type::Tuple(tuple) => tuple.elems.iter().all(is_nameable),
        Type::Path(path) if path.qself.is_none() => {
            let segments = &path.path.segments;
            !hangs_on_a_type(&path.path)
                && !is_loud(ty)
                && !path.path.is_ident("Self")
                && segments
                    .iter()
                    .all(|segment| are_nameable(&segment.arguments))
        }
        _ => false,
    }
}

/// Returns whether the path begins with a type: `T::Id`, `Self::LIMIT`, and also `Limits::MOST`,
/// because tokens do not distinguish a type from a type parameter.
pub(super) fn hangs_on_a_type(path: &Path) -> bool {
    let is_type = |name: &Ident| name.to_string().starts_with(char::is_uppercase);
    path.segments.len() > 1
        && path
            .segments
            .first()
            .is_some_and(|first| is_type(&first.ident))
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

/// Returns whether the name is all uppercase, like `T`, or `N` in `ArrayVec<u8, N>`. Type and
/// constant parameters have such names, and hardly any other type does.
fn is_loud(ty: &Type) -> bool {
    let Type::Path(path) = peel(ty) else {
        return false;
    };
    path.path
        .get_ident()
        .is_some_and(|name| !name.to_string().contains(char::is_lowercase))
}

/// Collects the single names in a type that may be type parameters.
pub(super) fn uncertain_names(ty: &Type, names: &mut BTreeMap<String, Ident>) {
    inner_types(ty)
        .into_iter()
        .for_each(|inner| uncertain_names(inner, names));
    if let Type::Path(path) = peel(ty)
        && let Some(name) = path.path.get_ident()
        && may_be_a_parameter(&name.to_string())
    {
        names.insert(name.to_string(), name.clone());
    }
}

/// Returns whether the name is neither a primitive nor `String`, which every module has from std's
/// prelude.
fn may_be_a_parameter(name: &str) -> bool {
    name.starts_with(char::is_uppercase) && name != "String"
}
