//! `describe`: full descriptions, as text or as the JSON of the resource.

use super::{CliError, json_output, overlay::OverlayOptions, style, tool_names::find_tool};
use crate::{
    catalog::signature::ToolSignature,
    registry::{tool_parts::ToolExample, tool_spec::ToolSpec},
    server::erased_server::ErasedServer,
    text::escape::{self, lines, one_line},
    tool::ErrorHelp,
};
use pd_schema::{nullable, reader::SchemaRef};

use clap::Args;
use rmcp::model::JsonObject;
use serde_json::Value;
use std::{collections::HashSet, fmt::Write};

/// The unions inside unions that are opened.
const HOPS_MAX: usize = 2;
/// The kind of an argument that may be anything.
const ANY: &str = "any";

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

pub(super) fn describe(
    options: &DescribeOptions,
    server: &dyn ErasedServer,
) -> Result<(), CliError> {
    let catalog = server.served().catalog();
    let mut document = JsonObject::new();
    for name in &options.names {
        let entry = find_tool(&catalog, name)?;
        if options.json {
            let text = entry.description(true).text();
            // The text is parsed again, so that the document contains it as JSON and not as a
            // string.
            document.insert(name.clone(), serde_json::from_str(&text)?);
        } else if options.signature {
            style::print(format_args!(
                "{}\n\n",
                escape::lines(&signature(&entry.tool.about))
            ))?;
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
    let mut out = format!(
        "{}  {}\n",
        style::bold_green(&about.name),
        one_line(about.summary.trim())
    );
    // The full text defaults to the summary, which is already in the first line.
    if about.text().trim() != about.summary.trim() {
        paragraphs(&mut out, about.text());
    }
    section(&mut out, "Arguments", arguments(&about.input.schema));
    section(
        &mut out,
        "Examples",
        about.usage.examples.iter().map(render_example).collect(),
    );
    section(
        &mut out,
        "Guidance",
        about
            .usage
            .guidance
            .iter()
            .map(ToString::to_string)
            .collect(),
    );
    section(
        &mut out,
        "Notes",
        about.usage.notes.iter().map(ToString::to_string).collect(),
    );
    section(
        &mut out,
        "Errors",
        about.usage.errors.iter().map(render_error).collect(),
    );
    section(
        &mut out,
        "Related",
        about
            .discovery
            .related
            .iter()
            .map(ToString::to_string)
            .collect(),
    );
    out
}

fn render_example(example: &ToolExample) -> String {
    let shown = [
        &*example.description,
        &example.input.to_string(),
        &*example.explanation,
    ];
    shown
        .into_iter()
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
        .collect::<Vec<_>>()
        .join("\n    ")
}

fn render_error(help: &ErrorHelp) -> String {
    format!("{}  {} {}", help.code, help.cause, help.solution)
}

fn paragraphs(out: &mut String, text: &str) {
    for line in lines(text).lines() {
        // Writing to a string cannot fail.
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
    let root = SchemaRef::document(schema);
    let arguments = root.properties().map(|(name, property)| {
        let needed = root.required().any(|one| one == name);
        let mut facts = vec![kinds(property, HOPS_MAX).join(" | ")];
        facts.extend(needed.then(|| "required".to_owned()));
        facts.extend(
            property
                .get("default")
                .map(|value| format!("default {value}")),
        );
        for (key, word) in [("minimum", "at least"), ("maximum", "at most")] {
            facts.extend(property.get(key).map(|limit| format!("{word} {limit}")));
        }
        let text = property
            .get("description")
            .and_then(Value::as_str)
            .unwrap_or_default();
        format!("{name} ({}) {text}", facts.join(", "))
    });
    arguments.collect()
}

/// Returns the values or types of an argument, each once. References are followed, and unions
/// opened.
fn kinds(schema: SchemaRef<'_>, hops: usize) -> Vec<String> {
    let schema = schema.resolved();
    // Values before types: both apply, and values are narrower.
    let mut kinds: Vec<String> = match (schema.get("enum"), schema.get("const"), schema.get("type"))
    {
        (Some(Value::Array(values)), ..) => values.iter().map(ToString::to_string).collect(),
        (_, Some(value), _) => vec![value.to_string()],
        (.., Some(Value::String(name))) => vec![name.clone()],
        (.., Some(Value::Array(names))) => names
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        // A type may contain itself, so something has to end the recursion.
        _ if hops == 0 => Vec::new(),
        _ => {
            let union = schema.any_of().or_else(|| schema.one_of());
            let of_union = union
                .into_iter()
                .flatten()
                .flat_map(|branch| kinds(branch, hops - 1));
            // All parts of `allOf` apply, so the type of one part is the type of the whole.
            let parts = schema.all_of().into_iter().flatten();
            let of_parts = parts
                .map(|part| kinds(part, hops - 1))
                .find(|kinds| kinds != &[ANY]);
            of_union.chain(of_parts.into_iter().flatten()).collect()
        }
    };
    if nullable::is_nullable(schema.get("nullable")) {
        kinds.push("null".to_owned());
    }
    let mut seen = HashSet::new();
    kinds.retain(|kind| seen.insert(kind.clone()));
    if kinds.is_empty() {
        vec![ANY.to_owned()]
    } else {
        kinds
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use serde_json::json;

    #[test]
    fn an_argument_has_the_types_of_its_union_and_of_its_reference() {
        let schema = json!({
            "type": "object",
            "properties": {
                "document": { "anyOf": [{ "type": "string" }, { "$ref": "#/$defs/Place" }, { "type": "string" }] },
                "status": { "$ref": "#/$defs/Status", "description": "Which." },
                "part": { "allOf": [{ "$ref": "#/$defs/Place" }], "nullable": true },
                "either": { "type": ["integer", "null"], "minimum": 1 },
                "kind": { "oneOf": [{ "const": "a", "description": "The first." }, { "enum": ["b", "c"] }] },
                "any": {},
                "all": true,
            },
            "required": ["document"],
            "$defs": {
                "Place": { "type": "object" },
                "Status": { "enum": ["open", "done"] },
            },
        });
        let wanted = [
            "document (string | object, required) ",
            "status (\"open\" | \"done\") Which.",
            "part (object | null) ",
            "either (integer | null, at least 1) ",
            "kind (\"a\" | \"b\" | \"c\") ",
            "any (any) ",
            "all (any) ",
        ];
        assert_eq!(arguments(schema.as_object().unwrap()), wanted);
    }
}
