//! How the catalogue's tools are found: by what callers are told of them.

use super::{Catalogue, entry::Entry};
use crate::{
    parallel::each,
    policy::Model,
    registry::group::Branch,
    search::{
        document::{Document, groups_by_tool},
        searcher::Finder,
    },
};
use std::{collections::HashMap, sync::Arc};

/// Whatever finds tools among these entries: made of all of them, or only of those that an earlier catalogue lacks.
pub(super) fn of(
    entries: &[Arc<Entry>],
    groups: &[Branch],
    model: Option<&Model>,
    earlier: Option<&Catalogue>,
) -> Finder {
    let groups = groups_by_tool(groups);
    match earlier.filter(|earlier| earlier.finder.has_model() == model.is_some()) {
        None => anew(&each(entries, |entry| document(entry, &groups)), model),
        Some(earlier) => {
            let is_known =
                |entry: &Arc<Entry>| earlier.entries.get(entry.place).is_some_and(|own| Arc::ptr_eq(own, entry));
            let news: Vec<_> = entries.iter().filter(|entry| !is_known(entry)).collect();
            let news = each(&news, |entry| (entry.place, document(entry, &groups)));
            earlier.finder.again(entries.len(), &news)
        }
    }
}

fn document<'a>(entry: &'a Entry, groups: &HashMap<&'a str, Vec<&'a Branch>>) -> Document<'a> {
    Document::new(&entry.tool.about, groups.get(entry.name()).map(Vec::as_slice).unwrap_or_default())
}

/// If the model fails, words alone find.
fn anew(documents: &[Document<'_>], model: Option<&Model>) -> Finder {
    let Some(Model(model)) = model else { return Finder::new(documents) };
    Finder::with_model(documents, model.clone()).unwrap_or_else(|error| {
        tracing::warn!(%error, "tools are found by words alone");
        Finder::new(documents)
    })
}
