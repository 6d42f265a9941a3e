//! Texts that hold the JSON of the object or list that a tool takes: the tool gets the value, and no
//! correction ever hides such a text in another value.

use crate::{
    harness::{
        client::{Client, Era, connect},
        code, shop,
        site::Site,
        text, told,
    },
    seen::Kept,
};
use pd_gateway::{Gateway, GatewayConfig};
use pd_runtime::{GateMode, ServerBuilder, config::MetaTools, prelude::*};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::{fs, sync::Arc};

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(
    dead_code,
    reason = "serde fills the fields in, and `Debug` alone reads them"
)]
struct Filter {
    field: String,
    value: Option<u32>,
}

/// A filter in each of serde's forms of an enum.
#[derive(Debug, Deserialize, JsonSchema)]
#[expect(
    dead_code,
    reason = "serde fills the fields in, and `Debug` alone reads them"
)]
#[serde(rename_all = "snake_case")]
enum External {
    All,
    Between { from: i64, to: i64 },
    Not(Box<External>),
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(
    dead_code,
    reason = "serde fills the fields in, and `Debug` alone reads them"
)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Internal {
    All,
    Between { from: i64, to: i64 },
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(
    dead_code,
    reason = "serde fills the fields in, and `Debug` alone reads them"
)]
#[serde(tag = "kind", content = "value", rename_all = "snake_case")]
enum Adjacent {
    All,
    Between { from: i64, to: i64 },
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(
    dead_code,
    reason = "serde fills the fields in, and `Debug` alone reads them"
)]
#[serde(untagged)]
enum TextOrFilter {
    Filter(Filter),
    Text(String),
}

/// A list whose items hold more of them.
#[derive(Debug, Deserialize, JsonSchema)]
#[expect(
    dead_code,
    reason = "serde fills the fields in, and `Debug` alone reads them"
)]
struct Tree {
    name: String,
    #[serde(default)]
    children: Vec<Tree>,
}

#[pd_tool(summary = "Filter by a field")]
fn select(filter: Filter) -> String {
    format!("{filter:?}")
}

#[pd_tool(summary = "Filter by a field, without a change", read_only)]
fn look(filter: Filter) -> String {
    format!("{filter:?}")
}

#[pd_tool(summary = "Join words")]
fn join(words: Vec<String>) -> String {
    format!("{words:?}")
}

#[pd_tool(summary = "Add numbers")]
fn add(numbers: Vec<i64>, times: Option<u32>) -> String {
    format!("{numbers:?} {times:?}")
}

#[pd_tool(summary = "Filter by a tag around a value")]
fn external(filter: External) -> String {
    format!("{filter:?}")
}

#[pd_tool(summary = "Filter by a tag in a value")]
fn internal(filter: Internal) -> String {
    format!("{filter:?}")
}

#[pd_tool(summary = "Filter by a tag beside a value")]
fn adjacent(filter: Adjacent) -> String {
    format!("{filter:?}")
}

#[pd_tool(summary = "Filter by a text or a field")]
fn either(filter: TextOrFilter) -> String {
    format!("{filter:?}")
}

#[pd_tool(summary = "Plant trees")]
fn plant(trees: Vec<Tree>) -> String {
    format!("{trees:?}")
}

#[pd_tool(summary = "Repeat a text")]
fn repeat(text: String) -> String {
    text
}

fn registry() -> Registry<()> {
    pd_runtime::registry! { select, look, join, add, external, internal, adjacent, either, plant, repeat }
}

pub(super) fn server() -> ServerBuilder<()> {
    PdServer::builder(registry(), ())
        .gate(GateMode::Off)
        .meta_tools(MetaTools::all())
}

/// The ways to call a tool.
async fn call_each_way(client: &Client, tool: &str, arguments: &Value) -> [Value; 3] {
    let through = |arguments: Value| json!({ "name": tool, "arguments": arguments });
    [
        client.call(tool, arguments.clone()).await,
        client.call("call_tool", through(arguments.clone())).await,
        client
            .call("call_tool", through(arguments.to_string().into()))
            .await,
    ]
}

