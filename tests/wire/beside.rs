//! What stands beside declared tools: the author's own handler, rmcp's own tools, registries put together.

use crate::harness::{
    client::{Era, connect, error_of},
    code,
    line::Line,
    names,
    post::Post,
    shop::{self, Shop, saying},
    site::Site,
    told,
};
use pd_runtime::{GateMode, Group, PdServer, Registry, State, Tool, serve};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    handler::server::wrapper::Parameters,
    model::*,
    service::{RequestContext, SubscriptionContext},
    tool, tool_router,
};
use serde_json::{Value, json};

/// An author's own handler: prompts, a resource, a method.
#[derive(Debug)]
struct Own;

impl ServerHandler for Own {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_prompts()
            .enable_resources()
            .enable_completions()
            .build();
        ServerConfig::new(capabilities).with_instructions("Ask the owner.")
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(vec![Prompt::new(
            "advice",
            Some("Ask for advice"),
            None,
        )]))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(vec![Resource::new(
            "shop://sign",
            "The sign",
        )]))
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Ok(ReadResourceResult::new(vec![ResourceContents::text(
            format!("read {}", params.uri),
            params.uri,
        )])
        .into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Ok(CustomResult(json!({ "echo": request.method })))
    }
}

/// Wires that a client did not negotiate, or that the server does not offer, are the handler's to speak.
#[tokio::test]
async fn a_wire_that_is_off_leaves_its_methods_to_the_handler() {
    for era in Era::ALL {
        let shared = shop::server()
            .manifests(false)
            .with_handler(Own)
            .build()
            .unwrap();
        let client = connect(era, &shared).await;
        for method in [
            "groups/list",
            "groups/get",
            "tools/manifest",
            "experimental/groups/list",
        ] {
            let answered = client
                .custom(method, json!({ "name": "till" }))
                .await
                .unwrap();
            assert_eq!(answered["echo"], method, "{era:?}");
        }
    }
}

#[tokio::test]
async fn what_is_not_a_tool_goes_to_the_authors_own_handler() {
    for era in Era::ALL {
        let shared = shop::server().with_handler(Own).build().unwrap();
        let client = connect(era, &shared).await;
        let prompts = client.running.list_prompts(None).await.unwrap();
        assert_eq!(prompts.prompts[0].name, "advice", "{era:?}");
        let read = client.read("shop://sign").await;
        assert_eq!(read["contents"][0]["text"], "read shop://sign");
        assert_eq!(
            client.custom("shop/open", json!({})).await.unwrap()["echo"],
            "shop/open"
        );
        let described = client.describe("greet").await;
        assert_eq!(
            described["greet"]["name"], "greet",
            "{era:?}: descriptions stay ours"
        );
    }
}

#[tokio::test]
async fn capabilities_resources_and_instructions_are_merged() {
    let (mut line, initialized) = Line::session_with(
        &shop::server().with_handler(Own).build().unwrap(),
        json!({}),
    )
    .await;
    for capability in ["tools", "resources", "prompts", "completions"] {
        assert!(
            initialized["capabilities"].get(capability).is_some(),
            "{capability}"
        );
    }
    let instructions = initialized["instructions"].as_str().unwrap();
    assert!(
        instructions.starts_with("A shop.\n\nAsk the owner.\n\n1. PICK"),
        "{instructions}"
    );
    let listed = line.result("resources/list", json!({})).await;
    assert_eq!(
        names(&listed["resources"]),
        ["Tool Descriptions - Required for tool use", "The sign"]
    );
}

/// The author's resources may depend on who asks; only the author can say that they do not.
#[tokio::test]
async fn the_authors_resources_are_not_declared_public() {
    let mut line = Line::inline(
        &shop::server().with_handler(Own).build().unwrap(),
        json!({}),
    );
    for method in ["resources/list", "resources/templates/list"] {
        assert_eq!(
            line.result(method, json!({})).await["cacheScope"],
            "private",
            "{method}"
        );
    }
}

#[tokio::test]
async fn a_bare_server_has_no_prompts_and_no_completions() {
    let mut line = Line::session(&shop::server().build().unwrap()).await;
    let argument = json!({ "ref": { "type": "ref/prompt", "name": "x" }, "argument": { "name": "a", "value": "b" } });
    for (method, params) in [
        ("prompts/list", json!({})),
        ("completion/complete", argument),
        ("no/such", json!({})),
    ] {
        assert_eq!(
            line.request(method, params).await["error"]["code"],
            -32601,
            "{method}"
        );
    }
}

