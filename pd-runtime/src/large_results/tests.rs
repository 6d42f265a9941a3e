//! Previews and answers of large texts of each kind.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::{
    preview::preview,
    reading::{ReadRequest, read},
    *,
};
use crate::text::token_estimate::estimate_tokens;
use serde_json::json;

/// The most tokens of what a model sees first, and of an answer, with the advice.
const SEEN_MAX: usize = 1_000;
const ANSWER_MAX: usize = 1_500;
const LIFE: Duration = Duration::from_secs(600);

fn log() -> String {
    let line = |number: usize| {
        let level = if number.is_multiple_of(997) {
            "ERROR"
        } else {
            "INFO"
        };
        format!(
            "2026-11-28T10:{:02}:{:02}Z {level} worker-{} request {number} took {} ms\n",
            number / 60 % 60,
            number % 60,
            number % 8,
            number * 7 % 991
        )
    };
    (0..32_000).map(line).collect()
}

fn table() -> String {
    let row = |number: usize| {
        let status = if number.is_multiple_of(213) {
            "failed"
        } else {
            "paid"
        };
        json!({ "id": number, "customer": format!("Customer {number}"), "status": status, "total": number as f64 / 4.0, "note": null })
    };
    json!({ "orders": (0..10_000).map(row).collect::<Vec<_>>(), "next": null }).to_string()
}

fn nested() -> String {
    let item = |number: usize| {
        json!({
            "id": format!("node-{number}"),
            "body": format!("Line one of {number}\nline two, which is longer.\n").repeat(20),
            "meta": { "owner": { "name": format!("owner {}", number % 50), "teams": ["a", "b"] }, "labels/x": number },
        })
    };
    json!({ "data": { "repository": { "issues": { "nodes": (0..5_000).map(item).collect::<Vec<_>>(), "total": 5_000 } } } }).to_string()
}

fn ask(text: &str, request: &ReadRequest) -> String {
    let answer = read(&Document::new(text), request).unwrap();
    assert!(estimate_tokens(&answer) <= ANSWER_MAX, "{answer}");
    answer
}

fn query(words: &str) -> ReadRequest {
    ReadRequest {
        query: Some(words.to_owned()),
        ..ReadRequest::default()
    }
}

#[test]
fn a_preview_has_few_tokens_and_only_whole_values() {
    for text in [log(), table(), nested()] {
        let shown = preview(&Document::new(&text), PREVIEW_TOKENS, LIFE, |_, range| {
            range.to_owned()
        });
        assert!(estimate_tokens(&shown) <= SEEN_MAX, "{shown}");
        assert!(text.len() > 800_000);
    }
    let shown = preview(
        &Document::new(&table()),
        PREVIEW_TOKENS,
        LIFE,
        |_, range| range.to_owned(),
    );
    assert!(shown.contains("{\"orders\": [10,000 × {\"id\": 0, \"customer\": \"Customer 0\", \"status\": \"failed\""), "{shown}");
    assert!(
        shown.contains(
            "#,id,customer,status,total,note\n0,0,Customer 0,failed,0.0,\n1,1,Customer 1,paid,0.25,"
        ),
        "{shown}"
    );
    let shown = preview(
        &Document::new(&nested()),
        PREVIEW_TOKENS,
        LIFE,
        |_, range| range.to_owned(),
    );
    assert!(shown.contains("\"body\": ("), "{shown}");
    let shown = preview(&Document::new(&log()), PREVIEW_TOKENS, LIFE, |_, range| {
        range.to_owned()
    });
    let first = shown.lines().nth(1).unwrap();
    assert!(
        first.starts_with("2026-11-28T10:00:00Z ERROR worker-0 request 0 took 0 ms"),
        "{shown}"
    );
    assert!(
        shown.ends_with(&log().lines().last().unwrap()[30..]),
        "{shown}"
    );
}

#[test]
fn questions_are_answered_in_few_tokens() {
    let found = ask(&log(), &query("error WORKER-3"));
    assert!(
        found.starts_with("[4 lines have all of these words; these are 4"),
        "{found}"
    );
    assert!(found.contains("\n6980: "), "{found}");
    let many = ask(&log(), &query("info"));
    assert!(
        many.contains("lines have all of these words") && many.contains("more words show fewer")
    );
    let failed = ask(
        &table(),
        &ReadRequest {
            columns: vec!["id".into(), "total".into()],
            ..query("status=failed")
        },
    );
    assert!(
        failed.starts_with(
            "[47 of 10,000 rows of /orders match; these are 47]\n#,id,total\n0,0,0.0\n213,213,53.25"
        ),
        "{failed}"
    );
    let rows = ask(
        &table(),
        &ReadRequest {
            rows: Some((9_998, 9_999)),
            ..ReadRequest::default()
        },
    );
    assert!(
        rows.contains("\n9999,9999,Customer 9999,paid,2499.75,"),
        "{rows}"
    );
    let one = ask(
        &nested(),
        &ReadRequest {
            path: Some("/data/repository/issues/nodes/4999/meta".into()),
            ..ReadRequest::default()
        },
    );
    assert_eq!(
        one,
        "{\"owner\":{\"name\":\"owner 49\",\"teams\":[\"a\",\"b\"]},\"labels/x\":4999}"
    );
    let owners = ask(
        &nested(),
        &ReadRequest {
            columns: vec!["id".into()],
            ..query("\"labels/x\":77,")
        },
    );
    assert!(owners.contains("match"), "{owners}");
    let body = ask(
        &nested(),
        &ReadRequest {
            path: Some("/data/repository/issues/nodes/7/body".into()),
            ..ReadRequest::default()
        },
    );
    assert!(body.contains("Line one of 7\nline two"), "{body}");
    let escaped = ask(
        &nested(),
        &ReadRequest {
            path: Some("data/repository/issues/nodes/7/meta/labels~1x".into()),
            ..ReadRequest::default()
        },
    );
    assert_eq!(escaped, "7");
    let shape = ask(&nested(), &ReadRequest::default());
    assert!(
        shape.contains("/data/repository/issues/nodes has 5,000 rows"),
        "{shape}"
    );
}

