//! Two schemas a line, the text of their difference, and the callers that it breaks.

use serde_json::{Value, json};

/// The callers that a difference breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Breaks {
    Nobody,
    Senders,
    Receivers,
    Everybody,
}
use Breaks::{Everybody, Nobody, Receivers, Senders};

pub(super) type Case = (Value, Value, &'static str, Breaks);

/// Differences at the root, in the words after "arguments: ".
pub(super) fn cases() -> Vec<Case> {
    let mut cases = plain();
    cases.extend(sizes());
    cases.extend(objects());
    cases.extend(choices());
    cases
}

fn plain() -> Vec<Case> {
    vec![
        (
            json!({"const": 1, "enum": ["a"]}),
            json!({"const": 1}),
            "nothing → integer",
            Receivers,
        ),
        (
            json!({"type": "integer"}),
            json!({"type": "number"}),
            "integer → number",
            Receivers,
        ),
        (
            json!({"type": "number"}),
            json!({"type": "integer"}),
            "number → integer",
            Senders,
        ),
        (
            json!({"type": "string"}),
            json!({"type": "integer"}),
            "string → integer",
            Everybody,
        ),
        (
            json!({"type": "string"}),
            json!({"type": ["string", "null"]}),
            "string → null or string",
            Receivers,
        ),
        (
            json!({}),
            json!({"type": "string"}),
            "any type → string",
            Senders,
        ),
        (json!(true), json!(false), "impossible now", Senders),
        (
            json!({"not": {}}),
            json!({"type": "string"}),
            "possible now",
            Receivers,
        ),
        (
            json!({"enum": ["a", "b"]}),
            json!({"enum": ["a"]}),
            "value \"b\" removed",
            Senders,
        ),
        (
            json!({"enum": ["a"]}),
            json!({"enum": ["a", "b"]}),
            "value \"b\" added",
            Receivers,
        ),
        (
            json!({"type": "string"}),
            json!({"enum": ["a"]}),
            "now one of \"a\"",
            Senders,
        ),
        (
            json!({"const": "a"}),
            json!({"type": "string"}),
            "no longer one of \"a\"",
            Receivers,
        ),
        (
            json!({"const": "a"}),
            json!({"enum": ["a"]}),
            "written differently, with the same meaning",
            Nobody,
        ),
        (
            json!({"oneOf": [{"const": "a", "description": "A."}, {"enum": ["b"]}]}),
            json!({"enum": ["a", "b", "c"], "type": "string"}),
            "value \"c\" added",
            Receivers,
        ),
        (
            json!({"oneOf": [{"const": "a", "description": "A."}]}),
            json!({"oneOf": [{"const": "a", "description": "B."}]}),
            "described differently",
            Nobody,
        ),
        (
            json!({"type": "string"}),
            json!({"type": "string", "pattern": "^a"}),
            "now matching \"^a\"",
            Senders,
        ),
        (
            json!({"pattern": "^a"}),
            json!({}),
            "no longer matching \"^a\"",
            Receivers,
        ),
        (
            json!({"pattern": "^a"}),
            json!({"pattern": "^b"}),
            "matching \"^a\" → matching \"^b\"",
            Everybody,
        ),
        (
            json!({}),
            json!({"format": "date"}),
            "now of the format \"date\"",
            Senders,
        ),
        (
            json!({"uniqueItems": true}),
            json!({"uniqueItems": false}),
            "no longer without duplicates",
            Receivers,
        ),
        (
            json!({"not": {"type": "null"}}),
            json!({}),
            "no longer `not` {\"type\":\"null\"}",
            Everybody,
        ),
        (
            json!({"description": "One."}),
            json!({"description": "Two."}),
            "description \"One.\" → \"Two.\"",
            Nobody,
        ),
        (json!({}), json!({"title": "One"}), "title added", Nobody),
        (
            json!({}),
            json!({"x-mcp-header": "Region"}),
            "now `x-mcp-header` \"Region\"",
            Everybody,
        ),
        (json!({}), json!({"x-order": 1}), "x-order added", Nobody),
    ]
}

fn sizes() -> Vec<Case> {
    vec![
        (json!({}), json!({"minimum": 1}), "now at least 1", Senders),
        (
            json!({"minimum": 1}),
            json!({"minimum": 2}),
            "at least 1 → at least 2",
            Senders,
        ),
        (
            json!({"minimum": 1}),
            json!({"minimum": 0.5}),
            "at least 1 → at least 0.5",
            Receivers,
        ),
        (
            json!({"minimum": 1}),
            json!({"exclusiveMinimum": 1}),
            "at least 1 → above 1",
            Senders,
        ),
        (
            json!({"exclusiveMinimum": 1}),
            json!({"minimum": 1}),
            "above 1 → at least 1",
            Receivers,
        ),
        (
            json!({"maximum": 9}),
            json!({"maximum": 8}),
            "at most 9 → at most 8",
            Senders,
        ),
        (
            json!({"maximum": 9}),
            json!({"maximum": 10}),
            "at most 9 → at most 10",
            Receivers,
        ),
        (
            json!({"maximum": 9}),
            json!({"exclusiveMaximum": 9}),
            "at most 9 → below 9",
            Senders,
        ),
        (
            json!({"maximum": 9}),
            json!({}),
            "no longer at most 9",
            Receivers,
        ),
        (
            json!({"type": "integer", "exclusiveMinimum": 0}),
            json!({"type": "integer", "minimum": 1}),
            "written differently, with the same meaning",
            Nobody,
        ),
        (
            json!({"minimum": 0, "exclusiveMinimum": 3}),
            json!({"minimum": 4, "exclusiveMinimum": 3}),
            "above 3 → at least 4",
            Senders,
        ),
        (
            json!({"maximum": u64::MAX}),
            json!({"maximum": u64::MAX - 1}),
            "at most 18446744073709551615 → at most 18446744073709551614",
            Senders,
        ),
        (
            json!({"multipleOf": 2}),
            json!({"multipleOf": 4}),
            "a multiple of 2 → a multiple of 4",
            Senders,
        ),
        (
            json!({"multipleOf": 4}),
            json!({"multipleOf": 2}),
            "a multiple of 4 → a multiple of 2",
            Receivers,
        ),
        (
            json!({"multipleOf": 4}),
            json!({"multipleOf": 6}),
            "a multiple of 4 → a multiple of 6",
            Everybody,
        ),
        (
            json!({}),
            json!({"multipleOf": 2}),
            "now a multiple of 2",
            Senders,
        ),
        (
            json!({}),
            json!({"minLength": 2}),
            "now at least 2 characters",
            Senders,
        ),
        (
            json!({}),
            json!({"minLength": 0}),
            "written differently, with the same meaning",
            Nobody,
        ),
        (
            json!({"maxLength": 2}),
            json!({"maxLength": 3}),
            "at most 2 characters → at most 3 characters",
            Receivers,
        ),
        (
            json!({"minItems": 1}),
            json!({"minItems": 2}),
            "at least 1 item → at least 2 items",
            Senders,
        ),
        (
            json!({"maxItems": 3}),
            json!({"maxItems": 2}),
            "at most 3 items → at most 2 items",
            Senders,
        ),
        (
            json!({"minProperties": 1}),
            json!({}),
            "no longer at least 1 property",
            Receivers,
        ),
    ]
}

fn objects() -> Vec<Case> {
    let closed = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    let open = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required});
    let text = || json!({"type": "string"});
    vec![
        (
            closed(json!({"a": text()}), json!([])),
            closed(json!({"a": text()}), json!(["a"])),
            "`a`: required now",
            Senders,
        ),
        (
            closed(json!({"a": text()}), json!(["a"])),
            closed(json!({"a": text()}), json!([])),
            "`a`: optional now",
            Receivers,
        ),
        (
            closed(json!({"a": text()}), json!([])),
            closed(json!({}), json!([])),
            "`a`: removed",
            Everybody,
        ),
        (
            open(json!({"a": text()}), json!(["a"])),
            open(json!({}), json!([])),
            "`a`: removed",
            Everybody,
        ),
        (
            closed(json!({}), json!([])),
            closed(json!({"a": text()}), json!([])),
            "`a`: new and optional",
            Receivers,
        ),
        (
            closed(json!({}), json!([])),
            closed(json!({"a": text()}), json!(["a"])),
            "`a`: new and required",
            Everybody,
        ),
        (
            open(json!({}), json!([])),
            open(json!({"a": text()}), json!([])),
            "`a`: new and optional",
            Nobody,
        ),
        (
            open(json!({}), json!([])),
            open(json!({"a": text()}), json!(["a"])),
            "`a`: new and required",
            Senders,
        ),
        (
            open(json!({}), json!([])),
            closed(json!({}), json!([])),
            "no other properties any more",
            Senders,
        ),
        (
            closed(json!({}), json!([])),
            open(json!({}), json!([])),
            "other properties too",
            Receivers,
        ),
        (
            json!({"type": "object", "additionalProperties": {"type": "integer"}}),
            json!({"type": "object", "additionalProperties": {"type": "number"}}),
            "`*`: integer → number",
            Receivers,
        ),
        (
            json!({"type": "object", "additionalProperties": {"type": "integer"}}),
            json!({"type": "object", "additionalProperties": {"type": "integer"}, "properties": {"a": {"type": "string"}}}),
            "`a`: new and optional; `a`: integer → string",
            Everybody,
        ),
        (
            json!({"patternProperties": {"^a": {"type": "integer"}}}),
            json!({"patternProperties": {"^a": {"type": "integer"}}, "properties": {"ab": {"type": "integer"}}}),
            "`ab`: new and optional",
            Everybody,
        ),
        (
            open(
                json!({"a": open(json!({"b": {"type": "array", "items": text()}}), json!([]))}),
                json!([]),
            ),
            open(
                json!({"a": open(json!({"b": {"type": "array", "items": {"type": "string", "maxLength": 1}}}), json!([]))}),
                json!([]),
            ),
            "`a.b[]`: now at most 1 character",
            Senders,
        ),
        (
            json!({"type": "array"}),
            json!({"type": "array", "items": text()}),
            "`[]`: any type → string",
            Senders,
        ),
        (
            json!({"type": "array", "prefixItems": [text()]}),
            json!({"type": "array", "prefixItems": [{"type": "null"}]}),
            "`[0]`: string → null",
            Everybody,
        ),
        (
            json!({"type": "array", "prefixItems": [text()]}),
            json!({"type": "array", "prefixItems": [text(), text()]}),
            "other items in front",
            Everybody,
        ),
        (
            open(json!({"a": text(), "b": text()}), json!(["a", "b"])),
            open(json!({"a": text(), "b": text()}), json!(["b", "a"])),
            "written differently, with the same meaning",
            Nobody,
        ),
    ]
}

