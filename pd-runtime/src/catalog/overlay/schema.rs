//! The texts of a schema laid over a compiled one, which stays as it is in everything else.

use super::error::{OverlayFault, kind};
use rmcp::model::JsonObject;
use serde_json::{Number, Value};

/// Keywords that are texts for readers.
const TEXTS: &[&str] = &["$comment", "description", "title"];
/// Keywords whose members are schemas by names that anyone may choose.
const BY_NAME: &[&str] = &["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];
/// Keywords whose value is a schema, or an array of schemas.
const SCHEMAS: &[&str] = &[
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "oneOf",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// The longest value that is shown, in characters.
const SHOWN_MAX: usize = 72;

/// Lays texts over schemas, and remembers where these differ in more.
#[derive(Debug, Default)]
pub(super) struct Telling {
    /// By JSON pointer into the file.
    pub(super) mistakes: Vec<(String, OverlayFault)>,
}

impl Telling {
    /// The compiled schema with the texts of the told one; `at` is where that stands.
    pub(super) fn schema(&mut self, at: &str, compiled: &JsonObject, told: &JsonObject) -> JsonObject {
        let mut schema = JsonObject::with_capacity(compiled.len());
        // Files name keywords in the compiled order, mostly, and then none is looked up.
        let mut next = told.iter();
        for (key, own) in compiled {
            let other = next.next().filter(|(other, _)| *other == key).map(|(_, value)| value);
            match other.or_else(|| told.get(key)) {
                other if is_text(key) => schema.extend(other.map(|text| (key.clone(), text.clone()))),
                Some(other) => drop(schema.insert(key.clone(), self.keyword(at, key, own, other))),
                None => self.differs(at, format!("`{key}` is missing here, which the compiled schema has")),
            }
        }
        for (key, value) in told {
            if is_text(key) && !value.is_string() {
                let fault = OverlayFault::WrongType { wanted: "a text", found: kind(value) };
                self.mistakes.push((below(at, key), fault));
            } else if is_text(key) {
                schema.entry(key).or_insert_with(|| value.clone());
            } else if !compiled.contains_key(key) {
                self.differs(&below(at, key), format!("the compiled schema has no `{key}` here"));
            }
        }
        schema
    }

    fn keyword(&mut self, at: &str, key: &str, compiled: &Value, told: &Value) -> Value {
        let at = below(at, key);
        match (compiled, told) {
            (Value::Object(own), Value::Object(other)) if BY_NAME.contains(&key) => {
                Value::Object(self.by_name(&at, own, other))
            }
            (own, other) if SCHEMAS.contains(&key) => self.schemas(&at, own, other),
            (own, other) => self.same(&at, own, other),
        }
    }

    fn by_name(&mut self, at: &str, compiled: &JsonObject, told: &JsonObject) -> JsonObject {
        for key in told.keys().filter(|key| !compiled.contains_key(*key)) {
            self.differs(&below(at, key), format!("the compiled schema has no `{key}` here"));
        }
        let mut members = JsonObject::with_capacity(compiled.len());
        for (key, own) in compiled {
            match told.get(key) {
                Some(other) => drop(members.insert(key.clone(), self.schemas(&below(at, key), own, other))),
                None => self.differs(at, format!("`{key}` is missing here, which the compiled schema has")),
            }
        }
        members
    }

    /// A schema, which may be `true` or `false`, or an array of them.
    fn schemas(&mut self, at: &str, compiled: &Value, told: &Value) -> Value {
        match (compiled, told) {
            (Value::Object(own), Value::Object(other)) => Value::Object(self.schema(at, own, other)),
            (Value::Array(own), Value::Array(others)) if own.len() == others.len() => {
                let pairs = own.iter().zip(others).enumerate();
                pairs.map(|(index, (own, other))| self.schemas(&below(at, &index.to_string()), own, other)).collect()
            }
            (own, other) => self.same(at, own, other),
        }
    }

    fn same(&mut self, at: &str, compiled: &Value, told: &Value) -> Value {
        if !is_same(compiled, told) {
            self.differs(at, format!("the compiled schema says {} here", shown(compiled)));
        }
        compiled.clone()
    }

    fn differs(&mut self, at: &str, what: String) {
        self.mistakes.push((at.to_owned(), OverlayFault::OtherSchema { what }));
    }
}

fn is_text(keyword: &str) -> bool {
    TEXTS.contains(&keyword)
}

/// A value as JSON, cut.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN_MAX) {
        None => text,
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

/// The pointer of a member.
pub(super) fn below(at: &str, key: &str) -> String {
    if key.contains(['~', '/']) {
        return format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
    }
    [at, "/", key].concat()
}

/// The same JSON, whichever way its numbers are written.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => is_same_number(one, other),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let has = |(key, one): (&String, &Value)| other.get(key).is_some_and(|other| is_same(one, other));
            one.len() == other.len() && one.iter().all(has)
        }
        (one, other) => one == other,
    }
}

/// Reading a number back may have cost it its last bit.
fn is_same_number(one: &Number, other: &Number) -> bool {
    let is_whole = |number: &Number| number.is_i64() || number.is_u64();
    let reread = || serde_json::from_str::<Number>(&one.to_string()).ok().and_then(|number| number.as_f64());
    one == other
        || !(is_whole(one) && is_whole(other)) && (one.as_f64() == other.as_f64() || reread() == other.as_f64())
}
