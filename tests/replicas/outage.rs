//! Redis is killed, started again and made to hang while many callers call: each is answered, and none is let in that has not
//! read.

use crate::{
    caller::{Called, Caller, ticket},
    deployment::{Deployment, TOOLS},
};
use serde_json::{Value, json};
use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::{sync::Mutex, task::JoinHandle};

/// Callers of each generation.
const CALLERS: usize = 24;
/// One test at a time has the machine.
static MACHINE: Mutex<()> = Mutex::const_new(());

/// What callers met.
#[derive(Debug, Default)]
struct Met {
    runs: AtomicUsize,
    refusals: AtomicUsize,
    slowest_us: AtomicUsize,
}

/// One caller, and what it was given.
struct Client {
    caller: Caller,
    /// The oracle: whatever is called without being here must be refused.
    given: HashSet<usize>,
    tickets: Vec<Value>,
    met: Arc<Met>,
}

impl Client {
    fn new(caller: Caller, met: &Arc<Met>) -> Self {
        Self {
            caller,
            given: HashSet::new(),
            tickets: vec![Value::Null; TOOLS],
            met: met.clone(),
        }
    }

    fn is_inline(&self) -> bool {
        self.tickets.iter().any(|ticket| !ticket.is_null())
    }

    /// Calls a tool, with the ticket where there is one.
    async fn call(&mut self, number: usize) -> bool {
        let arguments = match &self.tickets[number] {
            Value::Null => json!({}),
            ticket => json!({ "disclosure_ticket": ticket }),
        };
        let began = Instant::now();
        let called = self.caller.call(&format!("tool-{number}"), arguments).await;
        let took = usize::try_from(began.elapsed().as_micros()).unwrap();
        self.met.slowest_us.fetch_max(took, Ordering::SeqCst);
        match called {
            Called::Ran(text) => {
                assert_eq!(text, format!("did {number}"));
                assert!(
                    self.given.contains(&number),
                    "admitted without having read tool-{number}"
                );
                self.met.runs.fetch_add(1, Ordering::SeqCst);
                true
            }
            Called::Refused(description) => {
                assert!(
                    description["inputSchema"].is_object(),
                    "a refusal carries the description"
                );
                assert!(
                    !(self.is_inline() && self.given.contains(&number)),
                    "tickets need no Redis"
                );
                self.given(number, &description);
                self.met.refusals.fetch_add(1, Ordering::SeqCst);
                false
            }
        }
    }

    fn given(&mut self, number: usize, description: &Value) {
        self.given.insert(number);
        self.tickets[number] = ticket(description);
    }

    /// Reads a description.
    async fn read(&mut self, number: usize) {
        let description = self.caller.describe(&format!("tool-{number}")).await;
        self.given(number, &description);
    }
}

/// Callers that call and read until they are told to stop, each opening another session now and then.
struct Load {
    met: Arc<Met>,
    stop: Arc<AtomicBool>,
    callers: Vec<JoinHandle<()>>,
}

impl Load {
    async fn begin(deployment: &Deployment) -> Self {
        let (met, stop) = (Arc::<Met>::default(), Arc::new(AtomicBool::new(false)));
        let mut callers = Vec::new();
        for number in 0..CALLERS {
            for caller in deployment.callers().await {
                let (stop, client) = (stop.clone(), Client::new(caller, &met));
                callers.push(tokio::spawn(call_on(
                    client,
                    number,
                    stop,
                    deployment.proxy.url.clone(),
                )));
            }
        }
        Self { met, stop, callers }
    }

    /// How many calls ran and were refused, and the slowest, since it was asked last.
    fn met(&self) -> (usize, usize, Duration) {
        let [runs, refusals, slowest] = [&self.met.runs, &self.met.refusals, &self.met.slowest_us]
            .map(|count| count.swap(0, Ordering::SeqCst));
        (runs, refusals, Duration::from_micros(slowest as u64))
    }

    async fn end(self) {
        self.stop.store(true, Ordering::SeqCst);
        for caller in self.callers {
            caller
                .await
                .expect("each call is answered, and none is let in that has not read");
        }
    }
}