#[test]
fn all_of_a_result_can_be_read_on_byte_by_byte() {
    let long = format!("{}\n\nlast line without an end: é", "x😀".repeat(3_000));
    let crlf = "one\r\ntwo\r\n".repeat(900);
    let log: String = log().split_inclusive('\n').take(4_000).collect();
    for text in [
        log,
        long,
        crlf,
        json!({ "a": "é".repeat(9_000) }).to_string(),
    ] {
        let document = Document::new(&text);
        let mut whole = String::new();
        let mut next = Some((1, 400));
        while let Some((first, last)) = next {
            let request = ReadRequest {
                lines: Some((first, last)),
                ..ReadRequest::default()
            };
            let answer = read(&document, &request).unwrap();
            let (head, shown) = answer.split_once('\n').unwrap();
            whole.push_str(shown);
            next = head.split_once("next: `lines`: \"").map(|(_, range)| {
                let (first, last) = range.trim_end_matches("\"]").split_once('-').unwrap();
                (first.parse().unwrap(), last.parse().unwrap())
            });
        }
        assert!(whole == text, "{} of {} bytes", whole.len(), text.len());
    }
}

#[test]
fn errors_say_what_to_send() {
    let refused =
        |text: &str, request: ReadRequest| read(&Document::new(text), &request).unwrap_err();
    assert!(refused("a\nb\n", ReadRequest::default()).contains("name `lines`"));
    assert_eq!(
        refused(
            "a\nb\n",
            ReadRequest {
                lines: Some((3, 9)),
                ..ReadRequest::default()
            }
        ),
        "there are 2 lines: name some of them, such as \"1-2\""
    );
    let column = refused(
        &table(),
        ReadRequest {
            columns: vec!["price".into()],
            ..ReadRequest::default()
        },
    );
    assert_eq!(
        column,
        "`price` is not a column; the columns are id, customer, status, total, note"
    );
    let path = refused(
        &table(),
        ReadRequest {
            path: Some("/order".into()),
            ..ReadRequest::default()
        },
    );
    assert!(
        path.starts_with("there is nothing at `/order`; the shape is {\"orders\": ["),
        "{path}"
    );
    let rows = refused(
        "{\"a\": {}}",
        ReadRequest {
            rows: Some((0, 1)),
            ..ReadRequest::default()
        },
    );
    assert!(rows.contains("no rows"), "{rows}");
}

/// A stranger chooses the text.
#[test]
fn odd_documents_are_previewed_and_read() {
    let wide: serde_json::Map<_, _> = (0..9_000)
        .map(|key| (format!("key {key}"), json!([key])))
        .collect();
    let of_wide_rows = json!((0..40).map(|_| wide.clone()).collect::<Vec<_>>());
    let deep = format!("{}1{}", "[".repeat(120), "]".repeat(120));
    for text in [
        String::new(),
        "[]".to_owned(),
        "{}".to_owned(),
        "[1,2,3]".to_owned(),
        "[[],{},null,\"\"]".to_owned(),
        "{ not json".to_owned(),
        "\n".repeat(5_000),
        Value::Object(wide).to_string(),
        of_wide_rows.to_string(),
        json!([{ "k".repeat(90_000): 1 }, { "k": "v".repeat(90_000) }]).to_string(),
        deep,
        "[".repeat(9_000),
        "a,\"b\nc\"\r\n".repeat(2_000),
    ] {
        let document = Document::new(&text);
        preview(&document, PREVIEW_TOKENS, LIFE, |_, range| range.to_owned());
        for request in [
            ReadRequest::default(),
            query("key=1 x"),
            ReadRequest {
                rows: Some((0, usize::MAX)),
                ..ReadRequest::default()
            },
            ReadRequest {
                rows: Some((usize::MAX, usize::MAX)),
                ..query("a")
            },
            ReadRequest {
                lines: Some((0, usize::MAX)),
                ..ReadRequest::default()
            },
            ReadRequest {
                lines: Some((usize::MAX, usize::MAX)),
                ..ReadRequest::default()
            },
            ReadRequest {
                path: Some("/0".into()),
                ..ReadRequest::default()
            },
            ReadRequest {
                path: Some(String::new()),
                ..query("v")
            },
        ] {
            let _ = read(&document, &request);
        }
    }
}
