//! Collects the properties of a tool's input schema, one argument after the other.

use super::super::selective::arguments::{self, RowsArgument};
use crate::tool::descriptor::{ArgumentFacts, DefaultValue};

use rmcp::model::JsonObject;
use serde_json::{Value, json};

/// The properties of the root object under construction.
#[derive(Default)]
pub(super) struct InputProperties {
    pub(super) schemas: JsonObject,
    pub(super) required: Vec<Value>,
    pub(super) defaults: Vec<(String, Value)>,
    pub(super) nullable: Vec<String>,
}

impl InputProperties {
    /// Adds one argument with this schema.
    pub(super) fn add(
        &mut self,
        argument: &ArgumentFacts,
        schema: JsonObject,
        required: bool,
    ) -> Result<(), String> {
        let mut property = property(argument, schema)?;
        // An argument with a default is never required, whatever its type.
        let preset = preset(argument)?;
        if let Some(value) = preset.clone() {
            property.insert("default".to_owned(), value.clone());
            self.defaults.push((argument.name.to_owned(), value));
        }
        self.insert(argument.name, property, required && preset.is_none())
    }

    /// Adds the arguments that carry another tool's rows; `row` is the schema of one row.
    pub(super) fn add_rows(
        &mut self,
        argument: &ArgumentFacts,
        row: &JsonObject,
    ) -> Result<(), String> {
        for RowsArgument {
            name,
            description,
            required,
        } in arguments::row_arguments(argument, row)?
        {
            let words = [
                ("type", json!("string")),
                ("description", Value::String(description)),
            ];
            let property = words.map(|(key, value)| (key.to_owned(), value));
            self.insert(name, JsonObject::from_iter(property), required)?;
        }
        Ok(())
    }

    fn insert(&mut self, name: &str, property: JsonObject, required: bool) -> Result<(), String> {
        if self
            .schemas
            .insert(name.to_owned(), Value::Object(property))
            .is_some()
        {
            return Err(format!(
                "two arguments are sent as `{name}`; give one another name"
            ));
        }
        if required {
            self.required.push(Value::from(name))
        } else {
            self.nullable.push(name.to_owned())
        }
        Ok(())
    }
}

/// Builds the schema of one property: the schema of its type, with the author's docs and keywords.
fn property(argument: &ArgumentFacts, mut object: JsonObject) -> Result<JsonObject, String> {
    if !argument.doc.is_empty() {
        object.insert("description".to_owned(), json!(argument.doc));
    }
    if !argument.keywords.is_empty() {
        let keywords: JsonObject = serde_json::from_str(argument.keywords).map_err(|error| {
            format!("the keywords of `{}` are not JSON: {error}", argument.name)
        })?;
        // The author's `enum` replaces the branches that schemars writes for an enum with docs.
        // Together they would list every value twice.
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
        Some(DefaultValue::Literal(text)) => serde_json::from_str(text),
        Some(DefaultValue::Constant(make)) => make(),
    };
    let value = value
        .map_err(|error| format!("the default of `{}` is not JSON: {error}", argument.name))?;
    // The default must parse as the argument's type, or the first call that leaves the argument out
    // would fail.
    let mut alone = JsonObject::from_iter([(argument.name.to_owned(), value.clone())]);
    (argument.accepts)(&mut alone, argument.name).map_err(|error| {
        format!(
            "the default of `{}` does not fit its type: {}",
            argument.name, error.message
        )
    })?;
    Ok(Some(value))
}
