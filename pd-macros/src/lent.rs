//! State that cannot be lent as it is written, and what to write instead.

use crate::ty::{generics, is_data, last_segment, peel, plain};
use quote::ToTokens;
use syn::{GenericArgument, Type};

/// Refuses the `T` of a `&T`: a trait object has no type of its own, and cells are for one thread.
pub(crate) fn refuse(elem: &Type) -> Option<String> {
    match elem {
        Type::TraitObject(object) => {
            let bounds = object.bounds.to_token_stream();
            Some(format!(
                "state is lent by its type; write `&Box<dyn {bounds}>` or `&Arc<dyn {bounds}>`, as in the state's field, where \
                 `{bounds}` is `Send + Sync`"
            ))
        }
        Type::ImplTrait(_) => Some("state is lent by its type; write a concrete type instead of `impl`".to_owned()),
        _ => refuse_cell(elem).map(|instead| format!("many calls borrow this at once; write `&{instead}`")),
    }
}

/// What to write instead of a cell of one thread, or a pointer of one.
pub(crate) fn refuse_cell(ty: &Type) -> Option<String> {
    let inner = plain(inner(ty)?);
    match last_segment(peel(ty))?.ident.to_string().as_str() {
        "RefCell" | "Cell" | "UnsafeCell" => Some(format!("Mutex<{inner}>")),
        "Rc" => Some(format!("Arc<{}>", refuse_cell(self::inner(ty)?).unwrap_or(inner))),
        _ => None,
    }
}

/// Refuses a parameter by value that only a server can have: shared or locked state.
pub(crate) fn refuse_owned(ty: &Type) -> Option<String> {
    let kept = kept(ty)?;
    Some(format!("the server lends its state; write `&{kept}`, and take arguments of the caller by value"))
}

/// The type by which shared state is lent: `Arc<Mutex<Db>>` as `Mutex<Db>`.
fn kept(ty: &Type) -> Option<String> {
    let inside = inner(ty)?;
    match last_segment(peel(ty))?.ident.to_string().as_str() {
        "Arc" | "Rc" if is_text(inside) => None,
        "Arc" | "Rc" if matches!(inside, Type::TraitObject(_)) => Some(format!("Arc<{}>", plain(inside))),
        "Arc" | "Rc" | "State" => Some(kept(inside).unwrap_or_else(|| plain(inside))),
        "Mutex" | "RwLock" => Some(plain(ty)),
        "RefCell" | "Cell" => refuse_cell(ty),
        _ => None,
    }
}

/// `Arc<str>` and `Arc<[u8]>` are arguments, with serde's feature `rc`.
fn is_text(ty: &Type) -> bool {
    is_data(ty) || matches!(ty, Type::Slice(_)) || last_segment(ty).is_some_and(|last| last.ident == "str")
}

/// The `T` of a `Wrapper<T>` with one parameter.
pub(crate) fn inner(ty: &Type) -> Option<&Type> {
    match generics(peel(ty)).collect::<Vec<_>>().as_slice() {
        [GenericArgument::Type(inner)] => Some(peel(inner)),
        _ => None,
    }
}
