//! The file of one tool: its input and output types, and a function that calls it.

use super::{
    comment::DocComment,
    declarations::{TypeDeclarations, TypeNames},
    identifier::pascal,
};
use crate::{
    catalog::{description::wrap_output_schema, entry::CatalogEntry},
    registry::{tool_parts::ToolExample, tool_spec::ToolSpec},
};
use pd_schema::reader::SchemaRef;
use serde_json::Value;

/// Returns the types that the index exports with a function.
pub(super) fn exported_types(entry: &CatalogEntry, function: &str) -> String {
    let name = pascal(function);
    match entry.tool.about.output_schema {
        Some(_) => format!(", type {name}Input, type {name}Output"),
        None => format!(", type {name}Input"),
    }
}

pub(super) fn render(entry: &CatalogEntry, function: &str, client: &str) -> String {
    let about = &entry.tool.about;
    let input = format!("{}Input", pascal(function));
    let output = format!("{}Output", pascal(function));
    let mut input_schema = (*about.input.schema).clone();
    // MCP arguments are always an object, even if the schema does not state it.
    input_schema
        .entry("type")
        .or_insert_with(|| "object".into());
    let input_schema = Value::Object(input_schema);
    let output_schema = about
        .output_schema
        .as_deref()
        .map(|schema| Value::Object(schema.clone()));
    // Input and output share one file, so their helper types must not clash.
    let mut type_names = TypeNames::with_taken(&[&input, &output]);
    let mut declarations = TypeDeclarations::new(&input_schema, &mut type_names).declare(&input);
    if let Some(output_schema) = &output_schema {
        declarations
            .push_str(&TypeDeclarations::new(output_schema, &mut type_names).declare(&output));
    }
    let imported = if output_schema.is_some() {
        "callMCPTool"
    } else {
        "callMCPTool, type ToolContent"
    };
    let output = if output_schema.is_some() {
        &*output
    } else {
        "ToolContent"
    };
    let default = if takes_nothing(SchemaRef::document(&input_schema)) {
        " = {}"
    } else {
        ""
    };
    // Before protocol version 2026-07-28, structured content must be an object, and the server
    // wraps other values. The function returns the value inside, which is what its type declares.
    let is_wrapped = about
        .output_schema
        .as_deref()
        .and_then(wrap_output_schema)
        .is_some();
    let wrapped = if is_wrapped { ", true" } else { "" };
    format!(
        "import {{ {imported} }} from '{client}';\n\n{declarations}{}\
         export async function {function}(input: {input}{default}): Promise<{output}> {{\n    \
         return callMCPTool<{output}>('{}', input{wrapped});\n}}\n",
        doc_comment(about, function).render(""),
        entry.name(), // `[A-Za-z0-9_.-]`, so there is nothing to escape
    )
}

/// Returns whether a call without arguments is valid. If the schema has keywords that could require
/// more than `required` does, the answer is no.
fn takes_nothing(schema: SchemaRef<'_>) -> bool {
    let has_values = ["required", "const", "enum"].into_iter().any(|key| {
        let value = schema.get(key);
        value.is_some_and(|value| value.as_array().is_none_or(|values| !values.is_empty()))
    });
    !has_values && !schema.has_reference() && schema.branches().next().is_none()
}

/// Renders the full description as a doc comment.
fn doc_comment(about: &ToolSpec, function: &str) -> DocComment {
    let mut comment = DocComment::default();
    comment.paragraph(&about.summary);
    if about.text().trim() != about.summary.trim() {
        comment.paragraph(about.text());
    }
    comment.list("Guidance:", &about.usage.guidance);
    comment.list("Notes:", &about.usage.notes);
    comment.list(
        "Fails with these as the error's `code`:",
        about.usage.errors.iter().map(|help| {
            let parts = [&*help.cause, &*help.solution];
            format!(
                "`{}`: {}",
                help.code,
                parts
                    .into_iter()
                    .filter(|text| !text.is_empty())
                    .collect::<Vec<_>>()
                    .join(" ")
            )
        }),
    );
    if !about.discovery.related.is_empty() {
        comment.paragraph(&format!(
            "Related tools: {}",
            about.discovery.related.join(", ")
        ));
    }
    if let Some(why) = &about.usage.deprecated {
        comment.block("deprecated", why);
    }
    for example in &about.usage.examples {
        comment.block("example", &render_example(example, function));
    }
    comment
}

fn render_example(example: &ToolExample, function: &str) -> String {
    let parts = [
        &*example.description,
        &format!("await {function}({});", example.input),
        &*example.explanation,
    ];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}
