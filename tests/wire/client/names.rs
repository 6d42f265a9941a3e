//! What tools are called in front of a model, where names or arguments do not fit, collide, or could cross to another server.

use super::agent::text;
use pd_runtime::client::{Client, ClientError, ListChangedHandler};
use rmcp::{
    RoleClient, RoleServer, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
        ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    },
    service::{RequestContext, RunningService},
};
use serde_json::{Value, json};

/// A server with these tools, each of which answers with its own name and its arguments.
#[derive(Debug, Clone)]
struct Named(Vec<Tool>);

impl ServerHandler for Named {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.0.clone()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        if let Some(asked) = arguments
            .get("names")
            .and_then(Value::as_array)
            .filter(|_| request.name == "describe_tools")
        {
            let told = asked
                .iter()
                .map(|name| json!({ "name": name, "inputSchema": { "type": "object" } }));
            let told: Vec<Value> = told.collect();
            return Ok(
                CallToolResult::success(vec![ContentBlock::text(json!(told).to_string())]).into(),
            );
        }
        let said = format!("{} {}", request.name, Value::Object(arguments));
        Ok(CallToolResult::success(vec![ContentBlock::text(said)]).into())
    }
}

fn tool(name: &'static str, properties: Value) -> Tool {
    let schema = json!({ "type": "object", "properties": properties });
    Tool::new(name, "Say it", schema.as_object().cloned().unwrap())
}

/// Without its schema, which is to be asked for.
fn minimal(name: &'static str) -> Tool {
    Tool::new(
        name,
        "Say it",
        json!({ "type": "object" }).as_object().cloned().unwrap(),
    )
}

fn about_tools(name: &'static str, argument: &str) -> Tool {
    tool(
        name,
        json!({ argument: { "type": if argument == "names" { "array" } else { "string" } } }),
    )
}

async fn serve(tools: Vec<Tool>) -> RunningService<RoleClient, ListChangedHandler> {
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    tokio::spawn(async move { Named(tools).serve(theirs).await.unwrap().waiting().await });
    ListChangedHandler::new().serve(ours).await.unwrap()
}

#[tokio::test]
async fn each_name_of_the_prompt_describes_and_calls_its_own_tool() {
    let own = ["b.c", "b/c", "describe.tools"];
    let listed = own
        .map(minimal)
        .into_iter()
        .chain([about_tools("describe_tools", "names")])
        .collect();
    let running = serve(listed).await;
    let tools = Client::new(&running).await.unwrap();
    let prompt = tools.system_prompt();
    let lines = prompt
        .lines()
        .filter_map(|line| line.strip_prefix("  - ")?.split(':').next());
    let names: Vec<&str> = lines.collect();
    assert_eq!(names.len(), own.len(), "{prompt}");
    assert!(
        !names.contains(&"describe_tools"),
        "it is this client's: {prompt}"
    );
    for (name, own) in names.iter().zip(own) {
        let described = tools.describe([*name]).await.unwrap();
        assert_eq!(
            described.get(name).map(|told| told.name()),
            Some(own),
            "{name}"
        );
        assert_eq!(
            text(&tools.call(name, json!({})).await.unwrap()),
            format!("{own} {{}}")
        );
    }
    let joined: Vec<String> = tools
        .tools()
        .iter()
        .map(|tool| tool.name.to_string())
        .collect();
    assert_eq!(joined, names);
}

/// The name may be of a tool that the first server's search found: its arguments are not for the second.
#[tokio::test]
async fn a_bare_name_does_not_cross_to_another_server() {
    let finding = vec![
        about_tools("describe_tools", "names"),
        about_tools("search_tools", "query"),
    ];
    let (first, second) = (
        serve(finding).await,
        serve(vec![tool("pay", json!({ "card": {} }))]).await,
    );
    let tools = Client::builder()
        .server("first", &first)
        .server("second", &second)
        .build()
        .await
        .unwrap();
    let crossed = tools.call("pay", json!({ "card": "7" })).await;
    assert!(
        matches!(crossed, Err(ClientError::UnknownTool { .. })),
        "{crossed:?}"
    );
    assert!(text(&tools.call("second__pay", json!({})).await.unwrap()).starts_with("pay"));
    let alone = Client::builder()
        .server("second", &second)
        .build()
        .await
        .unwrap();
    assert!(
        text(&alone.call("pay", json!({})).await.unwrap()).starts_with("pay"),
        "there is one to ask"
    );
}

#[tokio::test]
async fn arguments_that_a_provider_refuses_come_back_under_their_own_names() {
    let running = serve(vec![tool(
        "list",
        json!({ "$top": { "type": "integer" }, "skip": {} }),
    )])
    .await;
    let tools = Client::new(&running).await.unwrap();
    let sent = &tools.anthropic()[0]["input_schema"]["properties"];
    assert_eq!(sent, &json!({ "_top": { "type": "integer" }, "skip": {} }));
    let call =
        json!({ "type": "tool_use", "id": "t", "name": "list", "input": { "_top": 5, "skip": 1 } });
    let answer = tools.answer_anthropic(&call).await.unwrap();
    assert_eq!(answer["content"][0]["text"], r#"list {"$top":5,"skip":1}"#);
}

/// Nothing that comes later may take the name of what a request already holds.
#[tokio::test]
async fn no_tool_is_called_as_the_clients_own_or_the_providers_search() {
    let running = serve(vec![
        tool("describe_tools", json!({ "a": {} })),
        tool("tool_search_tool_bm25", json!({})),
    ])
    .await;
    let tools = Client::new(&running).await.unwrap();
    for tool in tools.tools() {
        assert!(
            !["describe_tools", "tool_search_tool_bm25"].contains(&&*tool.name),
            "{}",
            tool.name
        );
        let said = tools.call(&tool.name, json!({})).await.unwrap();
        assert!(!said.is_error.unwrap_or_default(), "{}", tool.name);
    }
    assert_eq!(tools.tools().len(), 2);
}

#[tokio::test]
async fn unknown_names_without_end_are_not_all_compared() {
    let running = serve(vec![tool("list", json!({}))]).await;
    let tools = Client::new(&running).await.unwrap();
    let described = tools
        .describe((0..100).map(|place| format!("lst{place}")))
        .await
        .unwrap();
    let compared = described
        .unknown()
        .iter()
        .filter(|unknown| !unknown.nearest.is_empty())
        .count();
    assert_eq!((described.unknown().len(), compared), (100, 10));
}
