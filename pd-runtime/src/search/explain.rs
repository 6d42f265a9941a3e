//! The explanation of scores: which words of a request match which words of a tool, in which field,
//! and how much each match adds to the score.

use super::{
    document::DocumentField,
    fusion::ScoreFusion,
    index::WordIndex,
    query::{self, MatchKind, QueryTerm, QueryWord, SearchQuery},
    rank::{DocumentScores, ScoreTrace},
    stem,
    tokenize::WordKind,
    visible_stats::VisibleStats,
    vocabulary::Posting,
};
use std::collections::HashMap;

/// The weight below which a word of a request has too little meaning to be reported as missing:
/// "the", "please".
const TELLING_MIN: f32 = 0.5;

/// What the score of one document consists of. The shares of `matches`, `name` and `meaning` sum to
/// `score`.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct HitExplanation {
    pub(crate) score: f32,
    /// The matches, the largest share first.
    pub(crate) matches: Vec<WordMatch>,
    /// The share for a request that mentions the words of the document's name.
    pub(crate) name: f32,
    /// The share of the meaning, with a model.
    pub(crate) meaning: f32,
    /// The words of the request without a match in the document, except those with little meaning.
    pub(crate) missing: Vec<String>,
}

/// A word of the request that occurs in one field of a document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WordMatch {
    /// The word of the request.
    pub(crate) word: String,
    /// The word of the document.
    pub(crate) matched: String,
    pub(crate) kind: MatchKind,
    pub(crate) field: DocumentField,
    pub(crate) share: f32,
}

/// Explains the scores of the documents at these places, in their order. `near` has the
/// similarities of all documents if a model is in use.
pub(super) fn explain(
    request: &str,
    places: &[usize],
    index: &WordIndex,
    near: Option<&[f32]>,
    view: &VisibleStats,
) -> Vec<HitExplanation> {
    let mut query = SearchQuery::new(request, index, view);
    query.has_meaning = near.is_some();
    let mut parts = HashMap::new();
    // Only the documents that have an entry are traced.
    places
        .iter()
        .for_each(|place| drop(parts.insert(*place, ScoreParts::default())));
    let mut trace = PartCollector { parts, index, view };
    // The ranking itself reports the parts, so an explanation cannot differ from a score.
    let scores = index.traced_scores(&query, view, &mut trace);
    let fusion = near.map(|near| (ScoreFusion::new(&scores, near, view), near));
    let words = query::read(request);
    let renderer = MatchRenderer {
        index,
        words: &words,
    };
    places
        .iter()
        .map(|place| {
            let hit = trace
                .parts
                .get(place)
                .map(|parts| renderer.render(parts, *place))
                .unwrap_or_default();
            with_meaning(hit, *place, &scores, fusion.as_ref())
        })
        .collect()
}

/// Scales the shares of words to their part of the fused score, and adds that of the meaning.
fn with_meaning(
    mut hit: HitExplanation,
    place: usize,
    scores: &DocumentScores,
    fusion: Option<&(ScoreFusion, &[f32])>,
) -> HitExplanation {
    hit.score = scores.by_document.get(place).copied().unwrap_or_default();
    let Some((fusion, near)) = fusion else {
        return hit;
    };
    let near = near.get(place).copied().unwrap_or_default();
    let (by_word, by_meaning) = fusion.parts(hit.score, near, scores.effect_factor(place));
    // A document without a word of the request has its score from the meaning alone.
    let scale = if hit.score > 0.0 {
        by_word / hit.score
    } else {
        0.0
    };
    hit.matches.iter_mut().for_each(|one| one.share *= scale);
    (hit.name, hit.meaning, hit.score) = (hit.name * scale, by_meaning, by_word + by_meaning);
    hit
}

/// The parts of one document's score, as the ranking reports them.
#[derive(Debug)]
struct ScoreParts {
    /// What each term adds, by field.
    gains: Vec<(QueryTerm, u8, f32)>,
    coverage: f32,
    name: f32,
}

impl Default for ScoreParts {
    fn default() -> Self {
        Self {
            gains: Vec::new(),
            // These are factors, so 1 changes nothing.
            coverage: 1.0,
            name: 1.0,
        }
    }
}

/// Collects the parts of the scores of some documents.
struct PartCollector<'a> {
    parts: HashMap<usize, ScoreParts>,
    index: &'a WordIndex,
    view: &'a VisibleStats,
}

