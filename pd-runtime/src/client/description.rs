//! A full description as an agent holds it: what a model reads, without what only code needs.

use crate::{
    digest::Digest,
    protocol::keys::DIGEST,
    text::{invisible::without_invisible, token_estimate::estimate_tokens},
    tool::descriptor::TICKET_ARGUMENT,
};
use rmcp::model::{JsonObject, Tool};
use serde_json::Value;
use std::{borrow::Cow, fmt::Write as _};

/// Keys of texts that a model reads as prose, in descriptions and in schemas.
const PROSE: [&str; 9] = [
    "description",
    "title",
    "explanation",
    "common_patterns",
    "important_notes",
    "message",
    "cause",
    "solution",
    "$comment",
];
/// Keys of data that a call sends back byte by byte.
const DATA: [&str; 4] = ["const", "default", "enum", "input"];

/// A tool's full description, whichever wire it came by.
///
/// Neither a ticket nor `_meta` is in it: those are between client and server. Its prose has no invisible characters.
#[derive(Debug, Clone, PartialEq)]
pub struct Description {
    name: String,
    json: JsonObject,
    digest: String,
    text: String,
}

/// A description, and the ticket that came with it.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) description: Description,
    pub(super) ticket: Option<String>,
}

impl Given {
    /// From a description of specification v2.1, or a tool in MCP's own form; both have the same names for the same things.
    /// `None` for an error entry, or what is no description.
    pub(super) fn read(name: &str, told: Value) -> Option<Self> {
        let Value::Object(mut json) = told else { return None };
        if !json.get("inputSchema").is_some_and(Value::is_object) {
            return None;
        }
        let meta = json.shift_remove("_meta");
        let digest = meta.as_ref().and_then(|meta| meta.get(DIGEST)?.as_str()).map(str::to_owned);
        let ticket = json.get_mut("inputSchema").and_then(Value::as_object_mut).and_then(take_ticket);
        if ticket.is_some() {
            json.get_mut("examples").into_iter().for_each(take_from_examples);
        }
        json.iter_mut().for_each(|(key, value)| remove_invisible(key, value));
        Some(Self { description: Description::new(name, json, digest)?, ticket })
    }
}

impl Description {
    fn new(name: &str, json: JsonObject, digest: Option<String>) -> Option<Self> {
        let digest = digest.or_else(|| Digest::of(&json).ok().map(|digest| digest.to_string()))?;
        let whole = Value::Object(json);
        let text = whole.to_string();
        let Value::Object(json) = whole else { return None };
        Some(Self { name: name.to_owned(), json, digest, text })
    }

    pub(super) fn of_tool(tool: &Tool) -> Option<Self> {
        Given::read(&tool.name, serde_json::to_value(tool).ok()?).map(|given| given.description)
    }

    /// The tool's own name, on its server.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it does, in the author's words.
    pub fn description(&self) -> &str {
        self.json.get("description").and_then(Value::as_str).unwrap_or_default()
    }

    /// Its arguments, as JSON Schema.
    pub fn input_schema(&self) -> &JsonObject {
        static NONE: std::sync::LazyLock<JsonObject> = std::sync::LazyLock::new(JsonObject::new);
        self.json.get("inputSchema").and_then(Value::as_object).unwrap_or(&NONE)
    }

    /// All of it: examples, guidance and error help stand under the specification's names (v2.1, section 4.4).
    pub fn json(&self) -> &JsonObject {
        &self.json
    }

    /// All of it, under the name that the tool has in front of a model.
    pub(super) fn named(&self, name: &str) -> Value {
        let mut json = self.json.clone();
        json.insert("name".to_owned(), name.into());
        Value::Object(json)
    }

    /// The same as text, for a model.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The server's digest of it, or that of its text where the server tells none: `sha256:…`.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// About what its text costs a model, by [`estimate_tokens`](crate::estimate_tokens).
    pub fn tokens(&self) -> usize {
        estimate_tokens(&self.text)
    }

    /// What of it stands in a provider's `description`: the text, guidance, notes and examples. Error help comes with errors.
    pub(super) fn words(&self) -> String {
        let mut words = self.description().to_owned();
        let guidance = self.json.get("usage_guidance");
        for key in ["common_patterns", "important_notes"] {
            let lines = guidance.and_then(|guidance| guidance.get(key)?.as_array());
            for line in lines.into_iter().flatten().filter_map(Value::as_str) {
                _ = write!(words, "\n- {line}");
            }
        }
        for example in self.json.get("examples").and_then(Value::as_array).into_iter().flatten() {
            let said = example.get("description").and_then(Value::as_str).unwrap_or("Example");
            if let Some(input) = example.get("input") {
                _ = write!(words, "\n{}: {input}", said.trim_end_matches(':'));
            }
        }
        words
    }
}

