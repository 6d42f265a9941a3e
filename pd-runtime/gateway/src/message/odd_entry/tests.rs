//! Entries with odd keys, each with what clients are listed.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use super::*;
use crate::lists::list::{ListKind, PROMPTS, RESOURCES, TEMPLATES, TOOLS};
use rmcp::model::{ContentBlock, Prompt, Resource, ResourceTemplate, Tool};
use serde::de::DeserializeOwned;

/// Mends an entry of a name and one key, and checks what is left of the key.
fn check<T: DeserializeOwned>(kind: ListKind, base: &Value, key: &str, odd: Value, mended: &Value) {
    let mut entry = base.clone();
    entry[key] = odd.clone();
    assert_eq!(
        serde_json::from_value::<T>(entry.clone()).is_ok(),
        odd == *mended,
        "{key}: {odd}"
    );
    mend_entry(kind.key, kind.name, &mut entry);
    let left = entry.get(key).cloned().unwrap_or_default();
    assert_eq!(left, *mended, "{key}: {odd}");
    assert_eq!(check_type::<T>(&entry), Ok(()), "{entry}");
}

#[test]
fn a_tool_keeps_its_other_keys() {
    let base = json!({ "name": "t", "description": "d", "inputSchema": { "type": "object" } });
    for (key, odd, mended) in [
        ("title", json!(5), json!("5")),
        ("title", json!(["a"]), json!(null)),
        ("description", json!({}), json!(null)),
        ("_meta", json!([]), json!(null)),
        ("_meta", json!("x"), json!(null)),
        ("annotations", json!([]), json!(null)),
        ("annotations", json!("x"), json!(null)),
        (
            "annotations",
            json!({ "readOnlyHint": "true", "destructiveHint": 0, "title": 1, "x": [] }),
            json!({ "readOnlyHint": true, "destructiveHint": false, "title": "1", "x": [] }),
        ),
        (
            "annotations",
            json!({ "destructiveHint": "", "openWorldHint": "maybe" }),
            json!({}),
        ),
        (
            "icons",
            json!([{ "src": "a", "sizes": "48x48" }]),
            json!([{ "src": "a", "sizes": ["48x48"] }]),
        ),
        (
            "icons",
            json!([{ "src": "a", "sizes": "16x16 32x32" }, { "sizes": [] }, 1]),
            json!([{ "src": "a", "sizes": ["16x16", "32x32"] }]),
        ),
        (
            "icons",
            json!([{ "src": "a", "sizes": 48, "theme": "blue", "mimeType": [] }]),
            json!([{ "src": "a" }]),
        ),
        ("icons", json!({ "src": "a" }), json!([{ "src": "a" }])),
        ("icons", json!("a"), json!(null)),
        (
            "icons",
            json!([{ "src": "a", "sizes": ["any"], "theme": "dark", "x": 1 }]),
            json!([{ "src": "a", "sizes": ["any"], "theme": "dark", "x": 1 }]),
        ),
    ] {
        check::<Tool>(TOOLS, &base, key, odd, &mended);
    }
}

#[test]
fn a_resource_keeps_its_other_keys() {
    let base = json!({ "uri": "memo://a", "name": "a" });
    for (key, odd, mended) in [
        ("name", json!(null), json!("memo://a")),
        ("name", json!([]), json!("memo://a")),
        ("name", json!(7), json!("7")),
        ("size", json!(12.0), json!(12)),
        ("size", json!("12"), json!(12)),
        ("size", json!(-1), json!(null)),
        ("size", json!(1.5), json!(null)),
        ("size", json!(1e300), json!(null)),
        ("size", json!("12 kB"), json!(null)),
        ("mimeType", json!(["text/plain"]), json!(null)),
        ("annotations", json!([]), json!(null)),
        (
            "annotations",
            json!({ "audience": ["user", "system"], "priority": "0.5", "lastModified": 5 }),
            json!({ "audience": ["user"], "priority": 0.5 }),
        ),
        (
            "annotations",
            json!({ "audience": ["everyone"], "priority": "high" }),
            json!({}),
        ),
        (
            "annotations",
            json!({ "audience": "user" }),
            json!({ "audience": ["user"] }),
        ),
    ] {
        check::<Resource>(RESOURCES, &base, key, odd.clone(), &mended);
        if key != "size" {
            let base = json!({ "uriTemplate": "memo://a", "name": "a" });
            check::<ResourceTemplate>(TEMPLATES, &base, key, odd, &mended);
        }
    }
}

