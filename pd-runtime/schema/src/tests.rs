//! The validator against the official JSON-Schema-Test-Suite, and against another validator.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod limits;
mod open_formats;
mod oracle;

use super::*;
use expect_test::expect;
use serde_json::json;

/// Runs a draft of the suite. `failing` lists the groups with a test that fails.
#[cfg(feature = "regex")]
fn check_suite(draft: &str, uri: &str, failing: &expect_test::Expect) {
    let path = format!(
        "{}/../../tests/data/json-schema-test-suite/{draft}.json",
        env!("CARGO_MANIFEST_DIR")
    );
    let files: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let mut count = 0;
    let mut failures = Vec::new();
    for file in files.as_array().unwrap() {
        for group in file["groups"].as_array().unwrap() {
            let mut schema = group["schema"].clone();
            if let Value::Object(object) = &mut schema {
                object.entry("$schema").or_insert(json!(uri));
            }
            let compiled = CompiledSchema::new(&schema);
            let passes = |test: &Value| match &compiled {
                Ok(compiled) => is_as_expected(compiled, test),
                Err(_) => false,
            };
            let tests = group["tests"].as_array().unwrap();
            let failed = tests.iter().filter(|test| !passes(test)).count();
            count += tests.len() - failed;
            if failed > 0 {
                let (file, group) = (
                    file["file"].as_str().unwrap(),
                    group["description"].as_str().unwrap(),
                );
                failures.push(format!("{file}: {group}: {failed} of {}\n", tests.len()));
            }
        }
    }
    failing.assert_eq(&format!("{count} pass\n{}", failures.concat()));
}

/// Returns whether the validator decides as a test of the suite expects, and explains a refusal.
#[cfg(feature = "regex")]
fn is_as_expected(compiled: &CompiledSchema, test: &Value) -> bool {
    let validated = compiled.validate(&test["data"], &[]);
    assert!(
        validated
            .as_ref()
            .err()
            .is_none_or(|violations| violations.total > 0 && !violations.first.is_empty())
    );
    validated.is_ok() == test["valid"].as_bool().unwrap()
}

