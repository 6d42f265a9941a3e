//! Programs of the author that callers see as tools.

use super::{Desk, error, mode, registry, run, texts};
use crate::{
    harness::{
        client::{Era, connect},
        names,
    },
    seen::Kept,
};
use pd_runtime::{
    Limits, PdServer, ServerBuilder,
    code::{CodeMode, CodeProgram},
    config::Rate,
};
use serde_json::{Value, json};
use std::{fs, sync::atomic::Ordering, time::Duration};
use tempfile::TempDir;

/// The totals of customers, from the tool `orders`.
fn revenue() -> CodeProgram {
    let code = "const orders = await tools.sales.orders({ limit: args.limit });
        const totals = {};
        for (const { customer, total } of orders) totals[customer] = (totals[customer] ?? 0) + total;
        return totals;";
    CodeProgram::new("revenue", "Sum up orders by customer", code)
        .input_schema(json!({
            "type": "object",
            "properties": { "limit": { "type": "integer", "minimum": 0, "default": 100 } },
            "additionalProperties": false,
        }))
        .read_only()
}

fn program(code: &str) -> CodeProgram {
    CodeProgram::new("program", "Run a program", code)
}

fn server(program: CodeProgram) -> ServerBuilder<Desk> {
    PdServer::builder(registry().with_program(program), Desk::default())
        .listing(pd_runtime::Listing::Minimal)
        .session_per_call(pd_runtime::config::SessionPerCall::Refuse)
        .code_worker(mode())
}

/// Calls the tool `program` in a session, after its description was read.
async fn call(builder: ServerBuilder<Desk>) -> Value {
    connect(Era::Session, &builder.build().unwrap())
        .await
        .call_described("program", json!({}))
        .await
}

#[tokio::test]
async fn a_program_is_called_as_any_other_tool() {
    let shared = server(revenue()).build().unwrap();
    for era in Era::ALL {
        let client = connect(era, &shared).await;
        let listed = client.list().await;
        let listed = names(&listed["tools"]);
        assert!(
            listed.contains(&"revenue") && !listed.contains(&"run_code"),
            "{era:?}: {listed:?}"
        );
        let refused = client.call("revenue", json!({ "limit": 2 })).await;
        assert!(
            texts(&refused)[0].contains("TOOL_DESCRIPTION_REQUIRED"),
            "{era:?}: {refused}"
        );
        // The caller reads one description. That of `orders` is the author's concern.
        let result = client.call_described("revenue", json!({})).await;
        assert_eq!(
            texts(&result),
            ["{\"c0\":1683,\"c1\":1617,\"c2\":1650}"],
            "{era:?}: {result}"
        );
        let invalid = client
            .call_described("revenue", json!({ "limit": -1 }))
            .await;
        assert!(
            texts(&invalid)[0].contains("INVALID_ARGUMENTS"),
            "{era:?}: {invalid}"
        );
    }
}

#[tokio::test]
async fn an_output_schema_makes_the_result_structured() {
    let counted = program("console.log('for the log'); return (await tools.orders({ limit: 3 })).map((one) => one.id)")
        .output_schema(json!({ "type": "array", "items": { "type": "integer" } }));
    let shared = server(counted).build().unwrap();
    let modern = connect(Era::Inline, &shared)
        .await
        .call_described("program", json!({}))
        .await;
    assert_eq!(
        (&modern["structuredContent"], texts(&modern)),
        (&json!([0, 1, 2]), vec!["[0,1,2]"])
    );
    let session = connect(Era::Session, &shared)
        .await
        .call_described("program", json!({}))
        .await;
    assert_eq!(session["structuredContent"], json!({ "result": [0, 1, 2] }));

    assert_eq!(
        texts(&call(server(program("return 'a text'"))).await),
        ["a text"]
    );
    assert_eq!(texts(&call(server(program(""))).await), ["Done."]);
    let long = call(server(program("return 'x'.repeat(100_000)"))).await;
    assert_eq!(texts(&long)[0].len(), 100_000, "a tool's answer is not cut");
}

