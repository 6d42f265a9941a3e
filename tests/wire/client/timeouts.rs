//! Servers that do not answer: requests end in time, and the server is told to stop.

use super::agent::text;
use pd_runtime::client::{Client, ClientBuilder, ClientError, ListChangedHandler};
use rmcp::{
    RoleServer, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, CancelledNotificationParam,
        ContentBlock, ErrorData, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
        ProgressNotificationParam, ServerCapabilities, ServerConfig, Tool,
    },
    service::{NotificationContext, RequestContext, RunningService},
};
use serde_json::{Value, json};
use std::{
    future::pending,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    io::{copy, split},
    time::{Instant, sleep, timeout},
};

/// Longer than any default limit.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A server that never answers these methods, and records which requests were canceled.
#[derive(Debug, Clone, Default)]
struct Hanging {
    methods: Vec<&'static str>,
    canceled: Arc<Mutex<Vec<String>>>,
}

impl Hanging {
    fn at(methods: &[&'static str]) -> Self {
        Self {
            methods: methods.to_vec(),
            ..Self::default()
        }
    }

    async fn pass(&self, method: &str) {
        if self.methods.contains(&method) {
            pending::<()>().await;
        }
    }

    fn canceled(&self) -> usize {
        self.canceled.lock().unwrap().len()
    }

    async fn connect(&self) -> RunningService<rmcp::RoleClient, ListChangedHandler> {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let server = self.clone();
        tokio::spawn(async move { server.serve(theirs).await.unwrap().waiting().await });
        ListChangedHandler::new().serve(ours).await.unwrap()
    }

    async fn build(
        &self,
        settings: impl Fn(ClientBuilder) -> ClientBuilder,
    ) -> Result<Client, ClientError> {
        let running = self.connect().await;
        let built = settings(Client::builder().server("slow", &running)).build();
        let built = timeout(DAY, built).await.expect("building ends");
        // The connection stays open, and with it the server.
        std::mem::forget(running);
        built
    }

    async fn client(&self) -> Client {
        self.build(|builder| builder).await.unwrap()
    }
}

impl ServerHandler for Hanging {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(
            ServerCapabilities::builder()
                .enable_tools()
                .enable_resources()
                .build(),
        )
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.pass("tools/list").await;
        let named = |name: &'static str| {
            Tool::new(
                name,
                "Wait",
                json!({ "type": "object" }).as_object().cloned().unwrap(),
            )
        };
        Ok(ListToolsResult::with_all_items(
            ["wait", "report"].map(named).into(),
        ))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.pass("resources/list").await;
        Ok(ListResourcesResult::with_all_items(Vec::new()))
    }

    async fn on_custom_request(
        &self,
        request: rmcp::model::CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<rmcp::model::CustomResult, ErrorData> {
        self.pass(&request.method).await;
        Err(ErrorData::new(
            rmcp::model::ErrorCode::METHOD_NOT_FOUND,
            request.method,
            None,
        ))
    }

    /// `report` reports progress every minute for ten minutes; without a count it never ends.
    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.pass("tools/call").await;
        let minutes = request
            .arguments
            .and_then(|arguments| arguments.get("minutes")?.as_u64());
        let token = context.meta.get_progress_token().unwrap();
        for minute in 0..minutes.unwrap_or(u64::MAX) {
            sleep(Duration::from_secs(60)).await;
            let progress = ProgressNotificationParam::new(token.clone(), minute as f64);
            context.peer.notify_progress(progress).await.unwrap();
        }
        Ok(CallToolResult::success(vec![ContentBlock::text("done")]).into())
    }

    async fn on_cancelled(
        &self,
        canceled: CancelledNotificationParam,
        _: NotificationContext<RoleServer>,
    ) {
        self.canceled
            .lock()
            .unwrap()
            .push(canceled.reason.unwrap_or_default());
    }
}

fn limit(error: &ClientError) -> (&str, Duration) {
    match error {
        ClientError::Timeout { request, limit } => (request, *limit),
        error => panic!("{error}"),
    }
}

/// Time for a cancellation to arrive.
async fn settle() {
    sleep(Duration::from_millis(100)).await;
}

#[tokio::test(start_paused = true)]
async fn a_list_that_does_not_come_ends_the_building() {
    for method in ["tools/list", "resources/list"] {
        let server = Hanging::at(&[method]);
        let begun = Instant::now();
        let error = server.build(|builder| builder).await.unwrap_err();
        assert_eq!(limit(&error), (method, Duration::from_secs(60)));
        assert!(
            error
                .to_string()
                .contains("`ClientBuilder::request_timeout`"),
            "{error}"
        );
        assert!(begun.elapsed() < Duration::from_secs(62));
        settle().await;
        assert_eq!(server.canceled(), 1, "{method}");
        let error = server
            .build(|builder| builder.request_timeout(Duration::from_secs(2)))
            .await
            .unwrap_err();
        assert_eq!(limit(&error), (method, Duration::from_secs(2)));
    }
}