async fn call_on(mut client: Client, seed: usize, stop: Arc<AtomicBool>, proxy: String) {
    let mut random = seed.wrapping_mul(0x9e37_79b9) + 1;
    for turn in 0.. {
        if stop.load(Ordering::SeqCst) {
            return;
        }
        // xorshift: the same calls in each run.
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let number = random % TOOLS;
        match random % 7 {
            0 => client.read(number).await,
            _ => drop(client.call(number).await),
        }
        if turn % 40 == 39 && !client.is_inline() {
            client = Client::new(Caller::session(&proxy, None).await, &client.met);
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// How long it takes, from now, until what one replica gives is known at the other again: until the first try began that found
/// it so. That a process that was started begins to answer is part of it.
async fn recovery(deployment: &Deployment) -> Duration {
    let (returned, [here, there]) = (Instant::now(), deployment.urls());
    loop {
        let took = returned.elapsed();
        let caller = Caller::session(here, None).await;
        caller.describe("tool-0").await;
        if matches!(
            caller.at(there).call("tool-0", json!({})).await,
            Called::Ran(_)
        ) {
            return took;
        }
        assert!(
            took < Duration::from_secs(20),
            "replicas do not share again"
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// How late this machine is: the longest that a task waited for its turn. A request takes some ten turns, so the bounds below
/// grow by ten times that; on a machine with nothing else to do it is a few milliseconds. Where it is near the time after which
/// a server that is there counts as gone, times say nothing any more.
struct Lag {
    worst_us: Arc<AtomicUsize>,
    watching: JoinHandle<()>,
}

impl Drop for Lag {
    fn drop(&mut self) {
        self.watching.abort();
    }
}

impl Lag {
    fn watch() -> Self {
        let worst_us = Arc::new(AtomicUsize::new(0));
        let worst = worst_us.clone();
        let watching = tokio::spawn(async move {
            loop {
                let due = Instant::now() + Duration::from_millis(5);
                tokio::time::sleep_until(due.into()).await;
                worst.fetch_max(
                    usize::try_from(due.elapsed().as_micros()).unwrap(),
                    Ordering::SeqCst,
                );
            }
        });
        Self { worst_us, watching }
    }

    /// The bound, on a machine as late as this one was since it was asked last.
    fn allows(&self, bound: Duration) -> Duration {
        let worst = Duration::from_micros(self.worst_us.swap(0, Ordering::SeqCst) as u64);
        eprintln!("this machine was {worst:?} late");
        if worst > Duration::from_millis(100) {
            Duration::from_secs(30)
        } else {
            bound + worst * 10
        }
    }
}

/// The promise.
const WITHIN: Duration = Duration::from_secs(1);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn killed_and_started_again_under_load() {
    let _alone = MACHINE.lock().await;
    let mut deployment = Deployment::open().await;
    let (load, lag) = (Load::begin(&deployment).await, Lag::watch());
    for round in 0..2 {
        tokio::time::sleep(Duration::from_millis(800)).await;
        eprintln!(
            "round {round}, redis there: {:?} (runs, refusals, slowest)",
            load.met()
        );
        deployment.redis.kill();
        tokio::time::sleep(Duration::from_millis(1_200)).await;
        let met = load.met();
        eprintln!("round {round}, redis gone: {met:?}");
        assert!(met.0 > 0, "callers recover by reading");
        deployment.redis.restart();
        lag.allows(WITHIN);
        let took = recovery(&deployment).await;
        eprintln!("round {round}, shared again after {took:?}");
        assert!(took < lag.allows(WITHIN), "{took:?}");
    }
    load.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn hanging_under_load() {
    let _alone = MACHINE.lock().await;
    let deployment = Deployment::open().await;
    let (load, lag) = (Load::begin(&deployment).await, Lag::watch());
    tokio::time::sleep(Duration::from_millis(500)).await;
    let there = load.met();
    deployment.redis.hang();
    tokio::time::sleep(Duration::from_millis(1_000)).await;
    let (first, bound) = (load.met(), lag.allows(Duration::from_millis(600)));
    assert!(first.2 < bound, "{first:?}");
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    let (then, bound) = (load.met(), lag.allows(Duration::from_millis(100)));
    eprintln!("(runs, refusals, slowest): there {there:?}, hanging {first:?}, then {then:?}");
    assert!(
        then.2 < bound,
        "nobody waits for one that is gone: {then:?}"
    );
    assert!(then.0 > 0, "callers recover by reading");
    deployment.redis.go_on();
    let took = recovery(&deployment).await;
    eprintln!("shared again after {took:?}");
    assert!(took < lag.allows(WITHIN), "{took:?}");
    load.end().await;
}

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn sessions_of_an_outage_are_good_at_both_replicas() {
    let _alone = MACHINE.lock().await;
    let mut deployment = Deployment::open().await;
    deployment.redis.kill();
    let met = Arc::default();
    for caller in deployment.callers().await {
        let mut client = Client::new(caller, &met);
        for number in 0..TOOLS {
            // Refused at one replica, then perhaps at the other; both know after that.
            let refusals = [
                client.call(number).await,
                client.call(number).await,
                client.call(number).await,
            ];
            assert!(refusals[2], "{refusals:?}");
            assert!(client.call(number).await && client.call(number).await);
        }
    }
    deployment.redis.restart();
    recovery(&deployment).await;
}

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn a_server_starts_without_redis_and_uses_it_when_it_comes() {
    let _alone = MACHINE.lock().await;
    let mut deployment = Deployment::open().await;
    deployment.redis.kill();
    deployment.restart(0, pd_runtime::Listing::Minimal).await;
    deployment.restart(1, pd_runtime::Listing::Minimal).await;
    let caller = Caller::session(&deployment.proxy.url, None).await;
    caller.describe("tool-0").await;
    let lag = Lag::watch();
    deployment.redis.restart();
    let took = recovery(&deployment).await;
    assert!(took < lag.allows(WITHIN), "{took:?}");
}
