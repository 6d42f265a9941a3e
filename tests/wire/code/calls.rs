//! The calls of a program take the way of every other call.

use super::{Desk, builder, builder_with, client_of, error, message, mode, run, run_with, texts};
use crate::{
    harness::{
        client::{Client, Era, connect, connect_to, connect_with},
        names,
        site::Site,
    },
    seen::Kept,
};
use pd_runtime::{Limits, audit::AuditDetail, config::Rate};
use rmcp::{
    model::{CallToolRequest, CallToolRequestParams, ClientRequest},
    service::PeerRequestOptions,
};
use serde_json::{Value, json};
use std::{sync::atomic::Ordering, time::Duration};

/// The list entry of `run_code`.
async fn listed(client: &Client) -> Value {
    client.list().await["tools"]
        .as_array()
        .unwrap()
        .last()
        .unwrap()
        .clone()
}

#[tokio::test]
async fn the_list_is_three_tools_and_a_program_returns_one_answer() {
    for era in Era::ALL {
        let client = connect(era, &builder().code_mode(mode()).build().unwrap()).await;
        assert_eq!(
            names(&client.list().await["tools"]),
            ["find_tools", "describe_tools", "run_code"],
            "{era:?}"
        );
        let program = "
            await tools.describe('orders');
            const orders = await tools.orders({ limit: 100 });
            const totals = {};
            for (const { customer, total } of orders) totals[customer] = (totals[customer] ?? 0) + total;
            return totals;";
        let result = run(&client, program).await;
        assert_eq!(
            texts(&result),
            ["{\"c0\":1683,\"c1\":1617,\"c2\":1650}"],
            "{era:?}: {result}"
        );
    }
}

#[tokio::test]
async fn a_tool_whose_description_was_not_read_fails_with_its_signature() {
    for era in Era::ALL {
        let client = connect(era, &builder().code_mode(mode()).build().unwrap()).await;
        let refused = run(&client, "return await tools.orders({})").await;
        let error = error(&refused);
        assert_eq!(error["tool_code"], "TOOL_DESCRIPTION_REQUIRED", "{era:?}");
        assert!(
            error["message"]
                .as_str()
                .unwrap()
                .contains("limit?: int(0..10000) = 10"),
            "{error}"
        );
        assert_eq!(
            error["calls_that_ran"],
            json!(["orders: TOOL_DESCRIPTION_REQUIRED"])
        );
        if era.has_session() {
            let result = run(&client, "return (await tools.orders({})).length").await;
            assert_eq!(texts(&result), ["10"]);
        }
    }
}

#[tokio::test]
async fn a_ticket_of_a_description_admits_a_call() {
    let client = connect(Era::Inline, &builder().code_mode(mode()).build().unwrap()).await;
    let described = client
        .call("describe_tools", json!({ "names": ["orders"] }))
        .await;
    let signature = texts(&described)[0];
    let digits = |text: &str| {
        text.chars()
            .take_while(char::is_ascii_digit)
            .collect::<String>()
    };
    let (_, rest) = signature.split_once("disclosure_ticket: \"").unwrap();
    let program = format!(
        "return (await tools.orders({{ disclosure_ticket: '{}' }})).length",
        digits(rest)
    );
    assert_eq!(texts(&run(&client, &program).await), ["10"], "{signature}");
}

/// Models copy the example, so a program with it runs in every era, wherever it was shown.
#[tokio::test]
async fn an_example_under_a_signature_admits_the_call_that_copies_it() {
    for era in Era::ALL {
        let client = connect(era, &builder().code_mode(mode()).build().unwrap()).await;
        let described = client
            .call("describe_tools", json!({ "names": ["wait"] }))
            .await;
        let found = client
            .call("find_tools", json!({ "query": "wait some milliseconds" }))
            .await;
        let in_program = run(&client, "return await tools.describe('wait')").await;
        let mut signatures = [&described, &found, &in_program]
            .map(|shown| texts(shown)[0].to_owned())
            .to_vec();
        // A session has the description by now, so the call runs.
        if !era.has_session() {
            signatures.push(message(
                &run(&client, "return await tools.time.wait({ milliseconds: 2 })").await,
            ));
        }
        for signature in &signatures {
            let example = signature
                .lines()
                .find_map(|line| line.strip_prefix("// e.g. "))
                .unwrap_or_else(|| {
                    panic!("{era:?}: no example: {signature}");
                });
            assert_eq!(
                example.contains("disclosure_ticket"),
                signature.contains("disclosure_ticket: \""),
                "{signature}"
            );
            assert_eq!(
                example.contains("disclosure_ticket"),
                !era.has_session(),
                "{era:?}: {signature}"
            );
            let result = run(&client, &format!("return await tools.wait({example})")).await;
            assert_eq!(texts(&result), ["waited"], "{era:?}: {example}: {result}");
        }
    }
}

