//! Arguments against schemas: a tool runs if, and only if, another reading of the very schema that was disclosed accepts what
//! was sent, with `null` as absent and defaults filled in as documented. Where it does not run, the answer says what to mend.

mod near;
mod tools;

use super::{
    line::{Client, Line, parsed},
    run,
    world::{Who, limits, told},
};
use arbitrary::{Result, Unstructured};
use pd_runtime::{GateMode, PdServer, config::MetaTools};
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

/// A tool as its description tells it, and what is made of that here.
struct Known {
    name: String,
    schema: Value,
    validator: jsonschema::Validator,
}

static SERVER: LazyLock<PdServer<tools::Heard>> = LazyLock::new(|| {
    let server = PdServer::builder(tools::registry(), tools::Heard::default())
        .gate(GateMode::Off)
        .limits(limits());
    server
        .meta_tools(MetaTools::all())
        .build()
        .expect("a sound registry")
});

static KNOWN: LazyLock<Vec<Known>> = LazyLock::new(|| run(known()));

async fn known() -> Vec<Known> {
    let mut line = connect().await;
    let names: Vec<_> = SERVER
        .state()
        .names()
        .iter()
        .map(|name| (*name).to_owned())
        .collect();
    let uri = format!("resource:///tool_descriptions?tools={}", names.join(","));
    let answer = parsed(&line.request("resources/read", json!({ "uri": uri })).await);
    let text = answer
        .pointer("/result/contents/0/text")
        .and_then(Value::as_str)
        .expect("descriptions");
    let mut document: Map<String, Value> = serde_json::from_str(text).expect("descriptions");
    let one = |name: String| {
        let schema = document[&name]["inputSchema"].take();
        let validator = jsonschema::options()
            .should_validate_formats(true)
            .build(&schema)
            .expect("a schema");
        Known {
            name,
            schema,
            validator,
        }
    };
    names.into_iter().map(one).collect()
}

async fn connect() -> Line {
    Line::connect(
        &SERVER,
        &Who::NOBODY,
        Client {
            inline: false,
            extension: false,
        },
    )
    .await
}

/// A few calls on one connection.
pub fn check(data: &[u8]) {
    if data.is_empty() {
        return;
    }
    let mut bytes = Unstructured::new(data);
    let mut calls = Vec::new();
    while let (Ok(call), true) = (call(&mut bytes), calls.len() < 8) {
        calls.push(call);
        if bytes.is_empty() {
            break;
        }
    }
    run(async {
        let mut line = connect().await;
        for (known, arguments, wrapped) in calls {
            known.hold(&mut line, arguments, wrapped).await;
        }
    });
}

fn call(bytes: &mut Unstructured<'_>) -> Result<(&'static Known, Value, bool)> {
    let known = bytes.choose(&KNOWN)?;
    let wrapped = bytes.ratio(1, 8)?;
    Ok((known, near::arguments(&known.schema, bytes)?, wrapped))
}

impl Known {
    async fn hold(&self, line: &mut Line, arguments: Value, wrapped: bool) {
        SERVER.state().take();
        let answer = match wrapped {
            true => {
                line.call(
                    "call_tool",
                    json!({ "name": self.name, "arguments": arguments }),
                    None,
                )
                .await
            }
            false => line.call(&self.name, arguments.clone(), None).await,
        };
        let heard = SERVER.state().take();
        let at = || format!("{} {arguments}: {answer}", self.name);
        let result = answer.get("result").unwrap_or_else(|| panic!("{}", at()));
        let completed = self.completed(&arguments);
        let fits = self.validator.is_valid(&completed);
        match heard.as_slice() {
            [] if fits => self.assert_beyond_rust(&completed, result, &at()),
            // What is wrapped is repaired first, so that more runs than fits as it was written.
            [] if wrapped => assert!(is_refusal(result), "{}", at()),
            [] => assert_mendable(result, &completed, &at()),
            [received] => {
                assert!(fits || wrapped, "it ran: {}", at());
                assert!(
                    wrapped || is_told(received, &completed),
                    "{received} is not what was sent: {}",
                    at()
                );
                assert_ne!(result["isError"], true, "{}", at());
            }
            more => panic!("ran {} times: {}", more.len(), at()),
        }
    }