/// Takes the ticket out of a schema that asks for one, so that no model has to copy it.
fn take_ticket(schema: &mut JsonObject) -> Option<String> {
    let asked = schema.get_mut("properties")?.as_object_mut()?.shift_remove(TICKET_ARGUMENT)?;
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|name| name != TICKET_ARGUMENT);
        if required.is_empty() {
            schema.shift_remove("required");
        }
    }
    asked.get("const").and_then(Value::as_str).map(str::to_owned)
}

/// Takes the ticket out of the examples, which fit the schema without it now.
fn take_from_examples(examples: &mut Value) {
    for example in examples.as_array_mut().into_iter().flatten() {
        if let Some(Value::Object(input)) = example.get_mut("input") {
            input.shift_remove(TICKET_ARGUMENT);
        }
    }
}

/// Removes invisible characters from the prose in a value that stands under this key.
fn remove_invisible(key: &str, value: &mut Value) {
    match value {
        Value::String(text) if PROSE.contains(&key) => {
            if let Cow::Owned(visible) = without_invisible(text) {
                *text = visible;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| remove_invisible(key, item)),
        Value::Object(object) => {
            let prose = object.iter_mut().filter(|(key, _)| !DATA.contains(&key.as_str()));
            prose.for_each(|(key, value)| remove_invisible(key, value));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use serde_json::json;

    #[test]
    fn a_ticket_is_taken_out_and_meta_with_it() {
        let asked = json!({ "disclosure_ticket": { "const": "12" }, "limit": { "type": "integer" } });
        let schema = json!({ "type": "object", "properties": asked, "required": ["disclosure_ticket"] });
        let examples = json!([{ "input": { "limit": 5, "disclosure_ticket": "12" } }]);
        let meta = json!({ DIGEST: "sha256:00" });
        let told = json!({ "description": "List", "inputSchema": schema, "examples": examples, "_meta": meta });
        let given = Given::read("log", told).unwrap();
        assert_eq!(given.ticket.as_deref(), Some("12"));
        assert_eq!(given.description.digest(), "sha256:00");
        assert!(!given.description.text().contains("ticket"), "{}", given.description.text());
        assert_eq!(given.description.input_schema().get("required"), None);
    }

    #[test]
    fn prose_has_no_invisible_characters_and_data_keeps_them() {
        let hidden = "Li\u{fe01}st\u{e0041}";
        let limit = json!({ "title": hidden, "description": hidden, "enum": [hidden], "default": hidden });
        let told = json!({
            "description": hidden,
            "inputSchema": { "properties": { "limit": limit } },
            "usage_guidance": { "common_patterns": [hidden] },
            "examples": [{ "description": hidden, "input": { "description": hidden } }],
        });
        let text = Given::read("log", told).unwrap().description.text().to_owned();
        assert_eq!((text.matches("List").count(), text.matches(hidden).count()), (5, 3), "{text}");
    }

    #[test]
    fn an_error_entry_is_no_description() {
        assert!(Given::read("log", json!({ "error": "Tool 'log' not found" })).is_none());
        assert!(Given::read("log", json!("log")).is_none());
    }

    #[test]
    fn the_digest_is_of_what_a_model_reads() {
        let one =
            |text: &str| Given::read("log", json!({ "description": text, "inputSchema": {} })).unwrap().description;
        assert_eq!(one("a").digest(), one("a").digest());
        assert_ne!(one("a").digest(), one("b").digest());
    }

    #[test]
    fn a_providers_text_has_guidance_and_examples() {
        let told = json!({
            "description": "List commits.",
            "inputSchema": {},
            "usage_guidance": { "common_patterns": ["Use `blame` for lines."], "important_notes": ["Newest first."] },
            "examples": [{ "description": "Five:", "input": { "limit": 5 } }],
            "error_guidance": { "common_errors": [] },
        });
        let words = Given::read("log", told).unwrap().description.words();
        assert_eq!(words, "List commits.\n- Use `blame` for lines.\n- Newest first.\nFive: {\"limit\":5}");
    }
}
