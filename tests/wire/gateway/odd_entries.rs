//! Entries of lists with odd keys, and with values that are nested too deep. The rest of a list is
//! offered, and `doctor` names what is not.

use super::*;

fn gateway(desk: &Desk, fixed: &Value) -> Gateway {
    fs::write(
        desk.log_file("s").with_extension("log.fixed"),
        fixed.to_string(),
    )
    .unwrap();
    desk.gateway([desk.script("s", &["fixed"], &json!({}))])
}

fn deep() -> Value {
    (0..140).fold(json!("leaf"), |inner, _| json!([inner]))
}

/// The Python SDK 1.15.0 lists the sizes of an icon as one text.
fn icons() -> Value {
    json!([{ "src": "https://icons.example/a.png", "sizes": "48x48" }])
}

#[tokio::test]
async fn a_cosmetic_key_takes_no_entry_away() {
    let desk = Desk::new();
    let object = json!({ "type": "object" });
    let tool = |number: usize, key: &str, value: Value| json!({ "name": format!("t{number}"), "description": "d", "inputSchema": object, key: value });
    let tools = [
        ("icons", icons()),
        ("annotations", json!([])),
        ("annotations", json!({ "readOnlyHint": "true" })),
        ("title", json!(5)),
        ("_meta", json!([])),
        ("description", json!(["a"])),
        ("inputSchema", json!([])),
    ];
    let tools = tools.into_iter().enumerate();
    let tools: Vec<_> = tools
        .map(|(number, (key, value))| tool(number, key, value))
        .collect();
    let resources = json!([
        { "uri": "memo://0", "name": "0", "icons": icons() },
        { "uri": "memo://1", "name": "1", "size": 12.0 },
        { "uri": "memo://2", "name": "2", "size": -1 },
        { "uri": "memo://3", "name": "3", "size": "12" },
        { "uri": "memo://4" },
        { "uri": "memo://5", "name": "5", "annotations": [] },
        { "uri": "memo://6", "name": "6", "annotations": { "audience": ["everyone"] } },
        { "name": "has no URI" },
        { "uri": "memo://8", "name": "8", "_meta": deep() },
    ]);
    let templates = json!([
        { "uriTemplate": "memo://a/{x}" },
        { "uriTemplate": "memo://b/{x}", "name": "b", "icons": icons() },
        { "name": "has no template" },
    ]);
    let prompts = json!([
        { "name": "p0", "icons": icons() },
        { "name": "p1", "arguments": [{ "name": "a", "required": "true" }] },
        { "name": "p2", "arguments": {} },
        { "name": "p3", "description": 1 },
        { "title": "has no name" },
    ]);
    let fixed = json!({
        "tools/list": { "tools": tools },
        "resources/list": { "resources": resources },
        "resources/templates/list": { "resourceTemplates": templates },
        "prompts/list": { "prompts": prompts },
        "tools/call t1": { "content": [{ "type": "text", "text": "said", "annotations": [] }] },
    });
    let gateway = gateway(&desk, &fixed)
        .with_lock(desk.0.path().join("upstreams.lock"))
        .unwrap();
    gateway.refresh().await;
    let status = gateway.status().remove(0);
    assert_eq!(status.left_out, []);
    let left_out: Vec<_> = status
        .left_out_resources
        .iter()
        .map(|(entry, _)| entry.as_str())
        .collect();
    assert_eq!(
        left_out,
        [
            "a prompt without `name`",
            "a resource template without `uriTemplate`",
            "a resource without `uri`",
            "resource memo://8",
        ],
        "{status:?}"
    );
    let server = gateway.builder().listing(Listing::Full).build().unwrap();
    for era in [Era::Session, Era::Inline] {
        let client = connect(era, &server).await;
        let listed = client.list().await;
        let listed = listed["tools"].as_array().unwrap();
        let tool = |name: &str| {
            let mut named = listed.iter().filter(|tool| tool["name"] == name);
            named.next().unwrap_or(&Value::Null).clone()
        };
        assert!((0..7).all(|number| tool(&format!("s__t{number}")).is_object()));
        assert_eq!(tool("s__t0")["icons"][0]["sizes"], json!(["48x48"]));
        assert_eq!(tool("s__t2")["annotations"]["readOnlyHint"], true);
        assert_eq!(tool("s__t3")["title"], "5");
        assert_eq!(tool("s__t6")["inputSchema"]["type"], "object");
        assert_eq!(
            text(&client.call_described("s__t1", json!({})).await),
            "said"
        );
        let resources = client.running.list_all_resources().await.unwrap();
        let resources = serde_json::to_value(resources).unwrap();
        let of_server = |list: &Value, key: &str, prefix: &str| {
            let list = list.as_array().unwrap().iter();
            let own = list.filter(|entry| entry[key].as_str().unwrap().starts_with(prefix));
            own.cloned().collect::<Vec<Value>>()
        };
        let memos = of_server(&resources, "uri", "memo://");
        assert_eq!(memos.len(), 7, "{resources}");
        assert_eq!(
            (&memos[1]["size"], &memos[3]["size"]),
            (&json!(12), &json!(12))
        );
        assert_eq!(memos[4]["name"], "memo://4");
        let templates = client.running.list_all_resource_templates().await.unwrap();
        let templates = serde_json::to_value(templates).unwrap();
        assert_eq!(of_server(&templates, "uriTemplate", "memo://").len(), 2);
        let prompts = client.running.list_all_prompts().await.unwrap();
        let prompts = serde_json::to_value(prompts).unwrap();
        let prompts = of_server(&prompts, "name", "s__");
        assert_eq!(prompts.len(), 4);
        assert_eq!(prompts[1]["arguments"][0]["required"], true);
        assert_eq!(prompts[3]["description"], "1");
    }
    gateway.stop().await;
}

