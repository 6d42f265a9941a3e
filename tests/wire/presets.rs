//! Patterns of others, each driven as its own documentation drives it: names, arguments and results are theirs.

use crate::harness::{
    client::{Client, Era, connect},
    code,
    line::Line,
    names,
    post::Post,
    shop::{self, Shop},
    site::Site,
    text, told,
};
use pd_runtime::{PdServer, Preset, Shared};
use serde_json::{Value, json};

fn server(preset: Preset) -> Shared<Shop> {
    PdServer::builder(shop::registry(), Shop::default()).preset(preset).build().unwrap()
}

async fn client(era: Era, preset: Preset) -> Client {
    connect(era, &server(preset)).await
}

fn definition<'a>(listed: &'a Value, name: &str) -> &'a Value {
    let tools = listed["tools"].as_array().unwrap();
    tools.iter().find(|tool| tool["name"] == name).unwrap_or_else(|| panic!("no {name}"))
}

/// The arguments that a definition names, in order, a star after those it requires.
fn arguments(listed: &Value, name: &str) -> String {
    let schema = &definition(listed, name)["inputSchema"];
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let star = |key: &String| if required.contains(&json!(key)) { "*" } else { "" };
    let keys = schema["properties"].as_object().unwrap().keys().map(|key| format!("{key}{}", star(key)));
    keys.collect::<Vec<_>>().join(" ")
}

/// The ticket that a schema asks for, in eras that have one.
fn ticket(schema: &Value) -> Option<&Value> {
    schema.pointer("/properties/disclosure_ticket/const")
}

#[tokio::test]
async fn only_the_meta_tools_and_eager_tools_are_listed() {
    for (preset, offered) in [
        (Preset::Tree, &["list_tools", "describe_tool", "call_tool"][..]),
        (Preset::LazyMcp, &["get_tools_in_category", "execute_tool"]),
        (Preset::Gram, &["search_tools", "describe_tools", "execute_tool"]),
        (
            Preset::Strata,
            &[
                "discover_server_categories",
                "get_category_actions",
                "get_action_details",
                "execute_action",
                "discover_server_actions",
                "search_documentation",
            ],
        ),
    ] {
        let listed = client(Era::Session, preset).await.list().await;
        let expected: Vec<_> = ["hours"].iter().chain(offered).copied().collect();
        assert_eq!(names(&listed["tools"]), expected, "{preset:?}");
    }
}

/// Whitepaper, "The Two-Stage Pattern".
#[tokio::test]
async fn two_stage_lists_an_empty_schema_and_describes_by_the_resource() {
    for era in Era::ALL {
        let client = client(era, Preset::TwoStage).await;
        let listed = client.list().await;
        let empty = json!({ "type": "object", "properties": {} });
        let expected = json!({ "name": "greet", "description": "Greet a customer", "inputSchema": empty });
        assert_eq!(definition(&listed, "greet"), &expected);
        assert!(!names(&listed["tools"]).contains(&"describe_tools"), "{era:?}");
        assert_eq!(code(&client.call("greet", json!({ "name": "Ada" })).await), "TOOL_DESCRIPTION_REQUIRED");
        assert_eq!(text(&client.call_described("greet", json!({ "name": "Ada" })).await), "Welcome, Ada!");
    }
}

/// Whitepaper, "The Tree Pattern".
#[tokio::test]
async fn a_tree_is_walked_like_folders() {
    for era in Era::ALL {
        let client = client(era, Preset::Tree).await;
        let listed = client.list().await;
        assert_eq!(arguments(&listed, "list_tools"), "path*");
        assert_eq!(arguments(&listed, "describe_tool"), "path*");
        let root = told(&client.call("list_tools", json!({ "path": "/" })).await);
        assert_eq!((&root[0], &root[1]), (&json!("goods"), &json!("till")));
        assert_eq!(root[2], json!({ "name": "greet", "description": "Greet a customer" }));
        let goods = told(&client.call("list_tools", json!({ "path": "/goods/" })).await);
        assert_eq!(goods[0], json!({ "name": "stock", "description": "Count the stock" }));
        let described = told(&client.call("describe_tool", json!({ "path": "/till/pay" })).await);
        assert_eq!((&described["name"], &described["inputSchema"]["required"][0]), (&json!("pay"), &json!("card")));
        let mut arguments = json!({ "card": "1" });
        if let Some(ticket) = ticket(&described["inputSchema"]) {
            arguments["disclosure_ticket"] = ticket.clone();
        }
        let called = client.call("call_tool", json!({ "path": "/till/pay", "arguments": arguments })).await;
        assert!(text(&called).contains("CARD_REFUSED"), "{era:?}: {called}");
    }
}

