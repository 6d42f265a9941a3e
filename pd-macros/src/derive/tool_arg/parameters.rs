//! Type parameters inside a field's type: where their shapes make up its own. Of other crates' types that hold one, and of
//! what hangs on one (`T::Id`), nothing is known.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{GenericArgument, Path, PathArguments, PathSegment, Type};

/// Types of std that have the shape of their first parameter, or a list of it.
const CONTAINERS: &[&str] =
    &["Option", "Box", "Rc", "Arc", "Cow", "Vec", "VecDeque", "LinkedList", "BTreeSet", "HashSet"];

/// Those that have a map of their second.
const MAPS: &[&str] = &["BTreeMap", "HashMap"];

/// Types of std that may stand beside a parameter.
const PLAIN: &[&str] =
    &["bool", "char", "f32", "f64", "u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize", "String"];

/// Whether one of these names stands in the type.
pub(super) fn mentions(ty: &Type, names: &[Ident]) -> bool {
    fn any(tokens: TokenStream, names: &[Ident]) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(ident) => names.contains(&ident),
            TokenTree::Group(group) => any(group.stream(), names),
            _ => false,
        })
    }
    any(ty.to_token_stream(), names)
}

/// Whether it holds no value, but says something of a type.
pub(super) fn is_marker(ty: &Type) -> bool {
    matches!(ty, Type::Path(ty) if ty.path.segments.last().is_some_and(|last| last.ident == "PhantomData"))
}

/// The parameters whose shapes make up that of `ty`; `None` where more is needed to know it.
pub(super) fn asked(ty: &Type, parameters: &[Ident]) -> Option<Vec<Ident>> {
    match ty {
        Type::Path(ty) if ty.qself.is_none() => asked_of_path(&ty.path, parameters),
        Type::Tuple(tuple) => {
            let parts: Option<Vec<_>> = tuple.elems.iter().map(|part| asked(part, parameters)).collect();
            parts.map(|parts| parts.concat())
        }
        Type::Array(array) => asked(&array.elem, parameters),
        Type::Slice(slice) => asked(&slice.elem, parameters),
        Type::Paren(inner) => asked(&inner.elem, parameters),
        Type::Group(inner) => asked(&inner.elem, parameters),
        _ => None,
    }
}

fn asked_of_path(path: &Path, parameters: &[Ident]) -> Option<Vec<Ident>> {
    match path.get_ident() {
        Some(ident) if parameters.contains(ident) => Some(vec![ident.clone()]),
        Some(ident) if PLAIN.iter().any(|plain| ident == plain) => Some(Vec::new()),
        _ if is_of_std(path) => asked(item(path.segments.last()?)?, parameters),
        _ => None,
    }
}

/// By its name alone, or by a path that begins in std.
fn is_of_std(path: &Path) -> bool {
    let begins_in_std =
        path.segments.first().is_some_and(|first| ["std", "core", "alloc"].iter().any(|root| first.ident == root));
    path.segments.len() == 1 || begins_in_std
}

/// The type of what a container holds.
fn item(container: &PathSegment) -> Option<&Type> {
    let PathArguments::AngleBracketed(arguments) = &container.arguments else { return None };
    let mut types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    let is_one_of = |names: &[&str]| names.iter().any(|name| container.ident == name);
    match () {
        () if is_one_of(CONTAINERS) => types.next(),
        () if is_one_of(MAPS) => types.nth(1),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    /// `None` where nothing is known, else the parameters in a row.
    fn asks(ty: &Type) -> Option<String> {
        let asked = asked(ty, &[parse_quote!(A), parse_quote!(B)])?;
        Some(asked.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn std_hands_on_what_its_items_are() {
        assert_eq!(asks(&parse_quote!(A)).as_deref(), Some("A"));
        assert_eq!(asks(&parse_quote!(Option<Vec<(A, u8, [B; 2])>>)).as_deref(), Some("AB"));
        assert_eq!(asks(&parse_quote!(std::collections::HashMap<A, Box<B>>)).as_deref(), Some("B"));
        assert_eq!(asks(&parse_quote!(HashMap<A, String>)).as_deref(), Some(""));
    }

    #[test]
    fn nothing_is_known_of_other_types() {
        for ty in [
            parse_quote!(A::Id),
            parse_quote!(<A as Store>::Id),
            parse_quote!(PhantomData<A>),
            parse_quote!(Vec<Foreign<A>>),
            parse_quote!(other::Vec<A>),
            parse_quote!((A, Foreign)),
            parse_quote!(fn(A) -> B),
        ] {
            assert_eq!(asks(&ty), None, "{}", ty.to_token_stream());
        }
    }
}
