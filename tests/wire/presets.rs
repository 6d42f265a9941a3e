//! Patterns of others, each driven as its own documentation drives it: names, arguments and results are theirs.

mod strata;

use crate::harness::{
    advice,
    client::{Client, Era, connect},
    code,
    line::Line,
    names,
    post::Post,
    shop::{self, Shop, saying},
    site::Site,
    text, told,
};
use pd_runtime::{Group, PdServer, Registry, config::Preset};
use serde_json::{Value, json};

fn server(preset: Preset) -> PdServer<Shop> {
    PdServer::builder(shop::registry(), Shop::default())
        .preset(preset)
        .build()
        .unwrap()
}

async fn client(era: Era, preset: Preset) -> Client {
    connect(era, &server(preset)).await
}

fn definition<'a>(listed: &'a Value, name: &str) -> &'a Value {
    let tools = listed["tools"].as_array().unwrap();
    tools
        .iter()
        .find(|tool| tool["name"] == name)
        .unwrap_or_else(|| panic!("no {name}"))
}

/// The arguments that a definition names, in order, a star after those it requires.
fn arguments(listed: &Value, name: &str) -> String {
    let schema = &definition(listed, name)["inputSchema"];
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let star = |key: &String| {
        if required.contains(&json!(key)) {
            "*"
        } else {
            ""
        }
    };
    let keys = schema["properties"]
        .as_object()
        .unwrap()
        .keys()
        .map(|key| format!("{key}{}", star(key)));
    keys.collect::<Vec<_>>().join(" ")
}

/// The ticket that a schema asks for, in eras that have one.
fn ticket(schema: &Value) -> Option<&Value> {
    schema.pointer("/properties/disclosure_ticket/const")
}

#[tokio::test]
async fn only_the_meta_tools_and_eager_tools_are_listed() {
    for (preset, offered) in [
        (
            Preset::Tree,
            &["list_tools", "describe_tool", "call_tool"][..],
        ),
        (Preset::LazyMcp, &["get_tools_in_category", "execute_tool"]),
        (
            Preset::Gram,
            &["search_tools", "describe_tools", "execute_tool"],
        ),
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
        let expected =
            json!({ "name": "greet", "description": "Greet a customer", "inputSchema": empty });
        assert_eq!(definition(&listed, "greet"), &expected);
        assert!(
            !names(&listed["tools"]).contains(&"describe_tools"),
            "{era:?}"
        );
        assert_eq!(
            code(&client.call("greet", json!({ "name": "Ada" })).await),
            "TOOL_DESCRIPTION_REQUIRED"
        );
        assert_eq!(
            text(
                &client
                    .call_described("greet", json!({ "name": "Ada" }))
                    .await
            ),
            "Welcome, Ada!"
        );
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
        assert_eq!(
            root[2],
            json!({ "name": "greet", "description": "Greet a customer" })
        );
        let goods = told(
            &client
                .call("list_tools", json!({ "path": "/goods/" }))
                .await,
        );
        assert_eq!(
            goods[0],
            json!({ "name": "stock", "description": "Count the stock" })
        );
        let described = told(
            &client
                .call("describe_tool", json!({ "path": "/till/pay" }))
                .await,
        );
        assert_eq!(
            (&described["name"], &described["inputSchema"]["required"][0]),
            (&json!("pay"), &json!("card"))
        );
        let mut arguments = json!({ "card": "1" });
        if let Some(ticket) = ticket(&described["inputSchema"]) {
            arguments["disclosure_ticket"] = ticket.clone();
        }
        let called = client
            .call(
                "call_tool",
                json!({ "path": "/till/pay", "arguments": arguments }),
            )
            .await;
        assert!(text(&called).contains("CARD_REFUSED"), "{era:?}: {called}");
    }
}

