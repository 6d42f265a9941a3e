//! What an upstream sends arrives unchanged, whatever keys it has: lists, results, prompts and resources.

use super::*;
use crate::harness::{inline_meta, line::Line, post::Post, raw::Raw};
use pd_runtime::serve;
use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{Config, TestRunner},
};
use rmcp::ServerHandler;

/// The tools of one server. Each has a definition and a result of its own.
const TOOLS: usize = 40;

/// A text that is not a key of MCP.
fn vendor_key() -> impl Strategy<Value = String> {
    "x[a-zA-Z]{1,6}"
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e9..1e9).prop_map(Value::from),
        "[ -~]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{1,4}", inner, 0..3).prop_map(|map| json!(map)),
        ]
    })
}

/// An object with further keys.
fn and_more(object: Value) -> impl Strategy<Value = Value> {
    prop::collection::btree_map(vendor_key(), any_json(), 0..3).prop_map(move |more| {
        let mut object = object.clone();
        object.as_object_mut().unwrap().extend(more);
        object
    })
}

fn definition() -> impl Strategy<Value = Value> {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "string", "x-order": 1 } }, "x-all": [null] });
    let icon = json!({ "src": "https://example.com/icon.png", "sizes": ["48x48"] });
    (
        and_more(schema),
        and_more(json!({ "readOnlyHint": true })),
        and_more(icon),
        and_more(json!({})),
        any::<bool>(),
    )
        .prop_flat_map(|(schema, annotations, icon, meta, has_all)| {
            let mut tool =
                json!({ "description": "Do something", "inputSchema": schema, "_meta": meta });
            if has_all {
                tool["annotations"] = annotations;
                tool["icons"] = json!([icon]);
                tool["execution"] = json!({ "taskSupport": "optional" });
                tool["title"] = json!("A title");
            }
            and_more(tool)
        })
}

fn block() -> impl Strategy<Value = Value> {
    prop_oneof![
        and_more(
            json!({ "type": "text", "text": "a", "annotations": { "priority": 1, "xMore": null } })
        ),
        and_more(json!({ "type": "image", "data": "aGk=", "mimeType": "image/png" })),
        and_more(json!({ "type": "resource_link", "uri": "odd://x", "name": "x", "size": 3 })),
        and_more(json!({ "type": "vendor/chart", "series": [1, 2.5] })),
        and_more(json!({ "uri": "odd://y", "text": "y" }))
            .prop_map(|resource| json!({ "type": "resource", "resource": resource })),
    ]
}

fn call_result() -> impl Strategy<Value = Value> {
    (
        prop::collection::vec(block(), 0..4),
        and_more(json!({})),
        and_more(json!({})),
        any::<Option<bool>>(),
    )
        .prop_flat_map(|(content, structured, meta, is_error)| {
            let mut result =
                json!({ "content": content, "structuredContent": structured, "_meta": meta });
            if let Some(is_error) = is_error {
                result["isError"] = is_error.into();
            }
            and_more(result)
        })
}

/// Removes what each hop has for itself: the kind of a result, how long it may be cached, and the groups of a tool.
fn without_own(mut value: Value) -> Value {
    let object = value.as_object_mut().unwrap();
    for key in ["resultType", "ttlMs", "cacheScope"] {
        object.remove(key);
    }
    if let Some(Value::Object(meta)) = object.get_mut("_meta") {
        meta.remove("experimental/deterministic-groups");
    }
    value
}

/// Asserts that a result has a kind since 2026-07-28 and none before, whatever the upstream sent.
fn assert_kind(era: Era, result: &Value) {
    let kind = matches!(era, Era::Inline | Era::HttpInline).then(|| json!("complete"));
    assert_eq!(result.get("resultType"), kind.as_ref(), "{era:?}: {result}");
}

/// The eras that the transports of `serve` have.
const ERAS: [Era; 4] = [Era::Session, Era::Inline, Era::HttpSession, Era::HttpInline];

/// Connects a client that reads JSON to a transport of `serve`: a bare handler has rmcp's types alone.
async fn connect_served<H: ServerHandler>(era: Era, server: &PdServer<(), H>) -> Raw {
    if matches!(era, Era::HttpSession | Era::HttpInline) {
        let router =
            serve::router(server, &serve::HttpOptions::default(), Default::default()).unwrap();
        let site = Site::serve(router).await;
        let post = match era {
            Era::HttpSession => Post::session(&site.url, None).await,
            _ => Post::inline(&site.url),
        };
        return Raw::Post(post, site);
    }
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let server = server.clone();
    tokio::spawn(async move { serve::transport(&server, theirs).await });
    let mut line = Line::over(ours);
    match era {
        Era::Session => drop(line.handshake(json!({})).await),
        _ => line.carry(Some(inline_meta(&json!({})))),
    }
    Raw::Line(Box::new(line))
}

