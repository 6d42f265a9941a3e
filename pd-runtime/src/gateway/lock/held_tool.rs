//! Tools that wait for a person's approval.

use super::{TextChange, UpstreamLock, texts};
use crate::{
    gateway::Gateway,
    lockfile::{ContractChanges, LockError, ToolContract},
};
use rmcp::model::JsonObject;
use serde_json::Value;
use std::{fmt, path::Path};

/// A tool of a server that is held until a person approves it.
///
/// The texts are those of the server. Escape them before you show them on a terminal.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HeldTool {
    /// The name of the server's entry.
    pub server: String,
    /// The server's own name of the tool.
    pub tool: String,
    /// Whether no version of the tool was approved before. Then the tool is not offered. Otherwise
    /// it is listed as approved, and its calls are refused.
    pub is_new: bool,
    /// The changes of the contract since it was approved. Empty for a new tool.
    pub changes: ContractChanges,
    /// The texts that changed, at most 200.
    pub texts: Vec<TextChange>,
    listed: ToolContract,
}

/// Writes one line without texts of the server, except for the tool's name.
impl fmt::Display for HeldTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { server, tool, .. } = self;
        let state = if self.is_new { "is new" } else { "has changed since it was approved" };
        write!(f, "`{tool}` of `{server}` {state}; review this with `pd-gateway approve {server}`")
    }
}

impl HeldTool {
    pub(super) fn new(server: &str, approved: Option<&Value>, listed: &Value) -> Option<Self> {
        let mut listed = ToolContract::from_definition(listed)?;
        let approved = approved.and_then(ToolContract::from_definition);
        if let Some(approved) = &approved {
            listed = listed.with_annotations_of(approved);
        }
        let none = JsonObject::new();
        Some(Self {
            server: server.to_owned(),
            tool: listed.name().to_owned(),
            is_new: approved.is_none(),
            changes: approved.as_ref().map(|approved| approved.changes_to(&listed)).unwrap_or_default(),
            texts: texts::compare(approved.as_ref().map_or(&none, ToolContract::facts), listed.facts()),
            listed,
        })
    }
}

impl Gateway {
    /// Keeps the tools that were approved in this file. [`GatewayConfig::lock_path`] returns its
    /// default place. Clones of the gateway use the file, too. A second call has no effect.
    ///
    /// At the first use of a server, all its tools are approved. Later, a tool is
    /// [held](Self::held) if it is new, if a change breaks its callers, or if a text of it changed.
    /// Other changes are approved, and logged. [`ServerSettings::trust`] of a server relaxes this.
    ///
    /// If the file cannot be written, approvals last as long as the gateway.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, or is not a lock of this version.
    ///
    /// [`GatewayConfig::lock_path`]: super::super::GatewayConfig::lock_path
    /// [`ServerSettings::trust`]: super::super::ServerSettings::trust
    pub fn with_lock(self, path: impl AsRef<Path>) -> Result<Self, LockError> {
        if self.shared.set_lock(UpstreamLock::open(path.as_ref())?) {
            self.upstreams().iter().try_for_each(|upstream| upstream.review_again().map(drop))?;
        }
        Ok(self)
    }

    /// Returns the tools that wait for a person's approval. Tools that the settings leave out are not
    /// among them.
    pub fn held(&self) -> Vec<HeldTool> {
        self.upstreams().iter().flat_map(|upstream| upstream.held_tools()).collect()
    }

    /// Approves tools of [`held`](Self::held) as they were when it was called. A server that has
    /// changed a tool in between has it held again.
    ///
    /// # Errors
    ///
    /// Returns an error if the lock cannot be read or written.
    pub fn approve<'a>(&self, tools: impl IntoIterator<Item = &'a HeldTool>) -> Result<(), LockError> {
        let tools: Vec<&HeldTool> = tools.into_iter().collect();
        for upstream in self.upstreams().iter() {
            let own = tools.iter().filter(|held| held.server == upstream.name());
            let contracts: Vec<_> = own.map(|held| held.listed.clone()).collect();
            if let Some(lock) = self.shared.lock()
                && !contracts.is_empty()
            {
                lock.approve(upstream.name(), contracts)?;
            }
        }
        self.review_again()
    }

    /// Applies approvals of another process.
    pub(in crate::gateway) fn reload_lock(&self) {
        if self.shared.lock().is_some_and(UpstreamLock::was_replaced)
            && let Err(error) = self.review_again()
        {
            tracing::warn!(%error, "the former approvals stay");
        }
    }

    fn review_again(&self) -> Result<(), LockError> {
        let mut is_changed = false;
        for upstream in self.upstreams().iter() {
            is_changed |= upstream.review_again()?;
        }
        if is_changed {
            self.changed.send_modify(|changes| *changes += 1);
        }
        Ok(())
    }
}
