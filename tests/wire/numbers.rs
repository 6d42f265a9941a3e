//! Where JSON Schema, serde and models differ about a value: the disclosed schema and the function must agree.

use pd_runtime::{check::RegistryErrorKind, prelude::*};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Colour {
    /// As blood.
    Red,
    /// As grass.
    Green,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Shape {
    /// By its radius.
    Circle { r: f64 },
    /// By its side.
    Square { a: f64 },
}

#[pd_tool(summary = "Take a small number")]
fn small(n: u32) -> String {
    n.to_string()
}

#[pd_tool(summary = "Take one of several")]
fn choose(colour: Option<Colour>, shape: Option<Shape>) -> String {
    let size = match shape {
        Some(Shape::Circle { r: size } | Shape::Square { a: size }) => size,
        None => 0.0,
    };
    format!("{colour:?} {size}")
}

struct Limits;

impl Limits {
    /// What hangs on a type is not judged while it compiles: to a macro, `Limits` may be a type parameter.
    const BELOW: i32 = -5;
}

#[pd_tool(summary = "Have a default that is refused")]
fn faulty(#[arg(default = Limits::BELOW, minimum = 0)] n: i32) -> String {
    n.to_string()
}

#[pd_tool(summary = "Return a wide number")]
fn wide(id: u128, change: Option<i128>) -> String {
    format!("{id} {change:?}")
}

async fn call(name: &str, arguments: Value) -> Result<Value, ToolError> {
    let registry: Registry<()> = pd_runtime::registry! { small, choose, wide };
    let result = registry.call(&(), name, arguments).await?;
    Ok(json!(result.content[0].as_text().unwrap().text))
}

#[tokio::test]
async fn a_number_over_its_type_is_a_violation_of_the_schema() {
    let refused = call("small", json!({ "n": 5_000_000_000_u64 }))
        .await
        .unwrap_err();
    assert_eq!(
        refused.message,
        "`/n` 5000000000 is greater than the maximum of 4294967295"
    );
}

/// JSON numbers are read with 64 bits, so the schema says no more.
#[tokio::test]
async fn a_number_of_128_bits_has_the_limits_of_64() {
    let most = json!({ "id": u64::MAX, "change": i64::MIN });
    assert_eq!(
        call("wide", most).await.unwrap(),
        "18446744073709551615 Some(-9223372036854775808)"
    );
    let above: Value = serde_json::from_str(r#"{ "id": 18446744073709551616 }"#).unwrap();
    let refused = call("wide", above).await.unwrap_err();
    assert!(
        refused
            .message
            .contains("is greater than the maximum of 18446744073709551615"),
        "{}",
        refused.message
    );
}

#[tokio::test]
async fn a_whole_float_is_an_integer_as_json_schema_says() {
    assert_eq!(call("small", json!({ "n": 7.0 })).await.unwrap(), "7");
    assert!(
        call("small", json!({ "n": 7.5 }))
            .await
            .unwrap_err()
            .message
            .starts_with("`/n` ")
    );
}

#[tokio::test]
async fn a_wrong_choice_is_told_the_right_ones() {
    let refused = call("choose", json!({ "colour": "blue" }))
        .await
        .unwrap_err();
    assert_eq!(refused.message, r#"`/colour` is none of "red", "green""#);
    let refused = call("choose", json!({ "shape": { "kind": "ring" } }))
        .await
        .unwrap_err();
    assert_eq!(
        refused.message,
        r#"`/shape/kind` is none of "circle", "square""#
    );
    let refused = call("choose", json!({ "shape": { "kind": "circle" } }))
        .await
        .unwrap_err();
    assert_eq!(refused.message, "`/shape/r` is required");
}

#[pd_tool(summary = "Take one of many")]
fn pick(
    #[arg(one_of = [
        "aa", "bb", "cc", "dd", "ee", "ff", "gg", "hh", "ii", "jj", "kk", "ll", "mm", "nn", "oo", "pp", "qq", "rr", "ss", "tt",
    ])]
    code: String,
    #[arg(one_of = [
        "europe-west-1", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t", "u",
    ])]
    region: Option<String>,
    sizes: Option<Vec<Colour>>,
) -> String {
    format!("{code} {region:?} {sizes:?}")
}

async fn picked(arguments: Value) -> String {
    let registry: Registry<()> = pd_runtime::registry! { pick };
    registry
        .call(&(), "pick", arguments)
        .await
        .unwrap_err()
        .message
}

#[tokio::test]
async fn up_to_twenty_choices_are_told_and_more_are_counted() {
    let codes = ('a'..='t')
        .map(|letter| format!("\"{letter}{letter}\""))
        .collect::<Vec<_>>()
        .join(", ");
    assert_eq!(
        picked(json!({ "code": "x" })).await,
        format!("`/code` is none of {codes}")
    );
    assert_eq!(
        picked(json!({ "code": "tx" })).await,
        format!("`/code` is none of {codes}; did you mean \"tt\"?")
    );
    let regions = ('a'..='s')
        .map(|letter| format!("\"{letter}\""))
        .collect::<Vec<_>>()
        .join(", ");
    assert_eq!(
        picked(json!({ "code": "aa", "region": "europe-west" })).await,
        format!(
            "`/region` is none of \"europe-west-1\", {regions} and 2 more; did you mean \"europe-west-1\"?"
        )
    );
    assert_eq!(
        picked(json!({ "code": "aa", "sizes": ["Red"] })).await,
        r#"`/sizes/0` is none of "red", "green"; did you mean "red"?"#
    );
}

/// What is told of choices has a bound for all of a call, too.
#[tokio::test]
async fn long_choices_are_cut_and_do_not_add_up() {
    let long: Vec<_> = (0..500)
        .map(|count| format!("{count}{}", "x".repeat(500)))
        .collect();
    let schema =
        json!({ "type": "object", "properties": { "all": { "items": { "enum": long } } } });
    let tool = pd_runtime::Tool::new("pick", "Take one of many", |_, _, _| {
        futures::FutureExt::boxed(std::future::ready(pd_runtime::IntoOutput::into_output(
            "fits",
        )))
    });
    let registry: Registry<()> = Registry::builder()
        .tool(tool.input_schema(schema))
        .build()
        .unwrap();
    let message = registry
        .call(&(), "pick", json!({ "all": vec!["a"; 10_000] }))
        .await
        .unwrap_err()
        .message;
    assert!(
        message.starts_with("`/all/0` is none of \"0xxx"),
        "{message}"
    );
    assert!(
        message.chars().count() < 12_000,
        "{}",
        message.chars().count()
    );
}

#[test]
fn a_default_that_its_own_constraints_refuse_is_a_problem() {
    let registry: Registry<()> = pd_runtime::registry! { faulty };
    let problems = registry.check().unwrap_err();
    let faults: Vec<_> = problems.iter().map(|problem| &problem.kind).collect();
    assert!(
        matches!(faults.as_slice(), [RegistryErrorKind::BadDefault { argument, .. }] if argument == "n"),
        "{problems}"
    );
}
