//! How programs end, and what their callers read.

use super::{builder, client_of, error, message, mode, run, run_with, texts};
use crate::harness::advice;
use serde_json::{Value, json};
use std::time::Duration;

#[tokio::test]
async fn a_text_is_returned_as_it_is_and_logs_follow() {
    let client = client_of(builder().code_mode(mode())).await;
    let result = run(&client, "console.log('a', { b: 1 }); return 'two\\nlines'").await;
    assert_eq!(texts(&result), ["two\nlines", "Logs:\na {\"b\":1}"]);
    assert_eq!(result.get("isError"), None);
    let nothing = run(&client, "1 + 1").await;
    assert_eq!(
        texts(&nothing),
        ["The program returned nothing: end it with `return`."]
    );
}

#[tokio::test]
async fn an_error_has_its_line_its_logs_and_the_calls_that_ran() {
    let client = client_of(builder().code_mode(mode())).await;
    let result = run(
        &client,
        "await tools.orders({});\nconsole.log('here');\nnull.x;",
    )
    .await;
    let expected = json!({
        "code": "PROGRAM_FAILED",
        "message": "TypeError: cannot read property 'x' of null",
        "line": 3,
        "calls_that_ran": ["orders"],
    });
    assert_eq!(
        (error(&result), advice(&result)),
        (expected, vec!["Logs:\nhere"])
    );
}

#[tokio::test]
async fn mistakes_that_models_make_are_explained() {
    for (code, expected) in [
        (
            "const x: string = 'a'; return x",
            "leave out type annotations",
        ),
        (
            "function f(a: number) { return a } return f(1)",
            "leave out type annotations",
        ),
        (
            "interface Order { id: number }\nreturn 1",
            "leave out type annotations",
        ),
        ("import fs from 'fs'; return 1", "A program imports nothing"),
        (
            "return tools.orders('ten')",
            "tools.orders takes one object",
        ),
        (
            "return await fetch('http://localhost')",
            "fetch is not defined",
        ),
        (
            "return await orders({})",
            "orders is not defined: tools are members of `tools`; write `tools.orders({...})`",
        ),
        ("return (", "SyntaxError"),
    ] {
        let result = run_with(mode(), code).await;
        assert!(message(&result).contains(expected), "{code}: {result}");
    }
    let client = client_of(builder().code_mode(mode())).await;
    assert_eq!(texts(&run(&client, "```js\nreturn 1\n```").await), ["1"]);
    let empty = client.call("run_code", json!({ "code": " " })).await;
    assert!(
        texts(&empty)[0].starts_with("`code` must be a JavaScript program"),
        "{empty}"
    );
    let long = run_with(mode().code_bytes(100), &"1;".repeat(60)).await;
    assert!(
        texts(&long)[0].starts_with("the program has 120 bytes, over the limit of 100"),
        "{long}"
    );
}

#[tokio::test]
async fn a_long_answer_is_cut_to_json_and_says_what_is_missing() {
    let result = run_with(
        mode().answer_bytes(1_000),
        "return { all: await tools.orders({ limit: 1000 }) }",
    )
    .await;
    let part: Value = serde_json::from_str(texts(&result)[0]).unwrap();
    let shown = part["all"].as_array().unwrap().len();
    assert!(texts(&result)[0].len() <= 1_000 && shown > 10);
    let note = texts(&result)[1];
    assert!(
        note.contains(&format!("{} of 1000 items of /all", 1000 - shown)),
        "{note}"
    );
}

#[tokio::test]
async fn rows_that_do_not_fit_wait_on_the_data_plane() {
    use crate::harness::client::{Era, connect_to};
    use pd_runtime::serve::{Http, HttpOptions};
    let server = builder()
        .code_mode(mode().answer_bytes(1_000))
        .build()
        .unwrap();
    let http = Http::bind("127.0.0.1:0").await.unwrap();
    let url = http.url();
    tokio::spawn(async move { http.serve(&server, HttpOptions::default()).await });
    let client = connect_to(Era::HttpSession, &url, None, json!({})).await;
    client
        .call("describe_tools", json!({ "names": ["orders"] }))
        .await;
    let result = run(&client, "return await tools.orders({ limit: 1000 })").await;
    let note = texts(&result)[1];
    let (_, url) = note
        .split_once("All rows, for a tool that takes a `resource_url`: ")
        .unwrap_or_else(|| panic!("{note}"));
    let rows: Value = reqwest::Client::new()
        .post(url)
        .json(&json!({}))
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    assert_eq!(rows["total_rows"], 1000);
}

#[tokio::test]
async fn texts_of_a_program_are_bounded() {
    let mode = mode().log_bytes(100).thrown_bytes(200);
    let result = run_with(
        mode,
        "console.log('l'.repeat(5000)); throw new Error('e'.repeat(5000))",
    )
    .await;
    assert!(message(&result).len() <= 200 + "Error: ".len(), "{result}");
    assert!(advice(&result)[0].len() <= 100 + "Logs:\n".len());
    let answer = run_with(
        super::mode().result_bytes(10_000),
        "return 'x'.repeat(20000)",
    )
    .await;
    assert!(
        message(&answer).starts_with("AnswerTooLarge: the answer has 20002 bytes"),
        "{answer}"
    );
    let large = run_with(
        super::mode().result_bytes(1_000),
        "return await tools.orders({ limit: 1000 })",
    )
    .await;
    assert_eq!(error(&large)["tool_code"], "RESPONSE_TOO_LARGE");
}

#[tokio::test]
async fn nothing_depends_on_time_or_chance() {
    let program = "const at = Date.now(); await tools.wait({ milliseconds: 20 }); \
                   return [Date.now() === at, new Date().getTime() === at, typeof setTimeout, typeof performance]";
    assert_eq!(
        texts(&run_with(mode(), program).await),
        ["[true,true,\"undefined\",\"undefined\"]"]
    );
    assert!(message(&run_with(mode(), "return Math.random()").await).contains("no random numbers"));
}

#[tokio::test]
async fn a_worker_that_cannot_run_is_an_answer_and_tells_no_path() {
    for worker in ["/nothing/here", "/bin/cat", "/bin/true"] {
        let result = run_with(pd_runtime::code::CodeMode::new(worker), "return 1").await;
        assert!(
            message(&result).starts_with("Unavailable: the server cannot run programs"),
            "{result}"
        );
        assert!(!result.to_string().contains(worker));
    }
}

#[tokio::test]
async fn a_run_ends_at_its_time() {
    let started = std::time::Instant::now();
    let program = "await tools.wait({ milliseconds: 60000 })";
    let result = run_with(mode().run_timeout(Duration::from_millis(200)), program).await;
    assert!(
        message(&result).starts_with("Timeout: the run was ended after 200ms"),
        "{result}"
    );
    let client = client_of(builder().code_mode(mode())).await;
    let result = client
        .call("run_code", json!({ "code": program, "timeout_ms": 200 }))
        .await;
    assert!(
        message(&result).starts_with("Timeout: the run was ended after 200ms"),
        "{result}"
    );
    assert!(started.elapsed() < Duration::from_secs(10));
}
