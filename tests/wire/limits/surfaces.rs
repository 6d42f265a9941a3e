//! Every way to a description or a list is counted.

use super::retry_after;
use crate::harness::{
    line::Line,
    post::Post,
    shop::{self, saying},
    site::Site,
    text, told, with_extension,
};
use pd_runtime::{
    Bundle, Limits, Listing, PdServer, Registry,
    config::{MetaTools, Preset, Rate},
};
use serde_json::{Value, json};
use shop::Shop;

/// Nothing is left of this kind, for as long as the test runs.
async fn exhausted(limits: Limits, preset: Option<Preset>, capabilities: Value) -> Line {
    let server = shop::server()
        .listing(Listing::Minimal)
        .meta_tools(MetaTools::all())
        .limits(limits.owner(true));
    let server = match preset {
        Some(preset) => server.preset(preset),
        None => server,
    };
    let shared: PdServer<Shop> = server.build().unwrap();
    let mut line = Line::session_with(&shared, capabilities).await.0;
    line.read("resource:///tool_descriptions?tools=greet").await;
    line.result("tools/manifest", json!({})).await;
    line
}

fn none_left() -> Limits {
    Limits::none()
        .descriptions(Rate::per_minute(1))
        .searches(Rate::per_minute(1))
}

/// What each of these requests is answered with when nothing is left.
async fn all_refused(line: &mut Line, requests: &[(&str, Value)]) {
    for (method, params) in requests {
        let response = line.request(method, params.clone()).await;
        assert!(
            retry_after(&response).is_some_and(|seconds| seconds >= 50),
            "{method} {params}: {response}"
        );
        assert!(
            !response.to_string().contains("inputSchema"),
            "{method} {params}: {response}"
        );
    }
}

fn call(name: &str, arguments: Value) -> (&'static str, Value) {
    (
        "tools/call",
        json!({ "name": name, "arguments": arguments }),
    )
}

#[tokio::test]
async fn descriptions_are_counted_on_every_wire() {
    let mut line = exhausted(none_left(), None, with_extension()).await;
    let read = |uri: &str| ("resources/read", json!({ "uri": uri }));
    all_refused(
        &mut line,
        &[
            read("resource:///tool_descriptions?tools=order"),
            read("resource:///tool_descriptions?tools=absent"),
            read("resource:///tool_descriptions"),
            call("describe_tools", json!({ "names": ["order"] })),
            call(
                "describe_tools",
                json!({ "names": ["order"], "detail": "signature" }),
            ),
            call(
                "describe_tools",
                json!({ "names": ["order"], "detail": "summary" }),
            ),
            call("describe_tools", json!({})),
            ("disclosure/describe", json!({ "names": ["order"] })),
            ("disclosure/describe", json!({ "names": ["absent"] })),
            ("tools/describe", json!({ "names": ["order"] })),
            ("tools/describe", json!({ "names": ["absent"] })),
            ("tools/describe", json!({ "name": "order" })),
            ("tools/describe", json!({ "name": "absent" })),
        ],
    )
    .await;
}

#[tokio::test]
async fn descriptions_are_counted_in_every_family_of_meta_tools() {
    for (preset, name, arguments) in [
        (Preset::Tree, "describe_tool", json!({ "path": "/order" })),
        (
            Preset::Gram,
            "describe_tools",
            json!({ "tool_names": ["order"] }),
        ),
        (
            Preset::Strata,
            "get_action_details",
            json!({ "server_name": "shop", "action_name": "order" }),
        ),
    ] {
        let mut line = exhausted(none_left(), Some(preset), json!({})).await;
        all_refused(&mut line, &[call(name, arguments)]).await;
    }
}

#[tokio::test]
async fn searches_and_lists_are_counted() {
    let groups = json!({ "extensions": { "io.modelcontextprotocol/groups": {} } });
    let mut line = exhausted(none_left(), None, groups).await;
    all_refused(
        &mut line,
        &[
            call("find_tools", json!({ "query": "prices" })),
            call("find_tools", json!({})),
            call("list_tools", json!({})),
            call("list_tools", json!({ "path": "/absent" })),
            ("tools/manifest", json!({})),
            ("experimental/groups/list", json!({})),
            ("experimental/groups/expand", json!({ "id": "goods" })),
            ("groups/list", json!({})),
            ("groups/get", json!({ "name": "goods" })),
            ("groups/get", json!({ "name": "absent" })),
        ],
    )
    .await;
    for (preset, name, arguments) in [
        (Preset::Tree, "list_tools", json!({ "path": "/" })),
        (
            Preset::LazyMcp,
            "get_tools_in_category",
            json!({ "path": "" }),
        ),
        (Preset::Gram, "search_tools", json!({ "query": "prices" })),
        (
            Preset::Strata,
            "discover_server_categories",
            json!({ "user_query": "prices" }),
        ),
        (
            Preset::Strata,
            "get_category_actions",
            json!({ "category_names": ["goods"] }),
        ),
        (
            Preset::Strata,
            "discover_server_actions",
            json!({ "user_query": "prices" }),
        ),
        (
            Preset::Strata,
            "search_documentation",
            json!({ "query": "prices", "server_name": "shop" }),
        ),
    ] {
        let mut line = exhausted(none_left(), Some(preset), json!({})).await;
        all_refused(&mut line, &[call(name, arguments)]).await;
    }
}

