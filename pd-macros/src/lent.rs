//! State parameters that the server cannot lend as written, with the type to write instead.

use crate::{
    owned_form::is_data,
    ty::{generics, last_segment, peel, plain},
};
use syn::{GenericArgument, Type};

/// Returns the error for the `T` of a `&T`, if the server cannot lend it. State is selected by its
/// concrete type, and single-threaded cells cannot be shared between calls.
pub(crate) fn refuse(elem: &Type) -> Option<String> {
    match elem {
        Type::TraitObject(_) => {
            let object = plain(elem);
            let bounds = object.strip_prefix("dyn ").unwrap_or(&object);
            Some(format!(
                "state is lent by its type; write `&Box<dyn {bounds}>` or `&Arc<dyn {bounds}>`, as in the state's field, where \
                 `{bounds}` is `Send + Sync`"
            ))
        }
        Type::ImplTrait(_) => {
            Some("state is lent by its type; write a concrete type instead of `impl`".to_owned())
        }
        _ => refuse_cell(elem)
            .map(|instead| format!("many calls borrow this at once; write `&{instead}`")),
    }
}

/// Returns the replacement for a single-threaded cell or pointer.
pub(crate) fn refuse_cell(ty: &Type) -> Option<String> {
    let inner = plain(inner(ty)?);
    match last_segment(peel(ty))?.ident.to_string().as_str() {
        "RefCell" | "Cell" | "UnsafeCell" => Some(format!("Mutex<{inner}>")),
        // `Rc<RefCell<T>>` needs a replacement for both.
        "Rc" => Some(format!(
            "Arc<{}>",
            refuse_cell(self::inner(ty)?).unwrap_or(inner)
        )),
        _ => None,
    }
}

/// Returns the error for a parameter by value whose type only a server can have: shared or locked
/// state.
pub(crate) fn refuse_owned(ty: &Type) -> Option<String> {
    let lent_type = lent_type(ty)?;
    Some(format!(
        "the server lends its state; write `&{lent_type}`, and take arguments of the caller by value"
    ))
}

/// Returns the type by which shared state is lent: `Mutex<Db>` for `Arc<Mutex<Db>>`.
fn lent_type(ty: &Type) -> Option<String> {
    let inside = inner(ty)?;
    match last_segment(peel(ty))?.ident.to_string().as_str() {
        "Arc" | "Rc" if is_text(inside) => None,
        // A trait object has no size, so it is lent together with its pointer.
        "Arc" | "Rc" if matches!(inside, Type::TraitObject(_)) => {
            Some(format!("Arc<{}>", plain(inside)))
        }
        "Arc" | "Rc" | "State" => Some(lent_type(inside).unwrap_or_else(|| plain(inside))),
        "Mutex" | "RwLock" => Some(plain(ty)),
        "RefCell" | "Cell" => refuse_cell(ty),
        _ => None,
    }
}

/// Returns whether the type is text or bytes. `Arc<str>` and `Arc<[u8]>` are valid arguments with
/// serde's feature `rc`.
fn is_text(ty: &Type) -> bool {
    is_data(ty)
        || matches!(ty, Type::Slice(_))
        || last_segment(ty).is_some_and(|last| last.ident == "str")
}

/// Returns the `T` of a `WrapperKind<T>` with exactly one parameter. Other frameworks lend a
/// `State<'_, T>`.
pub(crate) fn inner(ty: &Type) -> Option<&Type> {
    let is_type = |argument: &&GenericArgument| !matches!(argument, GenericArgument::Lifetime(_));
    match generics(peel(ty))
        .filter(is_type)
        .collect::<Vec<_>>()
        .as_slice()
    {
        [GenericArgument::Type(inner)] => Some(peel(inner)),
        _ => None,
    }
}
