//! Lints about the summary, the line by which a model chooses a tool.

use super::{
    super::tool_spec::ToolSpec,
    arguments,
    correction::{self, Correction, DefinitionKind},
    words::words,
};
use crate::tool::lint::Lint;

use std::collections::HashMap;

/// Words that may connect names in a list of arguments.
const SMALL_WORDS: &[&str] = &[
    "a", "an", "and", "accepts", "as", "by", "expects", "for", "from", "given", "needs", "of",
    "or", "requires", "takes", "the", "to", "with",
];

/// First words in the summary of a tool that reads.
const READS: &[&str] = &[
    "list", "get", "fetch", "retrieve", "show", "view", "describe", "inspect", "read", "find",
    "lookup", "search", "count", "compare",
];

/// First words in the summary of a tool that writes.
const WRITES: &[&str] = &[
    "append",
    "create",
    "delete",
    "insert",
    "overwrite",
    "publish",
    "remove",
    "rename",
    "send",
];

/// First words of a tool that writes, if an article follows: "Update history" is something to read.
const WRITES_OR_NOUNS: &[&str] = &["drop", "edit", "set", "update", "upload", "write"];

pub(super) fn check(about: &ToolSpec, groups: &[&str], warn: &mut impl FnMut(Lint, String)) {
    let summary = about.summary.trim();
    let advice = |author: &str| {
        Correction {
            author,
            owner: correction::SUMMARY,
        }
        .for_tool(about)
        .to_owned()
    };
    if let Some((filler, rest)) = without_filler(summary) {
        let advice = advice(&format!("begin with the verb: \"{}\"", capitalised(rest)));
        warn(
            Lint::SummaryFiller,
            format!("its summary begins with \"{filler}\"; {advice}"),
        );
    }
    if let Some(short) = without_full_stop(summary) {
        let advice = advice(&format!("write \"{short}\""));
        warn(
            Lint::SummaryFullStop,
            format!("its summary ends with a full stop; {advice}"),
        );
    }
    if lists_arguments(summary, about) {
        let advice =
            advice("describe what the tool does, because its schema already lists the arguments");
        warn(
            Lint::SummaryListsArguments,
            format!("its summary lists arguments; {advice}"),
        );
    }
    if let Some(group) = groups.iter().find(|group| repeats_group(summary, group)) {
        let advice = advice("leave it out");
        let words = format!(
            "its summary repeats its group's name `{group}`, which a model has just read; {advice}"
        );
        warn(Lint::SummaryRepeatsGroup, words);
    }
    if says_it_reads(summary) && about.annotations == crate::tool::ToolAnnotations::NONE {
        // The configuration cannot declare that a tool of a server only reads: code mode and hosts
        // rely on it.
        let advice = match DefinitionKind::new(about) {
            DefinitionKind::Function => "add `read_only`, or `read_only = false`",
            DefinitionKind::RmcpRouter => {
                "add `annotations(read_only_hint = true)` to its `#[tool]`, or `false`"
            }
            DefinitionKind::RunTime => "set `read_only` of its annotations, to true or false",
            DefinitionKind::Upstream => {
                "tell the server's maintainers to annotate it with `readOnlyHint`"
            }
        };
        let words = format!(
            "its summary describes a read, but the tool has no annotations, and hosts ask before each call of a tool that may \
             write; {advice}"
        );
        warn(Lint::UnhintedRead, words);
    }
    if says_it_writes(summary) && about.is_read_only() {
        let words = match DefinitionKind::new(about) {
            DefinitionKind::Upstream => {
                "its summary says that it writes, but by its annotation `readOnlyHint` hosts call it without asking; leave it \
                 out with `pd.exclude`, or tell the server's maintainers"
            }
            DefinitionKind::RmcpRouter => {
                "its summary says that it writes, but by `read_only_hint = true` hosts call it without asking; remove that from \
                 its `#[tool]`, or begin with the verb of what it reads"
            }
            DefinitionKind::Function | DefinitionKind::RunTime => {
                "its summary says that it writes, but by `read_only` hosts call it without asking; remove `read_only`, or begin \
                 with the verb of what it reads"
            }
        };
        warn(Lint::ReadOnlyWrites, words.to_owned());
    }
}

/// Compares the summary with the summaries of earlier tools, word by word.
pub(super) fn check_repeated<'a>(
    about: &'a ToolSpec,
    earlier: &mut HashMap<Vec<String>, &'a ToolSpec>,
    warn: &mut impl FnMut(Lint, String),
) {
    // One generic declaration on two types has one doc comment, so its summaries are equal by
    // design.
    let declared_once =
        |other: &ToolSpec| match (about.declared.declaration, other.declared.declaration) {
            (Some((here, _)), Some((there, _))) => here == there,
            _ => false,
        };
    let other = *earlier.entry(words(&about.summary)).or_insert(about);
    if other.name != about.name && !declared_once(other) && !about.summary.trim().is_empty() {
        let advice = Correction {
            author: "describe the difference",
            owner: correction::SUMMARY,
        }
        .for_tool(about);
        let words = format!(
            "its summary is that of `{}` too, so a model cannot choose; {advice}",
            other.name
        );
        warn(Lint::SameSummary, words);
    }
}

