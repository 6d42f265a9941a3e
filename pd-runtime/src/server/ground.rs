//! What the served catalogue is made of: the one that the registry makes, and a directory's texts over it.

#[cfg(feature = "watch")]
use crate::overlay::watch::Watch;
use crate::{catalogue::Catalogue, overlay::Overlay};
use std::sync::Arc;

/// The parts of the served catalogue.
#[derive(Debug)]
pub(super) struct Ground {
    pub(super) compiled: Arc<Catalogue>,
    pub(super) overlay: Option<Overlay>,
    #[cfg(feature = "watch")]
    pub(super) watch: Option<Watch>,
}

impl Ground {
    pub(super) fn new(compiled: Arc<Catalogue>) -> Self {
        Self {
            compiled,
            overlay: None,
            #[cfg(feature = "watch")]
            watch: None,
        }
    }
}
