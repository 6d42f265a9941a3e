//! Rows that one tool withheld and another is handed, past the model: servers that say what reached them.

use super::agent::text;
use pd_runtime::client::{Client, ClientError, ListChangedHandler, RowHandles};
use rmcp::{
    RoleClient, RoleServer, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorCode,
        ErrorData, InputRequiredResult, ListToolsResult, PaginatedRequestParams,
        ServerCapabilities, ServerConfig, Tool,
    },
    service::{RequestContext, RunningService},
};
use serde_json::{Map, Value, json};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

/// Answers alerts in mode `sync`, and takes rows; `draw` fails in the way that its argument `fail` says.
#[derive(Debug, Clone, Default)]
struct Weather {
    /// The arguments of all calls that came in.
    heard: Arc<Mutex<Vec<Map<String, Value>>>>,
}

/// Three alerts of which the model asked for the event.
fn alerts() -> Value {
    let row = |number: usize, event: &str| json!({ "_row_id": number, "event": event });
    let rest = |number: usize, area: &str| json!({ "_row_id": number, "area": area, "words": "hidden ".repeat(40) });
    json!({
        "total_rows": 3, "columns": ["event", "area", "words"], "abstract_domains": ["event"], "body_domains": ["area", "words"],
        "abstract": [row(0, "Wind"), row(1, "Flood"), row(2, "Wind")],
        "body": [rest(0, "Coast"), rest(1, "Valley"), rest(2, "Hill")],
    })
}

fn declined(text: &str) -> Result<CallToolResponse, ErrorData> {
    Ok(CallToolResult::error(vec![ContentBlock::text(text)]).into())
}