#[tokio::test]
async fn a_group_costs_as_many_descriptions_as_it_has_tools() {
    let groups = json!({ "extensions": { "io.modelcontextprotocol/groups": {} } });
    let limits = Limits::none().descriptions(Rate::per_minute(1).burst(6));
    let mut line = exhausted(limits, None, groups).await;
    let goods = line.result("groups/get", json!({ "name": "goods" })).await;
    assert_eq!(goods["contents"]["tools"].as_array().unwrap().len(), 5);
    all_refused(&mut line, &[("groups/get", json!({ "name": "till" }))]).await;
}

#[tokio::test]
async fn a_search_finds_without_a_signature_when_no_description_is_left() {
    let limits = Limits::none().descriptions(Rate::per_minute(1));
    let mut line = exhausted(limits, None, json!({})).await;
    let found = line
        .call("find_tools", json!({ "query": "order goods" }))
        .await;
    assert!(
        text(&found).contains("order") && !text(&found).contains("article"),
        "{found}"
    );
    let refused = line.call("order", json!({ "article": "vase" })).await;
    assert_eq!(
        told(&refused)["error"]["code"],
        "TOOL_DESCRIPTION_REQUIRED",
        "it was not disclosed"
    );
}

#[tokio::test]
async fn signatures_of_a_group_are_descriptions() {
    let limits = Limits::none().descriptions(Rate::per_minute(1));
    let mut line = exhausted(limits, None, json!({})).await;
    assert!(!text(&line.call("list_tools", json!({ "path": "/goods" })).await).is_empty());
    all_refused(
        &mut line,
        &[call(
            "list_tools",
            json!({ "path": "/goods", "detail": "signature" }),
        )],
    )
    .await;
}

#[tokio::test]
async fn calls_through_a_meta_tool_are_calls() {
    let limits = Limits::none().calls(Rate::per_minute(1));
    let mut line = exhausted(limits, None, json!({})).await;
    assert_eq!(
        text(&line.call("call_tool", json!({ "name": "hours" })).await),
        "every day: nine to five"
    );
    all_refused(
        &mut line,
        &[
            call("call_tool", json!({ "name": "hours" })),
            call("call_tool", json!({ "name": "absent" })),
            call("hours", json!({})),
            call("absent", json!({})),
            // What rmcp cannot read is answered by hand.
            ("tools/call", json!({ "name": "hours", "arguments": [] })),
            ("tools/call", json!({ "name": "absent", "arguments": [] })),
        ],
    )
    .await;
}

#[tokio::test]
async fn skills_are_counted_and_those_who_see_none_learn_nothing() {
    let registry = |scope: &'static str| {
        let tools = Registry::builder().tool(saying::<()>("log", "a commit").scope(scope));
        tools
            .bundle(Bundle::new("history", "Read history").tools(["log"]))
            .build()
            .unwrap()
    };
    let site = |registry| async {
        let server = PdServer::builder(registry, ())
            .listing(Listing::Minimal)
            .limits(none_left())
            .build()
            .unwrap();
        Site::open(&server, false).await
    };
    let (seen, hidden) = (site(registry("seen")).await, site(registry("other")).await);
    let requests = [
        ("skills/list", json!({})),
        ("skills/get", json!({ "uri": "skill://history/SKILL.md" })),
        (
            "resources/directory/read",
            json!({ "uri": "skill://history" }),
        ),
        (
            "resources/read",
            json!({ "uri": "skill://history/SKILL.md" }),
        ),
        (
            "resources/read",
            json!({ "uri": "skill://history/references/log.json" }),
        ),
    ];
    for (site, is_seen) in [(&seen, true), (&hidden, false)] {
        let caller = Post::inline(&site.url).bearer("alice seen");
        caller.send("tools/manifest", json!({})).await;
        caller
            .send("tools/describe", json!({ "names": ["absent"] }))
            .await;
        for (method, params) in &requests {
            let answer = caller.send(method, params.clone()).await.body;
            let is_limited =
                answer["error"]["code"] == 429 || answer.to_string().contains("RATE_LIMITED");
            assert_eq!(is_limited, is_seen, "{method} {params}: {answer}");
        }
    }
}

/// What is refused unread costs little, whatever it names.
#[tokio::test]
async fn too_many_names_cost_as_much_as_one() {
    let names: Vec<String> = (0..60).map(|number| format!("name_{number}")).collect();
    let uri = format!("resource:///tool_descriptions?tools={}", names.join(","));
    let requests = [
        ("resources/read", json!({ "uri": uri })),
        call("describe_tools", json!({ "names": names })),
        ("disclosure/describe", json!({ "names": names })),
        ("tools/describe", json!({ "names": names })),
    ];
    let limits = Limits::none()
        .descriptions(Rate::per_minute(1).burst(5))
        .owner(true);
    let shared = shop::server()
        .listing(Listing::Minimal)
        .limits(limits.clone())
        .build()
        .unwrap();
    let mut line = Line::session_with(&shared, with_extension()).await.0;
    for (method, params) in &requests {
        let refused = line.request(method, params.clone()).await;
        assert!(
            refused.to_string().contains("50") && !refused.to_string().contains("retry"),
            "{method}: {refused}"
        );
    }
    let described = told(&line.read("resource:///tool_descriptions?tools=greet").await);
    assert!(
        described["greet"]["inputSchema"].is_object(),
        "four refusals cost four of five: {described}"
    );
    let gram = shop::server()
        .preset(Preset::Gram)
        .limits(limits)
        .build()
        .unwrap();
    let mut line = Line::session(&gram).await;
    for _ in 0..5 {
        let refused = line
            .call("describe_tools", json!({ "tool_names": names }))
            .await;
        assert_eq!(told(&refused)["error"]["code"], "TOO_MANY_TOOLS");
    }
}
