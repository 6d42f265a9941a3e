//! Calls that their client has cancelled: the tool's future is dropped, its permit is free, and no progress follows.

use crate::harness::{
    client::{Era, connect},
    post::Post,
    site::Site,
};
use crate::seen::Kept;
use pd_runtime::{CallContext, GateMode, Listing, PdServer, ToolError, prelude::pd_tool, serve};
use rmcp::{ErrorData, RoleServer, ServerHandler, service::RequestContext, tool, tool_router};
use serde_json::json;
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time::{Instant, sleep, timeout},
};

const ERAS: [Era; 4] = [Era::Session, Era::Inline, Era::HttpSession, Era::HttpInline];

/// Counts the calls that run, and those that have begun.
#[derive(Debug, Default, Clone)]
struct Running(Arc<AtomicUsize>, Arc<AtomicUsize>);

struct OneCall(Running);

impl Running {
    fn enter(&self) -> OneCall {
        self.0.fetch_add(1, SeqCst);
        self.1.fetch_add(1, SeqCst);
        OneCall(self.clone())
    }

    /// Waits until so many calls run.
    async fn is(&self, calls: usize) -> bool {
        let reached = async {
            while self.0.load(SeqCst) != calls {
                sleep(Duration::from_millis(2)).await;
            }
        };
        timeout(Duration::from_secs(2), reached).await.is_ok()
    }
}

impl Drop for OneCall {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, SeqCst);
    }
}

/// Sleep for a minute, and say so.
#[pd_tool(concurrency = 1)]
async fn sleeps(running: &Running, call: &CallContext) {
    let _one = running.enter();
    for step in 0..3_000_u32 {
        call.progress(f64::from(step), None, "asleep").await;
        sleep(Duration::from_millis(20)).await;
    }
}

/// Sleep for a minute under a time limit.
#[pd_tool(concurrency = 1, timeout = "50s")]
async fn limited(running: &Running) {
    let _one = running.enter();
    sleep(Duration::from_secs(60)).await;
}

/// See the cancellation and end in its own way.
#[pd_tool(concurrency = 1)]
async fn sees(running: &Running, call: &CallContext) {
    let _one = running.enter();
    call.cancellation().cancelled().await;
    sleep(Duration::from_millis(20)).await;
    running.0.fetch_add(100, SeqCst);
}

/// See the cancellation and fail.
#[pd_tool(concurrency = 1)]
async fn gives_up(running: &Running, call: &CallContext) -> Result<(), ToolError> {
    let _one = running.enter();
    call.cancellation().cancelled().await;
    Err(ToolError::from_display("stopped half way"))
}

/// Fail at once.
#[pd_tool]
async fn fails() -> Result<(), ToolError> {
    Err(ToolError::from_display("no"))
}

/// Sleep for a moment.
#[pd_tool]
async fn shortly() {
    sleep(Duration::from_millis(20)).await;
}

fn server(running: &Running) -> PdServer<Running> {
    let registry = pd_runtime::registry! { sleeps, limited, sees };
    PdServer::builder(registry, running.clone())
        .listing(Listing::Full)
        .gate(GateMode::Off)
        .build()
        .unwrap()
}

#[derive(Debug)]
struct Adopted(Running);

#[tool_router]
impl Adopted {
    /// Sleep for a minute.
    #[tool]
    async fn sleeps(&self, _context: RequestContext<RoleServer>) -> Result<String, ErrorData> {
        let _one = self.0.enter();
        sleep(Duration::from_secs(60)).await;
        Ok(String::new())
    }
}

impl ServerHandler for Adopted {}

#[tokio::test]
async fn a_cancelled_call_stops_and_its_permit_is_free() {
    for era in ERAS {
        for name in ["sleeps", "limited"] {
            let running = Running::default();
            let client = connect(era, &server(&running)).await;
            let call = client.start(name).await;
            assert!(running.is(1).await, "{era:?}, {name}: it runs");
            call.cancel(None).await.unwrap();
            let begun = Instant::now();
            let again = client.start(name).await;
            while running.1.load(SeqCst) < 2 && begun.elapsed() < Duration::from_secs(2) {
                sleep(Duration::from_millis(2)).await;
            }
            assert!(
                begun.elapsed() < Duration::from_secs(1),
                "{era:?}, {name}: {:?}",
                begun.elapsed()
            );
            again.cancel(None).await.unwrap();
            assert!(running.is(0).await, "{era:?}, {name}: nothing runs");
        }
    }
}

#[tokio::test]
async fn no_progress_follows_a_cancellation() {
    for era in ERAS {
        let running = Running::default();
        let client = connect(era, &server(&running)).await;
        let call = client.start("sleeps").await;
        assert!(running.is(1).await, "{era:?}: it runs");
        sleep(Duration::from_millis(100)).await;
        call.cancel(None).await.unwrap();
        sleep(Duration::from_millis(60)).await;
        let reports = || client.noticed.progress.lock().unwrap().len();
        let before = reports();
        sleep(Duration::from_millis(300)).await;
        assert_eq!(reports(), before, "{era:?}");
    }
}

