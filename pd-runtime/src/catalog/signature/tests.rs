//! The text of signatures, form by form. The wire tests check over real catalogs that signatures
//! express every constraint of a schema.

mod forms;

use super::*;
use crate::{IntoOutput, Tool, tool::ErrorHelp};
use cpu_time::ThreadTime;
use expect_test::expect;
use futures::FutureExt;
use serde_json::{Value, json};

fn tool(schema: Value) -> Tool<()> {
    Tool::new("call", "Call it", |(), _, _| {
        async { ().into_output() }.boxed()
    })
    .input_schema(schema)
}

fn written(tool: &Tool<()>) -> String {
    let mut out = String::new();
    ToolSignature::new(&tool.about).write(&mut out, None);
    out
}

fn called(schema: Value, ticket: Option<&str>) -> String {
    let mut out = String::new();
    ToolSignature::new(&tool(schema).about).write_call(&mut out, ticket);
    out
}

#[test]
fn what_is_used_twice_or_holds_itself_has_a_name() {
    let schema = json!({
        "type": "object",
        "properties": {
            "tree": { "$ref": "#/$defs/Node%20of" },
            "one": { "$ref": "#/$defs/once" },
            "from": { "$ref": "#/$defs/point", "description": "Where it starts." },
            "to": { "$ref": "#/$defs/point" },
            "near": { "allOf": [{ "$ref": "#/$defs/point" }, { "type": "object", "properties": { "far": { "type": "null" } } }] },
            "ids": { "type": "array", "items": { "$ref": "#/$defs/id" } },
            "id": { "$ref": "#/$defs/id" },
            "but": { "not": { "$ref": "#/$defs/other" } },
        },
        "$defs": {
            "Node of": { "type": "object", "description": "A node.", "properties": { "inside": { "type": "array", "items": { "$ref": "#/$defs/Node%20of" } } } },
            "once": { "type": "object", "properties": { "a": { "type": "string" } } },
            "point": { "type": "object", "properties": { "x": { "type": "number" }, "y": { "type": "number" } }, "additionalProperties": false },
            "id": { "type": "string", "format": "uuid" },
            "other": { "type": "string", "minLength": 7 },
            "unused": { "type": "string", "minLength": 99 },
        },
    });
    expect![[r##"
        call({
         tree?: Node_20of
         one?: {a?: string}
         from?: point // Where it starts
         to?: point
         near?: exact point & {far?: null}
         ids?: string(uuid)[]
         id?: string(uuid)
         but?: schema({"not":{"$ref":"#/$defs/other"}})
        })
        type Node_20of = {inside?: Node_20of[]} // A node
        type point = {x?: number, y?: number}
        type other = string(>=7)"##]]
    .assert_eq(&called(schema, None));
}

#[test]
fn a_schema_that_pointers_do_not_explain_is_shown_as_it_is() {
    let schema = json!({ "type": "object", "properties": { "a": { "$ref": "#mark" } }, "$defs": { "b": { "$anchor": "mark" } } });
    expect![[r##"call({disclosure_ticket: "1"} & schema({"type":"object","properties":{"a":{"$ref":"#mark"}},"$defs":{"b":{"$anchor":"mark"}}}))"##]].assert_eq(&called(schema, Some("1")));
    let itself = json!({ "type": "object", "properties": { "next": { "$ref": "#" } } });
    expect![[r#"
        call({
         next?: Args
        })
        type Args = {next?: Args}"#]]
    .assert_eq(&called(itself, None));
}

#[test]
fn a_ticket_is_one_more_argument() {
    let plain = json!({ "type": "object", "properties": { "a": { "type": "string", "description": "Which." } } });
    expect![[r#"
        call({
         a?: string // Which
         disclosure_ticket: "123456789012345678"
        })"#]]
    .assert_eq(&called(plain.clone(), Some("123456789012345678")));
    expect![[r#"call({disclosure_ticket: "123456789012345678"})"#]].assert_eq(&called(
        json!({ "type": "object" }),
        Some("123456789012345678"),
    ));
    let either = json!({ "type": "object", "properties": { "a": {}, "b": {} }, "anyOf": [{ "required": ["a"] }, { "required": ["b"] }], "additionalProperties": false });
    expect![[r#"
        call(exact {
         a?: any
         b?: any
         disclosure_ticket: "1"
        } & ({a: any}|{b: any}))"#]]
    .assert_eq(&called(either, Some("1")));
    let longest = ToolSignature::new(&tool(plain).about);
    let mut out = String::new();
    longest.write(&mut out, Some("123456789012345678"));
    assert!(
        out.len() <= longest.len(),
        "{} > {}",
        out.len(),
        longest.len()
    );
}

#[test]
fn texts_stay_in_their_lines() {
    let schema = json!({
        "type": "object",
        "description": "Root.\n}) // no",
        "properties": {
            "a\n}": { "description": "One\r\n two\u{2028}three\u{85}four */ }", "default": "x\ny", "examples": ["p\nq"] },
            "repo_path": { "title": "Repo Path" },
            "b": { "title": "Another name", "deprecated": true, "properties": { "c": { "description": "Inside." } } },
        },
    });
    let tool = tool(schema)
        .description("First\nline.\n\nSecond paragraph.")
        .note("A note\nin two lines.");
    expect![[r#"
        // First line. […]
        // - A note in two lines.
        call({ // Root. }) // no
         "a\n}"?: any = "x\ny" // One two three four */ } e.g. "p\nq"
         repo_path?: any
         b?: { // Deprecated. Another name
          c?: any // Inside
         }
        })"#]]
    .assert_eq(&written(&tool));
}

#[test]
fn results_are_told_in_brief() {
    let item = json!({ "type": "object", "properties": {
        "id": { "type": "string", "description": "Its hash.", "minLength": 40 },
        "author": { "type": "object", "properties": { "name": { "type": "string" } } },
        "parents": { "type": "array", "items": { "$ref": "#/$defs/id" } },
    }, "required": ["id"] });
    let output = json!({
        "type": "object",
        "properties": {
            "commits": { "type": "array", "items": item },
            "next": { "anyOf": [{ "type": "string" }, { "type": "string", "format": "uri" }, { "type": "null" }] },
            "self": { "$ref": "#" },
        },
        "$defs": { "id": { "type": ["string", "null"] } },
    });
    let tool = tool(json!({ "type": "object" }))
        .output_schema(output)
        .example("All of them", json!({ "path": "src" }))
        .error(ErrorHelp {
            code: "GONE".into(),
            cause: "".into(),
            solution: "".into(),
        });
    expect![[r#"
        call({}): {
         commits?: {id: string, author?: object, parents?: (string|null)[]}[]
         next?: string|null
         self?: {commits?: object[], next?: string|null, self?: object}
        }
        // e.g. {"path":"src"}"#]]
    .assert_eq(&written(&tool));
}

#[test]
fn an_example_has_the_ticket_that_the_declaration_asks_for() {
    let ticket = "123456789012345678";
    for (example, with_ticket) in [
        (json!({}), r#"{"disclosure_ticket":"123456789012345678"}"#),
        (
            json!({ "path": "src" }),
            r#"{"path":"src","disclosure_ticket":"123456789012345678"}"#,
        ),
        (
            json!({ "path": {} }),
            r#"{"path":{},"disclosure_ticket":"123456789012345678"}"#,
        ),
    ] {
        let tool = tool(json!({ "type": "object" })).example("One", example.clone());
        let signature = ToolSignature::new(&tool.about);
        let written = |ticket| {
            let mut out = String::new();
            signature.write(&mut out, ticket);
            assert!(
                out.len() <= signature.len(),
                "{} > {}",
                out.len(),
                signature.len()
            );
            out.lines().last().unwrap_or_default().to_owned()
        };
        assert_eq!(written(Some(ticket)), format!("// e.g. {with_ticket}"));
        assert_eq!(
            written(None),
            format!("// e.g. {example}"),
            "no declaration asks for it"
        );
    }
}

#[test]
fn what_is_too_deep_to_be_read_is_shown_as_it_is() {
    let last = json!({ "type": "integer", "maximum": 7 });
    for deep in [40, 60, 20_000] {
        let link = |index: usize| {
            (
                format!("D{index}"),
                json!({ "$ref": format!("#/$defs/D{}", index + 1) }),
            )
        };
        let mut definitions: serde_json::Map<_, _> = (0..deep).map(link).collect();
        definitions.insert(format!("D{deep}"), last.clone());
        let schema = json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/D0" } }, "$defs": definitions });
        let text = called(schema, None);
        assert!(
            text.contains("int(<=7)") || text.contains(&last.to_string()),
            "{deep}: {}",
            text.len()
        );
    }
}

#[test]
fn schemas_of_many_branches_are_read_to_a_limit() {
    let to =
        |next: &str| json!({ "anyOf": vec![json!({ "$ref": format!("#/$defs/{next}") }); 400] });
    let output = json!({ "type": "object", "properties": { "a": to("A") }, "$defs": {
        "A": to("B"), "B": to("C"), "C": { "type": "integer" },
    }});
    let kind = |index: usize| {
        json!({ "type": "object", "required": ["kind"], "properties": {
            "kind": { "const": index, "description": "what it is ".repeat(400) },
        }})
    };
    let input = json!({ "type": "object", "properties": { "a": { "oneOf": (0..400).map(kind).collect::<Value>() } } });
    // The processor's time of this thread: other tests on a busy machine do not count.
    let begun = ThreadTime::now();
    let text = written(&tool(input).output_schema(output));
    assert!(begun.elapsed().as_secs() < 2, "{:?}", begun.elapsed());
    assert!(
        text.contains("kind: 399") && !text.contains("oneOf("),
        "values distinguish the branches"
    );
    assert!(
        text.ends_with("): {a?: int|any}"),
        "{:?}",
        text.get(text.len() - 40..)
    );
}

#[test]
fn what_is_long_is_told_in_less_detail() {
    let field = json!({ "type": "object", "properties": { "name": { "type": "string" }, "value": { "type": "number" } } });
    let fields = |count: usize| {
        (0..count)
            .map(|n| (format!("field_{n}"), field.clone()))
            .collect::<rmcp::model::JsonObject>()
    };
    let results = |count| {
        let tool = tool(json!({ "type": "object" }))
            .output_schema(json!({ "type": "object", "properties": fields(count) }));
        written(&tool)
    };
    expect!["call({}): {field_0?: {name?: string, value?: number}, field_1?: {name?: string, value?: number}}"]
        .assert_eq(&results(2));
    expect![[r#"
        call({}): {
         field_0?: object
         field_1?: object
         field_2?: object
         field_3?: object
         field_4?: object
         field_5?: object
         field_6?: object
         field_7?: object
         field_8?: object
         field_9?: object
        }"#]]
    .assert_eq(&results(10));
    expect!["call({}): object"].assert_eq(&results(100));
    let wordy = tool(json!({ "type": "object" })).description("word ".repeat(100));
    assert!(
        written(&wordy).starts_with(&format!("//{} […]\n", " word".repeat(80))),
        "{}",
        written(&wordy)
    );
}

#[test]
fn a_selective_tool_tells_its_columns() {
    use crate::prelude::*;

    #[derive(serde::Serialize, schemars::JsonSchema)]
    struct Alert {
        /// What kind of weather.
        event: String,
        severity: u8,
    }

    #[pd_tool(summary = "List weather alerts", selective)]
    fn alerts(area: String) -> Json<Vec<Alert>> {
        Json(vec![Alert {
            event: area,
            severity: 1,
        }])
    }

    let registry: Registry<()> = crate::registry! { alerts };
    expect![[r#"
        alerts({
         area: string
         abstract_domains?: string // Columns to show, separated by commas: as few as you need to decide. The others are kept for a tool that takes `abstract_data`. Left out: all is shown. Columns: - event: What kind of weather. - severity
         mode?: "async"|"sync" = "async" // How the others are handed on: `async` by `resource_url`, `sync` in the result as `body`, for an agent that takes it out
        })"#]].assert_eq(&registry.signature("alerts").unwrap_or_default());
}
