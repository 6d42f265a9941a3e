//! Signatures say all that schemas say: over every tool of the captured catalogs, and over schemas that catalogs have not.

mod constraints;
mod read_back;
mod schemas;
mod values;

use super::listing::{CATALOGS, catalog, count, synthetic};
use pd_runtime::{IntoOutput, Registry, Tool};
use serde_json::{Value, json};

/// Every tool of the catalogs: its name, its input schema and its signature.
fn tools() -> Vec<(String, Value, String)> {
    let tools = CATALOGS.into_iter().flat_map(|(source, text)| {
        let registry = catalog(text);
        let definitions: Vec<Value> = serde_json::from_str(text).unwrap();
        definitions.into_iter().map(move |mut definition| {
            let name = definition["name"].as_str().unwrap().to_owned();
            let signature = registry.signature(&name).unwrap();
            (
                format!("{source} {name}"),
                definition["inputSchema"].take(),
                signature,
            )
        })
    });
    tools.collect()
}

/// Schemas with what the catalogs lack.
fn rare() -> Vec<Value> {
    let text = |name: &str| json!({ "type": "object", "properties": { name: { "type": "string" } }, "required": [name] });
    let mut closed = text("b");
    closed["additionalProperties"] = json!(false);
    let properties = [
        json!({ "type": "string", "minLength": 2, "maxLength": 4, "pattern": "^[a-z/]+$" }),
        json!({ "type": ["integer", "null"], "minimum": -3, "exclusiveMaximum": 3, "multipleOf": 2 }),
        json!({ "type": "number", "exclusiveMinimum": 0, "maximum": 0.5 }),
        json!({ "type": "array", "items": { "type": "boolean" }, "minItems": 1, "maxItems": 2, "uniqueItems": true }),
        json!({ "type": "array", "prefixItems": [{ "type": "string" }, { "type": "integer" }], "minItems": 1, "items": false }),
        json!({ "type": "array", "prefixItems": [{ "type": "string" }], "items": { "type": "null" }, "maxItems": 3 }),
        json!({ "type": "object", "additionalProperties": { "type": "integer" }, "minProperties": 1 }),
        json!({ "type": "object", "patternProperties": { "^n": { "type": "null" } }, "additionalProperties": false }),
        json!({ "type": "object", "properties": { "a": {}, "b": {} }, "anyOf": [{ "required": ["a"] }, { "required": ["b"] }] }),
        json!({ "oneOf": [text("a"), text("b")] }),
        json!({ "oneOf": [{ "type": "integer" }, { "type": "number", "minimum": 2 }] }),
        json!({ "allOf": [text("a"), text("b")], "unevaluatedProperties": false }),
        json!({ "allOf": [text("a"), closed] }),
        json!({ "allOf": [{ "$ref": "#/$defs/pair" }, text("right")] }),
        json!({ "allOf": [{ "$ref": "#/$defs/pair" }, text("c")] }),
        json!({ "oneOf": [{ "anyOf": [text("a"), { "type": "string" }] }, { "type": ["string", "null"], "minLength": 1 }] }),
        json!({ "enum": ["a", 1, null, [1, { "b": 2 }]] }),
        json!({ "type": "object", "properties": { "a": {}, "b": {} }, "if": { "required": ["a"] }, "then": { "required": ["b"] } }),
        json!({ "type": "string", "not": { "$ref": "#/$defs/short" } }),
        json!({ "$ref": "#/$defs/tree" }),
        json!({ "type": "array", "items": { "$ref": "#/$defs/tree" }, "contains": { "type": "string" } }),
        false.into(),
    ];
    let schema = |property: Value| {
        json!({
            "type": "object",
            "properties": { "a-b": property, "pair": { "$ref": "#/$defs/pair" }, "plain": { "type": "boolean", "default": true } },
            "required": ["a-b"],
            "additionalProperties": false,
            "$defs": {
                "short": { "const": "" },
                "pair": { "type": "object", "properties": { "left": {}, "right": {} }, "additionalProperties": false },
                "tree": { "anyOf": [{ "type": "string" }, { "type": "array", "items": { "$ref": "#/$defs/tree" } }] },
            },
        })
    };
    properties.into_iter().map(schema).collect()
}

fn signature(schema: Value) -> String {
    let tool = Tool::new("call", "Call it", |_, _, _| {
        Box::pin(async { ().into_output() })
    })
    .input_schema(schema);
    Registry::<()>::builder()
        .tool(tool)
        .build()
        .unwrap()
        .signature("call")
        .unwrap()
}

