//! Laying a directory's texts over what the registry makes, at once and whenever either changes.

use super::{catalog_source::Ground, shared_state::Served};
#[cfg(feature = "watch")]
use crate::catalog::overlay::watch::Watch;
use crate::catalog::{
    Catalogue,
    overlay::{Overlay, OverlayError},
    with_overlay::Before,
};

use arc_swap::Guard;
use std::{path::Path, sync::Arc, thread};

impl Served {
    /// Puts another catalogue in the place of the compiled one. Texts that do not fit it are left out, and told of.
    pub(super) fn replace(&self, mut compiled: Catalogue) {
        let mut ground = self.ground();
        let served = self.catalogue();
        compiled.succeed(&served);
        ground.compiled = Arc::new(compiled);
        let Ground { compiled, overlay, .. } = &mut *ground;
        let Some(overlay) = overlay else { return self.serve(compiled.clone()) };
        let (entries, mistakes) = compiled.entries_under(overlay, None, &self.policy);
        if let Err(error) = OverlayError::none_of(&overlay.directory, mistakes) {
            tracing::warn!(target: "pd_runtime::overlay", "{error}\nwhat fits the new registry stays");
        }
        self.serve(compiled.under(entries, &served, &self.policy));
    }

    /// Lays a directory's texts over the compiled catalogue: all or nothing. Says how many tools callers are now told other things
    /// of. Nothing is watched any more.
    pub(super) fn overlay(&self, directory: &Path) -> Result<usize, OverlayError> {
        let mut ground = self.ground();
        #[cfg(feature = "watch")]
        ground.unwatch();
        self.lay(&mut ground, directory)
    }

    fn lay(&self, ground: &mut Ground, directory: &Path) -> Result<usize, OverlayError> {
        let mut overlay = Overlay::read(directory, ground.overlay.as_ref())?;
        let served = self.catalogue();
        let before = ground.overlay.as_ref().map(|overlay| Before { overlay, served: &served });
        let (entries, mistakes) = ground.compiled.entries_under(&mut overlay, before, &self.policy);
        OverlayError::none_of(directory, mistakes)?;
        let changed = served.differing(&entries);
        if changed > 0 {
            self.serve(ground.compiled.under(entries, &served, &self.policy));
        }
        forget((ground.overlay.replace(overlay), Guard::into_inner(served)));
        Ok(changed)
    }
}

/// Frees what is not served any more, on a thread of its own: of many tools that takes a tenth as long as to make it.
fn forget(old: impl Send + 'static) {
    // Without a thread it is freed here.
    drop(thread::Builder::new().name("pd-overlay-old".to_owned()).spawn(move || drop(old)));
}

#[cfg(feature = "watch")]
impl Served {
    /// The same, and again whenever the directory changes.
    pub(super) fn watch_overlay(self: &Arc<Self>, directory: &Path) -> Result<usize, OverlayError> {
        // Locked until all is done, so that no follower of an earlier watch lays its directory in between.
        let mut ground = self.ground();
        let generation = ground.unwatch();
        // Watched first, so that what changes while it is read for the first time is not missed.
        let watch = Watch::start(directory, follower(self, directory, generation));
        let watch = watch.map_err(|fault| OverlayError::of_directory(directory, fault))?;
        let changed = self.lay(&mut ground, directory)?;
        ground.watch(watch);
        Ok(changed)
    }

    /// Lays the directory again, unless another has been laid or watched since; `None` then.
    pub(crate) fn lay_again(&self, directory: &Path, generation: u64) -> Option<Result<usize, OverlayError>> {
        let mut ground = self.ground();
        ground.is_watched(generation).then(|| self.lay(&mut ground, directory))
    }
}

/// Follows a directory for as long as the server lives. What was told before and still holds is not told again.
#[cfg(feature = "watch")]
fn follower(served: &Arc<Served>, directory: &Path, generation: u64) -> impl FnMut() + Send + 'static {
    let (served, directory) = (Arc::downgrade(served), directory.to_owned());
    let mut told = None;
    move || {
        let Some(served) = served.upgrade() else { return };
        let Some(laid) = served.lay_again(&directory, generation) else { return };
        match laid {
            Ok(0) if told.is_none() => {}
            Ok(changed) => {
                told = None;
                let directory = directory.display();
                tracing::info!(target: "pd_runtime::overlay", "{directory} changed: {changed} tools are told of differently");
            }
            Err(error) if told.as_ref() == Some(&error) => {}
            Err(error) => {
                tracing::warn!(target: "pd_runtime::overlay", "{error}\nthe last good texts stay");
                told = Some(error);
            }
        }
    }
}