/// Each tool with arguments in which texts hold JSON, and the result.
fn readable() -> Vec<(&'static str, Value, &'static str)> {
    let tree = json!({ "name": "a", "children": json!([{ "name": "b", "children": "[{\"name\": \"c\"}]" }]).to_string() });
    vec![
        (
            "select",
            json!({ "filter": "{\"field\":\"a\"}" }),
            "Filter { field: \"a\", value: None }",
        ),
        (
            "look",
            json!({ "filter": " {\"field\": \"a\", \"value\": 3}" }),
            "Filter { field: \"a\", value: Some(3) }",
        ),
        (
            "join",
            json!({ "words": "[\"a\",\"b\"]" }),
            "[\"a\", \"b\"]",
        ),
        ("join", json!({ "words": "[]" }), "[]"),
        (
            "add",
            json!({ "numbers": "[1, 2]", "times": 3 }),
            "[1, 2] Some(3)",
        ),
        (
            "external",
            json!({ "filter": "{\"between\": {\"from\": 1, \"to\": 2}}" }),
            "Between { from: 1, to: 2 }",
        ),
        (
            "external",
            json!({ "filter": { "between": "{\"from\": 1, \"to\": 2}" } }),
            "Between { from: 1, to: 2 }",
        ),
        (
            "external",
            json!({ "filter": { "not": "{\"not\": \"all\"}" } }),
            "Not(Not(All))",
        ),
        (
            "internal",
            json!({ "filter": "{\"kind\": \"between\", \"from\": 1, \"to\": 2}" }),
            "Between { from: 1, to: 2 }",
        ),
        (
            "adjacent",
            json!({ "filter": { "kind": "between", "value": "{\"from\": 1, \"to\": 2}" } }),
            "Between { from: 1, to: 2 }",
        ),
        (
            "plant",
            json!({ "trees": [tree, "{\"name\": \"d\"}"] }),
            "[Tree { name: \"a\", children: [Tree { name: \"b\", children: [Tree { name: \"c\", children: [] }] }] }, \
             Tree { name: \"d\", children: [] }]",
        ),
    ]
}

