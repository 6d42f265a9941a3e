//! Programs that call operations.

use crate::{
    front::Front,
    harness::{client::Era, client::connect, text, told},
    mock::{MockApi, api_document},
};
use pd_runtime::{PdServer, code::CodeMode};
use serde_json::{Value, json};

fn coding(front: &Front, mode: CodeMode) -> PdServer<(), pd_gateway::Gateway> {
    front.gateway.builder().code_mode(mode).build().unwrap()
}

fn mode() -> CodeMode {
    CodeMode::new(env!("CARGO_BIN_EXE_library"))
}

#[tokio::test]
async fn a_program_joins_the_answers_of_two_operations() {
    let api = MockApi::start(&api_document()).await;
    let front = Front::to(&api).await;
    let server = coding(&front, mode());
    for era in [Era::Session, Era::HttpSession] {
        let client = connect(era, &server).await;
        let names = json!({ "names": ["api__pets_list", "api__owners_get", "api__table"] });
        client.call("describe_tools", names).await;
        let program = "
            const pets = await tools.api.pets_list({});
            const list = Array.isArray(pets) ? pets : pets.items;
            const owners = await Promise.all(list.map((pet) => tools.api.owners_get({ name: pet.owner.name })));
            const table = await tools.api.table({});
            return list.map((pet, at) => [pet.name, owners[at].name, table.split('\\n').length]);";
        let result = client.call("run_code", json!({ "code": program })).await;
        assert_eq!(text(&result), r#"[["Rex","text",3]]"#, "{era:?}: {result}");
        assert_eq!(api.last()["headers"]["x-api-key"], crate::front::KEY);
    }
    front.gateway.stop().await;
}

/// A failure is one that the program can catch, with what the server says.
#[tokio::test]
async fn a_program_catches_a_failed_operation() {
    let api = MockApi::start(&api_document()).await;
    let front = Front::to(&api).await;
    let client = connect(Era::Session, &coding(&front, mode())).await;
    client
        .call("describe_tools", json!({ "names": ["api__limited"] }))
        .await;
    let program = "try { await tools.api.limited({}) } catch (error) { return error.message }";
    let result = client.call("run_code", json!({ "code": program })).await;
    assert!(
        text(&result).contains("HTTP 429 Too Many Requests"),
        "{result}"
    );
    front.gateway.stop().await;
}

#[tokio::test]
async fn a_program_writes_only_what_is_allowed_and_asks_once_before_it_destroys() {
    let api = MockApi::start(&api_document()).await;
    let entry = json!({ "url": format!("{}/v1", api.url), "auth": { "key": crate::front::KEY }, "pd": { "confirmDestructive": true } });
    let front = Front::new(&api_document(), entry).await;
    let program = "
        const first = await tools.api.pets_delete({ id: 7 });
        const second = await tools.api.pets_delete({ id: 8 });
        return [first, second];";
    let run = async |server: &PdServer<(), pd_gateway::Gateway>| -> (Value, Vec<String>) {
        let client = connect(Era::Session, server).await;
        let names = json!({ "names": ["api__pets_delete", "api__pets_create"] });
        client.call("describe_tools", names).await;
        let result = client.call("run_code", json!({ "code": program })).await;
        let asked = client.noticed.others.lock().unwrap().clone();
        (result, asked)
    };
    let (refused, _) = run(&coding(&front, mode())).await;
    assert_eq!(
        told(&refused)["error"]["tool_code"],
        "NOT_READ_ONLY",
        "{refused}"
    );
    assert_eq!(api.count(), 0);
    let allowed = mode().allow(["api__pets_delete", "api__pets_create"]);
    let (result, asked) = run(&coding(&front, allowed)).await;
    assert_eq!(
        text(&result),
        r#"["HTTP 204 No Content","HTTP 204 No Content"]"#,
        "{result}"
    );
    assert_eq!((api.count(), asked.len()), (2, 1), "{asked:?}");
    assert!(asked[0].contains("api__pets_delete"), "{asked:?}");
    front.gateway.stop().await;
}
