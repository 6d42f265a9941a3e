//! The type of one argument, for errors about it.

use super::{ast::SchemaForm, lower::SchemaReader, render::SignatureWriter};
use crate::{schema::schema_ref, text::invisible::is_invisible};
use serde_json::Value;

/// The longest type that is shown, in characters.
const TYPE_MAX: usize = 120;
/// The longest description that is shown, in characters.
const ABOUT_MAX: usize = 100;
/// The number of references and branches that are followed for one step.
const HOPS_MAX: usize = 8;

/// An argument, or a value inside of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArgumentType {
    /// The type in the notation of signatures.
    pub(crate) form: String,
    /// The beginning of its description, on one line.
    pub(crate) about: String,
}

impl ArgumentType {
    /// Finds the type of a value by the steps to it, which are names of properties and indices.
    /// `root` is the schema of all arguments. Returns `None` if the schema does not describe the
    /// value.
    pub(crate) fn find(root: &Value, steps: &[&str]) -> Option<Self> {
        let schema = steps.iter().try_fold(root, |schema, step| inner(root, schema, step, HOPS_MAX))?;
        let form = match SchemaReader::new(root) {
            Some(reader) => reader.read(schema, "", 0),
            None => SchemaForm::word(schema.get("type").and_then(Value::as_str).unwrap_or("value")),
        };
        let (form, about) = match form {
            SchemaForm::Commented(form, about) => (*form, about),
            form => (form, String::new()),
        };
        Some(Self { form: shortened(&SignatureWriter::line(&form), TYPE_MAX), about: shortened(&about, ABOUT_MAX) })
    }
}

/// Returns the names that an object may have, by the steps to it. Returns `None` if the schema allows
/// others explicitly.
pub(crate) fn known_names<'s>(root: &'s Value, steps: &[&str]) -> Option<Vec<&'s str>> {
    let schema = steps.iter().try_fold(root, |schema, step| inner(root, schema, step, HOPS_MAX))?;
    let schema = resolved(root, schema);
    let describes_others = schema.get("patternProperties").is_some()
        || schema.get("additionalProperties").is_some_and(|others| *others != Value::Bool(false))
        || ["allOf", "anyOf", "oneOf", "if", "$dynamicRef"].iter().any(|keyword| schema.get(keyword).is_some());
    let names = schema.get("properties")?.as_object()?;
    (!describes_others).then(|| names.keys().map(String::as_str).collect())
}

/// Returns the names that an object must have.
pub(crate) fn required_names<'s>(root: &'s Value, steps: &[&str]) -> Vec<&'s str> {
    let schema = steps.iter().try_fold(root, |schema, step| inner(root, schema, step, HOPS_MAX));
    let required = schema.and_then(|schema| resolved(root, schema).get("required")?.as_array());
    required.into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Returns whether the schema of a value names this JSON type, and not single values of it.
pub(crate) fn accepts_type(root: &Value, steps: &[&str], kind: &str) -> bool {
    let schema = steps.iter().try_fold(root, |schema, step| inner(root, schema, step, HOPS_MAX));
    let Some(schema) = schema.map(|schema| resolved(root, schema)) else { return false };
    let is_listed = |listed: &Value| listed == kind || (listed == "number" && kind == "integer");
    let is_of_type = match schema.get("type") {
        Some(Value::Array(types)) => types.iter().any(is_listed),
        Some(only) => is_listed(only),
        None => false,
    };
    is_of_type && schema.get("enum").is_none() && schema.get("const").is_none()
}

