//! A full description as the agent stores it: the fields for the model, without tickets and
//! `_meta`.

use crate::{
    digest::Digest,
    protocol::keys::{DIGEST, TICKET_ARGUMENT},
    text::{invisible::without_invisible, token_estimate::estimate_tokens},
};
use rmcp::model::{JsonObject, Tool};
use serde_json::Value;
use std::{borrow::Cow, fmt::Write as _};

/// Keys of prose for the model, in descriptions and in schemas.
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
/// Keys of data that a call sends back unchanged, byte for byte.
const DATA: [&str; 4] = ["const", "default", "enum", "input"];

/// A tool's full description, independent of the protocol that it was fetched by.
///
/// It contains neither a ticket nor `_meta`, which only the client and the server use. Its prose
/// contains no invisible characters.
#[derive(Debug, Clone, PartialEq)]
pub struct Description {
    name: String,
    json: JsonObject,
    digest: String,
    text: String,
}

/// A fetched description and the ticket that came with it.
#[derive(Debug)]
pub(super) struct FetchedDescription {
    pub(super) description: Description,
    pub(super) ticket: Option<String>,
}

impl FetchedDescription {
    /// Parses a description of specification v2.1, or a tool in MCP's own form; both use the same
    /// names for the same fields. Returns `None` for an error entry, or for a value that is not a
    /// description.
    pub(super) fn parse(name: &str, json: Value) -> Option<Self> {
        let Value::Object(mut json) = json else {
            return None;
        };
        if !json.get("inputSchema").is_some_and(Value::is_object) {
            return None;
        }
        // The digest is read before `_meta` is dropped: tickets and other metadata there change
        // without a change of the tool.
        let meta = json.shift_remove("_meta");
        let digest = meta
            .as_ref()
            .and_then(|meta| meta.get(DIGEST)?.as_str())
            .map(str::to_owned);
        let ticket = json
            .get_mut("inputSchema")
            .and_then(Value::as_object_mut)
            .and_then(take_ticket);
        if ticket.is_some() {
            json.get_mut("examples")
                .into_iter()
                .for_each(remove_ticket_from_examples);
        }
        json.iter_mut()
            .for_each(|(key, value)| remove_invisible(key, value));
        Some(Self {
            description: Description::new(name, json, digest)?,
            ticket,
        })
    }
}

impl Description {
    fn new(name: &str, json: JsonObject, digest: Option<String>) -> Option<Self> {
        // Without a server's digest, the digest of the cleaned JSON still shows whether the model
        // would read something new.
        let digest = digest.or_else(|| {
            Digest::from_document(&json)
                .ok()
                .map(|digest| digest.to_string())
        })?;
        // Wrapped only to serialize it: `JsonObject` has no `Display`.
        let whole = Value::Object(json);
        let text = whole.to_string();
        let Value::Object(json) = whole else {
            return None;
        };
        Some(Self {
            name: name.to_owned(),
            json,
            digest,
            text,
        })
    }

    pub(super) fn from_tool(tool: &Tool) -> Option<Self> {
        FetchedDescription::parse(&tool.name, serde_json::to_value(tool).ok()?)
            .map(|fetched| fetched.description)
    }

    /// Returns the tool's own name on its server.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the author's text about what the tool does.
    pub fn description(&self) -> &str {
        self.json
            .get("description")
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    /// Returns the JSON Schema of the arguments.
    pub fn input_schema(&self) -> &JsonObject {
        static NONE: std::sync::LazyLock<JsonObject> = std::sync::LazyLock::new(JsonObject::new);
        self.json
            .get("inputSchema")
            .and_then(Value::as_object)
            // Never used, because `FetchedDescription::parse` refuses a description without a
            // schema.
            .unwrap_or(&NONE)
    }

    /// Returns the whole description. Examples, guidance and error help have the names of the
    /// specification (v2.1, section 4.4).
    pub fn json(&self) -> &JsonObject {
        &self.json
    }

    /// Returns the whole description with the name that the model sees.
    pub(super) fn json_named(&self, name: &str) -> Value {
        let mut json = self.json.clone();
        json.insert("name".to_owned(), name.into());
        Value::Object(json)
    }

    /// Returns the whole description as JSON text, for a model.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the server's digest, or the digest of the text if the server sent none: `sha256:…`.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Returns the estimated cost of the text in tokens, by [`estimate_tokens`].
    pub fn tokens(&self) -> usize {
        estimate_tokens(&self.text)
    }

    /// Renders the text of a provider's `description` field: the description, guidance, notes and
    /// examples. Error help is left out; it comes with errors.
    pub(super) fn provider_text(&self) -> String {
        let mut text = self.description().to_owned();
        let guidance = self.json.get("usage_guidance");
        for key in ["common_patterns", "important_notes"] {
            let lines = guidance.and_then(|guidance| guidance.get(key)?.as_array());
            for line in lines.into_iter().flatten().filter_map(Value::as_str) {
                _ = write!(text, "\n- {line}");
            }
        }
        for example in self
            .json
            .get("examples")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let caption = example
                .get("description")
                .and_then(Value::as_str)
                .unwrap_or("Example");
            if let Some(input) = example.get("input") {
                _ = write!(text, "\n{}: {input}", caption.trim_end_matches(':'));
            }
        }
        text
    }
}

