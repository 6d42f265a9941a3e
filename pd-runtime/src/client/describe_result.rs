//! The result of a request for descriptions, in the forms that models and providers take.

use super::description::Description;
use crate::provider::{anthropic, openai};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The requested descriptions in the order of the request, and the names that no tool has.
#[derive(Debug, Clone)]
pub struct Descriptions {
    pub(super) descriptions: Vec<(String, Arc<Description>)>,
    pub(super) unknown: Vec<UnknownTool>,
}

/// A requested name that no tool has.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownTool {
    /// The requested name.
    pub name: String,
    /// Similar names. Empty for names after the first ten unknown ones of a request.
    pub nearest: Vec<String>,
    /// Whether the tool may exist all the same: the conversation already has 10,000 tools, as many
    /// as a provider takes, and adds no more.
    pub left_out: bool,
}

impl Descriptions {
    /// Returns the description of a tool by the name that the model sees.
    pub fn get(&self, name: &str) -> Option<&Description> {
        self.descriptions
            .iter()
            .find(|(own, _)| own == name)
            .map(|(_, description)| &**description)
    }

    /// Iterates over the names that the model sees and their descriptions.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Description)> {
        self.descriptions
            .iter()
            .map(|(name, description)| (name.as_str(), &**description))
    }

    /// Returns the requested names that no tool has.
    pub fn unknown(&self) -> &[UnknownTool] {
        &self.unknown
    }

    /// Renders everything as text for a model: the JSON object of specification v2.1, sections 4.4
    /// and 6.3.
    pub fn text(&self) -> String {
        let descriptions = self
            .descriptions
            .iter()
            .map(|(name, description)| (name.clone(), description.json_named(name)));
        let unknown = self
            .unknown
            .iter()
            .map(|unknown| (unknown.name.clone(), unknown.to_json()));
        Value::Object(descriptions.chain(unknown).collect::<Map<_, _>>()).to_string()
    }

    /// Returns Anthropic's `tool_result` that loads the tools: references to tools that
    /// [`Client::anthropic`](super::Client::anthropic) contains from now on.
    pub fn anthropic(&self, tool_use_id: &str) -> Value {
        // The API rejects text next to references. `remark` reports the unknown names in a separate
        // block.
        if self.descriptions.is_empty() {
            let text = json!([{ "type": "text", "text": self.text() }]);
            return json!({ "type": "tool_result", "tool_use_id": tool_use_id, "content": text, "is_error": true });
        }
        let content: Vec<Value> = self
            .descriptions
            .iter()
            .map(|(name, _)| anthropic::reference(name))
            .collect();
        json!({ "type": "tool_result", "tool_use_id": tool_use_id, "content": content })
    }

    /// Returns a text block that reports the unknown names if the `tool_result` contains only
    /// references. It must follow all `tool_result` blocks of the message.
    pub(super) fn remark(&self) -> Option<Value> {
        let unknown = self
            .unknown
            .iter()
            .map(|unknown| (unknown.name.clone(), unknown.to_json()));
        let text = Value::Object(unknown.collect()).to_string();
        (!self.descriptions.is_empty() && !self.unknown.is_empty())
            .then(|| json!({ "type": "text", "text": text }))
    }

    /// Returns the result for a model that is given the tools themselves with the next message: their
    /// names, and what is unknown.
    pub(super) fn announcement(&self) -> CallToolResult {
        if self.descriptions.is_empty() {
            return CallToolResult::error(vec![ContentBlock::text(self.text())]);
        }
        let names: Vec<&str> = self.iter().map(|(name, _)| name).collect();
        let mut content = vec![ContentBlock::text(format!(
            "You have these tools now: {}",
            names.join(", ")
        ))];
        let remark = self.remark().and_then(|block| {
            let text = block.get("text")?.as_str()?;
            Some(ContentBlock::text(text))
        });
        content.extend(remark);
        CallToolResult::success(content)
    }

    /// Returns OpenAI's `tool_search_output` that loads the tools.
    pub fn openai(&self, call_id: &str) -> Value {
        let tools: Vec<_> = self
            .iter()
            .map(|(name, description)| openai_tool(name, description, true))
            .collect();
        openai::search_output(call_id, &tools)
    }
}

impl UnknownTool {
    fn to_json(&self) -> Value {
        let name = &self.name;
        let error = match self.left_out {
            true => format!(
                "Tool '{name}' not found, or left out: this conversation has as many tools as it can hold"
            ),
            false => format!("Tool '{name}' not found"),
        };
        json!({ "error": error, "available_tools": self.nearest })
    }
}

pub(super) fn openai_tool(name: &str, description: &Description, deferred: bool) -> Value {
    openai::tool(
        name,
        &description.provider_text(),
        description.input_schema(),
        deferred,
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn what_was_asked_in_vain_is_told() {
        let unknown = |left_out| UnknownTool {
            name: "pay".to_owned(),
            nearest: vec!["play".to_owned()],
            left_out,
        };
        let described = |left_out| Descriptions {
            descriptions: Vec::new(),
            unknown: vec![unknown(left_out)],
        };
        let result = described(false).anthropic("t");
        assert_eq!(result["is_error"], true);
        assert!(
            result["content"][0]["text"]
                .as_str()
                .is_some_and(|text| text.contains("play")),
            "{result}"
        );
        assert!(!described(false).text().contains("left out"));
        assert!(described(true).text().contains("left out"));
    }
}
