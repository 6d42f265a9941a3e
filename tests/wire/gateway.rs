//! A gateway in front of other servers: a script that misbehaves as a test asks, and our own servers over HTTP.

mod apps;
mod bounds;
mod code;
mod early_reads;
mod endless;
mod fidelity;
mod first_request;
mod groups;
mod input;
mod large_results;
mod left_out;
mod lists;
mod lock;
mod lock_file;
mod lock_texts;
mod lost_sessions;
mod messages;
mod notification_answers;
mod notifications;
mod oauth;
mod odd_entries;
mod odd_results;
mod odd_schemas;
mod odd_servers;
mod open_questions;
mod overlay;
mod ownership;
mod polled_streams;
mod processes;
mod prompts;
mod questions;
mod raw;
mod redirects;
mod reload;
mod resources;
mod restarts;
mod rows;
mod secrets;
mod sharing;
mod source_names;
mod state;
mod strata;
mod structured;
mod subject_groups;
mod tasks;
mod unreadable;

use crate::harness::{
    client::{Client, Era, connect},
    names,
    shop::saying,
    site::Site,
    text, told,
};
use pd_gateway::{Gateway, GatewayConfig};
use pd_runtime::{GateMode, Listing, PdServer, Registry};
use rmcp::model::ReadResourceRequestParams;
use serde_json::{Value, json};
use std::{
    fs,
    path::PathBuf,
    time::{Duration, Instant},
};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    time::sleep,
};

/// A directory with a configuration, the lists of its servers, and what scripts have logged.
struct Desk(TempDir);

impl Desk {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn log_file(&self, name: &str) -> PathBuf {
        self.0.path().join(format!("{name}.log"))
    }

    fn log(&self, name: &str) -> String {
        fs::read_to_string(self.log_file(name)).unwrap_or_default()
    }

    /// The entry of a script with these modes.
    fn script(&self, name: &str, modes: &[&str], pd: &Value) -> (String, Value) {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/wire/gateway/upstream.py");
        let log = self.log_file(name).to_str().unwrap().to_owned();
        let args: Vec<&str> = [script, &log]
            .into_iter()
            .chain(modes.iter().copied())
            .collect();
        (
            name.to_owned(),
            json!({ "command": "python3", "args": args, "env": { "TOKEN": "secret-value" }, "pd": pd }),
        )
    }

    fn gateway(&self, servers: impl IntoIterator<Item = (String, Value)>) -> Gateway {
        let servers: serde_json::Map<_, _> = servers.into_iter().collect();
        let path = self.0.path().join("mcp.json");
        fs::write(&path, json!({ "mcpServers": servers }).to_string()).unwrap();
        Gateway::with_cache(
            GatewayConfig::open(path).unwrap(),
            self.0.path().join("cache"),
        )
    }

    /// A gateway in front of one script called `s`, with its lists read.
    async fn one(&self, modes: &[&str], pd: Value) -> Gateway {
        let gateway = self.gateway([self.script("s", modes, &pd)]);
        gateway.refresh().await;
        gateway
    }
}

fn serve(gateway: &Gateway) -> PdServer<()> {
    PdServer::builder(gateway.registry(), ())
        .listing(Listing::Minimal)
        .build()
        .unwrap()
}

/// Asserts that a call has its own result. The script leaves `isError` out.
fn assert_succeeded(result: &Value) {
    assert_ne!(result["isError"], true, "{result}");
}

