//! The validator and `jsonschema` accept the same values, by random schemas and values.

use super::*;
use proptest::prelude::*;

/// Generates values of few kinds, so that schemas and values often meet.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        (-3_i64..4).prop_map(Value::from),
        prop::sample::select(vec![0.0, 0.5, 1.0, -1.5, 1e300]).prop_map(Value::from),
        prop::sample::select(vec![
            "",
            "a",
            "ab",
            "abc",
            "é",
            "2024-02-30",
            "2024-02-29",
            "a@b.c"
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((prop::sample::select(vec!["a", "b", "c"]), inner), 0..4)
                .prop_map(|members| {
                    Value::Object(
                        members
                            .into_iter()
                            .map(|(name, value)| (name.to_owned(), value))
                            .collect(),
                    )
                }),
        ]
    })
}

/// Generates a schema of one to three keywords, whose subschemas may refer to a definition or to
/// the whole.
fn schema() -> impl Strategy<Value = Value> {
    let types = prop::sample::select(vec![
        "null", "boolean", "integer", "number", "string", "array", "object",
    ]);
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        types.prop_map(|kind| json!({ "type": kind })),
        value().prop_map(|value| json!({ "const": value })),
        prop::collection::vec(value(), 1..3).prop_map(|values| json!({ "enum": values })),
        (-2_i64..3).prop_map(|limit| json!({ "minimum": limit, "exclusiveMaximum": 2 })),
        prop::sample::select(vec![0.5, 1.0, 2.0]).prop_map(|of| json!({ "multipleOf": of })),
        (0_u64..3)
            .prop_map(|size| json!({ "minLength": size, "maxItems": size, "minProperties": size })),
        prop::sample::select(vec!["^a", "b$", "^.{2}$", r"\d"])
            .prop_map(|pattern| json!({ "pattern": pattern })),
        prop::sample::select(vec!["date", "email"]).prop_map(|format| json!({ "format": format })),
        Just(json!({ "uniqueItems": true })),
        Just(json!({ "required": ["a"] })),
        Just(json!({ "dependentRequired": { "a": ["b"] } })),
        Just(json!({ "$ref": "#/$defs/shared" })),
    ];
    leaf.prop_recursive(3, 32, 4, |inner| {
        let list = || prop::collection::vec(inner.clone(), 1..4);
        let one = || inner.clone();
        prop_oneof![
            list().prop_map(|all| json!({ "allOf": all })),
            list().prop_map(|any| json!({ "anyOf": any })),
            list().prop_map(|one| json!({ "oneOf": one })),
            one().prop_map(|not| json!({ "not": not })),
            (one(), one(), one())
                .prop_map(|(test, then, other)| json!({ "if": test, "then": then, "else": other })),
            (one(), one()).prop_map(
                |(a, rest)| json!({ "properties": { "a": a }, "additionalProperties": rest })
            ),
            (one(), one()).prop_map(
                |(a, rest)| json!({ "properties": { "a": a }, "unevaluatedProperties": rest })
            ),
            (list(), one())
                .prop_map(|(any, rest)| json!({ "anyOf": any, "unevaluatedProperties": rest })),
            (list(), one())
                .prop_map(|(any, rest)| json!({ "anyOf": any, "unevaluatedItems": rest })),
            (one(), one()).prop_map(
                |(b, c)| json!({ "patternProperties": { "b|a": b }, "additionalProperties": c })
            ),
            one().prop_map(|names| json!({ "propertyNames": names })),
            (one(), one())
                .prop_map(|(first, rest)| json!({ "prefixItems": [first], "items": rest })),
            (one(), 0_u64..3).prop_map(
                |(item, least)| json!({ "contains": item, "minContains": least, "maxContains": 2 })
            ),
            one().prop_map(|b| json!({ "dependentSchemas": { "b": b } })),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn both_accept_the_same_values(root in schema(), shared in schema(), values in prop::collection::vec(value(), 1..8)) {
        let mut root = json!({ "allOf": [root], "$defs": { "shared": shared } });
        root["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
        let compiled = CompiledSchema::new(&root);
        // A definition that refers to itself on the same value constrains nothing.
        prop_assume!(compiled.as_ref().err().is_none_or(|error| !error.contains("constrains nothing")));
        let ours = compiled.unwrap();
        let theirs = jsonschema::options().should_validate_formats(true).build(&root).unwrap();
        for value in values {
            let validated = ours.validate(&value, &[]);
            prop_assert_eq!(validated.is_ok(), theirs.is_valid(&value), "{} {}", root, value);
        }
    }
}
