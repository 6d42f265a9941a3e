//! serde keeps to itself why no alternative of an untagged enum fits.

use super::*;

/// A text with a rule of its own, which no guess fits.
#[derive(Debug, Deserialize, JsonSchema, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[serde(try_from = "String")]
#[schemars(extend("format" = "date"))]
struct Day(String);

impl TryFrom<String> for Day {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text.len() == 10 && text.starts_with("20") {
            Ok(Self(text))
        } else {
            Err("not a day")
        }
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
                let number = text
                    .strip_prefix('v')
                    .and_then(|number| number.parse().ok());
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
    let found: Vec<_> = found
        .iter()
        .map(|(tool, at, what)| (tool.as_str(), at.as_str(), what.as_str()))
        .collect();
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
        assert!(
            !result.is_error.unwrap_or(false) && text.contains('{'),
            "{name}: {text}"
        );
    }
}
