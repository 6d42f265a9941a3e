//! Signatures as they look, form by form.

use super::*;
use crate::Tool;
use serde_json::json;

fn about(schema: Value) -> About {
    Tool::<()>::new("call", "Call it", |_, _, _| Box::pin(async { crate::IntoOutput::into_output(()) }))
        .input_schema(schema)
        .about
}

fn signature(schema: Value) -> String {
    let mut out = String::new();
    Signature::new(&about(schema)).write_call(&mut out, None);
    out
}

/// The signature of one optional argument called `a`, without the name.
fn argument(schema: Value) -> String {
    let text = signature(json!({ "type": "object", "properties": { "a": schema } }));
    text.replace("call({\n a?: ", "").replacen("\n})", "", 1)
}

#[test]
fn look() {
    println!("{}", signature(json!({"type":"object","properties":{"a":{"type":"string","description":"X\ny */ z"},"b":{"type":"object","properties":{"c":{"type":"integer","description":"nested"}}}},"required":["a"]})));
    println!("{}", argument(json!({"type":"array","items":{"enum":["a","b"]},"minItems":1,"uniqueItems":true})));
    for path in ["github","grafana","mcp-git","notion","playwright","mcp-slack-archived"] {
        let text = std::fs::read_to_string(format!("../tests/data/{path}.json")).unwrap();
        let mut all = String::new();
        let defs: Vec<rmcp::model::Tool> = serde_json::from_str(&text).unwrap();
        for d in defs {
            let t = Tool::<()>::from_definition(d, |_, _, _| Box::pin(async { crate::IntoOutput::into_output(()) }));
            Signature::new(&t.about).write(&mut all, None);
            all.push_str("\n\n");
        }
        std::fs::write(format!("/tmp/sig-{path}.txt"), all).unwrap();
    }
}
