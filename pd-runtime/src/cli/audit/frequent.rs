//! Counts of the most frequent texts, in bounded memory.

use crate::text::{escape, truncate::first_bytes};
use serde::Serialize;
use std::{cmp::Reverse, collections::HashMap};

/// The limit on a counted text, in bytes. A longer text is cut.
const TEXT_BYTES: usize = 200;

/// A text, and how often it occurred.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(in crate::cli) struct TextCount {
    pub(in crate::cli) text: String,
    pub(in crate::cli) count: usize,
}

/// Counts of at most `limit` different texts, by the algorithm of Misra and Gries.
///
/// Counts are exact while there are fewer texts. Beyond that, a count is too low by at most
/// `total / limit`, so every text with a larger share is among them.
#[derive(Debug)]
pub(super) struct FrequentTexts {
    limit: usize,
    counts: HashMap<String, usize>,
}

impl FrequentTexts {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            counts: HashMap::new(),
        }
    }

    /// Counts a text. White space is normalized, and characters that a reader does not see are
    /// escaped.
    pub(super) fn record(&mut self, text: &str) {
        let text = readable(text);
        if let Some(count) = self.counts.get_mut(&text) {
            *count += 1;
        } else if self.counts.len() < self.limit {
            self.counts.insert(text, 1);
        } else {
            // The new text and one occurrence of each known text cancel out. A text loses an
            // occurrence only together with `limit` others, which bounds both the error and the
            // time.
            self.counts.retain(|_, count| {
                *count -= 1;
                *count > 0
            });
        }
    }

    /// Returns the most frequent texts, at most `count`, most frequent first.
    pub(super) fn top(&self, count: usize) -> Vec<TextCount> {
        let mut texts: Vec<_> = self.counts.iter().collect();
        // Equal counts by text: a hash map has no stable order, and a file has one report.
        texts.sort_unstable_by_key(|(text, count)| (Reverse(**count), *text));
        texts.truncate(count);
        texts
            .into_iter()
            .map(|(text, count)| TextCount {
                text: text.clone(),
                count: *count,
            })
            .collect()
    }
}

fn readable(text: &str) -> String {
    // A cut before the normalization bounds its cost.
    let words: Vec<_> = first_bytes(text, TEXT_BYTES).split_whitespace().collect();
    escape::visible(&words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str, count: usize) -> TextCount {
        TextCount {
            text: text.to_owned(),
            count,
        }
    }

    #[test]
    fn frequent_texts_survive_a_flood_of_others() {
        let mut texts = FrequentTexts::new(10);
        for number in 0..1_000 {
            texts.record(&format!("noise {number}"));
            texts.record("often");
        }
        assert!(texts.counts.len() <= 10);
        let top = texts.top(1).pop().unwrap_or_else(|| count("", 0));
        assert!(
            top.text == "often" && (800..=1_000).contains(&top.count),
            "{top:?}"
        );
    }

    #[test]
    fn texts_are_readable_and_short() {
        let mut texts = FrequentTexts::new(10);
        for text in ["b\u{1b}[1m\u{200b}", " a\n a ", "a a", &"é".repeat(500)] {
            texts.record(text);
        }
        let expected = [
            count("a a", 2),
            count("b\\u{1b}[1m\\u{200b}", 1),
            count(&"é".repeat(100), 1),
        ];
        assert_eq!(texts.top(5), expected);
    }
}
