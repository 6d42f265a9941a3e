//! Words of logged searches that a tool lacks, with their evidence.

use super::{EvidenceMin, LoggedRequest};
use crate::search::{
    document::{DocumentField, ToolDocument},
    english, stem,
    tokenize::{self, WordKind},
};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap, HashSet},
    ops::RangeInclusive,
};

/// The limit on the number of words for one tool.
const WORDS_OF_TOOL_MAX: usize = 8;

/// The limit on the number of words for all tools.
const WORDS_MAX: usize = 5_000;

/// The lengths of a word, in letters. Longer ones are seldom words.
const LETTERS: RangeInclusive<usize> = 2..=24;

/// The least share of the conversations with a word that called the tool. A word of many tools says
/// little about one of them.
const SHARE_MIN: f32 = 0.25;

/// A word that a tool lacks.
#[derive(Debug)]
pub(super) struct CandidateWord {
    pub(super) tool: usize,
    pub(super) root: String,
    /// The most frequent form of the word.
    pub(super) word: String,
    /// The requests with the word whose callers called the tool.
    pub(super) requests: Vec<usize>,
    pub(super) searches: usize,
    pub(super) conversations: usize,
    pub(super) callers: usize,
}

/// The searches of one tool that have a word.
#[derive(Debug, Default)]
struct WordEvidence {
    forms: BTreeMap<String, usize>,
    requests: Vec<usize>,
    searches: usize,
    conversations: HashSet<u64>,
    callers: HashSet<u64>,
}

/// Returns the different words of a text that can tell tools apart, by their roots.
pub(super) fn telling_words(text: &str) -> BTreeMap<String, String> {
    let mut words = BTreeMap::new();
    each_word(text, &mut |word, root| {
        // Words such as `the` and `please` weigh less.
        if english::weight(word) >= 1.0
            && LETTERS.contains(&word.chars().count())
            && word.chars().all(char::is_alphabetic)
        {
            words
                .entry(root.to_owned())
                .or_insert_with(|| word.to_owned());
        }
    });
    words
}

/// Returns the roots of all words of a text.
pub(super) fn roots(text: &str) -> HashSet<String> {
    let mut roots = HashSet::new();
    each_word(text, &mut |_, root| {
        roots.insert(root.to_owned());
    });
    roots
}

fn each_word(text: &str, take: &mut dyn FnMut(&str, &str)) {
    let mut root = String::new();
    tokenize::each(text, &mut |word, kind| {
        if kind == WordKind::Plain {
            stem::write_root(word, &mut root);
            take(word, &root);
        }
    });
}

/// The words with enough evidence, the strongest evidence first.
#[derive(Debug, Default)]
pub(super) struct CandidateWords {
    /// The words that their tools lack.
    pub(super) missing: Vec<CandidateWord>,
    /// The words that their tools have, but not where a list or a search shows them: in the name,
    /// title, summary or an alias.
    pub(super) hidden: Vec<CandidateWord>,
}

/// Finds the words with enough evidence.
pub(super) fn find(
    documents: &[ToolDocument<'_>],
    requests: &[LoggedRequest],
    min: EvidenceMin,
) -> CandidateWords {
    let (evidence, totals) = collect(requests);
    let mut known: HashMap<usize, KnownRoots> = HashMap::new();
    let mut words = CandidateWords::default();
    for ((tool, root), found) in evidence {
        let Some(document) = documents.get(tool) else {
            continue;
        };
        let total = totals.get(&root).map_or(0, HashSet::len).max(1);
        let share = found.conversations.len() as f32 / total as f32;
        // Callers count, too, because one caller may hold many conversations.
        let has_evidence =
            found.conversations.len() >= min.conversations && found.callers.len() >= min.callers;
        if !has_evidence || share < SHARE_MIN {
            continue;
        }
        let own = known
            .entry(tool)
            .or_insert_with(|| KnownRoots::new(document));
        let list = match (own.shown.contains(&root), own.all.contains(&root)) {
            (true, _) => continue,
            (false, true) => &mut words.hidden,
            (false, false) => &mut words.missing,
        };
        list.extend(found.into_candidate(tool, root));
    }
    [&mut words.missing, &mut words.hidden]
        .into_iter()
        .for_each(limit);
    words
}

/// The roots that a tool has.
#[derive(Debug)]
struct KnownRoots {
    /// In its name, title, summary and aliases.
    shown: HashSet<String>,
    all: HashSet<String>,
}

impl KnownRoots {
    fn new(document: &ToolDocument<'_>) -> Self {
        let is_shown = |field: DocumentField| {
            matches!(
                field,
                DocumentField::Name
                    | DocumentField::Title
                    | DocumentField::Summary
                    | DocumentField::Alias
            )
        };
        let of = |takes: &dyn Fn(DocumentField) -> bool| {
            document
                .texts
                .iter()
                .filter(|(field, _)| takes(*field))
                .flat_map(|(_, text)| roots(text))
                .collect()
        };
        Self {
            shown: of(&is_shown),
            all: of(&|_| true),
        }
    }
}

/// Sorts words by their tools and evidence, and drops the weakest ones beyond the limits.
fn limit(words: &mut Vec<CandidateWord>) {
    let strength =
        |word: &CandidateWord| (Reverse(word.conversations), Reverse(word.requests.len()));
    // By root at last, so that equal logs lead to equal suggestions.
    words.sort_by(|one, other| {
        strength(one)
            .cmp(&strength(other))
            .then_with(|| one.root.cmp(&other.root))
    });
    let mut counts: HashMap<usize, usize> = HashMap::new();
    words.retain(|word| {
        let count = counts.entry(word.tool).or_default();
        *count += 1;
        *count <= WORDS_OF_TOOL_MAX
    });
    words.truncate(WORDS_MAX);
    // The sort is stable, so the words of one tool stay in the order of their evidence.
    words.sort_by_key(|word| word.tool);
}

type EvidenceByWord = BTreeMap<(usize, String), WordEvidence>;

/// Collects the evidence by tool and root, and the conversations of each root.
fn collect(requests: &[LoggedRequest]) -> (EvidenceByWord, HashMap<String, HashSet<u64>>) {
    let (mut evidence, mut totals) = (
        EvidenceByWord::new(),
        HashMap::<String, HashSet<u64>>::new(),
    );
    for (place, request) in requests.iter().enumerate() {
        for (root, word) in telling_words(&request.text) {
            // Over all tools, so that a word of many tools gets a small share for each.
            totals
                .entry(root.clone())
                .or_default()
                .extend(&request.conversations);
            let found = evidence.entry((request.tool, root)).or_default();
            *found.forms.entry(word).or_default() += request.conversations.len();
            found.requests.push(place);
            found.searches += request.searches;
            found.conversations.extend(&request.conversations);
            found.callers.extend(&request.callers);
        }
    }
    (evidence, totals)
}

impl WordEvidence {
    fn into_candidate(self, tool: usize, root: String) -> Option<CandidateWord> {
        let (word, _) = self
            .forms
            .into_iter()
            // Of equally frequent forms, the first one in the alphabet.
            .max_by(|one, other| one.1.cmp(&other.1).then(other.0.cmp(&one.0)))?;
        Some(CandidateWord {
            tool,
            root,
            word,
            requests: self.requests,
            searches: self.searches,
            conversations: self.conversations.len(),
            callers: self.callers.len(),
        })
    }
}
