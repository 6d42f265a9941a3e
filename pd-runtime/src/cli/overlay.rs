//! `--overlay`: a directory with edited descriptions.

use super::CliError;
use crate::{PdServer, ServerBuilder};
use clap::Args;
use rmcp::ServerHandler;
use std::path::{Path, PathBuf};

/// The texts that replace compiled ones.
#[derive(Debug, Clone, Args)]
pub(super) struct OverlayFlags {
    /// A directory with edited descriptions to serve, one JSON file for each tool: a full
    /// description, or any part of one. In schemas, only texts may change. A mistake in any file
    /// ends the command
    #[arg(long, value_name = "DIR")]
    overlay: Option<PathBuf>,
    /// Reload the directory when it changes, for development; while a file contains a mistake, the
    /// last valid texts are served
    #[cfg(feature = "watch")]
    #[arg(long, requires = "overlay")]
    watch: bool,
}

impl OverlayFlags {
    /// Returns whether texts are edited.
    pub(super) const fn is_set(&self) -> bool {
        self.overlay.is_some()
    }

    /// Applies the edited texts to the server.
    ///
    /// # Errors
    ///
    /// Returns every mistake in every file.
    pub(super) fn lay<S, H>(&self, server: &PdServer<S, H>) -> Result<(), CliError>
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
    {
        let Some(directory) = &self.overlay else {
            return Ok(());
        };
        #[cfg(feature = "watch")]
        if self.watch {
            // The watch applies the texts, too, so they are not read a second time.
            server.watch_overlay(directory)?;
            return Ok(());
        }
        server.overlay(directory)?;
        Ok(())
    }
}

/// The texts that replace compiled ones in a command's output.
#[derive(Debug, Clone, Default, Args)]
pub struct OverlayOptions {
    /// Use the edited descriptions in this directory, as `serve --overlay` serves them
    #[arg(long, value_name = "DIR")]
    overlay: Option<PathBuf>,
}

impl OverlayOptions {
    /// Returns the directory with the texts.
    pub(super) fn directory(&self) -> Option<&Path> {
        self.overlay.as_deref()
    }

    /// Builds the server with these texts.
    ///
    /// # Errors
    ///
    /// Returns the errors of the server, or every mistake in every file.
    #[doc(hidden)]
    pub fn build<S, H>(&self, builder: ServerBuilder<S, H>) -> Result<PdServer<S, H>, CliError>
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
    {
        let server = builder.build()?;
        if let Some(directory) = &self.overlay {
            server.overlay(directory)?;
        }
        Ok(server)
    }
}
