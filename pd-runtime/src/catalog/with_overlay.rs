//! A catalogue with an overlay's texts. Entries are made anew for the tools whose files changed; the others are shared.

use super::{Catalogue, entry::Entry};
use crate::{
    catalog::overlay::{File, Overlay, OverlayMistake},
    parallel::each,
    policy::Policy,
    registry::tool_spec::About,
};
use std::{collections::HashSet, sync::Arc};

/// What is served already, and the overlay that it was made with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Before<'a> {
    pub(crate) overlay: &'a Overlay,
    pub(crate) served: &'a Catalogue,
}

impl Catalogue {
    /// The entries of this catalogue with an overlay's texts, and what is wrong with these. A tool whose file has a mistake keeps
    /// the texts of this catalogue, and the overlay forgets the file.
    pub(crate) fn entries_under(
        &self,
        overlay: &mut Overlay,
        before: Option<Before<'_>>,
        policy: &Policy,
    ) -> (Vec<Arc<Entry>>, Vec<OverlayMistake>) {
        let names: HashSet<&str> = self.entries.iter().map(|entry| entry.name()).collect();
        let mut mistakes = std::mem::take(&mut overlay.mistakes);
        overlay.files.retain(|tool, file| {
            let is_known = names.contains(tool.as_str());
            mistakes.extend((!is_known).then(|| Overlay::stranger(tool, file, &names)));
            is_known
        });
        let entry_under = |entry: &Arc<Entry>| {
            let Some(file) = overlay.files.get(entry.name()) else { return Ok(entry.clone()) };
            let kept = before.and_then(|before| before.kept(file, entry)).cloned();
            kept.map_or_else(|| self.entry_under(entry, file, &names, policy), Ok)
        };
        let laid = each(&self.entries, entry_under);
        let mut entries = Vec::with_capacity(laid.len());
        for (compiled, laid) in self.entries.iter().zip(laid) {
            entries.push(laid.unwrap_or_else(|found| {
                mistakes.extend(found);
                overlay.files.remove(compiled.name());
                compiled.clone()
            }));
        }
        mistakes.extend(overlay.over_budget(abouts(&entries), abouts(&self.entries), self.info.budget));
        (entries, mistakes)
    }

    fn entry_under(
        &self,
        compiled: &Arc<Entry>,
        file: &File,
        names: &HashSet<&str>,
        policy: &Policy,
    ) -> Result<Arc<Entry>, Vec<OverlayMistake>> {
        let about = file.lay(&compiled.tool.about, &compiled.validator, names)?;
        let entry = compiled.retold(about, &self.tree, policy);
        let entry = entry.map_err(|problem| vec![file.mistake("", problem.fault.into())])?;
        Ok(if entry.tells_the_same(compiled) { compiled.clone() } else { Arc::new(entry) })
    }

    /// How many of these entries, in the places of its own, tell callers something else.
    pub(crate) fn differing(&self, entries: &[Arc<Entry>]) -> usize {
        let pairs = self.entries.iter().zip(entries);
        pairs.filter(|(own, other)| !Arc::ptr_eq(own, other) && !own.tells_the_same(other)).count()
    }

    /// The same catalogue with other entries in the places of its own, to be served after `served`.
    pub(crate) fn under(&self, entries: Vec<Arc<Entry>>, served: &Self, policy: &Policy) -> Arc<Self> {
        let (tree, root) = (self.tree.clone(), self.root.clone());
        let mut next =
            Self::of_entries(self.info.clone(), entries, tree, root, self.bundles.clone(), policy, Some(served));
        next.succeed(served);
        Arc::new(next)
    }
}

fn abouts(entries: &[Arc<Entry>]) -> impl Iterator<Item = &About> {
    entries.iter().map(|entry| &entry.tool.about)
}

impl<'a> Before<'a> {
    /// The entry that was made of this very file.
    fn kept(self, file: &Arc<File>, entry: &Entry) -> Option<&'a Arc<Entry>> {
        let is_same = self.overlay.files.get(entry.name()).is_some_and(|known| Arc::ptr_eq(known, file));
        self.served.entries.get(entry.place).filter(|_| is_same)
    }
}
