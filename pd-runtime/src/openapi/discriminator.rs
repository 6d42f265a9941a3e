//! The property that tells the branches of a union apart (`discriminator`). JSON Schema has none, so
//! each branch gets its own values of the property.

use super::{
    document::Document,
    object::{Object, name_of, reference_of, text_of},
};
use serde_json::{Value, json};

/// Returns a branch of a union with the values of the property that choose it. Returns `None` if the
/// union does not list them, or the branch lists values itself.
///
/// Without a `mapping`, the name of the schema chooses the branch. Many servers expect other values
/// all the same, so that rule is not applied.
pub(super) fn chosen(document: &Document, union: &Object, branch: &Value) -> Option<Object> {
    let discriminator = union.get("discriminator")?.as_object()?;
    let property = text_of(discriminator, "propertyName")?;
    let name = name_of(reference_of(branch)?);
    let mapping = discriminator.get("mapping")?.as_object()?;
    let values: Vec<&String> = mapping
        .iter()
        .filter(|(_, target)| {
            target
                .as_str()
                .is_some_and(|target| name_of(target) == name)
        })
        .map(|(value, _)| value)
        .collect();
    if values.is_empty() {
        return None;
    }
    let mut chosen = document.merged(branch);
    let properties = chosen.get_mut("properties")?.as_object_mut()?;
    let own = properties
        .get(property)
        .map(|own| document.merged(own))
        .unwrap_or_default();
    if own.contains_key("enum") || own.contains_key("const") {
        return None;
    }
    let mut own = own;
    own.insert("type".to_owned(), "string".into());
    own.insert("enum".to_owned(), json!(values));
    properties.insert(property.to_owned(), Value::Object(own));
    let required = chosen
        .entry("required")
        .or_insert_with(|| json!([]))
        .as_array_mut()?;
    if !required.iter().any(|name| name == property) {
        required.push(property.into());
    }
    Some(chosen)
}
