//! The columns of a selective tool's rows, as far as their type tells them, and what the tool takes because of them.

mod kind;

use super::schema::{self, Input};
use crate::table::ROW_ID;
use rmcp::model::JsonObject;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Value, json};
use std::{fmt::Write as _, sync::Arc};

/// The argument that names the columns to show (MCP-SD).
pub(crate) const ABSTRACT_DOMAINS: &str = "abstract_domains";
/// The argument that says how the others are sent (MCP-SD).
pub(crate) const MODE: &str = "mode";

/// Which columns rows have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Columns {
    pub(crate) known: Vec<Column>,
    /// Whether rows may have others, which only a run tells.
    pub(crate) is_open: bool,
}

/// One column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: String,
    /// What it holds, in one line; may be empty.
    pub(crate) doc: String,
    /// Which JSON types it may hold: `number | null`, or `any`.
    pub(crate) kind: String,
}

/// How deep a type may refer to others before its columns count as not known.
const DEPTH_MAX: usize = 8;

/// Words that let rows have other columns than `properties`.
const OPEN: [&str; 3] = ["additionalProperties", "unevaluatedProperties", "patternProperties"];

/// Of nothing is known.
impl Default for Columns {
    fn default() -> Self {
        Self { known: Vec::new(), is_open: true }
    }
}

/// The columns of rows that are described so.
///
/// # Errors
///
/// Rows have no columns, or one with the name of a row's number.
pub(crate) fn of_rows(describe: fn(&mut SchemaGenerator) -> Option<Schema>) -> Result<Columns, String> {
    let Some(row) = schema::of_output(describe) else { return Ok(Columns::default()) };
    let columns = Columns::of(&row)
        .map_err(|other| format!("a row is an object, and here it is {other}; return a list of structs"))?;
    if columns.names().any(|name| name == ROW_ID) {
        return Err(format!("`{ROW_ID}` is the number that each row is given; call that column something else"));
    }
    Ok(columns)
}

impl Columns {
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.known.iter().map(|column| column.name.as_str())
    }

    /// The columns of rows of this schema.
    ///
    /// # Errors
    ///
    /// What rows are, if they are no objects.
    pub(super) fn of(row: &JsonObject) -> Result<Self, Value> {
        let mut columns = Self { known: Vec::new(), is_open: false };
        columns.read(&Value::Object(row.clone()), row, DEPTH_MAX)?;
        Ok(columns)
    }

    /// Adds what a schema says about columns.
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
        let says = |keys: &[&str]| keys.iter().any(|key| schema.get(*key).is_some_and(|value| *value != json!(false)));
        match schema.get("properties") {
            Some(Value::Object(properties)) => {
                properties.iter().for_each(|(name, schema)| self.add(name, schema, root))
            }
            _ if says(&["allOf", "anyOf", "oneOf", "$ref"]) => {}
            _ => self.is_open = true,
        }
        self.is_open |= says(&OPEN);
    }

    /// A column that several branches describe may hold what any of them lets it.
    fn add(&mut self, name: &str, schema: &Value, root: &JsonObject) {
        let kind = kind::of(schema, root, DEPTH_MAX);
        if let Some(known) = self.known.iter_mut().find(|known| known.name == name) {
            known.kind = kind::either(&[known.kind.as_str(), &kind]);
        } else {
            let doc = schema.get("description").and_then(Value::as_str).unwrap_or_default();
            let first = doc.split("\n\n").next().unwrap_or_default();
            let doc = first.split_whitespace().collect::<Vec<_>>().join(" ");
            self.known.push(Column { name: name.to_owned(), doc, kind });
        }
    }

    /// Adds what a selective tool takes to its input; gives the function's own arguments of these names.
    pub(super) fn extend(&self, input: &mut Input) -> Vec<String> {
        let mut taken = Vec::new();
        let root = Arc::make_mut(&mut input.schema);
        let properties = root.entry("properties").or_insert_with(|| json!({}));
        let Value::Object(properties) = properties else { return taken };
        for (name, schema) in [(ABSTRACT_DOMAINS, self.names_schema()), (MODE, mode_schema())] {
            if properties.contains_key(name) {
                taken.push(name.to_owned());
                continue;
            }
            properties.insert(name.to_owned(), schema);
            input.nullable.push(name.to_owned());
        }
        taken
    }

    fn names_schema(&self) -> Value {
        let mut text =
            "Columns to show, separated by commas: as few as you need to decide. The others are kept for a tool that \
                        takes `abstract_data`. Left out: all is shown."
                .to_owned();
        if !self.known.is_empty() {
            text.push_str(if self.is_open { " Columns, among others:" } else { " Columns:" });
        }
        for Column { name, doc, .. } in &self.known {
            let separator = if doc.is_empty() { "" } else { ": " };
            let _ = write!(text, "\n- {name}{separator}{doc}");
        }
        json!({ "type": "string", "description": text })
    }
}

fn mode_schema() -> Value {
    json!({
        "type": "string",
        "enum": ["async", "sync"],
        "default": "async",
        "description": "How the others are handed on: `async` by `resource_url`, `sync` in the result as `body`, for an agent that takes it out.",
    })
}

/// Whether each row that this schema describes has the column.
pub(super) fn is_required(name: &str, schema: &JsonObject, root: &JsonObject) -> bool {
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

/// `#/$defs/Name`
fn definition<'a>(root: &'a JsonObject, pointer: &str) -> Option<&'a Value> {
    let name = pointer.strip_prefix("#/$defs/")?;
    root.get("$defs")?.get(name)
}

#[cfg(test)]
mod tests;
