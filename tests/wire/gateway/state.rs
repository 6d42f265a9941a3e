//! The state of servers, as models read it, and what one caller must not read of another.

use super::*;
use crate::harness::post::Post;
use pd_runtime::{code::CodeMode, config::Preset};

const SECRET: &str = "ghp_SECRET0123456789abcdef";

fn shell(text: &str, pd: &Value) -> Value {
    json!({ "command": "sh", "args": ["-c", text], "env": { "TOKEN": SECRET }, "pd": pd })
}

/// The entry of a server that starts after this many seconds.
fn slow(desk: &Desk, seconds: f32) -> Value {
    let (_, entry) = desk.script("slow", &[], &json!({}));
    let args: Vec<_> = entry["args"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| part.as_str().unwrap())
        .collect();
    shell(
        &format!("sleep {seconds}; exec python3 {}", args.join(" ")),
        &json!({}),
    )
}

fn follow(gateway: &Gateway) -> PdServer<(), Gateway> {
    let server = gateway.builder().build().unwrap();
    gateway.follow(&server);
    let starting = gateway.clone();
    tokio::spawn(async move { starting.refresh().await });
    server
}

#[tokio::test]
async fn calls_wait_for_a_server_that_starts_and_name_one_that_cannot() {
    for era in Era::ALL {
        let desk = Desk::new();
        let gone = json!({ "command": "no-such-program" });
        let gateway = desk.gateway([
            ("slow".to_owned(), slow(&desk, 0.7)),
            ("gone".to_owned(), gone),
        ]);
        let client = connect(era, &follow(&gateway)).await;
        let described = client
            .call("describe_tools", json!({ "names": ["slow__echo"] }))
            .await;
        assert!(
            text(&described).contains("inputSchema"),
            "{era:?}: {described}"
        );
        for (tool, arguments) in [
            ("find_tools", json!({})),
            ("find_tools", json!({ "query": "qqzzxx" })),
            ("find_tools", json!({ "query": "echo" })),
            ("list_tools", json!({})),
            ("list_tools", json!({ "path": "gone" })),
            ("describe_tools", json!({ "names": ["gone__x"] })),
            (
                "describe_tools",
                json!({ "names": ["slow__echo", "gone.x"], "detail": "signature" }),
            ),
            ("call_tool", json!({ "name": "gone__x", "arguments": {} })),
            ("gone__x", json!({})),
        ] {
            let answer = client.call(tool, arguments.clone()).await.to_string();
            assert!(
                answer.contains("`gone` failed: "),
                "{era:?} {tool} {arguments}: {answer}"
            );
            assert!(
                !answer.contains("there are none"),
                "{era:?} {tool} {arguments}: {answer}"
            );
        }
        gateway.stop().await;
    }
}

/// The answers of other meta-tools name a server that failed, and wait for one that starts.
#[tokio::test]
async fn presets_name_a_server_that_failed_and_wait_for_one_that_starts() {
    let presets = [
        (
            Preset::Tree,
            "list_tools",
            json!({ "path": "/" }),
            "describe_tool",
            json!({ "path": "/slow/slow__echo" }),
        ),
        (
            Preset::LazyMcp,
            "get_tools_in_category",
            json!({ "path": "/" }),
            "get_tools_in_category",
            json!({ "path": "slow" }),
        ),
        (
            Preset::Gram,
            "search_tools",
            json!({ "query": "qqzzxx" }),
            "describe_tools",
            json!({ "tool_names": ["slow__echo"] }),
        ),
        (
            Preset::Strata,
            "discover_server_categories",
            json!({ "user_query": "echo" }),
            "get_category_actions",
            json!({ "category_names": ["slow"] }),
        ),
    ];
    for (preset, list, all, describe, one) in presets {
        let desk = Desk::new();
        let gone = json!({ "command": "no-such-program" });
        let gateway = desk.gateway([
            ("slow".to_owned(), slow(&desk, 0.7)),
            ("gone".to_owned(), gone),
        ]);
        let server = gateway.builder().preset(preset).build().unwrap();
        gateway.follow(&server);
        let starting = gateway.clone();
        tokio::spawn(async move { starting.refresh().await });
        let client = connect(Era::Session, &server).await;
        let described = client.call(describe, one).await.to_string();
        assert!(
            described.contains("echo") && !described.contains("not known yet"),
            "{preset:?}: {described}"
        );
        let listed = client.call(list, all).await.to_string();
        assert!(listed.contains("`gone` failed: "), "{preset:?}: {listed}");
        gateway.stop().await;
    }
}

#[tokio::test]
async fn a_program_waits_for_a_server_that_starts_and_reads_why_another_failed() {
    let desk = Desk::new();
    let gone = json!({ "command": "no-such-program" });
    let gateway = desk.gateway([
        ("slow".to_owned(), slow(&desk, 0.7)),
        ("gone".to_owned(), gone),
    ]);
    let mode = CodeMode::new(env!("CARGO_BIN_EXE_library")).allow(["slow__echo"]);
    let server = gateway
        .builder()
        .gate(GateMode::Off)
        .code_mode(mode)
        .build()
        .unwrap();
    gateway.follow(&server);
    let starting = gateway.clone();
    tokio::spawn(async move { starting.refresh().await });
    let client = connect(Era::Session, &server).await;
    for (program, expected) in [
        (
            "return (await tools.slow.echo({ a: 1 })).params.arguments.a;",
            "1",
        ),
        (
            "try { await tools.gone__x({}) } catch (error) { return error.message }",
            "`gone` failed: ",
        ),
    ] {
        let result = client.call("run_code", json!({ "code": program })).await;
        assert!(text(&result).contains(expected), "{program}: {result}");
    }
    gateway.stop().await;
}

