//! The search index: built once, read by every search.

use super::{
    document::{DocumentField, FIELDS, ToolDocument},
    intent::ToolEffect,
    tokenize::{self, WordKind},
    visible_stats::VisibleStats,
    vocabulary::{PostingLists, TermCollector, TermId, Vocabulary},
};
use crate::parallel;

/// The words of all tools of a registry.
#[derive(Debug)]
pub(crate) struct WordIndex {
    /// Words in their original form.
    pub(super) words: Vocabulary,
    /// The roots that words share with their other forms.
    pub(super) roots: Vocabulary,
    pub(super) postings: PostingLists,
    /// The number of words in each field of each document.
    pub(super) lengths: Box<[[u16; FIELDS]]>,
    /// The roots in the name of each document.
    pub(super) names: Box<[Box<[TermId]>]>,
    /// What each document's tool does.
    pub(super) effects: Box<[ToolEffect]>,
    all_visible: VisibleStats,
}

/// The number of documents that one parallel task reads.
const PIECE: usize = 128;

impl WordIndex {
    /// Builds the index of these documents. A hit's place is the index of its document.
    pub(crate) fn new(documents: &[ToolDocument<'_>]) -> Self {
        let mut reading = IndexBuilder::new(documents.len());
        let documents: Vec<_> = documents.iter().enumerate().collect();
        reading.read(&documents);
        reading.finish()
    }

    /// Builds the index after a change. `changed` has the changed documents by index; all others
    /// are reused.
    pub(crate) fn update(&self, count: usize, changed: &[(usize, ToolDocument<'_>)]) -> Self {
        let mut reading = IndexBuilder::new(count);
        // If all documents changed, nothing of the old index is worth a copy.
        if changed.len() < count {
            reading.keep(self, changed);
        }
        let changed: Vec<_> = changed
            .iter()
            .map(|(place, document)| (*place, document))
            .collect();
        reading.read(&changed);
        reading.finish()
    }

    /// Returns the view of callers that see all documents.
    pub(crate) fn all_visible(&self) -> &VisibleStats {
        &self.all_visible
    }

    /// Returns the view of a caller that sees only the documents that `sees` accepts. For this
    /// caller, no others exist.
    pub(crate) fn view(&self, sees: impl FnMut(usize) -> bool) -> VisibleStats {
        VisibleStats::new(&self.lengths, sees)
    }

    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        let names: usize = self
            .names
            .iter()
            .map(|name| size_of_val(&**name) + size_of_val(name))
            .sum();
        self.words.bytes()
            + self.roots.bytes()
            + self.postings.bytes()
            + size_of_val(&*self.lengths)
            + size_of_val(&*self.effects)
            + names
    }
}

/// An index under construction.
#[derive(Debug)]
struct IndexBuilder {
    collector: TermCollector,
    lengths: Vec<[u16; FIELDS]>,
    names: Vec<Box<[TermId]>>,
    effects: Vec<ToolEffect>,
}

impl IndexBuilder {
    fn new(count: usize) -> Self {
        Self {
            collector: TermCollector::default(),
            lengths: vec![[0; FIELDS]; count],
            names: vec![Box::default(); count],
            effects: vec![ToolEffect::default(); count],
        }
    }

    /// Takes over the data of the documents that did not change.
    fn keep(&mut self, index: &WordIndex, changed: &[(usize, ToolDocument<'_>)]) {
        let mut is_kept = vec![true; self.lengths.len()];
        for (place, _) in changed {
            is_kept
                .get_mut(*place)
                .into_iter()
                .for_each(|kept| *kept = false);
        }
        let (collector, terms) =
            TermCollector::from_index(&index.words, &index.roots, &index.postings, |place| {
                is_kept.get(place as usize) == Some(&true)
            });
        self.collector = collector;
        let known = index.lengths.iter().zip(&index.names).zip(&index.effects);
        for (place, ((lengths, name), effect)) in known
            .enumerate()
            .filter(|(place, _)| is_kept.get(*place) == Some(&true))
        {
            self.put(place, *lengths, name, *effect, &terms);
        }
    }

    fn read(&mut self, documents: &[(usize, &ToolDocument<'_>)]) {
        // The pieces arrive in order, so the numbers of terms do not depend on the threads.
        for (collector, read) in parallel::map_chunks(documents, PIECE, read_piece) {
            let terms = self.collector.absorb(collector);
            for (place, lengths, name, effect) in read {
                self.put(place, lengths, &name, effect, &terms);
            }
        }
    }

    /// Stores the lengths, the name and the effect of a document. `terms` maps the terms of its
    /// collector to terms of this one.
    fn put(
        &mut self,
        place: usize,
        lengths: [u16; FIELDS],
        name: &[TermId],
        effect: ToolEffect,
        terms: &[TermId],
    ) {
        if let Some(own) = self.effects.get_mut(place) {
            *own = effect;
        }
        if let Some((own, names)) = self.lengths.get_mut(place).zip(self.names.get_mut(place)) {
            *own = lengths;
            *names = name
                .iter()
                .filter_map(|term| terms.get(*term as usize).copied())
                .collect();
        }
    }

    fn finish(self) -> WordIndex {
        let (words, roots, postings) = self.collector.finish();
        // Computed once, because most callers see all documents.
        let all_visible = VisibleStats::of_all(&self.lengths);
        WordIndex {
            words,
            roots,
            postings,
            lengths: self.lengths.into(),
            names: self.names.into(),
            effects: self.effects.into(),
            all_visible,
        }
    }
}

/// The index, field lengths, name and effect of each document that one task has read.
type IndexedDocuments = Vec<(usize, [u16; FIELDS], Box<[TermId]>, ToolEffect)>;

fn read_piece(documents: &[(usize, &ToolDocument<'_>)]) -> (TermCollector, IndexedDocuments) {
    let mut collector = TermCollector::default();
    let read = documents.iter().map(|(place, document)| {
        // Each task has its own terms, so tasks share no lock. `absorb` renumbers them.
        let (lengths, name) = read(
            document,
            u32::try_from(*place).unwrap_or(u32::MAX),
            &mut collector,
        );
        (*place, lengths, name, ToolEffect::of_tool(document))
    });
    let read = read.collect();
    (collector, read)
}

fn read(
    document: &ToolDocument<'_>,
    place: u32,
    collector: &mut TermCollector,
) -> ([u16; FIELDS], Box<[TermId]>) {
    let mut lengths = [0_u16; FIELDS];
    let mut name = Vec::new();
    for (field, text) in &document.texts {
        let field = *field as u8;
        tokenize::each(text, &mut |word, kind| {
            // A term is counted for every occurrence, but only plain words count toward the length:
            // the joined form of an identifier repeats its parts.
            let root = collector.record(word, place, field);
            if kind != WordKind::Plain {
                return;
            }
            if let Some(length) = lengths.get_mut(usize::from(field)) {
                // A wrapped length would make a very long text look short.
                *length = length.saturating_add(1);
            }
            // Each root once: a request mentions a name by its different words.
            if field == DocumentField::Name as u8 && !name.contains(&root) {
                name.push(root);
            }
        });
    }
    (lengths, name.into())
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use std::collections::HashMap;

    type Texts = Vec<[String; 2]>;

    fn documents(texts: &Texts) -> Vec<ToolDocument<'_>> {
        texts
            .iter()
            .map(|[name, about]| {
                let mut document = ToolDocument::default();
                document
                    .texts
                    .push((DocumentField::Name, name.clone().into()));
                document
                    .texts
                    .push((DocumentField::Description, about.clone().into()));
                document
            })
            .collect()
    }

    /// Renders the content of an index, independent of its term numbers.
    fn dump(index: &WordIndex) -> String {
        let lists = |vocabulary: &Vocabulary| -> Vec<String> {
            vocabulary
                .iter()
                .map(|(word, term)| format!("{word}: {:?}", index.postings.get(term)))
                .collect()
        };
        let roots: HashMap<TermId, &str> = index
            .roots
            .iter()
            .map(|(root, term)| (term, root))
            .collect();
        let names: Vec<Vec<&str>> = index
            .names
            .iter()
            .map(|name| name.iter().map(|term| roots[term]).collect())
            .collect();
        let words = lists(&index.words);
        let bytes = index.bytes();
        format!(
            "{words:#?} {:#?} {names:#?} {:?} {:?} {:?} {bytes}",
            lists(&index.roots),
            index.lengths,
            index.effects,
            index.all_visible
        )
    }

    #[test]
    fn an_index_made_of_another_is_as_one_made_anew() {
        let mut texts: Texts = (0..300)
            .map(|n| {
                [
                    format!("list_item{n}"),
                    format!("copies of {n}, file{}", n % 7),
                ]
            })
            .collect();
        let mut index = WordIndex::new(&documents(&texts));
        for (round, step) in [299, 40, 7, 2, 1, 300].into_iter().enumerate() {
            for changed in (0..300).step_by(step) {
                texts[changed] = [
                    format!("lists_{}", changed % 11),
                    format!("a copy in round {round}, filed{changed}"),
                ];
            }
            let changed: Vec<_> = documents(&texts)
                .into_iter()
                .enumerate()
                .step_by(step)
                .collect();
            index = index.update(300, &changed);
            assert_eq!(
                dump(&index),
                dump(&WordIndex::new(&documents(&texts))),
                "every {step}th is new"
            );
        }
        texts.truncate(200);
        assert_eq!(
            dump(&index.update(200, &[])),
            dump(&WordIndex::new(&documents(&texts)))
        );
    }

    #[test]
    fn how_documents_are_dealt_out_does_not_matter() {
        let texts: Texts = (0..300)
            .map(|n| [format!("list_item{n}"), format!("copy {}, files{n}", n % 5)])
            .collect();
        let documents = documents(&texts);
        let mut one_by_one = IndexBuilder::new(300);
        documents
            .iter()
            .enumerate()
            .rev()
            .for_each(|document| one_by_one.read(&[document]));
        assert_eq!(
            dump(&one_by_one.finish()),
            dump(&WordIndex::new(&documents))
        );
    }
}
