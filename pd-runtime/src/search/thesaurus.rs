//! English words that tools use for other words of a request: synonyms, words of everyday language,
//! phrases, and the base forms of irregular words.

mod everyday;
mod irregular;
mod phrases;
mod synonyms;

use super::stem;
use everyday::EVERYDAY;
use irregular::IRREGULAR;
use phrases::PHRASES;
use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};
use synonyms::{OTHER_VERBS, THINGS, VERBS};

/// The longest distance between two words of a phrase with an object between them.
const REACH: usize = 4;

/// First words of phrases that are no verbs: `how many`, `on call`.
const NO_VERBS: [&str; 17] = [
    "any", "as", "at", "how", "job", "last", "most", "no", "not", "on", "real", "right", "thumbs",
    "up", "what", "who", "whose",
];

/// Returns the roots of the synonyms of this root.
pub(super) fn synonyms(root: &str) -> &'static [String] {
    THESAURUS.get(root).map_or(&[], Vec::as_slice)
}

/// Returns the roots of the words that tools use for a word of everyday language.
pub(super) fn everyday(root: &str) -> &'static [String] {
    EVERYDAY_ROOTS.get(root).map_or(&[], Vec::as_slice)
}

/// Returns the root of the base form of an irregular form: that of `write` for `wrote`.
pub(super) fn base_root(word: &str) -> Option<&'static str> {
    BASE_ROOTS.get(word).map(String::as_str)
}

/// A phrase in a request.
#[derive(Debug)]
pub(super) struct PhraseMatch {
    /// The indices of its words among the plain words of the request.
    pub(super) words: Vec<usize>,
    /// The roots of the words that tools use for it.
    pub(super) meanings: &'static [String],
    /// Whether it means one of its own words.
    pub(super) means_own_word: bool,
}

/// Returns the phrases in a request with these plain words.
pub(super) fn phrases(words: &[String]) -> Vec<PhraseMatch> {
    let roots: Vec<String> = words.iter().map(|word| form_root(word)).collect();
    let starts = roots.iter().enumerate();
    starts
        .filter_map(|(at, root)| Some((at, PHRASES_BY_START.get(root)?)))
        .flat_map(|(at, phrases)| phrases.iter().map(move |phrase| (at, phrase)))
        .filter_map(|(at, phrase)| phrase.match_at(at, &roots))
        .collect()
}

/// Returns whether a word can be a verb in a request. `next` is the word after it.
pub(super) fn is_verb(word: &str, next: &str) -> bool {
    VERB_WORDS.contains(word) || VERB_PHRASES.contains([word, next].join(" ").as_str())
}

/// A phrase by the roots of its words.
#[derive(Debug)]
struct Phrase {
    /// The words after the first one, each with the longest distance from the word before it.
    rest: Vec<(String, usize)>,
    meanings: Vec<String>,
    means_own_word: bool,
}

impl Phrase {
    /// Reads an entry of the table. Returns the root of the first word, too.
    fn read(phrase: &str, meanings: &str) -> (String, Self) {
        let mut start = String::new();
        let mut rest = Vec::new();
        let mut reach = 1;
        for word in phrase.split(' ') {
            if word == "*" {
                reach = REACH;
            } else if start.is_empty() {
                start = form_root(word);
            } else {
                rest.push((form_root(word), reach));
                reach = 1;
            }
        }
        let meanings = roots_of(meanings);
        let means_own_word =
            meanings.contains(&start) || rest.iter().any(|(root, _)| meanings.contains(root));
        let phrase = Self {
            rest,
            meanings,
            means_own_word,
        };
        (start, phrase)
    }

    /// Returns the phrase if it begins with the word at this index.
    fn match_at(&'static self, at: usize, roots: &[String]) -> Option<PhraseMatch> {
        let mut words = vec![at];
        let mut last = at;
        for (root, reach) in &self.rest {
            let mut places = last + 1..=last + reach;
            last = places.find(|place| roots.get(*place) == Some(root))?;
            words.push(last);
        }
        Some(PhraseMatch {
            words,
            meanings: &self.meanings,
            means_own_word: self.means_own_word,
        })
    }
}