impl ScoreTrace for PartCollector<'_> {
    fn add(&mut self, term: &QueryTerm, postings: &[Posting], gain: f32) {
        let place = postings.first().map(|posting| posting.place as usize);
        let Some(parts) = place.and_then(|place| self.parts.get_mut(&place)) else {
            return;
        };
        let frequencies: Vec<f32> = postings
            .iter()
            .map(|posting| self.index.frequency(posting, self.view))
            .collect();
        let all: f32 = frequencies.iter().sum();
        // The ranking saturates the sum over the fields, so a field's share is its part of the sum.
        let shares = postings.iter().zip(frequencies);
        parts.gains.extend(
            shares.map(|(posting, frequency)| (*term, posting.field, gain * frequency / all)),
        );
    }

    fn cover(&mut self, place: usize, factor: f32) {
        self.parts
            .get_mut(&place)
            .into_iter()
            .for_each(|parts| parts.coverage = factor);
    }

    fn name(&mut self, place: usize, factor: f32) {
        self.parts
            .get_mut(&place)
            .into_iter()
            .for_each(|parts| parts.name = factor);
    }
}

/// Renders terms as the words of the request and of the documents.
struct MatchRenderer<'a> {
    index: &'a WordIndex,
    words: &'a [QueryWord],
}

impl MatchRenderer<'_> {
    fn render(&self, parts: &ScoreParts, place: usize) -> HitExplanation {
        let mut matches: Vec<WordMatch> = Vec::new();
        for (term, field, gain) in &parts.gains {
            let Some(found) = self.word_match(term, place, *field, gain * parts.coverage) else {
                continue;
            };
            // A word matches by its root and once more by its form. Both are one match to a reader.
            match matches.iter_mut().find(|known| {
                (&known.word, &known.matched, known.field)
                    == (&found.word, &found.matched, found.field)
            }) {
                Some(known) => known.share += found.share,
                None => matches.push(found),
            }
        }
        matches.sort_by(|one, other| other.share.total_cmp(&one.share));
        let by_words: f32 = matches.iter().map(|one| one.share).sum();
        HitExplanation {
            // The name multiplies the score, so its share is the part that the factor adds.
            name: by_words * (parts.name - 1.0),
            missing: self.missing(parts),
            matches,
            ..HitExplanation::default()
        }
    }

    fn word_match(
        &self,
        term: &QueryTerm,
        place: usize,
        field: u8,
        share: f32,
    ) -> Option<WordMatch> {
        let word = self.words.get(term.word)?;
        let text = match term.kind {
            MatchKind::Joined => format!("{} {}", word.text, self.next_plain(term.word)?.1.text),
            _ => word.text.clone(),
        };
        let matched = self.form(term, word, place, field);
        Some(WordMatch {
            word: text,
            matched,
            kind: term.kind,
            field: DocumentField::from_index(field)?,
            share,
        })
    }

    fn next_plain(&self, place: usize) -> Option<(usize, &QueryWord)> {
        self.words
            .iter()
            .enumerate()
            .skip(place + 1)
            .find(|(_, word)| word.kind == WordKind::Plain)
    }

    /// Returns the word of the document that a term stands for: the word of the request if the
    /// field has it, and another form otherwise.
    fn form(&self, term: &QueryTerm, word: &QueryWord, place: usize, field: u8) -> String {
        let occurs = |id| {
            self.index
                .postings
                .get(id)
                .iter()
                .any(|posting| posting.place as usize == place && posting.field == field)
        };
        // The caller's own word is shown if the field has it, because other forms may occur beside
        // it.
        if term.kind == MatchKind::Word && self.index.words.get(&word.text).is_some_and(occurs) {
            return word.text.clone();
        }
        // The vocabulary has no index by term, and an explanation is rare enough for a search.
        if let Some((typo, _)) = self.index.words.iter().find(|(_, id)| *id == term.id) {
            return typo.to_owned();
        }
        let Some((root, _)) = self.index.roots.iter().find(|(_, id)| *id == term.id) else {
            return word.text.clone();
        };
        let mut own_root = String::new();
        let mut is_form = |form: &str| {
            stem::write_root(form, &mut own_root);
            own_root == root
        };
        // A root differs from its words in its last letter at most: `copi` is the root of `copied`.
        let beginning = root
            .char_indices()
            .next_back()
            .map_or("", |(end, _)| root.get(..end).unwrap_or_default());
        let mut forms = self
            .index
            .words
            .beginning(beginning)
            .filter(|(_, id)| occurs(*id));
        forms
            .find(|(form, _)| is_form(form))
            .map_or(root, |(form, _)| form)
            .to_owned()
    }

    fn missing(&self, parts: &ScoreParts) -> Vec<String> {
        // A joined match covers two words of the request, so neither of them is missing.
        let stands_for = |term: &QueryTerm, place: usize| {
            term.word == place
                || self
                    .next_plain(term.word)
                    .is_some_and(|(next, _)| term.kind == MatchKind::Joined && next == place)
        };
        let telling = self
            .words
            .iter()
            .enumerate()
            .filter(|(_, word)| word.kind == WordKind::Plain && word.weight >= TELLING_MIN);
        telling
            .filter(|(place, _)| {
                !parts
                    .gains
                    .iter()
                    .any(|(term, ..)| stands_for(term, *place))
            })
            .map(|(_, word)| word.text.clone())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        reason = "a test fails by panicking"
    )]

    use super::*;
    use crate::search::{
        document::ToolDocument,
        embedder::{EmbedError, Embedder},
        searcher::ToolSearcher,
    };
    use std::{path::Path, sync::Arc};

    /// Embeds a text by its letters.
    struct Letters;

    impl Embedder for Letters {
        fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
            let count =
                |text: &str, letter: char| text.chars().filter(|one| *one == letter).count() as f32;
            Ok(texts
                .iter()
                .map(|text| ('a'..='z').map(|letter| count(text, letter)).collect())
                .collect())
        }
    }

    fn lines(file: &str) -> Vec<serde_json::Value> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/retrieval/azure");
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    fn document(tool: &serde_json::Value) -> ToolDocument<'_> {
        let mut document = ToolDocument::default();
        document.add(
            DocumentField::Name,
            tool["name"].as_str().unwrap_or_default(),
        );
        document.add(
            DocumentField::Description,
            tool["description"].as_str().unwrap_or_default(),
        );
        tool["inputSchema"]
            .as_object()
            .into_iter()
            .for_each(|schema| document.add_schema(schema));
        document
    }

    /// Compares each explanation with the score of the search itself.
    fn compare(searcher: &ToolSearcher, request: &str, view: &VisibleStats) -> usize {
        let hits = searcher.find(request, 10, view);
        let places: Vec<usize> = hits.iter().map(|hit| hit.place).collect();
        for (hit, explained) in hits.iter().zip(searcher.explain(request, &places, view)) {
            let shares: f32 = explained.matches.iter().map(|one| one.share).sum();
            let sum = shares + explained.name + explained.meaning;
            assert!(
                (explained.score - hit.score).abs() <= 1e-4 * hit.score,
                "{request}: {hit:?} {explained:?}"
            );
            assert!(
                (sum - hit.score).abs() <= 1e-4 * hit.score,
                "{request}: {sum}, {hit:?} {explained:?}"
            );
        }
        hits.len()
    }

    #[test]
    fn shares_sum_to_the_score_of_the_search() {
        let tools = lines("tools.jsonl");
        let requests = lines("queries.jsonl");
        let documents: Vec<_> = tools.iter().map(document).collect();
        let by_words = ToolSearcher::new(&documents);
        let by_both = ToolSearcher::with_model(&documents, Arc::new(Letters)).unwrap();
        let mut compared = 0;
        for (number, request) in requests.iter().enumerate().step_by(5) {
            // Typing errors and joined words take other ways through the ranking.
            let text = request["text"].as_str().unwrap();
            for text in [
                text.to_owned(),
                text.replace("storage", "stroage")
                    .replace("key vault", "keyvault"),
            ] {
                compared += compare(&by_words, &text, by_words.all_visible());
                let some = by_words.view(|place| place % 3 != number % 3);
                compared += compare(&by_words, &text, &some);
                compared += compare(&by_both, &text, by_both.all_visible());
            }
        }
        assert!(compared > 4_000, "{compared} hits");
    }

    #[test]
    fn each_match_names_both_words_and_the_field() {
        let mut document = ToolDocument::default();
        document.add(DocumentField::Name, "keyvault_delete");
        document.add(DocumentField::Summary, "Copied commits");
        let mut other = ToolDocument::default();
        other.add(DocumentField::Name, "other");
        let searcher = ToolSearcher::new(&[other, document]);
        let request = "please remove key vault copies committed xyzzy";
        let explained = searcher.explain(request, &[1, 0], searcher.all_visible());
        let found = |one: &WordMatch| (one.word.clone(), one.matched.clone(), one.kind, one.field);
        let mut matches: Vec<_> = explained[0].matches.iter().map(found).collect();
        matches.sort();
        let expected = [
            (
                "committed",
                "commits",
                MatchKind::Word,
                DocumentField::Summary,
            ),
            ("copies", "copied", MatchKind::Word, DocumentField::Summary),
            (
                "key vault",
                "keyvault",
                MatchKind::Joined,
                DocumentField::Name,
            ),
            ("remove", "delete", MatchKind::Synonym, DocumentField::Name),
        ];
        assert_eq!(
            matches,
            expected.map(|(word, matched, kind, field)| (word.into(), matched.into(), kind, field))
        );
        assert_eq!(explained[0].missing, ["xyzzy"]);
        assert_eq!((explained[1].score, explained[1].matches.len()), (0.0, 0));
    }
}
