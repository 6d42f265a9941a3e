//! Combines a catalog with an overlay. A tool gets a new entry only if its file changed; the other
//! entries are shared.

use super::{Catalog, entry::CatalogEntry};
use crate::{
    catalog::overlay::{Overlay, OverlayFile, OverlayFileError},
    parallel::map_items,
    policy::Policy,
    registry::{problem::RegistryErrorKind, tool_spec::ToolSpec},
};
use std::{collections::HashSet, sync::Arc};

/// The catalog that is served now, and the overlay that it was built with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ServedOverlay<'a> {
    pub(crate) overlay: &'a Overlay,
    pub(crate) served: &'a Catalog,
}

impl Catalog {
    /// Returns the entries of this catalog with an overlay's texts, and the mistakes in the
    /// overlay. If a tool's file has a mistake, the tool keeps its compiled texts. The file then
    /// waits for another registry, as does the file of a tool that does not exist.
    pub(crate) fn entries_under(
        &self,
        overlay: &mut Overlay,
        before: Option<ServedOverlay<'_>>,
        policy: &Policy,
    ) -> (Vec<Arc<CatalogEntry>>, Vec<OverlayFileError>) {
        let names: HashSet<&str> = self.entries.iter().map(|entry| entry.name()).collect();
        let mut mistakes = std::mem::take(&mut overlay.mistakes);
        // Files that fitted no earlier registry may fit this one.
        overlay.files.append(&mut overlay.waiting);
        let unknown: Vec<String> = overlay
            .files
            .keys()
            .filter(|tool| !names.contains(tool.as_str()))
            .cloned()
            .collect();
        for tool in unknown {
            // The server of a tool may not have listed it yet.
            let is_mistake = overlay
                .files
                .get(&tool)
                .filter(|_| !policy.has_changing_tools);
            mistakes
                .extend(is_mistake.map(|file| Overlay::unknown_tool_mistake(&tool, file, &names)));
            overlay.set_aside(&tool);
        }
        let edited = map_items(&self.entries, |entry| {
            let Some(file) = overlay.files.get(entry.name()) else {
                return Ok(entry.clone());
            };
            // An entry from the same file is kept, with its rendered texts and its part of the
            // search index.
            let kept = before.and_then(|before| before.kept(file, entry)).cloned();
            kept.map_or_else(|| self.edit_entry(entry, file, &names, policy), Ok)
        });
        let mut entries = Vec::with_capacity(edited.len());
        for (compiled, edited) in self.entries.iter().zip(edited) {
            entries.push(edited.unwrap_or_else(|problems| {
                mistakes.extend(problems);
                // The overlay keeps a file exactly if its texts are served.
                overlay.set_aside(compiled.name());
                compiled.clone()
            }));
        }
        mistakes.extend(overlay.budget_mistake(
            abouts(&entries),
            abouts(&self.entries),
            self.info.budget,
        ));
        (entries, mistakes)
    }

    fn edit_entry(
        &self,
        compiled: &Arc<CatalogEntry>,
        file: &OverlayFile,
        names: &HashSet<&str>,
        policy: &Policy,
    ) -> Result<Arc<CatalogEntry>, Vec<OverlayFileError>> {
        let unusable = |why| {
            let kind = RegistryErrorKind::BadSchema {
                which: "input",
                why,
            };
            vec![file.mistake("", kind.into())]
        };
        let validator = compiled.validator().map_err(unusable)?;
        let about = file.apply(&compiled.tool.about, validator, names)?;
        let entry = compiled.with_texts(about, &self.tree, policy);
        let entry = entry.map_err(|problem| vec![file.mistake("", problem.kind.into())])?;
        // An overlay that repeats the compiled text changes nothing, so callers keep their
        // disclosures.
        Ok(if entry.has_same_texts(compiled) {
            compiled.clone()
        } else {
            Arc::new(entry)
        })
    }

    /// Counts the entries that look different to callers from this catalog's own entries at the
    /// same places.
    pub(crate) fn count_changed(&self, entries: &[Arc<CatalogEntry>]) -> usize {
        let pairs = self.entries.iter().zip(entries);
        pairs
            .filter(|(own, other)| !Arc::ptr_eq(own, other) && !own.has_same_texts(other))
            .count()
    }

    /// Returns a catalog with other entries at the same places, to be served after `served`.
    pub(crate) fn with_entries(
        &self,
        entries: Vec<Arc<CatalogEntry>>,
        served: &Self,
        policy: &Policy,
    ) -> Arc<Self> {
        let tree = self.tree.clone();
        let root = self.root.clone();
        let mut next = Self::from_entries(
            self.info.clone(),
            entries,
            tree,
            root,
            self.bundles.clone(),
            policy,
            Some(served),
        );
        // After the entries exist, because former digests are compared with the new ones.
        next.take_over(served);
        Arc::new(next)
    }
}

fn abouts(entries: &[Arc<CatalogEntry>]) -> impl Iterator<Item = &ToolSpec> {
    entries.iter().map(|entry| &entry.tool.about)
}

impl<'a> ServedOverlay<'a> {
    /// Returns the entry that was built from exactly this file.
    fn kept(self, file: &Arc<OverlayFile>, entry: &CatalogEntry) -> Option<&'a Arc<CatalogEntry>> {
        let is_same = self
            .overlay
            .files
            .get(entry.name())
            .is_some_and(|known| Arc::ptr_eq(known, file));
        self.served.entries.get(entry.place).filter(|_| is_same)
    }
}
