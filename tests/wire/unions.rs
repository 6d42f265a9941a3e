//! Arguments of recursive types: judging them takes time and memory linear in them, whatever a caller nests.

use crate::harness::{code, line::Line, text, told};
use futures::{FutureExt, future::ready};
use pd_runtime::{Gate, IntoOutput, Shared, Tool, prelude::*};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A filter whose variant is the only key.
#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "serde fills the fields in, and `Debug` alone reads them")]
enum Filter {
    And(Vec<Filter>),
    Or(Vec<Filter>),
    Not(Box<Filter>),
    Is { field: String },
}

/// The same with a tag, and a field that the variants share.
#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "serde fills the fields in, and `Debug` alone reads them")]
#[serde(tag = "op", rename_all = "lowercase")]
enum Tagged {
    And { inner: Box<Tagged> },
    Or { inner: Box<Tagged> },
    Is { field: String },
}

/// The same without a tag: serde tries one variant after the other.
#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "serde fills the fields in, and `Debug` alone reads them")]
#[serde(untagged)]
enum Untagged {
    Strict { inner: Box<Untagged>, strict: bool },
    Loose { inner: Box<Untagged>, loose: bool },
    Is { field: String },
}

#[pd_tool(summary = "Filter by the only key")]
fn by_key(filter: Filter) -> String {
    format!("{filter:?}").len().to_string()
}

#[pd_tool(summary = "Filter by a tag")]
fn by_tag(filter: Tagged) -> String {
    format!("{filter:?}").len().to_string()
}

#[pd_tool(summary = "Filter without a tag")]
fn by_shape(filter: Untagged) -> String {
    format!("{filter:?}").len().to_string()
}

/// A tool made at run time, whose argument `filter` is this.
fn run_time(name: &'static str, definition: Value) -> Tool<()> {
    let schema = json!({
        "type": "object",
        "properties": { "filter": { "$ref": "#/$defs/F" } },
        "required": ["filter"],
        "$defs": { "F": definition },
    });
    Tool::new(name, "Say one text", |_, _, _| ready("fits".into_output()).boxed()).input_schema(schema)
}

/// Two branches that both lead on.
fn branches() -> Value {
    let branch = |tag: &str| {
        json!({ "type": "object", "required": ["op"], "properties": {
            "inner": { "$ref": "#/$defs/F" }, "op": { "const": tag }, "leaf": { "type": "integer" },
        } })
    };
    json!([branch("and"), branch("or")])
}

/// Two branches that nothing tells apart.
fn alike() -> Value {
    let branch = |also: &str| {
        json!({ "type": "object", "properties": {
            "inner": { "$ref": "#/$defs/F" }, "leaf": { "type": "integer" }, also: { "type": "boolean" },
        } })
    };
    json!([branch("strict"), branch("loose")])
}

fn server() -> Shared<()> {
    let registry: Registry<()> = pd_runtime::registry! { by_key, by_tag, by_shape };
    let others = Registry::builder()
        .tool(run_time("one_of", json!({ "oneOf": branches() })))
        .tool(run_time("any_of", json!({ "anyOf": branches() })))
        .tool(run_time("any_alike", json!({ "anyOf": alike() })))
        .build()
        .unwrap();
    PdServer::builder(registry.merge(others).unwrap(), ()).gate(Gate::Off).build().unwrap()
}

/// A value in a value, this often.
fn nested(levels: usize, leaf: Value, around: impl Fn(Value) -> Value) -> Value {
    (0..levels).fold(leaf, |inner, _| around(inner))
}

/// Each tool with arguments of so many levels that fit, the same with a wrong leaf, and where that is.
fn cases(levels: usize) -> Vec<(&'static str, Value, Value, String)> {
    let case = |name, good: Value, bad: Value, around: &dyn Fn(Value) -> Value, step: &str, end: &str| {
        let [good, bad] = [good, bad].map(|leaf| json!({ "filter": nested(levels, leaf, around) }));
        (name, good, bad, format!("/filter{}{end}", step.repeat(levels)))
    };
    let tagged = |inner| json!({ "inner": inner, "op": "or" });
    let leaf = |op: &str, leaf: Value| json!({ "op": op, "leaf": leaf });
    vec![
        case(
            "by_key",
            json!({ "Is": { "field": "x" } }),
            json!({ "Is": { "field": 7 } }),
            &|inner| json!({ "Not": inner }),
            "/Not",
            "/Is/field",
        ),
        case(
            "by_tag",
            json!({ "op": "is", "field": "x" }),
            json!({ "op": "is", "field": 7 }),
            &tagged,
            "/inner",
            "/field",
        ),
        case("one_of", leaf("or", json!(1)), leaf("or", json!("x")), &tagged, "/inner", "/leaf"),
        case("any_of", leaf("or", json!(1)), leaf("or", json!("x")), &tagged, "/inner", "/leaf"),
    ]
}

