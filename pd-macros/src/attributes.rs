//! Selection of attributes by name.

use syn::Attribute;

/// Returns the attributes whose path is exactly `name`.
pub(crate) fn called<'a>(
    attributes: &'a [Attribute],
    name: &'a str,
) -> impl Iterator<Item = &'a Attribute> {
    attributes
        .iter()
        .filter(move |attribute| attribute.path().is_ident(name))
}

/// Returns the `#[cfg]` attributes. Everything that is generated for an item carries the item's
/// `#[cfg]`s.
pub(crate) fn cfgs(attributes: &[Attribute]) -> Vec<Attribute> {
    called(attributes, "cfg").cloned().collect()
}
