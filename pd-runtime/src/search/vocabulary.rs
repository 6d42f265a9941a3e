//! The vocabulary: the sorted words of all documents, and the postings of each.

use std::collections::HashMap;

/// A word, as an index into the lists of postings.
pub(super) type TermId = u32;

/// The occurrences of a word in one field of one document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Posting {
    pub(super) place: u32,
    pub(super) field: u8,
    pub(super) count: u8,
}

/// Sorted words. Words with a common beginning are adjacent.
#[derive(Debug)]
pub(super) struct Vocabulary {
    words: Box<[(Box<str>, TermId)]>,
}

impl Vocabulary {
    pub(super) fn new(words: impl IntoIterator<Item = (Box<str>, TermId)>) -> Self {
        let mut words: Vec<_> = words.into_iter().collect();
        // Words are unique, so an unstable sort has one possible result.
        words.sort_unstable();
        Self {
            words: words.into(),
        }
    }

    pub(super) fn get(&self, word: &str) -> Option<TermId> {
        let at = self
            .words
            .binary_search_by(|(known, _)| known.as_ref().cmp(word))
            .ok()?;
        self.words.get(at).map(|(_, term)| *term)
    }

    /// Iterates over the words that begin with `beginning`, in order.
    pub(super) fn beginning(&self, beginning: &str) -> impl Iterator<Item = (&str, TermId)> {
        let from = self
            .words
            .partition_point(|(word, _)| word.as_ref() < beginning);
        let rest = self.words.get(from..).unwrap_or_default().iter();
        rest.take_while(move |(word, _)| word.starts_with(beginning))
            .map(|(word, term)| (word.as_ref(), *term))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, TermId)> {
        self.words.iter().map(|(word, term)| (word.as_ref(), *term))
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.words
            .iter()
            .map(|(word, _)| word.len() + size_of::<(Box<str>, TermId)>())
            .sum()
    }
}

/// The lists of postings in one allocation, each sorted by document.
#[derive(Debug)]
pub(super) struct PostingLists {
    ends: Box<[u32]>,
    /// The number of documents in each list.
    documents: Box<[u32]>,
    all: Box<[Posting]>,
}

impl PostingLists {
    pub(super) fn new(lists: Vec<Vec<Posting>>) -> Self {
        let documents = lists.iter().map(|list| {
            let chunks = list.chunk_by(|one, next| one.place == next.place);
            u32::try_from(chunks.count()).unwrap_or(u32::MAX)
        });
        let documents = documents.collect();
        let mut end = 0;
        let ends = lists.iter().map(|list| {
            end += u32::try_from(list.len()).unwrap_or(u32::MAX);
            end
        });
        Self {
            ends: ends.collect(),
            documents,
            all: lists.concat().into(),
        }
    }

    pub(super) fn get(&self, term: TermId) -> &[Posting] {
        let term = term as usize;
        // The first list begins at 0, and each other one at the end of the list before.
        let start = term.checked_sub(1).map_or(0, |before| {
            self.ends.get(before).map_or(0, |end| *end as usize)
        });
        let end = self.ends.get(term).map_or(start, |end| *end as usize);
        self.all.get(start..end).unwrap_or_default()
    }

    /// Returns the number of documents with a word.
    pub(super) fn documents(&self, term: TermId) -> usize {
        self.documents
            .get(term as usize)
            .map_or(0, |count| *count as usize)
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.ends) + size_of_val(&*self.documents) + size_of_val(&*self.all)
    }
}

/// Collects words and their postings, document by document.
#[derive(Debug, Default)]
pub(super) struct TermCollector {
    words: HashMap<Box<str>, KnownWord>,
    roots: HashMap<Box<str>, TermId>,
    lists: Vec<Vec<Posting>>,
    root: String,
}

#[derive(Debug, Clone, Copy)]
struct KnownWord {
    own: TermId,
    root: TermId,
}

impl TermCollector {
    /// Creates a collector with the documents that `keeps` accepts. Also returns the new terms,
    /// indexed by the old ones.
    pub(super) fn from_index(
        words: &Vocabulary,
        roots: &Vocabulary,
        postings: &PostingLists,
        keeps: impl Fn(u32) -> bool,
    ) -> (Self, Vec<TermId>) {
        let mut collector = Self::default();
        let mut terms = vec![TermId::MAX; postings.ends.len()];
        // A root with a single form shares the list of that form. Both get their own list again,
        // because a changed document may add a second form.
        let kept = |term| {
            postings
                .get(term)
                .iter()
                .filter(|posting| keeps(posting.place))
                .copied()
                .collect::<Vec<_>>()
        };
        for (root, term) in roots.iter() {
            let list = kept(term);
            if !list.is_empty() {
                let new = collector.new_term(list);
                collector.roots.insert(root.into(), new);
                map_term(&mut terms, term, new);
            }
        }
        for (word, term) in words.iter() {
            let list = kept(term);
            // Words are stored without their roots, so each root is computed again.
            super::stem::write_root(word, &mut collector.root);
            if let Some(root) = collector
                .roots
                .get(collector.root.as_str())
                .filter(|_| !list.is_empty())
                .copied()
            {
                let own = collector.new_term(list);
                collector.words.insert(word.into(), KnownWord { own, root });
            }
        }
        (collector, terms)
    }

