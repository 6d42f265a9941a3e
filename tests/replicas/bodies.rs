//! Rows that one replica keeps and another gives: over restarts of either, and of Redis.

use crate::redis::Redis;
use futures::future::join_all;
use pd_runtime::{
    PdServer, Registry, Table, ToolError,
    redis::ResultStore,
    selective::data_plane::{
        DataPlane, Lease, LeaseAction, ResultKey, ResultStore as _, ResultStoreError, StoreQuota,
        StoredBody, StoredResult, TakeOutcome,
    },
    serve::{Http, HttpOptions},
};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{task::JoinHandle, time::sleep};

/// A server that keeps rows on Redis.
struct Replica {
    server: PdServer<()>,
    base: String,
    serving: JoinHandle<()>,
}

impl Drop for Replica {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Replica {
    async fn open(redis: &Redis) -> Self {
        Self::on(bodies(redis)).await
    }

    async fn on(bodies: ResultStore) -> Self {
        let http = Http::bind("127.0.0.1:0").await.unwrap();
        let base = http.url().strip_suffix("/mcp").unwrap().to_owned();
        let plane = DataPlane::default()
            .store(Arc::new(bodies))
            .public_url(&*base);
        let server = PdServer::builder(Registry::builder().build().unwrap(), ())
            .listing(pd_runtime::Listing::Minimal)
            .data_plane(plane)
            .build()
            .unwrap();
        let shared = server.clone();
        let serving =
            tokio::spawn(async move { http.serve(&shared, HttpOptions::default()).await.unwrap() });
        Self {
            server,
            base,
            serving,
        }
    }

    async fn keep(&self, rows: Table) -> Result<String, ToolError> {
        Ok(self
            .server
            .store_rows(rows)
            .await?
            .strip_prefix(&self.base)
            .expect("its own address")
            .to_owned())
    }

    async fn fetch(&self, path: &str) -> (u16, Value) {
        let client = reqwest::Client::builder()
            .pool_max_idle_per_host(0)
            .build()
            .unwrap();
        let request = client.post(format!("{}{path}", self.base)).body("{}");
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap())
    }
}

/// A server as it is deployed, which keeps nothing itself.
struct Process {
    base: String,
    process: Child,
}

impl Drop for Process {
    /// At once, with all it was about to do.
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Process {
    fn start(redis: &Redis) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_library"));
        command
            .args(["serve", "--http", "127.0.0.1:0", "--redis", &redis.url()])
            .env("RUST_LOG", "off");
        let mut process = command.stderr(Stdio::piped()).spawn().unwrap();
        let url = BufReader::new(process.stderr.take().unwrap())
            .lines()
            .next()
            .unwrap()
            .unwrap();
        Self {
            base: url.strip_suffix("/mcp").unwrap().to_owned(),
            process,
        }
    }

    async fn fetch(&self, path: &str) -> reqwest::Response {
        let answer = reqwest::Client::new()
            .post(format!("{}{path}", self.base))
            .body("{}")
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 200);
        answer
    }
}

fn as_the_command_line(redis: &Redis) -> ResultStore {
    ResultStore::connect(&redis.url()).unwrap()
}

fn bodies(redis: &Redis) -> ResultStore {
    ResultStore::connect(&redis.url())
        .unwrap()
        .with_prefix("shop:")
}

fn rows(count: usize) -> Table {
    let mut table = Table::new(["text"]).unwrap();
    for _ in 0..count {
        table.push(["x".repeat(1_000)]).unwrap();
    }
    table
}

fn body(payer: u8, count: usize) -> StoredResult {
    let body = StoredBody::Rows(Arc::new(rows(count)));
    let quota = StoreQuota {
        bytes: 10_000,
        bodies: 10,
        bytes_each: 5_000,
        bodies_each: 3,
    };
    StoredResult {
        body,
        bytes: 1_000 * count,
        ttl: Duration::from_secs(5),
        payer: [payer; 16],
        quota,
    }
}

fn lease(number: u8) -> Lease {
    Lease {
        id: [number; 16],
        ttl: Duration::from_millis(300),
    }
}

async fn take(store: &ResultStore, key: ResultKey, number: u8) -> &'static str {
    match store.take(key, lease(number)).await.unwrap() {
        TakeOutcome::Yes(_) => "yes",
        TakeOutcome::Busy => "busy",
        TakeOutcome::Gone => "gone",
    }
}