    /// `null` is absent where the argument is optional and the schema is ours; what is absent takes its default.
    fn completed(&self, arguments: &Value) -> Value {
        let mut arguments = arguments.as_object().expect("an object").clone();
        // A reserved name: whatever it holds is taken out before anything looks at the rest.
        arguments.shift_remove("disclosure_ticket");
        let Some(Value::Object(properties)) = self.schema.get("properties") else {
            return Value::Object(arguments);
        };
        if tools::is_declared(&self.name) {
            let required = self.schema["required"]
                .as_array()
                .cloned()
                .unwrap_or_default();
            let is_optional =
                |name: &str| properties.contains_key(name) && !required.contains(&json!(name));
            arguments.retain(|name, value| !(value.is_null() && is_optional(name)));
            if !tools::is_whole(&self.name) {
                let defaults = properties
                    .iter()
                    .filter_map(|(name, schema)| Some((name, schema.get("default")?)));
                for (name, default) in defaults {
                    arguments.entry(name).or_insert_with(|| default.clone());
                }
            }
        }
        Value::Object(arguments)
    }

    /// JSON Schema knows whole numbers of any size, Rust does not: only there may serde have the last word, and it must say so.
    fn assert_beyond_rust(&self, arguments: &Value, result: &Value, at: &str) {
        assert!(
            tools::is_declared(&self.name) && has_large_number(arguments),
            "it did not run: {at}"
        );
        let error = told(result).unwrap_or_else(|| panic!("{at}"))["error"].take();
        assert_eq!(error["code"], "INVALID_ARGUMENTS", "{at}");
        assert!(
            error["message"]
                .as_str()
                .is_some_and(|message| !message.is_empty()),
            "{at}"
        );
    }
}

fn has_large_number(value: &Value) -> bool {
    match value {
        Value::Number(number) => number
            .as_f64()
            .is_none_or(|float| float.abs() >= 9_007_199_254_740_992.0),
        Value::Array(items) => items.iter().any(has_large_number),
        Value::Object(entries) => entries.values().any(has_large_number),
        _ => false,
    }
}

fn is_refusal(result: &Value) -> bool {
    result["isError"] == true
}

/// Every violation names a place that is there, or where something is missing.
fn assert_mendable(result: &Value, arguments: &Value, at: &str) {
    assert!(is_refusal(result), "{at}");
    let error = told(result).unwrap_or_else(|| panic!("{at}"))["error"].take();
    assert_eq!(error["code"], "INVALID_ARGUMENTS", "{at}");
    let violations = error["violations"]
        .as_array()
        .unwrap_or_else(|| panic!("{at}"));
    assert!(!violations.is_empty() && violations.len() <= 20, "{at}");
    for violation in violations {
        let pointer = violation["pointer"]
            .as_str()
            .unwrap_or_else(|| panic!("{at}"));
        let parent = pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
        let resolves = |pointer: &str| arguments.pointer(pointer).is_some();
        let is_cut = pointer.ends_with('…');
        assert!(
            is_cut || resolves(pointer) || resolves(parent),
            "{pointer} leads nowhere: {at}"
        );
        assert!(
            violation["message"]
                .as_str()
                .is_some_and(|message| !message.is_empty()),
            "{at}"
        );
    }
}

/// Whether the tool was told what was sent; it may fill in what was left out, and write numbers its own way.
fn is_told(received: &Value, sent: &Value) -> bool {
    let (Value::Object(received), Value::Object(sent)) = (received, sent) else {
        return false;
    };
    sent.iter().all(|(name, value)| {
        received
            .get(name)
            .map_or(value.is_null(), |received| is_same(received, value))
    })
}

/// Below the root, serde passes over names that it does not know, as the schema lets it.
fn is_same(received: &Value, sent: &Value) -> bool {
    match (received, sent) {
        (Value::Object(received), Value::Object(sent)) => sent.iter().all(|(name, value)| {
            received
                .get(name)
                .is_none_or(|received| is_same(received, value))
        }),
        (Value::Array(received), Value::Array(sent)) => {
            received.len() == sent.len()
                && received
                    .iter()
                    .zip(sent)
                    .all(|(received, sent)| is_same(received, sent))
        }
        (Value::Number(received), Value::Number(sent)) => {
            let (received, sent) = (
                received.as_f64().unwrap_or_default(),
                sent.as_f64().unwrap_or_default(),
            );
            received == sent || received as f32 == sent as f32
        }
        // serde makes what no `f32` holds infinite, for which JSON has no word.
        (Value::Null, Value::Number(sent)) => sent
            .as_f64()
            .is_some_and(|sent| (sent as f32).is_infinite()),
        (received, sent) => received == sent,
    }
}