/// An author's own handler that ends every subscription.
#[derive(Debug)]
struct Brief;

impl ServerHandler for Brief {
    async fn listen(&self, _: SubscriptionContext) -> Result<(), ErrorData> {
        Ok(())
    }
}

/// rmcp tells it of itself, unless the server says who it is.
#[tokio::test]
async fn a_subscription_that_ends_says_which_server_this_is() {
    let shared = shop::server().with_handler(Brief).build().unwrap();
    let site =
        Site::serve(serve::router(&shared, &Default::default(), Default::default()).unwrap()).await;
    let filter = json!({ "notifications": { "toolsListChanged": true } });
    let ended = Post::inline(&site.url)
        .result("subscriptions/listen", filter)
        .await;
    let told = &ended["_meta"]["io.modelcontextprotocol/serverInfo"];
    let discovered = Post::inline(&site.url)
        .result("server/discover", json!({}))
        .await;
    assert_eq!(
        told, &discovered["_meta"]["io.modelcontextprotocol/serverInfo"],
        "{ended}"
    );
    assert_eq!(told["name"], "shop");
}

/// A counter served by rmcp's own macros.
#[derive(Debug, Default)]
struct Counter;

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

#[tool_router]
impl Counter {
    /// Add two numbers. Use it for sums.
    #[tool]
    fn add(&self, Parameters(Add { a, b }): Parameters<Add>) -> String {
        (a + b).to_string()
    }

    #[tool(description = "Fail always")]
    fn fail(&self) -> Result<String, ErrorData> {
        Err(ErrorData::internal_error("no", None))
    }
}

#[pd_runtime::pd_tool(summary = "Say the counter's name")]
fn title(_counter: &Counter) -> &'static str {
    "counter"
}

#[tokio::test]
async fn rmcps_own_tools_are_listed_described_and_gated_like_ours() {
    for era in Era::ALL {
        let registry: Registry<Counter> = pd_runtime::registry! { title };
        let registry = registry.adopt(Counter::tool_router()).unwrap();
        let client = connect(
            era,
            &PdServer::builder(registry, Counter)
                .listing(pd_runtime::Listing::Minimal)
                .build()
                .unwrap(),
        )
        .await;
        let listed = client.list().await;
        assert_eq!(
            names(&listed["tools"]),
            ["title", "add", "fail", "describe_tools"]
        );
        assert_eq!(listed["tools"][1]["description"], "Add two numbers");
        assert_eq!(
            listed["tools"][1]["inputSchema"],
            json!({ "type": "object", "additionalProperties": true })
        );
        assert_eq!(
            code(&client.call("add", json!({ "a": 2, "b": 3 })).await),
            "TOOL_DESCRIPTION_REQUIRED"
        );
        assert_eq!(
            client.describe("add").await["add"]["description"],
            "Add two numbers. Use it for sums."
        );
        let sum = client
            .call_described("add", json!({ "a": 2, "b": 3 }))
            .await;
        assert_eq!(sum["content"][0]["text"], "5", "{era:?}");
        let bad = client.call_described("add", json!({ "a": "two" })).await;
        assert_eq!(
            code(&bad),
            "INVALID_ARGUMENTS",
            "rmcp's tools are validated too"
        );
        assert_eq!(
            code(&client.call_described("fail", json!({})).await),
            "INTERNAL_ERROR"
        );
    }
}

#[tokio::test]
async fn a_prefix_serves_one_registry_twice() {
    let one = shop::unscoped().with_prefix("east_");
    let both = one.merge(shop::unscoped().with_prefix("west_")).unwrap();
    let shared = PdServer::builder(both, Shop::default())
        .gate(GateMode::Off)
        .build()
        .unwrap();
    let client = connect(Era::Session, &shared).await;
    let listed = client.list().await;
    assert_eq!(names(&listed["tools"])[..2], ["east_greet", "east_order"]);
    for name in ["east_greet", "west_greet"] {
        assert_eq!(
            client.call(name, json!({ "name": "Ada" })).await["content"][0]["text"],
            "Welcome, Ada!"
        );
    }
    let error = error_of(client.try_call("greet", json!({})).await);
    assert_eq!(
        (error.code.0, error.message.as_ref()),
        (-32602, "Unknown tool: greet")
    );
}

