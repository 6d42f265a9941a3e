//! Arguments of recursive types: judging them takes time and memory linear in them, whatever a caller nests.

use crate::harness::{code, line::Line, text, told};
use cpu_time::ThreadTime;
use futures::{FutureExt, future::ready};
use pd_runtime::{GateMode, IntoOutput, PdServer, Tool, prelude::*};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A filter whose variant is the only key.
#[derive(Debug, Deserialize, JsonSchema)]
#[expect(
    dead_code,
    reason = "serde fills the fields in, and `Debug` alone reads them"
)]
enum Filter {
    And(Vec<Filter>),
    Or(Vec<Filter>),
    Not(Box<Filter>),
    Is { field: String },
}

/// The same with a tag, and a field that the variants share.
#[derive(Debug, Deserialize, JsonSchema)]
#[expect(
    dead_code,
    reason = "serde fills the fields in, and `Debug` alone reads them"
)]
#[serde(tag = "op", rename_all = "lowercase")]
enum Tagged {
    And { inner: Box<Tagged> },
    Or { inner: Box<Tagged> },
    Is { field: String },
}

/// The same without a tag: serde tries one variant after the other.
#[derive(Debug, Deserialize, JsonSchema)]
#[expect(
    dead_code,
    reason = "serde fills the fields in, and `Debug` alone reads them"
)]
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

/// A recipient, whose form tells what it is.
#[derive(Debug, Deserialize, JsonSchema)]
#[expect(
    dead_code,
    reason = "serde fills the fields in, and `Debug` alone reads them"
)]
#[serde(untagged)]
enum Recipient {
    Person {
        name: String,
        email: String,
    },
    Team {
        name: String,
        members: Vec<String>,
        lead: Option<Box<Recipient>>,
    },
    Number(u32),
}

#[pd_tool(summary = "Write to somebody")]
fn write(to: Recipient, copies: Option<Vec<Recipient>>) -> String {
    format!("{to:?} {copies:?}").len().to_string()
}

/// A tool made at run time, whose argument `filter` is this.
fn run_time(name: &'static str, definition: Value) -> Tool<()> {
    let schema = json!({
        "type": "object",
        "properties": { "filter": { "$ref": "#/$defs/F" } },
        "required": ["filter"],
        "$defs": { "F": definition },
    });
    Tool::new(name, "Say one text", |_, _, _| {
        ready("fits".into_output()).boxed()
    })
    .input_schema(schema)
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

fn server() -> PdServer<()> {
    let registry: Registry<()> = pd_runtime::registry! { by_key, by_tag, by_shape, write };
    let others = Registry::builder()
        .tool(run_time("one_of", json!({ "oneOf": branches() })))
        .tool(run_time("any_of", json!({ "anyOf": branches() })))
        .tool(run_time("any_alike", json!({ "anyOf": alike() })))
        .build()
        .unwrap();
    PdServer::builder(registry.merge(others).unwrap(), ())
        .gate(GateMode::Off)
        .build()
        .unwrap()
}

/// A value in a value, this often.
fn nested(levels: usize, leaf: Value, around: impl Fn(Value) -> Value) -> Value {
    (0..levels).fold(leaf, |inner, _| around(inner))
}

/// Each tool with arguments of so many levels that fit, the same with a wrong leaf, and where that is.
fn cases(levels: usize) -> Vec<(&'static str, Value, Value, String)> {
    let case =
        |name, good: Value, bad: Value, around: &dyn Fn(Value) -> Value, step: &str, end: &str| {
            let [good, bad] =
                [good, bad].map(|leaf| json!({ "filter": nested(levels, leaf, around) }));
            (
                name,
                good,
                bad,
                format!("/filter{}{end}", step.repeat(levels)),
            )
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
        case(
            "one_of",
            leaf("or", json!(1)),
            leaf("or", json!("x")),
            &tagged,
            "/inner",
            "/leaf",
        ),
        case(
            "any_of",
            leaf("or", json!(1)),
            leaf("or", json!("x")),
            &tagged,
            "/inner",
            "/leaf",
        ),
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
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap_or("0 kB");
    line.trim()
        .trim_end_matches(" kB")
        .parse::<usize>()
        .unwrap()
        / 1024
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
            assert_eq!(
                error["violations"][0]["pointer"],
                Value::from(shortened(&pointer)),
                "{name} {levels}: {error}"
            );
            assert_eq!(
                error["violations"].as_array().unwrap().len(),
                1,
                "{name} {levels}: {error}"
            );
            println!("{name} {levels}: {right:?} {wrong:?}");
            assert!(
                wrong < 20 * right + Duration::from_millis(50),
                "{name} {levels}: {wrong:?}, right {right:?}"
            );
        }
        assert!(
            peak_memory() < before + 200,
            "{levels}: {} MB, {before} MB before",
            peak_memory()
        );
    }
}

/// A pointer as an answer shows it: its first 300 characters.
fn shortened(pointer: &str) -> String {
    if pointer.chars().count() <= 300 {
        pointer.to_owned()
    } else {
        format!("{}…", &pointer[..300])
    }
}

