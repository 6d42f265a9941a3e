//! Entries of lists with odd keys. The rest of a list is offered, and `doctor` names what is not.

use super::*;

fn gateway(desk: &Desk, fixed: &Value) -> Gateway {
    fs::write(
        desk.log_file("s").with_extension("log.fixed"),
        fixed.to_string(),
    )
    .unwrap();
    desk.gateway([desk.script("s", &["fixed"], &json!({}))])
}

/// The Python SDK before 1.16 lists the sizes of an icon as one text.
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
