//! Tools and other texts that wait for a person's approval.

use super::{TextChange, UpstreamLock, texts};
use crate::Gateway;
use pd_runtime::{
    check::{ContractChanges, LockError},
    upstream::ToolContract,
};
use rmcp::model::JsonObject;
use serde_json::Value;
use std::{fmt, path::Path};

/// What a server has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeldKind {
    /// A tool.
    Tool,
    /// A prompt.
    Prompt,
    /// A resource template.
    ResourceTemplate,
    /// Its title, description or instructions.
    Server,
}

impl HeldKind {
    /// Returns the words for the kind.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Prompt => "prompt",
            Self::ResourceTemplate => "resource template",
            Self::Server => "server",
        }
    }
}

/// A tool of a server, or another text of it, that is held until a person approves it.
///
/// The texts come from the server. Escape them before you show them on a terminal.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HeldTool {
    /// The name of the server's entry.
    pub server: String,
    /// What has changed.
    pub kind: HeldKind,
    /// The server's own name of the tool or prompt, the URI template, or the name of the server's
    /// entry.
    pub tool: String,
    /// Whether no version was approved before. Then it is not offered. Otherwise it is listed as
    /// approved, and its calls are refused.
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
        match self.kind {
            HeldKind::Tool => write!(f, "`{tool}` of `{server}`")?,
            HeldKind::Server => write!(f, "what `{server}` says about itself")?,
            kind => write!(f, "the {} `{tool}` of `{server}`", kind.as_str())?,
        }
        let state = if self.is_new {
            "is new"
        } else {
            "has changed since it was approved"
        };
        write!(
            f,
            " {state}; review this with `pd-gateway approve {server}`"
        )
    }
}

impl HeldTool {
    pub(super) fn new(
        server: &str,
        kind: HeldKind,
        approved: Option<&ToolContract>,
        listed: &Value,
    ) -> Option<Self> {
        let mut listed = ToolContract::from_definition(listed)?;
        // Compared as the review compares it, so that a person sees only what is held.
        if let Some(approved) = approved {
            listed = listed.with_omissions_of(approved);
        }
        let none = JsonObject::new();
        let texts = texts::compare(approved.map_or(&none, ToolContract::facts), listed.facts());
        let beginning = if kind == HeldKind::Tool {
            String::new()
        } else {
            format!("{} ", kind.as_str())
        };
        Some(Self {
            server: server.to_owned(),
            kind,
            tool: listed.name().strip_prefix(&beginning)?.to_owned(),
            is_new: approved.is_none(),
            // What a server says about itself is texts alone, which are shown anyway.
            changes: approved
                .filter(|_| kind != HeldKind::Server)
                .map(|approved| approved.changes_to(&listed))
                .unwrap_or_default(),
            texts: texts
                .into_iter()
                .map(|text| with_own_place(kind, text))
                .collect(),
            listed,
        })
    }
}

/// Returns a text with the place that it has in the server's own list.
fn with_own_place(kind: HeldKind, mut text: TextChange) -> TextChange {
    if kind != HeldKind::Tool {
        let place = text
            .place
            .trim_start_matches("otherKeys/")
            .trim_start_matches("more/");
        text.place = place.replacen("inputSchema/properties/", "arguments/", 1);
    }
    text
}

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

    fn with_opened_lock(self, lock: UpstreamLock) -> Result<Self, LockError> {
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
        self.shared.lock().and_then(UpstreamLock::write_error)
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
        if self.shared.lock().is_some_and(UpstreamLock::was_replaced)
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
