//! Applies a directory's texts over the catalog compiled from the registry, at once and whenever
//! either of the two changes.

use super::{catalog_source::CatalogSource, server_core::ServerCore};
#[cfg(feature = "watch")]
use crate::catalog::overlay::watch::DirectoryWatch;
use crate::catalog::{
    Catalog,
    overlay::{Overlay, OverlayError},
    with_overlay::ServedOverlay,
};

use arc_swap::Guard;
use std::{path::Path, sync::Arc, thread};

impl ServerCore {
    /// Returns the compiled catalog with the overlay's texts. Texts that do not fit it are left
    /// out, and logged.
    pub(super) fn edited_catalog(
        &self,
        sources: &mut CatalogSource,
        served: &Catalog,
    ) -> Arc<Catalog> {
        let CatalogSource {
            compiled, overlay, ..
        } = sources;
        let Some(overlay) = overlay else {
            return compiled.clone();
        };
        let (entries, mistakes) = compiled.entries_under(overlay, None, &self.policy);
        if let Err(error) = OverlayError::none_of(&overlay.directory, mistakes) {
            tracing::warn!(target: "pd_runtime::overlay", "{error}\ntexts that fit the new registry stay");
        }
        compiled.with_entries(entries, served, &self.policy)
    }

    /// Applies a directory's texts over the compiled catalog, all or nothing, and ends any watch.
    /// Returns the number of tools with a changed text for callers.
    pub(super) fn overlay(&self, directory: &Path) -> Result<usize, OverlayError> {
        let mut sources = self.sources();
        #[cfg(feature = "watch")]
        sources.unwatch();
        self.apply(&mut sources, directory)
    }

    /// Reads the directory and serves it over the compiled catalog. On error the served catalog
    /// stays as it is.
    fn apply(&self, sources: &mut CatalogSource, directory: &Path) -> Result<usize, OverlayError> {
        let mut overlay = Overlay::read(directory, sources.overlay.as_ref())?;
        let served = self.catalog();
        // Entries of unchanged files are shared with the served catalog: a reload rebuilds only
        // what differs.
        let before = sources.overlay.as_ref().map(|overlay| ServedOverlay {
            overlay,
            served: &served,
        });
        let (entries, mistakes) =
            sources
                .compiled
                .entries_under(&mut overlay, before, &self.policy);
        // All mistakes are reported together, and before anything changes.
        OverlayError::none_of(directory, mistakes)?;
        if !overlay.waiting.is_empty() {
            let tools: Vec<&String> = overlay.waiting.keys().collect();
            tracing::warn!(target: "pd_runtime::overlay", ?tools, "no server lists these tools of the overlay yet");
        }
        let changed = served.count_changed(&entries);
        // Serving equal entries again would send `list_changed` and reset the clients' caches for
        // nothing.
        if changed > 0 {
            self.serve(
                sources
                    .compiled
                    .with_entries(entries, &served, &self.policy),
            );
        }
        drop_in_background((sources.overlay.replace(overlay), Guard::into_inner(served)));
        Ok(changed)
    }
}

/// Frees a catalog that the server has replaced, on its own thread: with many tools, freeing takes
/// a tenth of the time of building.
fn drop_in_background(old: impl Send + 'static) {
    // If the system has no thread left, the closure is dropped here and frees the catalog with it.
    drop(
        thread::Builder::new()
            .name("pd-overlay-old".to_owned())
            .spawn(move || drop(old)),
    );
}

#[cfg(feature = "watch")]
impl ServerCore {
    /// Applies a directory's texts as `overlay` does, and applies them again whenever the directory
    /// changes.
    pub(super) fn watch_overlay(self: &Arc<Self>, directory: &Path) -> Result<usize, OverlayError> {
        // Locked to the end, so that no follower of an earlier watch applies its directory in
        // between.
        let mut sources = self.sources();
        let generation = sources.unwatch();
        // The watch starts before the first read, so that no change during that read is missed.
        let watch = DirectoryWatch::start(directory, follower(self, directory, generation));
        let watch = watch.map_err(|fault| OverlayError::of_directory(directory, fault))?;
        let changed = self.apply(&mut sources, directory)?;
        sources.watch(watch);
        Ok(changed)
    }

    /// Applies the directory again. Returns `None` if another directory has been applied or watched
    /// in the meantime.
    pub(crate) fn reapply_overlay(
        &self,
        directory: &Path,
        generation: u64,
    ) -> Option<Result<usize, OverlayError>> {
        let mut sources = self.sources();
        sources
            .is_watched(generation)
            .then(|| self.apply(&mut sources, directory))
    }
}

/// Returns the callback of a watch, which follows a directory for as long as the server lives. It
/// logs an error only once while the same error persists.
#[cfg(feature = "watch")]
fn follower(
    served: &Arc<ServerCore>,
    directory: &Path,
    generation: u64,
) -> impl FnMut() + Send + 'static {
    // A weak reference: the watch belongs to the server's state, and a strong one would keep both
    // alive forever.
    let served = Arc::downgrade(served);
    let directory = directory.to_owned();
    let mut reported = None;
    move || {
        let Some(served) = served.upgrade() else {
            return;
        };
        let Some(outcome) = served.reapply_overlay(&directory, generation) else {
            return;
        };
        match outcome {
            // After an error, a reload without changes is logged too and clears the error, so that
            // the same error is logged again when it returns.
            Ok(0) if reported.is_none() => {}
            Ok(changed) => {
                reported = None;
                let directory = directory.display();
                tracing::info!(target: "pd_runtime::overlay", "{directory} changed: {changed} tools have new texts");
            }
            Err(error) if reported.as_ref() == Some(&error) => {}
            Err(error) => {
                tracing::warn!(target: "pd_runtime::overlay", "{error}\nthe last good texts stay");
                reported = Some(error);
            }
        }
    }
}
