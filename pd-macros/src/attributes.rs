//! Attributes by name.

use syn::Attribute;

/// Those called `name`.
pub(crate) fn called<'a>(attributes: &'a [Attribute], name: &'a str) -> impl Iterator<Item = &'a Attribute> {
    attributes.iter().filter(move |attribute| attribute.path().is_ident(name))
}

/// The `#[cfg]`s, which whatever is generated for the item has as well.
pub(crate) fn cfgs(attributes: &[Attribute]) -> Vec<Attribute> {
    called(attributes, "cfg").cloned().collect()
}