/// Removes the ticket from a schema that requires one as an argument, so that no model has to copy
/// it. Returns the ticket.
fn take_ticket(schema: &mut JsonObject) -> Option<String> {
    let property = schema
        .get_mut("properties")?
        .as_object_mut()?
        .shift_remove(TICKET_ARGUMENT)?;
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|name| name != TICKET_ARGUMENT);
        // Draft 4 of JSON Schema rejects an empty `required`.
        if required.is_empty() {
            schema.shift_remove("required");
        }
    }
    property
        .get("const")
        .and_then(Value::as_str)
        .map(str::to_owned)
}

/// Removes the ticket from the examples, which must fit the schema without it.
fn remove_ticket_from_examples(examples: &mut Value) {
    for example in examples.as_array_mut().into_iter().flatten() {
        if let Some(Value::Object(input)) = example.get_mut("input") {
            input.shift_remove(TICKET_ARGUMENT);
        }
    }
}

/// Removes invisible characters from the prose in a value under this key.
fn remove_invisible(key: &str, value: &mut Value) {
    match value {
        Value::String(text) if PROSE.contains(&key) => {
            if let Cow::Owned(visible) = without_invisible(text) {
                *text = visible;
            }
        }
        // Items have the key of their list, such as `important_notes`.
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| remove_invisible(key, item)),
        Value::Object(object) => {
            // An invisible character in data may be intended, and must survive the round trip.
            let prose = object
                .iter_mut()
                .filter(|(key, _)| !DATA.contains(&key.as_str()));
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
        let property =
            json!({ "disclosure_ticket": { "const": "12" }, "limit": { "type": "integer" } });
        let schema =
            json!({ "type": "object", "properties": property, "required": ["disclosure_ticket"] });
        let examples = json!([{ "input": { "limit": 5, "disclosure_ticket": "12" } }]);
        let meta = json!({ DIGEST: "sha256:00" });
        let json = json!({ "description": "List", "inputSchema": schema, "examples": examples, "_meta": meta });
        let fetched = FetchedDescription::parse("log", json).unwrap();
        assert_eq!(fetched.ticket.as_deref(), Some("12"));
        assert_eq!(fetched.description.digest(), "sha256:00");
        assert!(
            !fetched.description.text().contains("ticket"),
            "{}",
            fetched.description.text()
        );
        assert_eq!(fetched.description.input_schema().get("required"), None);
    }

    #[test]
    fn prose_has_no_invisible_characters_and_data_keeps_them() {
        let hidden = "Li\u{fe01}st\u{e0041}";
        let limit =
            json!({ "title": hidden, "description": hidden, "enum": [hidden], "default": hidden });
        let json = json!({
            "description": hidden,
            "inputSchema": { "properties": { "limit": limit } },
            "usage_guidance": { "common_patterns": [hidden] },
            "examples": [{ "description": hidden, "input": { "description": hidden } }],
        });
        let text = FetchedDescription::parse("log", json)
            .unwrap()
            .description
            .text()
            .to_owned();
        assert_eq!(
            (text.matches("List").count(), text.matches(hidden).count()),
            (5, 3),
            "{text}"
        );
    }

    #[test]
    fn an_error_entry_is_no_description() {
        assert!(
            FetchedDescription::parse("log", json!({ "error": "Tool 'log' not found" })).is_none()
        );
        assert!(FetchedDescription::parse("log", json!("log")).is_none());
    }

    #[test]
    fn the_digest_is_of_what_a_model_reads() {
        let one = |text: &str| {
            FetchedDescription::parse("log", json!({ "description": text, "inputSchema": {} }))
                .unwrap()
                .description
        };
        assert_eq!(one("a").digest(), one("a").digest());
        assert_ne!(one("a").digest(), one("b").digest());
    }

    #[test]
    fn a_providers_text_has_guidance_and_examples() {
        let json = json!({
            "description": "List commits.",
            "inputSchema": {},
            "usage_guidance": { "common_patterns": ["Use `blame` for lines."], "important_notes": ["Newest first."] },
            "examples": [{ "description": "Five:", "input": { "limit": 5 } }],
            "error_guidance": { "common_errors": [] },
        });
        let text = FetchedDescription::parse("log", json)
            .unwrap()
            .description
            .provider_text();
        assert_eq!(
            text,
            "List commits.\n- Use `blame` for lines.\n- Newest first.\nFive: {\"limit\":5}"
        );
    }
}
