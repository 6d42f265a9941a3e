//! One tool as the page shows it.

use crate::{
    catalog::{entry::CatalogEntry, signature::ToolSignature},
    registry::tool_parts::ToolExample,
    tool::error::ErrorHelp,
};
use rmcp::model::{JsonObject, ToolAnnotations};
use serde::Serialize;
use serde_json::Value;

/// The texts and schemas of a tool. Its tokens are in the table of all tools, at the same place.
#[derive(Debug, Serialize)]
pub(super) struct ToolFacts {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    summary: String,
    /// The text of the full description, in Markdown, or empty if it is the summary.
    #[serde(skip_serializing_if = "String::is_empty")]
    description: String,
    input: JsonObject,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<JsonObject>,
    signature: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    examples: Vec<ExampleFacts>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    guidance: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<[String; 3]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    aliases: Vec<String>,
    /// Requests that must find the tool.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    found_by: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    scopes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<ToolAnnotations>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deprecated: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unavailable: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    eager: bool,
}

#[derive(Debug, Serialize)]
struct ExampleFacts {
    description: String,
    input: Value,
    explanation: String,
}

impl ToolFacts {
    pub(super) fn new(entry: &CatalogEntry) -> Self {
        let about = &entry.tool.about;
        let mut signature = String::new();
        ToolSignature::new(about).write(&mut signature, None);
        // The full text defaults to the summary, which the page shows already.
        let has_own_text = about.text().trim() != about.summary.trim();
        Self {
            name: about.name.to_string(),
            title: about.title.as_deref().map(str::to_owned),
            summary: about.summary.trim().to_owned(),
            description: if has_own_text {
                about.text().to_owned()
            } else {
                String::new()
            },
            input: (*about.input.schema).clone(),
            output: about.output_schema.as_deref().cloned(),
            signature,
            examples: about.usage.examples.iter().map(example).collect(),
            guidance: owned(&about.usage.guidance),
            notes: owned(&about.usage.notes),
            errors: about.usage.errors.iter().map(error).collect(),
            related: owned(&about.discovery.related),
            aliases: owned(&about.discovery.aliases),
            found_by: owned(&about.discovery.found_by),
            scopes: owned(&about.rules.scopes),
            annotations: entry.forms(true).full.tool.annotations.clone(),
            deprecated: about.usage.deprecated.as_deref().map(str::to_owned),
            unavailable: about.rules.unavailable.as_deref().map(str::to_owned),
            eager: about.eager,
        }
    }
}

fn owned(texts: &[std::borrow::Cow<'static, str>]) -> Vec<String> {
    texts.iter().map(ToString::to_string).collect()
}

fn example(example: &ToolExample) -> ExampleFacts {
    ExampleFacts {
        description: example.description.to_string(),
        input: example.input.clone(),
        explanation: example.explanation.to_string(),
    }
}

fn error(help: &ErrorHelp) -> [String; 3] {
    [
        help.code.to_string(),
        help.cause.to_string(),
        help.solution.to_string(),
    ]
}
