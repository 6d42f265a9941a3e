//! Maps as arguments: keys that JSON can have are read, and `check` refuses a map that no call can fill.

use pd_runtime::{check::RegistryErrorKind, prelude::*};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::{
    collections::{BTreeMap, HashMap},
    hash::Hash,
};

#[derive(Debug, Deserialize, JsonSchema, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Point {
    x: i32,
}

#[derive(Debug, Deserialize, JsonSchema, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
enum Color {
    Red,
    Green,
}

#[derive(Debug, Deserialize, JsonSchema, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Id(u32);

/// Another name, so that only `check` sees the map.
type Places = HashMap<Point, String>;

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(
    dead_code,
    reason = "serde fills the fields in, and `Debug` alone reads them"
)]
struct Route {
    name: String,
    inner: Stop,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(
    dead_code,
    reason = "serde fills the fields in, and `Debug` alone reads them"
)]
struct Stop {
    at: u32,
    places: Vec<Option<Places>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(
    dead_code,
    reason = "serde fills the fields in, and `Debug` alone reads them"
)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Tagged {
    Empty,
    Full { size: u32, by_point: Places },
}

/// A type that holds itself, and then such a map.
#[derive(Debug, Deserialize, JsonSchema)]
#[expect(
    dead_code,
    reason = "serde fills the fields in, and `Debug` alone reads them"
)]
struct Folder {
    inner: Vec<Folder>,
    lists: BTreeMap<u8, BTreeMap<bool, Places>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(
    dead_code,
    reason = "serde fills the fields in, and `Debug` alone reads them"
)]
struct Flat {
    size: u32,
    #[serde(flatten)]
    rest: Places,
}

macro_rules! tools {
    ($($name:ident: $ty:ty),* $(,)?) => {$(
        #[pd_tool(summary = "Take a map")]
        fn $name(#[arg(unchecked)] it: $ty) -> String {
            format!("{it:?}")
        }
    )*};
}

// A macro is known to the modules that follow it.
mod numbers;
mod results;
mod untagged;

tools! {
    structs: Places,
    lists: HashMap<Vec<u8>, u8>,
    tuples: BTreeMap<(u8, u8), u8>,
    nested: Route,
    tagged: Tagged,
    recursive: Folder,
    behind_a_tuple: (u8, Places),
    flat: Flat,
    texts: HashMap<String, u8>,
    numbers: HashMap<i64, u8>,
    flags: BTreeMap<bool, u8>,
    letters: BTreeMap<char, u8>,
    choices: HashMap<Color, u8>,
    wrapped: HashMap<Id, HashMap<Color, u8>>,
    ids: HashMap<uuid::Uuid, u8>,
    anything: serde_json::Value,
    objects: serde_json::Map<String, serde_json::Value>,
}

#[pd_tool(summary = "Take a map among all arguments")]
fn whole(args: Args<Stop>) -> String {
    format!("{:?}", args.0)
}

/// The maps that no call can fill, as `check` reports them.
fn impossible(registry: &Registry<()>) -> Vec<(String, String, String)> {
    let Err(problems) = registry.check() else {
        return Vec::new();
    };
    let maps = problems.iter().map(|problem| match &problem.kind {
        RegistryErrorKind::ImpossibleMap { pointer, expected } => {
            (problem.tool.clone(), pointer.clone(), expected.clone())
        }
        other => panic!("{other}"),
    });
    maps.collect()
}

#[test]
fn a_map_that_no_call_can_fill_is_a_problem() {
    let registry: Registry<()> = pd_runtime::registry! {
        structs, lists, tuples, nested, tagged, recursive, behind_a_tuple, flat, whole,
    };
    let found = impossible(&registry);
    let found: Vec<_> = found
        .iter()
        .map(|(tool, at, what)| (tool.as_str(), at.as_str(), what.as_str()))
        .collect();
    assert_eq!(
        found,
        [
            ("structs", "/it", "struct Point"),
            ("lists", "/it", "a sequence"),
            ("tuples", "/it", "a tuple of size 2"),
            ("nested", "/it/inner/places/*", "struct Point"),
            ("tagged", "/it/by_point", "struct Point"),
            ("recursive", "/it/lists/*/*", "struct Point"),
            ("behind_a_tuple", "/it/*", "struct Point"),
            ("flat", "/it", "struct Point"),
            ("whole", "/places/*", "struct Point"),
        ]
    );
    let problems = registry.check().unwrap_err().to_string();
    assert!(
        problems.contains("take a list of pairs, `Vec<(Key, Value)>`"),
        "{problems}"
    );
}

#[tokio::test]
async fn keys_that_json_can_have_are_read() {
    let registry: Registry<()> = pd_runtime::registry! {
        texts, numbers, flags, letters, choices, wrapped, ids, anything, objects,
    };
    assert_eq!(impossible(&registry), []);
    for (name, it, taken) in [
        ("texts", json!({ "a": 1 }), r#"{"a": 1}"#),
        ("numbers", json!({ "-7": 1 }), "{-7: 1}"),
        ("flags", json!({ "true": 1 }), "{true: 1}"),
        ("letters", json!({ "x": 1 }), "{'x': 1}"),
        ("choices", json!({ "red": 1 }), "{Red: 1}"),
        (
            "wrapped",
            json!({ "7": { "green": 1 } }),
            "{Id(7): {Green: 1}}",
        ),
    ] {
        let result = registry.call(&(), name, json!({ "it": it })).await.unwrap();
        assert_eq!(result.content[0].as_text().unwrap().text, taken);
    }
}
