//! The limits on the time and memory of validation.

use super::*;
use cpu_time::ThreadTime;
use std::time::Duration;

/// Validates a value within seconds of processor time, and returns the violations.
fn refused_in_time(schema: &Value, value: &Value) -> SchemaViolations {
    let compiled = CompiledSchema::new(schema).unwrap();
    let begun = ThreadTime::now();
    let violations = compiled.validate(value, &[]).unwrap_err();
    // Builds without optimizations take ten times as long.
    let limit = Duration::from_secs(if cfg!(debug_assertions) { 30 } else { 3 });
    assert!(begun.elapsed() < limit, "{:?}", begun.elapsed());
    violations
}

/// Builds a union of branches, each with its own name and the same schema of items.
fn wide_union(branches: usize, items: &Value) -> Value {
    let branch = |number: usize| json!({ "items": items, "title": number.to_string() });
    json!({ "properties": { "a": { "anyOf": (0..branches).map(branch).collect::<Vec<_>>() } } })
}

#[test]
fn a_long_name_is_not_copied_for_each_violation() {
    let name = "n".repeat(200_000);
    let schema = json!({ "additionalProperties": { "items": { "type": "null" } } });
    let violations = refused_in_time(&schema, &json!({ name: vec![1; 100_000] }));
    assert_eq!(violations.total, 100_000);
    assert_eq!(violations.first[0].pointer.chars().count(), 301);
}

#[test]
fn many_branches_of_many_items_are_explained_in_bounds() {
    let schema = wide_union(400, &json!({ "type": "null" }));
    let violations = refused_in_time(&schema, &json!({ "a": vec![1; 100_000] }));
    let message = &violations.first[0].message;
    assert!(
        message
            .starts_with("fits none of 400 forms: (1) does not fit at `0`, `1`, `2`, `3`, …; (2) "),
        "{message}"
    );
}

#[test]
fn the_work_of_one_value_is_bounded() {
    let many = json!({ "a": vec![json!({}); 20_000] });
    let violations = refused_in_time(&wide_union(9_000, &json!({ "required": ["b"] })), &many);
    assert_eq!(violations.first[0].message, TOO_LARGE_TO_EXPLAIN);
    let unique: Vec<_> = (0..20_000).chain([0]).collect();
    let unique_branch = json!({ "anyOf": vec![json!({ "uniqueItems": true }); 9_000] });
    let violations = refused_in_time(&unique_branch, &json!(unique));
    assert_eq!(violations.first[0].message, TOO_MUCH_WORK);
    // A pattern is matched in time linear in its own length and the text's.
    let pattern = format!("{}$", "(a|b)*".repeat(400));
    let schema = json!({ "pattern": pattern });
    let violations = refused_in_time(&schema, &json!("ab".repeat(100_000)));
    assert_eq!(violations.first[0].message, TOO_MUCH_WORK);
}

#[test]
fn unevaluated_keywords_ask_each_branch_once() {
    let nest = |inner: Value| json!({ "anyOf": [{ "properties": { "a": inner } }], "unevaluatedProperties": false });
    let schema = (0..17).fold(json!({ "type": "string" }), |inner, _| nest(inner));
    let value = |leaf: Value| (0..17).fold(leaf, |inner, _| json!({ "a": inner }));
    let compiled = CompiledSchema::new(&schema).unwrap();
    let mut evaluation = Evaluation::new(&compiled);
    assert!(evaluation.is_valid(ROOT, &value(json!("x"))));
    assert!(evaluation.steps() < 1_000, "{}", evaluation.steps());
    refused_in_time(&schema, &value(json!(1)));
}

#[test]
fn results_beyond_the_limit_are_computed_again() {
    let schema = json!({
        "anyOf": [{ "items": { "$ref": "#/$defs/inner" } }, { "items": { "$ref": "#/$defs/inner" }, "minItems": 1 }],
        "$defs": { "inner": { "type": "array", "maxItems": 0 } },
    });
    let mut items = vec![json!([]); 300_000];
    let compiled = CompiledSchema::new(&schema).unwrap();
    let mut evaluation = Evaluation::new(&compiled);
    assert!(evaluation.is_valid(ROOT, &json!(items)));
    assert_eq!(evaluation.kept(), evaluate::KNOWN_MAX);
    items.push(json!([1]));
    assert_eq!(refused_in_time(&schema, &json!(items)).total, 1);
}