#[tokio::test]
async fn a_wrong_path_is_told_with_what_comes_near() {
    let client = client(Era::Session, Preset::Tree).await;
    let group = client.call("list_tools", json!({ "path": "/good" })).await;
    assert_eq!(
        (&group["isError"], text(&group)),
        (
            &json!(true),
            "no group at `/good`; the nearest: /goods, /till"
        )
    );
    for (tool, asked, told) in [
        (
            "describe_tool",
            json!({ "path": "/goods/pay" }),
            "no such tool: `/goods/pay`; the nearest: /till/pay, ",
        ),
        (
            "describe_tool",
            json!({}),
            "`path` must be the path of a tool, such as \"/group/tool\"",
        ),
        (
            "call_tool",
            json!({ "arguments": {} }),
            "`path` must be the path of a tool",
        ),
        (
            "call_tool",
            json!({ "path": "/till/payy", "arguments": {} }),
            "no such tool: `/till/payy`; the nearest: /till/pay, ",
        ),
        (
            "call_tool",
            json!({ "path": "/till/pay", "card": 1 }),
            "the tool's arguments belong in `arguments`, as a JSON object: {\"path\": …",
        ),
        (
            "list_tools",
            json!({ "path": "/till/pay" }),
            "`/till/pay` is a tool, not a group: describe `/till/pay` with describe_tool",
        ),
    ] {
        let refused = client.call(tool, asked.clone()).await;
        assert!(
            refused["isError"] == true && text(&refused).starts_with(told),
            "{tool} {asked}: {refused}"
        );
    }
}

/// lazy-mcp writes paths with dots, calls groups categories, and describes nothing.
#[tokio::test]
async fn lazy_mcp_names_its_own_arguments_in_errors() {
    let client = client(Era::Session, Preset::LazyMcp).await;
    for (tool, asked, told) in [
        (
            "get_tools_in_category",
            json!({ "path": "good" }),
            "no category at `good`; the nearest: goods, till",
        ),
        (
            "get_tools_in_category",
            json!({ "path": "till.pay" }),
            "`till.pay` is a tool, not a category: call `till.pay` with execute_tool",
        ),
        (
            "execute_tool",
            json!({}),
            "`tool_path` must be the path of a tool",
        ),
        (
            "execute_tool",
            json!({ "tool_path": "till.payy" }),
            "no such tool: `till.payy`; the nearest: till.pay, ",
        ),
        (
            "execute_tool",
            json!({ "tool_path": "till.pay", "card": 1 }),
            "the tool's arguments belong in `arguments`, as a JSON object: {\"tool_path\": …",
        ),
    ] {
        let refused = client.call(tool, asked.clone()).await;
        assert!(
            refused["isError"] == true && text(&refused).starts_with(told),
            "{tool} {asked}: {refused}"
        );
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
        let root = told(
            &client
                .call("get_tools_in_category", json!({ "path": "/" }))
                .await,
        );
        assert_eq!(
            (&root["path"], &root["overview"]),
            (&json!(""), &json!("A shop."))
        );
        let leaf = |count: usize| json!({ "is_leaf": true, "tool_count": count });
        assert_eq!(
            root["children"],
            json!({ "goods": leaf(5), "till": leaf(4) })
        );
        assert_eq!(
            root["tools"]["greet"],
            json!({ "description": "Greet a customer", "tool_path": "greet" })
        );
        let goods = told(
            &client
                .call("get_tools_in_category", json!({ "path": "goods" }))
                .await,
        );
        assert_eq!(
            goods["tools"]["stock"],
            json!({ "description": "Count the stock", "tool_path": "goods.stock" })
        );
        let call = json!({ "tool_path": "goods.stock", "arguments": {} });
        let refused = client.call("execute_tool", call.clone()).await;
        let signature = advice(&refused)[0];
        let mut call = call;
        if let Some((_, rest)) = signature.split_once("disclosure_ticket: \"") {
            call["arguments"]["disclosure_ticket"] = json!(rest.split('"').next());
        }
        let called = client.call("execute_tool", call).await;
        assert_eq!(
            called["structuredContent"],
            json!({ "articles": 7 }),
            "{era:?}: {called}"
        );
    }
}