/// Returns the schema of a property or an item. In a union, the first branch with such a part
/// counts.
fn inner<'s>(root: &'s Value, schema: &'s Value, step: &str, hops: usize) -> Option<&'s Value> {
    let schema = resolved(root, schema);
    let property = || schema.get("properties")?.get(step);
    let item = || {
        let index: usize = step.parse().ok()?;
        let listed = schema.get("prefixItems").and_then(|items| items.get(index));
        listed.or_else(|| schema.get("items").filter(|items| items.is_object()))
    };
    let other = || schema.get("additionalProperties").filter(|others| others.is_object());
    let branch = || {
        let hops = hops.checked_sub(1)?;
        let branches = ["allOf", "anyOf", "oneOf"].iter().filter_map(|keyword| schema.get(keyword)?.as_array());
        branches.flatten().find_map(|branch| inner(root, branch, step, hops))
    };
    property().or_else(item).or_else(branch).or_else(other)
}

/// Returns the schema at the end of a chain of references.
fn resolved<'s>(root: &'s Value, schema: &'s Value) -> &'s Value {
    let next = |schema: &&'s Value| schema_ref::target(root, schema_ref::reference(schema.as_object()?)?);
    std::iter::successors(Some(schema), next).take(HOPS_MAX).last().unwrap_or(schema)
}

/// Cuts a text, without characters that a reader does not see.
fn shortened(text: &str, max: usize) -> String {
    let mut seen = text.chars().filter(|letter| !is_invisible(*letter) && !letter.is_control());
    let mut short: String = seen.by_ref().take(max).collect();
    if seen.next().is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn find(schema: &Value, steps: &[&str]) -> Option<(String, String)> {
        ArgumentType::find(schema, steps).map(|found| (found.form, found.about))
    }

    #[test]
    fn types_are_found_by_their_steps() {
        let schema = json!({
            "type": "object",
            "properties": {
                "owner": { "type": "string", "description": "The account.\nNot case sensitive." },
                "state": { "enum": ["open", "closed"] },
                "labels": { "type": "array", "items": { "$ref": "#/$defs/Label" } },
                "target": { "anyOf": [{ "type": "null" }, { "type": "object", "properties": { "x": { "type": "integer" } } }] },
                "by_name": { "type": "object", "additionalProperties": { "type": "boolean" } },
            },
            "$defs": { "Label": { "type": "object", "properties": { "name": { "type": "string", "maxLength": 50 } }, "required": ["name"] } },
        });
        let some = |form: &str, about: &str| Some((form.to_owned(), about.to_owned()));
        assert_eq!(find(&schema, &["owner"]), some("string", "The account. Not case sensitive"));
        assert_eq!(find(&schema, &["state"]), some("\"open\"|\"closed\"", ""));
        assert_eq!(find(&schema, &["labels", "3", "name"]), some("string(<=50)", ""));
        assert_eq!(find(&schema, &["target", "x"]), some("int", ""));
        assert_eq!(find(&schema, &["by_name", "any"]), some("boolean", ""));
        assert_eq!(find(&schema, &["other"]), None);
        assert_eq!(required_names(&schema, &["labels", "0"]), ["name"]);
        assert_eq!(known_names(&schema, &["labels", "0"]), Some(vec!["name"]));
        assert_eq!(known_names(&schema, &["by_name"]), None);
    }

    #[test]
    fn circular_references_end() {
        let schema = json!({
            "properties": { "a": { "$ref": "#/$defs/A" }, "b": { "anyOf": [{ "$ref": "#/properties/b" }] } },
            "$defs": { "A": { "$ref": "#/$defs/A" } },
        });
        assert_eq!(find(&schema, &["a", "x"]), None);
        assert_eq!(find(&schema, &["b", "x"]), None);
    }

    #[test]
    fn long_texts_are_cut() {
        let schema = json!({ "properties": { "a": { "enum": (0..1_000).collect::<Vec<_>>(), "description": "long ".repeat(100) } } });
        let found = ArgumentType::find(&schema, &["a"])
            .unwrap_or_else(|| ArgumentType { form: String::new(), about: String::new() });
        assert_eq!((found.form.chars().count(), found.about.chars().count()), (TYPE_MAX + 1, ABOUT_MAX + 1));
    }
}
