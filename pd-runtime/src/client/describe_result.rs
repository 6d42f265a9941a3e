//! What a model is given when it asks for descriptions.

use super::description::Description;
use crate::provider::{anthropic, openai};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Descriptions in the order asked, and the names that no tool has.
#[derive(Debug, Clone)]
pub struct Described {
    pub(super) given: Vec<(String, Arc<Description>)>,
    pub(super) unknown: Vec<Unknown>,
}

/// A name that no tool has.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unknown {
    /// The name that was asked for.
    pub name: String,
    /// Names that come near; none for names after the first ten unknown ones of a request.
    pub nearest: Vec<String>,
    /// Whether there may be such a tool after all: the conversation has been shown as many as a provider takes, 10,000.
    pub left_out: bool,
}

impl Described {
    /// The description of the tool that is called so in front of the model.
    pub fn get(&self, name: &str) -> Option<&Description> {
        self.given.iter().find(|(own, _)| own == name).map(|(_, description)| &**description)
    }

    /// The names in front of the model, and the descriptions.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Description)> {
        self.given.iter().map(|(name, description)| (name.as_str(), &**description))
    }

    /// The names that no tool has.
    pub fn unknown(&self) -> &[Unknown] {
        &self.unknown
    }

    /// All of it as text for a model: the JSON object of specification v2.1, sections 4.4 and 6.3.
    pub fn text(&self) -> String {
        let given = self.given.iter().map(|(name, description)| (name.clone(), description.named(name)));
        let unknown = self.unknown.iter().map(|unknown| (unknown.name.clone(), unknown.told()));
        Value::Object(given.chain(unknown).collect::<Map<_, _>>()).to_string()
    }

    /// Anthropic's `tool_result` that brings the tools in: references to what [`Client::anthropic`](super::Client::anthropic)
    /// has from now on.
    pub fn anthropic(&self, tool_use_id: &str) -> Value {
        // The API refuses texts beside references; `remark` tells what is unknown.
        if self.given.is_empty() {
            let text = json!([{ "type": "text", "text": self.text() }]);
            return json!({ "type": "tool_result", "tool_use_id": tool_use_id, "content": text, "is_error": true });
        }
        let content: Vec<Value> = self.given.iter().map(|(name, _)| anthropic::reference(name)).collect();
        json!({ "type": "tool_result", "tool_use_id": tool_use_id, "content": content })
    }

    /// A text that tells which names are unknown, where the `tool_result` tells only what is known. It stands behind all
    /// `tool_result` blocks of the message.
    pub(super) fn remark(&self) -> Option<Value> {
        let unknown = self.unknown.iter().map(|unknown| (unknown.name.clone(), unknown.told()));
        let text = Value::Object(unknown.collect()).to_string();
        (!self.given.is_empty() && !self.unknown.is_empty()).then(|| json!({ "type": "text", "text": text }))
    }

    /// OpenAI's `tool_search_output` that brings the tools in.
    pub fn openai(&self, call_id: &str) -> Value {
        let tools: Vec<_> = self.iter().map(|(name, told)| openai_tool(name, told, true)).collect();
        openai::found(call_id, &tools)
    }
}

impl Unknown {
    fn told(&self) -> Value {
        let name = &self.name;
        let error = match self.left_out {
            true => format!("Tool '{name}' not found, or left out: this conversation has as many tools as it can hold"),
            false => format!("Tool '{name}' not found"),
        };
        json!({ "error": error, "available_tools": self.nearest })
    }
}

pub(super) fn openai_tool(name: &str, told: &Description, deferred: bool) -> Value {
    openai::tool(name, &told.words(), told.input_schema(), deferred)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn what_was_asked_in_vain_is_told() {
        let unknown = |left_out| Unknown { name: "pay".to_owned(), nearest: vec!["play".to_owned()], left_out };
        let described = |left_out| Described { given: Vec::new(), unknown: vec![unknown(left_out)] };
        let result = described(false).anthropic("t");
        assert_eq!(result["is_error"], true);
        assert!(result["content"][0]["text"].as_str().is_some_and(|text| text.contains("play")), "{result}");
        assert!(!described(false).text().contains("left out"));
        assert!(described(true).text().contains("left out"));
    }
}