#[test]
fn no_constraint_of_a_real_tool_is_lost() {
    let mut lost = Vec::new();
    for (name, schema, signature) in tools() {
        let missing = constraints::of(&schema)
            .into_iter()
            .filter(|constraint| !constraint.is_told(&signature));
        lost.extend(missing.map(|constraint| format!("{name}: {constraint}")));
    }
    assert!(lost.is_empty(), "{} lost: {lost:#?}", lost.len());
}

#[test]
fn a_signature_admits_and_refuses_what_its_schema_does() {
    let rare = rare().into_iter().chain(schemas::made_up(1_000));
    let rare = rare.map(|schema| ("rare".to_owned(), schema.clone(), signature(schema)));
    let (mut fits, mut misfits) = (0, 0);
    for (name, schema, signature) in tools().into_iter().chain(rare) {
        let read = read_back::schema(&signature)
            .unwrap_or_else(|at| panic!("{name}: unreadable at {at:?}\n{signature}"));
        let [written, read_back] = [&schema, &read].map(|schema| {
            jsonschema::options()
                .should_validate_formats(true)
                .build(schema)
                .unwrap()
        });
        for value in values::of(&schema, 60) {
            let verdict = written.is_valid(&value);
            assert_eq!(
                verdict,
                read_back.is_valid(&value),
                "{name}: {value}\nSIG {signature}\nSCH {schema}\nREAD {read}"
            );
            *(if verdict { &mut fits } else { &mut misfits }) += 1;
        }
    }
    assert!(
        fits > 10_000 && misfits > 10_000,
        "{fits} values fit and {misfits} do not"
    );
}

/// Pooled over all tools of a catalog. Much of both is the authors' prose, so they are held against each other without it too.
#[test]
fn a_signature_costs_less_than_a_description() {
    for (source, text) in CATALOGS {
        let [whole, bare] = [false, true].map(|is_bare| {
            let mut definitions: Vec<Value> = serde_json::from_str(text).unwrap();
            definitions
                .iter_mut()
                .for_each(|definition| drop_annotations(definition, is_bare));
            costs(&definitions)
        });
        println!(
            "{source}: {} of {} tokens, without prose {} of {}",
            whole[1], whole[0], bare[1], bare[0]
        );
        assert!(whole[1] * 5 < whole[0] * 4, "{source}: {whole:?}");
        assert!(bare[1] * 5 < bare[0] * 3, "{source}: {bare:?}");
    }
}

/// Five documented arguments: 0.8 kB of JSON Schema.
#[test]
fn a_signature_of_a_usual_tool_costs_at_most_110_tokens() {
    let registry = synthetic();
    let most = registry
        .names()
        .map(|name| count(&registry.signature(name).unwrap()))
        .max()
        .unwrap();
    println!(
        "{most} tokens at most:\n{}",
        registry.signature("user_get").unwrap()
    );
    assert!(most <= 110, "{most} tokens");
}

/// What all descriptions cost, and what all signatures do.
fn costs(definitions: &[Value]) -> [usize; 2] {
    let registry = catalog(&json!(definitions).to_string());
    let signature = |definition: &Value| {
        registry
            .signature(definition["name"].as_str().unwrap())
            .unwrap()
    };
    [
        definitions
            .iter()
            .map(|definition| count(&definition.to_string()))
            .sum(),
        definitions
            .iter()
            .map(|definition| count(&signature(definition)))
            .sum(),
    ]
}

/// Leaves what a description holds, or even that without the texts.
fn drop_annotations(definition: &mut Value, is_bare: bool) {
    let definition = definition.as_object_mut().unwrap();
    definition.retain(|key, _| ["name", "description", "inputSchema"].contains(&key.as_str()));
    if is_bare {
        definition.insert("description".to_owned(), json!("Do it"));
        drop_texts(&mut definition["inputSchema"]);
    }
}

fn drop_texts(schema: &mut Value) {
    match schema {
        Value::Object(keywords) => {
            keywords.retain(|key, value| {
                !(["description", "title"].contains(&key.as_str()) && value.is_string())
            });
            keywords.values_mut().for_each(drop_texts);
        }
        Value::Array(schemas) => schemas.iter_mut().for_each(drop_texts),
        _ => {}
    }
}
