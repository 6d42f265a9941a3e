//! Arguments: whatever is wrong with them comes back as a result that names each violation, and nothing runs.

use crate::harness::{
    advice,
    client::{Era, connect},
    code,
    line::Line,
    shop::{self, Shop},
    text, told,
};
use pd_runtime::{GateMode, PdServer, Registry, tool::ErrorHelp};
use serde_json::{Value, json};
use std::sync::Arc;

fn ungated() -> PdServer<Shop> {
    shop::server().gate(GateMode::Off).build().unwrap()
}

/// Calls with bad arguments and returns the violations; the tool must not have run.
async fn violations(name: &str, arguments: Value) -> Vec<(String, String)> {
    let shared = ungated();
    let called = Line::session(&shared)
        .await
        .call(name, arguments.clone())
        .await;
    assert_eq!(code(&called), "INVALID_ARGUMENTS", "{arguments}");
    assert_eq!(shared.state().ran(), 0, "{arguments}");
    let told = told(&called);
    let violations = told["error"]["violations"].as_array().unwrap();
    let text = |one: &Value, key: &str| one[key].as_str().unwrap().to_owned();
    violations
        .iter()
        .map(|one| (text(one, "pointer"), text(one, "message")))
        .collect()
}

fn pointers(violations: &[(String, String)]) -> Vec<&str> {
    violations
        .iter()
        .map(|(pointer, _)| pointer.as_str())
        .collect()
}

#[tokio::test]
async fn a_missing_argument_is_named() {
    assert_eq!(
        violations("greet", json!({})).await,
        [("/name".to_owned(), "is required".to_owned())]
    );
}

#[tokio::test]
async fn an_unknown_argument_is_named_with_a_suggestion() {
    let found = violations(
        "search",
        json!({ "word": "x", "colur": "red", "limit": 500 }),
    )
    .await;
    let unknown = (
        "/colur".to_owned(),
        "is not an argument of this tool; did you mean `colour`?".to_owned(),
    );
    assert!(found.contains(&unknown), "{found:?}");
    let found = violations("greet", json!({ "name": "x", "zzz": 1 })).await;
    assert_eq!(
        found,
        [(
            "/zzz".to_owned(),
            "is not an argument of this tool, which takes name".to_owned()
        )]
    );
    let found = violations("stock", json!({ "zzz": 1 })).await;
    assert_eq!(
        found,
        [(
            "/zzz".to_owned(),
            "is not an argument of this tool, which takes none".to_owned()
        )]
    );
}

#[tokio::test]
async fn every_violation_is_told_at_once_by_its_pointer() {
    let bad = json!({ "word": 7, "limit": 101, "colour": "green", "sort": "size", "tags": ["a", 1, "b", 2], "more": 1 });
    let mut found = violations("search", bad).await;
    found.sort();
    assert_eq!(
        pointers(&found),
        [
            "/colour", "/limit", "/more", "/sort", "/tags/1", "/tags/3", "/word"
        ]
    );
    assert!(found[1].1.contains("100"), "{found:?}");
    assert!(
        found[0].1.contains("red") && found[0].1.contains("blue"),
        "the choices are told: {found:?}"
    );
}

#[tokio::test]
async fn limits_hold_on_both_sides() {
    for limit in [0, 101, -1] {
        assert_eq!(
            pointers(&violations("search", json!({ "word": "x", "limit": limit })).await),
            ["/limit"]
        );
    }
    assert_eq!(
        pointers(&violations("search", json!({ "word": "x", "limit": 1.5 })).await),
        ["/limit"]
    );
}

#[tokio::test]
async fn fields_of_a_struct_are_named_by_their_path() {
    assert_eq!(
        pointers(&violations("order", json!({})).await),
        ["/article"]
    );
    assert_eq!(
        pointers(&violations("order", json!({ "article": "x", "address": {} })).await),
        ["/address/street"]
    );
    assert_eq!(
        pointers(&violations("order", json!({ "article": "x", "a/b~c": 1 })).await),
        ["/a~1b~0c"]
    );
}

#[tokio::test]
async fn deep_nesting_is_judged_like_anything_else() {
    let mut deep = json!(1);
    for _ in 0..115 {
        deep = json!([deep]);
    }
    let found = violations("search", json!({ "word": deep })).await;
    assert_eq!(pointers(&found), ["/word"]);
    assert!(found[0].1.chars().count() <= 301, "messages are cut");
}

#[tokio::test]
async fn nesting_beyond_the_parsers_limit_does_not_end_the_connection() {
    let mut line = Line::session(&ungated()).await;
    let deep = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
    let call = format!(
        r#"{{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{{"name":"greet","arguments":{{"name":{deep}}}}}}}"#
    );
    line.send_text(&call).await;
    assert_eq!(
        line.call("greet", json!({ "name": "Ada" })).await["content"][0]["text"],
        "Welcome, Ada!"
    );
}

