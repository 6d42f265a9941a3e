//! How long and how many at once: timeouts, turns, and places that come free whatever a call ends in.

use super::retry_after;
use crate::harness::{
    client::{Client, Era, connect},
    code,
    post::Post,
    site::Site,
    text, told,
};
use futures::{
    FutureExt,
    future::{BoxFuture, join_all},
};
use pd_runtime::{
    CallContext, GateMode, IntoOutput, Limits, PdServer, Registry, Tool, ToolError, prelude::*,
    tool::ToolResult,
};
use serde_json::json;
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::sync::{Notify, Semaphore};

/// What the tools touch.
#[derive(Debug)]
struct Oven {
    /// How many bake now, and how many did at most.
    baking: AtomicUsize,
    most: AtomicUsize,
    /// Lets waiting ones go on.
    done: Semaphore,
    heard: Notify,
}

impl Default for Oven {
    fn default() -> Self {
        let (baking, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self {
            baking,
            most,
            done: Semaphore::new(0),
            heard: Notify::new(),
        }
    }
}

/// Counts who bakes while it lives.
struct Baking<'a>(&'a Oven);

impl<'a> Baking<'a> {
    fn begin(oven: &'a Oven) -> Self {
        oven.most.fetch_max(
            oven.baking.fetch_add(1, Ordering::SeqCst) + 1,
            Ordering::SeqCst,
        );
        Self(oven)
    }
}

impl Drop for Baking<'_> {
    fn drop(&mut self) {
        self.0.baking.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Bakes until it is let go on, or the client has no more use for it.
async fn bake(oven: &Oven, call: &CallContext) -> ToolResult {
    let _baking = Baking::begin(oven);
    tokio::select! {
        done = oven.done.acquire() => done.unwrap().forget(),
        () = call.cancellation().cancelled() => return Err(ToolError::new("COLD", "cancelled")),
    }
    "done".into_output()
}

/// Burns until it hears that nobody waits any more.
fn burn(oven: &Oven, call: &CallContext) -> ToolResult {
    let _baking = Baking::begin(oven);
    while !call.is_cancelled() {
        std::thread::sleep(Duration::from_millis(2));
    }
    oven.heard.notify_one();
    std::thread::sleep(Duration::from_millis(300));
    "burnt".into_output()
}

/// A call that watches its own cancellation from elsewhere, and never ends by itself.
async fn forget(oven: &'static Oven, call: &CallContext) -> ToolResult {
    let token = call.cancellation().clone();
    tokio::spawn(async move {
        token.cancelled().await;
        oven.heard.notify_one();
    });
    let _baking = Baking::begin(oven);
    std::future::pending().await
}

fn tool<F>(name: &'static str, run: F) -> Tool<&'static Oven>
where
    F: for<'a> Fn(&'static Oven, &'a CallContext) -> BoxFuture<'a, ToolResult>
        + Send
        + Sync
        + 'static,
{
    Tool::new(
        name,
        "Bake something",
        move |oven: &&'static Oven, call, _| run(oven, call),
    )
}

fn baker() -> Tool<&'static Oven> {
    tool("bake", |oven, call| bake(oven, call).boxed())
}

fn shared(
    tools: impl IntoIterator<Item = Tool<&'static Oven>>,
    limits: Limits,
) -> PdServer<&'static Oven> {
    let oven: &'static Oven = Box::leak(Box::default());
    let registry = Registry::builder().tools(tools).build().unwrap();
    PdServer::builder(registry, oven)
        .gate(GateMode::Off)
        .limits(limits)
        .build()
        .unwrap()
}

/// Waits until so many bake.
async fn bakes(oven: &Oven, count: usize) {
    let reached = async {
        while oven.baking.load(Ordering::SeqCst) != count {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), reached)
        .await
        .expect("in time");
}

async fn call(client: &Client, name: &str) -> serde_json::Value {
    client.call(name, json!({})).await
}

#[tokio::test]
async fn a_tool_that_takes_too_long_is_stopped_and_hears_of_it() {
    join_all(Era::ALL.map(|era| async move {
        let timed = tool("forget", |oven, call| forget(oven, call).boxed()).timeout(Duration::from_millis(50));
        let server = shared([timed], Limits::default());
        let oven: &Oven = server.state();
        let client = connect(era, &server).await;
        let ended = call(&client, "forget").await;
        assert_eq!(code(&ended), ToolError::TIMEOUT, "{era:?}");
        let message =
            "the tool was stopped after 50ms, as long as it may run; ask for less at once, or try again later";
        assert_eq!(told(&ended)["error"]["message"], message);
        tokio::time::timeout(Duration::from_secs(5), oven.heard.notified()).await.expect("the tool hears");
        bakes(oven, 0).await;
    }))
    .await;
}

