//! Large results that one replica keeps and another reads on in.

use crate::{
    caller::{Called, Caller},
    deployment::Replica,
    redis::Redis,
};
use pd_runtime::{
    GateMode, IntoOutput, Limits, Listing, PdServer, Registry, Tool,
    redis::{ResultStore, SessionStore},
    selective::data_plane::{
        DataPlane, ResultKey, ResultStore as _, ResultStoreError, StoreQuota, StoredBody,
        StoredResult,
    },
    serve::HttpOptions,
};
use serde_json::json;
use std::{sync::Arc, time::Duration};
use tokio::time::sleep;

const LIFE: Duration = Duration::from_secs(5);

fn store(redis: &Redis) -> ResultStore {
    ResultStore::connect(&redis.url())
        .unwrap()
        .with_prefix("shop:")
}

fn key(number: u8) -> ResultKey {
    ResultKey::from_bytes([number; 32])
}

fn text(payer: u8, bytes: usize) -> StoredResult {
    StoredResult {
        body: StoredBody::Text("text — ¶\n".into()),
        bytes,
        ttl: LIFE,
        payer: [payer; 16],
        quota: StoreQuota {
            bytes: 1_000,
            bodies: 6,
            bytes_each: 500,
            bodies_each: 4,
        },
    }
}

async fn reads(store: &ResultStore, number: u8) -> bool {
    let read = store.read(key(number), LIFE).await.unwrap();
    read.is_some_and(|text| &*text == "text — ¶\n")
}

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn a_text_takes_the_place_of_its_payers_oldest_texts_alone() {
    let redis = Redis::start().await;
    let store = store(&redis);
    store.keep(key(9), text(2, 450)).await.unwrap();
    for number in 1..=4 {
        store.keep(key(number), text(1, 100)).await.unwrap();
        sleep(Duration::from_millis(20)).await;
    }
    assert!(reads(&store, 1).await, "now it is the youngest");
    for (more, refusal) in [
        (501, ResultStoreError::OwnShare),
        (551, ResultStoreError::Full),
    ] {
        assert_eq!(store.keep(key(5), text(1, more)).await, Err(refusal));
    }
    store
        .keep(key(5), text(1, 200))
        .await
        .expect("its own make room");
    let mut left = Vec::new();
    for number in [1, 2, 3, 4, 5, 9] {
        if reads(&store, number).await {
            left.push(number);
        }
    }
    assert_eq!(left, [1, 3, 4, 5, 9]);
    // Rows have no such right.
    let rows = StoredResult {
        body: StoredBody::Rows(Arc::default()),
        ..text(1, 50)
    };
    assert_eq!(
        store.keep(key(6), rows).await,
        Err(ResultStoreError::OwnShare)
    );
    for (key, life) in redis.keys().await {
        assert!((1..=2 * 5_000).contains(&life), "{key} stays {life} ms");
    }
}

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn reading_makes_a_text_stay_and_nothing_else_does() {
    let redis = Redis::start().await;
    let store = store(&redis);
    let short = StoredResult {
        ttl: Duration::from_millis(300),
        ..text(1, 500)
    };
    store.keep(key(1), short.clone()).await.unwrap();
    store
        .keep(key(2), short.clone())
        .await
        .expect("in its place");
    assert!(!reads(&store, 1).await);
    let read = async || {
        store
            .read(key(2), Duration::from_millis(300))
            .await
            .unwrap()
    };
    for _ in 0..3 {
        sleep(Duration::from_millis(200)).await;
        assert!(read().await.is_some());
    }
    sleep(Duration::from_millis(400)).await;
    assert!(read().await.is_none());
    store
        .keep(key(3), short)
        .await
        .expect("what has expired makes room");
}

const WORDS: usize = 4_000;

/// Opens a replica with a tool whose result is large.
async fn open(redis: &Redis) -> Replica {
    let much = Tool::new("much", "Return much", |(), _, _| {
        Box::pin(async {
            (0..WORDS)
                .map(|n| format!("line {n}\n"))
                .collect::<String>()
                .into_output()
        })
    });
    let registry = Registry::builder().tools([much]).build().unwrap();
    let plane = DataPlane::default().store(Arc::new(store(redis)));
    let sessions = Arc::new(SessionStore::connect(&redis.url()).unwrap());
    let server = PdServer::builder(registry, ())
        .listing(Listing::Full)
        .gate(GateMode::Off)
        .limits(Limits::default().result_tokens(500))
        .data_plane(plane)
        .disclosure_store(sessions.clone())
        .build()
        .unwrap();
    Replica::serve(server, &HttpOptions::new().session_store(sessions)).await
}

fn handle(called: &Called) -> String {
    let Called::Ran(shown) = called else {
        panic!("{called:?}")
    };
    let (_, rest) = shown
        .split_once("\"handle\":\"")
        .unwrap_or_else(|| panic!("{shown}"));
    rest.split_once('"').unwrap().0.to_owned()
}

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn a_model_reads_on_at_another_replica_in_its_own_results() {
    let redis = Redis::start().await;
    let (here, there) = (open(&redis).await, open(&redis).await);
    let callers = [
        Caller::session(&here.url, Some("alice")).await,
        Caller::session(&here.url, None).await,
        Caller::inline(&here.url),
    ];
    let eve = Caller::session(&there.url, Some("eve")).await;
    for caller in callers {
        let handle = handle(&caller.call("much", json!({})).await);
        let lines = json!({ "handle": handle, "lines": "3001-3002" });
        let read = caller.at(&there.url).call("read_more", lines.clone()).await;
        let Called::Ran(read) = read else {
            panic!("{read:?}")
        };
        assert!(read.contains("line 3000\nline 3001\n"), "{read}");
        let uri = json!({ "uri": format!("result://{handle}") });
        let whole = caller.at(&there.url).send("resources/read", uri).await;
        let whole = whole.body["result"]["contents"][0]["text"]
            .as_str()
            .unwrap()
            .len();
        assert_eq!(
            whole,
            (0..WORDS)
                .map(|n| format!("line {n}\n").len())
                .sum::<usize>()
        );
        let stolen = json!({ "name": "read_more", "arguments": lines });
        let told = eve.send("tools/call", stolen).await.body.to_string();
        assert!(
            told.contains("no result has this handle any more: it ends 10 minutes"),
            "{told}"
        );
    }
    for (key, _) in redis.keys().await {
        assert!(!key.contains("handle"), "{key}");
    }
}

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn without_the_store_results_are_whole_and_nothing_waits() {
    let mut redis = Redis::start().await;
    let here = open(&redis).await;
    let caller = Caller::inline(&here.url);
    let handle = handle(&caller.call("much", json!({})).await);
    redis.kill();
    let began = std::time::Instant::now();
    let Called::Ran(whole) = caller.call("much", json!({})).await else {
        panic!("refused")
    };
    assert!(whole.ends_with("line 3999\n") && !whole.contains("read_more"));
    let arguments = json!({ "handle": handle, "lines": "1" });
    let read = json!({ "name": "read_more", "arguments": arguments });
    let told = caller.send("tools/call", read).await.body.to_string();
    assert!(
        told.contains("cannot be read now; try again later"),
        "{told}"
    );
    assert!(
        began.elapsed() < Duration::from_secs(10),
        "{:?}",
        began.elapsed()
    );
    redis.restart();
}