// The roots are computed at the first search, because stemming is not const.
static THESAURUS: LazyLock<HashMap<String, Vec<String>>> = LazyLock::new(|| {
    let mut synonyms: HashMap<String, Vec<String>> = HashMap::new();
    // A word may belong to several groups, as `show` does.
    for group in VERBS.iter().chain(THINGS) {
        // Documents are indexed by roots, so synonyms are roots, too.
        let roots = roots_of(group);
        for own in &roots {
            add_others(&mut synonyms, own, &roots);
        }
    }
    synonyms
});

static EVERYDAY_ROOTS: LazyLock<HashMap<String, Vec<String>>> = LazyLock::new(|| {
    let mut meanings: HashMap<String, Vec<String>> = HashMap::new();
    for (words, tool_words) in EVERYDAY {
        let tool_words = roots_of(tool_words);
        for word in words.split(' ') {
            add_others(&mut meanings, &root_of(word), &tool_words);
        }
    }
    meanings
});

static BASE_ROOTS: LazyLock<HashMap<&str, String>> = LazyLock::new(|| {
    IRREGULAR
        .iter()
        .flat_map(|(forms, base)| forms.split(' ').map(|form| (form, root_of(base))))
        .collect()
});

static PHRASES_BY_START: LazyLock<HashMap<String, Vec<Phrase>>> = LazyLock::new(|| {
    let mut phrases: HashMap<String, Vec<Phrase>> = HashMap::new();
    for (words, meanings) in PHRASES {
        let (start, phrase) = Phrase::read(words, meanings);
        phrases.entry(start).or_default().push(phrase);
    }
    phrases
});

static VERB_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    VERBS
        .iter()
        .flat_map(|group| group.split(' '))
        .chain(OTHER_VERBS.split(' '))
        .collect()
});

/// Verbs of two words: `set up`, `look for`.
static VERB_PHRASES: LazyLock<HashSet<String>> = LazyLock::new(|| {
    PHRASES
        .iter()
        .map(|(phrase, _)| phrase.replace(" *", ""))
        .filter(|phrase| {
            let mut words = phrase.split(' ');
            let is_verb = words.next().is_some_and(|word| !NO_VERBS.contains(&word));
            is_verb && words.count() == 1
        })
        .collect()
});

/// Adds the roots other than `own` to the words for it, each once.
fn add_others(words: &mut HashMap<String, Vec<String>>, own: &str, roots: &[String]) {
    let others = words.entry(own.to_owned()).or_default();
    for root in roots.iter().filter(|root| *root != own) {
        if !others.contains(root) {
            others.push(root.clone());
        }
    }
}

fn roots_of(words: &str) -> Vec<String> {
    words.split(' ').map(root_of).collect()
}

fn root_of(word: &str) -> String {
    let mut root = String::new();
    stem::write_root(word, &mut root);
    root
}

/// Returns the root of a word, or of the base form of an irregular one.
fn form_root(word: &str) -> String {
    base_root(word).map_or_else(|| root_of(word), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meanings(request: &str) -> Vec<&'static String> {
        let words: Vec<String> = request.split(' ').map(str::to_owned).collect();
        let found = phrases(&words);
        found.iter().flat_map(|phrase| phrase.meanings).collect()
    }

    #[test]
    fn words_know_their_like() {
        assert!(synonyms(&root_of("removing")).contains(&root_of("delete")));
        assert!(synonyms(&root_of("tickets")).contains(&root_of("issue")));
        assert!(synonyms("xyz").is_empty());
        assert!(everyday(&root_of("photos")).contains(&root_of("image")));
        assert!(everyday(&root_of("reaction")).is_empty());
        assert_eq!(base_root("wrote"), Some(root_of("write").as_str()));
        assert_eq!(base_root("write"), None);
    }

    #[test]
    fn a_phrase_has_its_object_inside() {
        for request in ["kick off the tests", "kicking the nightly tests off"] {
            let meanings = meanings(request);
            assert!(
                meanings.contains(&&root_of("run")),
                "{request}: {meanings:?}"
            );
        }
        assert!(meanings("took it down").contains(&&root_of("delete")));
        for request in [
            "",
            "kick",
            "off",
            "kick one two three four off",
            "how very many",
        ] {
            assert_eq!(meanings(request).len(), 0, "{request}");
        }
    }

    #[test]
    fn verbs_are_distinguished_from_things() {
        assert!(is_verb("delete", "") && is_verb("set", "up"));
        assert!(!is_verb("dashboard", "of") && !is_verb("how", "many"));
    }
}