/// speakeasy-api/gram: `server/internal/mcp`, dynamic mode.
#[tokio::test]
async fn gram_searches_describes_and_executes() {
    for era in Era::ALL {
        let client = client(era, Preset::Gram).await;
        let listed = client.list().await;
        assert_eq!(
            arguments(&listed, "search_tools"),
            "query* tags match_mode num_results"
        );
        assert_eq!(arguments(&listed, "describe_tools"), "tool_names*");
        assert_eq!(arguments(&listed, "execute_tool"), "name* arguments");
        let count =
            &definition(&listed, "search_tools")["inputSchema"]["properties"]["num_results"];
        assert_eq!(
            (&count["minimum"], &count["maximum"]),
            (&json!(1), &json!(10))
        );
        let found = told(
            &client
                .call("search_tools", json!({ "query": "pay with a card" }))
                .await,
        );
        let meta = json!({ "similarity_score": 1.0, "tags": ["till"] });
        assert_eq!(
            found["tools"][0],
            json!({ "name": "pay", "description": "Pay with a card", "_meta": meta })
        );
        let described = told(
            &client
                .call(
                    "describe_tools",
                    json!({ "tool_names": ["pay", "nothing"] }),
                )
                .await,
        );
        let tool = &described["tools"][0];
        assert_eq!(
            (&tool["name"], &tool["inputSchema"]["required"][0]),
            (&json!("pay"), &json!("card"))
        );
        assert_eq!(described["not_found"], json!(["nothing"]));
        let mut arguments = json!({ "card": "1" });
        if let Some(ticket) = ticket(&tool["inputSchema"]) {
            arguments["disclosure_ticket"] = ticket.clone();
        }
        let called = client
            .call(
                "execute_tool",
                json!({ "name": "pay", "arguments": arguments }),
            )
            .await;
        assert!(text(&called).contains("CARD_REFUSED"), "{era:?}: {called}");
    }
}

#[tokio::test]
async fn gram_filters_by_tags() {
    let client = client(Era::Session, Preset::Gram).await;
    let found = |asked: Value| async {
        let found = told(&client.call("search_tools", asked).await);
        names(&found["tools"])
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let parcel = |more: Value| {
        let mut asked = json!({ "query": "parcel" });
        asked
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        asked
    };
    assert_eq!(
        found(parcel(json!({ "tags": ["goods", "till"] }))).await,
        ["measure"]
    );
    assert_eq!(
        found(parcel(
            json!({ "tags": ["goods", "till"], "match_mode": "all" })
        ))
        .await,
        Vec::<String>::new()
    );
    assert_eq!(found(parcel(json!({ "num_results": 1 }))).await.len(), 1);
    let missing = client
        .call("search_tools", json!({ "tags": ["goods"] }))
        .await;
    assert_eq!(
        (&missing["isError"], text(&missing)),
        (&json!(true), "`query` is required")
    );
}

/// Groups in groups, as Gram's tags.
fn forest() -> PdServer<Shop> {
    let compare = Group::new("compare", "Compare two revisions")
        .tool(saying("diff", "lines"))
        .tool(saying("merge_base", "a"));
    let trees = Group::new("trees", "Files at any revision")
        .tool(saying("ls", "names"))
        .group(compare);
    let history = Group::new("history", "Commits").tool(saying("log", "commits"));
    let registry = Registry::builder()
        .group(trees)
        .group(history)
        .build()
        .unwrap();
    PdServer::builder(registry, Shop::default())
        .preset(Preset::Gram)
        .build()
        .unwrap()
}

#[tokio::test]
async fn every_advertised_tag_finds_its_tools() {
    let client = connect(Era::Session, &forest()).await;
    let listed = client.list().await;
    let about = definition(&listed, "search_tools")["description"]
        .as_str()
        .unwrap();
    for tag in ["trees", "history", "trees/compare"] {
        assert!(about.contains(tag), "{about}");
    }
    let found = |tags: Value, mode: &'static str| {
        let asked =
            json!({ "query": "say one text", "tags": tags, "match_mode": mode, "num_results": 10 });
        let answer = client.call("search_tools", asked);
        async move {
            names(&told(&answer.await)["tools"])
                .into_iter()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        }
    };
    for compare in [
        "trees/compare",
        "/trees/compare",
        "trees.compare",
        "compare",
    ] {
        assert_eq!(
            found(json!([compare]), "any").await,
            ["diff", "merge_base"],
            "{compare}"
        );
        assert_eq!(
            found(json!(["history", compare]), "any").await,
            ["diff", "merge_base", "log"],
            "{compare}"
        );
        assert_eq!(
            found(json!(["trees", compare]), "all").await,
            ["diff", "merge_base"],
            "{compare}"
        );
        assert_eq!(
            found(json!(["history", compare]), "all").await,
            Vec::<String>::new(),
            "{compare}"
        );
    }
    assert_eq!(
        found(json!(["trees"]), "any").await,
        ["ls", "diff", "merge_base"]
    );
    let hit = told(
        &client
            .call("search_tools", json!({ "query": "diff" }))
            .await,
    )["tools"][0]
        .clone();
    assert_eq!(
        hit["_meta"]["tags"],
        json!(["trees", "trees/compare"]),
        "as they are advertised"
    );
    let wrong = client
        .call(
            "search_tools",
            json!({ "query": "diff", "match_mode": "some" }),
        )
        .await;
    assert_eq!(
        (&wrong["isError"], text(&wrong)),
        (&json!(true), "`match_mode` must be one of any, all")
    );
}

