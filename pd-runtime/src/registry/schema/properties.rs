//! The properties of a tool's input, as its arguments add them one by one.

use super::super::selective::arguments::{self, Sent};
use crate::tool::descriptor::{ArgumentFacts, Preset};

use rmcp::model::JsonObject;
use serde_json::{Value, json};

/// The properties of the root object, while arguments add theirs.
#[derive(Default)]
pub(super) struct Properties {
    pub(super) schemas: JsonObject,
    pub(super) required: Vec<Value>,
    pub(super) defaults: Vec<(String, Value)>,
    pub(super) nullable: Vec<String>,
}

impl Properties {
    /// One argument of this schema.
    pub(super) fn add(&mut self, argument: &ArgumentFacts, schema: JsonObject, required: bool) -> Result<(), String> {
        let mut property = property(argument, schema)?;
        let preset = preset(argument)?;
        if let Some(value) = preset.clone() {
            property.insert("default".to_owned(), value.clone());
            self.defaults.push((argument.name.to_owned(), value));
        }
        self.insert(argument.name, property, required && preset.is_none())
    }

    /// The rows of another tool: `row` is the schema of one.
    pub(super) fn add_rows(&mut self, argument: &ArgumentFacts, row: &JsonObject) -> Result<(), String> {
        for Sent { name, description, required } in arguments::sent(argument, row)? {
            let words = [("type", json!("string")), ("description", Value::String(description))];
            let property = words.map(|(key, value)| (key.to_owned(), value));
            self.insert(name, JsonObject::from_iter(property), required)?;
        }
        Ok(())
    }

    fn insert(&mut self, name: &str, property: JsonObject, required: bool) -> Result<(), String> {
        if self.schemas.insert(name.to_owned(), Value::Object(property)).is_some() {
            return Err(format!("two arguments are sent as `{name}`; give one another name"));
        }
        if required {
            self.required.push(Value::from(name))
        } else {
            self.nullable.push(name.to_owned())
        }
        Ok(())
    }
}

/// The schema of one property: its type's, with the author's docs and keywords.
fn property(argument: &ArgumentFacts, mut object: JsonObject) -> Result<JsonObject, String> {
    if !argument.doc.is_empty() {
        object.insert("description".to_owned(), json!(argument.doc));
    }
    if !argument.keywords.is_empty() {
        let keywords: JsonObject = serde_json::from_str(argument.keywords)
            .map_err(|error| format!("the keywords of `{}` are not JSON: {error}", argument.name))?;
        if keywords.contains_key("enum") {
            object.shift_remove("oneOf");
        }
        object.extend(keywords);
    }
    Ok(object)
}

fn preset(argument: &ArgumentFacts) -> Result<Option<Value>, String> {
    let value = match argument.default {
        None => return Ok(None),
        Some(Preset::Literal(text)) => serde_json::from_str(text),
        Some(Preset::Constant(make)) => make(),
    };
    let value = value.map_err(|error| format!("the default of `{}` is not JSON: {error}", argument.name))?;
    let mut alone = JsonObject::from_iter([(argument.name.to_owned(), value.clone())]);
    (argument.accepts)(&mut alone, argument.name)
        .map_err(|error| format!("the default of `{}` does not fit its type: {}", argument.name, error.message))?;
    Ok(Some(value))
}
