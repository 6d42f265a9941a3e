//! serde reads a number from a key, but not where it buffers the map.

use super::*;
use pd_runtime::check::Lint;

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(
    dead_code,
    reason = "serde fills the fields in, and `Debug` alone reads them"
)]
#[serde(untagged)]
enum Untagged {
    Counts(HashMap<u32, u8>),
    Text(String),
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(
    dead_code,
    reason = "serde fills the fields in, and `Debug` alone reads them"
)]
#[serde(tag = "kind")]
enum Kinds {
    Counts { by_number: BTreeMap<Id, u8> },
    Empty,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(
    dead_code,
    reason = "serde fills the fields in, and `Debug` alone reads them"
)]
struct Rest {
    #[serde(flatten)]
    rest: HashMap<std::num::NonZeroI64, u8>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(
    dead_code,
    reason = "serde fills the fields in, and `Debug` alone reads them"
)]
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
    let remarks = registry
        .lint()
        .into_iter()
        .filter(|remark| remark.lint == Lint::NumberKeys);
    let remarks: Vec<_> = remarks
        .map(|remark| (remark.tool, remark.message))
        .collect();
    let places: Vec<_> = remarks
        .iter()
        .map(|(tool, words)| (tool.as_str(), words.split('`').nth(1).unwrap()))
        .collect();
    assert_eq!(
        places,
        [
            ("untagged", "/it"),
            ("kinds", "/it/by_number"),
            ("rest", "/it")
        ]
    );
    for (name, it, is_read) in [
        ("untagged", json!({ "1": 1 }), false),
        (
            "kinds",
            json!({ "kind": "Counts", "by_number": { "1": 1 } }),
            false,
        ),
        ("rest", json!({ "1": 1 }), false),
        (
            "plain",
            json!({ "counts": { "1": { "2": { "-3": 4 } } } }),
            true,
        ),
    ] {
        let result = registry.call(&(), name, json!({ "it": it })).await;
        assert_eq!(
            result.is_ok_and(|result| !result.is_error.unwrap_or(false)),
            is_read,
            "{name}"
        );
    }
}