#[tokio::test]
async fn a_search_without_a_hit_answers_with_tags_and_the_nearest_tools() {
    let client = connect(Era::Session, &forest()).await;
    let search = |asked: Value| {
        let answer = client.call("search_tools", asked);
        async move { told(&answer.await) }
    };
    let tags = json!(["trees", "trees/compare", "history"]);
    let missed = search(json!({ "query": "dif zzyzx" })).await;
    assert_eq!(
        (&missed["tools"], &missed["tags"]),
        (&json!([]), &tags),
        "{missed}"
    );
    assert_eq!(missed["nearest"][0]["name"], "diff", "{missed}");
    assert!(
        missed["next"].as_str().unwrap().contains("`tags`"),
        "{missed}"
    );
    let missed = search(json!({ "query": "log", "tags": ["trees"] })).await;
    assert_eq!(
        (&missed["tools"], &missed["nearest"][0]["name"]),
        (&json!([]), &json!("log")),
        "the words alone find it"
    );
    let missed = search(json!({ "query": "zzyzx", "tags": ["compare"] })).await;
    assert_eq!(
        names(&missed["nearest"]),
        ["diff", "merge_base"],
        "what the tag holds"
    );
    let missed = search(json!({ "query": "log", "tags": ["histori", "history"] })).await;
    assert_eq!(names(&missed["tools"]), ["log"]);
    assert_eq!(
        (&missed["unknown_tags"], &missed["tags"]),
        (&json!(["histori"]), &tags)
    );
    let long = search(json!({ "query": "log", "tags": ["x".repeat(100_000)] })).await;
    assert!(long.to_string().len() < 2_000, "{long}");
}

