//! A result has no value before a call, so the schemas of keys decide.

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

#[expect(
    clippy::type_complexity,
    reason = "the check must find a map below other types"
)]
#[pd_tool(summary = "Return a map")]
fn lists() -> Result<Json<Vec<Option<BTreeMap<Pair, Vec<String>>>>>, ToolError> {
    Ok(Json(vec![Some(BTreeMap::from([(Pair(1, 2), Vec::new())]))]))
}

#[pd_tool(summary = "Return a map")]
fn enums() -> Json<HashMap<String, HashMap<Figure, u32>>> {
    let figures = [
        (Figure::Circle { at: Place { x: 1 } }, 1),
        (Figure::Line(Place { x: 2 }), 2),
    ];
    Json(HashMap::from([(String::new(), HashMap::from(figures))]))
}

#[pd_tool(summary = "Return a map")]
fn trees() -> Json<HashMap<Box<Tree>, u32>> {
    Json(HashMap::from([(
        Box::new(Tree {
            children: Vec::new(),
        }),
        1,
    )]))
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
    assert!(
        words.contains("and `Place` is an object; write `Vec<(Place, u32)>`"),
        "{words}"
    );
    for name in ["structs", "lists", "enums", "trees"] {
        let result = registry.call(&(), name, json!({})).await;
        assert!(
            !result.is_ok_and(|result| !result.is_error.unwrap_or(false)),
            "{name} works"
        );
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
        if text == "f" {
            Ok(Self { number: 0 })
        } else {
            Err(serde::de::Error::custom("not f"))
        }
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
    Json(HashMap::from([(
        Side::Left,
        HashMap::from([(uuid::Uuid::nil(), 1)]),
    )]))
}

#[tokio::test]
async fn keys_that_serde_writes_as_texts_are_no_problem() {
    let registry: Registry<()> = pd_runtime::registry! { codes, forgotten, numbers, sides };
    registry.check().unwrap();
    for (name, key) in [
        ("codes", "c1"),
        ("forgotten", "f"),
        ("numbers", "-1"),
        ("sides", "Left"),
    ] {
        let result = registry.call(&(), name, json!({})).await.unwrap();
        let result = result.structured_content.unwrap();
        assert!(result.get(key).is_some(), "{name}: {result}");
    }
    let generic: Registry<Store<String>> = pd_runtime::registry! { Store::<String>::parameters };
    generic.check().unwrap();
}
