//! URIs of the resource `tool_descriptions`: whatever is asked, the answer is clear JSON.

use crate::harness::{line::Line, shop, text, told, with_extension};
use futures::{FutureExt, future::ready};
use pd_runtime::{
    IntoOutput, PdServer, Registry, Tool,
    config::{MetaTools, Preset},
};
use serde_json::{Value, json};

async fn read(query: &str) -> Value {
    let mut line = Line::session(&shop::server().build().unwrap()).await;
    told(
        &line
            .read(&format!("resource:///tool_descriptions{query}"))
            .await,
    )
}

fn keys(told: &Value) -> Vec<&str> {
    told.as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

#[tokio::test]
async fn what_selects_nothing_is_a_missing_selection() {
    for query in [
        "",
        "/",
        "?",
        "?tools=",
        "?tools=,,%20,",
        "?tools",
        "?tool=greet",
        "?TOOLS=greet",
        "#tools=greet",
    ] {
        let told = read(query).await;
        assert_eq!(told["error"]["code"], "MISSING_TOOL_SELECTION", "{query}");
        let available = told["error"]["available_tools"].as_array().unwrap();
        assert_eq!(available[0], "greet");
        assert!(available.len() <= 20);
    }
}

#[tokio::test]
async fn names_are_found_however_the_query_is_written() {
    for query in [
        "?tools=greet,search",
        "?tools=greet%2Csearch",
        "?tools=%67reet,search",
        "?tools=%20greet%20,%20search",
        "?tools=+greet+,search",
        "?tools=greet, search",
        "?tools=greet,greet,search,greet",
        "?tools=greet&tools=search",
        "?lang=en&tools=greet,search&x=1",
        "?tools=,greet,,search,",
        "/?tools=greet,search",
        "?tools=greet,search#part",
    ] {
        assert_eq!(keys(&read(query).await), ["greet", "search"], "{query}");
    }
    assert_eq!(
        keys(&read("?tools=search,greet").await),
        ["search", "greet"],
        "in the order asked"
    );
}

#[tokio::test]
async fn strange_names_are_unknown_tools() {
    for query in [
        "?tools=%ff%fe",
        "?tools=%",
        "?tools=%zz",
        "?tools=Greet",
        "?tools=%22%7D",
        "?tools=gr%00eet",
        "?tools=…",
    ] {
        let told = read(query).await;
        let entries = told.as_object().unwrap();
        assert_eq!(entries.len(), 1, "{query}: {told}");
        let (name, entry) = entries.iter().next().unwrap();
        assert_eq!(
            entry["error"],
            format!("Tool '{name}' not found"),
            "{query}"
        );
    }
}

#[tokio::test]
async fn more_than_fifty_names_are_too_many() {
    let names = |count: usize| {
        format!(
            "?tools={}",
            (0..count)
                .map(|n| format!("t{n}"))
                .collect::<Vec<_>>()
                .join(",")
        )
    };
    assert_eq!(keys(&read(&names(50)).await).len(), 50);
    for count in [51, 10_000] {
        let error = read(&names(count)).await["error"].take();
        assert_eq!(error["code"], "TOO_MANY_TOOLS", "{count}");
        assert_eq!(error["max_tools"], 50);
        assert!(
            error["message"]
                .as_str()
                .unwrap()
                .contains(&count.to_string())
        );
    }
}

#[tokio::test]
async fn an_oversized_name_is_not_sent_back_whole() {
    let told = read(&format!("?tools={}", "x".repeat(20_000))).await;
    let length = told.to_string().len();
    assert!(length < 20_000, "{length} bytes come back");
}

#[tokio::test]
async fn other_paths_are_other_resources() {
    let mut line = Line::session(&shop::server().build().unwrap()).await;
    for uri in [
        "resource:///tool_descriptions/greet",
        "resource:///tool_descriptions2?tools=greet",
        "resource:///other",
        "file:///etc/passwd",
        "tool_descriptions?tools=greet",
        "",
    ] {
        let answer = line.request("resources/read", json!({ "uri": uri })).await;
        assert_eq!(answer["error"]["code"], -32002, "{uri}: {answer}");
        assert!(
            answer["error"]["message"]
                .as_str()
                .unwrap()
                .contains("tool_descriptions?tools=NAME")
        );
    }
}

#[tokio::test]
async fn a_read_that_discloses_is_never_served_from_a_cache() {
    let mut line = Line::inline(&shop::server().build().unwrap(), json!({}));
    let read = line.read("resource:///tool_descriptions?tools=greet").await;
    assert_eq!(
        (&read["ttlMs"], &read["cacheScope"]),
        (&json!(0), &json!("private"))
    );
    assert_eq!(read["resultType"], "complete");
}

#[tokio::test]
async fn a_read_of_nothing_known_has_no_meta() {
    let mut line = Line::session(&shop::server().build().unwrap()).await;
    let read = line
        .read("resource:///tool_descriptions?tools=nothing")
        .await;
    assert_eq!(read.get("_meta"), None, "there is no digest to tell");
}

/// An unknown URI is repeated as far as it helps, and holds nothing that a terminal obeys.
#[tokio::test]
async fn an_unknown_uri_is_cut_and_escaped() {
    let mut line = Line::session(&shop::server().build().unwrap()).await;
    let unknown = async |line: &mut Line, uri: &str| {
        line.request("resources/read", json!({ "uri": uri })).await["error"].take()
    };
    let error = unknown(&mut line, "resource:///nothing?a=b%20c").await;
    assert_eq!(error["data"]["uri"], "resource:///nothing?a=b%20c");
    let error = unknown(&mut line, &format!("resource:///{}", "x".repeat(1 << 20))).await;
    assert!(error.to_string().len() < 600, "{}", error.to_string().len());
    let error = unknown(&mut line, "resource:///\u{1b}]52;c;\u{7}\u{202e}\u{e0041}").await;
    assert_eq!(
        error["data"]["uri"],
        "resource:///%1B]52;c;%07%E2%80%AE%F3%A0%81%81"
    );
}

/// Meta-tools are listed, so they can be described; they need no disclosure, and so no ticket.
#[tokio::test]
async fn a_meta_tool_is_described_like_any_other_tool() {
    let server = || shop::server().meta_tools(MetaTools::all().call_read_only("read_only"));
    let mut line = Line::inline(&server().build().unwrap(), with_extension());
    let listed = line.result("tools/list", json!({})).await;
    let meta_tools = [
        "find_tools",
        "list_tools",
        "describe_tools",
        "call_tool",
        "read_only",
    ];
    let entries: Vec<_> = listed["tools"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|tool| meta_tools.contains(&tool["name"].as_str().unwrap()))
        .collect();
    assert_eq!(entries.len(), meta_tools.len());
    let names = meta_tools.join(",");
    let by_resource = told(
        &line
            .read(&format!(
                "resource:///tool_descriptions?tools=greet,{names}"
            ))
            .await,
    );
    let by_tool = told(
        &line
            .call("describe_tools", json!({ "names": meta_tools }))
            .await,
    );
    let by_extension = line
        .result("disclosure/describe", json!({ "names": meta_tools }))
        .await["descriptions"]
        .take();
    assert!(by_resource["greet"]["inputSchema"].is_object());
    for entry in entries {
        let name = entry["name"].as_str().unwrap();
        for described in [&by_resource, &by_tool, &by_extension] {
            assert_eq!(
                described[name]["description"], entry["description"],
                "{name}"
            );
            assert_eq!(
                described[name]["inputSchema"], entry["inputSchema"],
                "{name}"
            );
        }
    }
    for detail in ["signature", "summary"] {
        let lines = line
            .call(
                "describe_tools",
                json!({ "names": ["call_tool"], "detail": detail }),
            )
            .await;
        assert!(
            text(&lines).contains("call_tool") && !text(&lines).contains("no tool is called"),
            "{lines}"
        );
    }
    let asked = told(
        &line
            .read("resource:///tool_descriptions?tools=find_tool")
            .await,
    );
    assert!(
        asked["find_tool"]["error"].is_string(),
        "what only resembles one is unknown"
    );
}

#[tokio::test]
async fn a_presets_meta_tools_are_described_as_well() {
    for (preset, names, by_tool) in [
        (
            Preset::Tree,
            vec!["list_tools", "describe_tool", "call_tool"],
            None,
        ),
        (
            Preset::LazyMcp,
            vec!["get_tools_in_category", "execute_tool"],
            None,
        ),
        (
            Preset::Strata,
            vec![
                "discover_server_categories",
                "get_action_details",
                "execute_action",
            ],
            None,
        ),
        (
            Preset::Gram,
            vec!["search_tools", "describe_tools", "execute_tool"],
            Some("describe_tools"),
        ),
    ] {
        let mut line = Line::session(&shop::server().preset(preset).build().unwrap()).await;
        let described = told(
            &line
                .read(&format!(
                    "resource:///tool_descriptions?tools={}",
                    names.join(",")
                ))
                .await,
        );
        for name in &names {
            assert!(
                described[*name]["inputSchema"].is_object(),
                "{preset:?}: {described}"
            );
        }
        if let Some(tool) = by_tool {
            let described = told(&line.call(tool, json!({ "tool_names": names })).await);
            assert_eq!(
                described["tools"].as_array().unwrap().len(),
                names.len(),
                "{described}"
            );
        }
        if preset == Preset::Tree {
            let described = told(
                &line
                    .call("describe_tool", json!({ "path": "/call_tool" }))
                    .await,
            );
            assert_eq!(described["name"], "call_tool");
        }
    }
}

/// A list that was cut says so.
#[tokio::test]
async fn names_that_are_left_out_are_counted() {
    let tool = |number| {
        Tool::new(format!("tool_{number}"), "Say one text", |_, _, _| {
            ready("said".into_output()).boxed()
        })
    };
    let shared = |count: usize| {
        let registry = Registry::builder()
            .tools((0..count).map(tool))
            .build()
            .unwrap();
        PdServer::builder(registry, ())
            .listing(pd_runtime::Listing::Minimal)
            .build()
            .unwrap()
    };
    for (count, more) in [(30, json!(10)), (20, Value::Null)] {
        let mut line = Line::session(&shared(count)).await;
        let unselected = told(&line.read("resource:///tool_descriptions").await);
        assert_eq!(
            unselected["error"]["available_tools"]
                .as_array()
                .unwrap()
                .len(),
            20
        );
        assert_eq!(unselected["error"]["more"], more);
        let unknown = told(
            &line
                .read("resource:///tool_descriptions?tools=nothing")
                .await,
        );
        assert_eq!(unknown["nothing"]["more"], more, "{unknown}");
        let unnamed = told(&line.call("describe_tools", json!({})).await);
        assert_eq!(unnamed["error"]["more"], more);
    }
}
