//! Calls before and after their correction.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod not_data;
mod variants;

use super::*;
use serde_json::json;
use std::sync::Arc;

/// Returns the corrected call and the arguments that the tool does not use.
fn corrected(schema: &Value, arguments: &Value) -> (Option<String>, Vec<String>) {
    let definition = rmcp::model::Tool::new(
        "tool",
        "A tool",
        Arc::new(schema.as_object().unwrap().clone()),
    );
    let about = ToolSpec::from_definition(definition);
    let validator = about.input.validator().unwrap();
    let invalid = validator
        .validate(arguments.as_object().unwrap().clone())
        .unwrap_err();
    let call = CorrectedCall::from_invalid(&about, &invalid, None);
    call.map_or((None, Vec::new()), |call| {
        (
            call.render_request(CallRoute {
                tool: "tool",
                through: None,
                form: NestedForm::Object,
            }),
            call.unused,
        )
    })
}

fn call(schema: &Value, arguments: &Value) -> String {
    let request = corrected(schema, arguments).0.unwrap_or_default();
    let (_, call) = request
        .split_once(":\n{\"name\": \"tool\", \"arguments\": ")
        .unwrap_or_default();
    call.strip_suffix('}').unwrap_or_default().to_owned()
}

fn issue(is_closed: bool) -> Value {
    let mut schema = json!({
        "type": "object",
        "properties": {
            "owner": { "type": "string", "description": "The account that owns the repository." },
            "repo": { "type": "string" },
            "body": { "type": "string" },
            "state": { "enum": ["open", "closed"] },
            "labels": { "type": "array", "items": { "type": "string" } },
            "target": {
                "type": "object",
                "properties": { "branch": { "type": "string" }, "line": { "type": "integer", "minimum": 1 } },
                "required": ["branch"],
            },
        },
        "required": ["owner", "repo"],
    });
    if is_closed {
        allow_others(&mut schema, false);
    }
    schema
}

fn allow_others(schema: &mut Value, is_allowed: bool) {
    let members = schema.as_object_mut().unwrap();
    members.insert("additionalProperties".to_owned(), is_allowed.into());
}

