//! `# Examples`: example calls in `json` fences. Rust fences belong to rustdoc.

use super::{
    block::{self, DocBlock, FencedBlock},
    line::{self, DocLine},
};
use crate::errors::Errors;
use serde_json::{Map, Value};

/// An example call.
pub(crate) struct Example {
    /// The text before the fence.
    pub(crate) description: String,
    /// The arguments as the author wrote them.
    pub(crate) input: String,
    /// The text after the fence.
    pub(crate) explanation: String,
    /// The parsed arguments of the function.
    pub(crate) arguments: Map<String, Value>,
    /// The arguments that were removed because the tool accepts them and the function does not.
    pub(crate) tool_arguments: Map<String, Value>,
    /// The line that opens the fence.
    pub(crate) opening: DocLine,
    pub(crate) lines: Vec<DocLine>,
}

/// Labels that rustdoc accepts on a fence of Rust code.
const RUSTDOC: &[&str] = &[
    "rust",
    "ignore",
    "no_run",
    "should_panic",
    "compile_fail",
    "test_harness",
    "standalone_crate",
];

/// Parses the section. The paragraph before a fence describes its example; other text explains the
/// previous example.
pub(super) fn parse(
    heading: Option<&DocLine>,
    lines: &[DocLine],
    errors: &mut Errors,
) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut texts = Vec::new();
    let mut fences = 0;
    for block in block::split(lines) {
        match block {
            DocBlock::Fence(fence) if fence.label == "json" => {
                fences += 1;
                let lead = take_lead(&mut texts, examples.last_mut());
                examples.extend(parse_fence(fence, lead, errors));
            }
            DocBlock::Fence(fence) if is_misspelt(&fence) => {
                fences += 1;
                report_label(&fence, errors);
            }
            // These fences are not examples, but they count: the author knows that the section
            // needs a fence, so "no example" would be the wrong error.
            DocBlock::Fence(fence) if is_rust(&fence.label) || holds_json(&fence) => fences += 1,
            DocBlock::Fence(fence) => texts.push(line::join(&fence.into_lines())),
            DocBlock::Paragraph(lines) => texts.push(line::flow(&lines)),
        }
    }
    match (examples.last_mut(), heading) {
        // The text behind the last fence explains its example.
        (Some(last), _) => last.explanation = texts.join("\n\n"),
        (None, Some(heading)) if fences == 0 => {
            errors.push(
                heading.span,
                "this section has no example; write one call's arguments in a ```json fence",
            );
        }
        _ => {}
    }
    examples
}

/// Returns the description of the next example, and assigns the remaining text to the previous one
/// as its explanation.
fn take_lead(texts: &mut Vec<String>, before: Option<&mut Example>) -> String {
    // Before the first example, all paragraphs describe it.
    let Some(before) = before else {
        return std::mem::take(texts).join("\n\n");
    };
    let lead = texts.pop().unwrap_or_default();
    before.explanation = std::mem::take(texts).join("\n\n");
    lead
}

fn parse_fence(fence: FencedBlock, description: String, errors: &mut Errors) -> Option<Example> {
    // An unclosed fence is reported by `check_fences`.
    fence.closing.as_ref()?;
    let input = line::join(&fence.body);
    let arguments = match serde_json::from_str(&input) {
        Ok(Value::Object(arguments)) => arguments,
        Ok(_) => {
            let place = fence.body.first().unwrap_or(&fence.opening);
            errors.push(
                place.span,
                "an example is an object of arguments; write `{ \"argument\": … }`",
            );
            return None;
        }
        Err(error) => {
            // serde_json counts lines from 1.
            let place = error
                .line()
                .checked_sub(1)
                .and_then(|index| fence.body.get(index))
                .unwrap_or(&fence.opening);
            errors.push(
                place.span,
                format_args!("this example is not JSON: {}", without_place(&error)),
            );
            return None;
        }
    };
    let FencedBlock {
        opening,
        body: lines,
        ..
    } = fence;
    Some(Example {
        description,
        input,
        explanation: String::new(),
        arguments,
        tool_arguments: Map::new(),
        opening,
        lines,
    })
}

/// Returns serde_json's message with the column only. The error's span already marks the line.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let message = match text
        .split_once(" at line ")
        .map_or(text.as_str(), |(message, _)| message)
    {
        "expected ident" => "expected `true`, `false`, `null` or a text in quotes",
        message => message,
    };
    format!("{message} (column {})", error.column())
}

impl Example {
    /// Removes an argument that does not belong to the function, and remembers it.
    pub(crate) fn take(&mut self, argument: &str) -> Option<&Value> {
        let (name, value) = self.arguments.shift_remove_entry(argument)?;
        Some(self.tool_arguments.entry(name).or_insert(value))
    }

    /// Returns the JSON text of the function's own arguments, which the compiler checks.
    pub(crate) fn checked_input(&self) -> String {
        match self.tool_arguments.is_empty() {
            true => self.input.clone(),
            false => Value::Object(self.arguments.clone()).to_string(),
        }
    }

    /// Returns the line that contains this argument, or the line that opens the fence.
    pub(crate) fn line_of(&self, argument: &str) -> &DocLine {
        // The text of the line is searched, because serde_json keeps no positions.
        let key = format!("\"{argument}\"");
        self.lines
            .iter()
            .find(|line| line.text.contains(&key))
            .unwrap_or(&self.opening)
    }
}

/// Reports unclosed fences, which would contain all later sections, and JSON in unlabeled fences,
/// which `cargo test` would compile as Rust.
pub(super) fn check_fences(lines: &[DocLine], errors: &mut Errors) {
    for block in block::split(lines) {
        match block {
            DocBlock::Fence(fence) if fence.closing.is_none() => {
                errors.push(
                    fence.opening.span,
                    "this fence is not closed; write ``` below its content",
                );
            }
            DocBlock::Fence(fence) if fence.label.is_empty() && holds_json(&fence) => {
                report_label(&fence, errors)
            }
            _ => {}
        }
    }
}

/// Returns whether the label was meant to be `json`.
fn is_misspelt(fence: &FencedBlock) -> bool {
    fence.label != "json" && fence.label.to_lowercase().starts_with("json")
}

fn report_label(fence: &FencedBlock, errors: &mut Errors) {
    errors.push(
        fence.opening.span,
        "this fence holds JSON; label it ```json",
    );
}

fn holds_json(fence: &FencedBlock) -> bool {
    let text = line::join(&fence.body);
    text.starts_with(['{', '[']) && serde_json::from_str::<Value>(&text).is_ok()
}

fn is_rust(label: &str) -> bool {
    let mut words = label.split([',', ' ']).filter(|word| !word.is_empty());
    words.all(|word| {
        RUSTDOC.contains(&word) || word.starts_with("edition") || word.starts_with("ignore-")
    })
}
