//! `tools/list`: what an entry holds to the byte, and the policies that decide how much that is.

use crate::harness::{
    client::{Era, connect, connect_with},
    code,
    line::Line,
    names,
    shop::{self, Shop},
    with_extension,
};
use pd_runtime::{GateMode, Listing, PdServer, Registry, config::MinimalSchema};
use serde_json::{Value, json};

async fn listed(shared: &PdServer<Shop>) -> Value {
    Line::session(shared)
        .await
        .result("tools/list", json!({}))
        .await
}

fn entry<'a>(listed: &'a Value, name: &str) -> &'a Value {
    let tools = listed["tools"].as_array().unwrap();
    tools
        .iter()
        .find(|tool| tool["name"] == name)
        .unwrap_or_else(|| panic!("no {name}"))
}

#[tokio::test]
async fn an_entry_is_name_summary_and_an_open_schema() {
    let listed = listed(&shop::server().build().unwrap()).await;
    let bare = json!({ "type": "object", "additionalProperties": true });
    assert_eq!(
        entry(&listed, "greet").to_string(),
        json!({ "name": "greet", "description": "Greet a customer", "inputSchema": bare })
            .to_string()
    );
}

#[tokio::test]
async fn annotations_stand_only_where_they_differ_from_the_default() {
    let listed = listed(&shop::server().listing(Listing::Minimal).build().unwrap()).await;
    assert_eq!(
        entry(&listed, "search")["annotations"],
        json!({ "readOnlyHint": true })
    );
    assert_eq!(
        entry(&listed, "stock")["annotations"],
        json!({ "destructiveHint": false }),
        "read_only = false is MCP's own"
    );
    assert_eq!(
        entry(&listed, "prices").get("annotations"),
        None,
        "destructive is MCP's own"
    );
}

#[tokio::test]
async fn a_lean_entry_says_object_and_no_more() {
    let listed = listed(
        &shop::server()
            .minimal_schema(MinimalSchema::Lean)
            .build()
            .unwrap(),
    )
    .await;
    assert_eq!(
        entry(&listed, "greet")["inputSchema"],
        json!({ "type": "object" })
    );
}

#[tokio::test]
async fn header_arguments_stand_as_typed_stubs() {
    for schema in [MinimalSchema::Literal, MinimalSchema::Lean] {
        let listed = listed(&shop::server().minimal_schema(schema).build().unwrap()).await;
        let region = json!({ "region": { "type": "string", "x-mcp-header": "Region" } });
        assert_eq!(entry(&listed, "ship")["inputSchema"]["properties"], region);
        assert_eq!(entry(&listed, "ship")["inputSchema"].get("required"), None);
    }
}

#[tokio::test]
async fn an_eager_tool_stands_in_full_and_is_not_gated() {
    for era in Era::ALL {
        let client = connect(era, &shop::server().build().unwrap()).await;
        let listed = client.list().await;
        let schema = &entry(&listed, "hours")["inputSchema"];
        assert_eq!(schema["properties"]["day"]["type"], "string", "{era:?}");
        assert_eq!(schema["additionalProperties"], false);
        let told = client.call("hours", json!({ "day": "Monday" })).await;
        assert_eq!(told["content"][0]["text"], "Monday: nine to five");
    }
}

