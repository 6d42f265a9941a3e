//! An entry as its file has it: what a person approves, and the digest of it (`entry_digest.rs`).

use super::entry_context::EntryContext;
use serde_json::Value;
use std::{fmt, sync::Arc};

/// An entry as its file has it. The value can contain secrets, so `Debug` hides it.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct EntrySource {
    value: Arc<Value>,
    context: Arc<EntryContext>,
    digest: String,
}

impl EntrySource {
    /// Creates a source with the digest of all that a person approves.
    pub(super) fn new(value: Value, context: EntryContext, digest: String) -> Self {
        Self {
            value: Arc::new(value),
            context: Arc::new(context),
            digest,
        }
    }

    /// Returns the digest. It is empty if the entry was not read from a file.
    pub(crate) fn digest(&self) -> &str {
        &self.digest
    }

    pub(crate) fn value(&self) -> &Value {
        &self.value
    }

    /// Returns what the entry has from elsewhere.
    pub(crate) fn context(&self) -> &EntryContext {
        &self.context
    }
}

impl fmt::Debug for EntrySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EntrySource")
            .field("digest", &self.digest)
            .finish_non_exhaustive()
    }
}