/// Not in memory: the end of the input is no end of the client, which may read answers still.
#[tokio::test]
async fn a_call_ends_with_its_session_or_stream() {
    for name in ["sleeps", "limited"] {
        let running = Running::default();
        let router = serve::router(
            &server(&running),
            &serve::HttpOptions::default(),
            Default::default(),
        );
        let site = Site::serve(router.unwrap()).await;
        for is_inline in [false, true] {
            let post = if is_inline {
                Post::inline(&site.url)
            } else {
                Post::session(&site.url, None).await
            };
            let caller = post.clone();
            let call = tokio::spawn(async move {
                caller
                    .send("tools/call", json!({ "name": name }))
                    .await
                    .status
            });
            assert!(running.is(1).await, "{name}, {is_inline}: it runs");
            if is_inline {
                call.abort();
            } else {
                let end = reqwest::Client::new()
                    .delete(&site.url)
                    .header("mcp-session-id", post.session_id());
                assert!(end.send().await.unwrap().status().is_success());
            }
            assert!(running.is(0).await, "{name}, {is_inline}: it stops");
        }
    }
}

#[tokio::test]
async fn a_tool_that_sees_its_token_ends_in_its_own_way() {
    for era in ERAS {
        let running = Running::default();
        let client = connect(era, &server(&running)).await;
        let call = client.start("sees").await;
        assert!(running.is(1).await, "{era:?}: it runs");
        call.cancel(None).await.unwrap();
        assert!(running.is(100).await, "{era:?}: it ended by itself");
    }
}

#[tokio::test]
async fn a_cancelled_call_is_recorded_as_abandoned_and_not_as_failed() {
    let cases = [
        ("sleeps", "abandoned"),
        ("limited", "abandoned"),
        ("gives_up", "abandoned"),
        ("sees", "done"),
    ];
    for era in ERAS {
        let (running, kept) = (Running::default(), Kept::new());
        let registry = pd_runtime::registry! { sleeps, limited, sees, gives_up, fails };
        let builder = PdServer::builder(registry, running.clone())
            .listing(Listing::Full)
            .gate(GateMode::Off);
        let server = builder.audit(kept.clone()).build().unwrap();
        let client = connect(era, &server).await;
        client.start("fails").await.await_response().await.unwrap();
        assert_eq!(outcome(&kept).await, "failed", "{era:?}");
        for (name, expected) in cases {
            let started = running.1.load(SeqCst);
            let call = client.start(name).await;
            while running.1.load(SeqCst) == started {
                sleep(Duration::from_millis(2)).await;
            }
            call.cancel(None).await.unwrap();
            assert_eq!(outcome(&kept).await, expected, "{era:?}: {name}");
        }
    }
}

/// Waits for the end of a call, and returns its outcome.
async fn outcome(kept: &Kept) -> String {
    let ended = async {
        loop {
            let events = kept.take();
            if let Some(call) = events.iter().find(|event| event["event"] == "called") {
                return call["outcome"].as_str().unwrap().to_owned();
            }
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(Duration::from_secs(5), ended).await.unwrap()
}

#[tokio::test]
async fn an_adopted_tool_stops_as_well() {
    for era in ERAS {
        let running = Running::default();
        let adopted = PdServer::adopt(Adopted(running.clone()), Adopted::tool_router());
        let server = adopted
            .listing(Listing::Full)
            .gate(GateMode::Off)
            .build()
            .unwrap();
        let client = connect(era, &server).await;
        let call = client.start("sleeps").await;
        assert!(running.is(1).await, "{era:?}: it runs");
        call.cancel(None).await.unwrap();
        assert!(running.is(0).await, "{era:?}: it stops");
    }
}

/// Some clients read on while they close, and fail at a message that comes then.
#[tokio::test]
async fn a_cancelled_call_of_a_client_that_has_left_has_no_answer() {
    for (name, answers) in [("sleeps", 1), ("shortly", 2)] {
        let registry = pd_runtime::registry! { sleeps, shortly };
        let builder = PdServer::builder(registry, Running::default())
            .listing(Listing::Full)
            .gate(GateMode::Off);
        let server = builder
            .shutdown_grace(Duration::from_millis(300))
            .build()
            .unwrap();
        let (client, host) = tokio::io::duplex(1 << 16);
        let serving =
            tokio::spawn(async move { serve::transport(&server, tokio::io::split(host)).await });
        let (mut output, mut input) = tokio::io::split(client);
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "a", "version": "1" } });
        for message in [
            json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }),
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
            json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": name, "arguments": {} } }),
        ] {
            input
                .write_all(format!("{message}\n").as_bytes())
                .await
                .unwrap();
        }
        input.shutdown().await.unwrap();
        let mut read = String::new();
        timeout(Duration::from_secs(5), output.read_to_string(&mut read))
            .await
            .expect("the server ends")
            .unwrap();
        assert_eq!(read.lines().count(), answers, "{name}: {read}");
        serving.await.unwrap().unwrap();
    }
}
