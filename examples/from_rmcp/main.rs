//! From an rmcp server: its tools adopted, and one of them moved. `before.rs` is the server as it was.
//! `pd-runtime/docs/from-rmcp.md` explains these files.
//!
//! ```sh
//! cargo run --example from_rmcp -- list
//! cargo run --example from_rmcp -- serve
//! ```

mod before;

use before::Tracker;
use pd_runtime::{ServerBuilder, prelude::*};
use std::process::ExitCode;

/// Step 1: all tools adopted. The handler continues to answer everything else.
#[cfg_attr(not(test), expect(dead_code, reason = "`main` serves the second step"))]
fn adopted() -> ServerBuilder<Tracker, Tracker> {
    PdServer::adopt(Tracker::default(), Tracker::tool_router())
}

/// The issue disappears from the list. Nobody can open it again.
///
/// # Examples
///
/// ```json
/// { "number": 0 }
/// ```
///
/// # Guidance
///
/// - Ask the user before you close an issue that somebody else opened.
#[pd_tool(summary = "Close an issue for good", destructive)]
fn close_issue(
    tracker: &Tracker,
    /// The issue's number, as the list shows it.
    number: usize,
) -> Result<String, CloseError> {
    if tracker.close(number) {
        Ok(format!("Issue {number} is closed."))
    } else {
        Err(CloseError::NotOpen(number))
    }
}

/// The reason why an issue was not closed.
#[derive(Debug, thiserror::Error, ToolErrors)]
enum CloseError {
    /// Call `list_issues` for the numbers of open issues.
    #[error("no open issue has the number {0}")]
    NotOpen(usize),
}

/// Step 2: one tool moved, the others adopted.
fn moved() -> ServerBuilder<Tracker, Tracker> {
    let registry: Registry<Tracker> = pd_runtime::registry! { close_issue };
    let router = Tracker::tool_router().with_disabled("close_issue");
    PdServer::builder(registry, Tracker::default())
        .adopt(router)
        .with_state_as_handler()
}

#[tokio::main]
async fn main() -> ExitCode {
    pd_runtime::cli::main(moved()).await
}

#[cfg(test)]
#[expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]
mod tests {
    use super::{Tracker, adopted, moved};
    use pd_runtime::tool::RecordingClient;
    use rmcp::{
        RoleClient, ServerHandler, ServiceExt,
        model::{
            ArgumentInfo, CallToolRequestParams, CompleteRequestParams, GetPromptRequestParams,
            Reference,
        },
        service::RunningService,
    };
    use serde_json::{Value, json};

    #[test]
    fn both_registries_keep_their_promises() {
        adopted().registry().check().unwrap();
        moved().registry().check().unwrap();
    }

    async fn connect(handler: impl ServerHandler) -> RunningService<RoleClient, ()> {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        tokio::spawn(async move { handler.serve(theirs).await.unwrap().waiting().await });
        ().serve(ours).await.unwrap()
    }

    /// Calls a tool, and once more after a refusal, which contains the description.
    async fn call(
        client: &RunningService<RoleClient, ()>,
        tool: &'static str,
        arguments: Value,
    ) -> Value {
        let params = || {
            CallToolRequestParams::new(tool).with_arguments(arguments.as_object().cloned().unwrap())
        };
        let result = serde_json::to_value(client.call_tool(params()).await.unwrap()).unwrap();
        if !result.to_string().contains("TOOL_DESCRIPTION_REQUIRED") {
            return result;
        }
        serde_json::to_value(client.call_tool(params()).await.unwrap()).unwrap()
    }

    /// Returns what a client sees, apart from `tools/list`.
    async fn script(handler: impl ServerHandler) -> Vec<Value> {
        let client = connect(handler).await;
        let server = client.peer_info().unwrap().server_info.clone();
        let calls = [
            ("open_issue", json!({ "title": "The door squeaks" })),
            ("open_issue", json!({ "title": "The lamp flickers" })),
            ("close_issue", json!({ "number": 0 })),
            ("list_issues", json!({})),
        ];
        let mut seen = vec![
            json!(server),
            json!(client.list_all_prompts().await.unwrap()),
        ];
        for (tool, arguments) in calls {
            seen.push(call(&client, tool, arguments).await["content"].take());
        }
        seen.push(json!(
            client
                .get_prompt(GetPromptRequestParams::new("triage"))
                .await
                .unwrap()
        ));
        let argument = ArgumentInfo::new("title", "The l");
        let typed = CompleteRequestParams::new(Reference::for_prompt("triage"), argument);
        seen.push(json!(client.complete(typed).await.unwrap()));
        seen
    }

    /// The test of the port: one script for each step.
    #[tokio::test]
    async fn clients_see_the_same_server() {
        let before = script(Tracker::default()).await;
        assert_eq!(before[5][0]["text"], "1: The lamp flickers\n");
        assert_eq!(
            before[7]["completion"]["values"],
            json!(["The lamp flickers"])
        );
        assert_eq!(script(adopted().build().unwrap().handler()).await, before);
        assert_eq!(script(moved().build().unwrap().handler()).await, before);
    }

    #[tokio::test]
    async fn the_list_is_short_and_errors_can_be_acted_on() {
        let client = connect(
            moved()
                .listing(pd_runtime::Listing::Minimal)
                .build()
                .unwrap()
                .handler(),
        )
        .await;
        let listed = json!(client.list_all_tools().await.unwrap());
        assert_eq!(listed[0]["description"], "Close an issue for good");
        assert_eq!(listed[1]["description"], "List the open issues, one a line");
        assert_eq!(
            listed[1]["inputSchema"],
            json!({ "type": "object", "additionalProperties": true })
        );
        let failed = call(&client, "close_issue", json!({ "number": 7 })).await;
        assert_eq!(failed["isError"], true);
        assert!(
            failed.to_string().contains("Call `list_issues`"),
            "{failed}"
        );
        let wrong = call(&client, "close_issue", json!({ "number": "seven" })).await;
        assert!(wrong.to_string().contains("INVALID_ARGUMENTS"), "{wrong}");
    }

    /// Adopted tools need a client, because rmcp passes them its `Peer`.
    #[tokio::test]
    async fn a_test_calls_tools_without_a_server() {
        let (tracker, client) = (Tracker::default(), RecordingClient::new());
        let (server, title) = (moved(), json!({ "title": "The door squeaks" }));
        server
            .registry()
            .call_with(&tracker, "open_issue", title, &client.context())
            .await
            .unwrap();
        server
            .registry()
            .call(&tracker, "close_issue", json!({ "number": 0 }))
            .await
            .unwrap();
        assert_eq!(
            super::close_issue(&tracker, 0).unwrap_err().to_string(),
            "no open issue has the number 0"
        );
    }
}
