//! The text of a description, with gaps for the caller's ticket. The module `disclose` decides which
//! caller gets which form.

use crate::protocol::keys::TICKET_ARGUMENT;
use rmcp::model::JsonObject;
use serde_json::{Value, json};
use std::borrow::Cow;

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
        // The mark is chosen by the text, because a description may contain any fixed placeholder.
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
        // The list is opened with its first visible name, so a caller who sees none gets no empty
        // list.
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
        // `const` shows a model the exact value to send.
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
