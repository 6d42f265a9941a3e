//! `--overlay`: a directory with edited descriptions, and whether it is followed.

use super::CliError;
use crate::{PdServer, ServerBuilder};
use clap::Args;
use rmcp::ServerHandler;
use std::path::PathBuf;

/// Which texts are served over those that were compiled.
#[derive(Debug, Clone, Args)]
pub(super) struct OverlayFlags {
    /// A directory with edited descriptions to serve, one JSON file a tool: a full description, or any part of one. Schemas keep
    /// all but their texts. A mistake in any file ends the command
    #[arg(long, value_name = "DIR")]
    overlay: Option<PathBuf>,
    /// Follow changes in that directory, for development; while a file has a mistake, the last good texts stay
    #[cfg(feature = "watch")]
    #[arg(long, requires = "overlay")]
    watch: bool,
}

impl OverlayFlags {
    /// Lays the texts over what this server serves.
    ///
    /// # Errors
    ///
    /// Every mistake in every file.
    pub(super) fn lay<S, H>(&self, server: &PdServer<S, H>) -> Result<(), CliError>
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
    {
        let Some(directory) = &self.overlay else { return Ok(()) };
        #[cfg(feature = "watch")]
        if self.watch {
            server.watch_overlay(directory)?;
            return Ok(());
        }
        server.overlay(directory)?;
        Ok(())
    }
}

/// Which texts a command shows over those that were compiled.
#[derive(Debug, Clone, Default, Args)]
pub struct OverlayOptions {
    /// With the edited descriptions in this directory, as `serve --overlay` would serve them
    #[arg(long, value_name = "DIR")]
    overlay: Option<PathBuf>,
}

impl OverlayOptions {
    /// The server, with these texts.
    ///
    /// # Errors
    ///
    /// What is wrong with the server, or every mistake in every file.
    pub(super) fn build<S, H>(&self, builder: ServerBuilder<S, H>) -> Result<PdServer<S, H>, CliError>
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
