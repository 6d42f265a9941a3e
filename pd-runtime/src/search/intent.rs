//! Distinguishes tools that read from tools that change something, and questions from orders.

use super::{
    document::{DocumentField, ToolDocument},
    stem,
    tokenize::{self, WordKind},
};
use std::{collections::HashSet, sync::LazyLock};

/// The factor for a tool that changes something, if the request asks.
const CHANGES_FOR_QUESTION: f32 = 0.8;

/// The factor for a tool that reads, if the request orders a change.
const READS_FOR_ORDER: f32 = 0.7;

/// What a tool does, or what a request wants to be done. English words decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum ToolEffect {
    /// There is no such word, or there are words of both kinds.
    #[default]
    Unclear,
    Reads,
    Changes,
}

impl ToolEffect {
    /// Returns what a tool does by the words of its name. Summaries are no evidence: many begin
    /// with a verb for the caller and not for the tool.
    pub(super) fn of_tool(document: &ToolDocument<'_>) -> Self {
        let mut reads = false;
        let mut changes = false;
        let mut root = String::new();
        for name in document.texts_of(DocumentField::Name) {
            tokenize::each(name, &mut |word, kind| {
                if kind == WordKind::Plain {
                    stem::write_root(word, &mut root);
                    reads |= READING_NAMES.contains(root.as_str());
                    changes |= CHANGING_NAMES.contains(root.as_str());
                }
            });
        }
        match (reads, changes) {
            (true, false) => Self::Reads,
            (false, true) => Self::Changes,
            _ => Self::Unclear,
        }
    }

    /// Returns what a request with these words wants: a question, or the verb of an order.
    pub(super) fn of_request(words: &[String]) -> Self {
        let asks = |word: &str| QUESTIONS.contains(&word);
        let first = words.first().map_or("", String::as_str);
        // `do` and `have` begin orders, too.
        if asks(first) && first != "do" && first != "have" {
            return Self::Reads;
        }
        let verb = words.iter().find(|word| !LEADS.contains(&word.as_str()));
        let Some(verb) = verb else {
            return Self::Unclear;
        };
        let mut root = String::new();
        stem::write_root(verb, &mut root);
        if asks(verb) {
            Self::Reads
        } else if CHANGING_VERBS.contains(root.as_str()) {
            Self::Changes
        } else if READING_VERBS.contains(root.as_str()) {
            Self::Reads
        } else {
            Self::Unclear
        }
    }

    /// Returns the factor for the score of a tool with this effect.
    pub(super) fn factor(self, requested: Self) -> f32 {
        match (requested, self) {
            (Self::Reads, Self::Changes) => CHANGES_FOR_QUESTION,
            (Self::Changes, Self::Reads) => READS_FOR_ORDER,
            _ => 1.0,
        }
    }
}

/// Words before the verb of a request.
const LEADS: [&str; 32] = [
    "also", "can", "could", "d", "first", "hello", "help", "hey", "hi", "i", "just", "let", "lets",
    "like", "ll", "me", "need", "now", "ok", "okay", "please", "s", "should", "so", "then", "to",
    "us", "want", "we", "will", "would", "you",
];

/// Words that begin a question.
const QUESTIONS: [&str; 26] = [
    "any", "anyone", "anything", "are", "did", "do", "does", "had", "has", "have", "how", "hows",
    "is", "was", "were", "what", "whats", "when", "where", "wheres", "which", "who", "whom",
    "whos", "whose", "why",
];

static READING_NAMES: LazyLock<HashSet<String>> = LazyLock::new(|| {
    roots(
        "browse check compare count describe diff display download explain export fetch find get \
         history inspect list log lookup query read retrieve search show status summarize view \
         analyze",
    )
});

static CHANGING_NAMES: LazyLock<HashSet<String>> = LazyLock::new(|| {
    roots(
        "add append approve archive assign book buy cancel clear close commit create delete \
         deploy disable dismiss drop edit enable execute fork grant import insert install invite \
         manage mark merge modify move open order patch pay pin post publish push put reject \
         remove rename reopen reply request reset resolve restart restore revoke run save \
         schedule send set share star start stop submit tag trigger update upload write",
    )
});

static READING_VERBS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    roots("check display find get give know list look read search see show tell view")
});

static CHANGING_VERBS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    roots(
        "add answer approve archive ask assign attach book break buy cancel change clean clear \
         click close commit create delete deploy disable drop edit enable fill fix fork hit \
         install invite jot kick leave make mark merge move mute open order pay post press \
         publish push put rename reopen reject remove reply request reset restart revert run save \
         schedule send set share shut star start stop submit take throw trigger turn type undo \
         update upload wake wipe write",
    )
});

fn roots(words: &str) -> HashSet<String> {
    let root_of = |word| {
        let mut root = String::new();
        stem::write_root(word, &mut root);
        root
    };
    words.split_whitespace().map(root_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(text: &str) -> ToolEffect {
        let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        ToolEffect::of_request(&words)
    }

    #[test]
    fn a_question_reads_and_an_order_changes() {
        for text in [
            "who is on call",
            "can you show me the logs",
            "list users",
            "any news",
        ] {
            assert_eq!(request(text), ToolEffect::Reads, "{text}");
        }
        for text in [
            "please create a page",
            "could you delete it",
            "closing the issue",
        ] {
            assert_eq!(request(text), ToolEffect::Changes, "{text}");
        }
        for text in ["", "please", "weather in Rome", "das Wetter"] {
            assert_eq!(request(text), ToolEffect::Unclear, "{text}");
        }
    }

    #[test]
    fn the_name_of_a_tool_has_its_effect() {
        for (name, effect) in [
            ("list_issues", ToolEffect::Reads),
            ("storage_account_create", ToolEffect::Changes),
            ("get_or_create_user", ToolEffect::Unclear),
            ("weather", ToolEffect::Unclear),
        ] {
            let mut document = ToolDocument::default();
            document.add(DocumentField::Name, name);
            assert_eq!(ToolEffect::of_tool(&document), effect, "{name}");
        }
    }

    #[test]
    fn only_the_opposite_effect_lowers_a_score() {
        assert!(ToolEffect::Reads.factor(ToolEffect::Changes) < 1.0);
        assert!(ToolEffect::Changes.factor(ToolEffect::Reads) < 1.0);
        assert!((ToolEffect::Unclear.factor(ToolEffect::Reads) - 1.0).abs() < f32::EPSILON);
        assert!((ToolEffect::Reads.factor(ToolEffect::Unclear) - 1.0).abs() < f32::EPSILON);
    }
}