#[tokio::test]
async fn a_text_that_holds_the_json_of_an_object_or_list_is_that_value() {
    for era in Era::ALL {
        let client = connect(era, &server().build().unwrap()).await;
        for (tool, sent, result) in readable() {
            for called in call_each_way(&client, tool, &sent).await {
                assert_eq!(text(&called), result, "{era:?} {tool} {sent}");
                assert_eq!(
                    called["content"].as_array().map(Vec::len),
                    Some(1),
                    "{called}"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_text_stays_a_text_where_the_schema_takes_one() {
    let client = connect(Era::Session, &server().build().unwrap()).await;
    let json = "{\"field\":\"a\"}";
    for called in call_each_way(&client, "repeat", &json!({ "text": json })).await {
        assert_eq!(text(&called), json);
    }
    for called in call_each_way(&client, "either", &json!({ "filter": json })).await {
        assert_eq!(text(&called), "Text(\"{\\\"field\\\":\\\"a\\\"}\")");
    }
    for called in call_each_way(&client, "select", &json!({ "filter": { "field": json } })).await {
        assert_eq!(
            text(&called),
            "Filter { field: \"{\\\"field\\\":\\\"a\\\"}\", value: None }"
        );
    }
    for called in call_each_way(&client, "join", &json!({ "words": ["[\"a\"]"] })).await {
        assert_eq!(text(&called), "[\"[\\\"a\\\"]\"]");
    }
}

#[tokio::test]
async fn the_audit_marks_calls_with_arguments_from_texts() {
    let kept: Arc<Kept> = Kept::new();
    let server = server().audit(kept.clone()).build().unwrap();
    for era in [Era::Session, Era::Inline] {
        let client = connect(era, &server).await;
        for (tool, sent, _) in readable() {
            call_each_way(&client, tool, &sent).await;
            let marks: Vec<Value> = kept
                .take()
                .iter()
                .map(|event| event["from_text"].clone())
                .collect();
            assert_eq!(marks, vec![json!(true); 3], "{era:?} {tool} {sent}");
        }
        for (tool, sent) in [
            ("select", json!({ "filter": { "field": "a" } })),
            ("repeat", json!({ "text": "{}" })),
            ("either", json!({ "filter": "{}" })),
        ] {
            call_each_way(&client, tool, &sent).await;
            let events = kept.take();
            assert_eq!(events.len(), 3, "{events:?}");
            assert!(
                events.iter().all(|event| event.get("from_text").is_none()),
                "{tool} {sent}: {events:?}"
            );
        }
    }
}

#[tokio::test]
async fn other_violations_are_reported_for_the_value_that_the_text_holds() {
    for era in [Era::Session, Era::Inline] {
        let client = connect(era, &server().build().unwrap()).await;
        let called = client
            .call(
                "select",
                json!({ "filter": "{\"feld\":\"a\", \"value\": -1}" }),
            )
            .await;
        let violations = told(&called)["error"]["violations"].clone();
        let pointers: Vec<&Value> = violations
            .as_array()
            .unwrap()
            .iter()
            .map(|one| &one["pointer"])
            .collect();
        assert!(
            pointers.contains(&&json!("/filter/value")),
            "{era:?} {violations}"
        );
        let call =
            "{\"name\": \"select\", \"arguments\": {\"filter\": {\"field\": \"a\", \"value\": <";
        assert!(text(&called).contains(call), "{era:?} {called}");
    }
}

#[tokio::test]
async fn where_corrections_are_off_the_answer_says_to_send_the_value_itself() {
    for era in [Era::Session, Era::Inline] {
        let client = connect(era, &server().run_corrected(false).build().unwrap()).await;
        for (tool, argument, sent, kind, value) in [
            (
                "select",
                "filter",
                "{\"field\":\"a\"}",
                "object",
                "{\"field\": \"a\"}",
            ),
            ("join", "words", "[\"a\"]", "array", "[\"a\"]"),
            ("add", "numbers", "[1, 2]", "array", "[1, 2]"),
            (
                "external",
                "filter",
                "{\"between\": {\"from\": 1, \"to\": 2}}",
                "object",
                "{\"between\": {\"from\": 1, \"to\": 2}}",
            ),
        ] {
            let called = client.call(tool, json!({ argument: sent })).await;
            let message = &told(&called)["error"]["violations"][0]["message"];
            assert_eq!(
                message,
                &format!("is a text that holds JSON; send the {kind} itself"),
                "{called}"
            );
            let call = format!(
                "`{argument}` as {kind}. Then send:\n{{\"name\": \"{tool}\", \"arguments\": {{\"{argument}\": {value}}}}}"
            );
            assert!(text(&called).ends_with(&call), "{era:?} {called}");
        }
    }
}

/// Whether a call that is shown contains a text as a value of it.
fn contains_text(shown: &str, json: &str) -> bool {
    shown.contains(&Value::from(json).to_string())
}

#[tokio::test]
async fn a_text_that_begins_as_json_is_never_put_into_another_value() {
    let long = format!("[{}", "x ".repeat(100));
    for json in [
        "[1]",
        "{\"a\": 1}",
        "{'field': 'a'}",
        "[\"a\", \"b",
        long.as_str(),
    ] {
        for era in [Era::Session, Era::Inline] {
            let client = connect(era, &server().build().unwrap()).await;
            for (tool, sent) in [
                ("select", json!({ "filter": json })),
                ("look", json!({ "filter": json })),
                ("plant", json!({ "trees": [json] })),
                (
                    "plant",
                    json!({ "trees": [{ "name": "a", "children": [json] }] }),
                ),
                ("internal", json!({ "filter": json })),
            ] {
                let called = client.call(tool, sent.clone()).await;
                if json != "{\"a\": 1}" || tool != "internal" {
                    assert_eq!(code(&called), "INVALID_ARGUMENTS", "{tool} {sent}");
                }
                let (_, shown) = text(&called).split_once("\n\n").unwrap();
                assert!(
                    !contains_text(shown, json) && shown.contains('<'),
                    "{era:?} {tool} {sent}: {shown}"
                );
                assert!(
                    !shown.contains("<as before>"),
                    "{era:?} {tool} {sent}: {shown}"
                );
            }
        }
    }
    // One text is no list of it.
    for json in ["{\"a\": 1}", "{'a'}", "[\"a\", \"b"] {
        let client = connect(Era::Session, &server().build().unwrap()).await;
        let called = client.call("join", json!({ "words": json })).await;
        assert!(
            text(&called).ends_with("{\"words\": <string[]>}}"),
            "{called}"
        );
    }
}

#[tokio::test]
async fn a_gateway_passes_the_value_on() {
    let upstream = PdServer::builder(registry(), ())
        .listing(Listing::Full)
        .run_corrected(false)
        .build()
        .unwrap();
    let site = Site::open(&upstream, true).await;
    let desk = tempfile::tempdir().unwrap();
    let path = desk.path().join("mcp.json");
    let entry = json!({ "url": site.url, "headers": { "authorization": "Bearer alice" } });
    fs::write(&path, json!({ "mcpServers": { "web": entry } }).to_string()).unwrap();
    let gateway = Gateway::with_cache(
        GatewayConfig::open(path).unwrap(),
        desk.path().join("cache"),
    );
    gateway.refresh().await;
    let builder = PdServer::builder(gateway.registry::<()>(), ())
        .gate(GateMode::Off)
        .meta_tools(MetaTools::all());
    let server = builder.build().unwrap();
    for era in [Era::Session, Era::Inline, Era::HttpInline] {
        let client = connect(era, &server).await;
        for (tool, sent, result) in readable() {
            for called in call_each_way(&client, &format!("web__{tool}"), &sent).await {
                assert_eq!(text(&called), result, "{era:?} {tool} {sent}");
            }
        }
    }
    gateway.stop().await;
}

#[tokio::test]
async fn what_texts_hold_has_the_limits_of_arguments() {
    let limits = pd_runtime::Limits::default().argument_depth(4);
    let client = connect(Era::Session, &server().limits(limits).build().unwrap()).await;
    let tree = |levels: usize| {
        (0..levels).fold(
            json!({ "name": "a" }),
            |inner, _| json!({ "name": "a", "children": [inner] }),
        )
    };
    let called = client
        .call("plant", json!({ "trees": json!([tree(1)]).to_string() }))
        .await;
    assert_ne!(called["isError"], true, "{called}");
    let called = client
        .call("plant", json!({ "trees": json!([tree(2)]).to_string() }))
        .await;
    assert_eq!(code(&called), "INVALID_ARGUMENTS");
    // Texts in texts are read up to a depth.
    let texts = (0..8).fold(
        json!([]),
        |inner, _| json!([{ "name": "a", "children": inner.to_string() }]),
    );
    let called = client
        .call("plant", json!({ "trees": texts.to_string() }))
        .await;
    assert_eq!(code(&called), "INVALID_ARGUMENTS");
}

#[tokio::test]
async fn many_texts_cost_time_linear_in_them() {
    let client = connect(Era::Session, &server().build().unwrap()).await;
    let texts: Vec<String> = (0..3_000)
        .map(|number| json!({ "name": number.to_string() }).to_string())
        .collect();
    let begun = std::time::Instant::now();
    let called = client.call("plant", json!({ "trees": texts })).await;
    assert_ne!(called["isError"], true, "{}", &text(&called)[..200]);
    let texts = vec!["[".repeat(10_000); 50];
    let called = client.call("plant", json!({ "trees": texts })).await;
    assert_eq!(code(&called), "INVALID_ARGUMENTS");
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
}

/// A header that repeats a value inside a text was not compared with it.
#[tokio::test]
async fn no_text_is_read_that_may_hold_an_argument_of_a_header() {
    let city = json!({ "type": "string", "x-mcp-header": "City" });
    let to = json!({ "type": "object", "properties": { "city": city } });
    let list = json!({ "type": "array", "items": { "type": "string" } });
    let schema = |properties: Value| json!({ "type": "object", "properties": properties });
    let tool = |name: &'static str, properties| {
        shop::saying::<()>(name, "sent").input_schema(schema(properties))
    };
    let nested = tool("nested", json!({ "to": to }));
    let own = tool("own", json!({ "city": city, "names": list }));
    let registry = Registry::builder().tool(nested).tool(own).build().unwrap();
    let server = PdServer::builder(registry, ())
        .gate(GateMode::Off)
        .build()
        .unwrap();
    for era in [Era::Session, Era::Inline] {
        let client = connect(era, &server).await;
        let called = client
            .call("nested", json!({ "to": "{\"city\": \"Rome\"}" }))
            .await;
        assert_eq!(code(&called), "INVALID_ARGUMENTS", "{era:?}");
        let called = client
            .call("own", json!({ "city": "Rome", "names": "[\"a\"]" }))
            .await;
        assert_eq!(text(&called), "sent", "{era:?}");
    }
}
