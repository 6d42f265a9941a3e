//! `describe`: full descriptions, as text or as the JSON of the resource.

use super::{CliError, json_output, overlay::OverlayOptions, style, tool_names::find_tool};
use crate::{
    catalog::signature::ToolSignature,
    registry::tool_spec::ToolSpec,
    server::erased_server::ErasedServer,
    text::escape::{self, lines, one_line},
};

use clap::Args;
use rmcp::model::JsonObject;
use serde_json::Value;
use std::fmt::Write;

/// The tools to describe.
#[derive(Debug, Clone, Args)]
pub struct DescribeOptions {
    /// The tools' names
    #[arg(required = true)]
    names: Vec<String>,
    /// Print the JSON of the resource `tool_descriptions`
    #[arg(long)]
    json: bool,
    /// Print declarations, which models read in few tokens
    #[arg(long, conflicts_with = "json")]
    signature: bool,
    #[command(flatten)]
    pub(super) texts: OverlayOptions,
}

pub(super) fn describe(options: &DescribeOptions, server: &dyn ErasedServer) -> Result<(), CliError> {
    let catalogue = server.served().catalogue();
    let mut document = JsonObject::new();
    for name in &options.names {
        let entry = find_tool(&catalogue, name)?;
        if options.json {
            let text = entry.description(true).text();
            // The text is parsed again, so that the document contains it as JSON and not as a
            // string.
            document.insert(name.clone(), serde_json::from_str(&text)?);
        } else if options.signature {
            style::print(format_args!("{}\n\n", escape::lines(&signature(&entry.tool.about))))?;
        } else {
            style::print(format_args!("{}\n", render(&entry.tool.about)))?;
        }
    }
    if options.json {
        json_output::print(&document)?;
    }
    Ok(())
}

fn signature(about: &ToolSpec) -> String {
    let mut out = String::new();
    ToolSignature::new(about).write(&mut out, None);
    out
}

/// Renders a description for people. The JSON contains more: nested schemas and output schemas.
pub(super) fn render(about: &ToolSpec) -> String {
    let mut out = format!("{}  {}\n", style::bold_green(&about.name), one_line(about.summary.trim()));
    // The full text defaults to the summary, which is already in the first line.
    if about.text().trim() != about.summary.trim() {
        paragraphs(&mut out, about.text());
    }
    section(&mut out, "Arguments", arguments(&about.input.schema));
    let example = |example: &crate::registry::tool_spec::ToolExample| {
        let shown = [&*example.description, &example.input.to_string(), &*example.explanation];
        shown.into_iter().filter(|text| !text.is_empty()).map(str::to_owned).collect::<Vec<_>>().join("\n    ")
    };
    section(&mut out, "Examples", about.examples.iter().map(example).collect());
    section(&mut out, "Guidance", about.guidance.iter().map(ToString::to_string).collect());
    section(&mut out, "Notes", about.notes.iter().map(ToString::to_string).collect());
    let error = |help: &crate::tool::ErrorHelp| format!("{}  {} {}", help.code, help.cause, help.solution);
    section(&mut out, "Errors", about.errors.iter().map(error).collect());
    section(&mut out, "Related", about.related.iter().map(ToString::to_string).collect());
    out
}

fn paragraphs(out: &mut String, text: &str) {
    for line in lines(text).lines() {
        let _ = writeln!(out, "  {line}");
    }
}

fn section(out: &mut String, title: &str, items: Vec<String>) {
    if items.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n  {}", style::bold(title));
    for item in items {
        let _ = writeln!(out, "  - {}", lines(item.trim()));
    }
}

fn arguments(schema: &JsonObject) -> Vec<String> {
    let required = schema.get("required").and_then(Value::as_array);
    let Some(Value::Object(properties)) = schema.get("properties") else { return Vec::new() };
    let argument = |(name, property): (&String, &Value)| {
        let needed = required.is_some_and(|names| names.iter().any(|one| one == name));
        let mut facts = vec![kind(property)];
        facts.extend(needed.then(|| "required".to_owned()));
        facts.extend(property.get("default").map(|value| format!("default {value}")));
        for (key, word) in [("minimum", "at least"), ("maximum", "at most")] {
            facts.extend(property.get(key).map(|limit| format!("{word} {limit}")));
        }
        let text = property.get("description").and_then(Value::as_str).unwrap_or_default();
        format!("{name} ({}) {text}", facts.join(", "))
    };
    properties.iter().map(argument).collect()
}

fn kind(property: &Value) -> String {
    match (property.get("enum"), property.get("type")) {
        (Some(Value::Array(values)), _) => values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" | "),
        (_, Some(Value::String(name))) => name.clone(),
        (_, Some(other)) => other.to_string(),
        _ => "any".to_owned(),
    }
}