#[tokio::test]
async fn definitions_and_results_arrive_as_they_were_sent() {
    let mut runner =
        TestRunner::new_with_rng(Config::default(), TestRunner::deterministic().new_rng());
    let mut sample =
        |strategy: BoxedStrategy<Value>| strategy.new_tree(&mut runner).unwrap().current();
    let (mut definitions, mut results, mut fixed) =
        (Vec::new(), Vec::new(), serde_json::Map::new());
    for number in 0..TOOLS {
        let mut tool = sample(definition().boxed());
        tool["name"] = format!("t{number}").into();
        let result = sample(call_result().boxed());
        fixed.insert(format!("tools/call t{number}"), result.clone());
        definitions.push(tool);
        results.push(result);
    }
    fixed.insert("tools/list".to_owned(), json!({ "tools": definitions }));
    let desk = Desk::new();
    fs::write(
        desk.0.path().join("s.log.fixed"),
        Value::Object(fixed).to_string(),
    )
    .unwrap();
    let gateway = desk.one(&["fixed"], json!({})).await;
    assert_eq!(gateway.status()[0].left_out, []);
    let server = gateway.builder().listing(Listing::Full).build().unwrap();
    for era in ERAS {
        let mut client = connect_served(era, &server).await;
        let listed = client.result("tools/list", json!({})).await;
        for (number, (sent, arrived)) in definitions
            .iter()
            .zip(listed["tools"].as_array().unwrap())
            .enumerate()
        {
            let mut sent = sent.clone();
            sent["name"] = format!("s__t{number}").into();
            assert_eq!(without_own(arrived.clone()), sent, "{era:?}");
        }
        for (number, sent) in results.iter().enumerate() {
            let params = json!({ "name": format!("s__t{number}"), "arguments": {} });
            let arrived = client.result("tools/call", params).await;
            assert_kind(era, &arrived);
            assert_eq!(without_own(arrived), *sent, "{era:?} t{number}");
        }
    }
}

#[tokio::test]
async fn prompts_and_resources_arrive_as_they_were_sent() {
    let prompt =
        json!({ "name": "p", "xMore": [1], "arguments": [{ "name": "a", "xMore": null }] });
    let rendered = json!({ "messages": [{ "role": "user", "content": { "type": "text", "text": "t", "x": 1 }, "y": 2 }] });
    let resource = json!({ "uri": "memo://one", "name": "one", "xMore": { "a": 1 }, "annotations": { "priority": 1 } });
    let template = json!({ "uriTemplate": "memo://{id}/text", "name": "text", "xMore": false });
    let contents =
        json!({ "contents": [{ "uri": "memo://one", "text": "read", "xMore": 1 }], "xMore": 2 });
    let desk = Desk::new();
    let fixed = json!({
        "prompts/list": { "prompts": [prompt] },
        "prompts/get p": rendered,
        "resources/list": { "resources": [resource] },
        "resources/templates/list": { "resourceTemplates": [template] },
        "resources/read": contents,
    });
    fs::write(desk.0.path().join("s.log.fixed"), fixed.to_string()).unwrap();
    let gateway = desk.one(&["fixed"], json!({})).await;
    let server = gateway.builder().build().unwrap();
    for era in ERAS {
        let mut client = connect_served(era, &server).await;
        let mut expected = prompt.clone();
        expected["name"] = json!("s__p");
        assert_eq!(
            client.result("prompts/list", json!({})).await["prompts"],
            json!([expected]),
            "{era:?}"
        );
        let arrived = client
            .result("prompts/get", json!({ "name": "s__p" }))
            .await;
        assert_kind(era, &arrived);
        assert_eq!(without_own(arrived), rendered, "{era:?}");
        let listed = client.result("resources/list", json!({})).await;
        assert!(
            listed["resources"].as_array().unwrap().contains(&resource),
            "{era:?}: {listed}"
        );
        let listed = client.result("resources/templates/list", json!({})).await;
        assert!(
            listed["resourceTemplates"]
                .as_array()
                .unwrap()
                .contains(&template),
            "{era:?}: {listed}"
        );
        let arrived = client
            .result("resources/read", json!({ "uri": "memo://one" }))
            .await;
        assert_kind(era, &arrived);
        assert_eq!(without_own(arrived), contents, "{era:?}");
    }
}