/// A method that a server does not know and does not answer is one that it does not have.
#[tokio::test(start_paused = true)]
async fn a_probe_without_an_answer_is_none() {
    let tools = Hanging::at(&["tools/describe"]).client().await;
    assert_eq!(
        text(&tools.call("wait", json!({ "minutes": 0 })).await.unwrap()),
        "done"
    );
}

#[tokio::test(start_paused = true)]
async fn a_call_without_a_sign_of_life_ends() {
    let server = Hanging::at(&["tools/call"]);
    let tools = server.client().await;
    let error = timeout(DAY, tools.call("wait", Value::Null))
        .await
        .expect("it ends")
        .unwrap_err();
    assert_eq!(limit(&error), ("tools/call", Duration::from_secs(5 * 60)));
    settle().await;
    assert_eq!(server.canceled(), 1);
    let error = tools
        .call_within(Duration::from_secs(1), "wait", Value::Null)
        .await
        .unwrap_err();
    assert_eq!(limit(&error), ("tools/call", Duration::from_secs(1)));
    let tools = server
        .build(|builder| builder.call_timeout(Duration::from_secs(7)))
        .await
        .unwrap();
    let error = tools.call("wait", Value::Null).await.unwrap_err();
    assert_eq!(limit(&error), ("tools/call", Duration::from_secs(7)));
}

/// A model can do something else then, so its turn goes on.
#[tokio::test(start_paused = true)]
async fn a_model_reads_that_its_call_took_too_long() {
    let tools = Hanging::at(&["tools/call"]).client().await;
    let call = json!({ "type": "tool_use", "id": "1", "name": "slow__wait", "input": {} });
    let answer = timeout(DAY, tools.answer_anthropic(&call))
        .await
        .expect("it ends")
        .unwrap();
    let told = answer["content"][0]["text"].as_str().unwrap();
    assert!(
        answer["is_error"] == true && told.starts_with("the tool did not answer within 300s"),
        "{answer}"
    );
    assert!(!told.contains("ClientBuilder"), "{told}");
}

#[tokio::test(start_paused = true)]
async fn progress_extends_a_call_up_to_an_hour() {
    let server = Hanging::at(&[]);
    let tools = server.client().await;
    assert_eq!(
        text(
            &tools
                .call("report", json!({ "minutes": 20 }))
                .await
                .unwrap()
        ),
        "done"
    );
    let error = timeout(DAY, tools.call("report", Value::Null))
        .await
        .expect("it ends")
        .unwrap_err();
    assert_eq!(limit(&error), ("tools/call", Duration::from_secs(60 * 60)));
    let begun = Instant::now();
    let ten = Duration::from_secs(10 * 60);
    let error = tools
        .call_within(ten, "report", Value::Null)
        .await
        .unwrap_err();
    assert!(
        limit(&error).1 == ten && begun.elapsed() < ten + Duration::from_secs(6),
        "{error}"
    );
    let patient = |builder: ClientBuilder| {
        builder
            .call_timeout(Duration::MAX)
            .max_call_time(Duration::MAX)
    };
    let tools = server.build(patient).await.unwrap();
    assert_eq!(
        text(
            &tools
                .call("report", json!({ "minutes": 600 }))
                .await
                .unwrap()
        ),
        "done"
    );
}

#[tokio::test(start_paused = true)]
async fn a_call_that_nobody_waits_for_is_canceled() {
    let server = Hanging::at(&["tools/call"]);
    let tools = server.client().await;
    assert!(
        timeout(Duration::from_secs(3), tools.call("wait", Value::Null))
            .await
            .is_err()
    );
    settle().await;
    assert_eq!(server.canceled(), 1);
}

/// A server that reads nothing holds up the cancellation, and the request ends all the same.
#[tokio::test(start_paused = true)]
async fn a_server_that_reads_nothing_holds_up_no_request() {
    let (ours, near) = tokio::io::duplex(4 << 10);
    let (far, theirs) = tokio::io::duplex(1 << 20);
    tokio::spawn(async move {
        Hanging::default()
            .serve(theirs)
            .await
            .unwrap()
            .waiting()
            .await
    });
    let ((mut from_client, mut to_client), (mut from_server, mut to_server)) =
        (split(near), split(far));
    let reading = tokio::spawn(async move {
        copy(&mut from_client, &mut to_server)
            .await
            .map(|_| from_client)
    });
    tokio::spawn(async move { copy(&mut from_server, &mut to_client).await });
    let running = ListChangedHandler::new().serve(ours).await.unwrap();
    let limited = Client::builder()
        .server("slow", &running)
        .max_call_time(Duration::from_secs(30));
    let tools = limited.build().await.unwrap();
    reading.abort();
    let begun = Instant::now();
    let big = json!({ "text": "x".repeat(64 << 10), "minutes": 0 });
    let error = timeout(DAY, tools.call("wait", big))
        .await
        .expect("it ends")
        .unwrap_err();
    assert_eq!(limit(&error), ("tools/call", Duration::from_secs(30)));
    assert!(begun.elapsed() < Duration::from_secs(40));
}
