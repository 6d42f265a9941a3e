//! Patterns that take long: the call ends with a clear error, and others are answered meanwhile.

use crate::harness::{code, line::Line, text, told};
use futures::{FutureExt, future::ready};
use pd_runtime::{GateMode, IntoOutput, PdServer, Tool, prelude::*};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Each of three groups can end anywhere.
const TWICE: &str = r"^(a*)(a*)(a*)\1\2\3$";

fn server() -> PdServer<()> {
    let tool = |name, schema: Value| {
        let schema = json!({ "type": "object", "properties": { "text": schema } });
        Tool::new(name, "Say one text", |_, _, _| {
            ready("fits".into_output()).boxed()
        })
        .input_schema(schema)
    };
    let twice = json!({ "type": "string", "pattern": TWICE });
    let registry = Registry::builder()
        .tool(tool("twice", twice.clone()))
        .tool(tool("not_twice", json!({ "not": twice })))
        .tool(tool(
            "all_twice",
            json!({ "type": "array", "items": twice }),
        ))
        .tool(tool(
            "keys_twice",
            json!({ "type": "object", "patternProperties": { TWICE: {} } }),
        ))
        .tool(tool(
            "ahead",
            json!({ "type": "string", "pattern": r"^(?=.*\d)(?!.* ).{8,}$" }),
        ))
        .tool(tool("plain", json!({ "type": "string" })))
        .build()
        .unwrap();
    PdServer::builder(registry, ())
        .gate(GateMode::Off)
        .build()
        .unwrap()
}

/// A text that the pattern neither fits nor refuses soon.
fn evil(letters: usize) -> String {
    format!("{}b", "a".repeat(letters))
}

#[tokio::test]
async fn a_pattern_that_takes_long_is_given_up_and_holds_up_nobody() {
    let shared = server();
    let (mut slow, mut quick) = (Line::session(&shared).await, Line::session(&shared).await);
    let texts: Vec<_> = (0..5_000).map(|_| evil(70)).collect();
    let keys: serde_json::Map<_, _> = (0..50)
        .map(|key| (format!("{}{key}", evil(200)), json!(1)))
        .collect();
    let cases = [
        ("twice", json!(evil(300)), "/text"),
        ("twice", json!(evil(30_000)), "/text"),
        ("twice", json!(evil(900_000)), "/text"),
        ("not_twice", json!(evil(5_000)), "/text"),
        ("all_twice", json!(texts), ""),
        ("keys_twice", Value::Object(keys), ""),
    ];
    for (name, argument, pointer) in cases {
        let begun = Instant::now();
        let id = slow
            .ask(
                "tools/call",
                json!({ "name": name, "arguments": { "text": argument } }),
            )
            .await;
        // The runtime of this test has one thread.
        tokio::time::sleep(Duration::from_millis(20)).await;
        let asked = Instant::now();
        assert_eq!(
            text(&quick.call("plain", json!({ "text": "x" })).await),
            "fits",
            "{name}"
        );
        assert!(
            asked.elapsed() < Duration::from_millis(500),
            "{name}: {:?}",
            asked.elapsed()
        );
        let answer = slow.next().await;
        assert_eq!(answer["id"], id);
        assert_eq!(code(&answer["result"]), "INVALID_ARGUMENTS", "{name}");
        let violation = told(&answer["result"])["error"]["violations"][0].take();
        assert!(
            violation["message"]
                .as_str()
                .unwrap()
                .contains("too long to match"),
            "{name}: {violation}"
        );
        if !pointer.is_empty() {
            assert_eq!(violation["pointer"], pointer, "{name}");
        }
        println!("{name}: {:?}", begun.elapsed());
        assert!(
            begun.elapsed() < Duration::from_secs(4),
            "{name}: {:?}",
            begun.elapsed()
        );
    }
}

#[tokio::test]
async fn a_pattern_that_looks_around_judges_ordinary_texts() {
    let mut line = Line::session(&server()).await;
    assert_eq!(
        text(&line.call("ahead", json!({ "text": "correct4horse" })).await),
        "fits"
    );
    assert_eq!(
        text(&line.call("twice", json!({ "text": "aaaa" })).await),
        "fits"
    );
    assert_eq!(
        text(&line.call("not_twice", json!({ "text": "b" })).await),
        "fits"
    );
    for (name, argument) in [
        ("ahead", "no digits"),
        ("twice", "b"),
        ("not_twice", "aaaa"),
    ] {
        let answer = line.call(name, json!({ "text": argument })).await;
        assert_eq!(code(&answer), "INVALID_ARGUMENTS", "{name}");
        assert_eq!(
            told(&answer)["error"]["violations"][0]["pointer"],
            "/text",
            "{name}"
        );
        assert!(!text(&answer).contains("too long"), "{name}: {answer}");
    }
}