/// Returns the filler at the beginning, and the rest of the summary.
fn without_filler(summary: &str) -> Option<(&str, &str)> {
    let lower: Vec<String> = summary.split_whitespace().map(str::to_lowercase).collect();
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    let thing = |word: &str| {
        matches!(
            word,
            "tool" | "function" | "method" | "command" | "endpoint"
        )
    };
    let count = match lower.as_slice() {
        ["this", what, "allows" | "lets", "you", "to", _, ..] if thing(what) => 5,
        ["this", what, "allows" | "lets", "you", _, ..] if thing(what) => 4,
        ["this", what, "can" | "will", _, ..] if thing(what) => 3,
        ["this", what, _, ..] if thing(what) => 2,
        ["use", "this" | "the", what, "to", _, ..] if thing(what) => 4,
        ["a" | "the", "tool", "that" | "to" | "for" | "which", _, ..] => 3,
        ["tool", "that" | "to" | "for" | "which", _, ..] => 2,
        ["allows" | "lets", "you", "to", _, ..] => 3,
        ["lets", "you", _, ..] | ["used", "to", _, ..] | ["use", "to", _, ..] => 2,
        _ => return None,
    };
    // The words were matched in lower case. The rest is cut from the summary itself, which keeps
    // the author's spelling.
    let rest = (0..count).fold(summary, |rest, _| {
        rest.split_once(char::is_whitespace)
            .map_or("", |(_, rest)| rest.trim_start())
    });
    Some((summary.strip_suffix(rest)?.trim_end(), rest))
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

fn without_full_stop(summary: &str) -> Option<&str> {
    let short = summary.strip_suffix('.')?;
    let last = short.split_whitespace().next_back()?;
    // "e.g.", "etc." and "..." end with a full stop that belongs to them.
    let has_meaning = last.contains('.') || last.eq_ignore_ascii_case("etc");
    (!has_meaning).then_some(short)
}

fn lists_arguments(summary: &str, about: &ToolSpec) -> bool {
    let summary_words = words(summary);
    let known: Vec<Vec<String>> = arguments::names(about).map(words).collect();
    let mentioned = known
        .iter()
        .filter(|name| name.iter().all(|word| summary_words.contains(word)))
        .count();
    let others = summary_words.iter().filter(|word| {
        !known.iter().flatten().any(|part| part == *word) && !SMALL_WORDS.contains(&word.as_str())
    });
    // Two names and nothing else are a list. One other word may be a verb that explains the tool,
    // as in "Compare base and head", so most of the arguments must be named then.
    match others.count() {
        0 => mentioned >= 2,
        1 => mentioned >= 3 && 2 * mentioned > known.len(),
        _ => false,
    }
}

fn repeats_group(summary: &str, group: &str) -> bool {
    let name = words(group);
    // A label such as `History: …` repeats the group at the beginning.
    let label = summary
        .split_once([':', '–', '—', ']'])
        .or_else(|| summary.split_once(" - "));
    let is_label =
        label.is_some_and(|(label, rest)| words(label) == name && !rest.trim().is_empty());
    !name.is_empty() && (is_label || returns_to(&words(summary), &name))
}

/// Returns whether the words end with, for example, "of the history" after naming the history
/// before.
fn returns_to(summary_words: &[String], name: &[String]) -> bool {
    let Some(before) = summary_words.strip_suffix(name) else {
        return false;
    };
    let place = before.strip_suffix(&["the".to_owned()]).unwrap_or(before);
    let is_place = place
        .last()
        .is_some_and(|word| matches!(word.as_str(), "of" | "in" | "from" | "within"));
    is_place && place.windows(name.len()).any(|part| part == name)
}

fn says_it_reads(summary: &str) -> bool {
    let summary_words = words(summary);
    // "Get and lock a file" also writes, so a conjunction makes the verb unreliable.
    let more = summary_words
        .iter()
        .any(|word| matches!(word.as_str(), "and" | "or" | "then"));
    let begins = summary_words
        .first()
        .is_some_and(|first| READS.contains(&first.as_str()));
    (begins || summary_words.starts_with(&["look".to_owned(), "up".to_owned()])) && !more
}

fn says_it_writes(summary: &str) -> bool {
    let summary_words = words(summary);
    match summary_words
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        [verb, "a" | "an" | "the", ..] if WRITES_OR_NOUNS.contains(verb) => true,
        [verb, ..] => WRITES.contains(verb),
        [] => false,
    }
}
