//! What the served catalogue is made of: the one that the registry makes, and a directory's texts over it.

#[cfg(feature = "watch")]
use crate::catalog::overlay::watch::Watch;
use crate::catalog::{Catalogue, overlay::Overlay};
use std::sync::Arc;

/// The parts of the served catalogue.
#[derive(Debug)]
pub(super) struct Ground {
    pub(super) compiled: Arc<Catalogue>,
    pub(super) overlay: Option<Overlay>,
    #[cfg(feature = "watch")]
    watch: Option<Watch>,
    /// Which watch this is, of all that there were.
    #[cfg(feature = "watch")]
    generation: u64,
}

impl Ground {
    pub(super) fn new(compiled: Arc<Catalogue>) -> Self {
        Self {
            compiled,
            overlay: None,
            #[cfg(feature = "watch")]
            watch: None,
            #[cfg(feature = "watch")]
            generation: 0,
        }
    }
}

#[cfg(feature = "watch")]
impl Ground {
    /// Ends the watch, and gives the generation of the next. What a follower was about to lay is not laid any more.
    pub(super) fn unwatch(&mut self) -> u64 {
        self.watch = None;
        self.generation += 1;
        self.generation
    }

    pub(super) fn watch(&mut self, watch: Watch) {
        self.watch = Some(watch);
    }

    /// Whether the watch of this generation goes on.
    pub(super) fn is_watched(&self, generation: u64) -> bool {
        self.watch.is_some() && self.generation == generation
    }
}
