//! JSON on standard output: on one line for programs, indented and in colors on a terminal.

use super::{CliError, style};
use crate::text::escape;
use serde::Serialize;
use std::io::{self, IsTerminal};

/// Prints a document as the result of a command.
pub fn print(document: &impl Serialize) -> Result<(), CliError> {
    let text = serde_json::to_string(document)?;
    Ok(style::print_data(&format!(
        "{}\n",
        layout(&escape::json(&text))
    ))?)
}

/// Prints a document that users keep as a file: indented without a terminal, too.
pub(super) fn print_file(document: &impl Serialize) -> Result<(), CliError> {
    let text = serde_json::to_string(document)?;
    Ok(style::print_data(&format!(
        "{}\n",
        indent(&escape::json(&text))
    ))?)
}

/// Prints the text of a tool's result, which may be JSON. Without a terminal, its layout stays.
pub(super) fn print_text(text: &str) -> Result<(), CliError> {
    let shown = match escape::is_json(text) {
        true => layout(&escape::json(text)),
        false => escape::lines(text).into_owned(),
    };
    Ok(style::print_data(&format!("{shown}\n"))?)
}

fn layout(text: &str) -> String {
    if io::stdout().is_terminal() {
        indent(text)
    } else {
        text.to_owned()
    }
}

/// Indents a valid JSON text as `serde_json` does, in colors. Numbers stay as they are written, and
/// so does an object's repeated key, because nothing is parsed into values.
fn indent(text: &str) -> String {
    let mut out = String::with_capacity(2 * text.len());
    let mut depth = 0_usize;
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, behind) = rest.split_at(token_length(rest, first));
        let behind = behind.trim_start();
        match first {
            '{' | '[' => {
                out.push(first);
                depth += 1;
                // An empty object or array stays on its line.
                if !behind.starts_with(['}', ']']) {
                    break_line(&mut out, depth);
                }
            }
            '}' | ']' => {
                // Valid JSON closes no more than it has opened.
                depth = depth.saturating_sub(1);
                if !out.ends_with(['{', '[']) {
                    break_line(&mut out, depth);
                }
                out.push(first);
            }
            ',' => {
                out.push(first);
                break_line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            // Only a key has a colon behind it.
            '"' if behind.starts_with(':') => out.push_str(&style::bold(token)),
            '"' => out.push_str(&style::green(token)),
            _ => out.push_str(&style::yellow(token)),
        }
        rest = behind;
    }
    out
}

fn break_line(out: &mut String, depth: usize) {
    out.push('\n');
    out.push_str(&"  ".repeat(depth));
}

/// Returns the length in bytes of the string, literal or punctuation at the start of the text.
fn token_length(text: &str, first: char) -> usize {
    let end = match first {
        '"' => {
            let mut is_escaped = false;
            text.char_indices().skip(1).find_map(|(place, letter)| {
                let is_end = letter == '"' && !is_escaped;
                is_escaped = letter == '\\' && !is_escaped;
                is_end.then_some(place + 1)
            })
        }
        '{' | '}' | '[' | ']' | ',' | ':' => Some(1),
        _ => text.find(|letter: char| letter.is_whitespace() || matches!(letter, '}' | ']' | ',')),
    };
    end.unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn json_is_indented_as_serde_does_it() {
        let value = json!({
            "a": [], "b": {}, "c": [1, -2.5e-3, true, null, "x, {y}: \"z\\\"", "\\"],
            "d \"e\":": { "f": [[{}], { "g": "ü\u{1f980}" }] }, "": "",
        });
        for text in [
            value.to_string(),
            serde_json::to_string_pretty(&value).unwrap(),
            "\"a\"".to_owned(),
            "7".to_owned(),
        ] {
            let value: Value = serde_json::from_str(&text).unwrap();
            let plain = anstream::adapter::strip_str(&indent(&text)).to_string();
            assert_eq!(plain, serde_json::to_string_pretty(&value).unwrap());
        }
    }

    #[test]
    fn a_number_stays_as_it_is_written() {
        let plain =
            anstream::adapter::strip_str(&indent("[1.0,12345678901234567890123,1E5]")).to_string();
        assert_eq!(plain, "[\n  1.0,\n  12345678901234567890123,\n  1E5\n]");
    }
}