/// What fails: references to other documents, which nothing fetches; a metaschema of one's own; the
/// tables of internationalized names; and `format` as an annotation, because formats are checked.
#[cfg(feature = "regex")]
#[test]
fn the_suite_of_2020_12() {
    check_suite(
        "draft2020-12",
        "https://json-schema.org/draft/2020-12/schema",
        &expect![[r#"
        1816 pass
        defs.json: validate definition against metaschema: 2 of 2
        dynamicRef.json: strict-tree schema, guards against misspelled properties: 2 of 2
        dynamicRef.json: tests for implementation dynamic anchor and reference link: 3 of 3
        dynamicRef.json: $ref and $dynamicAnchor are independent of order - $defs first: 3 of 3
        dynamicRef.json: $ref and $dynamicAnchor are independent of order - $ref first: 3 of 3
        dynamicRef.json: $ref to $dynamicRef finds detached $dynamicAnchor: 2 of 2
        format.json: email format: 1 of 7
        format.json: idn-email format: 1 of 7
        format.json: regex format: 1 of 7
        format.json: ipv4 format: 1 of 7
        format.json: ipv6 format: 1 of 7
        format.json: idn-hostname format: 1 of 7
        format.json: hostname format: 1 of 7
        format.json: date format: 1 of 7
        format.json: date-time format: 1 of 7
        format.json: time format: 1 of 7
        format.json: json-pointer format: 1 of 7
        format.json: relative-json-pointer format: 1 of 7
        format.json: iri format: 1 of 7
        format.json: iri-reference format: 1 of 7
        format.json: uri format: 1 of 7
        format.json: uri-reference format: 1 of 7
        format.json: uri-template format: 1 of 7
        format.json: uuid format: 1 of 7
        format.json: duration format: 1 of 7
        optional/cross-draft.json: refs to historic drafts are processed as historic drafts: 1 of 1
        optional/format/idn-hostname.json: validation of internationalized host names: 21 of 57
        ref.json: remote ref, containing refs itself: 2 of 2
        refRemote.json: remote ref: 2 of 2
        refRemote.json: fragment within remote ref: 2 of 2
        refRemote.json: anchor within remote ref: 2 of 2
        refRemote.json: ref within remote ref: 2 of 2
        refRemote.json: base URI change: 2 of 2
        refRemote.json: base URI change - change folder: 2 of 2
        refRemote.json: base URI change - change folder in subschema: 2 of 2
        refRemote.json: root ref in remote ref: 3 of 3
        refRemote.json: remote ref with ref to defs: 2 of 2
        refRemote.json: Location-independent identifier in remote ref: 2 of 2
        refRemote.json: retrieved nested refs resolve relative to their URI not $id: 2 of 2
        refRemote.json: remote HTTP ref with different $id: 2 of 2
        refRemote.json: remote HTTP ref with different URN $id: 2 of 2
        refRemote.json: remote HTTP ref with nested absolute ref: 2 of 2
        refRemote.json: $ref to $ref finds detached $anchor: 2 of 2
        vocabulary.json: schema that uses custom metaschema with with no validation vocabulary: 1 of 3
    "#]],
    );
}

#[cfg(feature = "regex")]
#[test]
fn the_suite_of_2019_09() {
    check_suite(
        "draft2019-09",
        "https://json-schema.org/draft/2019-09/schema",
        &expect![[r#"
        1804 pass
        defs.json: validate definition against metaschema: 2 of 2
        optional/cross-draft.json: refs to future drafts are processed as future drafts: 2 of 2
        optional/cross-draft.json: refs to historic drafts are processed as historic drafts: 1 of 1
        optional/format/idn-hostname.json: validation of internationalized host names: 21 of 57
        ref.json: remote ref, containing refs itself: 2 of 2
        refRemote.json: remote ref: 2 of 2
        refRemote.json: fragment within remote ref: 2 of 2
        refRemote.json: anchor within remote ref: 2 of 2
        refRemote.json: ref within remote ref: 2 of 2
        refRemote.json: base URI change: 2 of 2
        refRemote.json: base URI change - change folder: 2 of 2
        refRemote.json: base URI change - change folder in subschema: 2 of 2
        refRemote.json: root ref in remote ref: 3 of 3
        refRemote.json: remote ref with ref to defs: 2 of 2
        refRemote.json: Location-independent identifier in remote ref: 2 of 2
        refRemote.json: retrieved nested refs resolve relative to their URI not $id: 2 of 2
        refRemote.json: remote HTTP ref with different $id: 2 of 2
        refRemote.json: remote HTTP ref with different URN $id: 2 of 2
        refRemote.json: remote HTTP ref with nested absolute ref: 2 of 2
        refRemote.json: $ref to $ref finds detached $anchor: 2 of 2
        vocabulary.json: schema that uses custom metaschema with with no validation vocabulary: 1 of 3
    "#]],
    );
}

#[cfg(feature = "regex")]
#[test]
fn the_suite_of_draft_7() {
    check_suite(
        "draft7",
        "http://json-schema.org/draft-07/schema#",
        &expect![[r#"
        1411 pass
        definitions.json: validate definition against metaschema: 2 of 2
        optional/content.json: validation of string-encoded content based on media type: 1 of 3
        optional/content.json: validation of binary string-encoding: 1 of 3
        optional/content.json: validation of binary-encoded media type documents: 2 of 4
        optional/cross-draft.json: refs to future drafts are processed as future drafts: 2 of 2
        optional/format/idn-hostname.json: validation of internationalized host names: 21 of 56
        ref.json: remote ref, containing refs itself: 2 of 2
        refRemote.json: remote ref: 2 of 2
        refRemote.json: fragment within remote ref: 2 of 2
        refRemote.json: ref within remote ref: 2 of 2
        refRemote.json: base URI change: 2 of 2
        refRemote.json: base URI change - change folder: 2 of 2
        refRemote.json: base URI change - change folder in subschema: 2 of 2
        refRemote.json: root ref in remote ref: 3 of 3
        refRemote.json: remote ref with ref to definitions: 2 of 2
        refRemote.json: Location-independent identifier in remote ref: 2 of 2
        refRemote.json: retrieved nested refs resolve relative to their URI not $id: 2 of 2
        refRemote.json: $ref to $ref finds location-independent $id: 2 of 2
    "#]],
    );
}

/// Renders all violations of a value.
fn violations(schema: &Value, value: &Value) -> String {
    CompiledSchema::new(schema)
        .unwrap()
        .validate(value, &[])
        .unwrap_err()
        .render()
}

#[test]
fn every_keyword_has_its_words() {
    for (schema, value, expected) in [
        (
            json!({ "type": "integer" }),
            json!("x"),
            r#""x" is not of type integer"#,
        ),
        (
            json!({ "type": ["integer", "null"] }),
            json!([]),
            "is not of type null or integer",
        ),
        (json!({ "const": 1 }), json!(2), "2 is not 1"),
        (
            json!({ "enum": ["a", "b"] }),
            json!("c"),
            r#"is none of "a", "b""#,
        ),
        (
            json!({ "minimum": 2 }),
            json!(1),
            "1 is less than the minimum of 2",
        ),
        (
            json!({ "maximum": 2 }),
            json!(2.5),
            "2.5 is greater than the maximum of 2",
        ),
        (
            json!({ "exclusiveMinimum": 2 }),
            json!(2),
            "2 is not greater than 2",
        ),
        (
            json!({ "exclusiveMaximum": 2 }),
            json!(2),
            "2 is not less than 2",
        ),
        (
            json!({ "multipleOf": 0.1 }),
            json!(0.25),
            "0.25 is not a multiple of 0.1",
        ),
        (
            json!({ "minLength": 2 }),
            json!("é"),
            r#""é" is shorter than 2 characters"#,
        ),
        (
            json!({ "maxLength": 1 }),
            json!("ab"),
            r#""ab" is longer than 1 character"#,
        ),
        (
            json!({ "pattern": "^a" }),
            json!("b"),
            r#""b" does not match the pattern `^a`"#,
        ),
        (
            json!({ "format": "date" }),
            json!("b"),
            r#""b" is not a valid date"#,
        ),
        (json!({ "minItems": 1 }), json!([]), "has less than 1 item"),
        (
            json!({ "maxItems": 1 }),
            json!([1, 2]),
            "has more than 1 item",
        ),
        (
            json!({ "uniqueItems": true }),
            json!([1, 1.0]),
            "has equal items, which must be unique",
        ),
        (
            json!({ "contains": { "const": 1 } }),
            json!([2]),
            "must contain at least 1 item of the required form",
        ),
        (
            json!({ "minProperties": 1 }),
            json!({}),
            "has less than 1 property",
        ),
        (
            json!({ "propertyNames": { "maxLength": 1 } }),
            json!({ "ab": 1 }),
            "1 has a name that is not allowed here",
        ),
        (
            json!({ "not": { "const": 1 } }),
            json!(1),
            "1 has a form that is not allowed here",
        ),
        (
            json!({ "oneOf": [{}, {}] }),
            json!(1),
            "1 fits more than one of 2 forms, and must fit exactly one",
        ),
        (json!(false), json!(1), "1 is not allowed here"),
        (
            json!({ "maxLength": 1 }),
            json!("x".repeat(100)),
            &format!(r#""{}"… is longer than 1 character"#, "x".repeat(60)),
        ),
    ] {
        let rendered = violations(&schema, &value);
        assert_eq!(rendered.split_once("` ").unwrap().1, expected, "{schema}");
    }
}

#[test]
fn all_violations_have_their_place() {
    let schema = json!({
        "properties": {
            "a/b": { "items": { "type": "integer" } },
            "tree": { "$ref": "#/$defs/tree" },
        },
        "required": ["id"],
        "dependentRequired": { "tree": ["root"] },
        "additionalProperties": false,
        "$defs": { "tree": { "properties": { "inner": { "$ref": "#/$defs/tree" }, "n": { "type": "null" } } } },
    });
    let value = json!({ "a/b": [1, "x", {}], "tree": { "inner": { "n": 1 }, "n": 2 }, "other": 1 });
    expect![[r#"
        `/a~1b/1` "x" is not of type integer
        `/a~1b/2` is not of type integer
        `/tree/inner/n` 1 is not of type null
        `/tree/n` 2 is not of type null
        `/other` is not an argument of this tool, which takes none
        `/id` is required
        `/root` is required beside `tree`"#]]
    .assert_eq(&violations(&schema, &value).replace("; ", "\n"));
}

#[test]
fn a_schema_that_is_not_valid_is_refused_with_its_place() {
    for (schema, expected) in [
        (json!({ "type": "strng" }), "`strng` is not a type"),
        (
            json!({ "properties": { "a": { "type": 1 } } }),
            "`type` must be an array of strings, not 1, at `/properties/a`",
        ),
        (
            json!({ "items": [7] }),
            "a schema is an object or a boolean, not 7, at `/items/0`",
        ),
        (
            json!({ "minLength": -1 }),
            "`minLength` must be an integer of at least 0, not -1",
        ),
        (
            json!({ "multipleOf": 0 }),
            "`multipleOf` must be a number greater than 0, not 0",
        ),
        (
            json!({ "required": "a" }),
            r#"`required` must be an array of strings, not "a""#,
        ),
        (json!({ "enum": 1 }), "`enum` must be an array, not 1"),
        (json!({ "pattern": "(" }), "the pattern `(` is not valid"),
        (
            json!({ "$ref": "#/$defs/x" }),
            "`$ref` to `#/$defs/x`, which is not in this schema",
        ),
        (
            json!({ "$ref": "https://example.org/x" }),
            "which is not in this schema; copy the target to `$defs`",
        ),
    ] {
        let error = CompiledSchema::new(&schema).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}

#[cfg(not(feature = "regex"))]
#[test]
fn a_pattern_that_needs_the_feature_names_it() {
    let error = CompiledSchema::new(&json!({ "pattern": "^(?=a)" })).unwrap_err();
    assert!(
        error.contains("enable the feature `regex` of pd-runtime"),
        "{error}"
    );
}
