//! The owned form of a borrowed type, as errors suggest it.

use crate::{
    std_types::StdType,
    ty::{last_segment, peel, plain},
};
use syn::{Type, TypeReference};

/// Returns the owned type to suggest instead of a reference.
pub(crate) fn owned(reference: &TypeReference) -> String {
    owned_form(&reference.elem).unwrap_or_else(|| plain(&reference.elem))
}

/// Returns the owned type to suggest for a type that is usually borrowed, as `String` for `str`.
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

/// Returns whether the type is plain data that callers send and no server has as state: `String`,
/// `Option<Vec<u8>>`.
pub(crate) fn is_data(ty: &Type) -> bool {
    let known = StdType::from_type(ty);
    // Servers often have maps in their state, so a reference to a map is not treated as an
    // argument.
    known.is_complete() && !matches!(known, StdType::Map(_))
        || last_segment(ty).is_some_and(|last| last.ident == "PathBuf")
}
