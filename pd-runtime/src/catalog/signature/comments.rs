//! Texts by authors in a signature. Each is one line, so that no text can pose as part of the
//! declaration.

use super::{TICKET_MAX, ast::json};
use crate::{protocol::keys::TICKET_ARGUMENT, registry::tool_spec::ToolSpec};

use pd_schema::reader::SchemaRef;
use serde_json::Value;

/// The limit on the part of a description that is shown, in characters.
const HEAD_MAX: usize = 400;
/// The limit on an example call, in bytes. A longer example is omitted.
const EXAMPLE_MAX: usize = 160;
/// The limit on an example of one argument, in bytes.
const VALUE_MAX: usize = 40;

/// Renders the comment of a schema. A title is shown only without a description, and only if it
/// differs from the property's name.
pub(super) fn schema_comment(schema: SchemaRef<'_>, name: &str) -> String {
    let text = |key: &str| {
        schema
            .get(key)
            .and_then(Value::as_str)
            .map(one_line)
            .filter(|text| !text.is_empty())
    };
    let mut parts = Vec::new();
    for (key, words) in [("deprecated", "Deprecated."), ("readOnly", "Read-only.")] {
        parts.extend((schema.get(key) == Some(&Value::Bool(true))).then(|| words.to_owned()));
    }
    parts.extend(text("description").or_else(|| {
        text("title").filter(|title| !name.is_empty() && letters(title) != letters(name))
    }));
    parts.extend(example_value(schema).map(|value| format!("e.g. {value}")));
    without_full_stop(parts.join(" "))
}

/// Removes the final full stop. The end of the line ends the sentence, and each full stop would
/// cost a token.
fn without_full_stop(mut text: String) -> String {
    if text.ends_with('.') && !text.ends_with("..") {
        text.pop();
    }
    text
}

fn example_value(schema: SchemaRef<'_>) -> Option<String> {
    let Some(Value::Array(examples)) = schema.get("examples") else {
        return None;
    };
    examples
        .first()
        .map(json)
        .filter(|text| text.len() <= VALUE_MAX)
}

/// Renders the comments above a declaration: the purpose of the tool and the author's notes. The
/// purpose is omitted if it repeats the summary.
pub(super) fn head(about: &ToolSpec) -> String {
    let mut out = String::new();
    if let Some(deprecated) = &about.usage.deprecated {
        comment(&mut out, &["Deprecated:", &one_line(deprecated)]);
    }
    let (first, more) = beginning(about.text());
    // Every caller that gets a signature has already seen the summary.
    if more || letters(&first) != letters(&about.summary) {
        comment(&mut out, &[&first, if more { "[…]" } else { "" }]);
    }
    for note in &about.usage.notes {
        comment(&mut out, &["-", &one_line(note)]);
    }
    out
}

/// The first example of a tool on its own line, if it is short, with a gap for the caller's ticket.
#[derive(Debug, Clone, Default)]
pub(super) struct ExampleComment {
    /// The text up to the end of the last argument.
    before: Box<str>,
    /// The separator between the last argument and the ticket. `None` if the example is not an
    /// object.
    separator: Option<&'static str>,
}

impl ExampleComment {
    pub(super) fn new(about: &ToolSpec) -> Self {
        let text = about
            .usage
            .examples
            .first()
            .map(|example| json(&example.input));
        let Some(text) = text.filter(|text| text.len() <= EXAMPLE_MAX) else {
            return Self::default();
        };
        let line = format!("\n// e.g. {text}");
        match line.strip_suffix('}') {
            Some(before) => {
                let separator = if before.ends_with('{') { "" } else { "," };
                Self {
                    before: before.into(),
                    separator: Some(separator),
                }
            }
            None => Self {
                before: line.into(),
                separator: None,
            },
        }
    }

    /// Appends the example. Models copy examples, and a call without the ticket that the
    /// declaration asks for would be refused.
    pub(super) fn write(&self, out: &mut String, ticket: Option<&str>) {
        out.push_str(&self.before);
        let Some(separator) = self.separator else {
            return;
        };
        if let Some(ticket) = ticket {
            for part in [separator, "\"", TICKET_ARGUMENT, "\":\"", ticket, "\""] {
                out.push_str(part);
            }
        }
        out.push('}');
    }

    /// Returns an upper bound on the number of bytes that [`ExampleComment::write`] appends.
    pub(super) fn len(&self) -> usize {
        self.before.len() + TICKET_MAX
    }
}

fn comment(out: &mut String, parts: &[&str]) {
    out.push_str("//");
    for part in parts.iter().filter(|part| !part.is_empty()) {
        out.push(' ');
        out.push_str(part);
    }
    out.push('\n');
}

/// Returns the first paragraph of a text, cut at a word, and whether the text continues.
fn beginning(text: &str) -> (String, bool) {
    let lines: Vec<&str> = text.trim().lines().collect();
    let first: Vec<&str> = lines
        .iter()
        .copied()
        .take_while(|line| !line.trim().is_empty())
        .collect();
    let paragraph = one_line(&first.join(" "));
    match paragraph.char_indices().nth(HEAD_MAX) {
        None => (paragraph, first.len() < lines.len()),
        Some((end, _)) => {
            let room = paragraph.get(..end).unwrap_or_default();
            let words = room.rsplit_once(' ').map_or(room, |(words, _)| words);
            (words.to_owned(), true)
        }
    }
}

/// Joins the words of a text with single spaces.
pub(super) fn one_line(text: &str) -> String {
    let words = text.split(|letter: char| letter.is_whitespace() || letter.is_control());
    words
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

fn letters(text: &str) -> String {
    text.chars()
        .filter(|letter| letter.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}
