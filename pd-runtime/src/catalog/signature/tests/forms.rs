//! The form of an argument, by its schema.

use super::called;
use expect_test::{Expect, expect};
use serde_json::{Value, json};

/// The form of one optional argument.
fn form(schema: Value) -> String {
    let text = called(
        json!({ "type": "object", "properties": { "a": schema } }),
        None,
    );
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
fn nullable_of_openapi_is_null() {
    forms(
        &[
            json!({ "type": "integer", "format": "int64", "nullable": true }),
            json!({ "type": "string", "enum": ["a"], "nullable": true }),
            json!({ "type": "array", "items": { "type": "string", "nullable": true } }),
            json!({ "type": "string", "nullable": false }),
            json!({ "nullable": true }),
        ],
        &expect![[r#"
            int(int64)|null
            "a"|null
            (string|null)[]
            string
            any
        "#]],
    );
    let root =
        json!({ "type": "object", "properties": { "a": { "type": "null" } }, "nullable": true });
    assert_eq!(called(root, None), "call({\n a?: null\n})");
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
    let object = |name: &str| json!({ "type": "object", "properties": { name: { "type": "string" } }, "required": [name] });
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