#[tokio::test]
async fn tools_are_named_by_their_groups_too() {
    let client = client_of(builder().code_mode(mode())).await;
    for path in [
        "tools.orders",
        "tools.sales.orders",
        "tools.call.bind(null, 'orders')",
        "tools['or-ders']",
    ] {
        let result = run(
            &client,
            &format!("return (await ({path})({{ limit: 2 }})).length"),
        )
        .await;
        assert_eq!(texts(&result), ["2"], "{path}");
    }
    for path in [
        "tools.time.orders",
        "tools.nothing",
        "tools.run_code",
        "tools.salaries.x",
    ] {
        let error = error(&run(&client, &format!("return await {path}({{}})")).await);
        assert_eq!(error["tool_code"], "UNKNOWN_TOOL", "{path}: {error}");
    }
    let found = run(&client, "return await tools.find('orders of customers')").await;
    let found: Value = serde_json::from_str(texts(&found)[0]).unwrap();
    assert_eq!(
        found[0],
        json!({ "name": "orders", "summary": "List orders" })
    );
}

#[tokio::test]
async fn a_hidden_tool_is_unknown_to_a_program() {
    let program = "return await tools.describe('salaries').then(() => tools.salaries({}))";
    let server = builder().code_mode(mode()).build().unwrap();
    // The user who started the process sees every tool.
    assert_eq!(
        texts(&run(&connect(Era::Session, &server).await, program).await),
        ["[1,2]"]
    );
    for era in [Era::HttpSession, Era::HttpInline, Era::HttpStateless] {
        let client = connect(era, &server).await;
        let described = error(&run(&client, program).await);
        assert_eq!(described["tool_code"], "UNKNOWN_TOOL", "{described}");
        let called = error(&run(&client, "return await tools.salaries({})").await);
        assert_eq!(called["tool_code"], "UNKNOWN_TOOL");
        let unknown = error(&run(&client, "return await tools.salari3s({})").await);
        // The nearest names are those of visible tools, in the order of their likeness.
        for error in [&called, &unknown] {
            let message = error["message"].as_str().unwrap();
            assert!(
                message.starts_with("ToolFailed: no such tool: `salari"),
                "{message}"
            );
            assert_eq!(
                message.matches("salaries").count() + message.matches("salari3s").count(),
                1,
                "{message}"
            );
        }
    }
}

#[tokio::test]
async fn writing_needs_the_authors_leave() {
    let desk = Desk::default();
    let client = client_of(builder_with(desk.clone()).code_mode(mode())).await;
    let refused = error(&run(&client, "return await tools.write({ text: 'a' })").await);
    assert_eq!(refused["tool_code"], "NOT_READ_ONLY");
    // Nobody reads here how a call of it would be judged.
    let unread = error(&run(&client, "return await tools.write({ text: { deep: 1 } })").await);
    assert_eq!(unread["tool_code"], "NOT_READ_ONLY");
    assert_eq!(desk.written.load(Ordering::SeqCst), 0);
    let read_only = listed(&client).await;
    assert_eq!(read_only["annotations"]["readOnlyHint"], true);

    let client = client_of(builder_with(desk.clone()).code_mode(mode().allow(["write"]))).await;
    assert_eq!(
        texts(&run(&client, "return await tools.write({ text: 'a' })").await),
        ["a"]
    );
    assert_eq!(desk.written.load(Ordering::SeqCst), 1);
    assert_eq!(
        listed(&client).await["annotations"]["destructiveHint"],
        true
    );

    let error = builder()
        .code_mode(mode().allow(["wirte"]))
        .build()
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("programs may call `wirte`, which is no tool"),
        "{error}"
    );
}