#[tokio::test]
async fn a_hidden_tool_is_unknown_inside() {
    let shared = server(program("return await tools.salaries({})"))
        .build()
        .unwrap();
    // The user who started the process sees every tool.
    let owner = connect(Era::Session, &shared)
        .await
        .call_described("program", json!({}))
        .await;
    assert_eq!(texts(&owner), ["[1,2]"]);
    let stranger = connect(Era::HttpSession, &shared)
        .await
        .call_described("program", json!({}))
        .await;
    assert_eq!(error(&stranger)["tool_code"], "UNKNOWN_TOOL");
    assert!(
        !stranger.to_string().contains("salaries"),
        "a hidden tool has no name: {stranger}"
    );

    // A program may need a scope itself.
    let shared = server(program("return 1").scope("payroll"))
        .build()
        .unwrap();
    assert!(
        connect(Era::HttpSession, &shared)
            .await
            .try_call("program", json!({}))
            .await
            .is_err()
    );
}

#[tokio::test]
async fn an_author_vouches_for_what_a_program_writes() {
    let desk = Desk::default();
    let builder = |program| {
        PdServer::builder(registry().with_program(program), desk.clone())
            .listing(pd_runtime::Listing::Minimal)
            .code_worker(mode())
    };
    let writes = program("return await tools.write({ text: 'a' })");
    assert_eq!(texts(&call(builder(writes.clone())).await), ["a"]);
    assert_eq!(desk.written.load(Ordering::SeqCst), 1);

    // `check` sees what a text names, and the run what it computes.
    let refused = builder(writes.clone().read_only())
        .build()
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("line 1 of its program calls `write`, which is not declared as read-only"),
        "{refused}"
    );
    let hidden = program("return await tools['wri' + 'te']({ text: 'a' })").read_only();
    assert_eq!(
        error(&call(builder(hidden)).await)["tool_code"],
        "NOT_READ_ONLY"
    );

    // A program of a model calls no tool that may write, and this one may.
    let client = connect(
        Era::Session,
        &builder(writes).code_mode(mode()).build().unwrap(),
    )
    .await;
    client
        .call("describe_tools", json!({ "names": ["program"] }))
        .await;
    let nested = run(&client, "return await tools.program({})").await;
    assert_eq!(error(&nested)["tool_code"], "NOT_READ_ONLY");
    assert_eq!(desk.written.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn programs_call_programs_up_to_a_depth() {
    // One run at a time: the permit of the first one is enough for those inside it.
    let builder = server(revenue()).code_mode(mode().runs(1));
    let client = connect(Era::Session, &builder.build().unwrap()).await;
    client
        .call("describe_tools", json!({ "names": ["revenue"] }))
        .await;
    let both = "const two = await Promise.all([2, 4].map((limit) => tools.revenue({ limit }))); return two";
    assert_eq!(
        texts(&run(&client, both).await),
        ["[{\"c0\":0,\"c1\":1},{\"c0\":3,\"c1\":1,\"c2\":2}]"]
    );

    let endless = call(server(
        program("return await tools.program({})").read_only(),
    ))
    .await;
    let message = error(&endless)["message"].to_string();
    assert!(
        message.contains("programs call programs at most 3 deep"),
        "{message}"
    );
}

#[tokio::test]
async fn limits_and_the_audit_see_the_calls_inside() {
    let kept = Kept::new();
    let code = "await tools.orders({}); try { await tools.fail({}) } catch {} return 1";
    let builder = server(program(code).read_only()).audit(kept.clone());
    call(builder).await;
    let events = kept.take();
    let text = |event: &Value, key: &str| event[key].as_str().unwrap_or_default().to_owned();
    let runs: Vec<_> = events
        .iter()
        .map(|event| {
            (
                text(event, "event"),
                text(event, "tool"),
                event["run"].is_u64(),
            )
        })
        .collect();
    let event = |kind: &str, tool: &str, in_run| (kind.to_owned(), tool.to_owned(), in_run);
    let expected = [
        event("called", "orders", true),
        event("called", "fail", true),
        event("ran", "", true),
        event("called", "program", false),
    ];
    assert!(runs.ends_with(&expected), "{runs:?}");

    let limits = Limits::default()
        .owner(true)
        .calls(Rate::per_minute(1).burst(4))
        .session_calls(None);
    let greedy =
        program("for (let i = 0; i < 9; i += 1) await tools.orders({ limit: 1 })").read_only();
    let failed = error(&call(server(greedy).limits(limits)).await);
    assert_eq!(failed["tool_code"], "RATE_LIMITED", "{failed}");

    let slow =
        program("await tools.wait({ milliseconds: 60_000 })").timeout(Duration::from_millis(300));
    let failed = call(server(slow)).await;
    assert!(
        error(&failed)["message"]
            .to_string()
            .contains("Timeout: the run was ended after 300ms"),
        "{failed}"
    );
}

#[tokio::test]
async fn a_server_without_a_worker_does_not_build() {
    let error = PdServer::builder(registry().with_program(revenue()), Desk::default())
        .listing(pd_runtime::Listing::Minimal)
        .build()
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("tool `revenue`: it is a program, and the server has no worker"),
        "{error}"
    );
    assert!(
        error.contains("set `ServerBuilder::code_worker`"),
        "{error}"
    );
    // A registry that replaces another is held to the same.
    let plain = PdServer::builder(registry(), Desk::default())
        .listing(pd_runtime::Listing::Minimal)
        .build()
        .unwrap();
    assert!(plain.replace(registry().with_program(revenue())).is_err());
}

