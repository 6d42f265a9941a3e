//! The sources of the served catalog: the catalog compiled from the registry, and the overlay of a
//! directory's texts.

use crate::catalog::Catalog;
#[cfg(feature = "overlay")]
use crate::catalog::overlay::Overlay;
#[cfg(feature = "watch")]
use crate::catalog::overlay::watch::DirectoryWatch;
use std::sync::Arc;

/// The sources of the served catalog.
#[derive(Debug)]
pub(super) struct CatalogSource {
    pub(super) compiled: Arc<Catalog>,
    #[cfg(feature = "overlay")]
    pub(super) overlay: Option<Overlay>,
    #[cfg(feature = "watch")]
    watch: Option<DirectoryWatch>,
    /// The number of the current watch. It increases with each watch, so that a follower of an
    /// earlier watch can detect that it is outdated.
    #[cfg(feature = "watch")]
    generation: u64,
}

impl CatalogSource {
    pub(super) fn new(compiled: Arc<Catalog>) -> Self {
        Self {
            compiled,
            #[cfg(feature = "overlay")]
            overlay: None,
            #[cfg(feature = "watch")]
            watch: None,
            #[cfg(feature = "watch")]
            generation: 0,
        }
    }
}

#[cfg(feature = "watch")]
impl CatalogSource {
    /// Ends the watch, and returns the generation of the next one. An overlay that an earlier
    /// follower was about to apply is dropped.
    pub(super) fn unwatch(&mut self) -> u64 {
        self.watch = None;
        self.generation += 1;
        self.generation
    }

    pub(super) fn watch(&mut self, watch: DirectoryWatch) {
        self.watch = Some(watch);
    }

    /// Returns whether the watch of this generation is still active.
    pub(super) fn is_watched(&self, generation: u64) -> bool {
        self.watch.is_some() && self.generation == generation
    }
}
