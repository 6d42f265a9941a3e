//! The methods of features that are off. A call of one does not compile, and the error names the
//! feature, where rustc alone would report an unknown method.

use crate::Registry;
use std::path::Path;

/// Implemented by nothing.
#[diagnostic::on_unimplemented(
    message = "enable the feature \"export\" of pd-runtime to write a registry as files",
    label = "this method needs the feature \"export\"",
    note = "in Cargo.toml: `pd-runtime = {{ …, features = [\"export\"] }}`; the feature `cli` includes it"
)]
pub trait ExportFeature {}

/// Implemented by nothing.
#[diagnostic::on_unimplemented(
    message = "enable the feature \"lock\" of pd-runtime to compare contracts with those of a file",
    label = "this method needs the feature \"lock\"",
    note = "in Cargo.toml: `pd-runtime = {{ …, features = [\"lock\"] }}`; the feature `cli` includes it"
)]
pub trait LockFeature {}

/// Implemented by nothing.
#[diagnostic::on_unimplemented(
    message = "enable the feature \"overlay\" of pd-runtime to serve edited descriptions",
    label = "this method needs the feature \"overlay\"",
    note = "in Cargo.toml: `pd-runtime = {{ …, features = [\"overlay\"] }}`; the feature `cli` includes it"
)]
pub trait OverlayFeature {}

/// Implemented by nothing.
#[diagnostic::on_unimplemented(
    message = "enable the feature \"presets\" of pd-runtime to offer the meta-tools of another system",
    label = "this method needs the feature \"presets\"",
    note = "in Cargo.toml: `pd-runtime = {{ …, features = [\"presets\"] }}`; the feature `cli` includes it"
)]
pub trait PresetsFeature {}

#[cfg(not(feature = "presets"))]
impl<S, H> crate::ServerBuilder<S, H> {
    #[doc(hidden)]
    #[must_use]
    pub fn preset<P>(self, _: P) -> Self
    where
        Self: PresetsFeature,
    {
        self
    }
}

#[cfg(not(feature = "export"))]
impl<S: 'static> Registry<S> {
    #[doc(hidden)]
    pub fn export<F>(&self, _: F, _: impl AsRef<Path>) -> Result<(), std::io::Error>
    where
        Self: ExportFeature,
    {
        Ok(())
    }

    #[doc(hidden)]
    pub fn export_over_edits<F>(&self, _: F, _: impl AsRef<Path>) -> Result<(), std::io::Error>
    where
        Self: ExportFeature,
    {
        Ok(())
    }
}

#[cfg(not(feature = "lock"))]
impl<S: 'static> Registry<S> {
    #[doc(hidden)]
    pub fn lock(&self) -> Result<(), std::io::Error>
    where
        Self: LockFeature,
    {
        Ok(())
    }

    #[doc(hidden)]
    pub fn check_lock(&self, _: impl AsRef<Path>) -> Result<(), std::io::Error>
    where
        Self: LockFeature,
    {
        Ok(())
    }
}

#[cfg(not(feature = "overlay"))]
impl<S: 'static> Registry<S> {
    #[doc(hidden)]
    pub fn overlaid(&self, _: impl AsRef<Path>) -> Result<(), std::io::Error>
    where
        Self: OverlayFeature,
    {
        Ok(())
    }
}

#[cfg(not(feature = "overlay"))]
impl<S, H> crate::PdServer<S, H> {
    #[doc(hidden)]
    pub fn overlay(&self, _: impl AsRef<Path>) -> Result<usize, std::io::Error>
    where
        Self: OverlayFeature,
    {
        Ok(0)
    }
}
