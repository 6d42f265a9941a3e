//! One line about a server: a text of its owner or its own, or one that is made of its tools.

use crate::upstream::{Upstream, made_texts::MadeTexts};
use pd_runtime::upstream::text::{invisible::is_invisible, truncate::first_chars};

/// The longest line about a server, in characters.
const LINE_MAX: usize = 120;

/// Words of a description that say only that a server is one.
const GENERIC_WORDS: [&str; 30] = [
    "a",
    "an",
    "and",
    "api",
    "by",
    "context",
    "for",
    "from",
    "implementation",
    "in",
    "is",
    "mcp",
    "model",
    "of",
    "official",
    "on",
    "our",
    "protocol",
    "server",
    "servers",
    "service",
    "simple",
    "that",
    "the",
    "this",
    "to",
    "tool",
    "tools",
    "with",
    "your",
];

/// The fewest other words of a description that says something.
const TELLING_WORDS_MIN: usize = 2;

/// A line, and where it comes from.
pub(crate) struct ServerLine {
    pub(crate) text: String,
    /// Whether it names tools, which not every caller may see.
    pub(crate) is_made_of_tools: bool,
}

impl ServerLine {
    /// Returns the summary of the server's entry, or its own description or title if that says
    /// something, or a line that is made of its tools.
    pub(crate) fn new(upstream: &Upstream, made: &MadeTexts) -> Self {
        if upstream.awaits_approval() {
            // The entry's own texts are not approved either.
            let text = "Not started: its entry waits for its owner's approval";
            return Self::written(text.to_owned());
        }
        let settings = &upstream.entry.settings;
        let lists = upstream.lists();
        let info = |key: &str| lists.as_ref()?.offered().server_text(key);
        let label = upstream.label();
        let telling = |text: &str| {
            let names = [upstream.name(), &label];
            one_line(text).filter(|line| says_something(line, &names))
        };
        let own = settings.summary.as_deref().and_then(one_line);
        let written = own
            .or_else(|| info("description").and_then(telling))
            .or_else(|| info("title").and_then(telling));
        // The name of the group has lost the letters by which a person knows the server.
        let with_label = |line: String| match label.is_ascii() || line.contains(&label) {
            true => line,
            false => one_line(&format!("{label}: {line}")).unwrap_or(line),
        };
        if let Some(line) = written {
            return Self::written(with_label(line));
        }
        match made.line.as_deref().and_then(one_line) {
            Some(line) => Self {
                text: with_label(line),
                is_made_of_tools: true,
            },
            None => Self::written(format!("Tools of the server {label}")),
        }
    }

    fn written(text: String) -> Self {
        Self {
            text,
            is_made_of_tools: false,
        }
    }
}

/// Returns whether a text says more than that this is the MCP server of a name.
fn says_something(line: &str, names: &[&str]) -> bool {
    let lower = line.to_lowercase();
    let names: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
    let words = lower
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty());
    let telling = words.filter(|word| {
        !GENERIC_WORDS.contains(word) && !names.iter().any(|name| name.contains(word))
    });
    // Scripts without spaces have few words.
    let foreign = line.chars().filter(|letter| !letter.is_ascii()).count();
    telling.count() >= TELLING_WORDS_MIN || foreign > 8
}

/// Returns a text in one line of bounded length, or `None` if nothing is left.
pub(crate) fn one_line(text: &str) -> Option<String> {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line: String = line
        .chars()
        .filter(|letter| !letter.is_control() && !is_invisible(*letter))
        .collect();
    (!line.is_empty()).then(|| whole_sentences(&line))
}

/// Returns the sentences that fit into a line, or the words of a longer one.
fn whole_sentences(line: &str) -> String {
    let Some((end, _)) = line.char_indices().nth(LINE_MAX) else {
        return line.to_owned();
    };
    let (fitting, next) = line.split_at_checked(end).unwrap_or((line, ""));
    // A period ends a sentence only before a space, which may be the first character that is cut.
    let sentence = match fitting.ends_with('.') && next.starts_with(' ') {
        true => Some(fitting),
        false => fitting.rfind(". ").and_then(|place| fitting.get(..=place)),
    };
    // A sentence of few words, such as `E.g. `, says too little.
    if let Some(sentence) = sentence.filter(|sentence| sentence.len() > LINE_MAX / 4) {
        return sentence.to_owned();
    }
    let words = fitting.rsplit_once(' ').map_or(fitting, |(words, _)| words);
    format!(
        "{}…",
        first_chars(words, LINE_MAX - 1)
            .to_owned()
            .trim_end_matches([',', ';', ':'])
    )
}