#[tokio::test]
async fn a_wrong_path_is_told_with_what_comes_near() {
    let client = client(Era::Session, Preset::Tree).await;
    let group = client.call("list_tools", json!({ "path": "/good" })).await;
    assert_eq!((&group["isError"], text(&group)), (&json!(true), "no group at `/good`; the nearest: /goods, /till"));
    for (tool, asked) in [("describe_tool", json!({ "path": "/goods/pay" })), ("describe_tool", json!({}))] {
        let refused = client.call(tool, asked).await;
        assert_eq!(refused["isError"], true, "{refused}");
        assert!(text(&refused).starts_with("no tool is called"), "{refused}");
    }
}

/// voicetreelab/lazy-mcp: `internal/hierarchy/hierarchy.go`.
#[tokio::test]
async fn lazy_mcp_names_categories_with_dots() {
    for era in [Era::Session, Era::Inline] {
        let client = client(era, Preset::LazyMcp).await;
        let listed = client.list().await;
        assert_eq!(arguments(&listed, "get_tools_in_category"), "path*");
        assert_eq!(arguments(&listed, "execute_tool"), "tool_path* arguments*");
        let root = told(&client.call("get_tools_in_category", json!({ "path": "/" })).await);
        assert_eq!((&root["path"], &root["overview"]), (&json!(""), &json!("A shop.")));
        let leaf = |count: usize| json!({ "is_leaf": true, "tool_count": count });
        assert_eq!(root["children"], json!({ "goods": leaf(5), "till": leaf(4) }));
        assert_eq!(root["tools"]["greet"], json!({ "description": "Greet a customer", "tool_path": "greet" }));
        let goods = told(&client.call("get_tools_in_category", json!({ "path": "goods" })).await);
        assert_eq!(goods["tools"]["stock"], json!({ "description": "Count the stock", "tool_path": "goods.stock" }));
        let call = json!({ "tool_path": "goods.stock", "arguments": {} });
        let refused = client.call("execute_tool", call.clone()).await;
        let signature = refused["content"][1]["text"].as_str().unwrap();
        let mut call = call;
        if let Some((_, rest)) = signature.split_once("disclosure_ticket: \"") {
            call["arguments"]["disclosure_ticket"] = json!(rest.split('"').next());
        }
        let called = client.call("execute_tool", call).await;
        assert_eq!(called["structuredContent"], json!({ "articles": 7 }), "{era:?}: {called}");
    }
}

/// strata-mcp 1.0.2, `strata/tools.py`, and the whitepaper's four stages.
#[tokio::test]
async fn strata_is_a_funnel_from_intent_to_schema() {
    for era in Era::ALL {
        let client = client(era, Preset::Strata).await;
        let listed = client.list().await;
        let discover = "user_query* server_names";
        for (name, expected) in [
            ("discover_server_categories", discover),
            ("discover_server_actions", discover),
            ("get_category_actions", "category_names*"),
            ("get_action_details", "server_name* category_name action_name*"),
            ("execute_action", "server_name* category_name action_name* path_params query_params body_schema"),
            ("search_documentation", "query* server_name* max_results"),
        ] {
            assert_eq!(arguments(&listed, name), expected, "{name}");
        }
        let intent = json!({ "user_query": "pay with a card", "server_names": ["shop"] });
        let categories = told(&client.call("discover_server_categories", intent).await);
        assert_eq!(categories["servers"]["shop"]["categories"][0], "till", "{categories}");
        let actions = json!({ "category_names": ["till", "nothing"] });
        let actions = told(&client.call("get_category_actions", actions).await);
        let pay = json!({ "name": "pay", "description": "Pay with a card" });
        assert_eq!(actions["categories"]["till"]["actions"][0], pay);
        assert_eq!(actions["categories"]["nothing"], json!({ "error": "Category 'nothing' not found" }));
        let named = json!({ "server_name": "shop", "action_name": "pay" });
        let details = told(&client.call("get_action_details", named.clone()).await);
        assert_eq!((&details["server"], &details["action"]["name"]), (&json!("shop"), &json!("pay")));
        let schema = &details["action"]["inputSchema"];
        assert_eq!(schema["required"][0], "card");
        let mut call = named;
        call["body_schema"] = json!(json!({ "card": "1" }).to_string());
        if let Some(ticket) = ticket(schema) {
            call["path_params"] = json!(json!({ "disclosure_ticket": ticket }).to_string());
        }
        let called = client.call("execute_action", call).await;
        assert!(text(&called).contains("CARD_REFUSED"), "{era:?}: {called}");
    }
}

