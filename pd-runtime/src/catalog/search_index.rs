//! Builds the search index of a catalog from the texts that callers see.

use super::{Catalog, entry::CatalogEntry};
use crate::{
    parallel::map_items,
    policy::EmbeddingModel,
    registry::group::GroupView,
    search::{
        document::{ToolDocument, groups_by_tool},
        searcher::ToolSearcher,
    },
};
use std::{collections::HashMap, sync::Arc};

/// Builds the searcher over these entries. With an earlier catalog, only entries that differ from
/// it are indexed again.
pub(super) fn build(
    entries: &[Arc<CatalogEntry>],
    groups: &[GroupView],
    model: Option<&EmbeddingModel>,
    earlier: Option<&Catalog>,
) -> ToolSearcher {
    let groups = groups_by_tool(groups);
    match earlier.filter(|earlier| earlier.finder.has_model() == model.is_some()) {
        None => build_from_scratch(&map_items(entries, |entry| document(entry, &groups)), model),
        Some(earlier) => {
            // An unchanged entry is the same `Arc` at the same place; comparing texts would cost
            // more than it saves.
            let is_known =
                |entry: &Arc<CatalogEntry>| earlier.entries.get(entry.place).is_some_and(|own| Arc::ptr_eq(own, entry));
            let changed: Vec<_> = entries.iter().filter(|entry| !is_known(entry)).collect();
            let changed = map_items(&changed, |entry| (entry.place, document(entry, &groups)));
            earlier.finder.update(entries.len(), &changed)
        }
    }
}

fn document<'a>(entry: &'a CatalogEntry, groups: &HashMap<&'a str, Vec<&'a GroupView>>) -> ToolDocument<'a> {
    ToolDocument::new(&entry.tool.about, groups.get(entry.name()).map(Vec::as_slice).unwrap_or_default())
}

/// Builds the searcher anew. If the model fails, it searches by words only.
fn build_from_scratch(documents: &[ToolDocument<'_>], model: Option<&EmbeddingModel>) -> ToolSearcher {
    let Some(EmbeddingModel(model)) = model else { return ToolSearcher::new(documents) };
    ToolSearcher::with_model(documents, model.clone()).unwrap_or_else(|error| {
        tracing::warn!(%error, "the embedding model failed; searches use words only");
        ToolSearcher::new(documents)
    })
}
