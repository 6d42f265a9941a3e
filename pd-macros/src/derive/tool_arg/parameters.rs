//! Type parameters inside a field's type. The shape of a std container follows from the shapes of
//! its parameters. The shape of another crate's generic type, or of an associated type (`T::Id`),
//! is unknown.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{GenericArgument, Path, PathArguments, PathSegment, Type};

/// Types of std whose shape is that of their first parameter, or a list of it.
const CONTAINERS: &[&str] = &[
    "Option",
    "Box",
    "Rc",
    "Arc",
    "Cow",
    "Vec",
    "VecDeque",
    "LinkedList",
    "BTreeSet",
    "HashSet",
];

/// Types of std whose shape is a map of their second parameter.
const MAPS: &[&str] = &["BTreeMap", "HashMap"];

/// Types of std without parameters that may occur beside one.
const PLAIN: &[&str] = &[
    "bool", "char", "f32", "f64", "u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64",
    "isize", "String",
];

/// Returns whether the type mentions one of these names.
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

/// Returns whether the type is `PhantomData`, which contains no value.
pub(super) fn is_marker(ty: &Type) -> bool {
    matches!(ty, Type::Path(ty) if ty.path.segments.last().is_some_and(|last| last.ident == "PhantomData"))
}

/// Returns the type parameters whose shapes determine that of `ty`, or `None` if they do not
/// suffice.
pub(super) fn shape_parameters(ty: &Type, parameters: &[Ident]) -> Option<Vec<Ident>> {
    match ty {
        // `<T as Trait>::Id` is an associated type, and nothing is known of its shape.
        Type::Path(ty) if ty.qself.is_none() => shape_parameters_of_path(&ty.path, parameters),
        Type::Tuple(tuple) => {
            let parts: Option<Vec<_>> = tuple
                .elems
                .iter()
                .map(|part| shape_parameters(part, parameters))
                .collect();
            parts.map(|parts| parts.concat())
        }
        Type::Array(array) => shape_parameters(&array.elem, parameters),
        Type::Slice(slice) => shape_parameters(&slice.elem, parameters),
        Type::Paren(inner) => shape_parameters(&inner.elem, parameters),
        // `macro_rules!` passes `$ty:ty` in an invisible group.
        Type::Group(inner) => shape_parameters(&inner.elem, parameters),
        _ => None,
    }
}

fn shape_parameters_of_path(path: &Path, parameters: &[Ident]) -> Option<Vec<Ident>> {
    match path.get_ident() {
        Some(ident) if parameters.contains(ident) => Some(vec![ident.clone()]),
        Some(ident) if PLAIN.iter().any(|plain| ident == plain) => Some(Vec::new()),
        _ if is_of_std(path) => shape_parameters(item(path.segments.last()?)?, parameters),
        _ => None,
    }
}

/// Returns whether the path is a bare name or begins with a crate of std.
fn is_of_std(path: &Path) -> bool {
    let begins_in_std = path.segments.first().is_some_and(|first| {
        ["std", "core", "alloc"]
            .iter()
            .any(|root| first.ident == root)
    });
    path.segments.len() == 1 || begins_in_std
}

/// Returns the item type of a container, or the value type of a map.
fn item(container: &PathSegment) -> Option<&Type> {
    let PathArguments::AngleBracketed(arguments) = &container.arguments else {
        return None;
    };
    let mut types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        // `Cow<'a, T>` has a lifetime before its type.
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

    /// Returns the parameters as one string, or `None` if the shape is unknown.
    fn asks(ty: &Type) -> Option<String> {
        let parameters = shape_parameters(ty, &[parse_quote!(A), parse_quote!(B)])?;
        Some(parameters.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn std_hands_on_what_its_items_are() {
        assert_eq!(asks(&parse_quote!(A)).as_deref(), Some("A"));
        assert_eq!(
            asks(&parse_quote!(Option<Vec<(A, u8, [B; 2])>>)).as_deref(),
            Some("AB")
        );
        assert_eq!(
            asks(&parse_quote!(std::collections::HashMap<A, Box<B>>)).as_deref(),
            Some("B")
        );
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