/// Hosts that defer tools read them; nobody else needs `_meta` in a list.
#[tokio::test]
async fn eager_tools_and_aliases_are_told_to_hosts_that_defer() {
    let other_words = || {
        shop::saying::<Shop>("fetch", "said")
            .alias("get")
            .alias("download a thing")
    };
    let eager = || shop::saying::<Shop>("now", "said").eager();
    for listing in [Listing::Minimal, Listing::Full, Listing::Reveal] {
        let registry = Registry::builder()
            .tool(other_words())
            .tool(eager())
            .tool(shop::saying("plain", "said"));
        let shared = PdServer::builder(registry.build().unwrap(), Shop::default())
            .listing(listing)
            .build()
            .unwrap();
        let listed = listed(&shared).await;
        let hint = json!({ "anthropic/searchHint": "get, download a thing" });
        assert_eq!(entry(&listed, "fetch")["_meta"], hint, "{listing:?}");
        assert_eq!(
            entry(&listed, "now")["_meta"],
            json!({ "anthropic/alwaysLoad": true }),
            "{listing:?}"
        );
        assert_eq!(entry(&listed, "plain").get("_meta"), None, "{listing:?}");
        let described = Line::session(&shared)
            .await
            .read("resource:///tool_descriptions?tools=fetch,now")
            .await;
        assert!(!described.to_string().contains("anthropic/"), "{described}");
    }
}

/// What hosts keep from their model costs it nothing.
#[tokio::test]
async fn meta_does_not_count_for_auto() {
    let long: String = (0..5_000).map(|number| format!("{number} ")).collect();
    let meta = json!({ "vendor/notes": long }).as_object().unwrap().clone();
    let tool = shop::saying::<Shop>("noted", "said")
        .description("All of it")
        .meta(meta);
    let registry = Registry::builder().tool(tool).build().unwrap();
    let shared = PdServer::builder(registry, Shop::default())
        .listing(Listing::AUTO)
        .build()
        .unwrap();
    assert_eq!(
        entry(&listed(&shared).await, "noted")["description"],
        "All of it",
        "in full"
    );
}

#[tokio::test]
async fn the_registry_gives_the_order_and_describe_tools_comes_last() {
    let listed = listed(&shop::server().listing(Listing::Minimal).build().unwrap()).await;
    let mut expected = shop::VISIBLE.to_vec();
    expected.insert(9, "refund"); // over stdio everything is the user's own
    expected.push("describe_tools");
    assert_eq!(names(&listed["tools"]), expected);
}

#[tokio::test]
async fn describe_tools_can_be_turned_off() {
    let shared = shop::server().describe_tools(false).build().unwrap();
    assert!(!names(&listed(&shared).await["tools"]).contains(&"describe_tools"));
    let called = Line::session(&shared)
        .await
        .request("tools/call", json!({ "name": "describe_tools" }))
        .await;
    assert_eq!(
        called["error"]["code"], -32602,
        "then it is a tool like any unknown one"
    );
}

#[tokio::test]
async fn lists_say_how_long_and_for_whom_they_hold() {
    let unscoped = PdServer::builder(shop::unscoped(), Shop::default()).listing(Listing::Minimal);
    let listed = listed(&unscoped.build().unwrap()).await;
    assert_eq!(
        (&listed["ttlMs"], &listed["cacheScope"]),
        (&json!(300_000), &json!("public"))
    );
    let listed = self::listed(&shop::server().build().unwrap()).await;
    assert_eq!(
        listed["cacheScope"], "private",
        "scoped tools make it depend on the caller"
    );
    let negotiated =
        PdServer::builder(shop::unscoped(), Shop::default()).listing(Listing::Negotiated);
    let listed = self::listed(&negotiated.build().unwrap()).await;
    assert_eq!(
        listed["cacheScope"], "private",
        "it depends on what the client declared"
    );
    assert_eq!(listed.get("_meta"), None);
    assert_eq!(listed.get("nextCursor"), None);
}

#[tokio::test]
async fn a_cursor_is_refused() {
    let mut line = Line::session(&shop::server().build().unwrap()).await;
    assert_eq!(
        line.request("tools/list", json!({ "cursor": "x" })).await["error"]["code"],
        -32602
    );
}

/// Whether the list shows the schema of `greet`, and whether a call of it without disclosure runs.
async fn shown_and_open(era: Era, listing: Listing, capabilities: Value) -> (bool, bool) {
    let shared = shop::server().listing(listing).build().unwrap();
    let client = connect_with(era, &shared, capabilities).await;
    let shown = entry(&client.list().await, "greet")["inputSchema"]
        .get("required")
        .is_some();
    let called = client.call("greet", json!({ "name": "Ada" })).await;
    let open = called["isError"] != true;
    assert!(open || code(&called) == "TOOL_DESCRIPTION_REQUIRED");
    (shown, open)
}

