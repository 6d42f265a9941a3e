//! Large texts, which their callers read on in by a handle.

use super::{
    DataPlaneRuntime,
    store::{ResultKey, ResultStoreError, StoredBody},
};
use crate::protocol::quota_key::QuotaKey;
use sha2::{Digest, Sha256};
use std::{sync::Arc, time::Duration};

impl DataPlaneRuntime {
    /// Stores a text under a handle, for the caller with these bytes of identity. Returns whether it
    /// was stored: there may be no room, or the store may have failed.
    pub(crate) async fn keep_text(
        &self,
        handle: &str,
        text: Arc<str>,
        owner: &[u8],
        payer: QuotaKey<'_>,
    ) -> bool {
        let bytes = text.len();
        if bytes > self.settings.max_body_bytes {
            return false;
        }
        let body = self.settings.body(StoredBody::Text(text), bytes, payer);
        let kept = self.store.keep(text_key(handle, owner), body).await;
        if let Err(ResultStoreError::Failed(error)) = &kept {
            tracing::warn!(%error, "the result store failed; a large result is shown whole");
        }
        kept.is_ok()
    }

    /// Returns the text of a handle of this caller.
    ///
    /// # Errors
    ///
    /// Returns an error if the store failed. The log has the reason.
    pub(crate) async fn read_text(
        &self,
        handle: &str,
        owner: &[u8],
    ) -> Result<Option<Arc<str>>, StoreFailed> {
        let read = self
            .store
            .read(text_key(handle, owner), self.settings.ttl)
            .await;
        read.map_err(|error| {
            tracing::warn!(%error, "the result store failed; a large result cannot be read");
            StoreFailed
        })
    }

    /// Returns how long a text can be read after it was read last.
    pub(crate) fn text_life(&self) -> Duration {
        self.settings.ttl
    }
}

/// The store failed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StoreFailed;

/// Returns the key of a text. The caller is a part of it, so nobody else's handle leads to it.
fn text_key(handle: &str, owner: &[u8]) -> ResultKey {
    let key = Sha256::new()
        // The length separates the two, and no token begins with it.
        .chain_update((handle.len() as u64).to_le_bytes())
        .chain_update(handle)
        .chain_update(owner)
        .finalize();
    ResultKey::from_bytes(key.into())
}
