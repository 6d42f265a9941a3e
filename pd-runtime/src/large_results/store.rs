//! The large results that callers may read on in, in the memory of the process.

use crate::policy::access::CallerIdentity;
use parking_lot::Mutex;
use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

/// How long a result can be read after it was read last.
pub(crate) const LIFE: Duration = Duration::from_secs(600);
/// The most bytes of all results.
const BYTES_MAX: usize = 128 * 1024 * 1024;
/// The most bytes of one caller's results. They replace the caller's oldest.
const CALLER_BYTES_MAX: usize = 32 * 1024 * 1024;
/// The most results of one caller.
const CALLER_RESULTS_MAX: usize = 64;
/// The digits of a handle: 16 of them are 80 bits. Letters that look like digits are left out.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const HANDLE_LEN: usize = 16;

/// The results by handle.
#[derive(Debug, Default)]
pub(crate) struct LargeResultStore(Mutex<HashMap<Box<str>, StoredResult>>);

#[derive(Debug)]
struct StoredResult {
    owner: CallerIdentity,
    text: Arc<str>,
    used: Instant,
}

impl LargeResultStore {
    /// Stores a text for its caller, and returns its handle. Returns `None` if there is no room, or
    /// the system has no random bytes: the caller then gets the whole text.
    pub(crate) fn keep(&self, text: Arc<str>, owner: CallerIdentity) -> Option<String> {
        if text.len() > CALLER_BYTES_MAX {
            return None;
        }
        let handle = random_handle()?;
        let now = Instant::now();
        let mut results = self.0.lock();
        results.retain(|_, result| now.duration_since(result.used) < LIFE);
        make_room(&mut results, &owner, text.len());
        let all: usize = results.values().map(|result| result.text.len()).sum();
        // The results of others stay, however much one caller has.
        if all + text.len() > BYTES_MAX {
            return None;
        }
        let result = StoredResult {
            owner,
            text,
            used: now,
        };
        results.insert(handle.as_str().into(), result);
        Some(handle)
    }

    /// Returns the text of a handle. A handle of another caller is unknown.
    pub(crate) fn find(&self, handle: &str, caller: &CallerIdentity) -> Option<Arc<str>> {
        let now = Instant::now();
        let mut results = self.0.lock();
        let result = results
            .get_mut(handle)
            .filter(|result| result.owner == *caller)
            .filter(|result| now.duration_since(result.used) < LIFE)?;
        result.used = now;
        Some(result.text.clone())
    }
}

/// Removes the oldest results of a caller until it has room for one of this size.
fn make_room(results: &mut HashMap<Box<str>, StoredResult>, owner: &CallerIdentity, bytes: usize) {
    loop {
        let own = || results.iter().filter(|(_, result)| result.owner == *owner);
        let used: usize = own().map(|(_, result)| result.text.len()).sum();
        if used + bytes <= CALLER_BYTES_MAX && own().count() < CALLER_RESULTS_MAX {
            return;
        }
        let oldest = own()
            .min_by_key(|(_, result)| result.used)
            .map(|(handle, _)| handle.clone());
        let Some(oldest) = oldest else { return };
        results.remove(&oldest);
    }
}

fn random_handle() -> Option<String> {
    let mut bytes = [0; HANDLE_LEN];
    getrandom::fill(&mut bytes).ok()?;
    let digits = bytes
        .iter()
        .filter_map(|byte| DIGITS.get(usize::from(byte % 32)));
    Some(digits.map(|digit| char::from(*digit)).collect())
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::{Principal, policy::access::CallerAuthority};

    fn person(name: &str) -> CallerIdentity {
        CallerAuthority::Remote(Some(Principal::new(name.to_owned()))).person()
    }

    #[test]
    fn a_caller_replaces_its_own_oldest_results_and_nobody_elses() {
        let store = LargeResultStore::default();
        let others = store.keep("x".into(), person("alice")).unwrap();
        let text: Arc<str> = "y".repeat(CALLER_BYTES_MAX / 4).into();
        let handles: Vec<_> = (0..9)
            .map(|_| store.keep(text.clone(), person("bob")).unwrap())
            .collect();
        let found = |handle: &String| store.find(handle, &person("bob")).is_some();
        assert_eq!(handles.iter().filter(|handle| found(handle)).count(), 4);
        assert!(found(handles.last().unwrap()) && !found(handles.first().unwrap()));
        assert!(store.find(&others, &person("alice")).is_some());
        assert!(store.find(&others, &person("bob")).is_none());
        assert!(
            store
                .keep("z".repeat(CALLER_BYTES_MAX + 1).into(), person("bob"))
                .is_none()
        );
    }

    #[test]
    fn all_callers_together_have_a_bound() {
        let store = LargeResultStore::default();
        let text: Arc<str> = "y".repeat(CALLER_BYTES_MAX).into();
        let kept = (0..10).filter(|number| {
            let owner = person(&number.to_string());
            store.keep(text.clone(), owner).is_some()
        });
        assert_eq!(kept.count(), BYTES_MAX / CALLER_BYTES_MAX);
    }
}
