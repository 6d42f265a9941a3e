//! One tool's contract as JSON: its full description, and further facts that callers depend on.

use crate::{
    catalog::description,
    digest::Digest,
    registry::{selective::columns::RowColumns, tool_spec::ToolSpec},
    tool::descriptor::ToolAnnotations,
};
use rmcp::model::JsonObject;
use serde_json::{Value, json};

/// The contract of one tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolContract {
    pub(super) name: String,
    /// The digest of the full description, `sha256:…`.
    pub(super) digest: String,
    /// All facts of the contract, by the names of MCP and of the full description where these have
    /// one.
    pub(super) facts: JsonObject,
}

impl ToolContract {
    pub(super) fn from_tool(about: &ToolSpec) -> Self {
        let document = description::contract_document(about);
        let mut facts =
            JsonObject::from_iter([("summary".to_owned(), json!(about.summary.trim()))]);
        // The document is copied, because the digest covers it without the further facts.
        facts.extend(document.clone());
        // Contracts are compared without their names, so that a renamed tool is recognized.
        facts.shift_remove("name");
        facts.extend(further_facts(about));
        // Without a canonical form the digest is empty, and the facts alone are compared. No number
        // that this crate writes lacks one.
        let digest = Digest::from_document(&document)
            .map(|digest| digest.to_string())
            .unwrap_or_default();
        Self {
            name: about.name.to_string(),
            digest,
            facts: normalize(facts),
        }
    }
}

/// Returns the facts that the digest does not cover.
fn further_facts(about: &ToolSpec) -> impl Iterator<Item = (String, Value)> {
    let all = [
        ("annotations", annotations(about.annotations)),
        ("scopes", json!(about.rules.scopes)),
        (
            "eager",
            if about.eager {
                json!(true)
            } else {
                Value::Null
            },
        ),
        ("aliases", json!(about.discovery.aliases)),
        ("related", json!(about.discovery.related)),
        (
            "columns",
            about
                .columns
                .as_deref()
                .filter(|_| !about.has_observed_columns)
                .map_or(Value::Null, columns),
        ),
        ("_meta", Value::Object(about.host.meta.clone())),
    ];
    // Empty facts are left out, so that a new kind of fact does not change every existing lock.
    all.into_iter()
        .filter(move |(_, value)| is_present(value))
        .map(|(key, value)| (key.to_owned(), value))
}

fn is_present(value: &Value) -> bool {
    match value {
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
        other => !other.is_null(),
    }
}

/// Returns the columns of a selective tool's rows with their types.
fn columns(columns: &RowColumns) -> Value {
    let known = columns
        .known
        .iter()
        .map(|column| (column.name.clone(), json!(column.kind)));
    json!({ "known": JsonObject::from_iter(known), "others": columns.is_open })
}

fn annotations(hints: ToolAnnotations) -> Value {
    let ToolAnnotations {
        read_only,
        destructive,
        idempotent,
        open_world,
    } = hints;
    let all = [
        ("readOnlyHint", read_only),
        ("destructiveHint", destructive),
        ("idempotentHint", idempotent),
        ("openWorldHint", open_world),
    ];
    let present = all
        .into_iter()
        .filter_map(|(key, hint)| Some((key.to_owned(), Value::Bool(hint?))));
    Value::Object(present.collect())
}

/// Normalizes facts to what a file would contain. Writing and reading a number may change its last
/// bit, which would look like a change.
pub(super) fn normalize(facts: JsonObject) -> JsonObject {
    serde_json::to_string(&facts)
        .and_then(|text| serde_json::from_str(&text))
        .unwrap_or(facts)
}