/// Where nothing tells the branches apart, the union itself is at fault; one call stays one call.
#[tokio::test]
async fn a_union_that_nothing_tells_apart_is_at_fault_itself() {
    let mut line = Line::session(&server()).await;
    for levels in [12, 60] {
        let around = |inner| json!({ "inner": inner, "strict": true, "loose": true });
        let [good, bad] = [json!(1), json!("x")]
            .map(|leaf| json!({ "filter": nested(levels, json!({ "leaf": leaf }), around) }));
        let (right, answer) = timed(&mut line, "any_alike", &good).await;
        assert_eq!(text(&answer), "fits");
        let (wrong, answer) = timed(&mut line, "any_alike", &bad).await;
        assert_eq!(code(&answer), "INVALID_ARGUMENTS");
        assert_eq!(
            told(&answer)["error"]["violations"][0]["pointer"],
            "/filter"
        );
        println!("any_alike {levels}: {right:?} {wrong:?}");
        assert!(
            wrong < 20 * right + Duration::from_millis(50),
            "{levels}: {wrong:?}, right {right:?}"
        );
    }
}

/// The violations of arguments of the tool `write`, as pointer and message.
async fn violations(line: &mut Line, arguments: Value) -> Vec<(String, String)> {
    let answer = line.call("write", arguments).await;
    assert_eq!(code(&answer), "INVALID_ARGUMENTS", "{answer}");
    let violations = told(&answer)["error"]["violations"].take();
    let text = |one: &Value, key: &str| one[key].as_str().unwrap().to_owned();
    violations
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (text(one, "pointer"), text(one, "message")))
        .collect()
}

#[tokio::test]
async fn each_form_says_what_it_lacks_at_its_own_level() {
    let mut line = Line::session(&server()).await;
    for (to, message) in [
        (
            json!({ "name": "Ada" }),
            "fits none of 3 forms: (1) lacks `email`; (2) lacks `members`; (3) is not of type integer",
        ),
        (
            json!({ "name": 7, "lead": { "name": 1 } }),
            "fits none of 3 forms: (1) lacks `email`, does not fit at `name`; (2) lacks `members`, does not fit at `name`, \
             `lead`; (3) is not of type integer",
        ),
        (
            json!(true),
            "fits none of 3 forms: (1) is not of type object; (2) is not of type object; (3) is not of type integer",
        ),
    ] {
        let found = violations(&mut line, json!({ "to": to })).await;
        assert_eq!(found, [("/to".to_owned(), message.to_owned())]);
    }
    let found = violations(
        &mut line,
        json!({ "to": 1, "copies": [2, { "name": "Ada" }, -1] }),
    )
    .await;
    assert_eq!(found[0].0, "/copies/1");
    assert!(
        found[0]
            .1
            .contains("(1) lacks `email`; (2) lacks `members`"),
        "{found:?}"
    );
    assert!(found[1].1.contains("minimum"), "{found:?}");
}

/// What a caller sends is neither rendered whole nor repeated for each form.
#[tokio::test]
async fn a_swollen_value_that_fits_no_form_costs_little_more_than_one_that_fits() {
    let mut line = Line::session(&server()).await;
    let names = |count: usize| -> serde_json::Map<_, _> {
        (0..count)
            .map(|place| (format!("{place}{}", "n".repeat(40)), json!([[place]])))
            .collect()
    };
    let before = peak_memory();
    for count in [10, 10_000] {
        let mut good = names(count);
        good.insert("name".to_owned(), json!("Ada"));
        let bad = Value::Object(good.clone());
        good.insert("email".to_owned(), json!("ada@example.org"));
        let (right, answer) = timed(&mut line, "write", &json!({ "to": good })).await;
        assert_ne!(answer["isError"], true, "{answer}");
        let (wrong, answer) = timed(
            &mut line,
            "write",
            &json!({ "to": bad, "copies": vec![json!({ "name": "x" }); count] }),
        )
        .await;
        assert_eq!(code(&answer), "INVALID_ARGUMENTS");
        assert!(
            answer.to_string().len() < 20_000,
            "{}",
            answer.to_string().len()
        );
        println!("write {count}: {right:?} {wrong:?}");
        assert!(
            wrong < 20 * right + Duration::from_millis(50),
            "{count}: {wrong:?}, right {right:?}"
        );
    }
    assert!(
        peak_memory() < before + 200,
        "{} MB, {before} MB before",
        peak_memory()
    );
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
        // Server and client share this thread, so its processor time is the cost of the call.
        let begun = ThreadTime::now();
        let answer = line.call("by_shape", arguments(levels)).await;
        assert!(
            begun.elapsed() < Duration::from_millis(500),
            "{levels}: {:?}",
            begun.elapsed()
        );
        assert_eq!(code(&answer), "INVALID_ARGUMENTS", "{levels}");
        let violation = told(&answer)["error"]["violations"][0].take();
        assert_eq!(violation["pointer"], "/filter");
        assert!(
            violation["message"]
                .as_str()
                .unwrap()
                .contains("nest it less deep"),
            "{violation}"
        );
    }
}