#[tokio::test]
async fn a_scope_lets_the_programs_of_a_principal_write() {
    let desk = Desk::default();
    let server = builder_with(desk.clone())
        .code_mode(mode().allow_with_scope("code:write"))
        .build()
        .unwrap();
    let site = Site::open(&server, false).await;
    let program = "await tools.describe('write'); return await tools.write({ text: 'a' })";
    let mut outcomes = Vec::new();
    for token in [None, Some("alice"), Some("alice code:write")] {
        let client = connect_to(Era::HttpInline, &site.url, token, json!({})).await;
        outcomes.push(run(&client, program).await["isError"] == true);
    }
    assert_eq!(
        (outcomes, desk.written.load(Ordering::SeqCst)),
        (vec![true, true, false], 1)
    );
}

#[tokio::test]
async fn calls_run_at_once_within_their_limit() {
    let desk = Desk::default();
    let client = client_of(builder_with(desk.clone()).code_mode(mode().concurrent_calls(3))).await;
    let program = "return (await Promise.all(Array.from({ length: 9 }, () => tools.wait({ milliseconds: 30 })))).length";
    assert_eq!(texts(&run(&client, program).await), ["9"]);
    assert_eq!(desk.most.load(Ordering::SeqCst), 3);
    let refused = run_with(
        mode().calls(3),
        "for (let i = 0; i < 9; i++) await tools.orders({}); return 1",
    )
    .await;
    assert!(
        message(&refused).starts_with("CallLimit: a run makes at most 3 calls"),
        "{refused}"
    );
    assert_eq!(
        error(&refused)["calls_that_ran"],
        json!(["orders (3 times)"])
    );
}

#[tokio::test]
async fn a_failed_call_is_an_error_that_the_program_catches() {
    let client = client_of(builder().code_mode(mode())).await;
    let program = "
        try { await tools.fail({}) } catch (error) {
            return [error instanceof ToolFailed, error.code, error.message, error.tool];
        }";
    let result = run(&client, program).await;
    assert_eq!(
        texts(&result),
        ["[true,\"OUT_OF_PAPER\",\"the printer has no paper\",\"fail\"]"]
    );

    let uncaught = run(
        &client,
        "await tools.orders({ limit: 1 });\nawait tools.orders({ limit: 'x' });",
    )
    .await;
    let error = error(&uncaught);
    assert_eq!(
        (&error["line"], &error["tool_code"]),
        (&json!(2), &json!("INVALID_ARGUMENTS")),
        "{error}"
    );
    assert!(
        error["message"].as_str().unwrap().contains("`limit`"),
        "{error}"
    );
    assert_eq!(
        error["calls_that_ran"],
        json!(["orders", "orders: INVALID_ARGUMENTS"])
    );

    let issues = "try { await tools.orders({ limit: 'x' }) } catch (error) { return error.issues[0].pointer }";
    assert_eq!(texts(&run(&client, issues).await), ["/limit"]);
}

#[tokio::test]
async fn a_tool_that_asks_its_client_needs_a_direct_call() {
    let server = builder().code_mode(mode()).build().unwrap();
    let client = connect_with(Era::Session, &server, json!({ "elicitation": {} })).await;
    client
        .call("describe_tools", json!({ "names": ["ask"] }))
        .await;
    assert_eq!(texts(&client.call("ask", json!({})).await), ["asked"]);
    let error = error(&run(&client, "return await tools.ask({})").await);
    assert_eq!(error["tool_code"], "NEEDS_DIRECT_CALL", "{error}");
}

#[tokio::test]
async fn a_picture_is_a_handle_and_leaves_as_it_came() {
    let client = client_of(builder().code_mode(mode())).await;
    let program = "const picture = await tools.draw({}); return { type: picture.mime_type, bytes: picture.bytes }";
    assert_eq!(
        texts(&run(&client, program).await),
        ["{\"type\":\"image/png\",\"bytes\":12}"]
    );
    let result = run(
        &client,
        "return { picture: await tools.draw({}), other: { handle: 'media-9' } }",
    )
    .await;
    assert_eq!(result["content"].as_array().unwrap().len(), 2, "{result}");
    assert_eq!(result["content"][1]["data"], "iVBORw0KGgo=");
}

