//! Conversion of lines to text with each paragraph on one line. Markdown renders a soft line break
//! as a space, and a model pays tokens for it.

use super::{block::Fence, line::DocLine};

/// Joins the lines into one Markdown text without leading or trailing blank lines.
pub(super) fn join(lines: &[DocLine]) -> String {
    let mut text = String::new();
    let mut fence = None;
    let mut before = "";
    for DocLine { text: line, .. } in lines {
        let was_fenced = fence.is_some();
        fence = Fence::after(fence, line);
        let fenced = was_fenced || fence.is_some();
        if !fenced && goes_on(before, line) {
            text.push(' ');
            text.push_str(line.trim_start());
        } else {
            text.push('\n');
            text.push_str(line);
        }
        // A line after a fence never continues a paragraph.
        before = if fenced { "" } else { line };
    }
    text.trim_matches('\n').to_owned()
}

/// Returns whether a line continues the paragraph or list item of the previous line. A text that
/// only the compiler can read may begin with anything, so it keeps lines of its own.
fn goes_on(before: &str, line: &str) -> bool {
    let has_one = |line: &str| !line.trim().is_empty();
    // Headings, tables, quotes, HTML and placeholders keep their lines. A backslash at the end is a
    // hard line break.
    let stands_alone = |line: &str| {
        line.trim_start().starts_with(['#', '|', '>', '<', '\0']) || line.ends_with('\\')
    };
    has_one(before)
        && has_one(line)
        && !stands_alone(before)
        && !stands_alone(line)
        && !begins_its_own(line)
}

/// Returns whether a line is a list item, a rule or indented code.
fn begins_its_own(line: &str) -> bool {
    let text = line.trim_start();
    let unnumbered = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = unnumbered.len() < text.len()
        && (unnumbered.starts_with(". ") || unnumbered.starts_with(") "));
    // `=` and `-` also underline a heading.
    let is_rule = text.len() >= 2 && text.chars().all(|c| "-=*_ ".contains(c));
    ["- ", "* ", "+ "].iter().any(|mark| text.starts_with(mark))
        || is_numbered
        || is_rule
        || line.starts_with("    ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proc_macro2::Span;

    fn joined(text: &str) -> String {
        let line = |text: &str| DocLine {
            text: text.to_owned(),
            span: Span::call_site(),
        };
        join(&text.lines().map(line).collect::<Vec<_>>())
    }

    #[test]
    fn paragraphs_and_list_items_become_one_line() {
        assert_eq!(joined("One\ntwo.\n\nThree."), "One two.\n\nThree.");
        assert_eq!(
            joined("- one\n  two\n- three\n1. four"),
            "- one two\n- three\n1. four"
        );
    }

    #[test]
    fn what_has_lines_of_its_own_keeps_them() {
        for text in [
            "# Head\ntext",
            "| a | b |\n|---|---|",
            "> a\n> b",
            "a\\\nb",
            "```text\na\nb\n```\nc",
            "a:\n\n    code\n    code",
            "a\n---",
        ] {
            assert_eq!(joined(text), text);
        }
    }
}
