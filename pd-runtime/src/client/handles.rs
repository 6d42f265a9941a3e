//! Rows that wait for the tool they are handed to, each set behind a handle that only its owner can use, and once.

use super::{owner::Owner, rows::Rows};
use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// What a handle begins with (MCP-SD).
const SCHEME: &str = "ddi://";
/// Digits of a handle: 128 bits. Three of them are one token to most models.
const DIGITS: usize = 39;

/// Rows that selective tools answered beside what the model asked for, for one client or shared by many.
///
/// A model sees a handle in their place, `ddi://` and 128 random bits. A handle belongs to the principal of the client that
/// received the rows ([`ClientBuilder::principal`](super::ClientBuilder::principal)), or to that client and its conversations
/// where it names none; to all others it is unknown. It is used up by the call that hands its rows to a tool.
///
/// By default rows are kept for 600 seconds, 256 sets and 64 MiB of them. What was kept longest makes room, an owner's own first.
///
/// ```
/// use pd_runtime::client::Handles;
/// use std::time::Duration;
///
/// let handles = Handles::bounded(1_000, 256 << 20, Duration::from_secs(60));
/// assert!(handles.is_empty());
/// ```
#[derive(Clone)]
pub struct Handles(Arc<Mutex<Kept>>);

struct Kept {
    sets: HashMap<u128, Set>,
    bytes: usize,
    count_max: usize,
    bytes_max: usize,
    lasting: Duration,
}

struct Set {
    owner: Owner,
    rows: Arc<Rows>,
    since: Instant,
    /// Whether a call is under way that has them.
    lent: bool,
}

/// Why a handle gives no rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    /// It was used, has expired, belongs to another, or never was.
    Unknown,
    /// Another call has the rows just now.
    Lent,
}

/// Rows in the hands of one call. They are given back when it is dropped, unless the call used them up.
pub(super) struct Lent {
    handles: Handles,
    handle: u128,
    rows: Arc<Rows>,
}

impl Handles {
    /// With the default bounds.
    pub fn new() -> Self {
        Self::bounded(256, 64 << 20, Duration::from_secs(600))
    }

    /// Of at most so many sets of rows, and so many bytes, each kept for so long.
    pub fn bounded(count: usize, bytes: usize, lasting: Duration) -> Self {
        Self(Arc::new(Mutex::new(Kept { sets: HashMap::new(), bytes: 0, count_max: count, bytes_max: bytes, lasting })))
    }

    /// How many sets of rows are in it.
    pub fn len(&self) -> usize {
        self.lock().sets.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Keeps rows, and gives their handle; `None` where there is no room for them.
    pub(super) fn keep(&self, owner: &Owner, rows: Arc<Rows>) -> Option<String> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).ok()?;
        let handle = u128::from_ne_bytes(random);
        let set = Set { owner: owner.clone(), rows, since: Instant::now(), lent: false };
        self.lock().keep(handle, set).then(|| format!("{SCHEME}{handle:0DIGITS$}"))
    }

    /// The rows behind a handle, for one call.
    pub(super) fn lend(&self, owner: &Owner, handle: &str) -> Result<Lent, Refused> {
        let handle = read(handle).ok_or(Refused::Unknown)?;
        let mut kept = self.lock();
        let set = kept.sets.get_mut(&handle).filter(|set| set.owner == *owner).ok_or(Refused::Unknown)?;
        if std::mem::replace(&mut set.lent, true) {
            return Err(Refused::Lent);
        }
        Ok(Lent { handles: self.clone(), handle, rows: set.rows.clone() })
    }

    /// What is kept, without what has expired.
    fn lock(&self) -> MutexGuard<'_, Kept> {
        // No step of it leaves it half done.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.expire();
        kept
    }
}

/// Whether a text is meant as a handle.
pub(super) fn is_handle(text: &str) -> bool {
    text.trim_start().starts_with(SCHEME)
}

fn read(handle: &str) -> Option<u128> {
    let digits = handle.trim().strip_prefix(SCHEME)?;
    let is_written = digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_written.then(|| digits.parse().ok())?
}

impl Kept {
    fn expire(&mut self) {
        let lasting = self.lasting;
        self.remove_where(|set| !set.lent && set.since.elapsed() >= lasting);
    }

    /// Whether there was room for it, or could be made.
    fn keep(&mut self, handle: u128, set: Set) -> bool {
        let size = set.rows.bytes();
        if size > self.bytes_max || self.count_max == 0 {
            return false;
        }
        while self.sets.len() >= self.count_max || self.bytes + size > self.bytes_max {
            let Some(oldest) = self.oldest(&set.owner) else { return false };
            self.remove(oldest);
        }
        self.bytes += size;
        self.sets.insert(handle, set);
        true
    }

    /// What makes room for this owner's rows: nothing that a call has in its hands.
    fn oldest(&self, owner: &Owner) -> Option<u128> {
        let waiting = self.sets.iter().filter(|(_, set)| !set.lent);
        waiting.min_by_key(|(_, set)| (set.owner != *owner, set.since)).map(|(handle, _)| *handle)
    }

    fn remove_where(&mut self, goes: impl Fn(&Set) -> bool) {
        let bytes = &mut self.bytes;
        self.sets.retain(|_, set| {
            let goes = goes(set);
            *bytes -= if goes { set.rows.bytes() } else { 0 };
            !goes
        });
    }

    fn remove(&mut self, handle: u128) {
        if let Some(set) = self.sets.remove(&handle) {
            self.bytes -= set.rows.bytes();
        }
    }
}

impl Lent {
    pub(super) fn rows(&self) -> &Rows {
        &self.rows
    }