#[test]
fn a_text_with_one_number_becomes_that_number() {
    let line = |line: &str| {
        let sent = json!({ "owner": "octo", "repo": "demo", "target": { "branch": "main", "line": line } });
        call(&issue(false), &sent)
            .split_once(r#""line": "#)
            .unwrap_or_default()
            .1
            .to_owned()
    };
    assert_eq!(line("line 12"), "12}}");
    for other in ["lines 12 to 14", "line 1.5", "line 0", "12th", "line"] {
        assert!(line(other).starts_with('<'), "{other}: {}", line(other));
    }
}

#[test]
fn a_time_where_a_date_is_wanted_becomes_its_date() {
    let date = json!({ "type": "string", "format": "date" });
    let schemas = [date.clone(), json!({ "anyOf": [date, { "type": "null" }] })];
    for day in schemas {
        let schema = json!({
            "type": "object",
            "properties": {
                "range": { "type": "object", "properties": { "from": day }, "required": ["from"] },
            },
            "required": ["range"],
        });
        let from = |from: &str| call(&schema, &json!({ "range": { "from": from } }));
        for time in [
            "2026-03-02T10:00:00",
            "2026-03-02 10:00",
            "2026-03-02T10:00:00Z",
        ] {
            assert_eq!(from(time), r#"{"range": {"from": "2026-03-02"}}"#, "{time}");
        }
        for other in ["02.03.2026T10:00", "2026-03T10:00", "2026-03-02Z", "T"] {
            assert!(from(other).contains(r#""from": <"#), "{}", from(other));
        }
    }
}

#[test]
fn missing_arguments_are_added_and_others_kept() {
    for schema in [issue(true), issue(false)] {
        assert_eq!(
            call(
                &schema,
                &json!({ "repo": "demo", "state": "open", "labels": ["bug"] })
            ),
            r#"{"repo": "demo", "state": "open", "labels": ["bug"], "owner": <string: The account that owns the repository>}"#
        );
    }
}

#[test]
fn arguments_get_the_names_that_were_meant() {
    for schema in [issue(true), issue(false)] {
        assert_eq!(
            call(&schema, &json!({ "repository": "demo", "Owner": "octo" })),
            r#"{"repo": "demo", "owner": "octo"}"#
        );
    }
}

#[test]
fn the_only_missing_argument_is_the_only_unknown_one_of_its_type() {
    for schema in [issue(true), issue(false)] {
        let (found, unused) = corrected(
            &schema,
            &json!({ "owner": "octo", "project": "demo", "count": 3 }),
        );
        assert!(found.is_some_and(|call| call.contains(r#"{"owner": "octo", "repo": "demo", "#)));
        assert_eq!(unused, ["count"], "no argument is a number");
        let (found, _) = corrected(
            &schema,
            &json!({ "owner": "octo", "thing": "demo", "other": "x" }),
        );
        assert!(
            found.is_some_and(|call| call.contains(r#"{"owner": "octo", "repo": <string>, "#)),
            "two fit"
        );
    }
}

#[test]
fn names_of_the_same_meaning_are_known() {
    let schema = json!({
        "type": "object",
        "properties": {
            "path": { "type": "string" },
            "skip": { "type": "integer" },
            "first_line": { "type": "integer" },
            "limit": { "type": "integer" },
        },
        "additionalProperties": false,
    });
    for name in ["n", "lines", "max_results", "pageSize"] {
        assert_eq!(
            call(&schema, &json!({ "file": "a", name: 3 })),
            r#"{"path": "a", "limit": 3}"#,
            "{name}"
        );
    }
    let (request, unused) = corrected(&schema, &json!({ "path": "a", "limit": 1, "n": 3 }));
    let change = "Change this: no `n`. Then send, with a value for each <…>, from 3 if one fits:\n";
    let arguments =
        r#"{"path": "a", "limit": 1, "skip": <optional int>, "first_line": <optional int>}"#;
    assert_eq!(
        request,
        Some(format!(
            r#"{change}{{"name": "tool", "arguments": {arguments}}}"#
        ))
    );
    assert_eq!(unused, ["n"]);
}

#[test]
fn unused_arguments_are_named() {
    for schema in [issue(true), issue(false)] {
        let (call, unused) = corrected(&schema, &json!({ "owner": "octo", "verbose": true }));
        let others = "There are also `body`, `state`, `labels`, `target`.";
        let request = format!(
            "Change this: no `verbose`, `repo` is missing. {others} Then send, with a value for each <…>:\n"
        );
        let arguments = r#"{"owner": "octo", "repo": <string>}"#;
        assert_eq!(
            call,
            Some(format!(
                "{request}{{\"name\": \"tool\", \"arguments\": {arguments}}}"
            ))
        );
        assert_eq!(unused, ["verbose"]);
    }
}

#[test]
fn wrong_values_are_replaced_by_what_is_wanted() {
    let arguments = json!({ "owner": "octo", "repo": 7, "state": "done", "labels": ["a", 1], "target": { "line": 0 } });
    assert_eq!(
        call(&issue(true), &arguments),
        r#"{"owner": "octo", "repo": "7", "state": <"open"|"closed">, "labels": ["a", "1"], "target": {"line": <int(>=1)>, "branch": <string>}}"#
    );
}

#[test]
fn arguments_that_a_schema_allows_are_kept() {
    let mut schema = issue(false);
    allow_others(&mut schema, true);
    assert_eq!(
        call(&schema, &json!({ "owner": "octo", "verbose": true })),
        r#"{"owner": "octo", "verbose": true, "repo": <string>}"#
    );
}

#[test]
fn what_is_long_or_hidden_is_not_repeated() {
    for hidden in [
        "x".repeat(100_000),
        "a\u{202e}b".to_owned(),
        "a\nb".to_owned(),
    ] {
        let named = call(
            &issue(true),
            &json!({ "owner": "octo", &hidden: 1, "target": { &hidden: 1 } }),
        );
        assert!(!named.contains(&hidden), "{named}");
        let arguments = json!({ "owner": "octo", "body": hidden });
        assert_eq!(
            call(&issue(true), &arguments),
            r#"{"owner": "octo", "body": <as before>, "repo": <string>}"#
        );
    }
    let long: Vec<String> = (0..100).map(|number| format!("label {number}")).collect();
    let arguments = json!({ "owner": "octo", "labels": long });
    assert_eq!(
        call(&issue(true), &arguments),
        r#"{"owner": "octo", "labels": <as before>, "repo": <string>}"#
    );
    let names: JsonObject = (0..1_000)
        .map(|number| (format!("name_{number}"), json!(number)))
        .collect();
    let (call, unused) = corrected(&issue(true), &Value::Object(names));
    assert!(call.unwrap_or_default().len() <= 2 * CALL_MAX && unused.len() <= UNUSED_MAX);
}

#[test]
fn a_violation_of_the_whole_has_no_correction() {
    let schema = json!({ "type": "object", "minProperties": 2 });
    assert_eq!(corrected(&schema, &json!({ "a": 1 })).0, None);
}

#[test]
fn a_value_gets_the_name_and_the_type_that_fit() {
    let schema = json!({
        "type": "object",
        "properties": {
            "owner": { "type": "string" },
            "pullNumber": { "type": "number" },
            "merge_method": { "enum": ["merge", "squash", "rebase"] },
            "commit_id": { "type": "integer" },
            "body": { "type": "string" },
            "labels": { "type": "array", "items": { "type": "string" } },
        },
        "required": ["owner", "pullNumber"],
    });
    for (sent, corrected) in [
        (
            json!({ "pull_request_id": "41" }),
            r#"{"pullNumber": 41, "owner": <string>}"#,
        ),
        (
            json!({ "pullNumber": "41", "owner": "a" }),
            r#"{"pullNumber": 41, "owner": "a"}"#,
        ),
        (
            json!({ "squash": true }),
            r#"{"merge_method": "squash", "owner": <string>, "pullNumber": <number>}"#,
        ),
        (
            json!({ "rebase_commits": true, "owner": "a" }),
            r#"{"merge_method": "rebase", "owner": "a", "pullNumber": <number>}"#,
        ),
        (
            json!({ "how": "SQUASH" }),
            r#"{"merge_method": "squash", "owner": <string>, "pullNumber": <number>}"#,
        ),
        (
            json!({ "comment": "done" }),
            r#"{"body": "done", "owner": <string>, "pullNumber": <number>}"#,
        ),
        (
            json!({ "label": "bug", "owner": "a" }),
            r#"{"labels": ["bug"], "owner": "a", "pullNumber": <number>}"#,
        ),
        (
            json!({ "octo/demo": "x" }),
            r#"{"owner": <string>, "pullNumber": <number>, "merge_method": <optional "merge"|"squash"|"rebase">, "commit_id": <optional int>, "body": <optional string>, "labels": <optional string[]>}"#,
        ),
    ] {
        assert_eq!(call(&schema, &sent), corrected, "{sent}");
    }
}

#[test]
fn values_move_into_the_objects_where_they_belong() {
    let schema = json!({
        "type": "object",
        "properties": {
            "title": { "type": "string" },
            "time": {
                "type": "object",
                "properties": {
                    "start": { "type": "string", "pattern": "^[0-9-]+T" },
                    "zone": { "enum": ["utc", "local"] },
                    "minutes": { "type": "integer" },
                },
                "required": ["start", "zone"],
            },
            "attendees": { "type": "array", "items": { "$ref": "#/$defs/Attendee" } },
        },
        "required": ["title", "time"],
        "additionalProperties": false,
        "$defs": { "Attendee": {
            "type": "object",
            "properties": { "email": { "type": "string" }, "role": { "enum": ["required", "optional"] } },
            "required": ["email", "role"],
        } },
    });
    assert_eq!(
        call(
            &schema,
            &json!({ "title": "Review", "start": "2026-03-02T10:00", "attendees": ["ana@example.org"] })
        ),
        r#"{"title": "Review", "time": {"start": "2026-03-02T10:00", "zone": <"utc"|"local">}, "attendees": [{"email": "ana@example.org", "role": <"required"|"optional">}]}"#
    );
    assert_eq!(
        call(
            &schema,
            &json!({ "title": "Review", "start": "2026-03-02T10:00", "Zone": "UTC" })
        ),
        r#"{"title": "Review", "time": {"zone": "utc", "start": "2026-03-02T10:00"}}"#
    );
    assert_eq!(
        call(&schema, &json!({ "title": "Review" })),
        r#"{"title": "Review", "time": {"start": <string(/^[0-9-]+T/)>, "zone": <"utc"|"local">}}"#
    );
    assert_eq!(
        call(
            &schema,
            &json!({ "title": "Review", "time": "10:00", "duration": 30 })
        ),
        r#"{"title": "Review", "time": {"start": <string(/^[0-9-]+T/)>, "zone": <"utc"|"local">, "minutes": <optional int>}, "attendees": <optional {email: string, role: "required"|"optional"}[]>}"#,
        "the text is no start"
    );
    assert_eq!(
        call(
            &schema,
            &json!({ "title": "Review", "start": "2026-03-02T10:00", "duration": 30 })
        ),
        r#"{"title": "Review", "time": {"minutes": 30, "start": "2026-03-02T10:00", "zone": <"utc"|"local">}}"#
    );
}

#[test]
fn descriptions_are_left_out_where_they_are_too_long() {
    let about = "Long. ".repeat(20);
    let property = json!({ "type": "string", "description": about });
    let names: Vec<String> = (0..20).map(|number| format!("name_{number}")).collect();
    let properties: JsonObject = names
        .iter()
        .map(|name| (name.clone(), property.clone()))
        .collect();
    let schema = json!({ "type": "object", "properties": properties, "required": names });
    let short = call(&schema, &json!({}));
    assert!(
        short.starts_with(r#"{"name_0": <string>, "name_1": <string>"#),
        "{short}"
    );
}

#[test]
fn the_name_of_a_repository_is_split() {
    let property = json!({ "type": "string" });
    let schema = json!({
        "type": "object",
        "properties": { "owner": property, "repo": property, "branch": property, "from_branch": property },
        "required": ["owner", "repo", "branch"],
    });
    for (sent, corrected) in [
        (
            json!({ "repo": "octo/demo", "branch": "a" }),
            r#"{"repo": "demo", "branch": "a", "owner": "octo"}"#,
        ),
        (
            json!({ "repository": "octo/demo", "branch": "a" }),
            r#"{"repo": "demo", "branch": "a", "owner": "octo"}"#,
        ),
        (
            json!({ "name": "a", "base": "b", "repo": "octo/demo" }),
            r#"{"branch": "a", "from_branch": "b", "repo": "demo", "owner": "octo"}"#,
        ),
        (
            json!({ "repo": "a/b/c", "branch": "a" }),
            r#"{"repo": "a/b/c", "branch": "a", "owner": <string>}"#,
        ),
    ] {
        assert_eq!(call(&schema, &sent), corrected, "{sent}");
    }
}

#[test]
fn values_without_a_place_are_offered_for_optional_arguments() {
    let schema = issue(true);
    let sent = json!({ "owner": "octo", "repo": "demo", "summary_line": "Crash", "row": 3 });
    let request = corrected(&schema, &sent).0.unwrap();
    let head = "Change this: no `summary_line`, no `row`. Then send, with a value for each <…>, from \"Crash\", 3 if one fits:\n";
    assert!(request.starts_with(head), "{request}");
    assert!(
        request.contains(r#""body": <optional string>"#) && !request.contains("There are also"),
        "{request}"
    );
    // A value that is only too large has its place, and texts that are not repeated stay
    // unrepeated.
    let schema = json!({
        "type": "object",
        "properties": { "limit": { "type": "integer", "maximum": 9 }, "sort": { "type": "string" } },
        "additionalProperties": false,
    });
    let request = corrected(&schema, &json!({ "limit": 500 })).0.unwrap();
    assert!(
        request.contains("There is also `sort`") && !request.contains("500"),
        "{request}"
    );
    let hidden = "a\u{202e}b";
    let request = corrected(
        &schema,
        &json!({ "text": hidden, "long": "x".repeat(1_000) }),
    )
    .0
    .unwrap();
    assert!(
        !request.contains(hidden) && request.len() < 500,
        "{request}"
    );
}
