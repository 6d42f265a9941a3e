//! Tests of the redaction of results, and of results that are not changed.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use super::*;
use rmcp::model::EmbeddedResource;
use serde_json::json;
use std::time::Duration;

const ANSWER: &str = r#"{
    "total_rows": 2, "columns": ["event", "n"], "abstract": [{"_row_id": 0, "event": "W\u0069nd"}, {"_row_id": 1}],
    "body": [{"_row_id": 0, "n": 1e400}, {"_row_id": 1, "n": 0.10}], "more": 12345678901234567890123
}"#;

struct Seen {
    result: CallToolResult,
    handles: RowHandles,
    owner: CacheScope,
}

fn seen_with(result: CallToolResult, handles: RowHandles) -> Seen {
    let mut seen = Seen {
        result,
        handles,
        owner: CacheScope::new(None),
    };
    redact(&mut seen.result, &seen.handles, &seen.owner);
    seen
}

fn seen(texts: &[&str], structured: Option<Value>) -> Seen {
    let mut result =
        CallToolResult::success(texts.iter().map(|text| ContentBlock::text(*text)).collect());
    result.structured_content = structured;
    seen_with(result, RowHandles::new())
}

impl Seen {
    fn text(&self, at: usize) -> &str {
        &self.result.content[at].as_text().unwrap().text
    }

    fn rows(&self, handle: &Value, numbers: &[i64]) -> Option<String> {
        self.handles
            .borrow(&self.owner, handle.as_str().unwrap())
            .ok()?
            .rows()
            .select(numbers)
    }
}

