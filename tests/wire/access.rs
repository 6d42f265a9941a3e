//! Access: a tool that asks for a scope does not exist for whoever lacks it, on any wire.

use crate::harness::{
    client::ticket,
    names,
    post::Post,
    shop::{self, Shop},
    site::Site,
    with_extension,
};
use pd_runtime::{Group, Listing, PdServer, Principal, Registry, Tool};
use serde_json::{Value, json};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// The shop with a vault, in a group of its own, that nobody here may see, and without: to an outsider they are the same.
fn with_and_without() -> [PdServer<Shop>; 2] {
    let vault = shop::saying("vault", "open").scope("shop:vault");
    let with = shop::registry()
        .merge(
            Registry::builder()
                .group(Group::new("vaults", "What is locked").tool(vault))
                .build()
                .unwrap(),
        )
        .unwrap();
    [with, shop::registry()].map(|registry| {
        PdServer::builder(registry, Shop::default())
            .listing(Listing::Minimal)
            .ticket_key([3; 32])
            .build()
            .unwrap()
    })
}

#[tokio::test]
async fn a_call_of_a_hidden_tool_is_answered_like_one_of_an_unknown_tool() {
    for sessions in [true, false] {
        let mut bodies = Vec::new();
        for shared in with_and_without() {
            let site = Site::open(&shared, sessions).await;
            for caller in [
                Post::inline(&site.url),
                Post::inline(&site.url).bearer("alice"),
            ] {
                let answer = caller
                    .send("tools/call", json!({ "name": "vault", "arguments": {} }))
                    .await;
                assert_eq!(answer.body["error"]["code"], -32602);
                bodies.push((answer.status, answer.body.to_string()));
            }
        }
        assert!(
            bodies.windows(2).all(|pair| pair[0] == pair[1]),
            "{bodies:?}"
        );
    }
}

/// Every other wire, byte for byte.
#[tokio::test]
async fn a_hidden_tool_leaves_no_trace_on_any_wire() {
    let requests = [
        (
            "resources/read",
            json!({ "uri": "resource:///tool_descriptions?tools=vault" }),
        ),
        (
            "resources/read",
            json!({ "uri": "resource:///tool_descriptions?tools=valt,pay" }),
        ),
        (
            "resources/read",
            json!({ "uri": "resource:///tool_descriptions" }),
        ),
        (
            "tools/call",
            json!({ "name": "describe_tools", "arguments": { "names": ["vault"] } }),
        ),
        (
            "tools/call",
            json!({ "name": "describe_tools", "arguments": {} }),
        ),
        (
            "disclosure/describe",
            json!({ "names": ["vault", "search"] }),
        ),
        ("tools/call", json!({ "name": "search", "arguments": {} })),
        ("server/discover", json!({})),
        ("resources/list", json!({})),
        ("tools/list", json!({})),
        ("tools/manifest", json!({})),
        ("tools/describe", json!({ "names": ["search", "vault"] })),
        ("tools/describe", json!({ "name": "vault" })),
        ("experimental/groups/list", json!({})),
        (
            "experimental/groups/expand",
            json!({ "id": "vaults", "revision": "" }),
        ),
    ];
    let [with, without] = with_and_without();
    let (with, without) = (
        Site::open(&with, false).await,
        Site::open(&without, false).await,
    );
    for (method, params) in requests {
        let ask = |site: &Site| {
            Post::inline(&site.url)
                .capabilities(with_extension())
                .bearer("alice")
        };
        let (hidden, absent) = (
            ask(&with).send(method, params.clone()).await,
            ask(&without).send(method, params.clone()).await,
        );
        assert_eq!(
            hidden.body.to_string(),
            absent.body.to_string(),
            "{method} {params}"
        );
    }
}

#[tokio::test]
async fn lists_show_what_the_principal_may_see() {
    for listing in [Listing::Minimal, Listing::Full] {
        let site = Site::open(&shop::server().listing(listing).build().unwrap(), false).await;
        let anyone = Post::inline(&site.url);
        let cashier = anyone.bearer("carol shop:refund");
        for (caller, sees) in [
            (anyone.clone(), false),
            (anyone.bearer("alice other"), false),
            (cashier, true),
        ] {
            let listed = caller.result("tools/list", json!({})).await;
            assert_eq!(names(&listed["tools"]).contains(&"refund"), sees);
            assert_eq!(listed["cacheScope"], "private");
        }
    }
}

#[tokio::test]
async fn a_principal_with_the_scope_describes_and_calls() {
    let site = Site::open(&shop::server().build().unwrap(), false).await;
    let cashier = Post::inline(&site.url).bearer("carol shop:refund");
    let described = cashier.describe("refund").await;
    let arguments =
        json!({ "amount": 5, "disclosure_ticket": ticket(&described["refund"]).unwrap() });
    assert_eq!(
        cashier.call("refund", arguments.clone()).await["content"][0]["text"],
        "5"
    );
    let dismissed = cashier
        .bearer("carol")
        .send(
            "tools/call",
            json!({ "name": "refund", "arguments": arguments }),
        )
        .await;
    assert_eq!(
        dismissed.body["error"]["code"], -32602,
        "a ticket gives no access"
    );
}

