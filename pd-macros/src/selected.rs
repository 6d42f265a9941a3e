//! `Selected<T>`: rows that another tool gave, which callers send as several arguments under MCP-SD's names.

use crate::{
    known::Known,
    ty::{generics, last_segment},
};
use syn::{GenericArgument, Type};

/// What callers send for a `Selected<T>`, or nothing for any other type.
pub(crate) fn sent_for(ty: &Type) -> Vec<(&'static str, Known)> {
    if row_of(ty).is_none() {
        return Vec::new();
    }
    let optional = || Known::Optional(Box::new(Known::Text));
    vec![
        ("abstract_data", Known::Text),
        ("resource_url", optional()),
        ("body_data", optional()),
        ("column_mapping", optional()),
    ]
}

/// The `T` of a `Selected<T>`.
pub(crate) fn row_of(ty: &Type) -> Option<&Type> {
    last_segment(ty).filter(|segment| segment.ident == "Selected")?;
    match generics(ty).collect::<Vec<_>>().as_slice() {
        [GenericArgument::Type(row)] => Some(row),
        _ => None,
    }
}
