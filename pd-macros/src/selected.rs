//! `Selected<T>`: rows that another tool gave, which callers send as several arguments under MCP-SD's names.

use crate::{
    known::Known,
    ty::{generics, last_segment},
};
use syn::{GenericArgument, Type};

/// What callers send for a `Selected<T>`, or nothing for any other type.
pub(crate) fn sent_for(ty: &Type) -> Vec<(&'static str, Known)> {
    if !is_selected(ty) {
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

fn is_selected(ty: &Type) -> bool {
    let is_called_so = last_segment(ty).is_some_and(|segment| segment.ident == "Selected");
    is_called_so && matches!(generics(ty).collect::<Vec<_>>().as_slice(), [GenericArgument::Type(_)])
}