    /// The call had its answer: the handle is used up.
    pub(super) fn used(self) {
        self.handles.lock().remove(self.handle);
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(set) = self.handles.lock().sets.get_mut(&self.handle) {
            set.lent = false;
        }
    }
}

impl Default for Handles {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Handles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handles").field("len", &self.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use std::thread;

    const LONG: Duration = Duration::from_secs(600);

    fn owner(name: &str) -> Owner {
        Owner::new(Some(name.into()))
    }

    fn rows(bytes: usize) -> Arc<Rows> {
        let text = format!(r#"[{{"_row_id":0,"text":"{}"}}]"#, "x".repeat(bytes));
        Arc::new(Rows::read(serde_json::from_str(&text).unwrap()).unwrap())
    }

    fn kept(handles: &Handles, name: &str) -> String {
        handles.keep(&owner(name), rows(10)).unwrap()
    }

    #[test]
    fn a_handle_is_used_once_and_given_back_where_it_was_not() {
        let handles = Handles::new();
        let handle = kept(&handles, "alice");
        let lent = handles.lend(&owner("alice"), &handle).unwrap();
        assert!(matches!(handles.lend(&owner("alice"), &handle), Err(Refused::Lent)));
        drop(lent);
        handles.lend(&owner("alice"), &format!(" {handle}\n")).unwrap().used();
        assert!(matches!(handles.lend(&owner("alice"), &handle), Err(Refused::Unknown)));
        assert!(handles.is_empty() && handles.0.lock().unwrap().bytes == 0);
    }

    #[test]
    fn another_owners_handle_is_unknown_even_while_it_is_lent() {
        let handles = Handles::new();
        let handle = kept(&handles, "alice");
        for stranger in [owner("bob"), Owner::new(None)] {
            assert!(matches!(handles.lend(&stranger, &handle), Err(Refused::Unknown)));
        }
        let _lent = handles.lend(&owner("alice"), &handle).unwrap();
        assert!(matches!(handles.lend(&owner("bob"), &handle), Err(Refused::Unknown)));
    }

    #[test]
    fn what_is_no_handle_is_unknown() {
        let handles = Handles::new();
        let handle = kept(&handles, "alice");
        let digits = handle.strip_prefix("ddi://").unwrap();
        let signed = format!("ddi://+{}", &digits[1..]);
        let nines = format!("ddi://{}", "9".repeat(39));
        for wrong in
            ["", "ddi://", "ddi://7", digits, &signed, &nines, &format!("{handle}0"), &format!("ddi://{handle}")]
        {
            assert!(matches!(handles.lend(&owner("alice"), wrong), Err(Refused::Unknown)), "{wrong}");
        }
    }

    #[test]
    fn of_a_thousand_that_take_one_handle_one_has_it() {
        let handles = Handles::new();
        let handle = kept(&handles, "alice");
        let take = || {
            handles.lend(&owner("alice"), &handle).is_ok_and(|lent| {
                lent.used();
                true
            })
        };
        let takers = |_| -> usize { (0..125).map(|_| usize::from(take())).sum() };
        let taken: usize = thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|at| scope.spawn(move || takers(at))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(taken, 1);
    }

    #[test]
    fn rows_expire_but_not_in_the_hands_of_a_call() {
        let handles = Handles::bounded(8, 1 << 20, Duration::from_millis(300));
        let (one, other) = (kept(&handles, "alice"), kept(&handles, "alice"));
        let lent = handles.lend(&owner("alice"), &one).unwrap();
        thread::sleep(Duration::from_millis(320));
        assert_eq!(handles.len(), 1);
        assert!(matches!(handles.lend(&owner("alice"), &other), Err(Refused::Unknown)));
        drop(lent);
        assert!(matches!(handles.lend(&owner("alice"), &one), Err(Refused::Unknown)));
    }

    #[test]
    fn an_owners_own_rows_make_room_first_and_then_the_oldest() {
        let handles = Handles::bounded(3, 1 << 20, LONG);
        let (bobs, first, second) = (kept(&handles, "bob"), kept(&handles, "alice"), kept(&handles, "alice"));
        kept(&handles, "alice");
        assert!(matches!(handles.lend(&owner("alice"), &first), Err(Refused::Unknown)));
        assert!(handles.lend(&owner("bob"), &bobs).is_ok());
        kept(&handles, "carol");
        assert!(matches!(handles.lend(&owner("bob"), &bobs), Err(Refused::Unknown)));
        assert!(handles.lend(&owner("alice"), &second).is_ok());
    }

    #[test]
    fn bytes_are_bounded_and_what_is_lent_makes_no_room() {
        let handles = Handles::bounded(100, 4_000, LONG);
        let (alice, handle) = (owner("alice"), handles.keep(&owner("alice"), rows(3_000)).unwrap());
        assert!(handles.keep(&alice, rows(5_000)).is_none(), "it is larger than all");
        let lent = handles.lend(&alice, &handle).unwrap();
        assert!(handles.keep(&alice, rows(3_000)).is_none(), "the other is in use");
        drop(lent);
        for bytes in [3_000, 500, 100, 2_000, 10] {
            assert!(handles.keep(&alice, rows(bytes)).is_some());
            let kept = handles.lock();
            assert_eq!(kept.bytes, kept.sets.values().map(|set| set.rows.bytes()).sum::<usize>());
            assert!(kept.bytes <= 4_000);
        }
        assert!(Handles::bounded(0, 4_000, LONG).keep(&alice, rows(1)).is_none());
    }

    #[test]
    fn nothing_printed_tells_a_handle() {
        let handles = Handles::new();
        let handle = kept(&handles, "alice");
        let digits = handle.strip_prefix("ddi://").unwrap();
        assert!(!format!("{handles:?}").contains(digits));
        assert_eq!(handle.len(), "ddi://".len() + 39);
    }
}
