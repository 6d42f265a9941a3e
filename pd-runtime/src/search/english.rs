//! English words that carry little meaning in a request, and English verbs that are synonyms for
//! tools. Requests in other languages are not affected: these words do not occur in their catalogs,
//! and a word that is not listed here has full weight.

use super::stem;
use std::{collections::HashMap, sync::LazyLock};

/// Returns the weight of a word in a request, in addition to its rarity among the tools.
pub(super) fn weight(word: &str) -> f32 {
    if FRAME.binary_search(&word).is_ok() {
        0.1
    } else if VAGUE.binary_search(&word).is_ok() {
        0.6
    } else {
        1.0
    }
}

/// Returns the roots of verbs that tools use as synonyms of this root.
pub(super) fn synonyms(root: &str) -> impl Iterator<Item = &'static str> {
    let groups = SYNONYMS.get(root).map_or(&[][..], Vec::as_slice);
    groups
        .iter()
        .flat_map(|group| group.iter().map(String::as_str))
}

// The roots are computed at the first search, because stemming is not const.
static SYNONYMS: LazyLock<HashMap<String, Vec<Vec<String>>>> = LazyLock::new(|| {
    // A verb may belong to two groups, as `show` does.
    let mut synonyms: HashMap<String, Vec<Vec<String>>> = HashMap::new();
    for group in VERBS {
        // Documents are indexed by roots, so synonyms are roots, too.
        let roots: Vec<String> = group.iter().map(|verb| root_of(verb)).collect();
        for own in &roots {
            synonyms
                .entry(own.clone())
                .or_default()
                .push(roots.iter().filter(|root| *root != own).cloned().collect());
        }
    }
    synonyms
});

fn root_of(word: &str) -> String {
    let mut root = String::new();
    stem::write_root(word, &mut root);
    root
}

/// Groups of synonyms for verbs of tools. These verbs are not stop words: `get` and `delete`
/// distinguish tools.
const VERBS: &[&[&str]] = &[
    &[
        "get", "fetch", "retrieve", "read", "show", "view", "display", "give", "see", "check",
    ],
    &["list", "enumerate", "show"],
    &["create", "add", "make", "new", "insert", "generate"],
    &["delete", "remove", "erase", "drop", "destroy"],
    &[
        "update", "edit", "modify", "change", "set", "alter", "revise", "adjust",
    ],
    &[
        "search", "find", "lookup", "query", "seek", "locate", "discover",
    ],
    &["send", "post", "deliver", "submit", "message"],
    &["run", "execute", "start", "launch", "invoke", "trigger"],
    &["stop", "cancel", "abort", "terminate", "halt", "end"],
    &["upload", "import", "attach"],
    &["download", "export", "save"],
    &["copy", "duplicate", "clone"],
    &["move", "transfer", "relocate"],
    &["merge", "combine", "join"],
    &["compare", "diff", "difference"],
    &["convert", "transform", "translate"],
    &["calculate", "compute", "evaluate"],
    &["summarize", "summary", "digest"],
    &["schedule", "plan", "book", "reserve"],
    &["enable", "activate"],
    &["disable", "deactivate"],
];

/// Function words, and words that only make a sentence a request. Sorted.
const FRAME: &[&str] = &[
    "a",
    "able",
    "about",
    "again",
    "all",
    "also",
    "am",
    "an",
    "and",
    "any",
    "anyone",
    "anything",
    "are",
    "as",
    "at",
    "be",
    "been",
    "being",
    "both",
    "but",
    "by",
    "can",
    "could",
    "curious",
    "currently",
    "d",
    "did",
    "do",
    "does",
    "down",
    "each",
    "everything",
    "for",
    "from",
    "had",
    "has",
    "have",
    "having",
    "he",
    "hello",
    "help",
    "helps",
    "her",
    "here",
    "hi",
    "him",
    "his",
    "hope",
    "hoping",
    "how",
    "i",
    "if",
    "in",
    "interest",
    "interested",
    "into",
    "is",
    "it",
    "its",
    "just",
    "know",
    "let",
    "like",
    "likes",
    "ll",
    "looking",
    "love",
    "m",
    "may",
    "me",
    "might",
    "mine",
    "more",
    "most",
    "must",
    "my",
    "need",
    "needs",
    "no",
    "nor",
    "not",
    "of",
    "on",
    "only",
    "or",
    "other",
    "our",
    "out",
    "over",
    "own",
    "please",
    "possible",
    "re",
    "really",
    "s",
    "same",
    "shall",
    "she",
    "should",
    "so",
    "some",
    "someone",
    "something",
    "such",
    "sure",
    "t",
    "tell",
    "than",
    "thank",
    "thanks",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "this",
    "those",
    "to",
    "too",
    "trying",
    "under",
    "up",
    "us",
    "ve",
    "very",
    "want",
    "wanted",
    "was",
    "we",
    "were",
    "what",
    "when",
    "where",
    "which",
    "who",
    "whom",
    "whose",
    "why",
    "will",
    "wish",
    "with",
    "wondering",
    "would",
    "you",
    "your",
];

/// Words that fit any subject. Sorted.
const VAGUE: &[&str] = &[
    "ability",
    "additional",
    "assist",
    "assistance",
    "available",
    "based",
    "best",
    "better",
    "come",
    "comprehensive",
    "considering",
    "day",
    "days",
    "detail",
    "details",
    "different",
    "easily",
    "easy",
    "especially",
    "every",
    "exactly",
    "example",
    "feel",
    "few",
    "first",
    "following",
    "full",
    "general",
    "giving",
    "go",
    "going",
    "good",
    "great",
    "high",
    "idea",
    "ideas",
    "important",
    "include",
    "included",
    "including",
    "info",
    "information",
    "kind",
    "kindly",
    "last",
    "long",
    "look",
    "lot",
    "low",
    "made",
    "main",
    "major",
    "making",
    "many",
    "much",
    "new",
    "nice",
    "now",
    "offer",
    "one",
    "options",
    "overall",
    "part",
    "particular",
    "perfect",
    "personal",
    "popular",
    "potential",
    "provide",
    "provided",
    "provides",
    "providing",
    "quick",
    "quickly",
    "quite",
    "reason",
    "recent",
    "regarding",
    "related",
    "request",
    "requested",
    "requesting",
    "right",
    "several",
    "short",
    "simple",
    "sort",
    "specific",
    "specifically",
    "still",
    "support",
    "take",
    "taking",
    "thing",
    "things",
    "time",
    "today",
    "together",
    "two",
    "type",
    "understand",
    "unique",
    "upcoming",
    "use",
    "used",
    "using",
    "various",
    "way",
    "ways",
    "well",
    "within",
    "without",
    "work",
    "working",
    "world",
    "year",
    "years",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_in_order() {
        assert!(FRAME.is_sorted() && VAGUE.is_sorted());
    }

    #[test]
    fn a_word_has_one_weight_and_no_verb_of_tools_is_frame() {
        let mut verbs = VERBS.iter().flat_map(|group| group.iter());
        assert!(VAGUE.iter().all(|word| FRAME.binary_search(word).is_err()));
        assert!(verbs.all(|verb| FRAME.binary_search(verb).is_err()));
    }

    #[test]
    fn verbs_know_their_like() {
        assert!(synonyms(&root_of("removing")).any(|root| root == root_of("delete")));
        assert_eq!(synonyms("xyz").count(), 0);
    }
}
