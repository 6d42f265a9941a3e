//! URIs of the resource `tool_descriptions`: whatever is asked, the answer is clear JSON.

use crate::harness::{line::Line, shop, told};
use serde_json::{Value, json};

async fn read(query: &str) -> Value {
    let mut line = Line::session(&shop::server().build().unwrap()).await;
    told(&line.read(&format!("resource:///tool_descriptions{query}")).await)
}

fn keys(told: &Value) -> Vec<&str> {
    told.as_object().unwrap().keys().map(String::as_str).collect()
}

#[tokio::test]
async fn what_selects_nothing_is_a_missing_selection() {
    for query in ["", "/", "?", "?tools=", "?tools=,,%20,", "?tools", "?tool=greet", "?TOOLS=greet", "#tools=greet"] {
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
    assert_eq!(keys(&read("?tools=search,greet").await), ["search", "greet"], "in the order asked");
}

#[tokio::test]
async fn strange_names_are_unknown_tools() {
    for query in
        ["?tools=%ff%fe", "?tools=%", "?tools=%zz", "?tools=Greet", "?tools=%22%7D", "?tools=gr%00eet", "?tools=…"]
    {
        let told = read(query).await;
        let entries = told.as_object().unwrap();
        assert_eq!(entries.len(), 1, "{query}: {told}");
        let (name, entry) = entries.iter().next().unwrap();
        assert_eq!(entry["error"], format!("Tool '{name}' not found"), "{query}");
    }
}

#[tokio::test]
async fn more_than_fifty_names_are_too_many() {
    let names = |count: usize| format!("?tools={}", (0..count).map(|n| format!("t{n}")).collect::<Vec<_>>().join(","));
    assert_eq!(keys(&read(&names(50)).await).len(), 50);
    for count in [51, 10_000] {
        let error = read(&names(count)).await["error"].take();
        assert_eq!(error["code"], "TOO_MANY_TOOLS", "{count}");
        assert_eq!(error["max_tools"], 50);
        assert!(error["message"].as_str().unwrap().contains(&count.to_string()));
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
        assert!(answer["error"]["message"].as_str().unwrap().contains("tool_descriptions?tools=NAME"));
    }
}

#[tokio::test]
async fn a_read_that_discloses_is_never_served_from_a_cache() {
    let mut line = Line::inline(&shop::server().build().unwrap(), json!({}));
    let read = line.read("resource:///tool_descriptions?tools=greet").await;
    assert_eq!((&read["ttlMs"], &read["cacheScope"]), (&json!(0), &json!("private")));
    assert_eq!(read["resultType"], "complete");
}

#[tokio::test]
async fn a_read_of_nothing_known_has_no_meta() {
    let mut line = Line::session(&shop::server().build().unwrap()).await;
    let read = line.read("resource:///tool_descriptions?tools=nothing").await;
    assert_eq!(read.get("_meta"), None, "there is no digest to tell");
}