    /// Adds the words of another collector. Returns the terms of this collector, indexed by the
    /// terms of `other`.
    pub(super) fn absorb(&mut self, other: Self) -> Vec<TermId> {
        let mut terms = vec![TermId::MAX; other.lists.len()];
        // Roots first, because words refer to the new terms of their roots.
        for (root, term) in other.roots {
            let own = self.root_term(&root);
            map_term(&mut terms, term, own);
        }
        for (word, known) in other.words {
            let own = match self.words.get(&word) {
                Some(known) => known.own,
                None => {
                    let own = self.new_term(Vec::new());
                    let root = terms
                        .get(known.root as usize)
                        .copied()
                        .unwrap_or(TermId::MAX);
                    self.words.insert(word, KnownWord { own, root });
                    own
                }
            };
            map_term(&mut terms, known.own, own);
        }
        for (term, list) in terms.iter().zip(other.lists) {
            if let Some(own) = self.lists.get_mut(*term as usize) {
                merge(own, list);
            }
        }
        terms
    }

    /// Records one occurrence, and returns the term of the word's root.
    pub(super) fn record(&mut self, word: &str, place: u32, field: u8) -> TermId {
        let known = match self.words.get(word) {
            Some(known) => *known,
            None => self.learn(word),
        };
        for term in [known.own, known.root] {
            if let Some(list) = self.lists.get_mut(term as usize) {
                count(list, place, field);
            }
        }
        known.root
    }

    fn learn(&mut self, word: &str) -> KnownWord {
        // The buffer is reused for each word, and taken out because `root_term` borrows `self`.
        let mut root = std::mem::take(&mut self.root);
        super::stem::write_root(word, &mut root);
        let known = KnownWord {
            root: self.root_term(&root),
            own: self.new_term(Vec::new()),
        };
        self.root = root;
        self.words.insert(word.into(), known);
        known
    }

    fn root_term(&mut self, root: &str) -> TermId {
        if let Some(term) = self.roots.get(root) {
            return *term;
        }
        let term = self.new_term(Vec::new());
        self.roots.insert(root.into(), term);
        term
    }

    fn new_term(&mut self, list: Vec<Posting>) -> TermId {
        self.lists.push(list);
        u32::try_from(self.lists.len() - 1).unwrap_or(u32::MAX)
    }

    /// Returns the words, their roots, and the postings of both. A root with a single form shares
    /// the list of that form, because both lists would be equal.
    pub(super) fn finish(mut self) -> (Vocabulary, Vocabulary, PostingLists) {
        let mut forms = vec![0_u32; self.lists.len()];
        for known in self.words.values() {
            if let Some(forms) = forms.get_mut(known.root as usize) {
                *forms += 1;
            }
        }
        let mut words = Vec::with_capacity(self.words.len());
        for (word, known) in self.words {
            let is_only = forms.get(known.root as usize) == Some(&1);
            if is_only && let Some(list) = self.lists.get_mut(known.own as usize) {
                list.clear();
            }
            words.push((word, if is_only { known.root } else { known.own }));
        }
        (
            Vocabulary::new(words),
            Vocabulary::new(self.roots),
            PostingLists::new(self.lists),
        )
    }
}

fn map_term(terms: &mut [TermId], from: TermId, to: TermId) {
    if let Some(term) = terms.get_mut(from as usize) {
        *term = to;
    }
}

/// Merges two lists of postings of different documents, sorted by document.
fn merge(list: &mut Vec<Posting>, more: Vec<Posting>) {
    let is_behind = list
        .last()
        .zip(more.first())
        .is_none_or(|(last, first)| last.place < first.place);
    list.extend(more);
    // Most batches arrive in order, so the sort is rarely needed.
    if !is_behind {
        list.sort_by_key(|posting| posting.place);
    }
}

fn count(list: &mut Vec<Posting>, place: u32, field: u8) {
    // Documents are read in order, so the postings of this one are at the end of the list.
    let mut latest = list
        .iter_mut()
        .rev()
        .take_while(|posting| posting.place == place);
    match latest.find(|posting| posting.field == field) {
        // One byte is enough: the score saturates long before 255 occurrences.
        Some(posting) => posting.count = posting.count.saturating_add(1),
        None => list.push(Posting {
            place,
            field,
            count: 1,
        }),
    }
}
