//! The full description of a tool: the JSON document, and its text with gaps for the caller's
//! ticket. The module `disclose` decides which caller gets which form.

use crate::{
    digest::{
        Digest,
        canonical_json::{self, MemberValue},
    },
    protocol::keys::TICKET_ARGUMENT,
    registry::tool_spec::ToolSpec,
    tool::error::ErrorHelp,
};
use rmcp::model::JsonObject;
use serde_json::{Value, json};
use std::borrow::Cow;

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
    if !about.related.is_empty() {
        document.insert("related".to_owned(), json!(about.related));
    }
    document
}

fn examples(about: &ToolSpec) -> Option<Value> {
    (!about.examples.is_empty()).then(|| {
        about
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
        ("common_patterns", &about.guidance),
        ("important_notes", &about.notes),
    ] {
        if !texts.is_empty() {
            guidance.insert(key.to_owned(), json!(texts));
        }
    }
    (!guidance.is_empty()).then_some(Value::Object(guidance))
}

/// Builds the help for all errors of the tool.
fn error_guidance(about: &ToolSpec) -> Option<Value> {
    guidance(about.errors.iter())
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
            .errors
            .iter()
            .filter(|help| concerns_arguments(help, about)),
    )
}

fn concerns_arguments(help: &ErrorHelp, about: &ToolSpec) -> bool {
    const KINDS: [&str; 4] = ["argument", "arguments", "parameter", "parameters"];
    let arguments = about
        .input
        .schema
        .get("properties")
        .and_then(Value::as_object);
    let names = || {
        arguments
            .into_iter()
            .flat_map(JsonObject::keys)
            .map(String::as_str)
    };
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

/// The text of a description, rendered once and copied for each caller.
#[derive(Debug, Clone)]
pub(crate) struct ToolDescription {
    /// For callers that prove disclosure by a session or in `_meta`, or that need no proof.
    plain: Box<str>,
    /// For callers that prove disclosure by an argument. The schema requires the ticket, and each
    /// example contains it.
    ticketed: TicketedText,
    related: Vec<Cow<'static, str>>,
}

/// The text of a description with gaps for the caller's ticket. The closing brace is missing,
/// because the related tools are appended for each caller.
#[derive(Debug, Clone)]
struct TicketedText {
    before: Box<str>,
    /// The text after each gap, up to the next gap.
    after_gaps: Box<[Box<str>]>,
}

/// The length of a ticket, in bytes.
const TICKET_LEN: usize = 18;

impl ToolDescription {
    pub(crate) fn new(mut document: JsonObject, related: &[Cow<'static, str>]) -> Self {
        let text = to_json(&document);
        // Render the document with a placeholder and split the text at it. Splitting finds every
        // gap without a second JSON writer.
        let mark = unused_mark(&text);
        if let Some(Value::Object(schema)) = document.get_mut("inputSchema") {
            ask_for_ticket(schema, &mark);
        }
        if let Some(Value::Array(examples)) = document.get_mut("examples") {
            examples
                .iter_mut()
                .for_each(|example| pass_ticket(example, &mark));
        }
        let ticketed = TicketedText::cut(&to_json(&document), &mark);
        Self {
            plain: without_closing_brace(&text).into(),
            ticketed,
            related: related.to_vec(),
        }
    }

    /// Appends the description to `out`. `ticket` fills the gaps of the ticketed form. Related
    /// tools appear only if `sees` accepts their names.
    pub(crate) fn write(
        &self,
        out: &mut String,
        ticket: Option<&str>,
        sees: impl Fn(&str) -> bool,
    ) {
        match ticket {
            None => out.push_str(&self.plain),
            Some(ticket) => self.ticketed.write(out, ticket),
        }
        let mut opening = ",\"related\":[\"";
        for name in self.related.iter().filter(|name| sees(name)) {
            out.push_str(opening);
            out.push_str(name); // `[A-Za-z0-9_.-]`, so there is nothing to escape
            out.push('"');
            opening = ",\"";
        }
        out.push_str(if opening.starts_with(",\"related") {
            "}"
        } else {
            "]}"
        });
    }

    /// Returns the description that the operator of the server sees.
    #[cfg(feature = "cli")]
    pub(crate) fn text(&self) -> String {
        let mut out = String::with_capacity(self.len());
        self.write(&mut out, None, |_| true);
        out
    }

    /// Returns the approximate number of bytes that [`ToolDescription::write`] appends.
    pub(crate) fn len(&self) -> usize {
        // 24 bytes for each related name are enough for a buffer's capacity; the text itself is not
        // cut.
        self.ticketed.len() + 24 * (1 + self.related.len())
    }
}

impl TicketedText {
    fn cut(text: &str, mark: &str) -> Self {
        let mut parts = without_closing_brace(text).split(mark).map(Box::from);
        Self {
            before: parts.next().unwrap_or_default(),
            after_gaps: parts.collect(),
        }
    }

    fn write(&self, out: &mut String, ticket: &str) {
        out.push_str(&self.before);
        for after_gap in &self.after_gaps {
            out.push_str(ticket);
            out.push_str(after_gap);
        }
    }

    fn len(&self) -> usize {
        self.before.len()
            + self
                .after_gaps
                .iter()
                .map(|after_gap| TICKET_LEN + after_gap.len())
                .sum::<usize>()
    }
}

/// Returns the text without its closing brace.
fn without_closing_brace(text: &str) -> &str {
    text.strip_suffix('}').unwrap_or(text)
}

/// Serializes the document. Objects of strings and JSON values always serialize.
fn to_json(document: &JsonObject) -> String {
    serde_json::to_string(document).unwrap_or_default()
}

/// Returns a placeholder for the ticket that does not occur in the text.
fn unused_mark(text: &str) -> String {
    let mut mark = "@ticket@".to_owned();
    while text.contains(&mark) {
        mark.push('@');
    }
    mark
}

fn ask_for_ticket(schema: &mut JsonObject, mark: &str) {
    let properties = schema.entry("properties").or_insert_with(|| json!({}));
    if let Value::Object(properties) = properties {
        properties.insert(TICKET_ARGUMENT.to_owned(), json!({ "const": mark }));
    }
    let required = schema.entry("required").or_insert_with(|| json!([]));
    if let Value::Array(required) = required {
        required.push(json!(TICKET_ARGUMENT));
    }
}

/// Adds the ticket to an example. Models copy examples, and without the ticket the example would
/// not match the schema.
fn pass_ticket(example: &mut Value, mark: &str) {
    if let Some(Value::Object(input)) = example.get_mut("input") {
        input.insert(TICKET_ARGUMENT.to_owned(), json!(mark));
    }
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        reason = "a test fails by panicking"
    )]

    use super::*;

    fn written_for(examples: &Value, ticket: Option<&str>) -> Value {
        let schema = json!({ "type": "object", "properties": { "limit": { "type": "integer" } } });
        let document = json!({ "name": "log", "inputSchema": schema, "examples": examples });
        let description =
            ToolDescription::new(document.as_object().unwrap().clone(), &["show".into()]);
        let mut text = String::new();
        description.write(&mut text, ticket, |_| true);
        assert!(
            text.len() <= description.len(),
            "{} bytes, counted {}",
            text.len(),
            description.len()
        );
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn each_example_carries_the_ticket_that_the_schema_asks_for() {
        let ticket = "123456789012345678";
        let examples =
            json!([{ "input": {} }, { "input": { "limit": 5 }, "explanation": "@ticket@" }]);
        let ticketed = written_for(&examples, Some(ticket));
        assert_eq!(
            ticketed["inputSchema"]["properties"]["disclosure_ticket"],
            json!({ "const": ticket })
        );
        assert_eq!(
            ticketed["examples"][0]["input"],
            json!({ "disclosure_ticket": ticket })
        );
        assert_eq!(
            ticketed["examples"][1]["input"],
            json!({ "limit": 5, "disclosure_ticket": ticket })
        );
        assert_eq!(
            ticketed["examples"][1]["explanation"], "@ticket@",
            "the mark is a word of its own"
        );
        assert_eq!(ticketed["related"], json!(["show"]));
    }

    #[test]
    fn without_a_ticket_examples_are_the_authors_own() {
        let examples = json!([{ "input": { "limit": 5 } }]);
        assert_eq!(written_for(&examples, None)["examples"], examples);
    }
}
