//! The memory store with paused time: leases, expiry and quotas.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use super::*;
use futures::{
    FutureExt,
    future::{BoxFuture, ready},
};
use std::time::Duration;
use tokio::time::advance;

const LIFE: Duration = Duration::from_secs(600);
const ROOM: StoreQuota = StoreQuota {
    bytes: 1_000,
    bodies: 10,
    bytes_each: 500,
    bodies_each: 5,
};

fn key(number: u8) -> ResultKey {
    ResultKey::from_bytes([number; 32])
}

fn body(payer: u8, bytes: usize) -> StoredResult {
    stored(
        StoredBody::Rows(Arc::new(Table::new(["a"]).unwrap())),
        payer,
        bytes,
    )
}

fn text(payer: u8, bytes: usize) -> StoredResult {
    stored(StoredBody::Text("text".into()), payer, bytes)
}

fn stored(body: StoredBody, payer: u8, bytes: usize) -> StoredResult {
    StoredResult {
        body,
        bytes,
        ttl: LIFE,
        payer: [payer; 16],
        quota: ROOM,
    }
}

async fn take(store: &MemoryResultStore, number: u8) -> Result<Lease, &'static str> {
    let lease = Lease::random().unwrap();
    match store.take(key(number), lease).await.unwrap() {
        TakeOutcome::Yes(_) => Ok(lease),
        TakeOutcome::Busy => Err("busy"),
        TakeOutcome::Gone => Err("gone"),
    }
}

async fn step(store: &MemoryResultStore, lease: Lease, step: LeaseAction) -> bool {
    store.step(key(1), lease, step).await.unwrap()
}

async fn kept() -> MemoryResultStore {
    let store = MemoryResultStore::default();
    store.keep(key(1), body(1, 100)).await.unwrap();
    store
}

