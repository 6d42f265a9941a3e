//! Structured content that is no object, of servers and for clients of both generations.

use super::*;
use pd_runtime::code::CodeMode;

const TEXT: &str = "the answer";

fn result(structured: &Value, is_error: bool) -> Value {
    let mut result =
        json!({ "content": [{ "type": "text", "text": TEXT }], "structuredContent": structured });
    if is_error {
        result["isError"] = true.into();
    }
    result
}

fn tool(name: &str, output: &Value) -> Value {
    let mut tool = json!({ "name": name, "inputSchema": { "type": "object" } });
    if !output.is_null() {
        tool["outputSchema"] = output.clone();
    }
    tool
}

/// A gateway in front of a server of this generation that returns each value from a tool.
async fn gateway(desk: &Desk, mode: &str, pd: Value, tools: &[(&str, Value, Value)]) -> Gateway {
    let mut fixed = serde_json::Map::new();
    let definitions: Vec<Value> = tools
        .iter()
        .map(|(name, output, _)| tool(name, output))
        .collect();
    fixed.insert("tools/list".to_owned(), json!({ "tools": definitions }));
    for (name, _, result) in tools {
        fixed.insert(format!("tools/call {name}"), result.clone());
    }
    fs::write(
        desk.log_file("s").with_extension("log.fixed"),
        Value::Object(fixed).to_string(),
    )
    .unwrap();
    desk.one(&["fixed", mode], pd).await
}

async fn call_both_ways(client: &Client, name: &str) -> [Value; 2] {
    let direct = client.call_described(name, json!({})).await;
    [direct, source_names::call_named(client, name).await]
}

#[tokio::test]
async fn null_is_absent_for_clients_before_2026_07_28() {
    let object = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
    let tools = [
        ("plain", Value::Null, result(&Value::Null, false)),
        ("typed", object.clone(), result(&Value::Null, false)),
        ("failed", object, result(&Value::Null, true)),
        (
            "list",
            json!({ "type": "array" }),
            result(&Value::Null, true),
        ),
    ];
    for mode in ["legacy", "modern"] {
        for pd in [json!({}), json!({ "selective": true })] {
            let desk = Desk::new();
            let gateway = gateway(&desk, mode, pd, &tools).await;
            let server = gateway.builder().build().unwrap();
            for era in Era::ALL {
                let client = connect(era, &server).await;
                for (name, ..) in &tools {
                    for result in call_both_ways(&client, &format!("s__{name}")).await {
                        assert_eq!(text(&result), TEXT, "{mode} {era:?} {name}: {result}");
                        let structured = result.get("structuredContent");
                        let is_fine = if matches!(era, Era::Inline | Era::HttpInline) {
                            structured.is_none_or(Value::is_null)
                        } else {
                            structured.is_none()
                        };
                        assert!(is_fine, "{mode} {era:?} {name}: {result}");
                    }
                }
            }
            gateway.stop().await;
        }
    }
}

#[tokio::test]
async fn other_values_are_wrapped_unless_the_listed_schema_forbids_that() {
    let closed =
        json!({ "type": "object", "required": ["a"], "properties": { "a": { "type": "string" } } });
    let open = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
    let array = json!({ "type": "array", "items": { "type": "integer" } });
    let empty = json!({ "content": [], "structuredContent": [1, 2] });
    let wrapped = |value: Value| Some(json!({ "result": value }));
    let cases = [
        (
            "array",
            Value::Null,
            result(&json!([1, 2]), false),
            wrapped(json!([1, 2])),
        ),
        (
            "string",
            Value::Null,
            result(&json!("a"), false),
            wrapped(json!("a")),
        ),
        (
            "number",
            Value::Null,
            result(&json!(0), false),
            wrapped(json!(0)),
        ),
        (
            "boolean",
            Value::Null,
            result(&json!(false), false),
            wrapped(json!(false)),
        ),
        (
            "declared",
            array,
            result(&json!([1, 2]), false),
            wrapped(json!([1, 2])),
        ),
        (
            "open",
            open,
            result(&json!([1, 2]), false),
            wrapped(json!([1, 2])),
        ),
        (
            "closed",
            closed.clone(),
            result(&json!([1, 2]), false),
            None,
        ),
        ("empty", closed, empty, None),
    ];
    let tools = cases
        .clone()
        .map(|(name, output, result, _)| (name, output, result));
    for mode in ["legacy", "modern"] {
        let desk = Desk::new();
        let gateway = gateway(&desk, mode, json!({}), &tools).await;
        let server = gateway.builder().build().unwrap();
        for era in Era::ALL {
            let client = connect(era, &server).await;
            for (name, _, sent, expected) in &cases {
                for result in call_both_ways(&client, &format!("s__{name}")).await {
                    let is_modern = matches!(era, Era::Inline | Era::HttpInline);
                    let expected = if is_modern {
                        sent.get("structuredContent")
                    } else {
                        expected.as_ref()
                    };
                    assert_eq!(
                        result.get("structuredContent"),
                        expected,
                        "{mode} {era:?} {name}: {result}"
                    );
                    let kept = if *name == "empty" && !is_modern {
                        "[1,2]"
                    } else {
                        TEXT
                    };
                    assert!(
                        *name == "empty" && is_modern || text(&result) == kept,
                        "{mode} {era:?} {name}: {result}"
                    );
                }
            }
        }
        gateway.stop().await;
    }
}

#[tokio::test]
async fn a_program_gets_the_text_beside_null() {
    let tools = [("plain", Value::Null, result(&Value::Null, false))];
    for mode in ["legacy", "modern"] {
        let desk = Desk::new();
        let gateway = gateway(&desk, mode, json!({}), &tools).await;
        let code = CodeMode::new(env!("CARGO_BIN_EXE_library")).allow(["s__plain"]);
        let server = gateway.builder().code_mode(code).build().unwrap();
        for era in [Era::Session, Era::HttpSession] {
            let client = connect(era, &server).await;
            client
                .call("describe_tools", json!({ "names": ["s__plain"] }))
                .await;
            for path in [
                "tools.s.plain",
                "tools['s.plain']",
                "tools.plain",
                "tools.s__plain",
            ] {
                let program = format!("return await {path}({{}})");
                let result = client.call("run_code", json!({ "code": program })).await;
                assert_eq!(text(&result), TEXT, "{mode} {era:?} {path}: {result}");
            }
        }
        gateway.stop().await;
    }
}
