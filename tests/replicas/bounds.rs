//! What one principal can take up on Redis: a bounded number of sessions, however many it opens.

use crate::{
    caller::{Called, Caller},
    deployment::Replica,
    redis::Redis,
};
use pd_runtime::{Limits, Listing, config::Rate, redis::SessionStore, serve::HttpOptions};
use serde_json::json;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// About as large as the parameters of `initialize` may be for the store.
const LARGE: usize = 15_000;

fn store(redis: &Redis) -> SessionStore {
    SessionStore::connect(&redis.url())
        .unwrap()
        .with_prefix("shop:")
}

async fn replica(
    store: SessionStore,
    limits: Limits,
    change: impl FnOnce(HttpOptions) -> HttpOptions,
) -> Replica {
    let store = Arc::new(store);
    Replica::open_limited(store.clone(), store, Listing::Minimal, limits, change).await
}

async fn opened(redis: &Redis) -> usize {
    redis
        .keys()
        .await
        .iter()
        .filter(|(key, _)| key.ends_with(":opened"))
        .count()
}

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn opening_a_session_counts_as_a_call_of_its_principal() {
    let redis = Redis::start().await;
    let limits = Limits::default().calls(Rate::per_minute(5));
    let replica = replica(store(&redis), limits, |options| options).await;
    let (mut refused, began) = (0, Instant::now());
    for _ in 0..200 {
        if let Err(answer) = Caller::try_session(&replica.url, Some("alice"), LARGE).await {
            assert_eq!(
                (answer.status, &answer.body["error"]["code"]),
                (429, &json!(429)),
                "{answer:?}"
            );
            assert!(
                (1..=60).contains(&answer.body["error"]["data"]["retryAfter"].as_u64().unwrap()),
                "{answer:?}"
            );
            refused += 1;
        }
    }
    // One more is let in every 12 seconds, and a machine that is busy takes longer.
    let more = usize::try_from(began.elapsed().as_secs()).unwrap() / 12 + 1;
    assert!(
        (195 - more..=195).contains(&refused),
        "{refused} of 200 were refused"
    );
    assert_eq!(opened(&redis).await, 200 - refused);
    Caller::try_session(&replica.url, Some("bob"), 10)
        .await
        .expect("others are not charged");
    // A session that is open is charged for its calls, not for its other requests.
    let bob = Caller::session(&replica.url, Some("bob")).await;
    for _ in 0..20 {
        assert_eq!(bob.status().await, 200);
    }
}

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn one_principal_has_a_bounded_number_of_sessions_on_redis() {
    let redis = Redis::start().await;
    let kept = || store(&redis).with_max_sessions_per_principal(3);
    // Each replica alone would keep as many as there are.
    let [here, there] = [
        replica(kept(), Limits::none(), |options| options).await,
        replica(kept(), Limits::none(), |options| options).await,
    ];
    let first = Caller::session(&here.url, Some("alice")).await;
    let mut others = Vec::new();
    for number in 0..10 {
        let url = if number % 2 == 0 {
            &here.url
        } else {
            &there.url
        };
        others.push(Caller::session(url, Some("alice")).await);
        tokio::time::sleep(Duration::from_millis(1_050)).await;
        // A session in use is looked for once a second, and so is not the longest idle one.
        assert_eq!(first.status().await, 200);
    }
    assert_eq!(opened(&redis).await, 3);
    first.describe("tool-0").await;
    assert_eq!(
        first.at(&there.url).call("tool-0", json!({})).await,
        Called::Ran("did 0".to_owned())
    );
    Caller::session(&here.url, Some("bob")).await;
    assert_eq!(opened(&redis).await, 4, "bob has sessions of his own");
}

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn callers_that_nobody_authenticated_share_a_bound() {
    let redis = Redis::start().await;
    let replica = replica(
        store(&redis).with_max_anonymous_sessions(5),
        Limits::none(),
        |options| options,
    )
    .await;
    for _ in 0..20 {
        Caller::session(&replica.url, None).await;
    }
    assert_eq!(opened(&redis).await, 5);
}

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn a_session_that_makes_room_leaves_nothing_on_redis() {
    let redis = Redis::start().await;
    let replica = replica(store(&redis), Limits::none(), |options| {
        options.max_sessions_per_principal(3)
    })
    .await;
    for _ in 0..12 {
        Caller::session(&replica.url, Some("alice"))
            .await
            .describe("tool-0")
            .await;
    }
    // Entries are deleted by tasks of their own.
    for _ in 0..100 {
        if redis.keys().await.len() == 7 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let keys = redis.keys().await;
    assert_eq!(
        keys.len(),
        7,
        "two entries of each of three sessions, and their owner's: {keys:?}"
    );
}

/// Redis refuses all that needs memory when it is full.
#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn a_principal_that_opens_sessions_without_end_takes_no_memory_from_others() {
    let redis = Redis::start().await;
    let used = redis.number("memory", "used_memory").await;
    redis
        .ask::<()>(&[
            b"CONFIG",
            b"SET",
            b"maxmemory",
            (used + 12 * 1024 * 1024).to_string().as_bytes(),
        ])
        .await;
    // A fast machine opens more sessions than the rate admits, and the memory is to be bounded without it.
    let [here, there] = [
        replica(store(&redis), Limits::none(), |options| {
            options.initialize_rate(None)
        })
        .await,
        replica(store(&redis), Limits::none(), |options| options).await,
    ];
    for _ in 0..1_200 {
        Caller::try_session(&here.url, Some("alice"), LARGE)
            .await
            .expect("a session");
    }
    assert!(opened(&redis).await <= 256);
    let bob = Caller::session(&here.url, Some("bob")).await;
    bob.describe("tool-0").await;
    assert_eq!(
        bob.at(&there.url).call("tool-0", json!({})).await,
        Called::Ran("did 0".to_owned())
    );
}

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn marks_of_ended_sessions_are_bounded_and_small() {
    let redis = Redis::start().await;
    let replica = replica(store(&redis), Limits::none(), |options| options).await;
    let used = redis.number("memory", "used_memory").await;
    for _ in 0..200 {
        assert_eq!(
            Caller::session(&replica.url, Some("alice"))
                .await
                .delete()
                .await,
            204
        );
    }
    let keys = redis.keys().await;
    assert_eq!(keys.len(), 1, "one set of marks: {keys:?}");
    let more = redis
        .number("memory", "used_memory")
        .await
        .saturating_sub(used);
    assert!(more < 300 * 1024, "200 marks take {more} bytes");
}

/// A program that shares the database wrote far more there than any session has.
#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn an_entry_that_is_too_large_is_not_read() {
    let redis = Redis::start().await;
    let [here, there] = [
        replica(store(&redis), Limits::none(), |options| options).await,
        replica(store(&redis), Limits::none(), |options| options).await,
    ];
    let caller = Caller::session(&here.url, Some("alice")).await;
    let keys = redis.keys().await;
    let (key, _) = keys
        .iter()
        .find(|(key, _)| key.ends_with(":opened"))
        .unwrap();
    redis
        .ask::<()>(&[b"SET", key.as_bytes(), &vec![b'x'; 4 * 1024 * 1024]])
        .await;
    let before = redis.number("stats", "total_net_output_bytes").await;
    assert_eq!(caller.at(&there.url).status().await, 200, "its id is known");
    let sent = redis.number("stats", "total_net_output_bytes").await - before;
    assert!(sent < 256 * 1024, "{sent} bytes were read");
}