#[tokio::test]
async fn strata_discovers_and_searches_actions_too() {
    let client = client(Era::Session, Preset::Strata).await;
    let found = json!({ "user_query": "parcel", "server_names": ["shop", "goods", "bank"] });
    let found = told(&client.call("discover_server_actions", found).await);
    assert_eq!(found["servers"]["shop"]["action_count"], 2);
    assert_eq!(found["servers"]["goods"], json!({ "action_count": 1, "actions": ["measure"] }));
    assert_eq!(found["servers"]["bank"], json!({ "error": "Server 'bank' not found or not connected" }));
    let nothing = told(&client.call("discover_server_actions", json!({ "user_query": "zzyzx" })).await);
    assert_eq!(nothing["servers"]["shop"]["categories"], json!(["shop", "goods", "till"]));
    let asked = json!({ "query": "parcel", "server_name": "shop", "max_results": 1 });
    let documents = told(&client.call("search_documentation", asked).await);
    assert_eq!(documents.as_array().unwrap().len(), 1);
    assert!(documents[0]["category_name"].is_string() && documents[0]["description"].is_string());
    let top = told(&client.call("get_category_actions", json!({ "category_names": ["shop"] })).await);
    assert_eq!(top["categories"]["shop"]["actions"][0]["name"], "greet", "what stands in no category");
}

#[tokio::test]
async fn strata_merges_its_parts_and_says_which_is_wrong() {
    let client = client(Era::Session, Preset::Strata).await;
    client.call("get_action_details", json!({ "server_name": "shop", "action_name": "search" })).await;
    let mut call = json!({
        "server_name": "shop",
        "action_name": "search",
        "path_params": "{\"word\": \"vase\"}",
        "query_params": { "limit": "5" },
    });
    assert_eq!(text(&client.call("execute_action", call.clone()).await), "vase 5 None None 0");
    call["query_params"] = json!("limit=5");
    let wrong = client.call("execute_action", call).await;
    assert_eq!(text(&wrong), "invalid JSON in `query_params`: send a JSON object as text");
    let elsewhere = json!({ "server_name": "till", "action_name": "search" });
    let refused = client.call("get_action_details", elsewhere).await;
    assert_eq!(told(&refused), json!({ "error": "Action 'search' not found in server 'till'" }));
}

/// speakeasy-api/gram: `server/internal/mcp`, dynamic mode.
#[tokio::test]
async fn gram_searches_describes_and_executes() {
    for era in Era::ALL {
        let client = client(era, Preset::Gram).await;
        let listed = client.list().await;
        assert_eq!(arguments(&listed, "search_tools"), "query* tags match_mode num_results");
        assert_eq!(arguments(&listed, "describe_tools"), "tool_names*");
        assert_eq!(arguments(&listed, "execute_tool"), "name* arguments");
        let count = &definition(&listed, "search_tools")["inputSchema"]["properties"]["num_results"];
        assert_eq!((&count["minimum"], &count["maximum"]), (&json!(1), &json!(10)));
        let found = told(&client.call("search_tools", json!({ "query": "pay with a card" })).await);
        let meta = json!({ "similarity_score": 1.0, "tags": ["till"] });
        assert_eq!(found["tools"][0], json!({ "name": "pay", "description": "Pay with a card", "_meta": meta }));
        let described = told(&client.call("describe_tools", json!({ "tool_names": ["pay", "nothing"] })).await);
        let tool = &described["tools"][0];
        assert_eq!((&tool["name"], &tool["inputSchema"]["required"][0]), (&json!("pay"), &json!("card")));
        assert_eq!(described["not_found"], json!(["nothing"]));
        let mut arguments = json!({ "card": "1" });
        if let Some(ticket) = ticket(&tool["inputSchema"]) {
            arguments["disclosure_ticket"] = ticket.clone();
        }
        let called = client.call("execute_tool", json!({ "name": "pay", "arguments": arguments })).await;
        assert!(text(&called).contains("CARD_REFUSED"), "{era:?}: {called}");
    }
}