#[tokio::test]
async fn a_value_that_is_nested_too_deep_takes_nothing_else_away() {
    for padding in [0, 40_000, 600_000] {
        let desk = Desk::new();
        let object = json!({ "type": "object" });
        // A message of another size is read in another way.
        let description = "x ".repeat(padding / 4);
        let tools = json!([
            { "name": "good", "description": "d", "inputSchema": object },
            { "name": "deep", "description": "d", "inputSchema": { "type": "object", "default": deep() } },
            { "name": "bare", "description": "d", "inputSchema": object, "_meta": { "x": description } },
        ]);
        let kept = json!([{ "type": "text", "text": "kept", "_meta": { "x": description } }]);
        let fixed = json!({
            "tools/list": { "tools": tools },
            "tools/call good": { "content": kept, "structuredContent": { "a": deep() } },
            "tools/call bare": { "structuredContent": { "a": deep() }, "_meta": { "x": description } },
        });
        let gateway = gateway(&desk, &fixed)
            .with_lock(desk.0.path().join("upstreams.lock"))
            .unwrap();
        gateway.refresh().await;
        let status = gateway.status().remove(0);
        let left_out: Vec<_> = status
            .left_out
            .iter()
            .map(|(tool, why)| (tool.as_str(), why.contains("nested over")))
            .collect();
        let is_too_large = padding > 200_000;
        if !is_too_large {
            assert_eq!(left_out, [("deep", true)], "{padding}");
        }
        let client = connect(Era::Session, &serve(&gateway)).await;
        let good = client.call_described("s__good", json!({})).await;
        assert_eq!(text(&good), "kept", "{padding}");
        assert!(good.get("structuredContent").is_none(), "{padding}");
        if !is_too_large {
            let bare = client.call_described("s__bare", json!({})).await;
            assert!(
                text(&bare).contains("nested over 128 deep") && bare["isError"] == true,
                "{bare}"
            );
        }
        gateway.stop().await;
    }
}

/// A lock has definitions deeper than a list has them, and must be read again.
#[tokio::test]
async fn no_definition_makes_the_lock_unreadable() {
    let desk = Desk::new();
    let lock = || desk.0.path().join("upstreams.lock");
    let nested = |depth: usize| (0..depth).fold(json!({}), |inner, _| json!({ "a": inner }));
    let tools: Vec<_> = (100..140)
        .map(|depth| json!({ "name": format!("t{depth}"), "description": "d", "inputSchema": { "type": "object", "default": nested(depth) } }))
        .collect();
    let prompts: Vec<_> = (100..140)
        .map(|depth| json!({ "name": format!("p{depth}"), "arguments": [{ "name": "a", "x": nested(depth) }], "x": nested(depth) }))
        .collect();
    let fixed = json!({ "tools/list": { "tools": tools }, "prompts/list": { "prompts": prompts } });
    let first = gateway(&desk, &fixed).with_lock(lock()).unwrap();
    first.refresh().await;
    first.stop().await;
    let again = gateway(&desk, &fixed).with_lock(lock()).unwrap();
    again.refresh_all().await;
    let status = again.status().remove(0);
    assert_eq!(status.last_error, None);
    assert!(status.tools >= 10, "{status:?}");
    assert!(again.held().is_empty());
    again.stop().await;
}