impl ServerHandler for Weather {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = || json!({ "type": "object" }).as_object().cloned().unwrap();
        let tools = ["alerts", "draw"].map(|name| Tool::new(name, "Weather", schema()));
        Ok(ListToolsResult::with_all_items(tools.into()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        self.heard.lock().unwrap().push(arguments.clone());
        if request.name == "alerts" && arguments.contains_key("as") {
            let mut result = CallToolResult::success(vec![ContentBlock::text(
                arguments["as"].as_str().unwrap(),
            )]);
            result.structured_content = Some(json!({ "result": arguments["as"] }));
            return Ok(result.into());
        }
        if request.name == "alerts" {
            // As FastMCP sends it: once as text, once as text within structure.
            let mut result =
                CallToolResult::success(vec![ContentBlock::text(alerts().to_string())]);
            result.structured_content = Some(json!({ "result": alerts().to_string() }));
            return Ok(result.into());
        }
        if request.name != "draw" {
            return Err(ErrorData::new(
                ErrorCode::INVALID_PARAMS,
                "no such tool",
                None,
            ));
        }
        match arguments
            .get("fail")
            .and_then(Value::as_str)
            .unwrap_or_default()
        {
            "protocol" => Err(ErrorData::new(ErrorCode::INTERNAL_ERROR, "no answer", None)),
            "ours" => declined(
                r#"{"error":{"code":"INVALID_ARGUMENTS","message":"`colour` is missing"}}"#,
            ),
            "python" => declined("Input validation error: 'colour' is a required property"),
            "limit" => declined(r#"{"error":{"code":"RATE_LIMITED","message":"too many calls"}}"#),
            "input" => Ok(CallToolResponse::InputRequired(
                InputRequiredResult::from_request_state("more"),
            )),
            "late" => std::future::pending().await,
            "itself" => declined("there is no ink"),
            "inside" => {
                declined("Error executing tool draw: 1 validation error for Alert\nseverity")
            }
            _ => Ok(CallToolResult::success(vec![ContentBlock::text("drawn")]).into()),
        }
    }
}

struct Connected {
    running: RunningService<RoleClient, ListChangedHandler>,
    heard: Arc<Mutex<Vec<Map<String, Value>>>>,
}

impl Connected {
    /// What the last call brought to the server.
    fn last(&self) -> Map<String, Value> {
        self.heard.lock().unwrap().last().cloned().unwrap()
    }

    fn count(&self) -> usize {
        self.heard.lock().unwrap().len()
    }
}

async fn weather() -> Connected {
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let weather = Weather::default();
    let heard = weather.heard.clone();
    tokio::spawn(async move { weather.serve(theirs).await.unwrap().waiting().await });
    Connected {
        running: ListChangedHandler::new().serve(ours).await.unwrap(),
        heard,
    }
}

/// The answer of `alerts` as the model reads it.
async fn asked(tools: &Client) -> Value {
    let name = if tools.tools().iter().any(|tool| tool.name == "alerts") {
        "alerts"
    } else {
        "source__alerts"
    };
    serde_json::from_str(text(
        &tools.call(name, json!({ "mode": "sync" })).await.unwrap(),
    ))
    .unwrap()
}

/// A call that hands the rows of these numbers over.
fn handing(shown: &Value, numbers: &[usize]) -> Value {
    let rows: Vec<_> = numbers
        .iter()
        .map(|number| &shown["abstract"][number])
        .collect();
    json!({ "abstract_data": json!(rows).to_string(), "resource_url": shown["resource_url"] })
}

fn failing(shown: &Value, how: &str) -> Value {
    let mut call = handing(shown, &[0]);
    call["fail"] = how.into();
    call
}

/// The rows that reached the server.
fn body(arguments: &Map<String, Value>) -> Value {
    serde_json::from_str(arguments["body_data"].as_str().unwrap()).unwrap()
}

#[tokio::test]
async fn rows_go_from_tool_to_tool_past_the_model() {
    let weather = weather().await;
    let tools = Client::new(&weather.running).await.unwrap();
    let result = tools
        .call("alerts", json!({ "mode": "sync" }))
        .await
        .unwrap();
    assert!(
        !serde_json::to_string(&result).unwrap().contains("hidden"),
        "{result:?}"
    );
    let shown: Value = serde_json::from_str(text(&result)).unwrap();
    assert_eq!(
        (&shown["abstract"], shown.get("body")),
        (&alerts()["abstract"], None)
    );
    assert!(
        shown["resource_url"]
            .as_str()
            .unwrap()
            .starts_with("ddi://")
    );

    assert_eq!(
        text(&tools.call("draw", handing(&shown, &[2, 0])).await.unwrap()),
        "drawn"
    );
    let heard = weather.last();
    assert_eq!(
        body(&heard),
        json!([alerts()["body"][2], alerts()["body"][0]]),
        "these rows, and no others"
    );
    assert!(
        heard.get("resource_url").is_none()
            && heard["abstract_data"].as_str().unwrap().contains("Wind")
    );
}

#[tokio::test]
async fn numbers_that_json_does_not_have_go_past_the_model_as_null() {
    let weather = weather().await;
    let tools = Client::new(&weather.running).await.unwrap();
    let python = r#"{"abstract": [{"_row_id": 0}], "body": [{"_row_id": 0, "low": NaN, "words": "hidden"}]}"#;
    let result = tools.call("alerts", json!({ "as": python })).await.unwrap();
    assert!(
        !serde_json::to_string(&result).unwrap().contains("hidden"),
        "{result:?}"
    );
    let shown: Value = serde_json::from_str(text(&result)).unwrap();
    tools.call("draw", handing(&shown, &[0])).await.unwrap();
    assert_eq!(
        body(&weather.last()),
        json!([{ "_row_id": 0, "low": null, "words": "hidden" }])
    );
}

#[tokio::test]
async fn a_body_that_cannot_be_read_is_not_shown_to_who_asked_for_none() {
    let weather = weather().await;
    let tools = Client::new(&weather.running).await.unwrap();
    for unreadable in [
        r#"{"abstract": [{"_row_id": 0}], "body": [{"_row_id": 0, "words": "hidden"}, null]}"#,
        r#"{"abstract": [{"_row_id": 0}], "body": [{"_row_id": 0, "words": "hidden"#,
    ] {
        let asked = json!({ "as": unreadable, "mode": "sync", "abstract_domains": "event" });
        let told = tools.call("alerts", asked).await.unwrap();
        let all = serde_json::to_string(&told).unwrap();
        assert!(
            told.is_error == Some(true) && !all.contains("hidden") && all.contains("`async`"),
            "{all}"
        );
        let told = tools
            .call("alerts", json!({ "as": unreadable, "mode": "sync" }))
            .await
            .unwrap();
        assert_eq!(
            (text(&told), told.is_error),
            (unreadable, Some(false)),
            "it named no columns"
        );
    }
}

#[tokio::test]
async fn rows_go_from_server_to_server_and_on_to_another_conversation() {
    let (source, sink) = (weather().await, weather().await);
    let tools = Client::builder()
        .server("source", &source.running)
        .server("sink", &sink.running)
        .build()
        .await
        .unwrap();
    let shown = asked(&tools).await;
    tools
        .conversation()
        .call("sink__draw", handing(&shown, &[1]))
        .await
        .unwrap();
    assert_eq!(body(&sink.last()), json!([alerts()["body"][1]]));
}

#[tokio::test]
async fn a_used_handle_is_an_error_that_says_what_to_do() {
    let weather = weather().await;
    let tools = Client::new(&weather.running).await.unwrap();
    let shown = asked(&tools).await;
    tools.call("draw", handing(&shown, &[0])).await.unwrap();
    let calls = weather.count();
    let again = tools.call("draw", handing(&shown, &[0])).await;
    assert!(
        matches!(again, Err(ClientError::UnknownHandle)),
        "{again:?}"
    );
    let digits = shown["resource_url"]
        .as_str()
        .unwrap()
        .strip_prefix("ddi://")
        .unwrap();
    assert!(!format!("{again:?} {} {tools:?}", again.as_ref().unwrap_err()).contains(digits));

    let block =
        json!({ "type": "tool_use", "id": "t", "name": "draw", "input": handing(&shown, &[0]) });
    let told = tools.answer_anthropic(&block).await.unwrap();
    assert!(
        told["is_error"] == true
            && told
                .to_string()
                .contains("call the tool that returned it again"),
        "{told}"
    );
    let item = json!({ "type": "function_call", "call_id": "c", "name": "draw", "arguments": handing(&shown, &[0]).to_string() });
    let told = tools.answer_openai(&item).await.unwrap();
    assert!(
        told["output"]
            .as_str()
            .unwrap()
            .contains("call the tool that returned it again"),
        "{told}"
    );
    assert_eq!(weather.count(), calls, "no such call was made");
}

#[tokio::test]
async fn answers_in_a_providers_form_hold_no_rows() {
    let weather = weather().await;
    let tools = Client::new(&weather.running).await.unwrap();
    let block = json!({ "type": "tool_use", "id": "t", "name": "alerts", "input": {} });
    let item =
        json!({ "type": "function_call", "call_id": "c", "name": "alerts", "arguments": "{}" });
    let told = [
        tools.answer_anthropic(&block).await.unwrap(),
        tools.answer_openai(&item).await.unwrap(),
    ];
    for told in told.map(|told| told.to_string()) {
        assert!(
            !told.contains("hidden") && told.contains("ddi://"),
            "{told}"
        );
    }
}

#[tokio::test]
async fn a_call_that_was_not_run_gives_the_handle_back() {
    let weather = weather().await;
    let tools = Client::new(&weather.running).await.unwrap();
    let shown = asked(&tools).await;
    for how in ["protocol", "ours", "python", "limit", "input"] {
        let _ = tools.call("draw", failing(&shown, how)).await;
        assert_eq!(body(&weather.last()), json!([alerts()["body"][0]]), "{how}");
    }
    assert!(tools.call("paint", handing(&shown, &[0])).await.is_err());
    let late = tokio::time::timeout(
        Duration::from_millis(50),
        tools.call("draw", failing(&shown, "late")),
    )
    .await;
    assert!(late.is_err());
    tools.call("draw", handing(&shown, &[0])).await.unwrap();
    assert!(tools.call("draw", handing(&shown, &[0])).await.is_err());
}

#[tokio::test]
async fn a_tool_that_ran_and_failed_has_used_the_handle() {
    let weather = weather().await;
    let tools = Client::new(&weather.running).await.unwrap();
    for how in ["itself", "inside"] {
        let shown = asked(&tools).await;
        assert_eq!(
            tools
                .call("draw", failing(&shown, how))
                .await
                .unwrap()
                .is_error,
            Some(true)
        );
        assert!(
            matches!(
                tools.call("draw", handing(&shown, &[0])).await,
                Err(ClientError::UnknownHandle)
            ),
            "{how}"
        );
    }
}

#[tokio::test]
async fn a_connection_that_breaks_gives_the_handle_back() {
    let (source, sink) = (weather().await, weather().await);
    let tools = Client::builder()
        .server("source", &source.running)
        .server("sink", &sink.running)
        .build()
        .await
        .unwrap();
    let shown = asked(&tools).await;
    sink.running.cancel().await.unwrap();
    assert!(matches!(
        tools.call("sink__draw", handing(&shown, &[0])).await,
        Err(ClientError::Service(_))
    ));
    tools
        .call("source__draw", handing(&shown, &[0]))
        .await
        .unwrap();
    assert_eq!(body(&source.last()), json!([alerts()["body"][0]]));
}

#[tokio::test]
async fn a_handle_is_good_for_its_principal_alone() {
    let (weather, handles) = (weather().await, RowHandles::new());
    let client = || {
        Client::builder()
            .server("source", &weather.running)
            .handles(&handles)
    };
    let alice = client().principal("alice").build().await.unwrap();
    let again = client().principal("alice").build().await.unwrap();
    let strangers = [
        client().principal("bob").build().await.unwrap(),
        client().build().await.unwrap(),
    ];
    let shown = asked(&alice).await;
    let calls = weather.count();
    for stranger in strangers {
        let refused = stranger.call("source__draw", handing(&shown, &[0])).await;
        assert!(
            matches!(refused, Err(ClientError::UnknownHandle)),
            "{refused:?}"
        );
    }
    assert_eq!(weather.count(), calls);
    again
        .call("source__draw", handing(&shown, &[0]))
        .await
        .unwrap();
    assert!(handles.is_empty());
}

#[tokio::test]
async fn what_has_expired_or_never_was_is_unknown() {
    let weather = weather().await;
    let handles = RowHandles::bounded(8, 1 << 20, Duration::from_millis(20));
    let tools = Client::builder()
        .server("source", &weather.running)
        .handles(&handles)
        .build()
        .await
        .unwrap();
    let shown = asked(&tools).await;
    tokio::time::sleep(Duration::from_millis(30)).await;
    for url in [
        shown["resource_url"].clone(),
        json!("ddi://1"),
        json!(format!("ddi://{}", "0".repeat(39))),
    ] {
        let call = json!({ "abstract_data": "[]", "resource_url": url });
        assert!(
            matches!(
                tools.call("source__draw", call).await,
                Err(ClientError::UnknownHandle)
            ),
            "{url}"
        );
    }
}

#[tokio::test]
async fn two_calls_at_once_do_not_have_the_same_rows() {
    let weather = weather().await;
    let tools = Client::new(&weather.running).await.unwrap();
    let shown = asked(&tools).await;
    let mut first = Box::pin(tools.call("draw", failing(&shown, "late")));
    assert!(
        tokio::time::timeout(Duration::from_millis(50), &mut first)
            .await
            .is_err()
    );
    assert!(matches!(
        tools.call("draw", handing(&shown, &[0])).await,
        Err(ClientError::HandleInUse)
    ));
    drop(first);
    tools.call("draw", handing(&shown, &[0])).await.unwrap();
}

#[tokio::test]
async fn a_call_says_which_rows_it_means() {
    let weather = weather().await;
    let tools = Client::new(&weather.running).await.unwrap();
    let shown = asked(&tools).await;
    let calls = weather.count();
    for meant in [
        json!(null),
        json!(""),
        json!("the first two"),
        json!("[1,2]"),
        json!(r#"[{"event":"Wind"}]"#),
    ] {
        let call = json!({ "abstract_data": meant, "resource_url": shown["resource_url"] });
        let refused = tools.call("draw", call).await;
        assert!(
            matches!(refused, Err(ClientError::AbstractData(_))),
            "{meant}: {refused:?}"
        );
    }
    assert_eq!(weather.count(), calls);
    for none in ["[]", r#"[{"_row_id":9}]"#] {
        let call = json!({ "abstract_data": none, "resource_url": shown["resource_url"] });
        tools.call("draw", call).await.unwrap();
        assert_eq!(
            body(&weather.last()),
            json!([]),
            "{none}: nothing is handed over, and the handle stays"
        );
    }
    tools.call("draw", handing(&shown, &[0])).await.unwrap();
}

#[tokio::test]
async fn other_urls_pass_untouched() {
    let weather = weather().await;
    let tools = Client::new(&weather.running).await.unwrap();
    for url in [
        "http://127.0.0.1:9/s2sp/data/x",
        "https://data.example.com/x",
        "",
    ] {
        let call = json!({ "abstract_data": "[]", "resource_url": url });
        tools.call("draw", call.clone()).await.unwrap();
        assert_eq!(Value::Object(weather.last()), call);
    }
}
