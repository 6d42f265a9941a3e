//! A session that its client has ended stays ended at every replica, for as long as its id is
//! valid.

use crate::{caller::Caller, deployment::Replica, redis::Redis};
use pd_runtime::{Listing, redis::SessionStore};
use std::{sync::Arc, time::Duration};

/// A day, in milliseconds.
const DAY: i64 = 24 * 60 * 60 * 1_000;

async fn replicas(redis: &Redis, idle: Duration) -> [Replica; 2] {
    let store = || {
        Arc::new(
            SessionStore::connect(&redis.url())
                .unwrap()
                .with_prefix("shop:")
                .with_idle(idle),
        )
    };
    let open = || async {
        let store = store();
        Replica::open_with(store.clone(), store, Listing::Minimal).await
    };
    [open().await, open().await]
}

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn an_ended_session_stays_ended_when_idle_sessions_are_forgotten() {
    let redis = Redis::start().await;
    let idle = Duration::from_millis(300);
    let [here, there] = replicas(&redis, idle).await;
    for bearer in [None, Some("alice")] {
        let caller = Caller::session(&here.url, bearer).await;
        assert_eq!(caller.delete().await, 204);
        assert_eq!(caller.at(&there.url).status().await, 404, "at once");
        tokio::time::sleep(idle * 3).await;
        for url in [&here.url, &there.url] {
            assert_eq!(caller.at(url).status().await, 404, "its id opens it again");
        }
    }
}

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn marks_of_ended_sessions_live_for_a_day_and_sessions_for_their_idle_time() {
    let redis = Redis::start().await;
    let [here, there] = replicas(&redis, Duration::from_secs(60)).await;
    let ended = Caller::session(&here.url, Some("alice")).await;
    ended.delete().await;
    // Asking about an ended session does not shorten the life of its mark.
    assert_eq!(ended.at(&there.url).status().await, 404);
    Caller::session(&here.url, Some("alice"))
        .await
        .describe("tool-0")
        .await;
    let keys = redis.keys().await;
    for (key, life) in &keys {
        let expected = if key.ends_with(":ended") {
            DAY - 60_000..=DAY
        } else {
            1..=60_000
        };
        assert!(expected.contains(life), "{key} lives for {life} ms");
    }
    assert_eq!(
        keys.iter()
            .filter(|(key, _)| key.ends_with(":ended"))
            .count(),
        1,
        "{keys:?}"
    );
}
