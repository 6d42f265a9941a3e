//! Stores that users write themselves: in memory, and one that never answers.

use crate::{
    caller::{Called, Caller},
    deployment::Replica,
};
use futures::{
    FutureExt,
    future::{BoxFuture, pending, ready},
};
use pd_runtime::{
    Listing,
    store::{DisclosureRecord, DisclosureStore, DisclosureStoreError, SessionKey},
};
use rmcp::transport::streamable_http_server::session::{
    SessionState, SessionStore, SessionStoreError,
};
use serde_json::json;
use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

#[derive(Debug, Default)]
struct InMemory {
    given: Mutex<HashMap<SessionKey, HashSet<DisclosureRecord>>>,
    opened: Mutex<HashMap<String, SessionState>>,
}

impl DisclosureStore for InMemory {
    fn record<'a>(
        &'a self,
        session: &'a SessionKey,
        given: &'a [DisclosureRecord],
    ) -> BoxFuture<'a, Result<(), DisclosureStoreError>> {
        self.given
            .lock()
            .unwrap()
            .entry(*session)
            .or_default()
            .extend(given);
        ready(Ok(())).boxed()
    }

    fn given<'a>(
        &'a self,
        session: &'a SessionKey,
    ) -> BoxFuture<'a, Result<Vec<DisclosureRecord>, DisclosureStoreError>> {
        let given = self
            .given
            .lock()
            .unwrap()
            .get(session)
            .into_iter()
            .flatten()
            .copied()
            .collect();
        ready(Ok(given)).boxed()
    }
}

#[async_trait::async_trait]
impl SessionStore for InMemory {
    async fn load(&self, id: &str) -> Result<Option<SessionState>, SessionStoreError> {
        Ok(self.opened.lock().unwrap().get(id).cloned())
    }

    async fn store(&self, id: &str, state: &SessionState) -> Result<(), SessionStoreError> {
        self.opened
            .lock()
            .unwrap()
            .insert(id.to_owned(), state.clone());
        Ok(())
    }

    async fn delete(&self, id: &str) -> Result<(), SessionStoreError> {
        self.opened.lock().unwrap().remove(id);
        Ok(())
    }
}

/// A store that never answers.
#[derive(Debug)]
struct Silent;

impl DisclosureStore for Silent {
    fn record<'a>(
        &'a self,
        _: &'a SessionKey,
        _: &'a [DisclosureRecord],
    ) -> BoxFuture<'a, Result<(), DisclosureStoreError>> {
        pending().boxed()
    }

    fn given<'a>(
        &'a self,
        _: &'a SessionKey,
    ) -> BoxFuture<'a, Result<Vec<DisclosureRecord>, DisclosureStoreError>> {
        pending().boxed()
    }
}

#[async_trait::async_trait]
impl SessionStore for Silent {
    async fn load(&self, _: &str) -> Result<Option<SessionState>, SessionStoreError> {
        pending().await
    }

    async fn store(&self, _: &str, _: &SessionState) -> Result<(), SessionStoreError> {
        pending().await
    }

    async fn delete(&self, _: &str) -> Result<(), SessionStoreError> {
        pending().await
    }
}

async fn replicas_on<S: DisclosureStore + SessionStore>(store: Arc<S>) -> [Replica; 2] {
    let open = || Replica::open_with(store.clone(), store.clone(), Listing::Minimal);
    [open().await, open().await]
}

#[tokio::test]
async fn replicas_share_a_store_in_memory() {
    let store = Arc::new(InMemory::default());
    let [here, there] = replicas_on(store.clone()).await;
    let caller = Caller::session(&here.url, Some("alice")).await;
    caller.describe("tool-0").await;
    assert_eq!(
        caller.at(&there.url).call("tool-0", json!({})).await,
        Called::Ran("did 0".to_owned())
    );
    assert_eq!(
        caller
            .stolen_by(Some("mallory"))
            .at(&there.url)
            .status()
            .await,
        404
    );
    let keys: Vec<_> = store.opened.lock().unwrap().keys().cloned().collect();
    // A session's key, and its owner's.
    let is_key = |key: &str| {
        key.len() == 64 + 1 + 32 && !key.contains(caller.session_id()) && !key.contains("alice")
    };
    assert!(keys.iter().all(|key| is_key(key)), "{keys:?}");
    assert_eq!(caller.at(&there.url).delete().await, 204);
    assert_eq!(caller.at(&there.url).status().await, 404);
}

#[tokio::test]
async fn a_store_that_never_answers_holds_up_nobody_for_long() {
    let [here, there] = replicas_on(Arc::new(Silent)).await;
    let caller = Caller::session(&here.url, None).await;
    for url in [&here.url, &there.url] {
        let (caller, began) = (caller.at(url), Instant::now());
        assert!(
            matches!(caller.call("tool-0", json!({})).await, Called::Refused(description) if description.is_object())
        );
        // To restore the session, to ask what was given, and to tell: 250 ms each.
        assert!(
            began.elapsed() < Duration::from_millis(1_500),
            "{:?}",
            began.elapsed()
        );
        assert_eq!(
            caller.call("tool-0", json!({})).await,
            Called::Ran("did 0".to_owned())
        );
    }
}
