//! The index: the text of each error in one line, by topic, with a link to its entry.
//!
//! Messages are code, so that a search for the words of an error finds them as the compiler printed them.

use crate::{
    case::Case,
    page::anchor,
    topic::{TOPICS, Topic},
};
use std::{collections::BTreeSet, fmt::Write as _};

const OPENING: &str = "\
# Mistakes and their mends

The error messages of pd-runtime's rules, by topic. Search this page for the words of an error; its entry shows the mend.
A test writes these pages from the compile-fail cases in `tests/compile/ui/fail`, and another compiles every mended form:
to change a page, change a case.
";

/// How the index links to a topic's page.
#[derive(Clone, Copy)]
pub(crate) enum Links {
    /// By the page's file.
    Files,
    /// By the page's module in rustdoc, where the files do not exist.
    Modules,
}

impl Links {
    fn target(self, topic: &Topic) -> String {
        match self {
            Self::Files => format!("mistakes/{}.md", topic.page),
            Self::Modules => format!("mistakes::{}", topic.page),
        }
    }
}

/// One line: a message and the entries that show it.
struct Line<'a> {
    message: &'a str,
    cases: Vec<&'a Case>,
}

/// Renders the index.
pub(crate) fn render(cases: &[Case], links: Links) -> String {
    let mut index = OPENING.to_owned();
    let mut shapes = BTreeSet::new();
    for topic in TOPICS {
        let target = links.target(topic);
        let _ = write!(index, "\n## [{}]({target})\n\n", topic.heading);
        let mut lines = lines(&topic.select(cases));
        lines.retain(|line| shapes.insert(shape(line.message)) || !topic.repeats);
        lines
            .iter()
            .for_each(|line| index.push_str(&line.render(&target)));
    }
    index
}

/// Lists the messages of `cases`, in their order; one message of several cases is one line.
fn lines<'a>(cases: &[&'a Case]) -> Vec<Line<'a>> {
    let mut lines: Vec<Line<'a>> = Vec::new();
    for case in cases {
        for message in case.stderr.lines().filter_map(message) {
            match lines.iter_mut().find(|line| line.message == message) {
                Some(line) if line.cases.iter().any(|other| other.name == case.name) => {}
                Some(line) => line.cases.push(case),
                None => lines.push(Line {
                    message,
                    cases: vec![case],
                }),
            }
        }
    }
    lines
}

/// Returns the text of an error without its code, the tool that it names and the list of all known words.
fn message(line: &str) -> Option<&str> {
    let (_, text) = line.strip_prefix("error")?.split_once(": ")?;
    let text = text.strip_prefix("evaluation panicked: ").unwrap_or(text);
    let text = without_origin(text).unwrap_or(text);
    Some(
        text.split_once(" (known are ")
            .map_or(text, |(text, _)| text),
    )
}

/// Removes "`#[pd_tool]` on `name`: " or "`#[pd_tool]`: ".
fn without_origin(text: &str) -> Option<&str> {
    let (_, rest) = text.strip_prefix("`#[")?.split_once("]`")?;
    let named = rest
        .strip_prefix(" on `")
        .and_then(|rest| rest.split_once('`'))
        .map(|(_, rest)| rest);
    named.unwrap_or(rest).strip_prefix(": ")
}

/// Returns the message with its quoted parts left out: two of one shape differ in names and numbers alone.
fn shape(message: &str) -> String {
    let mut is_quoted = false;
    let mut kept = String::new();
    for c in message.chars() {
        if c == '`' || c == '"' {
            is_quoted = !is_quoted;
        } else if !is_quoted && !c.is_ascii_digit() {
            kept.push(c);
        }
    }
    kept
}

impl Line<'_> {
    fn render(&self, target: &str) -> String {
        let message = code(self.message);
        match self.cases.as_slice() {
            [case] => format!("- [{message}]({target}#{})\n", anchor(&case.title)),
            cases => {
                let links = cases
                    .iter()
                    .map(|case| format!("[{}]({target}#{})", case.title, anchor(&case.title)));
                format!("- {message}: {}\n", links.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// Renders a code span, between more backticks than any that `text` has in a row.
fn code(text: &str) -> String {
    let fence = (1..)
        .map(|count| "`".repeat(count))
        .find(|fence| !text.contains(fence))
        .unwrap_or_default();
    if fence.len() == 1 {
        format!("`{text}`")
    } else {
        format!("{fence} {text} {fence}")
    }
}