#[test]
fn a_prefix_reaches_related_tools_and_groups() {
    let registry = shop::registry().with_prefix("east_");
    registry.check().unwrap();
    let groups: Vec<_> = registry
        .groups()
        .iter()
        .map(|group| group.name.as_str())
        .collect();
    assert_eq!(groups, ["east-goods", "east-till"]);
}

#[test]
fn names_that_stand_twice_do_not_merge() {
    let other = || {
        Registry::builder()
            .tool(saying("greet", "Hello").origin("a file"))
            .build()
            .unwrap()
    };
    let problems = shop::unscoped().merge(other()).unwrap_err().to_string();
    assert!(
        problems.contains("tool `greet`") && problems.contains("another tool has this name"),
        "{problems}"
    );
    let twice = other().merge(other());
    assert!(
        twice.is_err(),
        "a run-time tool is itself only, wherever it says it comes from"
    );
}

#[test]
fn a_declaration_that_stands_in_both_registries_is_one_tool() {
    let whole = shop::unscoped().merge(shop::unscoped()).unwrap();
    let alone = shop::unscoped().len();
    assert_eq!((whole.len(), whole.top_level().count()), (alone, alone));
}

#[derive(State)]
struct Mall {
    shop: Shop,
    counter: Counter,
}

#[tokio::test]
async fn registries_are_lifted_onto_a_larger_state() {
    let counter: Registry<Counter> = pd_runtime::registry! { title };
    let mall: Registry<Mall> = shop::unscoped()
        .map_state()
        .merge(counter.map_state())
        .unwrap();
    let state = Mall {
        shop: Shop::default(),
        counter: Counter,
    };
    let shared = PdServer::builder(mall, state)
        .gate(GateMode::Off)
        .build()
        .unwrap();
    let client = connect(Era::Session, &shared).await;
    assert_eq!(
        client.call("greet", json!({ "name": "Ada" })).await["content"][0]["text"],
        "Welcome, Ada!"
    );
    assert_eq!(
        client.call("title", json!({})).await["content"][0]["text"],
        "counter"
    );
    assert_eq!(shared.state().shop.ran(), 1);
}

/// A tool of another server, described in MCP's own words.
fn forecast() -> rmcp::model::Tool {
    serde_json::from_value(json!({
        "name": "forecast",
        "title": "Forecast",
        "description": "Forecast the weather (e.g. rain) of a city. Days count from today.\n\nAsk for few days.",
        "inputSchema": {
            "type": "object",
            "properties": { "city": { "type": "string", "minLength": 1 }, "days": { "type": "integer", "maximum": 7 } },
            "required": ["city"],
        },
        "outputSchema": { "type": "object", "properties": { "rain": { "type": "boolean" } } },
        "annotations": { "readOnlyHint": true, "idempotentHint": true },
        "_meta": { "vendor/rank": 1 },
    }))
    .unwrap()
}

#[tokio::test]
async fn a_tool_from_a_definition_is_split_into_summary_and_description() {
    let tool = Tool::from_definition(forecast(), |_: &(), _, arguments| {
        Box::pin(async move {
            Ok(CallToolResult::structured(json!({ "rain": true, "asked": arguments })).into())
        })
    });
    let weather = Group::new("weather", "The weather")
        .tool(tool)
        .tool(saying("thunder", "boom"));
    let registry = Registry::builder()
        .name("sky")
        .version("2")
        .group(weather)
        .build()
        .unwrap();
    let client = connect(
        Era::Session,
        &PdServer::builder(registry, ())
            .listing(pd_runtime::Listing::Minimal)
            .build()
            .unwrap(),
    )
    .await;
    let listed = client.list().await;
    let entry = json!({
        "name": "forecast",
        "description": "Forecast the weather (e.g. rain) of a city",
        "inputSchema": { "type": "object", "additionalProperties": true },
        "annotations": { "readOnlyHint": true },
    });
    assert_eq!(listed["tools"][0], entry);
    let described = client.describe("forecast").await["forecast"].take();
    let definition = serde_json::to_value(forecast()).unwrap();
    for key in ["title", "description", "inputSchema", "outputSchema"] {
        assert_eq!(described[key], definition[key], "{key}");
    }
    assert_eq!(
        code(
            &client
                .call("forecast", json!({ "city": "", "days": 8 }))
                .await
        ),
        "INVALID_ARGUMENTS"
    );
    let called = client.call("forecast", json!({ "city": "Oslo" })).await;
    assert_eq!(
        called["structuredContent"],
        json!({ "rain": true, "asked": { "city": "Oslo" } })
    );
}

