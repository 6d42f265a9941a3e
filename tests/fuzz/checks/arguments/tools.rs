//! Tools with every kind of argument. Each notes what it was given.

use futures::{FutureExt, future::ready};
use pd_runtime::{IntoOutput, Tool, prelude::*};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

/// The state: what tools were given.
#[derive(Debug, Default)]
pub(crate) struct Heard(Mutex<Vec<Value>>);

impl Heard {
    fn note(&self, given: impl Serialize) -> &'static str {
        let given = serde_json::to_value(given).expect("JSON");
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(given);
        "ran"
    }

    pub(crate) fn take(&self) -> Vec<Value> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn names(&self) -> &'static [&'static str] {
        &[
            "numbers", "limited", "texts", "nested", "tagged", "choices", "whole", "tree", "maps",
            "written", "formats",
        ]
    }
}

/// Whether its schema was made from Rust types.
pub(crate) fn is_declared(name: &str) -> bool {
    !["written", "formats"].contains(&name)
}

/// Whether one struct is all of its arguments: its defaults are serde's.
pub(crate) fn is_whole(name: &str) -> bool {
    name == "whole"
}

#[pd_tool(summary = "Take numbers of every size")]
fn numbers(
    heard: &Heard,
    byte: u8,
    small: Option<i16>,
    word: u32,
    signed: Option<i32>,
    long: Option<i64>,
    large: Option<u64>,
    real: Option<f64>,
    short: Option<f32>,
) -> &'static str {
    heard.note(json!({
        "byte": byte, "small": small, "word": word, "signed": signed, "long": long, "large": large, "real": real,
        "short": short,
    }))
}

#[pd_tool(summary = "Take what has limits")]
fn limited(
    heard: &Heard,
    #[arg(default = 20, minimum = 1, maximum = 100)] limit: u32,
    #[arg(exclusive_minimum = 0, multiple_of = 0.5)] step: Option<f64>,
    #[arg(min_items = 1, max_items = 3, unique_items)] tags: Vec<String>,
    #[arg(default = "name", one_of = ["name", "date"])] sort: String,
    #[arg(default = true)] flag: bool,
) -> &'static str {
    heard.note(json!({ "limit": limit, "step": step, "tags": tags, "sort": sort, "flag": flag }))
}

#[pd_tool(summary = "Take texts")]
fn texts(
    heard: &Heard,
    #[arg(min_length = 2, max_length = 5)] word: String,
    #[arg(pattern = "^[A-Z]{2}-[0-9]+$")] code: Option<String>,
    #[arg(format = "date-time")] at: Option<String>,
    letter: Option<char>,
) -> &'static str {
    heard.note(json!({ "word": word, "code": code, "at": at, "letter": letter }))
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Address {
    street: String,
    #[serde(default)]
    floor: Option<i8>,
    #[serde(rename = "type")]
    kind: Option<Kind>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Home,
    Work,
}

#[pd_tool(summary = "Take structs and lists of them")]
fn nested(
    heard: &Heard,
    from: Address,
    to: Option<Vec<Address>>,
    pair: Option<(u8, String)>,
) -> &'static str {
    heard.note(json!({ "from": from, "to": to, "pair": pair }))
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "is", rename_all = "snake_case")]
enum Shape {
    Circle { radius: u16 },
    Square { side: f64, turned: Option<bool> },
    Point,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
enum Outer {
    Unit,
    New(u8),
    Pair(u8, i8),
    Named { a: bool },
}

#[pd_tool(summary = "Take enums with data")]
fn tagged(
    heard: &Heard,
    shape: Shape,
    outer: Option<Outer>,
    all: Option<Vec<Shape>>,
) -> &'static str {
    heard.note(json!({ "shape": shape, "outer": outer, "all": all }))
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Either {
    Number(u32),
    Text(String),
    List(Vec<bool>),
}

#[pd_tool(summary = "Take one of several types")]
fn choices(
    heard: &Heard,
    either: Either,
    kind: Option<Kind>,
    anything: Option<Value>,
) -> &'static str {
    heard.note(json!({ "either": either, "kind": kind, "anything": anything }))
}

