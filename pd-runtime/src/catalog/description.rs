//! The full description of a tool as a JSON document, and the digest of its contract.

use crate::{
    digest::{
        Digest,
        canonical_json::{self, MemberValue},
    },
    registry::tool_spec::ToolSpec,
    tool::error::ErrorHelp,
};
use pd_schema::reader::SchemaRef;
use rmcp::model::JsonObject;
use serde_json::{Value, json};

/// The value of one member of the document.
enum DescriptionMember<'a> {
    Schema(&'a JsonObject),
    Other(Value),
}

/// Builds the document without the members that depend on the caller.
pub(crate) fn document(about: &ToolSpec) -> JsonObject {
    document_with_input(about, &about.input.schema)
}

/// Builds the content that the contract digest covers: the document, without columns that were seen
/// in results.
#[cfg(feature = "lock")]
pub(crate) fn contract_document(about: &ToolSpec) -> JsonObject {
    document_with_input(about, &about.contract_input())
}

fn document_with_input(about: &ToolSpec, input: &JsonObject) -> JsonObject {
    let owned = |section: DescriptionMember<'_>| match section {
        DescriptionMember::Schema(schema) => Value::Object(schema.clone()),
        DescriptionMember::Other(value) => value,
    };
    sections(about, input)
        .map(|(key, section)| (key.to_owned(), owned(section)))
        .collect()
}

/// Computes the digest of the contract. Schemas are not copied, except for observed columns.
///
/// # Errors
///
/// Returns an error if the document contains a number that RFC 8785 cannot represent.
pub(crate) fn digest(about: &ToolSpec) -> Result<Digest, serde_json::Error> {
    // Without observed columns, so that a result does not void the tickets for this digest.
    let input = about.contract_input();
    let sections: Vec<_> = sections(about, &input).collect();
    let part = |section| match section {
        &DescriptionMember::Schema(schema) => MemberValue::Object(schema),
        DescriptionMember::Other(value) => MemberValue::Value(value),
    };
    let members = sections
        .iter()
        .map(|(key, section)| (*key, part(section)))
        .collect();
    canonical_json::members_bytes(members).map(|canonical| Digest::from_bytes(&canonical))
}

fn sections<'a>(
    about: &'a ToolSpec,
    input: &'a JsonObject,
) -> impl Iterator<Item = (&'static str, DescriptionMember<'a>)> {
    let sections = [
        ("name", Some(DescriptionMember::Other(json!(about.name)))),
        (
            "title",
            about
                .title
                .as_ref()
                .map(|title| DescriptionMember::Other(json!(title))),
        ),
        (
            "description",
            Some(DescriptionMember::Other(json!(about.text()))),
        ),
        (
            "deprecated",
            about
                .usage
                .deprecated
                .as_ref()
                .map(|deprecated| DescriptionMember::Other(json!(deprecated))),
        ),
        ("inputSchema", Some(DescriptionMember::Schema(input))),
        (
            "outputSchema",
            about
                .output_schema
                .as_deref()
                .map(DescriptionMember::Schema),
        ),
        ("examples", examples(about).map(DescriptionMember::Other)),
        (
            "usage_guidance",
            usage_guidance(about).map(DescriptionMember::Other),
        ),
        (
            "error_guidance",
            error_guidance(about).map(DescriptionMember::Other),
        ),
    ];
    sections
        .into_iter()
        .filter_map(|(key, section)| Some((key, section?)))
}

/// Builds the description as a file (specification v2.1, section 7.1). This is also the resource's
/// content for callers that see all tools. An exported file in this format can be edited and used
/// as an overlay.
#[cfg(feature = "export")]
pub(crate) fn in_file(about: &ToolSpec) -> JsonObject {
    let mut document = document(about);
    if !about.discovery.related.is_empty() {
        document.insert("related".to_owned(), json!(about.discovery.related));
    }
    document
}

fn examples(about: &ToolSpec) -> Option<Value> {
    (!about.usage.examples.is_empty()).then(|| {
        about
            .usage
            .examples
            .iter()
            .map(|example| {
                let mut object = JsonObject::new();
                insert_text(&mut object, "description", &example.description);
                object.insert("input".to_owned(), example.input.clone());
                insert_text(&mut object, "explanation", &example.explanation);
                Value::Object(object)
            })
            .collect()
    })
}