#[tokio::test]
async fn gram_filters_by_tags() {
    let client = client(Era::Session, Preset::Gram).await;
    let found = |asked: Value| async {
        let found = told(&client.call("search_tools", asked).await);
        names(&found["tools"]).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let parcel = |more: Value| {
        let mut asked = json!({ "query": "parcel" });
        asked.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        asked
    };
    assert_eq!(found(parcel(json!({ "tags": ["goods", "till"] }))).await, ["measure"]);
    assert_eq!(found(parcel(json!({ "tags": ["goods", "till"], "match_mode": "all" }))).await, Vec::<String>::new());
    assert_eq!(found(parcel(json!({ "num_results": 1 }))).await.len(), 1);
    let missing = client.call("search_tools", json!({ "tags": ["goods"] })).await;
    assert_eq!((&missing["isError"], text(&missing)), (&json!(true), "`query` is required"));
}

/// Byte for byte, with a hidden group and tools whose words would be the best hits.
#[tokio::test]
async fn a_hidden_tool_leaves_no_trace() {
    for (preset, name, asked) in [
        (Preset::Tree, "list_tools", json!({ "path": "/" })),
        (Preset::Tree, "list_tools", json!({ "path": "/vault" })),
        (Preset::Tree, "describe_tool", json!({ "path": "/vault/vault_open" })),
        (Preset::Tree, "call_tool", json!({ "path": "/vault/vault_open", "arguments": {} })),
        (Preset::LazyMcp, "get_tools_in_category", json!({ "path": "" })),
        (Preset::LazyMcp, "get_tools_in_category", json!({ "path": "vault" })),
        (Preset::LazyMcp, "execute_tool", json!({ "tool_path": "vault.vault_open", "arguments": {} })),
        (Preset::Strata, "discover_server_categories", json!({ "user_query": "gold and prices" })),
        (Preset::Strata, "discover_server_categories", json!({ "user_query": "zzyzx" })),
        (Preset::Strata, "discover_server_actions", json!({ "user_query": "strongroom", "server_names": ["vault"] })),
        (Preset::Strata, "discover_server_actions", json!({ "user_query": "strongroom prices" })),
        (Preset::Strata, "get_category_actions", json!({ "category_names": ["vault", "shop"] })),
        (Preset::Strata, "get_action_details", json!({ "server_name": "vault", "action_name": "vault_open" })),
        (Preset::Strata, "execute_action", json!({ "server_name": "shop", "action_name": "vault_open" })),
        (Preset::Strata, "search_documentation", json!({ "query": "gold prices", "server_name": "shop" })),
        (Preset::Gram, "search_tools", json!({ "query": "gold prices" })),
        (Preset::Gram, "search_tools", json!({ "query": "prices", "tags": ["vault"] })),
        (Preset::Gram, "describe_tools", json!({ "tool_names": ["vault_open"] })),
        (Preset::Gram, "execute_tool", json!({ "name": "vault_open", "arguments": {} })),
    ] {
        let [with, without] = shop::with_and_without_vault().map(|server| server.preset(preset).build().unwrap());
        let (with, without) = (Site::open(&with, false).await, Site::open(&without, false).await);
        for (method, params) in [("tools/call", json!({ "name": name, "arguments": asked })), ("tools/list", json!({}))]
        {
            let ask = |site: &Site| Post::inline(&site.url).bearer("alice");
            let hidden = ask(&with).send(method, params.clone()).await.body.to_string();
            let absent = ask(&without).send(method, params.clone()).await.body.to_string();
            assert_eq!(hidden, absent, "{preset:?} {method} {params}");
            let seen = Post::inline(&with.url).bearer("bob shop:vault").send(method, params).await.body.to_string();
            assert!(method == "tools/list" || seen != absent, "{preset:?} {name} {asked}: who may see it sees it");
        }
    }
}

/// What hosts show their model first names the tools that there are.
#[tokio::test]
async fn the_workflow_is_right_for_each() {
    for (preset, words) in [
        (Preset::TwoStage, &["in the list, which says", "read resource:///tool_descriptions"][..]),
        (Preset::Tree, &["found with list_tools", "call describe_tool with", "through call_tool"]),
        (Preset::LazyMcp, &["found with get_tools_in_category", "through execute_tool"]),
        (
            Preset::Strata,
            &["found with discover_server_categories", "call get_action_details", "through execute_action"],
        ),
        (Preset::Gram, &["found with search_tools", "call describe_tools", "through execute_tool"]),
    ] {
        let (_line, initialized) = Line::session_with(&server(preset), json!({})).await;
        let told = initialized["instructions"].as_str().unwrap();
        for word in words {
            assert!(told.contains(word), "{preset:?}: {word} is not in {told}");
        }
    }
}
