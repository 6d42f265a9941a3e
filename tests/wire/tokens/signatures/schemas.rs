//! Schemas made up at random, out of all the keywords that signatures know and some that they do not.

use serde_json::{Map, Value, json};

/// Schemas of a tool's arguments, the same ones each time.
pub(crate) fn made_up(count: u64) -> impl Iterator<Item = Value> {
    (1..=count).map(|seed| {
        let mut maker = Maker { state: seed * 7_919 };
        let mut schema = maker.object(3);
        schema["$defs"] = json!({ "node": maker.schema(2), "short": { "const": "a" }, "list": {
            "type": "array", "items": { "anyOf": [{ "type": "string", "minLength": 1 }, { "$ref": "#/$defs/list" }] },
        } });
        schema
    })
}

struct Maker {
    state: u64,
}

impl Maker {
    fn below(&mut self, limit: usize) -> usize {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) as usize % limit
    }

    fn some(&mut self, keywords: &[(&str, Value)], schema: &mut Value) {
        for (key, value) in keywords {
            if self.below(3) == 0 {
                schema[*key] = value.clone();
            }
        }
    }

    fn schema(&mut self, depth: usize) -> Value {
        match self.below(if depth == 0 { 7 } else { 14 }) {
            0 | 1 => {
                let mut schema = json!({ "type": "string" });
                let limits = [
                    ("minLength", json!(1)),
                    ("maxLength", json!(2)),
                    ("pattern", json!("^[a/]")),
                    ("default", json!("a")),
                ];
                self.some(&limits, &mut schema);
                schema
            }
            2 | 3 => {
                let mut schema = json!({ "type": (["integer", "number"][self.below(2)]) });
                let limits = [
                    ("minimum", json!(-1)),
                    ("maximum", json!(2.5)),
                    ("exclusiveMinimum", json!(0)),
                    ("exclusiveMaximum", json!(2)),
                    ("multipleOf", json!(0.5)),
                ];
                self.some(&limits, &mut schema);
                schema
            }
            4 => json!({ "enum": (["a", "b", "c"][..=self.below(3)]) }),
            5 => json!({ "type": ["string", "null", "boolean"], "maxLength": 1 }),
            6 => [
                json!({ "const": 3 }),
                json!({ "type": "string", "not": { "const": "a" } }),
                json!(true),
                json!({ "$ref": "#/$defs/short" }),
            ][self.below(4)]
            .clone(),
            7 | 8 => self.object(depth - 1),
            9 | 10 => self.list(depth - 1),
            11 => Value::Object(Map::from_iter([(
                ["anyOf", "oneOf"][self.below(2)].to_owned(),
                json!([self.schema(depth - 1), self.schema(depth - 1)]),
            )])),
            12 => {
                json!({ "allOf": [self.plain_object(["a", "b", "c"], depth - 1), self.plain_object(["d", "e-f", "g"], depth - 1)], "unevaluatedProperties": false })
            }
            _ => {
                json!({ "$ref": (["#/$defs/list", "#/$defs/short"][self.below(2)]), "description": "A\nnote. */ }" })
            }
        }
    }

    fn list(&mut self, depth: usize) -> Value {
        let mut schema = json!({ "type": "array", "items": self.schema(depth) });
        if self.below(3) == 0 {
            schema["prefixItems"] = json!([self.schema(depth), self.schema(0)]);
        }
        self.some(
            &[
                ("minItems", json!(1)),
                ("maxItems", json!(2)),
                ("uniqueItems", json!(true)),
                ("contains", json!({ "minimum": 1 })),
            ],
            &mut schema,
        );
        schema
    }

    fn plain_object(&mut self, names: [&str; 3], depth: usize) -> Value {
        let mut schema = json!({ "type": "object", "properties": {} });
        for name in names {
            if self.below(2) == 0 {
                schema["properties"][name] = self.schema(depth);
            }
        }
        self.some(
            &[("required", json!([names[0]])), ("minProperties", json!(1))],
            &mut schema,
        );
        schema
    }

    fn object(&mut self, depth: usize) -> Value {
        let mut schema = self.plain_object(["a", "b-c", "d"], depth);
        match self.below(5) {
            0 => schema["additionalProperties"] = json!(true),
            1 => schema["additionalProperties"] = self.schema(0),
            2 => schema["patternProperties"] = json!({ "^o/?": self.schema(0) }),
            3 => schema["anyOf"] = json!([{ "required": ["a"] }, { "required": ["d"] }]),
            _ => schema["additionalProperties"] = json!(false),
        }
        schema
    }
}
