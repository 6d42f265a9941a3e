//! Corrected calls of tagged enums: the variant that the sent tag is near to, or else all tags.

use crate::{
    harness::{
        client::{Era, connect},
        code, text,
    },
    json_texts::server,
};
use serde_json::json;

#[tokio::test]
async fn the_variant_that_a_tag_is_near_to_is_offered() {
    for era in [Era::Session, Era::Inline] {
        let client = connect(era, &server().build().unwrap()).await;
        for (tool, sent, offered) in [
            (
                "adjacent",
                json!({ "kind": "Between" }),
                "{\"kind\": \"between\", \"value\": {\"from\": <int>, \"to\": <int>}}",
            ),
            (
                "adjacent",
                json!({ "kind": "BETWEEN", "value": { "from": 1 } }),
                "{\"kind\": \"between\", \"value\": {\"from\": 1, \"to\": <int>}}",
            ),
            (
                "adjacent",
                json!({ "kind": "betwen", "value": { "from": 1, "to": 2 } }),
                "{\"kind\": \"between\", \"value\": {\"from\": 1, \"to\": 2}}",
            ),
            (
                "internal",
                json!({ "kind": "Between", "from": 1 }),
                "{\"kind\": \"between\", \"from\": 1, \"to\": <int>}",
            ),
            ("internal", json!({ "kind": "alll" }), "{\"kind\": \"all\"}"),
            (
                "internal",
                json!("between"),
                "{\"kind\": \"between\", \"from\": <int>, \"to\": <int>}",
            ),
            (
                "external",
                json!({ "Between": { "from": 1, "to": 2 } }),
                "{\"between\": {\"from\": 1, \"to\": 2}}",
            ),
            (
                "external",
                json!({ "betwen": { "from": 1 } }),
                "{\"between\": {\"from\": 1, \"to\": <int>}}",
            ),
            ("external", json!("ALL"), "\"all\""),
            ("external", json!({ "All": {} }), "\"all\""),
            (
                "external",
                json!("Between"),
                "{\"between\": {\"from\": <int>, \"to\": <int>}}",
            ),
        ] {
            let called = client.call(tool, json!({ "filter": sent })).await;
            assert_eq!(code(&called), "INVALID_ARGUMENTS", "{tool} {sent}");
            let call =
                format!(":\n{{\"name\": \"{tool}\", \"arguments\": {{\"filter\": {offered}}}}}");
            assert!(
                text(&called).ends_with(&call),
                "{era:?} {tool} {sent}: {called}"
            );
        }
    }
}

#[tokio::test]
async fn a_tag_that_is_near_to_none_may_be_any() {
    for era in [Era::Session, Era::Inline] {
        let client = connect(era, &server().build().unwrap()).await;
        for (tool, sent, offered) in [
            (
                "adjacent",
                json!({ "kind": "exact", "value": 3 }),
                "{\"kind\": <\"all\"|\"between\">, \"value\": 3}",
            ),
            (
                "internal",
                json!({ "kind": "exact", "from": 3 }),
                "{\"kind\": <\"all\"|\"between\">, \"from\": 3}",
            ),
            (
                "internal",
                json!({ "kind": 7 }),
                "{\"kind\": <\"all\"|\"between\">}",
            ),
            (
                "adjacent",
                json!({ "value": 3 }),
                "{\"kind\": <\"all\"|\"between\">, \"value\": 3}",
            ),
        ] {
            let called = client.call(tool, json!({ "filter": sent })).await;
            let call =
                format!("{{\"name\": \"{tool}\", \"arguments\": {{\"filter\": {offered}}}}}");
            assert!(
                text(&called).ends_with(&call),
                "{era:?} {tool} {sent}: {called}"
            );
        }
    }
}