fn usage_guidance(about: &ToolSpec) -> Option<Value> {
    let mut guidance = JsonObject::new();
    for (key, texts) in [
        ("common_patterns", &about.usage.guidance),
        ("important_notes", &about.usage.notes),
    ] {
        if !texts.is_empty() {
            guidance.insert(key.to_owned(), json!(texts));
        }
    }
    (!guidance.is_empty()).then_some(Value::Object(guidance))
}

/// Builds the help for all errors of the tool.
fn error_guidance(about: &ToolSpec) -> Option<Value> {
    guidance(about.usage.errors.iter())
}

/// Builds the help for errors that concern the tool's arguments. Results for invalid arguments
/// carry it.
///
/// An error concerns arguments if its code contains a word such as `ARGUMENTS` or `PARAMETER`
/// (`INVALID_ARGUMENTS`, `BAD_PARAMETER`), or if its code, cause or solution names an argument of
/// the tool as a word. The comparison ignores case. In a code, `_` separates words.
pub(crate) fn argument_guidance(about: &ToolSpec) -> Option<Value> {
    guidance(
        about
            .usage
            .errors
            .iter()
            .filter(|help| concerns_arguments(help, about)),
    )
}

fn concerns_arguments(help: &ErrorHelp, about: &ToolSpec) -> bool {
    const KINDS: [&str; 4] = ["argument", "arguments", "parameter", "parameters"];
    let root = SchemaRef::document(&*about.input.schema);
    let names = || root.properties().map(|(name, _)| name);
    let of_code = help
        .code
        .split(|letter: char| !letter.is_alphanumeric())
        .any(|word| KINDS.iter().any(|kind| word.eq_ignore_ascii_case(kind)));
    let is_named = |text: &str, joins: &str| names().any(|name| has_word(text, name, joins));
    // In a code, `_` is a separator, so only `-` joins words there. In prose, both join: `branch`
    // is not a word of `branch_name`.
    of_code
        || is_named(&help.code, "-")
        || [&help.cause, &help.solution]
            .into_iter()
            .any(|text| is_named(text, "-_"))
}

/// Returns whether `text` contains `name` with no letter, digit or joining character next to it.
fn has_word(text: &str, name: &str, joins: &str) -> bool {
    // Both are lowercased before the search, so that the offsets of matches are offsets in the text
    // that the neighbors are read from.
    let text = text.to_lowercase();
    let name = name.to_lowercase();
    let is_inside = |beside: Option<char>| {
        beside.is_some_and(|beside| beside.is_alphanumeric() || joins.contains(beside))
    };
    let mut places = text.match_indices(&name);
    !name.is_empty()
        && places.any(|(at, _)| {
            let before = text.get(..at);
            let after = text.get(at + name.len()..);
            !is_inside(before.and_then(|before| before.chars().next_back()))
                && !is_inside(after.and_then(|after| after.chars().next()))
        })
}

fn guidance<'a>(errors: impl Iterator<Item = &'a ErrorHelp>) -> Option<Value> {
    let errors: Vec<Value> = errors
        .map(|help| {
            let mut object = JsonObject::new();
            insert_text(&mut object, "error", &help.code);
            insert_text(&mut object, "cause", &help.cause);
            insert_text(&mut object, "solution", &help.solution);
            Value::Object(object)
        })
        .collect();
    (!errors.is_empty()).then(|| json!({ "common_errors": errors }))
}

fn insert_text(object: &mut JsonObject, key: &str, text: &str) {
    if !text.is_empty() {
        object.insert(key.to_owned(), json!(text));
    }
}

/// Wraps an output schema that does not describe an object. Protocol versions before 2026-07-28
/// require structured content to be an object.
pub(crate) fn wrap_output_schema(output: &JsonObject) -> Option<JsonObject> {
    let is_object = output.get("type").and_then(Value::as_str) == Some("object");
    (!is_object).then(|| {
        let mut inner = output.clone();
        // `$ref: "#/$defs/…"` is resolved from the root, so the definitions must move there.
        let definitions = inner.shift_remove("$defs");
        let mut outer = JsonObject::new();
        outer.insert("type".to_owned(), json!("object"));
        outer.insert("properties".to_owned(), json!({ "result": inner }));
        outer.insert("required".to_owned(), json!(["result"]));
        if let Some(definitions) = definitions {
            outer.insert("$defs".to_owned(), definitions);
        }
        outer
    })
}