#[tokio::test]
async fn ten_thousand_violations_are_counted_and_twenty_told() {
    let shared = ungated();
    let mut line = Line::session(&shared).await;
    let tags: Vec<_> = (0..10_000).collect();
    let names: serde_json::Map<_, _> = (0..10_000).map(|n| (format!("a{n}"), json!(n))).collect();
    for arguments in [json!({ "word": "x", "tags": tags }), Value::Object(names)] {
        let called = line.call("search", arguments).await;
        let error = told(&called)["error"].take();
        assert_eq!(error["violations"].as_array().unwrap().len(), 20);
        assert!(error["more_violations"].as_u64().unwrap() >= 9_980);
        assert!(called.to_string().len() < 20_000);
    }
    assert_eq!(shared.state().ran(), 0);
}

#[tokio::test]
async fn a_swollen_argument_is_not_sent_back_whole() {
    let shared = ungated();
    let mut line = Line::session(&shared).await;
    for arguments in [
        json!({ "name": ["x".repeat(100_000)] }),
        json!({ "x".repeat(100_000): 1 }),
    ] {
        assert!(line.call("greet", arguments).await.to_string().len() < 4_000);
    }
}

/// rmcp cannot read such a call, but a model can read why it failed.
#[tokio::test]
async fn arguments_that_are_no_object_are_a_violation_of_the_root() {
    let shared = ungated();
    let mut line = Line::session(&shared).await;
    for arguments in [
        json!([]),
        json!(["Ada"]),
        json!("Ada"),
        json!(7),
        json!(true),
    ] {
        let params = json!({ "name": "greet", "arguments": arguments });
        let result = line.result("tools/call", params).await;
        assert_eq!(result["isError"], true, "{result}");
        let error: Value = serde_json::from_str(text(&result)).unwrap();
        assert_eq!(error["error"]["code"], "INVALID_ARGUMENTS");
        assert_eq!(error["error"]["violations"][0]["pointer"], "", "{error}");
    }
    assert_eq!(shared.state().ran(), 0);
    assert_eq!(
        line.call("greet", json!({ "name": "Ada" })).await["content"][0]["text"],
        "Welcome, Ada!"
    );
}

/// Access and the gate come first, and only what a model can mend is a failed call.
#[tokio::test]
async fn a_call_that_cannot_be_read_tells_no_more_than_another() {
    let mut line = Line::session(&shop::server().build().unwrap()).await;
    let refused = line
        .result("tools/call", json!({ "name": "greet", "arguments": [] }))
        .await;
    assert!(
        text(&refused).contains("TOOL_DESCRIPTION_REQUIRED"),
        "{refused}"
    );
    for params in [
        json!({ "name": "nothing", "arguments": [] }),
        json!({ "name": 7 }),
        json!({ "arguments": [] }),
    ] {
        assert_eq!(
            line.request("tools/call", params).await["error"]["code"],
            -32602
        );
    }
}

#[tokio::test]
async fn no_arguments_are_an_empty_object() {
    let mut line = Line::session(&ungated()).await;
    for params in [
        json!({ "name": "hours" }),
        json!({ "name": "hours", "arguments": null }),
    ] {
        let result = line.result("tools/call", params).await;
        assert_eq!(text(&result), "every day: nine to five");
    }
}

#[tokio::test]
async fn defaults_are_filled_in_and_null_counts_as_absent() {
    for era in Era::ALL {
        let client = connect(era, &ungated()).await;
        let bare = client.call("search", json!({ "word": "x" })).await;
        assert_eq!(text(&bare), "x 20 None None 0", "{era:?}");
        let nulls =
            json!({ "word": "x", "limit": null, "colour": null, "sort": null, "tags": null });
        assert_eq!(
            text(&client.call("search", nulls).await),
            text(&bare),
            "{era:?}"
        );
        let all =
            json!({ "word": "x", "limit": 1, "colour": "red", "sort": "price", "tags": ["a"] });
        assert_eq!(
            text(&client.call("search", all).await),
            r#"x 1 Some(Red) Some("price") 1"#
        );
        let nulls = json!({ "article": "tea", "count": null, "address": null });
        assert_eq!(
            text(&client.call("order", nulls).await),
            "1 × tea to None",
            "{era:?}"
        );
    }
    assert_eq!(
        pointers(&violations("search", json!({ "word": null })).await),
        ["/word"],
        "a required one may not be null"
    );
}

#[tokio::test]
async fn a_violation_comes_with_the_tools_own_error_help() {
    let called = Line::session(&ungated()).await.call("pay", json!({})).await;
    let help = &told(&called)["error"]["error_guidance"]["common_errors"][0];
    assert_eq!(help["error"], "CARD_REFUSED");
}

