//! Messages between a gateway and its upstreams.

use super::*;

#[tokio::test]
async fn metadata_of_the_client_is_forwarded_and_that_of_a_hop_made_anew() {
    let desk = Desk::new();
    let gateway = desk.one(&["modern"], json!({})).await;
    let client = connect(Era::Session, &serve(&gateway)).await;
    client.describe("s__echo").await;
    let meta = json!({ "com.example/trace": { "id": 7 }, "dev.pd-runtime/ticket": "none", "progressToken": "mine" });
    let result = client
        .call_with_meta("s__echo", json!({}), meta)
        .await
        .unwrap();
    let meta = &result["structuredContent"]["params"]["_meta"];
    assert_eq!(meta["com.example/trace"], json!({ "id": 7 }));
    assert_eq!(
        meta["io.modelcontextprotocol/clientInfo"]["name"],
        "pd-gateway"
    );
    assert!(meta.get("dev.pd-runtime/ticket").is_none(), "{meta}");
    assert!(meta["progressToken"].is_u64(), "{meta}");
}

#[tokio::test]
async fn progress_is_forwarded_with_the_clients_token() {
    let desk = Desk::new();
    let gateway = desk.one(&[], json!({})).await;
    let client = connect(Era::Session, &serve(&gateway)).await;
    client.describe("s__count").await;
    client.call("s__count", json!({})).await;
    let noticed = client.noticed.progress.lock().unwrap().clone();
    let steps: Vec<_> = noticed
        .iter()
        .map(|report| (report.progress, report.total, report.message.clone()))
        .collect();
    let step = |number: u8| (f64::from(number), Some(3.0), Some(format!("step {number}")));
    assert_eq!(steps, [step(1), step(2), step(3)]);
}

#[tokio::test]
async fn odd_progress_is_read_as_it_is_meant_or_left_out() {
    let upstream = super::raw::RawUpstream::open("stdio").await;
    let report = |rest: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":$ID,{rest}}}}}"#
        )
    };
    let lines = [
        report(r#""progress":1"#),
        report(r#""progress":"2","total":"4""#),
        report(r#""progress":null"#),
        report(r#""progress":"many""#),
        report(r#""progress":3,"total":[],"message":"three""#),
        r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[]}}"#.to_owned(),
    ];
    upstream.call(json!({ "lines": lines })).await;
    let noticed = upstream.client.noticed.progress.lock().unwrap().clone();
    let reports: Vec<_> = noticed
        .iter()
        .map(|report| (report.progress, report.total, report.message.as_deref()))
        .collect();
    assert_eq!(
        reports,
        [
            (1.0, None, None),
            (2.0, Some(4.0), None),
            (3.0, None, Some("three"))
        ]
    );
}

#[tokio::test]
async fn a_call_that_the_client_cancels_is_cancelled_at_the_upstream() {
    let desk = Desk::new();
    let gateway = desk.one(&[], json!({})).await;
    let client = connect(Era::Session, &serve(&gateway)).await;
    client.describe("s__wait").await;
    let call = client.start("s__wait").await;
    until("the call", || desk.log("s").contains(r#""name":"wait""#)).await;
    call.cancel(Some("enough".to_owned())).await.unwrap();
    until("the cancellation", || {
        desk.log("s").contains("notifications/cancelled")
    })
    .await;
    let cancelled = desk
        .log("s")
        .lines()
        .rev()
        .find_map(|line| serde_json::from_str::<Value>(line).ok())
        .unwrap();
    assert!(cancelled["params"]["requestId"].is_u64(), "{cancelled}");
}

#[tokio::test]
async fn a_call_of_an_upstream_that_hangs_times_out() {
    let desk = Desk::new();
    let gateway = desk
        .one(&[], json!({ "tools": { "wait": { "timeout": 0.3 } } }))
        .await;
    let client = connect(Era::Session, &serve(&gateway)).await;
    client.describe("s__wait").await;
    let result = client.call("s__wait", json!({})).await;
    assert!(text(&result).contains("TIMEOUT"), "{result}");
    until("the cancellation", || {
        desk.log("s").contains("notifications/cancelled")
    })
    .await;
    assert_succeeded(&client.call_described("s__echo", json!({})).await);
}

#[tokio::test]
async fn what_is_no_message_is_skipped_and_odd_ids_do_no_harm() {
    let desk = Desk::new();
    let gateway = desk.one(&["garbage", "wrong_ids", "asks"], json!({})).await;
    let client = connect(Era::Session, &serve(&gateway)).await;
    let result = client
        .call_described("s__echo", json!({ "text": "x" }))
        .await;
    assert_eq!(
        result["structuredContent"]["params"]["arguments"],
        json!({ "text": "x" })
    );
    assert!(
        desk.log("s").contains(r#""code":-32601"#),
        "its own request was answered"
    );
}

#[tokio::test]
async fn a_line_that_cannot_be_read_fails_its_call_alone() {
    let desk = Desk::new();
    let gateway = desk.one(&[], json!({})).await;
    let client = connect(Era::Session, &serve(&gateway)).await;
    let result = client.call_described("s__huge", json!({})).await;
    assert!(
        text(&result).contains("RESPONSE_TOO_LARGE"),
        "{result:.500}"
    );
    let result = client.call_described("s__deep", json!({})).await;
    assert!(text(&result).contains("nested over 128 deep"), "{result}");
    assert_succeeded(&client.call_described("s__echo", json!({})).await);
    assert_eq!(
        desk.log("s")
            .lines()
            .filter(|line| *line == "started")
            .count(),
        1,
        "the same process"
    );
}

#[tokio::test]
async fn an_error_of_the_upstream_reaches_the_client_as_it_is() {
    let desk = Desk::new();
    let gateway = desk.one(&[], json!({})).await;
    let client = connect(Era::Session, &serve(&gateway)).await;
    client.describe("s__refuse").await;
    let error = crate::harness::client::error_of(client.try_call("s__refuse", json!({})).await);
    assert_eq!(
        (error.code.0, error.message.as_ref(), error.data),
        (-32050, "no", Some(json!({ "why": [1] })))
    );
}
