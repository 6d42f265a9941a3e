//! A gateway in front of other servers: a script that misbehaves as a test asks, and our own servers over HTTP.

use crate::harness::{
    client::{Era, connect},
    names,
    shop::saying,
    site::Site,
    text, told,
};
use pd_runtime::{
    Listing, PdServer, Registry,
    gateway::{Gateway, GatewayConfig},
};
use rmcp::model::ReadResourceRequestParams;
use serde_json::{Value, json};
use std::{
    fs,
    path::PathBuf,
    time::{Duration, Instant},
};
use tempfile::TempDir;
use tokio::time::sleep;

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
        let args: Vec<&str> = [script, &log].into_iter().chain(modes.iter().copied()).collect();
        (name.to_owned(), json!({ "command": "python3", "args": args, "env": { "TOKEN": "secret-value" }, "pd": pd }))
    }

    fn gateway(&self, servers: impl IntoIterator<Item = (String, Value)>) -> Gateway {
        let servers: serde_json::Map<_, _> = servers.into_iter().collect();
        let path = self.0.path().join("mcp.json");
        fs::write(&path, json!({ "mcpServers": servers }).to_string()).unwrap();
        Gateway::with_cache(GatewayConfig::open(path).unwrap(), self.0.path().join("cache"))
    }

    /// A gateway in front of one script called `s`, with its lists read.
    async fn one(&self, modes: &[&str], pd: Value) -> Gateway {
        let gateway = self.gateway([self.script("s", modes, &pd)]);
        gateway.refresh().await;
        gateway
    }
}

fn serve(gateway: &Gateway) -> PdServer<()> {
    PdServer::builder(gateway.registry(), ()).build().unwrap()
}

/// Asserts that a call has its own result. The script leaves `isError` out.
fn assert_succeeded(result: &Value) {
    assert_ne!(result["isError"], true, "{result}");
}

async fn until(what: &str, mut is_true: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_true() {
        assert!(began.elapsed() < Duration::from_secs(20), "{what} took too long");
        sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn calls_of_every_era_reach_upstreams_of_every_era() {
    let desk = Desk::new();
    let scripts = [("old", "legacy"), ("new", "modern"), ("slow", "mute")];
    let gateway = desk.gateway(scripts.map(|(name, mode)| desk.script(name, &[mode], &json!({}))));
    gateway.refresh().await;
    let versions: Vec<_> = gateway.status().into_iter().map(|server| server.version.unwrap()).collect();
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
            let is_modern = params["_meta"]["io.modelcontextprotocol/protocolVersion"] == "2026-07-28";
            assert_eq!(is_modern, name == "new__echo", "{era:?}: {params}");
        }
    }
    gateway.stop().await;
}

#[tokio::test]
async fn metadata_of_the_client_is_forwarded_and_that_of_a_hop_made_anew() {
    let desk = Desk::new();
    let gateway = desk.one(&["modern"], json!({})).await;
    let client = connect(Era::Session, &serve(&gateway)).await;
    client.describe("s__echo").await;
    let meta = json!({ "com.example/trace": { "id": 7 }, "dev.pd-runtime/ticket": "none", "progressToken": "mine" });
    let result = client.call_with_meta("s__echo", json!({}), meta).await.unwrap();
    let meta = &result["structuredContent"]["params"]["_meta"];
    assert_eq!(meta["com.example/trace"], json!({ "id": 7 }));
    assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "pd-gateway");
    assert!(meta.get("dev.pd-runtime/ticket").is_none(), "{meta}");
    assert!(meta["progressToken"].is_u64(), "{meta}");
}

#[tokio::test]
async fn progress_is_forwarded_with_the_clients_token() {
    let desk = Desk::new();
    let gateway = desk.one(&[], json!({})).await;
    let client = connect(Era::Session, &serve(&gateway)).await;
    client.describe("s__count").await;
    client.call("s__count", json!({})).await;
    let noticed = client.noticed.progress.lock().unwrap().clone();
    let steps: Vec<_> = noticed.iter().map(|report| (report.progress, report.total, report.message.clone())).collect();
    let step = |number: u8| (f64::from(number), Some(3.0), Some(format!("step {number}")));
    assert_eq!(steps, [step(1), step(2), step(3)]);
}

