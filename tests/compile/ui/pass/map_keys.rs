//! Keys that JSON can have, and maps that are read in a way of their own.

use pd_runtime::prelude::*;
use std::collections::{BTreeMap, HashMap};

#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema, ToolArg, PartialEq, Eq, Hash)]
enum Color {
    Red,
}

#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema, ToolArg, PartialEq, Eq, Hash)]
struct Id(u32);

/// A key that the compiler knows nothing of.
#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema, PartialEq, Eq, Hash)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
struct Point(#[serde(skip)] (i32, i32));

impl TryFrom<String> for Point {
    type Error = &'static str;

    fn try_from(_: String) -> Result<Self, Self::Error> {
        Ok(Self((0, 0)))
    }
}

impl From<Point> for String {
    fn from(_: Point) -> Self {
        Self::new()
    }
}

impl Clone for Point {
    fn clone(&self) -> Self {
        Self(self.0)
    }
}

fn pairs<'de, D: serde::Deserializer<'de>>(_: D) -> Result<HashMap<(u8, u8), u8>, D::Error> {
    Ok(HashMap::new())
}

#[derive(serde::Deserialize, schemars::JsonSchema, ToolArg)]
struct Places<K: std::hash::Hash + Eq> {
    ids: HashMap<Id, Vec<BTreeMap<char, bool>>>,
    points: HashMap<Point, String>,
    generic: HashMap<K, String>,
    #[serde(deserialize_with = "pairs")]
    #[schemars(with = "Vec<((u8, u8), u8)>")]
    pairs: HashMap<(u8, u8), u8>,
    #[serde(skip)]
    cache: HashMap<(u8, u8), u8>,
}

#[pd_tool(summary = "Take maps")]
fn take(
    ids: HashMap<Id, String>,
    colors: Option<HashMap<Color, u8>>,
    flags: BTreeMap<bool, char>,
    points: HashMap<Point, u8>,
    #[arg(unchecked)] unchecked: Option<HashMap<(u8, u8), u8>>,
    places: Option<Places<String>>,
) -> Json<HashMap<Color, BTreeMap<i64, String>>> {
    drop((ids, colors, flags, points, unchecked, places.map(|places| (places.ids, places.points, places.generic, places.pairs, places.cache))));
    Json(HashMap::new())
}

struct Store<T>(T);

impl<T: Send + Sync + 'static> Store<T> {
    #[pd_tool(summary = "Take maps in a generic impl")]
    fn take_more(&self, ids: HashMap<Id, String>) -> Json<HashMap<Id, String>> {
        Json(ids)
    }
}

fn main() {
    let _: Registry<()> = pd_runtime::registry! { take };
    let _: Registry<Store<u8>> = pd_runtime::registry! { Store::<u8>::take_more };
    drop(Store(()).0);
}