#[test]
fn the_body_is_taken_out_and_all_else_stays_as_it_was_written() {
    let seen = seen(&[ANSWER, "and a word"], None);
    let told = seen.text(0).to_owned();
    let (before, after) = told.split_once(r#""resource_url":"ddi://"#).unwrap();
    assert!(
        before.ends_with(r#""abstract":[{"_row_id": 0, "event": "W\u0069nd"}, {"_row_id": 1}],"#),
        "{before}"
    );
    assert_eq!(&after[39..], r#"","more":12345678901234567890123}"#);
    let told: Value = serde_json::from_str(&told.replace("12345678901234567890123", "0")).unwrap();
    assert_eq!(
        seen.rows(&told["resource_url"], &[0]).unwrap(),
        r#"[{"_row_id": 0, "n": 1e400}]"#
    );
    assert_eq!(seen.text(1), "and a word");
}

#[test]
fn copies_of_the_same_rows_have_one_handle() {
    let answer =
        json!({ "abstract": [{ "_row_id": 0 }], "body": [{ "_row_id": 0, "secret": "x" }] });
    let text = serde_json::to_string_pretty(&answer).unwrap();
    for structured in [
        answer.clone(),
        json!({ "result": text }),
        json!({ "result": answer }),
    ] {
        let twin = structured.to_string();
        let seen = seen(&[&text, &twin], Some(structured));
        let all = serde_json::to_string(&seen.result).unwrap();
        assert!(!all.contains("secret"), "{all}");
        let handle: Value =
            serde_json::from_str::<Value>(seen.text(0)).unwrap()["resource_url"].take();
        assert_eq!(all.matches(handle.as_str().unwrap()).count(), 3, "{all}");
        assert_eq!(seen.handles.len(), 1);
    }
}

#[test]
fn other_rows_in_one_result_have_a_handle_of_their_own() {
    let answer = |area: &str| {
        json!({ "abstract": [], "body": [{ "_row_id": 0, "area": area }] }).to_string()
    };
    let seen = seen(&[&answer("coast"), &answer("valley")], None);
    assert_eq!(seen.handles.len(), 2);
    let second: Value = serde_json::from_str(seen.text(1)).unwrap();
    assert!(
        seen.rows(&second["resource_url"], &[0])
            .unwrap()
            .contains("valley")
    );
}

#[test]
fn an_embedded_text_is_a_copy_too() {
    let resource = ResourceContents::text(ANSWER, "weather://alerts");
    let result = CallToolResult::success(vec![ContentBlock::Resource(EmbeddedResource::new(
        resource,
    ))]);
    let seen = seen_with(result, RowHandles::new());
    assert!(
        !serde_json::to_string(&seen.result)
            .unwrap()
            .contains("1e400")
    );
    assert_eq!(seen.handles.len(), 1);
}

#[test]
fn no_second_body_and_no_other_url_stays() {
    let answer = r#"{"resource_url":"","abstract":[],"body":[],"body":[{"_row_id":3,"secret":1}]}"#;
    let seen = seen(&[answer], None);
    let told: Value = serde_json::from_str(seen.text(0)).unwrap();
    assert!(!seen.text(0).contains("secret") && seen.text(0).matches("resource_url").count() == 1);
    assert!(seen.rows(&told["resource_url"], &[3]).is_some());
}

#[test]
fn all_other_results_pass_byte_for_byte() {
    let texts = [
        r#"{ "abstract": [{"_row_id":0}],  "resource_url": "http://127.0.0.1/s2sp/data/x" }"#,
        r#"{ "abstract": "A paper.", "body": "Its text." }"#,
        r#"{ "abstract": ["A paper."], "body": ["Its text."] }"#,
        r#"{ "abstract": [{"_row_id":0}], "body": null }"#,
        r#"[{ "abstract": [], "body": [] }]"#,
        r#"{ "abstract": [{}], "body": [{}]"#,
        "an abstract and a body",
        r#"{"result":{"result":{"result":{"result":{"abstract":[],"body":[]}}}}}"#,
    ];
    for text in texts {
        let structured: Option<Value> = serde_json::from_str(text).ok();
        let seen = seen(&[text], structured.clone());
        assert_eq!(
            (seen.text(0), &seen.result.structured_content),
            (text, &structured)
        );
        assert!(seen.handles.is_empty());
    }
}

#[test]
fn rows_that_cannot_be_kept_are_no_more_seen_than_others() {
    let result = CallToolResult::success(vec![ContentBlock::text(ANSWER)]);
    let seen = seen_with(result, RowHandles::bounded(8, 50, Duration::from_secs(600)));
    assert!(!seen.text(0).contains("1e400") && !seen.text(0).contains("ddi://"));
    assert!(
        seen.text(0).contains("request fewer rows"),
        "{}",
        seen.text(0)
    );
}

#[test]
fn numbers_that_json_does_not_have_are_null_and_hide_nothing() {
    let answer = r#"{
        "total_rows": 2, "abstract": [{"_row_id": 0, "event": "NaN"}, {"_row_id": 1, "event": Infinity}],
        "body": [{"_row_id": 0, "n": NaN, "words": "say \"NaN\""}, {"_row_id": 1, "n": -Infinity}]
    }"#;
    let twin = json!({ "result": answer });
    let seen = seen(&[answer, &twin.to_string()], Some(twin));
    let all = serde_json::to_string(&seen.result).unwrap();
    assert!(!all.contains("words") && seen.handles.len() == 1, "{all}");
    let told: Value = serde_json::from_str(seen.text(0)).unwrap();
    assert_eq!(
        told["abstract"],
        json!([{ "_row_id": 0, "event": "NaN" }, { "_row_id": 1, "event": null }])
    );
    let rows = seen.rows(&told["resource_url"], &[0, 1]).unwrap();
    let handed =
        json!([{ "_row_id": 0, "n": null, "words": "say \"NaN\"" }, { "_row_id": 1, "n": null }]);
    assert_eq!(serde_json::from_str::<Value>(&rows).unwrap(), handed);
}

#[test]
fn a_body_without_rows_needs_no_handle() {
    for abstract_rows in ["[]", r#"[{"_row_id":0,"event":"Wind"}]"#] {
        let seen = seen(
            &[&format!(r#"{{"abstract":{abstract_rows},"body":[]}}"#)],
            None,
        );
        assert_eq!(
            seen.text(0),
            format!("{{\"abstract\":{abstract_rows},\"resource_url\":\"\"}}")
        );
        assert!(seen.handles.is_empty());
    }
}