#[tokio::test]
async fn the_servers_timeout_is_for_tools_without_one() {
    let own = tool("own", |_, _| {
        tokio::time::sleep(Duration::from_millis(200))
            .map(|()| "done".into_output())
            .boxed()
    });
    let servers = tool("servers", |oven, call| forget(oven, call).boxed());
    let limits = Limits::default().call_timeout(Duration::from_millis(50));
    let client = connect(
        Era::Session,
        &shared([own.timeout(Duration::from_secs(60)), servers], limits),
    )
    .await;
    assert_eq!(text(&call(&client, "own").await), "done");
    assert_eq!(code(&call(&client, "servers").await), ToolError::TIMEOUT);
}

#[tokio::test]
async fn a_blocking_tool_hears_of_its_timeout_and_keeps_its_place_until_it_ends() {
    let burner = tool("burn", |oven, call| async move { burn(oven, call) }.boxed());
    let burner = burner
        .blocking()
        .concurrency(1)
        .timeout(Duration::from_millis(50));
    let server = shared(
        [burner],
        Limits::default().queue_timeout(Duration::from_millis(20)),
    );
    let oven: &Oven = server.state();
    let client = connect(Era::Session, &server).await;
    assert_eq!(code(&call(&client, "burn").await), ToolError::TIMEOUT);
    tokio::time::timeout(Duration::from_secs(5), oven.heard.notified())
        .await
        .expect("the thread hears");
    assert_eq!(oven.baking.load(Ordering::SeqCst), 1, "the thread goes on");
    let busy = call(&client, "burn").await;
    assert_eq!(code(&busy), ToolError::BUSY);
    assert_eq!(retry_after(&busy), Some(1));
    bakes(oven, 0).await;
    assert_eq!(
        code(&call(&client, "burn").await),
        ToolError::TIMEOUT,
        "it has begun"
    );
    assert_eq!(oven.most.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn as_many_run_at_once_as_may_and_the_others_wait_for_their_turn() {
    for (tools, limits) in [
        ([baker().concurrency(2)], Limits::default()),
        ([baker()], Limits::default().concurrent_calls(2)),
    ] {
        let server = shared(tools, limits);
        let oven: &Oven = server.state();
        let client = connect(Era::Session, &server).await;
        let calls = async { join_all((0..6).map(|_| call(&client, "bake"))).await };
        let release = async {
            bakes(oven, 2).await;
            tokio::time::sleep(Duration::from_millis(50)).await;
            assert_eq!(oven.baking.load(Ordering::SeqCst), 2);
            oven.done.add_permits(6);
        };
        let (ended, ()) = tokio::join!(calls, release);
        assert!(
            ended.iter().all(|result| text(result) == "done"),
            "{ended:?}"
        );
        assert_eq!(oven.most.load(Ordering::SeqCst), 2);
    }
}

#[tokio::test]
async fn a_principal_with_many_calls_leaves_places_to_others() {
    let limits = Limits::default()
        .concurrent_calls(4)
        .queue_timeout(Duration::from_millis(100));
    for (limits, shared_out) in [
        (limits.clone(), 2),
        (limits.clone().concurrent_calls_each(3), 3),
        (limits.concurrent_calls_each(None), 4),
    ] {
        let server = shared([baker()], limits);
        let oven: &Oven = server.state();
        let site = Site::open(&server, false).await;
        let bake = |bearer: &str| {
            let post = Post::inline(&site.url).bearer(bearer);
            async move { post.call("bake", json!({})).await }
        };
        let many = join_all((0..6).map(|_| bake("alice")));
        let other = async {
            bakes(oven, shared_out).await;
            // The rest of them has waited in vain by then.
            tokio::time::sleep(Duration::from_millis(300)).await;
            let (baked, ()) = tokio::join!(bake("bob"), async {
                if shared_out < 4 {
                    bakes(oven, shared_out + 1).await;
                }
                oven.done.add_permits(6);
            });
            baked
        };
        let (many, other) = tokio::join!(many, other);
        assert_eq!(text(&other), "done");
        assert_eq!(
            many.iter().filter(|result| text(result) == "done").count(),
            shared_out
        );
        assert!(
            many.iter()
                .filter(|result| text(result) != "done")
                .all(|result| code(result) == ToolError::BUSY)
        );
    }
}

#[tokio::test]
async fn who_has_waited_in_vain_hears_that_the_tool_is_busy() {
    let limits = Limits::default().queue_timeout(Duration::from_millis(100));
    let server = shared(
        [
            baker().concurrency(1),
            tool("other", |_, _| async { "other".into_output() }.boxed()),
        ],
        limits,
    );
    let oven: &Oven = server.state();
    let client = connect(Era::HttpSession, &server).await;
    let busy = async {
        bakes(oven, 1).await;
        let begun = Instant::now();
        let busy = call(&client, "bake").await;
        assert!(
            begun.elapsed() >= Duration::from_millis(100),
            "{:?}",
            begun.elapsed()
        );
        assert_eq!(
            text(&call(&client, "other").await),
            "other",
            "another tool has places of its own"
        );
        oven.done.add_permits(1);
        busy
    };
    let (ended, busy) = tokio::join!(call(&client, "bake"), busy);
    assert_eq!(text(&ended), "done");
    assert_eq!(code(&busy), ToolError::BUSY);
    let message = "1 such calls are already running, the limit; wait a little, then call again";
    assert_eq!(told(&busy)["error"]["message"], message);
}

#[tokio::test]
async fn a_panic_frees_the_place() {
    for blocking in [false, true] {
        let falling = tool("fall", |_, _| async { panic!("the cake fell") }.boxed()).concurrency(1);
        let falling = if blocking {
            falling.blocking()
        } else {
            falling
        };
        let server = shared(
            [falling],
            Limits::default()
                .queue_timeout(Duration::from_secs(1))
                .concurrent_calls(1),
        );
        let client = connect(Era::Session, &server).await;
        for _ in 0..3 {
            assert_eq!(code(&call(&client, "fall").await), ToolError::INTERNAL);
        }
    }
}

#[tokio::test]
async fn a_cancelled_call_frees_the_place_and_one_that_waits_leaves_the_line() {
    let server = shared(
        [baker().concurrency(1).timeout(Duration::from_secs(60))],
        Limits::default(),
    );
    let oven: &Oven = server.state();
    let client = connect(Era::Session, &server).await;
    let running = client.start("bake").await;
    bakes(oven, 1).await;
    let waiting = client.start("bake").await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    waiting.cancel(None).await.expect("cancelled");
    running.cancel(None).await.expect("cancelled");
    bakes(oven, 0).await;
    oven.done.add_permits(1);
    assert_eq!(text(&call(&client, "bake").await), "done");
    assert_eq!(oven.most.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn what_runs_on_a_replaced_catalog_still_counts() {
    let server = shared(
        [baker().concurrency(1)],
        Limits::default().queue_timeout(Duration::from_millis(50)),
    );
    let oven: &Oven = server.state();
    let client = Arc::new(connect(Era::Session, &server).await);
    let running = tokio::spawn({
        let client = client.clone();
        async move { call(&client, "bake").await }
    });
    bakes(oven, 1).await;
    let again = || {
        Registry::builder()
            .tool(baker().concurrency(1))
            .build()
            .unwrap()
    };
    server.replace(again()).unwrap();
    assert_eq!(code(&call(&client, "bake").await), ToolError::BUSY);
    oven.done.add_permits(2);
    assert_eq!(text(&running.await.unwrap()), "done");
    assert_eq!(text(&call(&client, "bake").await), "done");
    assert_eq!(oven.most.load(Ordering::SeqCst), 1);
}

#[pd_tool(summary = "Sleep for a minute", timeout = "20ms", concurrency = 3)]
async fn sleep() {
    tokio::time::sleep(Duration::from_secs(60)).await;
}

#[pd_tool(summary = "Doze for a moment", blocking, timeout = "10m")]
fn doze() -> String {
    std::thread::sleep(Duration::from_millis(5));
    "awake".to_owned()
}

#[tokio::test]
async fn the_keys_of_a_declared_tool_are_kept_to() {
    let registry: Registry<()> = pd_runtime::registry! { sleep, doze };
    let server = PdServer::builder(registry, ())
        .gate(GateMode::Off)
        .build()
        .unwrap();
    let client = connect(Era::Session, &server).await;
    assert_eq!(code(&call(&client, "sleep").await), ToolError::TIMEOUT);
    assert_eq!(text(&call(&client, "doze").await), "awake");
}
