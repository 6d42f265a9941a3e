//! Keys that are fetched, and when: at first need, from time to time, and when a token names an unknown one, at a bounded rate.
//! A fetch that fails changes nothing.

use super::{
    error::{FetchError, JwtKeyError},
    key_set::KeySet,
};
use futures::{FutureExt, future::BoxFuture};
use std::{fmt, panic::AssertUnwindSafe, sync::Arc, time::Duration};
use tokio::{
    sync::watch,
    time::{Instant, timeout},
};

/// How long a fetch may take.
const WITHIN: Duration = Duration::from_secs(5);
/// How old keys may be that could not be fetched again: one day.
const MAX_AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// Keys that are somewhere else.
pub(super) struct Fetched {
    fetch: Box<dyn Fn() -> BoxFuture<'static, Result<String, FetchError>> + Send + Sync>,
    read: fn(&str) -> Result<KeySet, JwtKeyError>,
    every: Duration,
    at_most_every: Duration,
    max_age: Duration,
    held: watch::Sender<Held>,
}

#[derive(Debug, Default)]
struct Held {
    keys: Option<Arc<KeySet>>,
    /// When they were last known to be right.
    confirmed: Option<Instant>,
    /// When the last fetch began.
    tried: Option<Instant>,
    is_fetching: bool,
}

impl Fetched {
    pub(super) fn new<F, T, E>(fetch: F) -> Self
    where
        F: Fn() -> T + Send + Sync + 'static,
        T: Future<Output = Result<String, E>> + Send + 'static,
        E: Into<FetchError>,
    {
        let fetch = move || fetch().map(|answer| answer.map_err(Into::into)).boxed();
        let (every, at_most_every) = (Duration::from_secs(10 * 60), Duration::from_secs(10));
        let (fetch, held) = (Box::new(fetch), watch::Sender::default());
        Self { fetch, read: KeySet::from_jwks, every, at_most_every, max_age: MAX_AGE, held }
    }

    pub(super) fn set_pace(&mut self, every: Duration, at_most_every: Duration) {
        (self.every, self.at_most_every) = (every, at_most_every);
    }

    pub(super) fn set_max_age(&mut self, max_age: Duration) {
        self.max_age = max_age;
    }

    /// The keys known now. Where they are old, they are fetched again meanwhile. Keys beyond the
    /// greatest age are none.
    pub(super) fn now(self: &Arc<Self>) -> Option<Arc<KeySet>> {
        let (keys, confirmed) = {
            let held = self.held.borrow();
            (held.keys.clone()?, held.confirmed)
        };
        let is_older = |age: Duration| confirmed.is_none_or(|at| at.elapsed() > age);
        if is_older(self.every) {
            self.start();
        }
        (!is_older(self.max_age)).then_some(keys)
    }

    /// Fetches the keys again, unless they were fetched a moment ago. Returns when no fetch is under way.
    pub(super) async fn again(self: &Arc<Self>) {
        let mut held = self.held.subscribe();
        self.start();
        // It fails if nobody holds the sender, and `self` does.
        let _ = held.wait_for(|held| !held.is_fetching).await;
    }

    /// In a task of its own: whoever asked may hang up, and could otherwise end every fetch so.
    fn start(self: &Arc<Self>) {
        let starts = self.held.send_if_modified(|held| {
            let waits = held.is_fetching || held.tried.is_some_and(|at| at.elapsed() < self.at_most_every);
            if !waits {
                (held.is_fetching, held.tried) = (true, Some(Instant::now()));
            }
            !waits
        });
        if starts {
            tokio::spawn(self.clone().fetch());
        }
    }

    async fn fetch(self: Arc<Self>) {
        let fetched = self.fetched().await;
        self.held.send_modify(|held| {
            held.is_fetching = false;
            match fetched {
                Ok(keys) => {
                    held.confirmed = Some(Instant::now());
                    let known = held.keys.take().filter(|known| known.is_same_as(&keys));
                    held.keys = Some(known.unwrap_or_else(|| Arc::new(keys)));
                }
                Err(error) => {
                    let known = held.keys.is_some();
                    let age_seconds = held.confirmed.map(|at| at.elapsed().as_secs());
                    tracing::warn!(%error, known, age_seconds, "the keys that judge tokens could not be fetched");
                }
            }
        });
    }

    async fn fetched(&self) -> Result<KeySet, FetchError> {
        // What is read comes from elsewhere, and other crates read it.
        let fetching = AssertUnwindSafe(async { Ok((self.read)(&(self.fetch)().await?)?) }).catch_unwind();
        timeout(WITHIN, fetching).await?.map_err(|_| "the fetch, or reading what came, panicked")?
    }
}

impl fmt::Debug for Fetched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fetched").field("held", &*self.held.borrow()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[tokio::test]
    async fn keys_that_cannot_be_read_without_a_panic_are_not_there() {
        let mut fetched = Fetched::new(|| async { Ok::<_, FetchError>(String::new()) });
        fetched.read = |_| std::panic::resume_unwind(Box::new(""));
        let fetched = Arc::new(fetched);
        timeout(WITHIN, fetched.again()).await.unwrap();
        assert!(fetched.now().is_none());
    }
}
