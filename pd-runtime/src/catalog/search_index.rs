//! Builds the search index of a catalog from the texts that callers see.

use super::{Catalog, entry::CatalogEntry};
use crate::{
    parallel::map_items,
    policy::{EmbeddingModel, Policy},
    registry::group::GroupView,
    search::{
        document::{ToolDocument, groups_by_tool},
        searcher::ToolSearcher,
    },
};
use parking_lot::Mutex;
use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

/// Builds the searcher over these entries if it must not wait for the first search. That is so with
/// a model, which takes long, and if an earlier catalog was searched. In the latter
/// case, only entries that differ are indexed again.
pub(super) fn build_early(
    entries: &[Arc<CatalogEntry>],
    groups: &[GroupView],
    model: Option<&EmbeddingModel>,
    earlier: Option<&Catalog>,
) -> Option<ToolSearcher> {
    // Only a searcher in use is updated: a gateway replaces its catalog often while its servers
    // start, and each time would wait for the update.
    let earlier = earlier.filter(|earlier| model.is_some() || earlier.is_searched());
    let searcher = earlier.and_then(|earlier| Some((earlier, earlier.finder.get()?)));
    let Some((earlier, searcher)) =
        searcher.filter(|(_, searcher)| searcher.has_model() == model.is_some())
    else {
        return model.map(|model| build(entries, groups, Some(model)));
    };
    // An unchanged entry is the same `Arc` at the same place; comparing texts would cost more than
    // it saves.
    let is_known = |entry: &Arc<CatalogEntry>| {
        earlier
            .entries
            .get(entry.place)
            .is_some_and(|own| Arc::ptr_eq(own, entry))
    };
    let changed: Vec<_> = entries.iter().filter(|entry| !is_known(entry)).collect();
    let groups = groups_by_tool(groups);
    let changed = map_items(&changed, |entry| (entry.place, document(entry, &groups)));
    Some(searcher.update(entries.len(), &changed))
}

/// Builds the searcher over these entries. If the model fails, it searches by words only.
pub(super) fn build(
    entries: &[Arc<CatalogEntry>],
    groups: &[GroupView],
    model: Option<&EmbeddingModel>,
) -> ToolSearcher {
    let groups = groups_by_tool(groups);
    let documents = map_items(entries, |entry| document(entry, &groups));
    let Some(EmbeddingModel { model, .. }) = model else {
        return ToolSearcher::new(&documents);
    };
    ToolSearcher::with_model(&documents, model.clone()).unwrap_or_else(|error| {
        tracing::warn!(%error, "the embedding model failed; searches use words only");
        ToolSearcher::new(&documents)
    })
}

/// A search index with vectors, which a thread in the background builds.
#[derive(Debug)]
pub(super) struct MeaningIndex {
    model: Option<EmbeddingModel>,
    /// The index of an earlier catalog, whose vectors are reused.
    earlier: Mutex<Option<Arc<ToolSearcher>>>,
    /// `None` if the model failed.
    built: OnceLock<Option<Arc<ToolSearcher>>>,
}

impl MeaningIndex {
    pub(super) fn new(policy: &Policy, earlier: Option<&Self>) -> Self {
        let known = |earlier: &Self| {
            earlier
                .get()
                .cloned()
                .or_else(|| earlier.earlier.lock().clone())
        };
        Self {
            model: policy.model.clone().filter(|model| model.is_late),
            earlier: Mutex::new(earlier.and_then(known)),
            built: OnceLock::new(),
        }
    }

    pub(super) fn get(&self) -> Option<&Arc<ToolSearcher>> {
        self.built.get()?.as_ref()
    }

    pub(super) fn is_awaited(&self) -> bool {
        self.model.is_some() && self.built.get().is_none()
    }

    pub(super) fn build(
        &self,
        entries: &[Arc<CatalogEntry>],
        groups: &[GroupView],
        words: &ToolSearcher,
    ) {
        let Some(EmbeddingModel { model, .. }) = &self.model else {
            return;
        };
        self.built.get_or_init(|| {
            let groups = groups_by_tool(groups);
            let documents = map_items(entries, |entry| document(entry, &groups));
            let earlier = self.earlier.lock().take();
            words
                .with_meanings(&documents, model.clone(), earlier.as_deref())
                .inspect_err(|error| {
                    tracing::warn!(%error, "the embedding model failed; searches use words only");
                })
                .ok()
                .map(Arc::new)
        });
    }
}

fn document<'a>(
    entry: &'a CatalogEntry,
    groups: &HashMap<&'a str, Vec<&'a GroupView>>,
) -> ToolDocument<'a> {
    ToolDocument::new(
        &entry.tool.about,
        groups
            .get(entry.name())
            .map(Vec::as_slice)
            .unwrap_or_default(),
    )
}