/// The shortest of some calls, and what the last answered.
async fn timed(line: &mut Line, name: &str, arguments: &Value) -> (Duration, Value) {
    let mut best = Duration::MAX;
    let mut answer = Value::Null;
    for _ in 0..3 {
        let begun = Instant::now();
        answer = line.call(name, arguments.clone()).await;
        best = best.min(begun.elapsed());
    }
    (best, answer)
}

/// The most memory that this process has had, in MB.
fn peak_memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0 kB");
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() / 1024
}

#[tokio::test]
async fn a_wrong_leaf_costs_little_more_than_a_right_one_however_deep() {
    let mut line = Line::session(&server()).await;
    let before = peak_memory();
    for levels in [1, 12, 30, 60] {
        for (name, good, bad, pointer) in cases(levels) {
            let (right, answer) = timed(&mut line, name, &good).await;
            assert_ne!(answer["isError"], true, "{name} {levels}: {answer}");
            let (wrong, answer) = timed(&mut line, name, &bad).await;
            assert_eq!(code(&answer), "INVALID_ARGUMENTS", "{name} {levels}");
            let error = told(&answer)["error"].take();
            assert_eq!(error["violations"][0]["pointer"], Value::from(shortened(&pointer)), "{name} {levels}: {error}");
            assert_eq!(error["violations"].as_array().unwrap().len(), 1, "{name} {levels}: {error}");
            println!("{name} {levels}: {right:?} {wrong:?}");
            assert!(wrong < 20 * right + Duration::from_millis(50), "{name} {levels}: {wrong:?}, right {right:?}");
        }
        assert!(peak_memory() < before + 200, "{levels}: {} MB, {before} MB before", peak_memory());
    }
}

/// A pointer as an answer shows it: its first 300 characters.
fn shortened(pointer: &str) -> String {
    if pointer.chars().count() <= 300 { pointer.to_owned() } else { format!("{}…", &pointer[..300]) }
}

/// Where nothing tells the branches apart, the union itself is at fault; one call stays one call.
#[tokio::test]
async fn a_union_that_nothing_tells_apart_is_at_fault_itself() {
    let mut line = Line::session(&server()).await;
    for levels in [12, 60] {
        let around = |inner| json!({ "inner": inner, "strict": true, "loose": true });
        let [good, bad] =
            [json!(1), json!("x")].map(|leaf| json!({ "filter": nested(levels, json!({ "leaf": leaf }), around) }));
        let (right, answer) = timed(&mut line, "any_alike", &good).await;
        assert_eq!(text(&answer), "fits");
        let (wrong, answer) = timed(&mut line, "any_alike", &bad).await;
        assert_eq!(code(&answer), "INVALID_ARGUMENTS");
        assert_eq!(told(&answer)["error"]["violations"][0]["pointer"], "/filter");
        println!("any_alike {levels}: {right:?} {wrong:?}");
        assert!(wrong < 20 * right + Duration::from_millis(50), "{levels}: {wrong:?}, right {right:?}");
    }
}

/// The schema judges such a value at once, but serde reads it anew for each variant at each level.
#[tokio::test]
async fn a_value_that_serde_would_read_for_ever_is_refused() {
    let mut line = Line::session(&server()).await;
    let arguments = |levels| {
        let around = |inner| json!({ "inner": inner, "loose": true });
        json!({ "filter": nested(levels, json!({ "field": "x" }), around) })
    };
    let answer = line.call("by_shape", arguments(8)).await;
    assert_ne!(answer["isError"], true, "{answer}");
    for levels in [20, 24, 60] {
        let begun = Instant::now();
        let answer = line.call("by_shape", arguments(levels)).await;
        assert!(begun.elapsed() < Duration::from_millis(500), "{levels}: {:?}", begun.elapsed());
        assert_eq!(code(&answer), "INVALID_ARGUMENTS", "{levels}");
        let violation = told(&answer)["error"]["violations"][0].take();
        assert_eq!(violation["pointer"], "/filter");
        assert!(violation["message"].as_str().unwrap().contains("nest it less deep"), "{violation}");
    }
}