fn choices() -> Vec<Case> {
    let tagged = |tag: &str, extra: Value| json!({"type": "object", "properties": {"kind": {"const": tag}, "n": extra}, "required": ["kind"]});
    let number = json!({"type": "number"});
    let text = json!({"type": "string"});
    vec![
        (
            json!({"anyOf": [text, number]}),
            json!({"anyOf": [number, text]}),
            "written differently, with the same meaning",
            Nobody,
        ),
        (
            json!({"anyOf": [text, number]}),
            json!({"anyOf": [text]}),
            "form {\"type\":\"number\"} removed",
            Senders,
        ),
        (
            json!({"anyOf": [text]}),
            json!({"anyOf": [text, {"type": "null"}]}),
            "form {\"type\":\"null\"} added",
            Receivers,
        ),
        (
            json!({"anyOf": [text, number]}),
            json!({"anyOf": [text, {"type": "integer"}]}),
            "number → integer",
            Senders,
        ),
        (
            json!({"type": "string"}),
            json!({"anyOf": [text, {"type": "null"}]}),
            "form {\"type\":\"null\"} added",
            Receivers,
        ),
        (
            json!({"anyOf": [text, {"type": "null"}]}),
            text.clone(),
            "form {\"type\":\"null\"} removed",
            Senders,
        ),
        (
            json!({"anyOf": [{"const": "a"}, {"const": "b", "minLength": 1}]}),
            json!({"anyOf": [{"const": "a"}, {"const": "b", "minLength": 2}]}),
            "at least 1 character → at least 2 characters",
            Senders,
        ),
        (
            json!({"anyOf": [text]}),
            json!({}),
            "string → any type; no longer `anyOf` of 1 form",
            Receivers,
        ),
        (
            json!({"anyOf": [text, number, {"type": "null"}]}),
            json!({"anyOf": [text, {"type": "boolean"}]}),
            "3 forms → 2 forms",
            Everybody,
        ),
        (
            json!({"oneOf": [tagged("a", number.clone())]}),
            json!({"oneOf": [tagged("a", number.clone()), tagged("b", number.clone())]}),
            "form {\"type\":\"object\",\"properties\":{\"kind\":{\"const\":\"b\"},\"n\":{\"type\":\"number\"… added",
            Receivers,
        ),
        (
            json!({"oneOf": [tagged("a", number.clone()), tagged("b", number.clone())]}),
            json!({"oneOf": [tagged("a", number.clone()), tagged("b", text.clone())]}),
            "`n`: number → string",
            Everybody,
        ),
        (
            json!({"oneOf": [{"type": "integer"}, text]}),
            json!({"oneOf": [{"type": "integer"}, number]}),
            "integer or string → number; `oneOf` of 2 forms → 2 forms",
            Everybody,
        ),
        (
            json!({"oneOf": [{"type": "object", "required": ["a"]}]}),
            json!({"oneOf": [{"type": "object", "required": ["a"]}, {"type": "object", "required": ["b"]}]}),
            "`oneOf` of 1 form → 2 forms",
            Everybody,
        ),
        (
            json!({"allOf": [{"minimum": 1}]}),
            json!({"allOf": [{"minimum": 1}, {"maximum": 2}]}),
            "form {\"maximum\":2} added",
            Senders,
        ),
        (
            json!({"allOf": [{"minimum": 1}]}),
            json!({"allOf": [{"minimum": 0}]}),
            "at least 1 → at least 0",
            Receivers,
        ),
        (
            json!({"oneOf": [{"const": "a"}, {"const": "b"}]}),
            json!({"oneOf": [{"const": "a"}, {"type": "integer"}]}),
            "string → integer",
            Everybody,
        ),
    ]
}