#[tokio::test]
async fn a_call_that_the_client_cancels_is_cancelled_at_the_upstream() {
    let desk = Desk::new();
    let gateway = desk.one(&[], json!({})).await;
    let client = connect(Era::Session, &serve(&gateway)).await;
    client.describe("s__wait").await;
    let call = client.start("s__wait").await;
    until("the call", || desk.log("s").contains(r#""name":"wait""#)).await;
    call.cancel(Some("enough".to_owned())).await.unwrap();
    until("the cancellation", || desk.log("s").contains("notifications/cancelled")).await;
    let cancelled = desk.log("s").lines().rev().find_map(|line| serde_json::from_str::<Value>(line).ok()).unwrap();
    assert!(cancelled["params"]["requestId"].is_u64(), "{cancelled}");
}

#[tokio::test]
async fn a_call_of_an_upstream_that_hangs_times_out() {
    let desk = Desk::new();
    let gateway = desk.one(&[], json!({ "tools": { "wait": { "timeout": 0.3 } } })).await;
    let client = connect(Era::Session, &serve(&gateway)).await;
    client.describe("s__wait").await;
    let result = client.call("s__wait", json!({})).await;
    assert!(text(&result).contains("TIMEOUT"), "{result}");
    until("the cancellation", || desk.log("s").contains("notifications/cancelled")).await;
    assert_succeeded(&client.call_described("s__echo", json!({})).await);
}

#[tokio::test]
async fn an_upstream_that_crashes_fails_its_call_and_starts_again_after_a_pause() {
    let desk = Desk::new();
    let gateway = desk.one(&[], json!({})).await;
    let client = connect(Era::Session, &serve(&gateway)).await;
    client.describe("s__crash,s__echo").await;
    let result = client.call("s__crash", json!({})).await;
    let lost = text(&result);
    assert!(lost.contains("UPSTREAM_LOST_CALL") && lost.contains("exit status: 7"), "{lost}");
    // Without the escape, which would color the terminal of whoever reads it.
    assert!(lost.contains("out of memory") && !lost.contains('\u{1b}'), "{lost}");
    until("the end", || !gateway.status()[0].is_running).await;
    let refused = client.call("s__echo", json!({})).await;
    assert!(text(&refused).contains("UPSTREAM_UNAVAILABLE") && text(&refused).contains("next try is in"), "{refused}");
    sleep(Duration::from_millis(1_100)).await;
    assert_succeeded(&client.call("s__echo", json!({})).await);
    assert_eq!(desk.log("s").lines().filter(|line| *line == "started").count(), 2);
}

#[tokio::test]
async fn what_is_no_message_is_skipped_and_odd_ids_do_no_harm() {
    let desk = Desk::new();
    let gateway = desk.one(&["garbage", "wrong_ids", "asks"], json!({})).await;
    let client = connect(Era::Session, &serve(&gateway)).await;
    let result = client.call_described("s__echo", json!({ "text": "x" })).await;
    assert_eq!(result["structuredContent"]["params"]["arguments"], json!({ "text": "x" }));
    assert!(desk.log("s").contains(r#""code":-32601"#), "its own request was answered");
}

#[tokio::test]
async fn a_line_that_cannot_be_read_fails_its_call_alone() {
    let desk = Desk::new();
    let gateway = desk.one(&[], json!({})).await;
    let client = connect(Era::Session, &serve(&gateway)).await;
    let result = client.call_described("s__huge", json!({})).await;
    assert!(text(&result).contains("a line of over 32 MiB"), "{result}");
    let result = client.call_described("s__deep", json!({})).await;
    assert!(text(&result).contains("nested over 128 deep"), "{result}");
    assert_succeeded(&client.call_described("s__echo", json!({})).await);
    assert_eq!(desk.log("s").lines().filter(|line| *line == "started").count(), 1, "the same process");
}

#[tokio::test]
async fn an_error_of_the_upstream_reaches_the_client_as_it_is() {
    let desk = Desk::new();
    let gateway = desk.one(&[], json!({})).await;
    let client = connect(Era::Session, &serve(&gateway)).await;
    client.describe("s__refuse").await;
    let error = crate::harness::client::error_of(client.try_call("s__refuse", json!({})).await);
    assert_eq!((error.code.0, error.message.as_ref(), error.data), (-32050, "no", Some(json!({ "why": [1] }))));
}

#[tokio::test]
async fn a_child_has_the_variables_of_its_entry_and_few_others() {
    let desk = Desk::new();
    let gateway = desk.one(&[], json!({ "inheritEnv": ["CARGO_MANIFEST_DIR"] })).await;
    let client = connect(Era::Session, &serve(&gateway)).await;
    let variables = told(&client.call_described("s__environment", json!({})).await);
    let variables: Vec<&str> = variables.as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(variables.contains(&"TOKEN") && variables.contains(&"CARGO_MANIFEST_DIR") && variables.contains(&"PATH"));
    // Cargo sets many variables for this process, of which the entry names one.
    let of_cargo: Vec<_> = variables.iter().filter(|name| name.starts_with("CARGO_")).collect();
    assert_eq!(of_cargo, [&"CARGO_MANIFEST_DIR"], "{variables:?}");
    let cached: Vec<_> = fs::read_dir(desk.0.path().join("cache")).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(
        !cached.is_empty() && cached.iter().all(|file| !fs::read_to_string(file).unwrap().contains("secret-value"))
    );
}

#[tokio::test]
async fn lists_of_an_earlier_run_need_no_process() {
    let desk = Desk::new();
    desk.one(&[], json!({})).await.stop().await;
    let started = desk.log("s");
    let gateway = desk.gateway([desk.script("s", &[], &json!({}))]);
    gateway.refresh().await;
    let client = connect(Era::Session, &serve(&gateway)).await;
    assert!(client.describe("s__echo").await["s__echo"]["description"].is_string());
    assert_eq!(desk.log("s"), started, "no process was started");
    assert_succeeded(&client.call("s__echo", json!({})).await);
    assert_ne!(desk.log("s"), started);
}

#[tokio::test]
async fn an_empty_or_failing_list_never_replaces_a_good_one() {
    for (mode, reason) in [("no_tools", "its list of tools is empty"), ("failing_list", "no list today")] {
        let desk = Desk::new();
        desk.one(&[], json!({})).await.stop().await;
        fs::write(desk.log_file("s").with_extension("log.modes"), mode).unwrap();
        let gateway = desk.gateway([desk.script("s", &[], &json!({}))]);
        gateway.refresh_all().await;
        let status = gateway.status().remove(0);
        assert_eq!(status.tools, 10, "{mode}");
        assert!(status.last_error.as_ref().unwrap().contains(reason), "{status:?}");
    }
}

#[tokio::test]
async fn a_changed_list_reaches_clients() {
    let desk = Desk::new();
    let gateway = desk.one(&[], json!({})).await;
    let server = serve(&gateway);
    gateway.follow(&server);
    let client = connect(Era::Session, &server).await;
    client.call_described("s__grow", json!({})).await;
    client.hears_changes(1).await;
    let list = client.list().await;
    assert!(names(&list["tools"]).contains(&"s__grown"), "{list}");
}

#[tokio::test]
async fn a_bad_definition_takes_no_other_tool_with_it() {
    let desk = Desk::new();
    let gateway = desk.one(&["bad_tools"], json!({})).await;
    let registry: Registry<()> = gateway.registry();
    let offered: Vec<&str> = registry.names().collect();
    assert_eq!(offered.len(), 12, "{offered:?}");
    assert!(offered.iter().all(|name| name.len() <= 64), "{offered:?}");
    let left_out = gateway.status().remove(0).left_out;
    let named: Vec<&str> = left_out.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(named, ["no_schema", "not_an_object", "recursive", "hidden", "large"], "{left_out:?}");
    let client = connect(Era::Session, &serve(&gateway)).await;
    let dotted = offered.iter().find(|name| name.starts_with("s__with_dots")).unwrap();
    assert_eq!(told(&client.call_described(dotted, json!({})).await), "with.dots/and more");
}

#[tokio::test]
async fn names_have_the_prefix_of_their_entry() {
    let desk = Desk::new();
    let gateway = desk.gateway([
        desk.script("one", &[], &json!({ "prefix": "", "include": ["ec*", "count"], "pin": ["echo"] })),
        desk.script("two", &[], &json!({ "prefix": "", "exclude": ["count", "e*"], "summary": "The second" })),
    ]);
    gateway.refresh().await;
    let registry: Registry<()> = gateway.registry();
    let names: Vec<&str> = registry.names().collect();
    assert_eq!(names, ["echo", "count", "wait", "crash", "huge", "link", "deep", "grow", "refuse"]);
    assert_eq!(
        registry.groups().iter().map(|group| group.summary.as_str()).collect::<Vec<_>>(),
        ["A script for tests", "The second"]
    );
    let gateway = desk.gateway(["one", "two"].map(|name| desk.script(name, &[], &json!({ "prefix": "" }))));
    gateway.refresh().await;
    let second = gateway.status().remove(1);
    assert_eq!(second.left_out.len(), 10);
    assert!(second.left_out[0].1.contains("set another `prefix`"), "{:?}", second.left_out[0]);
}

/// The process ids of a stubborn script and of its child.
#[cfg(target_os = "linux")]
fn pids(desk: &Desk) -> Vec<String> {
    let log = desk.log("s");
    let pids = log.lines().find_map(|line| line.strip_prefix("pids "));
    pids.unwrap_or_default().split_whitespace().map(str::to_owned).collect()
}

#[cfg(target_os = "linux")]
fn lives(pid: &String) -> bool {
    // A zombie has ended; only its parent has not asked yet.
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_process_that_ignores_its_end_is_killed_with_its_children() {
    for mode in ["stubborn", "parent"] {
        let desk = Desk::new();
        let gateway = desk.one(&[mode], json!({})).await;
        let pids = pids(&desk);
        assert_eq!(pids.iter().filter(|pid| lives(pid)).count(), 2, "{mode}");
        gateway.stop().await;
        until("the end of both", || !pids.iter().any(lives)).await;
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_killed_gateway_leaves_no_process_behind() {
    let desk = Desk::new();
    drop(desk.gateway([desk.script("s", &["stubborn"], &json!({}))]));
    let directory = desk.0.path();
    let mut gateway = tokio::process::Command::new(env!("CARGO_BIN_EXE_gateway"))
        .arg("--config")
        .arg(directory.join("mcp.json"))
        .arg("--cache")
        .arg(directory.join("cache"))
        .arg("serve")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    until("the start", || desk.log("s").contains("tools/list")).await;
    let pids = pids(&desk);
    assert_eq!(pids.iter().filter(|pid| lives(pid)).count(), 2);
    // SIGKILL: the gateway has no time to end anything.
    gateway.kill().await.unwrap();
    let began = Instant::now();
    until("the end of both", || !pids.iter().any(lives)).await;
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_resource_is_read_from_the_server_that_its_uri_came_from() {
    let desk = Desk::new();
    let secret = desk.script("secret", &[], &json!({ "scopes": ["hidden"] }));
    let gateway = desk.gateway([desk.script("s", &[], &json!({})), secret]);
    gateway.refresh().await;
    let server = PdServer::builder(gateway.registry(), ()).with_resources(gateway.clone()).build().unwrap();
    let client = connect(Era::Session, &server).await;
    let listed = serde_json::to_value(client.running.list_all_resources().await.unwrap()).unwrap();
    let memo = listed.as_array().unwrap().iter().find(|resource| resource["uri"] == "memo://one");
    assert_eq!(memo.unwrap()["name"], "one", "{listed}");
    let templates = serde_json::to_value(client.running.list_all_resource_templates().await.unwrap()).unwrap();
    assert!(templates.to_string().contains("memo://{id}/text"), "{templates}");
    for uri in ["memo://one", "memo://7/text"] {
        assert_eq!(client.read(uri).await["contents"][0], json!({ "uri": uri, "text": "read" }));
    }
    let read = async |uri: &str| client.running.read_resource(ReadResourceRequestParams::new(uri)).await;
    assert!(read("odd://issued").await.is_err(), "nobody has issued it");
    client.call_described("s__link", json!({})).await;
    assert!(read("odd://issued").await.is_ok());
    // A caller without the scope sees neither the server's tools nor its resources.
    let gateway = desk.gateway([desk.script("secret", &[], &json!({ "scopes": ["hidden"] }))]);
    let server = PdServer::builder(gateway.registry(), ()).with_resources(gateway.clone()).build().unwrap();
    let anonymous = connect(Era::HttpSession, &server).await;
    assert!(anonymous.running.read_resource(ReadResourceRequestParams::new("memo://one")).await.is_err());
}

#[tokio::test]
async fn upstreams_over_http_speak_both_eras() {
    let tools = || Registry::builder().tool(saying::<()>("greet", "hello")).build().unwrap();
    let full = |registry| PdServer::builder(registry, ()).listing(Listing::Full).build().unwrap();
    let site = Site::open(&full(tools()), true).await;
    let desk = Desk::new();
    let gateway =
        desk.gateway([("web".to_owned(), json!({ "url": site.url, "headers": { "authorization": "Bearer alice" } }))]);
    gateway.refresh().await;
    assert_eq!(gateway.status()[0].version.as_deref(), Some("2026-07-28"), "{:?}", gateway.status());
    let server = serve(&gateway);
    for era in Era::ALL {
        let result = connect(era, &server).await.call_described("web__greet", json!({})).await;
        assert_eq!(text(&result), "hello", "{era:?}");
    }
    gateway.refresh_all().await;
    gateway.stop().await;
    assert!(!gateway.status()[0].is_running);
}
