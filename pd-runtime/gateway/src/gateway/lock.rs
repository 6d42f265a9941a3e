//! The lock of a gateway: what is held, and its approval.

use super::Gateway;
use crate::trust::lock::{HeldKind, HeldTool, UpstreamLock};
use pd_runtime::{check::LockError, upstream::ToolContract};
use std::{path::Path, sync::Arc};

impl Gateway {
    /// Keeps what was approved in this file: tools, prompts, resource templates, and what servers
    /// say about themselves. [`GatewayConfig::lock_path`] returns its default place. Clones of the
    /// gateway use the file, too. A second call has no effect.
    ///
    /// At the first use of a server, all that it lists is approved. Later, a tool is
    /// [held](Self::held) if it is new, if a change breaks its callers, or if a text of it changed.
    /// The same applies to prompts, templates and texts. Other changes are approved, and logged.
    /// [`ServerSettings::trust`] of a server relaxes this.
    ///
    /// If the file cannot be written, approvals last as long as the gateway.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, or is not a lock of this version.
    ///
    /// [`GatewayConfig::lock_path`]: crate::GatewayConfig::lock_path
    /// [`ServerSettings::trust`]: crate::ServerSettings::trust
    pub fn with_lock(self, path: impl AsRef<Path>) -> Result<Self, LockError> {
        self.with_opened_lock(UpstreamLock::open(path.as_ref())?)
    }

    fn with_opened_lock(self, lock: Arc<UpstreamLock>) -> Result<Self, LockError> {
        // The lists of an earlier run were read from disk before there was a lock.
        if self.shared.set_lock(lock) {
            self.upstreams()
                .iter()
                .try_for_each(|upstream| upstream.review_again().map(drop))?;
        }
        Ok(self)
    }

    /// Does the same as [`with_lock`](Self::with_lock) with a gateway that is created while the
    /// file is read. Both parse what every server lists.
    #[cfg(feature = "cli")]
    pub(crate) fn create_with_lock(
        create: impl FnOnce() -> Self,
        path: &Path,
    ) -> Result<Self, LockError> {
        std::thread::scope(|scope| {
            let opening = scope.spawn(|| UpstreamLock::open(path));
            let gateway = create();
            gateway.with_opened_lock(
                opening
                    .join()
                    // A panic of the thread is one of the caller, as without a thread.
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))?,
            )
        })
    }

    /// Returns the tools and other texts that wait for a person's approval. Tools that the settings
    /// leave out are not among them.
    pub fn held(&self) -> Vec<HeldTool> {
        self.upstreams()
            .iter()
            .flat_map(|upstream| upstream.held_tools())
            .collect()
    }

    /// Returns why approvals could not be written last.
    #[cfg(feature = "cli")]
    pub(crate) fn lock_write_error(&self) -> Option<String> {
        self.shared.lock().and_then(|lock| lock.write_error())
    }

    /// Approves tools of [`held`](Self::held) as they were when it was called. A server that has
    /// changed a tool in between has it held again.
    ///
    /// # Errors
    ///
    /// Returns an error if the lock cannot be read or written.
    pub fn approve<'a>(
        &self,
        tools: impl IntoIterator<Item = &'a HeldTool>,
    ) -> Result<(), LockError> {
        let tools: Vec<&HeldTool> = tools.into_iter().collect();
        for upstream in self.upstreams().iter() {
            let own = tools.iter().filter(|held| held.server == upstream.name());
            let (tools, texts): (Vec<_>, Vec<_>) =
                own.copied().partition(|held| held.kind == HeldKind::Tool);
            if let Some(lock) = self.shared.lock()
                && !(tools.is_empty() && texts.is_empty())
            {
                lock.approve(upstream.name(), contracts_of(&tools), contracts_of(&texts))?;
            }
        }
        self.review_again()
    }

    /// Applies approvals of another process.
    pub(crate) fn reload_lock(&self) {
        if self.shared.lock().is_some_and(|lock| lock.was_replaced())
            && let Err(error) = self.review_again()
        {
            tracing::warn!(%error, "the former approvals stay");
        }
    }

    /// Compares what is listed with the lock once more.
    pub(crate) fn review_again(&self) -> Result<(), LockError> {
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

fn contracts_of(held: &[&HeldTool]) -> Vec<ToolContract> {
    held.iter().map(|held| held.listed.clone()).collect()
}
