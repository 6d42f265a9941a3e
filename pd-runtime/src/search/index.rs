//! The index: built once, read by every search.

use super::{
    document::{Document, FIELDS, Field},
    view::View,
    vocabulary::{Collector, Postings, Term, Vocabulary},
    words::{self, Kind},
};

/// All that is known of a registry's words.
#[derive(Debug)]
pub(crate) struct Index {
    /// Words as they are written.
    pub(super) words: Vocabulary,
    /// What words have in common with their other forms.
    pub(super) roots: Vocabulary,
    pub(super) postings: Postings,
    /// How many words each field of each document has.
    pub(super) lengths: Box<[[u16; FIELDS]]>,
    /// The roots of each document's name.
    pub(super) names: Box<[Box<[Term]>]>,
    everyone: View,
}

impl Index {
    /// The index of these documents; a hit's place is its document's place here.
    pub(crate) fn new(documents: &[Document<'_>]) -> Self {
        let mut collector = Collector::default();
        let mut lengths = Vec::with_capacity(documents.len());
        let mut names = Vec::with_capacity(documents.len());
        for (place, document) in (0..).zip(documents) {
            let (length, name) = read(document, place, &mut collector);
            lengths.push(length);
            names.push(name);
        }
        let (words, roots, postings) = collector.finish();
        let everyone = View::of_all(&lengths);
        Self { words, roots, postings, lengths: lengths.into(), names: names.into(), everyone }
    }

    /// The view of whoever sees everything.
    pub(crate) fn everyone(&self) -> &View {
        &self.everyone
    }

    /// The view of a caller who sees the documents for which `sees` holds: to such a caller there are no others.
    pub(crate) fn view(&self, sees: impl FnMut(usize) -> bool) -> View {
        View::new(&self.lengths, sees)
    }

    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        let names: usize = self.names.iter().map(|name| size_of_val(&**name) + size_of_val(name)).sum();
        self.words.bytes() + self.roots.bytes() + self.postings.bytes() + size_of_val(&*self.lengths) + names
    }
}

fn read(document: &Document<'_>, place: u32, collector: &mut Collector) -> ([u16; FIELDS], Box<[Term]>) {
    let mut lengths = [0_u16; FIELDS];
    let mut name = Vec::new();
    for (field, text) in &document.texts {
        let field = *field as u8;
        words::each(text, &mut |word, kind| {
            let root = collector.note(word, place, field);
            if kind != Kind::Plain {
                return;
            }
            if let Some(length) = lengths.get_mut(usize::from(field)) {
                *length = length.saturating_add(1);
            }
            if field == Field::Name as u8 && !name.contains(&root) {
                name.push(root);
            }
        });
    }
    (lengths, name.into())
}