#[tokio::test]
async fn a_caller_without_the_scopes_reads_nothing_of_a_server() {
    for is_known in [true, false] {
        let desk = Desk::new();
        let pd = json!({ "scopes": ["payroll"], "summary": "SALARIES OF EVERYBODY" });
        let (_, known) = desk.script("payroll", &[], &pd);
        let entry = if is_known {
            known
        } else {
            shell("exit 1", &pd)
        };
        let gateway = desk.gateway([
            ("payroll".to_owned(), entry),
            desk.script("open", &[], &json!({})),
        ]);
        gateway.refresh().await;
        let site = Site::open(&gateway.builder().build().unwrap(), false).await;
        let (hidden, shown) = (
            Post::inline(&site.url).bearer("bob"),
            Post::inline(&site.url).bearer("ann payroll"),
        );
        let call = |name: &str, arguments: Value| json!({ "name": name, "arguments": arguments });
        for (method, params) in [
            ("server/discover", json!({})),
            ("tools/call", call("find_tools", json!({}))),
            (
                "tools/call",
                call("find_tools", json!({ "query": "qqzzxx" })),
            ),
            ("tools/call", call("list_tools", json!({}))),
        ] {
            let body = hidden.send(method, params.clone()).await.body.to_string();
            assert!(
                !body.contains("payroll") && !body.contains("SALARIES"),
                "{method} {params}: {body}"
            );
            let body = shown.send(method, params.clone()).await.body.to_string();
            assert!(body.contains("payroll"), "{method} {params}: {body}");
        }
        let unknown = |name: &str| hidden.send("tools/call", call(name, json!({})));
        let (one, other) = (
            unknown("payroll__x").await.body,
            unknown("nothing__x").await.body,
        );
        assert_eq!(
            one.to_string().replace("payroll", "nothing"),
            other.to_string()
        );
        gateway.stop().await;
    }
}

#[tokio::test]
async fn the_crash_of_one_principal_neither_shows_nor_delays_anything_to_another() {
    let desk = Desk::new();
    let gateway = desk.one(&[], json!({ "share": "principal" })).await;
    let server = gateway
        .builder()
        .listing(Listing::Minimal)
        .gate(GateMode::Off)
        .build()
        .unwrap();
    let site = Site::open(&server, false).await;
    let caller = |name: &str| Post::inline(&site.url).bearer(name);
    let (alice, bob) = (caller("alice"), caller("bob"));
    for _ in 0..2 {
        let crashed = alice.call("s__crash", json!({})).await.to_string();
        assert!(!crashed.contains("out of memory"), "{crashed}");
        let answer = bob.call("s__echo", json!({})).await;
        assert_succeeded(&answer);
    }
    let refused = alice.call("s__echo", json!({})).await.to_string();
    assert!(refused.contains("next try is in"), "{refused}");
    gateway.stop().await;
}

#[tokio::test]
async fn secrets_of_an_entry_are_in_no_error() {
    let desk = Desk::new();
    let failing = shell(
        "echo \"Error: login with $TOKEN refused\" >&2; exit 1",
        &json!({}),
    );
    let gateway = desk.gateway([("s".to_owned(), failing)]);
    gateway.refresh().await;
    let error = gateway.status().remove(0).last_error.unwrap();
    assert!(error.contains("login with *** refused"), "{error}");
    let client = connect(Era::Session, &gateway.builder().build().unwrap()).await;
    let answer = client
        .call("call_tool", json!({ "name": "s__x" }))
        .await
        .to_string();
    assert!(
        answer.contains("login with *** refused") && !answer.contains(SECRET),
        "{answer}"
    );
    let site = Site::open(&gateway.builder().build().unwrap(), false).await;
    let answer = Post::inline(&site.url)
        .call("call_tool", json!({ "name": "s__x" }))
        .await
        .to_string();
    assert!(
        answer.contains("its process ended") && !answer.contains("refused"),
        "{answer}"
    );
}

#[tokio::test]
async fn a_caller_without_a_token_does_not_act_with_the_login_of_the_owner() {
    for share in [None, Some("process")] {
        let (_upstream, url) = http_script("http_upstream.py", &[]).await;
        let desk = Desk::new();
        let pd = json!({ "oauth": { "scopes": ["read"] }, "share": share });
        let pd: serde_json::Map<_, _> = pd
            .as_object()
            .unwrap()
            .clone()
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .collect();
        let gateway = desk.gateway([(
            "web".to_owned(),
            json!({ "url": format!("{url}/mcp"), "pd": pd }),
        )]);
        gateway.refresh().await;
        let server = gateway.builder().gate(GateMode::Off).build().unwrap();
        let answer = Post::inline(&Site::open(&server, false).await.url)
            .call("web__count", json!({}))
            .await;
        assert_eq!(
            answer.to_string().contains("UPSTREAM_LOGIN_REQUIRED"),
            share.is_none(),
            "{answer}"
        );
        let answer = connect(Era::Session, &server)
            .await
            .call("web__count", json!({}))
            .await;
        assert_succeeded(&answer);
        gateway.stop().await;
    }
}
