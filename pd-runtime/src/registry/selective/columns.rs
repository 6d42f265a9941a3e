//! The columns of rows, as far as the schema of their type defines them.

mod kind;

use pd_schema::reader::SchemaRef;
use rmcp::model::JsonObject;
use serde_json::Value;
use std::collections::HashSet;

/// The argument that names the columns to show (MCP-SD).
pub(crate) const ABSTRACT_DOMAINS: &str = "abstract_domains";
/// The argument that selects the transfer of the others (MCP-SD).
pub(crate) const MODE: &str = "mode";

/// The columns of a tool's rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowColumns {
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

/// The branches of an upstream's row that are read.
const BRANCHES_MAX: usize = 16;

/// No known columns, so any may exist.
impl Default for RowColumns {
    fn default() -> Self {
        Self {
            known: Vec::new(),
            is_open: true,
        }
    }
}

impl RowColumns {
    /// Returns the names of the columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.known.iter().map(|column| column.name.as_str())
    }

    /// Reads the columns of rows with this schema.
    ///
    /// # Errors
    ///
    /// Returns the schema's `type` if it is not `object`.
    pub(in crate::registry) fn from_row_schema(row: &JsonObject) -> Result<Self, Value> {
        let mut columns = Self {
            known: Vec::new(),
            is_open: false,
        };
        columns.read(SchemaRef::document(row), DEPTH_MAX)?;
        Ok(columns)
    }

    /// Reads the columns of rows with the schema of an upstream, which may be a part of a document.
    /// Unlike a schema of this crate, it may be made to take long. So only `properties` of the
    /// schema and of its branches are read, and no types.
    pub fn from_upstream_schema(row: SchemaRef<'_>) -> Self {
        let mut columns = Self {
            known: Vec::new(),
            is_open: false,
        };
        let mut names = HashSet::new();
        for schema in std::iter::once(row)
            .chain(row.branches().map(SchemaRef::resolved))
            // The schema of an upstream may have any number of branches.
            .take(BRANCHES_MAX)
        {
            columns.is_open |= allows_others(schema);
            for (name, property) in schema.properties().filter(|(name, _)| names.insert(*name)) {
                columns.known.push(RowColumn {
                    name: name.to_owned(),
                    doc: doc(property),
                    kind: kind::ANY.to_owned(),
                });
            }
        }
        // A schema without properties does not describe the columns.
        columns.is_open |= columns.known.is_empty();
        columns
    }

    /// Creates the columns that were seen in rows. Further rows may have others.
    pub fn from_names(names: impl IntoIterator<Item = String>) -> Self {
        Self {
            known: names
                .into_iter()
                .map(|name| RowColumn {
                    name,
                    doc: String::new(),
                    kind: kind::ANY.to_owned(),
                })
                .collect(),
            is_open: true,
        }
    }

    /// Adds the columns that a schema defines.
    fn read(&mut self, schema: SchemaRef<'_>, depth: usize) -> Result<(), Value> {
        if let Some(other) = schema.get("type").filter(|name| *name != "object") {
            return Err(other.clone());
        }
        let Some(depth) = depth.checked_sub(1) else {
            self.is_open = true;
            return Ok(());
        };
        self.read_properties(schema);
        if schema.reference().is_some() {
            match schema.target() {
                Some(target) => self.read(target, depth)?,
                None => self.is_open = true,
            }
        }
        schema
            .branches()
            .try_for_each(|branch| self.read(branch, depth))
    }

    fn read_properties(&mut self, schema: SchemaRef<'_>) {
        match schema.get("properties") {
            Some(Value::Object(_)) => {
                for (name, property) in schema.properties() {
                    self.add(name, property);
                }
            }
            // The branches or the target define the columns, and open the set themselves if they
            // allow others.
            _ if schema.has_branches() || schema.has_reference() => {}
            _ => self.is_open = true,
        }
        self.is_open |= allows_others(schema);
    }

    /// Adds a column. If several branches define it, it has the types of all of them.
    fn add(&mut self, name: &str, schema: SchemaRef<'_>) {
        let kind = kind::render(schema, DEPTH_MAX);
        if let Some(known) = self.known.iter_mut().find(|known| known.name == name) {
            known.kind = kind::join(&[known.kind.as_str(), &kind]);
        } else {
            self.known.push(RowColumn {
                name: name.to_owned(),
                doc: doc(schema),
                kind,
            });
        }
    }
}

/// Returns whether keywords allow further columns beside `properties`.
fn allows_others(schema: SchemaRef<'_>) -> bool {
    let unevaluated = schema.get("unevaluatedProperties");
    schema.describes_others() || unevaluated.is_some_and(|others| *others != false)
}

/// Returns the first paragraph of a description, in one line.
fn doc(schema: SchemaRef<'_>) -> String {
    let doc = schema
        .get("description")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let first = doc.split("\n\n").next().unwrap_or_default();
    first.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns whether every row with this schema has the column.
pub(in crate::registry) fn is_required(name: &str, row: &JsonObject) -> bool {
    requires(name, SchemaRef::document(row), DEPTH_MAX)
}

fn requires(name: &str, schema: SchemaRef<'_>, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    let branch = |branch: SchemaRef<'_>| requires(name, branch, depth);
    schema.required().any(|one| one == name)
        || schema.all_of().is_some_and(|mut all| all.any(branch))
        || [schema.any_of(), schema.one_of()]
            .into_iter()
            .flatten()
            .any(|mut some| some.len() > 0 && some.all(branch))
        || schema.target().is_some_and(branch)
}

#[cfg(test)]
mod tests;