/// Everything at once.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Order {
    article: String,
    #[serde(default = "one")]
    count: u32,
    address: Option<Address>,
    #[serde(default)]
    tags: Vec<String>,
}

fn one() -> u32 {
    1
}

#[pd_tool(summary = "Take a struct as all arguments")]
fn whole(heard: &Heard, Args(order): Args<Order>) -> &'static str {
    heard.note(order)
}

/// A type inside itself.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Node {
    name: String,
    #[serde(default)]
    children: Vec<Node>,
}

#[pd_tool(summary = "Take a type inside itself")]
fn tree(heard: &Heard, root: Node, other: Option<Box<Node>>) -> &'static str {
    heard.note(json!({ "root": root, "other": other }))
}

#[pd_tool(summary = "Take maps")]
fn maps(
    heard: &Heard,
    counts: BTreeMap<String, u16>,
    by_name: Option<BTreeMap<String, Address>>,
) -> &'static str {
    heard.note(json!({ "counts": counts, "by_name": by_name }))
}

/// A schema as somebody wrote it.
fn written(name: &'static str, schema: Value) -> Tool<Heard> {
    Tool::new(
        name,
        "Take what a schema says",
        |heard: &Heard, _, arguments| {
            ready(heard.note(Value::Object(arguments)).into_output()).boxed()
        },
    )
    .input_schema(schema)
}

pub(crate) fn registry() -> Registry<Heard> {
    let declared = pd_runtime::registry! { numbers, limited, texts, nested, tagged, choices, whole, tree, maps };
    let by_hand = Registry::builder()
        .tool(written("written", composed()))
        .tool(written("formats", formatted()));
    declared
        .merge(by_hand.build().expect("sound tools"))
        .expect("names of their own")
}

fn composed() -> Value {
    json!({
        "type": "object",
        "properties": {
            "node": { "$ref": "#/$defs/node" },
            "all": { "allOf": [{ "type": "integer" }, { "minimum": 3 }, { "not": { "const": 5 } }] },
            "one": { "oneOf": [{ "type": "integer", "multipleOf": 2 }, { "type": "number", "maximum": 3 }] },
            "tuple": { "type": "array", "prefixItems": [{ "type": "string" }, { "type": "integer" }], "items": false },
            "if": { "type": ["string", "null"] },
            "a/b": { "type": "boolean" },
            "~": { "type": "array", "contains": { "const": 1 }, "maxContains": 2, "items": { "type": "integer" } },
        },
        "required": ["if"],
        "if": { "properties": { "if": { "const": "abc" } } },
        "then": { "required": ["a/b"] },
        "dependentRequired": { "one": ["all"] },
        "patternProperties": { "^x": { "type": "string", "maxLength": 2 } },
        "minProperties": 1,
        "unevaluatedProperties": false,
        "$defs": { "node": {
            "type": "object",
            "properties": { "next": { "$ref": "#/$defs/node" }, "value": { "type": "number" } },
            "required": ["value"],
            "additionalProperties": false,
        }},
    })
}

fn formatted() -> Value {
    let formats = [
        "date",
        "date-time",
        "time",
        "duration",
        "email",
        "hostname",
        "ipv4",
        "ipv6",
        "uri",
        "uri-reference",
        "uuid",
        "regex",
        "json-pointer",
        "uri-template",
        "idn-email",
    ];
    let properties = formats.iter().map(|format| {
        (
            (*format).to_owned(),
            json!({ "type": "string", "format": format }),
        )
    });
    json!({
        "type": "object",
        "properties": Value::Object(properties.collect()),
        "propertyNames": { "maxLength": 20 },
        "additionalProperties": { "type": "string" },
    })
}
