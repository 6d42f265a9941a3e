//! `Selected<T>`: rows from another tool, which callers send as several arguments with the names of
//! MCP-SD.

use crate::{
    std_types::StdType,
    ty::{generics, last_segment},
};
use syn::{GenericArgument, Type};

/// Returns the arguments that callers send for a `Selected<T>`, or none for any other type.
pub(crate) fn sent_for(ty: &Type) -> Vec<(&'static str, StdType)> {
    if row_of(ty).is_none() {
        return Vec::new();
    }
    // The columns that the model sees are always sent, the others by a URL or as a text.
    let optional = || StdType::Optional(Box::new(StdType::Text));
    vec![
        ("abstract_data", StdType::Text),
        ("resource_url", optional()),
        ("body_data", optional()),
        ("column_mapping", optional()),
    ]
}

/// Returns the `T` of a `Selected<T>`.
pub(crate) fn row_of(ty: &Type) -> Option<&Type> {
    last_segment(ty).filter(|segment| segment.ident == "Selected")?;
    match generics(ty).collect::<Vec<_>>().as_slice() {
        [GenericArgument::Type(row)] => Some(row),
        _ => None,
    }
}
