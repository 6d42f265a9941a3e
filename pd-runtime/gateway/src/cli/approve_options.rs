//! The arguments of `approve`.

use crate::trust::entry_approvals::WaitingEntry;
use clap::Args;

/// What to approve.
#[derive(Debug, Clone, Args)]
pub(super) struct ApproveOptions {
    /// The server that is approved, with its changes; without it, those of all servers are shown
    pub(super) server: Option<String>,
    /// Its tools and prompts to approve, by name; by default all that is held
    #[arg(value_name = "TOOL")]
    pub(super) tools: Vec<String>,
    /// Show what waits, as of the latest start of each server. Nothing is approved, and no server
    /// is started
    #[arg(long, conflicts_with = "yes")]
    pub(super) list: bool,
    /// Approve without a question; without SERVER, all servers and their changes
    #[arg(long)]
    pub(super) yes: bool,
    /// Print what is held and what was approved as JSON, and ask nothing
    #[arg(long)]
    pub(super) json: bool,
}

impl ApproveOptions {
    /// Returns whether the arguments name what is approved.
    pub(super) fn names_servers(&self) -> bool {
        self.server.is_some() || self.yes
    }

    /// Returns whether the arguments concern an entry. Names of tools concern the tools alone.
    pub(super) fn selects_entry(&self, entry: &WaitingEntry) -> bool {
        self.server
            .as_ref()
            .is_none_or(|server| *server == entry.name)
            && self.tools.is_empty()
    }
}
