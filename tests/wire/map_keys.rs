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
#[expect(dead_code, reason = "serde fills the fields in, and `Debug` alone reads them")]
struct Route {
    name: String,
    inner: Stop,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "serde fills the fields in, and `Debug` alone reads them")]
struct Stop {
    at: u32,
    places: Vec<Option<Places>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "serde fills the fields in, and `Debug` alone reads them")]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Tagged {
    Empty,
    Full { size: u32, by_point: Places },
}

/// A type that holds itself, and then such a map.
#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "serde fills the fields in, and `Debug` alone reads them")]
struct Folder {
    inner: Vec<Folder>,
    lists: BTreeMap<u8, BTreeMap<bool, Places>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "serde fills the fields in, and `Debug` alone reads them")]
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
    let Err(problems) = registry.check() else { return Vec::new() };
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
    let found: Vec<_> = found.iter().map(|(tool, at, what)| (tool.as_str(), at.as_str(), what.as_str())).collect();
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
    assert!(problems.contains("take a list of pairs, `Vec<(Key, Value)>`"), "{problems}");
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
        ("wrapped", json!({ "7": { "green": 1 } }), "{Id(7): {Green: 1}}"),
    ] {
        let result = registry.call(&(), name, json!({ "it": it })).await.unwrap();
        assert_eq!(result.content[0].as_text().unwrap().text, taken);
    }
}

/// serde keeps to itself why no alternative of an untagged enum fits.
mod untagged {
    use super::*;

    /// A text with a rule of its own, which no guess fits.
    #[derive(Debug, Deserialize, JsonSchema, PartialEq, Eq, Hash, PartialOrd, Ord)]
    #[serde(try_from = "String")]
    #[schemars(extend("format" = "date"))]
    struct Day(String);

    impl TryFrom<String> for Day {
        type Error = &'static str;

        fn try_from(text: String) -> Result<Self, Self::Error> {
            if text.len() == 10 && text.starts_with("20") { Ok(Self(text)) } else { Err("not a day") }
        }
    }

    #[derive(Debug, Deserialize, JsonSchema, PartialEq, Eq, Hash)]
    #[serde(transparent)]
    struct Name(String);

    /// A point by its place or by its name.
    #[derive(Debug, Deserialize, JsonSchema, PartialEq, Eq, Hash)]
    #[serde(untagged)]
    enum PointOrDay {
        Point(Point),
        Day(Day),
    }

    /// A key whose reader reports the wrong kind of error for a text that it cannot parse.
    #[derive(Debug, PartialEq, Eq, Hash)]
    struct Version(u32);

    impl<'de> Deserialize<'de> for Version {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Visitor;
            impl serde::de::Visitor<'_> for Visitor {
                type Value = Version;

                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str("a version like `v1`")
                }

                fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Version, E> {
                    let number = text.strip_prefix('v').and_then(|number| number.parse().ok());
                    let wrong = || E::invalid_type(serde::de::Unexpected::Str(text), &self);
                    number.map(Version).ok_or_else(wrong)
                }
            }
            deserializer.deserialize_str(Visitor)
        }
    }

    impl JsonSchema for Version {
        fn schema_name() -> std::borrow::Cow<'static, str> {
            "Version".into()
        }

        fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
            schemars::json_schema!({ "type": "string" })
        }
    }

    macro_rules! unions {
        ($($name:ident { $($variant:ident $fields:tt)* })*) => {$(
            #[derive(Debug, Deserialize, JsonSchema)]
            #[expect(dead_code, reason = "serde fills the fields in, and `Debug` alone reads them")]
            #[serde(untagged)]
            enum $name { $($variant $fields),* }
        )*};
    }
    unions! {
        Fields { ByPoint { by_point: Places } Named { name: String } }
        Bare { Map(Places) Number(u32) }
        Lists { Lists(Vec<HashMap<(u8, u8), u8>>) Number(u32) }
        Nested { Maps(HashMap<Name, BTreeMap<String, HashMap<Vec<u8>, u8>>>) Number(u32) }
        Required { Both { day: Day, size: u32, by_point: Places } Number(u32) }
        Two { Maps(Places) Lists(HashMap<Vec<u8>, String>) }
        Flags { Flags(HashMap<bool, u8>) Text(String) }
        Inside { Tagged(Tagged) Route(Route) }
        Days { Days(HashMap<String, Day>) Number(u32) }
        DayKeys { Days(HashMap<Day, Day>) Number(u32) }
        Texts { Texts(HashMap<String, u8>) Number(u32) }
        Names { Names(HashMap<Name, u8>) Number(u32) }
        Colors { Colors(HashMap<Color, u8>) Number(u32) }
        Ids { Ids(HashMap<uuid::Uuid, u8>) Number(u32) }
        Letters { Letters(HashMap<char, u8>) Number(u32) }
        Versions { Versions(HashMap<Version, u8>) Number(u32) }
        Mixed { Mixed(HashMap<PointOrDay, Day>) Number(u32) }
        Either { ByPoint(HashMap<Point, u8>) ByName(HashMap<String, u8>) }
        EitherDay { ByPoint(HashMap<Point, Day>) ByDay(HashMap<Day, Day>) }
        Anything { Object(serde_json::Map<String, serde_json::Value>) Number(u32) }
        EitherCount { ByNumber(HashMap<i64, u8>) ByName(HashMap<String, u8>) }
    }

    tools! {
        fields: Fields,
        bare: Bare,
        lists: Lists,
        nested: Nested,
        required: Required,
        two: Two,
        flags: Flags,
        inside: Inside,
        optional: Option<Vec<Bare>>,
        days: Days,
        day_keys: DayKeys,
        texts: Texts,
        names: Names,
        colors: Colors,
        ids: Ids,
        letters: Letters,
        versions: Versions,
        mixed: Mixed,
        either: Either,
        either_day: EitherDay,
        anything: Anything,
        either_count: EitherCount,
    }

    #[test]
    fn a_map_that_no_call_can_fill_is_a_problem() {
        let registry: Registry<()> = pd_runtime::registry! {
            fields, bare, lists, nested, required, two, flags, inside, optional,
        };
        let found = impossible(&registry);
        let found: Vec<_> = found.iter().map(|(tool, at, what)| (tool.as_str(), at.as_str(), what.as_str())).collect();
        assert_eq!(
            found,
            [
                ("fields", "/it/by_point", "struct Point"),
                ("bare", "/it", "struct Point"),
                ("lists", "/it/*", "a tuple of size 2"),
                ("nested", "/it/*/*", "a sequence"),
                ("required", "/it/by_point", "struct Point"),
                ("two", "/it", "struct Point"),
                ("flags", "/it", "a boolean"),
                ("inside", "/it/by_point", "struct Point"),
                ("inside", "/it/inner/places/*", "struct Point"),
                ("optional", "/it/*", "struct Point"),
            ]
        );
    }

    /// A registry that works is never refused: each of these takes a call that fills its map.
    #[tokio::test]
    async fn maps_that_a_call_can_fill_are_no_problem() {
        let registry: Registry<()> = pd_runtime::registry! {
            days, day_keys, texts, names, colors, ids, letters, versions, mixed, either, either_day, anything,
            either_count,
        };
        assert_eq!(impossible(&registry), []);
        for (name, it) in [
            ("days", json!({ "a": "2026-01-01" })),
            ("day_keys", json!({ "2026-01-01": "2026-01-01" })),
            ("texts", json!({ "a": 1 })),
            ("names", json!({ "a": 1 })),
            ("colors", json!({ "red": 1 })),
            ("ids", json!({ "67e55044-10b1-426f-9247-bb680e5fe0c8": 1 })),
            ("letters", json!({ "x": 1 })),
            ("versions", json!({ "v1": 1 })),
            ("mixed", json!({ "2026-01-01": "2026-01-01" })),
            ("either", json!({ "a": 1 })),
            ("either_day", json!({ "2026-01-01": "2026-01-01" })),
            ("anything", json!({ "a": 1 })),
            ("either_count", json!({ "1": 1 })),
        ] {
            let result = registry.call(&(), name, json!({ "it": it })).await.unwrap();
            let text = &result.content[0].as_text().unwrap().text;
            assert!(!result.is_error.unwrap_or(false) && text.contains('{'), "{name}: {text}");
        }
    }
}

/// serde reads a number from a key, but not where it buffers the map.
mod numbers {
    use super::*;
    use pd_runtime::check::Lint;