/// Two entries of one name: a client would drop the list, and the author's tool could never be called.
#[tokio::test]
async fn a_tool_called_like_the_meta_tool_is_refused() {
    let registry = || {
        Registry::builder()
            .tool(saying::<()>("describe_tools", "mine"))
            .build()
    };
    let served = registry().map(|registry| {
        PdServer::builder(registry, ())
            .listing(pd_runtime::Listing::Minimal)
            .build()
            .is_ok()
    });
    assert!(!served.unwrap_or(false), "`describe_tools` is taken");
}

/// Names are checked wherever a registry comes from, for they are written into JSON as they are.
#[tokio::test]
async fn a_name_that_would_break_the_document_is_never_served() {
    let shared = PdServer::builder(shop::unscoped(), Shop::default())
        .listing(pd_runtime::Listing::Minimal)
        .build()
        .unwrap();
    if shared
        .replace(shop::unscoped().with_prefix("x\":{},\""))
        .is_ok()
    {
        let mut line = Line::session(&shared).await;
        let read = line
            .read("resource:///tool_descriptions?tools=x%22:%7B%7D%2C%22greet")
            .await;
        panic!("served: {}", told(&read));
    }
}

/// SEP-2243: clients of 2026-07-28 copy marked arguments into headers, which rmcp holds against `get_tool`.
#[tokio::test]
async fn a_header_argument_is_checked_against_its_header() {
    let site = Site::open(&shop::server().build().unwrap(), false).await;
    let caller = Post::inline(&site.url);
    let ticket = crate::harness::client::ticket(&caller.describe("ship").await["ship"])
        .unwrap()
        .to_owned();
    let arguments = json!({ "region": "north", "weight": 2, "disclosure_ticket": ticket });
    let shipped = caller
        .header("mcp-param-region", "north")
        .call("ship", arguments.clone())
        .await;
    assert_eq!(shipped["content"][0]["text"], "2 kg to north");
    let params: Value = json!({ "name": "ship", "arguments": arguments });
    for wrong in [caller.clone(), caller.header("mcp-param-region", "south")] {
        assert_eq!(
            wrong.send("tools/call", params.clone()).await.body["error"]["code"],
            -32020
        );
    }
    let client = connect(Era::HttpInline, &shop::server().build().unwrap()).await;
    client.list().await;
    let shipped = client
        .call_described("ship", json!({ "region": "north", "weight": 2 }))
        .await;
    assert_eq!(
        shipped["content"][0]["text"], "2 kg to north",
        "rmcp's client knows the header from the stub"
    );
}

#[tokio::test]
async fn an_unknown_method_is_returned_in_part() {
    let server = PdServer::builder(Registry::<()>::builder().build().unwrap(), ())
        .listing(pd_runtime::Listing::Minimal)
        .build()
        .unwrap();
    for era in [Era::Session, Era::HttpSession, Era::Inline] {
        let client = connect(era, &server).await;
        let error = error_of(client.custom(&"ä".repeat(500_000), json!({})).await);
        assert!(
            error.message.len() < 300 && error.message.starts_with('ä'),
            "{era:?}: {}",
            error.message.len()
        );
    }
}

/// rmcp ends a connection that begins with a notification.
#[tokio::test]
async fn a_notification_before_the_first_request_is_skipped() {
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
    let server = PdServer::builder(Registry::<()>::builder().build().unwrap(), ())
        .listing(pd_runtime::Listing::Minimal)
        .build()
        .unwrap();
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let serving =
        tokio::spawn(async move { serve::transport(&server, tokio::io::split(theirs)).await });
    let (read, mut write) = tokio::io::split(ours);
    let client = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "a", "version": "1" } });
    for message in [
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client }),
    ] {
        write
            .write_all(format!("{message}\n").as_bytes())
            .await
            .unwrap();
    }
    let answer = BufReader::new(read)
        .lines()
        .next_line()
        .await
        .unwrap()
        .unwrap();
    assert!(answer.contains("protocolVersion"), "{answer}");
    drop(write);
    serving.abort();
}
