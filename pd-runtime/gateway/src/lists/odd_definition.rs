//! Definitions of tools that MCP does not quite allow.
//!
//! A client refuses a whole list for one definition without `"type": "object"`, and the gateway
//! cannot compile every schema. So the gateway lists what clients read, and checks what it can. It
//! is not stricter than the server.

use pd_schema::{CompiledSchema, checkable::CheckableSchema, nullable::names_nullable};
use rmcp::model::JsonObject;
use serde_json::{Value, json};
use std::{borrow::Cow, sync::Arc};

/// A definition as clients can read it.
pub(crate) struct ReadableDefinition<'a> {
    pub(crate) definition: Cow<'a, Value>,
    /// What is checked of the input schema, if that is less than all of it.
    pub(crate) checked: Option<Arc<JsonObject>>,
    /// What is not checked or not listed, one line each.
    pub(crate) notes: Vec<String>,
}

impl<'a> ReadableDefinition<'a> {
    pub(crate) fn new(definition: &'a Value) -> Self {
        let mut readable = Self {
            definition: Cow::Borrowed(definition),
            checked: None,
            notes: Vec::new(),
        };
        readable.input();
        readable.output();
        readable
    }

    fn input(&mut self) {
        let schema = self.definition.get("inputSchema");
        if let Some(repaired) = repaired_root(schema) {
            if !schema.is_some_and(Value::is_object) {
                self.notes
                    .push("it lists no input schema, so its arguments are not checked".to_owned());
            }
            self.set("inputSchema", Some(repaired));
        }
        let Some(schema) = self
            .definition
            .get("inputSchema")
            .filter(|schema| is_of_object(schema))
        else {
            return;
        };
        // JSON Schema ignores OpenAPI's `nullable`, and would refuse a null that servers take.
        if CompiledSchema::new(schema).is_ok() && !names_nullable(schema) {
            return;
        }
        let checkable = CheckableSchema::new(schema);
        let unchecked = checkable
            .unchecked
            .into_iter()
            .map(|what| format!("its arguments are not checked by {what}"));
        self.notes.extend(unchecked);
        let mut checked = match checkable.schema {
            Value::Object(checked) => checked,
            _ => JsonObject::new(),
        };
        checked.insert("type".to_owned(), "object".into());
        self.checked = Some(Arc::new(checked));
    }

    /// Leaves out an output schema that cannot be compiled. Clients compile it, too, and fail each
    /// call.
    fn output(&mut self) {
        let Some(schema) = self.definition.get("outputSchema") else {
            return;
        };
        let why = match schema {
            Value::Null => None,
            Value::Object(_) => match CompiledSchema::new(schema) {
                Ok(_) => return,
                Err(why) => Some(why),
            },
            _ => Some("a schema is an object".to_owned()),
        };
        self.notes
            .extend(why.map(|why| format!("its output schema is not listed: {why}")));
        self.set("outputSchema", None);
    }

    fn set(&mut self, key: &str, value: Option<Value>) {
        let Value::Object(definition) = self.definition.to_mut() else {
            return;
        };
        match value {
            Some(value) => drop(definition.insert(key.to_owned(), value)),
            None => drop(definition.shift_remove(key)),
        }
    }
}

/// Returns whether a definition is certainly not as clients and the validator read it.
pub(crate) fn is_odd(definition: &Value) -> bool {
    let output = definition.get("outputSchema");
    let input = definition.get("inputSchema");
    repaired_root(input).is_some()
        || input.is_some_and(names_nullable)
        || output.is_some_and(|schema| !schema.is_object())
}

/// Returns an input schema with the root that clients require, or `None` if it has one.
fn repaired_root(schema: Option<&Value>) -> Option<Value> {
    let Some(Value::Object(schema)) = schema else {
        return Some(json!({ "type": "object" }));
    };
    let kind = match schema.get("type") {
        Some(Value::String(kind)) if kind != "object" && KINDS.contains(&kind.as_str()) => {
            return None;
        }
        kind => kind,
    };
    let has_bad_properties = schema
        .get("properties")
        .is_some_and(|properties| !properties.is_object());
    let has_bad_required = schema
        .get("required")
        .is_some_and(|names| !is_list_of_texts(names));
    if kind.is_some_and(|kind| kind == "object") && !has_bad_properties && !has_bad_required {
        return None;
    }
    // First, where readers of a schema expect it.
    let mut repaired = JsonObject::from_iter([("type".to_owned(), "object".into())]);
    for (key, value) in schema {
        match key.as_str() {
            "type" => {}
            "properties" if has_bad_properties => {}
            "required" if has_bad_required => {}
            _ => drop(repaired.insert(key.clone(), value.clone())),
        }
    }
    Some(Value::Object(repaired))
}

fn is_list_of_texts(value: &Value) -> bool {
    value
        .as_array()
        .is_some_and(|values| values.iter().all(Value::is_string))
}

/// The types of JSON Schema that no arguments of a call have.
const KINDS: [&str; 6] = ["array", "boolean", "integer", "null", "number", "string"];

fn is_of_object(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "object")
}
