//! Values around a schema's limits: some fit, some miss by a little.

use serde_json::{Map, Value, json};

/// Values made for a schema, the same ones each time.
pub(crate) fn of(schema: &Value, count: u64) -> Vec<Value> {
    (0..count)
        .map(|seed| {
            Maker {
                root: schema,
                state: seed * 977 + 1,
                faults: seed % 3,
            }
            .value(schema, 0)
        })
        .collect()
}

struct Maker<'a> {
    root: &'a Value,
    state: u64,
    /// How many mistakes may be made.
    faults: u64,
}

impl Maker<'_> {
    fn below(&mut self, limit: usize) -> usize {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) as usize % limit.max(1)
    }

    fn errs(&mut self) -> bool {
        let errs = self.faults > 0 && self.below(4) == 0;
        self.faults -= u64::from(errs);
        errs
    }

    fn one<'v>(&mut self, values: &'v [Value]) -> &'v Value {
        &values[self.below(values.len())]
    }

    fn value(&mut self, schema: &Value, depth: usize) -> Value {
        if self.errs() || depth > 6 {
            return self
                .one(&[
                    json!("x"),
                    json!(""),
                    json!(3),
                    json!(1.5),
                    json!(null),
                    json!(true),
                    json!([]),
                    json!({}),
                    json!(["x", 1]),
                ])
                .clone();
        }
        if let Some(reference) = schema.get("$ref") {
            let target = self
                .root
                .pointer(reference.as_str().unwrap().trim_start_matches('#'))
                .unwrap()
                .clone();
            return self.value(&target, depth + 1);
        }
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        if let Some(Value::Array(values)) = schema.get("enum") {
            return self.one(values).clone();
        }
        for key in ["anyOf", "oneOf"] {
            if let (Some(Value::Array(branches)), None) =
                (schema.get(key), schema.get("properties"))
            {
                let branch = self.one(branches).clone();
                return self.value(&branch, depth + 1);
            }
        }
        match self.kind(schema).as_str() {
            "string" => self.text(schema),
            "integer" => self.number(schema, 1.0),
            "number" => self.number(schema, 0.5),
            "boolean" => json!(self.below(2) == 0),
            "null" => Value::Null,
            "array" => self.list(schema, depth),
            _ => self.object(schema, depth),
        }
    }

    fn kind(&mut self, schema: &Value) -> String {
        match schema.get("type") {
            Some(Value::String(kind)) => kind.clone(),
            Some(Value::Array(kinds)) => self.one(kinds).as_str().unwrap().to_owned(),
            _ if schema.get("required").is_some() || schema.get("allOf").is_some() => {
                "object".to_owned()
            }
            _ => "string".to_owned(),
        }
    }

    fn limit(schema: &Value, key: &str) -> Option<f64> {
        schema.get(key).and_then(Value::as_f64)
    }

    fn text(&mut self, schema: &Value) -> Value {
        if schema.get("format") == Some(&json!("uuid")) && self.below(3) > 0 {
            return json!("6ba7b810-9dad-41d1-80b4-00c04fd430c8");
        }
        let length = self.around(
            Self::limit(schema, "minLength"),
            Self::limit(schema, "maxLength"),
        );
        let letter = ["a", "/", "ä", "Z"][self.below(4)];
        json!(letter.repeat(length))
    }

    /// A count at a limit, or just beyond.
    fn around(&mut self, least: Option<f64>, most: Option<f64>) -> usize {
        let limits = [least.unwrap_or(0.0), most.unwrap_or(2.0)];
        let near = limits[self.below(2)] + self.below(3) as f64 - 1.0;
        near.clamp(0.0, 300.0) as usize
    }

    fn number(&mut self, schema: &Value, step: f64) -> Value {
        let limits = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
        let known: Vec<f64> = limits
            .iter()
            .filter_map(|key| Self::limit(schema, key))
            .collect();
        let near = known.get(self.below(known.len())).copied().unwrap_or(7.0);
        let value = near + (self.below(5) as f64 - 2.0) * step;
        if value.fract() == 0.0 {
            json!(value as i64)
        } else {
            json!(value)
        }
    }

    fn list(&mut self, schema: &Value, depth: usize) -> Value {
        let count = self.around(
            Self::limit(schema, "minItems"),
            Self::limit(schema, "maxItems"),
        );
        let first = schema
            .get("prefixItems")
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default();
        let rest = schema.get("items").cloned().unwrap_or(json!({}));
        (0..count.min(5))
            .map(|index| self.value(first.get(index).unwrap_or(&rest), depth + 1))
            .collect()
    }

    fn object(&mut self, schema: &Value, depth: usize) -> Value {
        let mut object = Map::new();
        let required = schema
            .get("required")
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default();
        for (name, property) in schema
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            let is_needed = required.contains(&json!(name));
            let is_sent = if is_needed {
                !self.errs()
            } else {
                self.below(3) == 0
            };
            if is_sent {
                object.insert(name.clone(), self.value(property, depth + 1));
            }
        }
        for branch in schema
            .get("allOf")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            if let Value::Object(more) = self.value(branch, depth + 1) {
                object.extend(more);
            }
        }
        // An object that does not say whether others may be sent gets none: a signature then advises against it.
        if let Some(rest) = schema.get("additionalProperties")
            && self.below(4) == 0
        {
            let name = ["other", "name"][self.below(2)];
            object.insert(name.to_owned(), self.value(rest, depth + 1));
        }
        Value::Object(object)
    }
}