/// Help for what only happens once the tool runs would only distract.
#[tokio::test]
async fn help_that_does_not_concern_arguments_is_left_out() {
    let tool = shop::saying::<()>("ship", "sent")
        .input_schema(
            json!({ "type": "object", "required": ["zip_code"], "properties": { "zip_code": {}, "speed": {} } }),
        )
        .error(ErrorHelp::new("DEPOT_CLOSED", "The depot is closed at speedy hours.", "Try again tomorrow."))
        .error(ErrorHelp::new("UNKNOWN_PLACE", "No place has it.", "Look `zip_code` up first."))
        .error(ErrorHelp::new("SPEED_UNKNOWN", "", ""))
        .error(ErrorHelp::new("BAD_PARAMETER", "", ""));
    let registry = Registry::builder().tool(tool).build().unwrap();
    let shared = PdServer::builder(registry, ())
        .gate(GateMode::Off)
        .build()
        .unwrap();
    let mut line = Line::session(&shared).await;
    let codes = |guidance: &Value| -> Vec<String> {
        let errors = guidance["common_errors"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        errors
            .iter()
            .map(|one| one["error"].as_str().unwrap().to_owned())
            .collect()
    };
    let refused = told(&line.call("ship", json!({})).await);
    assert_eq!(
        codes(&refused["error"]["error_guidance"]),
        ["UNKNOWN_PLACE", "SPEED_UNKNOWN", "BAD_PARAMETER"]
    );
    let described = told(&line.read("resource:///tool_descriptions?tools=ship").await);
    assert_eq!(
        codes(&described["ship"]["error_guidance"]).len(),
        4,
        "the description has all of it"
    );
}

/// What is disclosed is what is judged: a validator of one's own agrees with the server on every case.
#[tokio::test]
async fn the_server_judges_by_the_schema_it_disclosed() {
    let client = connect(Era::Session, &shop::server().build().unwrap()).await;
    let schema = client.describe("search").await["search"]["inputSchema"].take();
    let validator = Arc::new(jsonschema::validator_for(&schema).unwrap());
    for arguments in [
        json!({ "word": "x" }),
        json!({ "word": "x", "limit": 100, "colour": "blue" }),
        json!({ "word": "x", "limit": 0 }),
        json!({ "word": "x", "colour": "Blue" }),
        json!({ "limit": 1 }),
        json!({ "word": "x", "extra": {} }),
        json!({ "word": "x", "tags": [[]] }),
    ] {
        let ran = client.call("search", arguments.clone()).await["isError"] != true;
        assert_eq!(ran, validator.is_valid(&arguments), "{arguments}");
    }
}

#[tokio::test]
async fn invalid_arguments_are_answered_with_the_call_to_send() {
    let mut line = Line::session(&ungated()).await;
    let called = line
        .call(
            "search",
            json!({ "word": "x", "colur": "red", "limit": 500 }),
        )
        .await;
    let [next] = advice(&called)[..] else {
        panic!("{called}")
    };
    let request = "Change this: `colour` instead of `colur`, another `limit`. There are also `sort`, `tags`. Then send, with a value for each <…>:\n";
    let call = next.strip_prefix(request).unwrap();
    let wanted =
        r#"{"name": "search", "arguments": {"word": "x", "colour": "red", "limit": <int(1..100)"#;
    assert!(call.starts_with(wanted), "{call}");
    // What the model makes of it is valid.
    let found = line
        .call(
            "search",
            json!({ "word": "x", "colour": "red", "limit": 50 }),
        )
        .await;
    assert_ne!(found["isError"], true, "{found}");
}

#[tokio::test]
async fn the_same_mistake_is_answered_otherwise_the_second_time() {
    let mut line = Line::session(&ungated()).await;
    let first = line.call("greet", json!({ "nam": 1 })).await;
    let second = line.call("greet", json!({ "nam": 1 })).await;
    let ([first], [second]) = (&advice(&first)[..], &advice(&second)[..]) else {
        panic!()
    };
    assert!(
        second.starts_with("The same mistake as in the call before"),
        "{second}"
    );
    assert!(
        second.contains("greet({") && second.ends_with(first),
        "{second}"
    );
    assert!(!first.contains("greet({"), "{first}");
    // Another mistake, or a call that runs, is no repetition.
    line.call("greet", json!({})).await;
    assert_eq!(
        advice(&line.call("greet", json!({ "nam": 1 })).await),
        [*first]
    );
    line.call("greet", json!({ "name": "Ada" })).await;
    assert_eq!(
        advice(&line.call("greet", json!({ "nam": 1 })).await),
        [*first]
    );
}

#[tokio::test]
async fn without_a_session_the_first_answer_has_it_all() {
    let client = connect(Era::Inline, &ungated()).await;
    let called = client.call("greet", json!({ "nam": "Ada" })).await;
    let [next] = advice(&called)[..] else {
        panic!("{called}")
    };
    assert!(next.contains("greet({"), "{next}");
    let change = "Change this: `name` instead of `nam`. Then send:\n";
    let call = r#"{"name": "greet", "arguments": {"name": "Ada"}}"#;
    assert!(next.ends_with(&format!("{change}{call}")), "{next}");
}