#[tokio::test]
async fn related_tools_are_named_to_those_who_see_them() {
    let site = Site::open(&shop::server().build().unwrap(), false).await;
    let anyone = Post::inline(&site.url);
    let related = |described: Value| described["search"]["related"].clone();
    assert_eq!(related(anyone.describe("search").await), json!(["stock"]));
    assert_eq!(
        related(anyone.bearer("carol shop:refund").describe("search").await),
        json!(["stock", "refund"])
    );
}

#[tokio::test]
async fn suggestions_name_only_what_the_caller_sees() {
    let site = Site::open(&shop::server().build().unwrap(), false).await;
    let anyone = Post::inline(&site.url);
    let suggested = |described: Value| described["refun"]["available_tools"][0].clone();
    assert_ne!(suggested(anyone.describe("refun").await), "refund");
    assert_eq!(
        suggested(anyone.bearer("carol shop:refund").describe("refun").await),
        "refund"
    );
}

/// Only who holds a key gets to the till, and only while it is open.
#[tokio::test]
async fn a_policy_decides_for_each_principal_and_each_request() {
    let open = Arc::new(AtomicBool::new(true));
    let is_open = open.clone();
    let policy = move |who: Option<&Principal>, tool: &Tool<()>| {
        tool.name() != "greet"
            || (is_open.load(Ordering::SeqCst) && who.is_some_and(|who| who.subject() == "alice"))
    };
    let shared = shop::server().access(policy).build().unwrap();
    let site = Site::open(&shared, true).await;
    let alice = Post::session(&site.url, Some("alice")).await;
    for (caller, sees) in [
        (alice.clone(), true),
        (Post::session(&site.url, Some("bob")).await, false),
    ] {
        assert_eq!(
            names(&caller.result("tools/list", json!({})).await["tools"]).contains(&"greet"),
            sees
        );
        assert_eq!(
            caller.describe("greet").await["greet"]
                .get("error")
                .is_none(),
            sees
        );
    }
    assert_eq!(
        alice.call("greet", json!({ "name": "Ada" })).await["content"][0]["text"],
        "Welcome, Ada!"
    );
    open.store(false, Ordering::SeqCst);
    let closed = alice
        .send(
            "tools/call",
            json!({ "name": "greet", "arguments": { "name": "Ada" } }),
        )
        .await;
    assert_eq!(
        closed.body["error"]["code"], -32602,
        "what she had read does not open it"
    );
    assert_eq!(
        alice.describe("greet").await["greet"]["error"],
        "Tool 'greet' not found"
    );
}

#[tokio::test]
async fn a_policy_that_panics_hides_and_the_server_lives_on() {
    let policy =
        |_: Option<&Principal>, tool: &Tool<()>| tool.name() != "greet" || panic!("on purpose");
    let site = Site::open(&shop::server().access(policy).build().unwrap(), false).await;
    let anyone = Post::inline(&site.url);
    let listed = anyone.result("tools/list", json!({})).await;
    assert!(
        !names(&listed["tools"]).contains(&"greet") && names(&listed["tools"]).contains(&"search")
    );
    let called = anyone
        .send("tools/call", json!({ "name": "greet", "arguments": {} }))
        .await;
    assert_eq!(called.body["error"]["code"], -32602);
}

/// Under `Listing::Auto` the list of a caller depends on what the caller sees: a large hidden tool changes nothing.
#[tokio::test]
async fn a_hidden_tool_does_not_make_a_list_minimal() {
    let open = || {
        shop::saying::<()>("open", "said")
            .input_schema(json!({ "type": "object", "required": ["x"] }))
    };
    let large = shop::saying::<()>("vault", "said")
        .scope("vault")
        .description("words and more words ".repeat(2_000));
    let registries = [
        Registry::builder().tool(open()).tool(large),
        Registry::builder().tool(open()),
    ];
    let [with, without] = registries.map(|registry| {
        let server = PdServer::builder(registry.build().unwrap(), ()).listing(Listing::AUTO);
        server.ticket_key([3; 32]).build().unwrap()
    });
    let (with, without) = (
        Site::open(&with, true).await,
        Site::open(&without, true).await,
    );
    let mut seen = Vec::new();
    for url in [&with.url, &without.url] {
        for caller in [Post::inline(url), Post::session(url, Some("alice")).await] {
            let listed = caller.result("tools/list", json!({})).await;
            assert_eq!(
                listed["tools"][0]["inputSchema"]["required"],
                json!(["x"]),
                "in full: {listed}"
            );
            let called = caller.call("open", json!({ "x": 1 })).await;
            assert_eq!(called["content"][0]["text"], "said", "and so not gated");
            let described = caller.result("resources/list", json!({})).await;
            let mut listed = listed;
            listed["cacheScope"].take();
            seen.push((
                listed["tools"].to_string(),
                described["resources"].to_string(),
            ));
        }
    }
    assert_eq!(seen[0], seen[2]);
    assert_eq!(seen[1], seen[3]);
    let insider = Post::session(&with.url, Some("alice vault")).await;
    let listed = insider.result("tools/list", json!({})).await;
    assert_eq!(
        listed["tools"][0]["inputSchema"],
        json!({ "type": "object", "additionalProperties": true, "properties": {} }),
        "{listed}"
    );
    let called = insider.call("open", json!({ "x": 1 })).await;
    assert_eq!(
        called["content"][0]["text"], "said",
        "a list in outline shows enough"
    );
    let scope = Post::inline(&with.url)
        .result("tools/list", json!({}))
        .await["cacheScope"]
        .take();
    assert_eq!(scope, "private", "lists differ by caller");
}
