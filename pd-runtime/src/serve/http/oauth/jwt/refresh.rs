//! Fetched keys and their refresh: at first use, periodically, and when a token names an unknown
//! key, at a bounded rate. A failed fetch keeps the known keys.

use super::{
    error::{JwtKeyError, KeyFetchError},
    key_set::KeySet,
};
use futures::{FutureExt, future::BoxFuture};
use std::{fmt, panic::AssertUnwindSafe, sync::Arc, time::Duration};
use tokio::{
    sync::watch,
    time::{Instant, timeout},
};

/// The timeout of a fetch.
const WITHIN: Duration = Duration::from_secs(5);
/// The maximum age of keys that could not be fetched again: one day.
const MAX_AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// Keys that are fetched from elsewhere.
pub(super) struct FetchedKeys {
    fetch: Box<dyn Fn() -> BoxFuture<'static, Result<String, KeyFetchError>> + Send + Sync>,
    read: fn(&str) -> Result<KeySet, JwtKeyError>,
    every: Duration,
    at_most_every: Duration,
    max_age: Duration,
    state: watch::Sender<KeyState>,
}

#[derive(Debug, Default)]
struct KeyState {
    keys: Option<Arc<KeySet>>,
    /// The time at which the keys were last fetched successfully.
    confirmed: Option<Instant>,
    /// The time at which the last fetch began.
    last_attempt: Option<Instant>,
    is_fetching: bool,
}

impl FetchedKeys {
    pub(super) fn new<F, T, E>(fetch: F) -> Self
    where
        F: Fn() -> T + Send + Sync + 'static,
        T: Future<Output = Result<String, E>> + Send + 'static,
        E: Into<KeyFetchError>,
    {
        let fetch = move || fetch().map(|answer| answer.map_err(Into::into)).boxed();
        let every = Duration::from_secs(10 * 60);
        let at_most_every = Duration::from_secs(10);
        let fetch = Box::new(fetch);
        let state = watch::Sender::default();
        Self {
            fetch,
            read: KeySet::from_jwks,
            every,
            at_most_every,
            max_age: MAX_AGE,
            state,
        }
    }

    pub(super) fn set_pace(&mut self, every: Duration, at_most_every: Duration) {
        (self.every, self.at_most_every) = (every, at_most_every);
    }

    pub(super) fn set_max_age(&mut self, max_age: Duration) {
        self.max_age = max_age;
    }

    /// Returns the current keys, and starts a fetch if they are old. Returns `None` for keys beyond
    /// the maximum age.
    pub(super) fn now(self: &Arc<Self>) -> Option<Arc<KeySet>> {
        // The borrow must end before `start`, which takes the write lock of the same channel.
        let (keys, confirmed) = {
            let state = self.state.borrow();
            (state.keys.clone()?, state.confirmed)
        };
        let is_older = |age: Duration| confirmed.is_none_or(|at| at.elapsed() > age);
        if is_older(self.every) {
            self.start();
        }
        (!is_older(self.max_age)).then_some(keys)
    }

    /// Fetches the keys again, unless a fetch began a moment ago. Returns once no fetch is in
    /// progress.
    pub(super) async fn refresh(self: &Arc<Self>) {
        let mut state = self.state.subscribe();
        self.start();
        // Waiting fails only if the sender is dropped, and `self` holds it.
        let _ = state.wait_for(|state| !state.is_fetching).await;
    }

    /// Starts a fetch in its own task. Otherwise a client could end every fetch by
    /// disconnecting.
    fn start(self: &Arc<Self>) {
        // Checked and set under one lock, so that only one of many requests at one time starts a
        // fetch.
        let should_start = self.state.send_if_modified(|state| {
            let waits = state.is_fetching
                || state
                    .last_attempt
                    .is_some_and(|at| at.elapsed() < self.at_most_every);
            if !waits {
                (state.is_fetching, state.last_attempt) = (true, Some(Instant::now()));
            }
            !waits
        });
        if should_start {
            tokio::spawn(self.clone().fetch());
        }
    }

    async fn fetch(self: Arc<Self>) {
        let fetched = self.fetched().await;
        self.state.send_modify(|state| {
            state.is_fetching = false;
            match fetched {
                Ok(keys) => {
                    state.confirmed = Some(Instant::now());
                    // Keeps the old `Arc` if the text is unchanged: cached tokens compare it by
                    // pointer, and stay valid.
                    let known = state.keys.take().filter(|known| known.is_same_as(&keys));
                    state.keys = Some(known.unwrap_or_else(|| Arc::new(keys)));
                }
                Err(error) => {
                    let known = state.keys.is_some();
                    let age_seconds = state.confirmed.map(|at| at.elapsed().as_secs());
                    tracing::warn!(%error, known, age_seconds, "could not fetch the keys that verify tokens");
                }
            }
        });
    }

    async fn fetched(&self) -> Result<KeySet, KeyFetchError> {
        // The text comes from outside, and other crates parse it. A panic would leave `is_fetching`
        // set forever.
        let fetching =
            AssertUnwindSafe(async { Ok((self.read)(&(self.fetch)().await?)?) }).catch_unwind();
        timeout(WITHIN, fetching)
            .await?
            .map_err(|_| "the fetch, or reading what came, panicked")?
    }
}

impl fmt::Debug for FetchedKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FetchedKeys")
            .field("state", &*self.state.borrow())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[tokio::test]
    async fn keys_that_cannot_be_read_without_a_panic_are_not_there() {
        let mut fetched = FetchedKeys::new(|| async { Ok::<_, KeyFetchError>(String::new()) });
        fetched.read = |_| std::panic::resume_unwind(Box::new(""));
        let fetched = Arc::new(fetched);
        timeout(WITHIN, fetched.refresh()).await.unwrap();
        assert!(fetched.now().is_none());
    }
}