    #[derive(Debug, Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "serde fills the fields in, and `Debug` alone reads them")]
    #[serde(untagged)]
    enum Untagged {
        Counts(HashMap<u32, u8>),
        Text(String),
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "serde fills the fields in, and `Debug` alone reads them")]
    #[serde(tag = "kind")]
    enum Kinds {
        Counts { by_number: BTreeMap<Id, u8> },
        Empty,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "serde fills the fields in, and `Debug` alone reads them")]
    struct Rest {
        #[serde(flatten)]
        rest: HashMap<std::num::NonZeroI64, u8>,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "serde fills the fields in, and `Debug` alone reads them")]
    struct Plain {
        counts: HashMap<u32, HashMap<Id, HashMap<i8, u8>>>,
    }

    tools! {
        untagged: Untagged,
        kinds: Kinds,
        rest: Rest,
        plain: Plain,
    }

    #[tokio::test]
    async fn numbers_in_a_buffered_map_are_remarked() {
        let registry: Registry<()> = pd_runtime::registry! { untagged, kinds, rest, plain };
        assert_eq!(impossible(&registry), []);
        let remarks = registry.lint().into_iter().filter(|remark| remark.lint == Lint::NumberKeys);
        let remarks: Vec<_> = remarks.map(|remark| (remark.tool, remark.message)).collect();
        let places: Vec<_> =
            remarks.iter().map(|(tool, words)| (tool.as_str(), words.split('`').nth(1).unwrap())).collect();
        assert_eq!(places, [("untagged", "/it"), ("kinds", "/it/by_number"), ("rest", "/it")]);
        for (name, it, is_read) in [
            ("untagged", json!({ "1": 1 }), false),
            ("kinds", json!({ "kind": "Counts", "by_number": { "1": 1 } }), false),
            ("rest", json!({ "1": 1 }), false),
            ("plain", json!({ "counts": { "1": { "2": { "-3": 4 } } } }), true),
        ] {
            let result = registry.call(&(), name, json!({ "it": it })).await;
            assert_eq!(result.is_ok_and(|result| !result.is_error.unwrap_or(false)), is_read, "{name}");
        }
    }
}

/// A result has no value before a call, so the schemas of keys decide.
mod results {
    use super::*;
    use serde::Serialize;

    #[derive(Serialize, JsonSchema, PartialEq, Eq, Hash, PartialOrd, Ord)]
    struct Place {
        x: u8,
    }

    #[derive(Serialize, Deserialize, JsonSchema, PartialEq, Eq, Hash, PartialOrd, Ord)]
    struct Pair(u8, u8);

    #[derive(Serialize, JsonSchema, PartialEq, Eq, Hash)]
    enum Figure {
        Circle { at: Place },
        Line(Place),
    }

    #[derive(Serialize, JsonSchema, PartialEq, Eq, Hash)]
    struct Tree {
        children: Vec<Tree>,
    }

    #[pd_tool(summary = "Return a map")]
    fn structs() -> Json<HashMap<Place, u32>> {
        Json(HashMap::from([(Place { x: 1 }, 1)]))
    }

    #[expect(clippy::type_complexity, reason = "the check must find a map below other types")]
    #[pd_tool(summary = "Return a map")]
    fn lists() -> Result<Json<Vec<Option<BTreeMap<Pair, Vec<String>>>>>, ToolError> {
        Ok(Json(vec![Some(BTreeMap::from([(Pair(1, 2), Vec::new())]))]))
    }

    #[pd_tool(summary = "Return a map")]
    fn enums() -> Json<HashMap<String, HashMap<Figure, u32>>> {
        let figures = [(Figure::Circle { at: Place { x: 1 } }, 1), (Figure::Line(Place { x: 2 }), 2)];
        Json(HashMap::from([(String::new(), HashMap::from(figures))]))
    }

    #[pd_tool(summary = "Return a map")]
    fn trees() -> Json<HashMap<Box<Tree>, u32>> {
        Json(HashMap::from([(Box::new(Tree { children: Vec::new() }), 1)]))
    }