#[tokio::test]
async fn a_renamed_tool_breaks_the_check() {
    let code = "// tools.gone()\nconst text = 'tools.gone()';\nconst sales = tools.sales;\nawait tools.ordrs({});\n\
                await tools.time.orders({}); await tools.call('nothing_like_it');";
    let error = registry()
        .with_program(program(code))
        .check()
        .unwrap_err()
        .to_string();
    let lines: Vec<_> = error.lines().collect();
    assert_eq!(
        lines,
        [
            "the registry has 3 problems:",
            "- tool `program`: line 4 of its program names `ordrs`, which this registry lacks; did you mean `orders`?",
            "- tool `program`: line 5 of its program names `time.orders`, which this registry lacks; did you mean `orders`?",
            "- tool `program`: line 5 of its program names `nothing_like_it`, which this registry lacks; register it, or correct \
             the name",
        ]
    );
}

/// The totals as a file, with recorded examples beside it.
fn directory(recorded: &Value) -> TempDir {
    let folder = TempDir::new().unwrap();
    let code = "/**\n * Count orders\n * @param {integer} [limit=2] - How many\n * @readonly\n */\n\
                const orders = await tools.sales.orders({ limit: args.limit });\n\
                return { count: orders.length, first: orders[0].id };\n";
    fs::write(folder.path().join("count.js"), code).unwrap();
    fs::write(folder.path().join("count.test.json"), recorded.to_string()).unwrap();
    folder
}

#[tokio::test]
async fn recorded_examples_pass_and_fail() {
    let answer = |arguments: Value, value: Value| json!([{ "tool": "orders", "arguments": arguments, "value": value }]);
    let example =
        |answers: Value, returns: Value| json!({ "answers": answers, "returns": returns });
    let good = answer(json!({ "limit": 2 }), json!([{ "id": 7 }]));
    let returns = json!({ "count": 1, "first": 7 });
    let folder = directory(&json!([
        example(good.clone(), returns.clone()),
        example(good.clone(), json!({ "count": 2, "last": 7 })),
        example(answer(json!({ "limit": 3 }), json!([])), Value::Null),
        example(json!([]), Value::Null),
        example(json!([good[0], good[0]]), returns.clone()),
        { "arguments": { "limit": "x" }, "returns": 1 },
        example(answer(json!({ "limit": 2 }), json!([])), Value::Null),
    ]));
    let error = registry()
        .with_programs(folder.path())
        .check_programs(&mode())
        .await
        .unwrap_err()
        .to_string();
    for part in [
        "has 6 problems",
        "count.js): its program does not pass recorded example 2: the answer differs: `/count` recorded 2, now 1; `/last` recorded 7, now nothing; \
         `/first` recorded nothing, now 7",
        "recorded example 3: call 1 of `orders` has other arguments: `/limit` recorded 3, now 2",
        "recorded example 4: the program calls `orders` with {\"limit\":2}, after 0 recorded answers of it; record one more",
        "recorded example 5: the program leaves a recorded answer of `orders` unused",
        "recorded example 6: `/limit`",
        "recorded example 7: the program failed: line 7: TypeError: cannot read property 'id' of undefined",
    ] {
        assert!(error.contains(part), "{part}\n{error}");
    }
    let folder = directory(&json!([example(good, returns)]));
    let error = registry()
        .with_programs(folder.path())
        .check_programs(&CodeMode::new("/bin/true"))
        .await
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("the programs were neither compiled nor run: /bin/true is no worker"),
        "{error}"
    );
    assert_eq!(
        registry()
            .with_programs(folder.path())
            .check_programs(&mode())
            .await
            .unwrap(),
        1
    );
}
