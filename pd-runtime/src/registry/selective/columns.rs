//! The columns of rows, as far as the schema of their type defines them.

mod kind;

use rmcp::model::JsonObject;
use serde_json::{Value, json};

/// The argument that names the columns to show (MCP-SD).
pub(crate) const ABSTRACT_DOMAINS: &str = "abstract_domains";
/// The argument that selects the transfer of the others (MCP-SD).
pub(crate) const MODE: &str = "mode";

/// The columns of a tool's rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RowColumns {
    pub(crate) known: Vec<RowColumn>,
    /// `true` if rows may have further columns, which are known only after a run.
    pub(crate) is_open: bool,
}

/// One column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RowColumn {
    pub(crate) name: String,
    /// The description of its values, in one line; may be empty.
    pub(crate) doc: String,
    /// The JSON types of its values: `number | null`, or `any`.
    pub(crate) kind: String,
}

/// The maximum depth of references in a type. Columns beyond it count as unknown.
const DEPTH_MAX: usize = 8;

/// Keywords that allow further columns beside `properties`.
const OPEN: [&str; 3] = ["additionalProperties", "unevaluatedProperties", "patternProperties"];

/// No known columns, so any may exist.
impl Default for RowColumns {
    fn default() -> Self {
        Self { known: Vec::new(), is_open: true }
    }
}

impl RowColumns {
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.known.iter().map(|column| column.name.as_str())
    }

    /// Reads the columns of rows with this schema.
    ///
    /// # Errors
    ///
    /// Returns the schema's `type` if it is not `object`.
    pub(in crate::registry) fn from_row_schema(row: &JsonObject) -> Result<Self, Value> {
        let mut columns = Self { known: Vec::new(), is_open: false };
        columns.read(&Value::Object(row.clone()), row, DEPTH_MAX)?;
        Ok(columns)
    }

    /// Adds the columns that a schema defines.
    fn read(&mut self, schema: &Value, root: &JsonObject, depth: usize) -> Result<(), Value> {
        let Value::Object(schema) = schema else {
            self.is_open = true;
            return Ok(());
        };
        if let Some(other) = schema.get("type").filter(|name| *name != "object") {
            return Err(other.clone());
        }
        let Some(depth) = depth.checked_sub(1) else {
            self.is_open = true;
            return Ok(());
        };
        self.read_properties(schema, root);
        if let Some(Value::String(pointer)) = schema.get("$ref") {
            match definition(root, pointer) {
                Some(definition) => self.read(definition, root, depth)?,
                None => self.is_open = true,
            }
        }
        let branches = ["allOf", "anyOf", "oneOf"].iter().filter_map(|key| schema.get(*key)?.as_array()).flatten();
        branches.into_iter().try_for_each(|branch| self.read(branch, root, depth))
    }

    fn read_properties(&mut self, schema: &JsonObject, root: &JsonObject) {
        let has_any =
            |keys: &[&str]| keys.iter().any(|key| schema.get(*key).is_some_and(|value| *value != json!(false)));
        match schema.get("properties") {
            Some(Value::Object(properties)) => {
                properties.iter().for_each(|(name, schema)| self.add(name, schema, root))
            }
            // The branches or the target define the columns, and open the set themselves if they
            // allow others.
            _ if has_any(&["allOf", "anyOf", "oneOf", "$ref"]) => {}
            _ => self.is_open = true,
        }
        self.is_open |= has_any(&OPEN);
    }

    /// Adds a column. If several branches define it, it has the types of all of them.
    fn add(&mut self, name: &str, schema: &Value, root: &JsonObject) {
        let kind = kind::render(schema, root, DEPTH_MAX);
        if let Some(known) = self.known.iter_mut().find(|known| known.name == name) {
            known.kind = kind::join(&[known.kind.as_str(), &kind]);
        } else {
            let doc = schema.get("description").and_then(Value::as_str).unwrap_or_default();
            let first = doc.split("\n\n").next().unwrap_or_default();
            let doc = first.split_whitespace().collect::<Vec<_>>().join(" ");
            self.known.push(RowColumn { name: name.to_owned(), doc, kind });
        }
    }
}

/// Returns whether every row with this schema has the column.
pub(in crate::registry) fn is_required(name: &str, schema: &JsonObject, root: &JsonObject) -> bool {
    requires(name, schema, root, DEPTH_MAX)
}

fn requires(name: &str, schema: &JsonObject, root: &JsonObject, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let branch = |branch: &Value| branch.as_object().is_some_and(|branch| requires(name, branch, root, depth));
    let list = |key: &str| schema.get(key).and_then(Value::as_array);
    list("required").is_some_and(|names| names.iter().any(|one| one == name))
        || list("allOf").is_some_and(|all| all.iter().any(branch))
        || ["anyOf", "oneOf"].iter().filter_map(|key| list(key)).any(|some| !some.is_empty() && some.iter().all(branch))
        || schema.get("$ref").and_then(Value::as_str).and_then(|pointer| definition(root, pointer)).is_some_and(branch)
}

/// Resolves `#/$defs/Name`.
fn definition<'a>(root: &'a JsonObject, pointer: &str) -> Option<&'a Value> {
    let name = pointer.strip_prefix("#/$defs/")?;
    root.get("$defs")?.get(name)
}

#[cfg(test)]
mod tests;