#[tokio::test]
async fn every_call_is_in_the_audit_with_its_run() {
    let kept = Kept::new();
    let server = builder()
        .code_mode(mode())
        .audit(kept.clone())
        .audit_detail(AuditDetail::NONE);
    let client = client_of(server).await;
    kept.take();
    run(
        &client,
        "await tools.orders({}); try { await tools.fail({}) } catch {} return tools.find('orders')",
    )
    .await;
    run(&client, "return 1").await;
    let events = kept.take();
    let line = |event: &Value| {
        let text = |key: &str| event[key].as_str().unwrap_or_default().to_owned();
        [text("event"), text("tool"), text("outcome"), text("wire")].join(" ")
    };
    let lines: Vec<_> = events.iter().map(line).collect();
    let expected = [
        "called orders done run_code",
        "called fail failed run_code",
        "found   run_code",
        "ran  done run_code",
        "ran  done run_code",
    ];
    assert_eq!(lines, expected);
    let runs: Vec<_> = events
        .iter()
        .map(|event| event["run"].as_u64().unwrap())
        .collect();
    assert!(
        runs[..4].iter().all(|run| *run == runs[0]) && runs[4] > runs[0],
        "{runs:?}"
    );
    assert_eq!(
        (&events[3]["calls"], &events[4]["calls"]),
        (&json!(3), &json!(0))
    );
}

#[tokio::test]
async fn rates_count_inside_of_a_program() {
    let limits = Limits::default()
        .owner(true)
        .calls(Rate::per_minute(1).burst(4))
        .session_calls(None);
    let client = client_of(builder().code_mode(mode()).limits(limits)).await;
    // The run itself is the first call.
    let program = "
        const codes = [];
        for (let i = 0; i < 5; i++) try { await tools.orders({}); codes.push('ok') } catch (error) { codes.push(error.code) }
        return codes;";
    let result = run(&client, program).await;
    assert_eq!(
        texts(&result),
        ["[\"ok\",\"ok\",\"ok\",\"RATE_LIMITED\",\"RATE_LIMITED\"]"]
    );
}

#[tokio::test]
async fn progress_reaches_the_client_and_cancelling_ends_the_calls() {
    let desk = Desk::default();
    let client = client_of(builder_with(desk.clone()).code_mode(mode())).await;
    run(
        &client,
        "for (let i = 0; i < 3; i++) await tools.wait({ milliseconds: 1 }); return 1",
    )
    .await;
    let many = "await Promise.all(Array.from({ length: 20 }, () => tools.wait({ milliseconds: 1 }))); return 1";
    run(&client, many).await;
    let counts: Vec<_> = client
        .noticed
        .progress
        .lock()
        .unwrap()
        .drain(3..)
        .map(|report| report.progress)
        .collect();
    assert_eq!(counts, (1..=20).map(f64::from).collect::<Vec<_>>());
    let progress = client.noticed.progress.lock().unwrap().clone();
    let reported: Vec<_> = progress
        .iter()
        .map(|report| (report.progress, report.message.clone().unwrap()))
        .collect();
    assert_eq!(
        reported,
        [
            (1.0, "wait".to_owned()),
            (2.0, "wait".to_owned()),
            (3.0, "wait".to_owned())
        ]
    );

    let program = json!({ "code": "await tools.wait({ milliseconds: 60000 })" });
    let params =
        CallToolRequestParams::new("run_code").with_arguments(program.as_object().unwrap().clone());
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
    let handle = client
        .running
        .send_cancellable_request(request, PeerRequestOptions::no_options())
        .await
        .unwrap();
    while desk.running.load(Ordering::SeqCst) == 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    handle.cancel(None).await.unwrap();
    let ended = async {
        while desk.cancelled.load(Ordering::SeqCst) == 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(5), ended)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_call_that_is_not_awaited_is_cancelled_and_the_answer_says_so() {
    let desk = Desk::default();
    let client = client_of(builder_with(desk.clone()).code_mode(mode())).await;
    let result = run(
        &client,
        "tools.wait({ milliseconds: 60000 }); await tools.orders({}); return 1",
    )
    .await;
    assert_eq!(texts(&result)[0], "1");
    assert_eq!(
        texts(&result)[1],
        "1 call was still running at the end and was cancelled: await every call."
    );
    assert_eq!(desk.cancelled.load(Ordering::SeqCst), 1);
}