#[test]
fn a_prompt_keeps_its_other_keys() {
    let base = json!({ "name": "p" });
    for (key, odd, mended) in [
        ("description", json!(1), json!("1")),
        ("arguments", json!({}), json!(null)),
        ("arguments", json!("who"), json!(null)),
        (
            "arguments",
            json!({ "who": { "required": "true" }, "x": 1 }),
            json!([{ "name": "who", "required": true }]),
        ),
        (
            "arguments",
            json!([{ "name": "a", "required": "false", "description": [] }, { "required": true }, "b"]),
            json!([{ "name": "a", "required": false }, { "name": "b" }]),
        ),
        ("arguments", json!([]), json!([])),
    ] {
        check::<Prompt>(PROMPTS, &base, key, odd, &mended);
    }
    let mut twice =
        json!({ "name": "p", "arguments": [{ "name": "a" }, { "name": "a", "title": "x" }] });
    mend_entry(PROMPTS.key, PROMPTS.name, &mut twice);
    assert_eq!(twice["arguments"], json!([{ "name": "a" }]));
}

#[test]
fn a_block_keeps_its_text() {
    for (mut odd, mended) in [
        (
            json!({ "type": "text", "text": "a", "annotations": [], "_meta": [] }),
            json!({ "type": "text", "text": "a" }),
        ),
        (
            json!({ "type": "resource_link", "uri": "memo://a", "size": 1.0, "icons": [{ "src": "a", "sizes": "any" }] }),
            json!({ "type": "resource_link", "uri": "memo://a", "size": 1, "icons": [{ "src": "a", "sizes": ["any"] }], "name": "memo://a" }),
        ),
        (
            json!({ "type": "resource", "resource": { "uri": "a", "text": "a", "mimeType": [], "_meta": "" } }),
            json!({ "type": "resource", "resource": { "uri": "a", "text": "a" } }),
        ),
    ] {
        assert!(serde_json::from_value::<ContentBlock>(odd.clone()).is_err());
        mend_block(&mut odd);
        assert_eq!(odd, mended);
        assert!(serde_json::from_value::<ContentBlock>(odd).is_ok());
    }
}

/// Some servers write each key that has no value, which clients refuse with the whole list.
#[test]
fn a_null_is_left_out_of_known_keys_alone() {
    let keys = |keys: &[&str]| -> JsonObject {
        let keys = keys.iter().map(|key| ((*key).to_owned(), Value::Null));
        keys.chain([("xMore".to_owned(), Value::Null)]).collect()
    };
    for (kind, id, nulls) in [
        (
            TOOLS,
            "name",
            keys(&[
                "title",
                "description",
                "outputSchema",
                "annotations",
                "icons",
                "_meta",
            ]),
        ),
        (
            PROMPTS,
            "name",
            keys(&["title", "description", "arguments", "icons", "_meta"]),
        ),
        (
            RESOURCES,
            "uri",
            keys(&[
                "title",
                "description",
                "mimeType",
                "size",
                "annotations",
                "icons",
                "_meta",
            ]),
        ),
        (
            TEMPLATES,
            "uriTemplate",
            keys(&[
                "title",
                "description",
                "mimeType",
                "annotations",
                "icons",
                "_meta",
            ]),
        ),
    ] {
        let named = json!({ id: "a", "name": "a", "xMore": null });
        let mut entry = Value::Object(nulls);
        entry
            .as_object_mut()
            .unwrap()
            .extend(named.as_object().unwrap().clone());
        mend_entry(kind.key, kind.name, &mut entry);
        assert_eq!(entry, named, "{}", kind.key);
    }
    let mut entry = json!({ "name": "p", "arguments": [{ "name": "a", "required": null }], "icons": [{ "src": "a", "sizes": null }] });
    mend_entry("prompts", "name", &mut entry);
    assert_eq!(
        entry,
        json!({ "name": "p", "arguments": [{ "name": "a" }], "icons": [{ "src": "a" }] })
    );
    let mut entry = json!({ "name": "t", "annotations": { "title": null }, "inputSchema": { "default": null } });
    mend_entry("tools", "name", &mut entry);
    assert_eq!(
        entry,
        json!({ "name": "t", "annotations": {}, "inputSchema": { "default": null } })
    );
    let mut block = json!({ "type": "resource", "resource": { "uri": "a", "text": "a", "mimeType": null }, "annotations": null, "_meta": null });
    mend_block(&mut block);
    assert_eq!(
        block,
        json!({ "type": "resource", "resource": { "uri": "a", "text": "a" } })
    );
}