/// Byte for byte, with a hidden group and tools whose words would be the best hits.
#[tokio::test]
async fn a_hidden_tool_leaves_no_trace() {
    for (preset, name, asked) in [
        (Preset::Tree, "list_tools", json!({ "path": "/" })),
        (Preset::Tree, "list_tools", json!({ "path": "/vault" })),
        (
            Preset::Tree,
            "describe_tool",
            json!({ "path": "/vault/vault_open" }),
        ),
        (
            Preset::Tree,
            "call_tool",
            json!({ "path": "/vault/vault_open", "arguments": {} }),
        ),
        (
            Preset::LazyMcp,
            "get_tools_in_category",
            json!({ "path": "" }),
        ),
        (
            Preset::LazyMcp,
            "get_tools_in_category",
            json!({ "path": "vault" }),
        ),
        (
            Preset::LazyMcp,
            "execute_tool",
            json!({ "tool_path": "vault.vault_open", "arguments": {} }),
        ),
        (
            Preset::Strata,
            "discover_server_categories",
            json!({ "user_query": "gold and prices" }),
        ),
        (
            Preset::Strata,
            "discover_server_categories",
            json!({ "user_query": "zzyzx" }),
        ),
        (
            Preset::Strata,
            "discover_server_actions",
            json!({ "user_query": "strongroom", "server_names": ["vault"] }),
        ),
        (
            Preset::Strata,
            "discover_server_actions",
            json!({ "user_query": "strongroom prices" }),
        ),
        (
            Preset::Strata,
            "get_category_actions",
            json!({ "category_names": ["vault", "shop"] }),
        ),
        (
            Preset::Strata,
            "get_action_details",
            json!({ "server_name": "vault", "action_name": "vault_open" }),
        ),
        (
            Preset::Strata,
            "execute_action",
            json!({ "server_name": "shop", "action_name": "vault_open" }),
        ),
        (
            Preset::Strata,
            "search_documentation",
            json!({ "query": "gold prices", "server_name": "shop" }),
        ),
        (
            Preset::Gram,
            "search_tools",
            json!({ "query": "gold prices" }),
        ),
        (
            Preset::Gram,
            "search_tools",
            json!({ "query": "prices", "tags": ["vault"] }),
        ),
        (
            Preset::Gram,
            "search_tools",
            json!({ "query": "zzyzx", "tags": ["goods"], "match_mode": "all" }),
        ),
        (
            Preset::Gram,
            "search_tools",
            json!({ "query": "vault_opens zzyzx" }),
        ),
        (
            Preset::Gram,
            "describe_tools",
            json!({ "tool_names": ["vault_open"] }),
        ),
        (
            Preset::Gram,
            "execute_tool",
            json!({ "name": "vault_open", "arguments": {} }),
        ),
    ] {
        let [with, without] =
            shop::with_and_without_vault().map(|server| server.preset(preset).build().unwrap());
        let (with, without) = (
            Site::open(&with, false).await,
            Site::open(&without, false).await,
        );
        for (method, params) in [
            ("tools/call", json!({ "name": name, "arguments": asked })),
            ("tools/list", json!({})),
        ] {
            let ask = |site: &Site| Post::inline(&site.url).bearer("alice");
            let hidden = ask(&with)
                .send(method, params.clone())
                .await
                .body
                .to_string();
            let absent = ask(&without)
                .send(method, params.clone())
                .await
                .body
                .to_string();
            assert_eq!(hidden, absent, "{preset:?} {method} {params}");
            let seen = Post::inline(&with.url)
                .bearer("bob shop:vault")
                .send(method, params)
                .await
                .body
                .to_string();
            assert!(
                method == "tools/list" || seen != absent,
                "{preset:?} {name} {asked}: who may see it sees it"
            );
        }
    }
}

/// What hosts show their model first names the tools that there are.
#[tokio::test]
async fn the_workflow_is_right_for_each() {
    for (preset, words) in [
        (
            Preset::TwoStage,
            &[
                "in the list, which says",
                "read resource:///tool_descriptions",
            ][..],
        ),
        (
            Preset::Tree,
            &[
                "found with list_tools",
                "call describe_tool with its path",
                "through call_tool",
            ],
        ),
        (
            Preset::LazyMcp,
            &["found with get_tools_in_category", "through execute_tool"],
        ),
        (
            Preset::Strata,
            &[
                "found with discover_server_categories",
                "call get_action_details",
                "through execute_action",
            ],
        ),
        (
            Preset::Gram,
            &[
                "found with search_tools",
                "call describe_tools",
                "through execute_tool",
            ],
        ),
    ] {
        let (_line, initialized) = Line::session_with(&server(preset), json!({})).await;
        let told = initialized["instructions"].as_str().unwrap();
        for word in words {
            assert!(told.contains(word), "{preset:?}: {word} is not in {told}");
        }
    }
}
