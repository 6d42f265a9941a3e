//! Every surface in every era, and the events that it must raise.

use super::Kept;
use crate::harness::{
    client::{Era, ticket},
    names,
    post::Post,
    raw::Raw,
    shop::{self, Shop},
    site::Site,
    told, with_extension,
};
use pd_runtime::{
    GateMode, Group, Limits, Listing, Metrics, PdServer, Registry, ServerBuilder,
    config::{MetaTools, Rate, Refusal},
};
use serde_json::{Value, json};
use std::sync::Arc;

fn seen(server: ServerBuilder<Shop>) -> (ServerBuilder<Shop>, Arc<Kept>) {
    let kept = Kept::new();
    let server = server
        .listing(Listing::Minimal)
        .meta_tools(MetaTools::all())
        .audit(kept.clone());
    (server, kept)
}

fn read(names: &str) -> (&'static str, Value) {
    (
        "resources/read",
        json!({ "uri": format!("resource:///tool_descriptions?tools={names}") }),
    )
}

fn call(name: &str, arguments: Value) -> (&'static str, Value) {
    (
        "tools/call",
        json!({ "name": name, "arguments": arguments }),
    )
}

/// What is asked, and what must be seen of it.
fn script() -> Vec<((&'static str, Value), &'static [&'static str])> {
    vec![
        (
            read("greet,nothing"),
            &[
                "missed name, resources/read",
                "described greet, resources/read",
            ],
        ),
        (read(""), &[]),
        (
            call("describe_tools", json!({ "names": ["stock", "pay"] })),
            &[
                "described stock, describe_tools",
                "described pay, describe_tools",
            ],
        ),
        (
            call(
                "describe_tools",
                json!({ "names": ["stock"], "detail": "signature" }),
            ),
            &["described stock, describe_tools"],
        ),
        (
            call(
                "describe_tools",
                json!({ "names": ["stock", "no"], "detail": "summary" }),
            ),
            &[
                "listed stock, describe_tools",
                "missed name, describe_tools",
            ],
        ),
        (
            call("list_tools", json!({ "path": "till" })),
            &["listed pay grumble protest, list_tools"],
        ),
        (
            call("find_tools", json!({ "query": "zzz qqq" })),
            &["missed query, find_tools"],
        ),
        (
            ("tools/describe", json!({ "names": ["pay", "stock"] })),
            &[
                "described pay, tools/describe",
                "described stock, tools/describe",
            ],
        ),
        (
            ("tools/describe", json!({ "names": ["pay", "nothing"] })),
            &["missed name, tools/describe"],
        ),
        (
            ("tools/describe", json!({ "name": "pay" })),
            &["described pay, tools/describe"],
        ),
        (
            ("tools/describe", json!({ "name": "nothing" })),
            &["missed name, tools/describe"],
        ),
        (call("nothing", json!({})), &["missed name, tools/call"]),
        (
            call("order", json!({ "article": "tea" })),
            &[
                "refused order not_disclosed, tools/call",
                "described order, tools/call",
            ],
        ),
        (
            call("call_tool", json!({ "name": "bake" })),
            &[
                "refused bake not_disclosed, call_tool",
                "described bake, call_tool",
            ],
        ),
        (
            call("call_tool", json!({ "name": "nothing" })),
            &["missed name, call_tool"],
        ),
        (call("hours", json!({})), &["called hours done, tools/call"]),
        (
            call("hours", json!({ "day": 7 })),
            &["called hours invalid, tools/call"],
        ),
        (
            call("hours", json!("no object")),
            &["called hours invalid, tools/call"],
        ),
        (
            call("call_tool", json!({ "name": "hours", "arguments": {} })),
            &["called hours done, call_tool"],
        ),
        (("resources/list", json!({})), &[]),
    ]
}

#[tokio::test]
async fn each_request_raises_what_it_did() {
    for era in Era::ALL {
        let (server, kept) = seen(shop::server());
        let mut client = Raw::connect(era, &server.build().unwrap()).await;
        kept.take();
        for ((method, params), expected) in script() {
            // Over HTTP a stateless caller's bearer sees no `refund`, the owner of a pipe does.
            client.request(method, params.clone()).await;
            let lines: Vec<_> = kept
                .lines()
                .into_iter()
                .map(|line| line.replace("pay refund ", "pay "))
                .collect();
            assert_eq!(lines, expected, "{era:?}: {method} {params}");
        }
    }
}

#[tokio::test]
async fn a_list_raises_what_it_shows() {
    for listing in [
        Listing::Minimal,
        Listing::Full,
        Listing::Grouped,
        Listing::Eager,
    ] {
        for era in Era::ALL {
            let (server, kept) = seen(shop::server());
            let mut client = Raw::connect(era, &server.listing(listing).build().unwrap()).await;
            for (method, key) in [("tools/list", "tools"), ("tools/manifest", "entries")] {
                kept.take();
                let listed = client.result(method, json!({})).await;
                let meta_tools = [
                    "find_tools",
                    "list_tools",
                    "describe_tools",
                    "call_tool",
                    "call_read_only_tool",
                ];
                let shown: Vec<_> = names(&listed[key])
                    .into_iter()
                    .filter(|name| !meta_tools.contains(name))
                    .collect();
                assert_eq!(
                    kept.lines(),
                    [format!("listed {}, {method}", shown.join(" "))],
                    "{era:?} {listing:?}"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_search_raises_what_it_shows_best_first() {
    let (server, kept) = seen(shop::server());
    let mut client = Raw::connect(Era::Session, &server.build().unwrap()).await;
    let found = client
        .result(
            "tools/call",
            call("find_tools", json!({ "query": "greet a customer" })).1,
        )
        .await;
    assert!(
        found["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("greet({"),
        "{found}"
    );
    let lines = kept.lines();
    assert!(lines[0].starts_with("found greet"), "{lines:?}");
    assert_eq!(
        lines[1], "described greet, find_tools",
        "what stands out is disclosed"
    );
    let listed = client
        .result(
            "tools/call",
            call("find_tools", json!({ "query": "price" })).1,
        )
        .await;
    let (text, events) = (listed["content"][0]["text"].as_str().unwrap(), kept.take());
    let told = events[0]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| text.find(tool["tool"].as_str().unwrap()));
    let told: Vec<_> = told.collect();
    assert!(
        told.len() > 1 && told.iter().all(Option::is_some) && told.is_sorted(),
        "{text}: {events:?}"
    );
}

#[tokio::test]
async fn a_call_raises_how_it_ended() {
    for era in Era::ALL {
        let (server, kept) = seen(shop::server());
        let mut client = Raw::connect(era, &server.build().unwrap()).await;
        for (name, arguments, ended) in [
            ("greet", json!({ "name": "Ada" }), "done"),
            ("greet", json!({}), "invalid"),
            ("pay", json!({ "card": "4711" }), "failed"),
            ("grumble", json!({}), "failed"),
            ("drop_vase", json!({}), "failed"),
            ("drop_vase_below", json!({}), "failed"),
            ("inventory", json!({}), "done"),
            ("engrave", json!({}), "continues"),
        ] {
            // Before 2026-07-28 nothing carries a tool's question.
            if name == "engrave" && !matches!(era, Era::Inline | Era::HttpInline) {
                continue;
            }
            kept.take();
            client.call_described(name, arguments).await;
            let expected = [
                format!("described {name}, tools/describe"),
                format!("called {name} {ended}, tools/call"),
            ];
            assert_eq!(kept.lines(), expected, "{era:?}");
        }
    }
}

#[tokio::test]
async fn an_event_knows_where_it_belongs() {
    for era in Era::ALL {
        let (server, kept) = seen(shop::server());
        let shared = server.build().unwrap();
        let digest = shop::registry().digest("hours").unwrap().to_string();
        let mut sessions = Vec::new();
        for _ in 0..2 {
            let mut client = Raw::connect_as(era, &shared, "alice").await;
            client
                .result("tools/call", call("hours", json!({})).1)
                .await;
            client
                .result("tools/call", call("hours", json!({})).1)
                .await;
            let called = kept.take();
            let called: Vec<_> = called
                .iter()
                .filter(|event| event["event"] == "called")
                .collect();
            assert_eq!(called[0]["session"], called[1]["session"], "{era:?}");
            sessions.push(called[0]["session"].clone());
            let expected = match era {
                Era::Session | Era::HttpSession => "session",
                Era::Inline | Era::HttpInline => "inline",
                Era::HttpStateless => "legacy_stateless",
            };
            assert_eq!(
                (called[0]["era"].as_str(), called[0]["digest"].as_str()),
                (Some(expected), Some(&*digest))
            );
            assert!(
                called[0]["seconds"]
                    .as_f64()
                    .is_some_and(|seconds| (0.0..5.0).contains(&seconds))
            );
            assert!(
                called[0]["time"]
                    .as_str()
                    .is_some_and(|time| time.starts_with("20") && time.ends_with('Z'))
            );
            let is_known = !matches!(era, Era::Session | Era::Inline);
            assert_eq!(called[0]["principal"].is_string(), is_known, "{era:?}");
        }
        assert_eq!(sessions[0].is_u64(), era.has_session(), "{era:?}");
        assert_eq!(sessions[0] != sessions[1], era.has_session(), "{era:?}");
    }
}

#[tokio::test]
async fn a_limit_that_is_reached_is_told_by_the_wire_that_reached_it() {
    let (kept, metrics) = (Kept::new(), Metrics::prometheus());
    let till = Group::new("till", "Money")
        .instructions("Count twice.")
        .tool(shop::saying("coins", "said"));
    let registry: Registry<()> = Registry::builder().group(till).build().unwrap();
    let server = PdServer::builder(registry, ())
        .listing(Listing::Minimal)
        .audit(kept.clone())
        .metrics(metrics.clone());
    let limits = Limits::none().searches(Rate::per_minute(1));
    let site = Site::open(&server.limits(limits).build().unwrap(), false).await;
    let post = Post::inline(&site.url);
    post.send("skills/list", json!({})).await;
    kept.take();
    for (method, params) in [
        ("skills/list", json!({})),
        ("skills/get", json!({ "uri": "skill://till/SKILL.md" })),
        ("resources/directory/read", json!({ "uri": "skill://till" })),
        ("tools/manifest", json!({})),
    ] {
        post.send(method, params).await;
        assert_eq!(kept.lines(), [format!("limited , {method}")]);
    }
    assert!(
        metrics
            .render()
            .contains("pd_limited_total{limit=\"searches\"} 4"),
        "{}",
        metrics.render()
    );
}

/// A connection with a session may send self-contained requests, which are of none.
#[tokio::test]
async fn a_session_lends_its_number_to_no_self_contained_request() {
    let (server, kept) = seen(shop::server());
    let mut line = crate::harness::line::Line::session(&server.build().unwrap()).await;
    line.carry(Some(crate::harness::inline_meta(&json!({}))));
    line.request("tools/call", call("hours", json!({})).1).await;
    assert!(
        kept.take()
            .iter()
            .all(|event| event["session"].is_null() && event["era"] == "inline")
    );
}

#[tokio::test]
async fn tokens_are_those_of_what_is_shown() {
    let (server, kept) = seen(shop::server());
    let mut client = Raw::connect(Era::Session, &server.build().unwrap()).await;
    let tokens = |kept: &Kept| kept.take()[0]["tokens"].as_u64().unwrap();
    let (method, params) = read("search");
    let described = told(&client.result(method, params).await)["search"].to_string();
    let full = tokens(&kept);
    let estimated = pd_runtime::estimate_tokens(&described) as u64;
    // A hidden related tool is the difference.
    assert!(full.abs_diff(estimated) <= 8, "{full} and {estimated}");
    let (method, params) = call(
        "describe_tools",
        json!({ "names": ["search"], "detail": "signature" }),
    );
    let signed = client.result(method, params).await;
    let signature = tokens(&kept);
    assert_eq!(
        signature as usize,
        pd_runtime::estimate_tokens(signed["content"][0]["text"].as_str().unwrap())
    );
    assert!(signature < full);
}

#[tokio::test]
async fn wires_that_are_negotiated_raise_events_too() {
    let kept = Kept::new();
    let till = Group::new("till", "Money")
        .instructions("Count twice.")
        .tool(shop::saying("coins", "said"));
    let registry: Registry<()> = Registry::builder()
        .group(till)
        .tool(shop::saying("hours", "said"))
        .build()
        .unwrap();
    let shared = PdServer::builder(registry, ())
        .listing(Listing::Minimal)
        .audit(kept.clone())
        .build()
        .unwrap();
    let site = Site::open(&shared, false).await;
    let groups = json!({ "extensions": { "io.modelcontextprotocol/groups": {} } });
    let revision = Post::inline(&site.url)
        .result("experimental/groups/list", json!({}))
        .await["revision"]
        .take();
    for (capabilities, method, params, expected) in [
        (
            groups.clone(),
            "tools/list",
            json!({}),
            "listed hours, tools/list",
        ),
        (
            groups,
            "groups/get",
            json!({ "name": "till" }),
            "described coins, groups/get",
        ),
        (
            with_extension(),
            "disclosure/describe",
            json!({ "names": ["coins"] }),
            "described coins, disclosure/describe",
        ),
        (
            json!({}),
            "experimental/groups/expand",
            json!({ "id": "till", "revision": revision }),
            "listed coins, experimental/groups/expand",
        ),
        (
            json!({}),
            "resources/read",
            json!({ "uri": "skill://till/SKILL.md" }),
            "listed coins, resources/read",
        ),
        (
            json!({}),
            "resources/read",
            json!({ "uri": "skill://till/references/coins.json" }),
            "described coins, resources/read",
        ),
    ] {
        kept.take();
        Post::inline(&site.url)
            .capabilities(capabilities)
            .result(method, params)
            .await;
        assert_eq!(kept.lines(), [expected]);
    }
}

#[tokio::test]
async fn a_bare_refusal_describes_nothing_and_advice_refuses_nothing() {
    let (server, kept) = seen(shop::server());
    let mut client = Raw::connect(
        Era::Session,
        &server.refusal(Refusal::Bare).build().unwrap(),
    )
    .await;
    client
        .result("tools/call", call("greet", json!({ "name": "Ada" })).1)
        .await;
    assert_eq!(kept.lines(), ["refused greet not_disclosed, tools/call"]);
    let (server, kept) = seen(shop::server());
    let mut client = Raw::connect(
        Era::Session,
        &server.gate(GateMode::Advise).build().unwrap(),
    )
    .await;
    client
        .result("tools/call", call("greet", json!({ "name": "Ada" })).1)
        .await;
    assert_eq!(kept.lines(), ["called greet done, tools/call"]);
}

#[tokio::test]
async fn a_bad_ticket_and_a_stolen_session_are_told_apart() {
    let (server, kept) = seen(shop::server());
    let site = Site::open(&server.build().unwrap(), true).await;
    let alice = Post::session(&site.url, Some("alice")).await;
    alice.describe("greet").await;
    kept.take();
    alice
        .bearer("mallory")
        .call("greet", json!({ "name": "Ada" }))
        .await;
    assert_eq!(kept.lines(), ["refused greet foreign_session, tools/call"]);
    let inline = Post::inline(&site.url).bearer("alice");
    let described = inline.describe("greet").await;
    kept.take();
    let arguments =
        json!({ "name": "Ada", "disclosure_ticket": ticket(&described["greet"]).unwrap() });
    inline.bearer("mallory").call("greet", arguments).await;
    assert_eq!(kept.lines()[0], "refused greet bad_ticket, tools/call");
}