const KEY: ResultKey = ResultKey::from_bytes([7; 32]);

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn what_one_replica_keeps_another_gives_once() {
    let redis = Redis::start().await;
    let (here, there) = (Replica::open(&redis).await, Replica::open(&redis).await);
    let path = here.keep(rows(3)).await.unwrap();
    let (status, answer) = there.fetch(&path).await;
    assert_eq!((status, &answer["total_rows"]), (200, &json!(3)));
    assert_eq!(
        answer["body"][2],
        json!({ "_row_id": 2, "text": "x".repeat(1_000) })
    );
    for replica in [&here, &there] {
        assert_eq!(replica.fetch(&path).await.0, 404);
    }
    sleep(Duration::from_millis(100)).await;
    let token = path.rsplit('/').next().unwrap();
    for (key, life) in redis.keys().await {
        assert!(
            key.starts_with("shop:{bodies}:") && !key.contains(token) && life > 0,
            "{key} {life}"
        );
    }
}

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn rows_outlive_the_replica_that_kept_them() {
    let redis = Redis::start().await;
    let path = Replica::open(&redis).await.keep(rows(3)).await.unwrap();
    let next = Replica::open(&redis).await;
    assert_eq!(next.fetch(&path).await.0, 200);
    drop(next);
    assert_eq!(
        Replica::open(&redis).await.fetch(&path).await.0,
        404,
        "what was read stays read"
    );
}

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn rows_outlive_a_process_that_is_killed_while_it_gives_them() {
    let redis = Redis::start().await;
    let (own, dying) = (
        Replica::on(as_the_command_line(&redis)).await,
        Process::start(&redis),
    );
    // More than kernels buffer for one connection.
    let path = own.keep(rows(15_000)).await.unwrap();
    let mut answer = dying.fetch(&path).await;
    answer.chunk().await.unwrap().expect("a part");
    drop(dying);
    assert_eq!(own.fetch(&path).await.0, 409, "nobody gave them back");
    let began = Instant::now();
    while own.fetch(&path).await.0 != 200 {
        assert!(
            began.elapsed() < Duration::from_secs(15),
            "the dead process's lease does not end"
        );
        sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn what_a_process_gave_before_it_was_killed_is_given_to_nobody_else() {
    let redis = Redis::start().await;
    let own = Replica::on(as_the_command_line(&redis)).await;
    for count in [1, 10_000] {
        let (path, dying) = (own.keep(rows(count)).await.unwrap(), Process::start(&redis));
        let mut answer = dying.fetch(&path).await;
        let mut left = usize::try_from(answer.content_length().unwrap()).unwrap();
        while left > 0 {
            left -= answer.chunk().await.unwrap().expect("a part").len();
        }
        drop(dying);
        assert_eq!(own.fetch(&path).await.0, 404, "{count}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn of_a_thousand_takes_at_two_replicas_one_succeeds() {
    let redis = Redis::start().await;
    let stores = [bodies(&redis), bodies(&redis)];
    stores[0].keep(KEY, body(1, 1)).await.unwrap();
    let one = |number: usize| {
        let store = stores[number % 2].clone();
        let lease = Lease {
            id: (number as u128).to_le_bytes(),
            ttl: Duration::from_secs(5),
        };
        tokio::spawn(
            async move { matches!(store.take(KEY, lease).await.unwrap(), TakeOutcome::Yes(_)) },
        )
    };
    let taken = join_all((0..1_000).map(one)).await;
    assert_eq!(
        taken
            .into_iter()
            .filter(|taken| *taken.as_ref().unwrap())
            .count(),
        1
    );
}

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn a_lease_holds_ends_and_is_closed_as_in_memory() {
    let redis = Redis::start().await;
    let store = bodies(&redis);
    store.keep(KEY, body(1, 1)).await.unwrap();
    assert_eq!(take(&store, KEY, 1).await, "yes");
    assert_eq!(take(&store, KEY, 1).await, "yes", "asked again by the same");
    assert_eq!(take(&store, KEY, 2).await, "busy");
    for _ in 0..3 {
        sleep(Duration::from_millis(200)).await;
        assert!(store.step(KEY, lease(1), LeaseAction::Renew).await.unwrap());
    }
    sleep(Duration::from_millis(400)).await;
    assert_eq!(take(&store, KEY, 2).await, "yes", "nobody renewed it");
    for step in [
        LeaseAction::Renew,
        LeaseAction::Close,
        LeaseAction::GiveBack,
        LeaseAction::Forget,
    ] {
        assert!(!store.step(KEY, lease(1), step).await.unwrap(), "{step:?}");
    }
    assert!(store.step(KEY, lease(2), LeaseAction::Close).await.unwrap());
    sleep(Duration::from_millis(400)).await;
    assert_eq!(take(&store, KEY, 3).await, "gone", "closed");
    assert!(
        store
            .step(KEY, lease(2), LeaseAction::GiveBack)
            .await
            .unwrap()
    );
    assert_eq!(take(&store, KEY, 3).await, "yes");
    assert!(
        store
            .step(KEY, lease(3), LeaseAction::Forget)
            .await
            .unwrap()
    );
    assert_eq!(take(&store, KEY, 4).await, "gone");
}

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn what_expires_is_gone_but_not_under_who_reads_it() {
    let redis = Redis::start().await;
    let store = bodies(&redis);
    let short = || StoredResult {
        ttl: Duration::from_millis(200),
        ..body(1, 1)
    };
    store.keep(KEY, short()).await.unwrap();
    assert_eq!(take(&store, KEY, 1).await, "yes");
    sleep(Duration::from_millis(250)).await;
    assert!(store.step(KEY, lease(1), LeaseAction::Renew).await.unwrap());
    assert!(
        store
            .step(KEY, lease(1), LeaseAction::GiveBack)
            .await
            .unwrap()
    );
    assert_eq!(take(&store, KEY, 2).await, "gone");
    store.keep(KEY, short()).await.unwrap();
    sleep(Duration::from_millis(250)).await;
    assert_eq!(take(&store, KEY, 3).await, "gone");
    store.keep(KEY, body(1, 1)).await.unwrap();
    assert_eq!(take(&store, KEY, 4).await, "yes", "its name is free again");
}

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn there_is_room_for_so_much_and_for_a_share_of_it() {
    let redis = Redis::start().await;
    let store = bodies(&redis);
    let keep = async |number: u8, body: StoredResult| {
        store.keep(ResultKey::from_bytes([number; 32]), body).await
    };
    // Long enough that a busy machine reaches the sleep below in time.
    let short = |count| StoredResult {
        ttl: Duration::from_millis(1_500),
        ..body(1, count)
    };
    for number in 0..3 {
        keep(number, short(1)).await.unwrap();
        keep(number, short(1))
            .await
            .expect("to keep it twice is to keep it once");
    }
    assert_eq!(keep(3, short(1)).await, Err(ResultStoreError::OwnShare));
    assert_eq!(keep(3, body(2, 6)).await, Err(ResultStoreError::OwnShare));
    keep(3, body(2, 5)).await.unwrap();
    assert_eq!(keep(4, body(3, 3)).await, Err(ResultStoreError::Full));
    keep(4, body(3, 2)).await.unwrap();
    let key = ResultKey::from_bytes([4; 32]);
    assert_eq!(take(&store, key, 1).await, "yes");
    for _ in 0..2 {
        let _ = store
            .step(key, lease(1), LeaseAction::Forget)
            .await
            .unwrap();
    }
    keep(5, body(3, 2)).await.unwrap();
    assert_eq!(keep(6, body(4, 1)).await, Err(ResultStoreError::Full));
    sleep(Duration::from_millis(1_550)).await;
    keep(6, body(4, 3))
        .await
        .expect("what has expired makes room");
    assert_eq!(keep(7, body(4, 1)).await, Err(ResultStoreError::Full));
}

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn what_is_read_beyond_its_time_takes_room_while_it_stands() {
    let redis = Redis::start().await;
    let store = bodies(&redis);
    let one = |life| {
        let room = StoreQuota {
            bytes: 10_000,
            bodies: 1,
            bytes_each: 10_000,
            bodies_each: 1,
        };
        StoredResult {
            quota: room,
            ttl: Duration::from_millis(life),
            ..body(1, 1)
        }
    };
    let other = ResultKey::from_bytes([8; 32]);
    store.keep(KEY, one(200)).await.unwrap();
    assert_eq!(take(&store, KEY, 1).await, "yes");
    sleep(Duration::from_millis(250)).await;
    assert_eq!(
        store.keep(other, one(200)).await,
        Err(ResultStoreError::Full),
        "it is leased"
    );
    assert!(store.step(KEY, lease(1), LeaseAction::Renew).await.unwrap());
    sleep(Duration::from_millis(100)).await;
    assert_eq!(
        store.keep(other, one(200)).await,
        Err(ResultStoreError::Full),
        "it is renewed"
    );
    assert!(
        store
            .step(KEY, lease(1), LeaseAction::GiveBack)
            .await
            .unwrap()
    );
    store.keep(other, one(200)).await.expect("its time is over");
}

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn without_redis_all_are_told_at_once() {
    let mut redis = Redis::start().await;
    let replica = Replica::open(&redis).await;
    let path = replica.keep(rows(1)).await.unwrap();
    redis.hang();
    for _ in 0..2 {
        let began = Instant::now();
        assert_eq!(replica.fetch(&path).await.0, 503);
        assert!(
            began.elapsed() < Duration::from_secs(3),
            "{:?}",
            began.elapsed()
        );
    }
    redis.go_on();
    let began = Instant::now();
    while replica.fetch(&path).await.0 != 200 {
        assert!(
            began.elapsed() < Duration::from_secs(15),
            "what hung holds the rows"
        );
        sleep(Duration::from_millis(50)).await;
    }
    redis.kill();
    for _ in 0..2 {
        let began = Instant::now();
        let refused = replica.keep(rows(1)).await.unwrap_err();
        assert!(
            refused.code == "DATA_PLANE_FAILED" && refused.message.contains("`sync`"),
            "{refused}"
        );
        assert!(
            began.elapsed() < Duration::from_secs(1),
            "{:?}",
            began.elapsed()
        );
    }
    redis.restart();
    let began = Instant::now();
    while replica.keep(rows(1)).await.is_err() {
        assert!(
            began.elapsed() < Duration::from_secs(5),
            "it does not come back"
        );
        sleep(Duration::from_millis(50)).await;
    }
}

/// A long life before a short one left the counts behind that belong to no body any more.
#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn what_a_body_took_up_is_given_back_whatever_lives_there_were_before() {
    let redis = Redis::start().await;
    let store = bodies(&redis);
    let keep = async |number: u8, life: Duration| {
        store
            .keep(
                ResultKey::from_bytes([number; 32]),
                StoredResult {
                    ttl: life,
                    ..body(1, 1)
                },
            )
            .await
    };
    keep(0, Duration::from_secs(60)).await.unwrap();
    let key = ResultKey::from_bytes([0; 32]);
    assert_eq!(take(&store, key, 1).await, "yes");
    assert!(
        store
            .step(key, lease(1), LeaseAction::Forget)
            .await
            .unwrap()
    );
    for number in 1..=5 {
        assert_eq!(
            keep(number, Duration::from_millis(50)).await,
            Ok(()),
            "body {number}"
        );
        sleep(Duration::from_millis(80)).await;
    }
    let keys = redis.keys().await;
    let life = |kind: &str| {
        keys.iter()
            .find(|(key, _)| key.ends_with(kind))
            .map(|(_, life)| *life)
    };
    let (all, used) = (life(":all"), life(":used"));
    assert!(
        all.zip(used)
            .is_none_or(|(all, used)| (all - used).abs() <= 20),
        "{all:?} {used:?}"
    );
}

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn names_that_no_store_wrote_are_skipped() {
    let redis = Redis::start().await;
    let store = bodies(&redis);
    for name in ["", "junk", "0a x y", "0a -5 0b", "zz 5 zz"] {
        redis
            .ask::<()>(&[b"ZADD", b"shop:{bodies}:all", b"1", name.as_bytes()])
            .await;
    }
    store.keep(KEY, body(1, 1)).await.unwrap();
    let left: u64 = redis.ask(&[b"ZCARD", b"shop:{bodies}:all"]).await;
    assert_eq!(left, 1, "what has ended is removed");
    assert_eq!(take(&store, KEY, 1).await, "yes");
}

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn counts_do_not_go_below_zero() {
    let redis = Redis::start().await;
    let store = bodies(&redis);
    for _ in 0..3 {
        store.keep(KEY, body(1, 3)).await.unwrap();
        // Somebody cleared the counts.
        redis.ask::<()>(&[b"DEL", b"shop:{bodies}:used"]).await;
        assert_eq!(take(&store, KEY, 1).await, "yes");
        assert!(
            store
                .step(KEY, lease(1), LeaseAction::Forget)
                .await
                .unwrap()
        );
        let counts: Vec<String> = redis.ask(&[b"HVALS", b"shop:{bodies}:used"]).await;
        assert!(
            counts.iter().all(|count| !count.starts_with('-')),
            "{counts:?}"
        );
    }
    let keep = async |number: u8, body: StoredResult| {
        store.keep(ResultKey::from_bytes([number; 32]), body).await
    };
    keep(1, body(1, 5)).await.unwrap();
    assert_eq!(
        keep(2, body(1, 1)).await,
        Err(ResultStoreError::OwnShare),
        "no room was won"
    );
}
