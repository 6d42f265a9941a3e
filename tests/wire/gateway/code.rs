//! Programs that call tools of upstreams.

use super::*;
use pd_runtime::code::CodeMode;

fn code_mode(gateway: &Gateway) -> PdServer<(), Gateway> {
    // The script says nothing of its tools, so a program may call them only if the author allows it.
    let mode = CodeMode::new(env!("CARGO_BIN_EXE_library")).allow(["s__echo", "s__ask"]);
    gateway.builder().code_mode(mode).build().unwrap()
}

#[tokio::test]
async fn a_program_calls_tools_of_upstreams_of_both_generations() {
    for mode in ["legacy", "modern"] {
        let desk = Desk::new();
        let gateway = desk.one(&[mode], json!({})).await;
        let client = connect(Era::Session, &code_mode(&gateway)).await;
        client
            .call("describe_tools", json!({ "names": ["s__echo"] }))
            .await;
        let program = "
            const results = await Promise.all([1, 2, 3].map((a) => tools.s.echo({ a })));
            return results.map((result) => result.params.arguments.a);";
        let result = client.call("run_code", json!({ "code": program })).await;
        assert_eq!(text(&result), "[1,2,3]", "{mode}: {result}");
        // What an upstream adds to its results stays with them.
        assert_eq!(result.get("_meta"), None, "{mode}");
        gateway.stop().await;
    }
}

#[tokio::test]
async fn an_upstream_that_requires_input_needs_a_direct_call() {
    for mode in ["legacy", "modern"] {
        let desk = Desk::new();
        let gateway = desk.one(&["input", mode], json!({})).await;
        let server = code_mode(&gateway);
        for era in [Era::Session, Era::HttpSession] {
            let client = connect(era, &server).await;
            client
                .call("describe_tools", json!({ "names": ["s__ask"] }))
                .await;
            let program =
                "try { return await tools.s__ask({}) } catch (error) { return error.code }";
            let result = client.call("run_code", json!({ "code": program })).await;
            assert_eq!(
                text(&result),
                "NEEDS_DIRECT_CALL",
                "{mode} {era:?}: {result}"
            );
        }
        gateway.stop().await;
    }
}
