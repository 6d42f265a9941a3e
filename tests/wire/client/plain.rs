//! Servers without progressive disclosure, and several servers at once.

use crate::{
    client::agent::{connect, text},
    harness::{client::Era, shop},
};
use pd_runtime::client::{Client, ClientError, ListChangedHandler};
use rmcp::{
    RoleServer, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
        ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    },
    service::{RequestContext, RunningService},
};
use serde_json::{Value, json};

/// A server as rmcp alone makes it: what is listed is all there is.
#[derive(Debug, Clone, Copy)]
struct Plain {
    tools: usize,
}

fn schema(schema: Value) -> serde_json::Map<String, Value> {
    schema.as_object().cloned().unwrap()
}

impl ServerHandler for Plain {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let echo = json!({ "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"] });
        let echoes = (0..self.tools).map(|place| {
            Tool::new(
                format!("echo_{place}"),
                "Say it again",
                schema(echo.clone()),
            )
        });
        let now = Tool::new(
            "now",
            "Tell the time",
            schema(json!({ "type": "object", "properties": {} })),
        );
        Ok(ListToolsResult::with_all_items(
            echoes.chain([now]).collect(),
        ))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let text = request
            .arguments
            .unwrap_or_default()
            .get("text")
            .cloned()
            .unwrap_or_default();
        Ok(
            CallToolResult::success(vec![ContentBlock::text(format!("{} {text}", request.name))])
                .into(),
        )
    }
}

async fn plain(tools: usize) -> RunningService<rmcp::RoleClient, ListChangedHandler> {
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    tokio::spawn(async move { Plain { tools }.serve(theirs).await.unwrap().waiting().await });
    ListChangedHandler::new().serve(ours).await.unwrap()
}

#[tokio::test]
async fn a_plain_server_passes_through() {
    let running = plain(2).await;
    let tools = Client::new(&running).await.unwrap();
    assert_eq!(tools.system_prompt(), "");
    let names: Vec<_> = tools.tools().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["echo_0", "echo_1", "now"]);
    assert_eq!(
        tools.anthropic()[0]["input_schema"]["required"],
        json!(["text"])
    );
    assert_eq!(tools.anthropic().len(), 3, "nothing is added");
    assert_eq!(tools.openai().len(), 3);
    assert_eq!(
        text(&tools.call("echo_1", json!({ "text": "ho" })).await.unwrap()),
        "echo_1 \"ho\""
    );
    let described = tools.describe(["echo_0"]).await.unwrap();
    assert_eq!(
        described.get("echo_0").unwrap().description(),
        "Say it again"
    );
}

#[tokio::test]
async fn many_listed_tools_are_deferred_with_the_providers_search() {
    let tools = Client::new(&plain(200).await).await.unwrap();
    let anthropic = tools.anthropic();
    assert_eq!(anthropic[0]["type"], "tool_search_tool_bm25_20251119");
    assert!(
        anthropic[1..]
            .iter()
            .all(|tool| tool["defer_loading"] == true)
    );
    let openai = tools.openai();
    assert_eq!(openai[0], json!({ "type": "tool_search" }));
    assert!(openai[1..].iter().all(|tool| tool["defer_loading"] == true));
    let undeferred = Client::builder()
        .server("plain", &plain(200).await)
        .defer(false)
        .build()
        .await
        .unwrap();
    assert!(
        undeferred
            .anthropic()
            .iter()
            .chain(&undeferred.openai())
            .all(|tool| tool.get("defer_loading").is_none())
    );
}

#[tokio::test]
async fn several_servers_are_one_catalog() {
    let (shop, plain) = (
        connect(
            Era::Inline,
            &shop::server().build().unwrap(),
            ListChangedHandler::new(),
        )
        .await,
        plain(1).await,
    );
    let tools = Client::builder()
        .server("shop", &shop.running)
        .server("plain", &plain)
        .build()
        .await
        .unwrap();
    let described = tools
        .describe(["shop__greet", "plain__echo_0", "other__greet"])
        .await
        .unwrap();
    assert_eq!(described.iter().count(), 2);
    assert_eq!(described.unknown()[0].name, "other__greet");
    assert_eq!(
        text(
            &tools
                .call("shop__greet", json!({ "name": "Ada" }))
                .await
                .unwrap()
        ),
        "Welcome, Ada!"
    );
    assert_eq!(
        text(
            &tools
                .call("plain__echo_0", json!({ "text": 1 }))
                .await
                .unwrap()
        ),
        "echo_0 1"
    );
    assert_eq!(
        text(&tools.call("echo_0", json!({ "text": 1 })).await.unwrap()),
        "echo_0 1",
        "only one has it"
    );
    let names: Vec<String> = tools
        .tools()
        .iter()
        .map(|tool| tool.name.to_string())
        .collect();
    assert!(
        names
            .iter()
            .all(|name| name.starts_with("shop__") || name.starts_with("plain__")),
        "{names:?}"
    );
    assert!(
        tools
            .system_prompt()
            .contains("shop__stock: Count the stock")
    );
    assert!(
        !tools.system_prompt().contains("echo"),
        "it is listed in full"
    );
}

#[tokio::test]
async fn servers_have_names_of_their_own() {
    let running = plain(1).await;
    for names in [["a", "a"], ["a", "a__b"], ["a", ""]] {
        let [one, other] = names;
        let built = Client::builder()
            .server(one, &running)
            .server(other, &running)
            .build()
            .await;
        assert!(
            matches!(built, Err(ClientError::ServerName(_))),
            "{names:?}"
        );
    }
}
