//! Signatures as they look, form by form. That they say all that a schema says is tested over real catalogues, in the tests of
//! the wires.

use super::*;
use crate::{ErrorHelp, IntoOutput, Tool};
use expect_test::{Expect, expect};
use futures::FutureExt;
use serde_json::{Value, json};

fn tool(schema: Value) -> Tool<()> {
    Tool::new("call", "Call it", |(), _, _| async { ().into_output() }.boxed()).input_schema(schema)
}

fn written(tool: &Tool<()>) -> String {
    let mut out = String::new();
    Signature::new(&tool.about).write(&mut out, None);
    out
}

fn called(schema: Value, ticket: Option<&str>) -> String {
    let mut out = String::new();
    Signature::new(&tool(schema).about).write_call(&mut out, ticket);
    out
}

/// The form of one optional argument.
fn form(schema: Value) -> String {
    let text = called(json!({ "type": "object", "properties": { "a": schema } }), None);
    text.replace("call({\n a?: ", "").replacen("\n})", "", 1)
}

fn forms(cases: &[Value], expected: &Expect) {
    let lines = cases.iter().map(|case| form(case.clone()) + "\n");
    expected.assert_eq(&lines.collect::<String>());
}

#[test]
fn strings_and_numbers_with_their_limits() {
    forms(
        &[
            json!({ "type": "string" }),
            json!({ "type": "string", "minLength": 1, "maxLength": 200 }),
            json!({ "type": "string", "minLength": 0, "pattern": "^a/b\\/\\d$\n", "format": "date-time" }),
            json!({ "type": "string", "format": "odd, one" }),
            json!({ "type": "integer", "minimum": 1, "maximum": 500, "default": 20 }),
            json!({ "type": "integer", "minimum": 0, "multipleOf": 5 }),
            json!({ "type": "number", "exclusiveMinimum": -0.5, "maximum": 1 }),
            json!({ "type": ["string", "null"], "maxLength": 3, "default": null }),
            json!({ "type": ["integer", "number"], "exclusiveMaximum": 9 }),
            json!({ "minLength": 2 }),
            json!({ "type": "number", "minimum": 0, "exclusiveMinimum": true }),
        ],
        &expect![[r#"
            string
            string(1..200)
            string(date-time, /^a\/b\/\d$\n/)
            string(format "odd, one")
            int(1..500) = 20
            int(>=0, multiple of 5)
            number(<=1, >-0.5)
            string(<=3)|null = null
            int(<9)|number(<9)
            string(>=2)
            number(>=0) & schema({"exclusiveMinimum":true})
        "#]],
    );
}

#[test]
fn values_told_one_by_one() {
    forms(
        &[
            json!({ "type": "string", "enum": ["a", "b"], "default": "a" }),
            json!({ "enum": ["a", 1, null, true, [1], { "b": 2 }] }),
            json!({ "const": "it's \"so\"\n\u{2028}" }),
            json!({ "type": "string", "enum": ["a", 1] }),
            json!({ "enum": ["a", "bb"], "minLength": 2 }),
            json!({ "enum": [] }),
            json!({ "const": "a", "enum": ["a", "b"] }),
        ],
        &expect![[r#"
            "a"|"b" = "a"
            "a"|1|null|true|[1]|{"b":2}
            "it's \"so\"\n\u2028"
            string & ("a"|1)
            string(>=2) & ("a"|"bb")
            never
            "a"
        "#]],
    );
}

#[test]
fn lists_and_tuples() {
    forms(
        &[
            json!({ "type": "array" }),
            json!({ "type": "array", "items": { "type": "string", "maxLength": 9 }, "maxItems": 50 }),
            json!({ "type": "array", "items": { "enum": ["a", "b"] }, "minItems": 1, "uniqueItems": true }),
            json!({ "type": "array", "items": { "type": "array", "items": { "type": ["number", "null"] } } }),
            json!({ "type": "array", "prefixItems": [{ "type": "string" }, { "type": "integer" }], "minItems": 2, "maxItems": 2 }),
            json!({ "type": "array", "prefixItems": [{ "type": "string" }, true], "minItems": 1, "items": false }),
            json!({ "type": "array", "prefixItems": [{ "type": "string" }], "items": { "type": "null" }, "maxItems": 9, "uniqueItems": true }),
            json!({ "type": "array", "prefixItems": [{ "type": "string" }], "minItems": 3 }),
            json!({ "type": "array", "items": [{ "type": "string" }], "additionalItems": false }),
            json!({ "type": "array", "contains": { "const": 1 }, "minContains": 2 }),
        ],
        &expect![[r#"
            any[]
            string(<=9)[<=50]
            ("a"|"b")[>=1, unique]
            (number|null)[][]
            [string, int]
            [string, any?]
            [string?, ...null[]](<=9, unique)
            [string, ...any[]](>=3)
            any[] & schema({"items":[{"type":"string"}],"additionalItems":false})
            any[] & schema({"contains":{"const":1},"minContains":2})
        "#]],
    );
}

#[test]
fn objects_and_maps() {
    let sized = json!({ "type": "object", "additionalProperties": { "type": "integer" }, "minProperties": 1 });
    forms(
        &[
            json!({ "type": "object" }),
            json!({ "type": "object", "additionalProperties": false }),
            json!({ "type": "object", "additionalProperties": { "type": "string" }, "propertyNames": { "type": "string" } }),
            json!({ "type": "object", "patternProperties": { "^x/": { "type": "string" } }, "additionalProperties": false }),
            json!({ "type": "object", "properties": { "a-b": true, "9": false, "ok": {} }, "required": ["9"], "additionalProperties": true }),
            json!({ "type": "object", "required": ["id"] }),
            json!({ "type": "object", "propertyNames": { "pattern": "^a" } }),
            sized,
            json!({ "type": "object", "properties": { "a": { "type": "null" } }, "dependentRequired": { "a": ["b"] }, "unevaluatedProperties": false }),
        ],
        &expect![[r#"
            object
            {}
            {[key]: string}
            {[/^x\//]: string}
            {"a-b"?: any, "9": never, ok?: any, ...}
            {id: any}
            object & schema({"propertyNames":{"pattern":"^a"}})
            {[key]: int} & schema({"minProperties":1})
            {a?: null} & schema({"dependentRequired":{"a":["b"]}})
        "#]],
    );
}

#[test]
fn forms_put_together() {
    let object =
        |name: &str| json!({ "type": "object", "properties": { name: { "type": "string" } }, "required": [name] });
    let closed = |name: &str| json!({ "type": "object", "properties": { name: { "type": "string" } }, "required": [name], "additionalProperties": false });
    forms(
        &[
            json!({ "anyOf": [{ "type": "string", "format": "uuid" }, { "type": "null" }] }),
            json!({ "oneOf": [{ "type": "string" }, { "type": "number" }] }),
            json!({ "oneOf": [{ "type": "integer" }, { "type": "number", "multipleOf": 0.5 }] }),
            json!({ "oneOf": [object("a"), object("b")] }),
            json!({ "oneOf": [closed("a"), closed("b")] }),
            json!({ "oneOf": [
                { "type": "object", "properties": { "kind": { "const": "a" }, "size": { "type": "number" } }, "required": ["kind"] },
                { "type": "object", "properties": { "kind": { "const": "b" } }, "required": ["kind"] },
            ] }),
            json!({ "allOf": [object("a"), closed("b")] }),
            json!({ "type": "object", "anyOf": [object("a"), { "oneOf": [closed("b"), object("c")] }], "required": ["d"] }),
            json!({ "type": "string", "allOf": [{ "minLength": 1 }, { "pattern": "a" }] }),
            json!({ "type": "string", "not": { "const": "a" } }),
            json!({ "type": "array", "items": { "anyOf": [{ "type": "string" }, { "allOf": [object("a"), object("b")] }] } }),
            json!({ "type": "object", "if": { "required": ["a"] }, "then": { "required": ["b"] } }),
            json!({ "type": "string", "allOf": [{ "type": "string" }, true], "x-mcp-header": "Region", "contentEncoding": "base64" }),
        ],
        &expect![[r#"
            string(uuid)|null
            string|number
            oneOf(int|number(multiple of 0.5))
            oneOf({a: string}|{b: string})
            {a: string}|{b: string}
            {kind: "a", size?: number}|{kind: "b"}
            {a: string} & exact {b: string}
            {d: any} & ({a: string}|exact {b: string}|{c: string})
            string(>=1) & string(/a/)
            string & schema({"not":{"const":"a"}})
            (string|{a: string} & {b: string})[]
            object & schema({"if":{"required":["a"]},"then":{"required":["b"]}})
            string & schema({"contentEncoding":"base64"})
        "#]],
    );
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
    expect![[r#"call({disclosure_ticket: "123456789012345678"})"#]]
        .assert_eq(&called(json!({ "type": "object" }), Some("123456789012345678")));
    let either = json!({ "type": "object", "properties": { "a": {}, "b": {} }, "anyOf": [{ "required": ["a"] }, { "required": ["b"] }], "additionalProperties": false });
    expect![[r#"
        call(exact {
         a?: any
         b?: any
         disclosure_ticket: "1"
        } & ({a: any}|{b: any}))"#]]
    .assert_eq(&called(either, Some("1")));
    let longest = Signature::new(&tool(plain).about);
    let mut out = String::new();
    longest.write(&mut out, Some("123456789012345678"));
    assert!(out.len() <= longest.len(), "{} > {}", out.len(), longest.len());
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
    let tool = tool(schema).description("First\nline.\n\nSecond paragraph.").note("A note\nin two lines.");
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
        .error(ErrorHelp { code: "GONE".into(), cause: "".into(), solution: "".into() });
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
fn what_is_too_deep_to_be_read_is_shown_as_it_is() {
    let last = json!({ "type": "integer", "maximum": 7 });
    for deep in [40, 60, 20_000] {
        let link = |index: usize| (format!("D{index}"), json!({ "$ref": format!("#/$defs/D{}", index + 1) }));
        let mut definitions: serde_json::Map<_, _> = (0..deep).map(link).collect();
        definitions.insert(format!("D{deep}"), last.clone());
        let schema = json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/D0" } }, "$defs": definitions });
        let text = called(schema, None);
        assert!(text.contains("int(<=7)") || text.contains(&last.to_string()), "{deep}: {}", text.len());
    }
}

#[test]
fn schemas_of_many_branches_are_read_to_a_limit() {
    let to = |next: &str| json!({ "anyOf": vec![json!({ "$ref": format!("#/$defs/{next}") }); 400] });
    let output = json!({ "type": "object", "properties": { "a": to("A") }, "$defs": {
        "A": to("B"), "B": to("C"), "C": { "type": "integer" },
    }});
    let kind = |index: usize| {
        json!({ "type": "object", "required": ["kind"], "properties": {
            "kind": { "const": index, "description": "what it is ".repeat(400) },
        }})
    };
    let input = json!({ "type": "object", "properties": { "a": { "oneOf": (0..400).map(kind).collect::<Value>() } } });
    let begun = std::time::Instant::now();
    let text = written(&tool(input).output_schema(output));
    assert!(begun.elapsed().as_secs() < 2, "{:?}", begun.elapsed());
    assert!(text.contains("kind: 399") && !text.contains("oneOf("), "values tell the branches apart");
    assert!(text.ends_with("): {a?: int|any}"), "{:?}", text.get(text.len() - 40..));
}

#[test]
fn what_is_long_is_told_in_less_detail() {
    let field =
        json!({ "type": "object", "properties": { "name": { "type": "string" }, "value": { "type": "number" } } });
    let fields =
        |count: usize| (0..count).map(|n| (format!("field_{n}"), field.clone())).collect::<rmcp::model::JsonObject>();
    let results = |count| {
        let tool =
            tool(json!({ "type": "object" })).output_schema(json!({ "type": "object", "properties": fields(count) }));
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
    assert!(written(&wordy).starts_with(&format!("//{} […]\n", " word".repeat(80))), "{}", written(&wordy));
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
        Json(vec![Alert { event: area, severity: 1 }])
    }

    let registry: Registry<()> = crate::registry! { alerts };
    expect![[r#"
        alerts({
         area: string
         abstract_domains?: string // Columns to show, separated by commas: as few as you need to decide. The others are kept for a tool that takes `abstract_data`. Left out: all is shown. Columns: - event: What kind of weather. - severity
         mode?: "async"|"sync" = "async" // How the others are handed on: `async` by `resource_url`, `sync` in the result as `body`, for an agent that takes it out
        })"#]].assert_eq(&registry.signature("alerts").unwrap_or_default());
}
