//! The keywords of JSON Schema that contain schemas, by the form of their value.

/// Keywords with one schema. `items` had an array of schemas before 2020-12, so it is in both
/// lists.
pub(super) const SINGLE: [&str; 12] = [
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords with an array of schemas.
pub(super) const SEVERAL: [&str; 5] = ["allOf", "anyOf", "items", "oneOf", "prefixItems"];
/// Keywords with schemas by name.
const NAMED: [&str; 6] = [
    "$defs",
    "definitions",
    "dependencies",
    "dependentSchemas",
    "patternProperties",
    "properties",
];

/// Returns whether a keyword's value is a schema or an array of schemas.
pub fn holds_schemas(keyword: &str) -> bool {
    SINGLE.contains(&keyword) || SEVERAL.contains(&keyword)
}

/// Returns whether the members of a keyword's value are schemas under names that the author
/// chooses.
pub fn holds_named_schemas(keyword: &str) -> bool {
    NAMED.contains(&keyword)
}