    #[tokio::test]
    async fn a_map_that_no_result_can_hold_is_a_problem() {
        let registry: Registry<()> = pd_runtime::registry! { structs, lists, enums, trees };
        let problems = registry.check().unwrap_err();
        let found = problems.iter().map(|problem| match &problem.kind {
            RegistryErrorKind::ImpossibleResultMap { key, kind, pairs } => {
                (problem.tool.as_str(), key.as_str(), *kind, pairs.as_str())
            }
            other => panic!("{other}"),
        });
        assert_eq!(
            found.collect::<Vec<_>>(),
            [
                ("structs", "Place", "an object", "Vec<(Place, u32)>"),
                ("lists", "Pair", "a list", "Vec<(Pair, Vec<String>)>"),
                ("enums", "Figure", "an object", "Vec<(Figure, u32)>"),
                ("trees", "Box<Tree>", "an object", "Vec<(Box<Tree>, u32)>"),
            ]
        );
        let words = problems.to_string();
        assert!(words.contains("and `Place` is an object; write `Vec<(Place, u32)>`"), "{words}");
        for name in ["structs", "lists", "enums", "trees"] {
            let result = registry.call(&(), name, json!({})).await;
            assert!(!result.is_ok_and(|result| !result.is_error.unwrap_or(false)), "{name} works");
        }
    }

    /// Another form than its fields.
    #[derive(Clone, Serialize, JsonSchema, PartialEq, Eq, Hash)]
    #[serde(into = "String", from = "String")]
    struct Code {
        number: u8,
    }

    impl From<Code> for String {
        fn from(code: Code) -> Self {
            format!("c{}", code.number)
        }
    }

    impl From<String> for Code {
        fn from(_: String) -> Self {
            Self { number: 0 }
        }
    }

    /// A text in spite of its schema, which its author forgot.
    #[derive(JsonSchema, PartialEq, Eq, Hash)]
    struct Forgotten {
        number: u8,
    }

    impl Serialize for Forgotten {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_str("f")
        }
    }

    impl<'de> Deserialize<'de> for Forgotten {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let text = String::deserialize(deserializer)?;
            if text == "f" { Ok(Self { number: 0 }) } else { Err(serde::de::Error::custom("not f")) }
        }
    }

    #[derive(Serialize, JsonSchema, PartialEq, Eq, Hash)]
    struct Number(i64);

    #[derive(Serialize, JsonSchema, PartialEq, Eq, Hash)]
    enum Side {
        Left,
        #[expect(dead_code, reason = "one variant is enough to write")]
        Other(Place),
    }

    struct Store<T>(T);

    impl<T: Clone + Send + Sync + Serialize + JsonSchema + std::hash::Hash + Eq + 'static> Store<T> {
        #[pd_tool(summary = "Return a map of a type parameter")]
        fn parameters(&self) -> Json<HashMap<T, u32>> {
            Json(HashMap::from([(self.0.clone(), 1)]))
        }
    }

    #[pd_tool(summary = "Return a map")]
    fn codes() -> Json<HashMap<Code, u32>> {
        Json(HashMap::from([(Code { number: 1 }, 1)]))
    }

    #[pd_tool(summary = "Return a map")]
    fn forgotten() -> Json<HashMap<Forgotten, u32>> {
        Json(HashMap::from([(Forgotten { number: 1 }, 1)]))
    }

    #[pd_tool(summary = "Return a map")]
    fn numbers() -> Json<HashMap<Number, HashMap<bool, u32>>> {
        Json(HashMap::from([(Number(-1), HashMap::from([(true, 1)]))]))
    }

    #[pd_tool(summary = "Return a map")]
    fn sides() -> Json<HashMap<Side, HashMap<uuid::Uuid, u32>>> {
        Json(HashMap::from([(Side::Left, HashMap::from([(uuid::Uuid::nil(), 1)]))]))
    }

    #[tokio::test]
    async fn keys_that_serde_writes_as_texts_are_no_problem() {
        let registry: Registry<()> = pd_runtime::registry! { codes, forgotten, numbers, sides };
        registry.check().unwrap();
        for (name, key) in [("codes", "c1"), ("forgotten", "f"), ("numbers", "-1"), ("sides", "Left")] {
            let result = registry.call(&(), name, json!({})).await.unwrap();
            let result = result.structured_content.unwrap();
            assert!(result.get(key).is_some(), "{name}: {result}");
        }
        let generic: Registry<Store<String>> = pd_runtime::registry! { Store::<String>::parameters };
        generic.check().unwrap();
    }
}