/// The gate stands exactly where the list does not show the tool in full.
#[tokio::test]
async fn listing_policies_decide_what_is_shown_and_so_what_is_gated() {
    let (shown, hidden) = ((true, true), (false, false));
    for era in Era::ALL {
        assert_eq!(
            shown_and_open(era, Listing::Minimal, json!({})).await,
            hidden,
            "{era:?}"
        );
        assert_eq!(
            shown_and_open(era, Listing::Full, json!({})).await,
            shown,
            "{era:?}"
        );
        assert_eq!(
            shown_and_open(era, Listing::Full, with_extension()).await,
            shown,
            "{era:?}"
        );
        assert_eq!(
            shown_and_open(era, Listing::Negotiated, json!({})).await,
            shown,
            "{era:?}"
        );
        let small = Listing::Auto {
            max_full_tokens: 100_000,
            max_outline_tokens: 0,
        };
        assert_eq!(
            shown_and_open(era, small, json!({})).await,
            shown,
            "{era:?}: a small catalog"
        );
        let medium = Listing::Auto {
            max_full_tokens: 50,
            max_outline_tokens: 100_000,
        };
        assert_eq!(
            shown_and_open(era, medium, json!({})).await,
            shown,
            "{era:?}: a larger one"
        );
        let large = Listing::Auto {
            max_full_tokens: 50,
            max_outline_tokens: 50,
        };
        let client = connect_with(
            era,
            &shop::server().listing(large).build().unwrap(),
            json!({}),
        )
        .await;
        let listed = client.list().await;
        let listed = names(&listed["tools"]);
        assert!(
            !listed.contains(&"greet") && listed.contains(&"find_tools"),
            "{era:?}: a large one"
        );
    }
    for era in [Era::Session, Era::Inline, Era::HttpSession, Era::HttpInline] {
        assert_eq!(
            shown_and_open(era, Listing::Negotiated, with_extension()).await,
            hidden,
            "{era:?}"
        );
    }
    // Without sessions a client of the older generation cannot negotiate anything.
    assert_eq!(
        shown_and_open(Era::HttpStateless, Listing::Negotiated, with_extension()).await,
        shown
    );
}

#[tokio::test]
async fn a_full_entry_holds_what_an_ordinary_server_sends() {
    let listed = listed(&shop::server().listing(Listing::Full).build().unwrap()).await;
    let search = entry(&listed, "search");
    assert_eq!(search["description"], "Goods whose name holds a word.");
    assert_eq!(search["inputSchema"]["required"], json!(["word"]));
    assert_eq!(search["annotations"], json!({ "readOnlyHint": true }));
    assert_eq!(
        search["inputSchema"]["properties"].get("disclosure_ticket"),
        None
    );
    assert_eq!(entry(&listed, "stock")["outputSchema"]["type"], "object");
    assert_eq!(
        entry(&listed, "prices")["annotations"],
        json!({ "destructiveHint": true })
    );
}

/// A model that reads "a tool cannot be called before" on a server without a gate is misled.
#[tokio::test]
async fn the_workflow_is_not_announced_where_everything_is_listed_in_full() {
    let shared = shop::server()
        .listing(Listing::Full)
        .gate(GateMode::Off)
        .build()
        .unwrap();
    let (mut line, initialized) = Line::session_with(&shared, json!({})).await;
    assert_eq!(initialized["instructions"], "A shop.");
    let resources = line.result("resources/list", json!({})).await;
    let text = resources["resources"][0]["description"]
        .as_str()
        .unwrap_or_default();
    assert!(!text.contains("CANNOT"), "nothing is gated here: {text}");
}