async fn until(what: &str, mut is_true: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_true() {
        assert!(
            began.elapsed() < Duration::from_secs(20),
            "{what} took too long"
        );
        sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn calls_of_every_era_reach_upstreams_of_every_era() {
    let desk = Desk::new();
    let scripts = [("old", "legacy"), ("new", "modern"), ("slow", "mute")];
    let gateway = desk.gateway(scripts.map(|(name, mode)| desk.script(name, &[mode], &json!({}))));
    gateway.refresh().await;
    let versions: Vec<_> = gateway
        .status()
        .into_iter()
        .map(|server| server.version.unwrap())
        .collect();
    assert_eq!(versions, ["2025-06-18", "2026-07-28", "2025-06-18"]);
    let server = serve(&gateway);
    for era in Era::ALL {
        let client = connect(era, &server).await;
        for name in ["old__echo", "new__echo", "slow__echo"] {
            let result = client.call_described(name, json!({ "a": [1, null] })).await;
            let params = &result["structuredContent"]["params"];
            assert_eq!(
                (&params["name"], &params["arguments"]),
                (&json!("echo"), &json!({ "a": [1, null] })),
                "{era:?}"
            );
            assert_eq!(result["_meta"]["kept"], true, "{era:?}: {result}");
            let is_modern =
                params["_meta"]["io.modelcontextprotocol/protocolVersion"] == "2026-07-28";
            assert_eq!(is_modern, name == "new__echo", "{era:?}: {params}");
        }
    }
    gateway.stop().await;
}

#[tokio::test]
async fn upstreams_over_http_speak_both_eras() {
    let tools = || {
        Registry::builder()
            .tool(saying::<()>("greet", "hello"))
            .build()
            .unwrap()
    };
    let full = |registry| {
        PdServer::builder(registry, ())
            .listing(Listing::Full)
            .build()
            .unwrap()
    };
    let site = Site::open(&full(tools()), true).await;
    let desk = Desk::new();
    let gateway = desk.gateway([(
        "web".to_owned(),
        json!({ "url": site.url, "headers": { "authorization": "Bearer alice" } }),
    )]);
    gateway.refresh().await;
    assert_eq!(
        gateway.status()[0].version.as_deref(),
        Some("2026-07-28"),
        "{:?}",
        gateway.status()
    );
    let server = serve(&gateway);
    for era in Era::ALL {
        let result = connect(era, &server)
            .await
            .call_described("web__greet", json!({}))
            .await;
        assert_eq!(text(&result), "hello", "{era:?}");
    }
    gateway.refresh_all().await;
    gateway.stop().await;
    assert!(!gateway.status()[0].is_running);
}

#[tokio::test]
async fn an_upstream_made_with_pd_runtime_needs_no_flags() {
    for listing in [Listing::Minimal, Listing::Grouped, Listing::Eager] {
        for is_stateful in [true, false] {
            let tools = Registry::builder()
                .tool(saying::<()>("greet", "hello"))
                .build()
                .unwrap();
            let upstream = PdServer::builder(tools, ())
                .listing(listing)
                .build()
                .unwrap();
            let site = Site::open(&upstream, is_stateful).await;
            let desk = Desk::new();
            let headers = json!({ "authorization": "Bearer alice" });
            let gateway = desk.gateway([(
                "web".to_owned(),
                json!({ "url": site.url, "headers": headers }),
            )]);
            gateway.refresh().await;
            let registry: Registry<()> = gateway.registry();
            assert_eq!(
                registry.names().collect::<Vec<_>>(),
                ["web__greet"],
                "{listing:?}"
            );
            for era in Era::ALL {
                let result = connect(era, &serve(&gateway))
                    .await
                    .call_described("web__greet", json!({}))
                    .await;
                assert_eq!(text(&result), "hello", "{listing:?} {era:?}");
            }
            gateway.stop().await;
        }
    }
}

/// A server of 2026-07-28 refuses a call over HTTP that does not repeat marked arguments in headers.
#[tokio::test]
async fn arguments_that_an_upstream_marks_are_sent_in_headers() {
    let marked = |header: &str| json!({ "type": "string", "x-mcp-header": header });
    let to = json!({ "type": "object", "properties": { "city": marked("City") } });
    let schema =
        json!({ "type": "object", "properties": { "region": marked("Region"), "to": to } });
    let registry = Registry::builder()
        .tool(saying::<()>("ship", "shipped").input_schema(schema))
        .build()
        .unwrap();
    let upstream = PdServer::builder(registry, ())
        .listing(Listing::Full)
        .gate(GateMode::Off)
        .build()
        .unwrap();
    let site = Site::open(&upstream, true).await;
    let desk = Desk::new();
    let headers = json!({ "authorization": "Bearer alice" });
    let gateway = desk.gateway([(
        "web".to_owned(),
        json!({ "url": site.url, "headers": headers }),
    )]);
    gateway.refresh().await;
    for era in [Era::Session, Era::Inline] {
        let client = connect(era, &serve(&gateway)).await;
        for arguments in [
            json!({}),
            json!({ "region": "eu-1", "to": { "city": "Zürich" } }),
        ] {
            assert_eq!(
                text(&client.call_described("web__ship", arguments).await),
                "shipped",
                "{era:?}"
            );
        }
    }
    gateway.stop().await;
}

/// Starts a script of this directory that serves HTTP and prints its port, and returns its URL.
async fn http_script(script: &str, args: &[&str]) -> (tokio::process::Child, String) {
    let mut upstream = tokio::process::Command::new("python3")
        .arg(format!(
            "{}/wire/gateway/{script}",
            env!("CARGO_MANIFEST_DIR")
        ))
        .args(args)
        .stdout(std::process::Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(upstream.stdout.take().unwrap()).lines();
    let url = format!(
        "http://127.0.0.1:{}",
        lines.next_line().await.unwrap().unwrap()
    );
    (upstream, url)
}

/// The session of an upstream ends behind the gateway's back. A request that met with 404 did not run.
#[tokio::test]
async fn a_call_whose_session_has_ended_begins_another() {
    let (_upstream, url) = http_script("http_upstream.py", &[]).await;
    let desk = Desk::new();
    let gateway = desk.gateway([("web".to_owned(), json!({ "url": format!("{url}/mcp") }))]);
    gateway.refresh().await;
    let client = connect(Era::Session, &serve(&gateway)).await;
    for count in ["1", "2", "3"] {
        let result = client.call_described("web__count", json!({})).await;
        assert_eq!(text(&result), count, "{result}");
        reqwest::Client::new()
            .post(format!("{url}/expire"))
            .body("{}")
            .send()
            .await
            .unwrap();
    }
    assert!(!gateway.status()[0].is_failing && gateway.status()[0].last_error.is_none());
}

/// The transport of MCP 2024-11-05. A path that ends in `/sse` says so as a `type` does.
#[tokio::test]
async fn upstreams_over_http_and_sse_are_called() {
    let (_upstream, url) = http_script("http_upstream.py", &[]).await;
    let desk = Desk::new();
    let typed = json!({ "type": "sse", "url": format!("{url}/sse") });
    let entries = [
        ("typed", typed),
        ("untyped", json!({ "url": format!("{url}/sse") })),
    ];
    let gateway = desk.gateway(entries.map(|(name, entry)| (name.to_owned(), entry)));
    gateway.refresh().await;
    let client = connect(Era::Session, &serve(&gateway)).await;
    for (name, count) in [("typed__count", "1"), ("untyped__count", "2")] {
        let result = client.call_described(name, json!({})).await;
        assert_eq!(
            text(&result),
            count,
            "{name}: {result} {:?}",
            gateway.status()
        );
    }
    reqwest::Client::new()
        .post(format!("{url}/end"))
        .body("{}")
        .send()
        .await
        .unwrap();
    until("the end of the streams", || {
        gateway.status().iter().all(|server| !server.is_running)
    })
    .await;
    sleep(Duration::from_millis(1_100)).await;
    assert_eq!(
        text(&client.call("typed__count", json!({})).await),
        "3",
        "a new stream"
    );
    gateway.stop().await;

    let gateway = desk.gateway([(
        "away".to_owned(),
        json!({ "url": format!("{url}/elsewhere/sse") }),
    )]);
    gateway.refresh().await;
    let status = gateway.status().remove(0);
    assert!(
        status
            .last_error
            .as_ref()
            .unwrap()
            .contains("another origin"),
        "{status:?}"
    );
}

#[tokio::test]
async fn a_repeatable_call_survives_the_end_of_its_upstream() {
    let desk = Desk::new();
    let gateway = desk.one(&["flaky"], json!({})).await;
    let client = connect(Era::Session, &serve(&gateway)).await;
    let result = client.call_described("s__flaky", json!({})).await;
    assert_eq!(told(&result), "flaky", "{result}");
    assert_eq!(
        desk.log("s")
            .lines()
            .filter(|line| *line == "started")
            .count(),
        2
    );
}