#[tokio::test(start_paused = true)]
async fn one_holds_a_body_until_it_gives_it_back() {
    let store = kept().await;
    let lease = take(&store, 1).await.unwrap();
    assert_eq!(take(&store, 1).await, Err("busy"));
    assert!(step(&store, lease, LeaseAction::GiveBack).await);
    let next = take(&store, 1).await.unwrap();
    assert!(
        !step(&store, lease, LeaseAction::Close).await,
        "who gave it back has it no more"
    );
    assert!(step(&store, next, LeaseAction::Forget).await);
    assert_eq!(take(&store, 1).await, Err("gone"));
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_nobody_renews_ends_by_itself() {
    let store = kept().await;
    let lease = take(&store, 1).await.unwrap();
    for _ in 0..5 {
        advance(Lease::LIFE / 2).await;
        assert!(step(&store, lease, LeaseAction::Renew).await);
    }
    advance(Lease::LIFE).await;
    let next = take(&store, 1).await.unwrap();
    for late in [
        LeaseAction::Renew,
        LeaseAction::Close,
        LeaseAction::GiveBack,
        LeaseAction::Forget,
    ] {
        assert!(!step(&store, lease, late).await, "{late:?}");
    }
    assert!(step(&store, next, LeaseAction::Close).await);
}

/// Renews a lease like a reader that reads nothing.
#[tokio::test(start_paused = true)]
async fn a_reader_holds_a_body_for_minutes_but_not_for_ever() {
    let store = kept().await;
    let lease = take(&store, 1).await.unwrap();
    let began = tokio::time::Instant::now();
    while step(&store, lease, LeaseAction::Renew).await {
        assert!(
            began.elapsed() <= LIFE + Lease::BEYOND,
            "it holds it for ever"
        );
        tokio::time::sleep(Lease::LIFE / 2).await;
    }
    assert!(began.elapsed() > LIFE, "who began in time may read on");
    tokio::time::sleep(Lease::LIFE).await;
    assert_eq!(take(&store, 1).await, Err("gone"));
    store.keep(key(2), body(1, 500)).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_is_closed_nobody_else_has_however_long_it_takes() {
    let store = kept().await;
    let lease = take(&store, 1).await.unwrap();
    assert!(step(&store, lease, LeaseAction::Close).await);
    advance(2 * Lease::LIFE).await;
    assert_eq!(take(&store, 1).await, Err("gone"));
    assert!(step(&store, lease, LeaseAction::GiveBack).await);
    assert!(take(&store, 1).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn who_began_in_time_may_read_to_the_end() {
    let store = kept().await;
    advance(LIFE - Duration::from_secs(1)).await;
    let lease = take(&store, 1).await.unwrap();
    advance(Duration::from_secs(5)).await;
    tokio::task::yield_now().await;
    assert!(step(&store, lease, LeaseAction::Renew).await);
    assert_eq!(take(&store, 1).await, Err("busy"));
    assert!(step(&store, lease, LeaseAction::GiveBack).await);
    assert_eq!(take(&store, 1).await, Err("gone"), "its time is over");
}

#[tokio::test(start_paused = true)]
async fn what_expires_is_dropped_though_nobody_asks() {
    let store = kept().await;
    let rows = Arc::new(Table::new(["a"]).unwrap());
    let table = Arc::downgrade(&rows);
    let one = stored(StoredBody::Rows(rows), 2, 100);
    store.keep(key(2), one).await.unwrap();
    tokio::time::sleep(LIFE - Duration::from_secs(1)).await;
    assert!(table.upgrade().is_some());
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(table.upgrade().is_none());
}

#[tokio::test(start_paused = true)]
async fn there_is_room_for_so_much_and_for_a_share_of_it() {
    let store = MemoryResultStore::default();
    for number in 0..5 {
        store.keep(key(number), body(1, 1)).await.unwrap();
    }
    assert_eq!(
        store.keep(key(5), body(1, 1)).await,
        Err(ResultStoreError::OwnShare)
    );
    assert_eq!(
        store.keep(key(5), body(2, 501)).await,
        Err(ResultStoreError::OwnShare)
    );
    store.keep(key(5), body(2, 500)).await.unwrap();
    assert_eq!(
        store.keep(key(6), body(3, 496)).await,
        Err(ResultStoreError::Full)
    );
    store.keep(key(6), body(3, 495)).await.unwrap();
    assert_eq!(
        store.keep(key(7), body(4, 1)).await,
        Err(ResultStoreError::Full)
    );
    let lease = take(&store, 6).await.unwrap();
    assert!(
        store
            .step(key(6), lease, LeaseAction::Forget)
            .await
            .unwrap()
    );
    store.keep(key(7), body(4, 1)).await.unwrap();
    advance(LIFE).await;
    for number in 10..15 {
        store.keep(key(number), body(1, 100)).await.unwrap();
    }
}

async fn reads(store: &MemoryResultStore, number: u8) -> bool {
    store.read(key(number), LIFE).await.unwrap().is_some()
}

#[tokio::test(start_paused = true)]
async fn a_text_is_read_for_as_long_as_somebody_reads_it() {
    let store = MemoryResultStore::default();
    store.keep(key(1), text(1, 100)).await.unwrap();
    for _ in 0..3 {
        advance(LIFE - Duration::from_secs(1)).await;
        tokio::task::yield_now().await;
        assert!(reads(&store, 1).await);
    }
    tokio::time::sleep(LIFE + Duration::from_secs(1)).await;
    assert!(!reads(&store, 1).await);
    store.keep(key(2), body(1, 500)).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn rows_are_not_read_and_texts_are_not_taken() {
    let store = kept().await;
    assert!(!reads(&store, 1).await);
    store.keep(key(2), text(1, 100)).await.unwrap();
    assert_eq!(take(&store, 2).await, Err("gone"));
    assert!(reads(&store, 2).await);
    assert!(take(&store, 1).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_text_takes_the_place_of_its_payers_oldest_texts_alone() {
    let store = MemoryResultStore::default();
    store.keep(key(9), text(2, 450)).await.unwrap();
    store.keep(key(8), body(1, 100)).await.unwrap();
    for number in 1..=4 {
        store.keep(key(number), text(1, 100)).await.unwrap();
        advance(Duration::from_secs(1)).await;
    }
    assert!(reads(&store, 1).await, "now it is the youngest");
    // Nothing is removed for what would not fit at all.
    for (more, refusal) in [
        (401, ResultStoreError::OwnShare),
        (551, ResultStoreError::Full),
    ] {
        assert_eq!(store.keep(key(5), text(1, more)).await, Err(refusal));
    }
    for number in [1, 2, 3, 4] {
        assert!(reads(&store, number).await, "{number}");
    }
    store.keep(key(5), text(1, 150)).await.unwrap();
    let left = [
        reads(&store, 1).await,
        reads(&store, 2).await,
        reads(&store, 3).await,
    ];
    assert_eq!(left, [false, false, true]);
    assert!(reads(&store, 9).await, "it is another's");
    assert!(take(&store, 8).await.is_ok(), "rows wait to be fetched");
    assert_eq!(
        store.keep(key(6), body(1, 100)).await,
        Err(ResultStoreError::OwnShare),
        "rows replace nothing"
    );
}

#[tokio::test(start_paused = true)]
async fn a_handle_leads_its_own_caller_to_a_text() {
    let plane = DataPlaneRuntime::new(&DataPlane::off(), None);
    let payer = QuotaKey::Subject("alice");
    assert!(plane.keep_text("h1", "hers".into(), b"alice", payer).await);
    let read = async |handle, owner: &[u8]| plane.read_text(handle, owner).await.unwrap();
    assert_eq!(read("h1", b"alice").await.as_deref(), Some("hers"));
    for (handle, owner) in [("h1", "bob"), ("h1", ""), ("h", "1alice"), ("h1alice", "")] {
        assert_eq!(
            read(handle, owner.as_bytes()).await,
            None,
            "{handle} {owner}"
        );
    }
    let small = DataPlaneRuntime::new(&DataPlane::default().max_body_bytes(3), None);
    assert!(!small.keep_text("h1", "hers".into(), b"alice", payer).await);
}

/// An unreachable store that counts the calls it receives.
#[derive(Debug, Default)]
struct Away(std::sync::atomic::AtomicUsize);

impl ResultStore for Away {
    fn keep(&self, _: ResultKey, _: StoredResult) -> BoxFuture<'_, Result<(), ResultStoreError>> {
        ready(Err(ResultStoreError::Failed("away".to_owned()))).boxed()
    }

    fn read(
        &self,
        _: ResultKey,
        _: Duration,
    ) -> BoxFuture<'_, Result<Option<Arc<str>>, ResultStoreError>> {
        ready(Err(ResultStoreError::Failed("away".to_owned()))).boxed()
    }

    fn take(&self, _: ResultKey, _: Lease) -> BoxFuture<'_, Result<TakeOutcome, ResultStoreError>> {
        ready(Err(ResultStoreError::Failed("away".to_owned()))).boxed()
    }

    fn step(
        &self,
        _: ResultKey,
        _: Lease,
        _: LeaseAction,
    ) -> BoxFuture<'_, Result<bool, ResultStoreError>> {
        self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        ready(Err(ResultStoreError::Failed("away".to_owned()))).boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn who_asks_a_store_that_is_away_leaves_nothing_behind() {
    let store = Arc::new(Away::default());
    let plane = DataPlaneRuntime::new(&DataPlane::default().store(store.clone()), None);
    for _ in 0..3 {
        let taken = plane.take(&RowToken::random().unwrap()).await;
        assert_eq!(taken.err(), Some(TakeError::Failed));
    }
    let payer = QuotaKey::Owner;
    assert!(!plane.keep_text("h", "text".into(), b"owner", payer).await);
    assert!(plane.read_text("h", b"owner").await.is_err());
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(
        store.0.load(std::sync::atomic::Ordering::Relaxed),
        0,
        "nothing was taken"
    );
}

#[test]
fn an_outage_begins_once() {
    let outage = store_health::StoreOutage::default();
    assert_eq!(
        [outage.record_failure(), outage.record_failure()],
        [true, false]
    );
    outage.record_success();
    assert!(outage.record_failure(), "the next one is reported again");
}

#[test]
fn an_address_of_all_is_named_by_one_that_can_be_reached() {
    let name = |address: &str| reachable_address(address.parse().unwrap()).to_string();
    assert_eq!(name("0.0.0.0:80"), "127.0.0.1:80");
    assert_eq!(name("[::]:80"), "[::1]:80");
    assert_eq!(name("192.0.2.1:80"), "192.0.2.1:80");
}

#[test]
fn nothing_that_is_printed_opens_anything() {
    let token = RowToken::random().unwrap();
    let printed = format!(
        "{:?} {:?}",
        token.key(),
        DataPlaneRuntime::new(&DataPlane::default(), None)
    );
    assert!(!printed.contains(token.text()) && !printed.contains(&token.key().to_string()));
}
