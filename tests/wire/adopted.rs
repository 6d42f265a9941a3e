//! An rmcp server that was adopted: who it says it is, and how its tools are tested.

use crate::harness::{client::Era, line::Line, names, raw::Raw};
use pd_runtime::{
    CallContext, IntoOutput, Listing, PdServer, Principal, Registry, Tool,
    prelude::pd_tool,
    tool::{RecordingClient, ToolResult},
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    handler::server::{tool::Extension, wrapper::Parameters},
    model::*,
    service::{Peer, RequestContext},
    tool, tool_handler, tool_router,
};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

const ERAS: [Era; 5] = [
    Era::Session,
    Era::Inline,
    Era::HttpSession,
    Era::HttpInline,
    Era::HttpStateless,
];

/// A server that rmcp's own macros serve. It is not `Clone`.
#[derive(Debug)]
struct Adopted;

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
struct Steps {
    steps: u32,
}

#[tool_router]
impl Adopted {
    /// Work in steps. Reports each to the client.
    #[tool]
    async fn work(
        &self,
        Parameters(Steps { steps }): Parameters<Steps>,
        context: RequestContext<RoleServer>,
    ) -> Result<String, ErrorData> {
        let token = context.meta.get_progress_token();
        let token = token.ok_or_else(|| ErrorData::internal_error("no progress token", None))?;
        for step in 1..=steps {
            let report =
                ProgressNotificationParam::new(token.clone(), f64::from(step)).with_message("step");
            context.peer.notify_progress(report).await.map_err(failed)?;
        }
        Ok(format!("{steps} steps"))
    }

    /// Ask the user.
    #[tool]
    async fn ask(&self, peer: Peer<RoleServer>) -> Result<String, ErrorData> {
        let params = ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: "Your name?".to_owned(),
            requested_schema: ElicitationSchema::new(Default::default()),
        };
        let request = ServerRequest::ElicitRequest(ElicitRequest::new(params));
        match peer.send_request(request).await.map_err(failed)? {
            ClientResult::ElicitResult(entered) => {
                Ok(entered.content.unwrap_or_default()["name"].to_string())
            }
            other => Err(ErrorData::internal_error(format!("{other:?}"), None)),
        }
    }

    /// Ask the model of the client.
    #[tool]
    #[expect(deprecated, reason = "servers still sample")]
    async fn think(&self, peer: Peer<RoleServer>) -> Result<String, ErrorData> {
        let params =
            CreateMessageRequestParams::new(vec![SamplingMessage::user_text("Think.")], 10);
        let thought = peer.create_message(params).await.map_err(failed)?;
        peer.notify_logging_message(LoggingMessageNotificationParam::new(
            LoggingLevel::Info,
            json!("thought"),
        ))
        .await
        .map_err(failed)?;
        Ok(thought.model)
    }

    /// Show who calls.
    #[tool]
    fn who(&self, Extension(parts): Extension<http::request::Parts>) -> String {
        parts
            .extensions
            .get::<Principal>()
            .map(|who| who.subject().to_owned())
            .unwrap_or_default()
    }
}

fn failed(error: rmcp::ServiceError) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

#[tool_handler]
impl ServerHandler for Adopted {
    fn get_info(&self) -> ServerConfig {
        let mut implementation = Implementation::new("adopted", "4.2.0");
        implementation.title = Some("Adopted Server".to_owned());
        implementation.description = Some("It was rmcp's.".to_owned());
        implementation.website_url = Some("https://example.org".to_owned());
        implementation.icons = Some(vec![Icon::new("data:image/png;base64,AA==")]);
        ServerConfig::new(
            ServerCapabilities::builder()
                .enable_tools()
                .enable_prompts()
                .build(),
        )
        .with_server_info(implementation)
        .with_instructions("Mind the step.")
    }
}

/// What the server says of itself, in `initialize` or `server/discover`.
async fn introduced<H: ServerHandler, S: Send + Sync + 'static>(
    era: Era,
    shared: &pd_runtime::PdServer<S, H>,
) -> (Value, Value) {
    match era {
        Era::Session => {
            let (_, mut told) = Line::session_with(shared, json!({})).await;
            (told["serverInfo"].take(), told["instructions"].take())
        }
        _ => {
            let mut told = Raw::connect(Era::Inline, shared)
                .await
                .result("server/discover", json!({}))
                .await;
            (
                told["_meta"]["io.modelcontextprotocol/serverInfo"].take(),
                told["instructions"].take(),
            )
        }
    }
}

#[tokio::test]
async fn an_adopted_server_introduces_itself_as_before() {
    let adopted = PdServer::adopt(Adopted, Adopted::tool_router())
        .listing(Listing::Minimal)
        .build()
        .unwrap();
    let own = serde_json::to_value(Adopted.get_info().server_info).unwrap();
    for era in [Era::Session, Era::Inline] {
        let (info, instructions) = introduced(era, &adopted).await;
        assert_eq!(info, own, "{era:?}");
        assert!(
            instructions
                .as_str()
                .unwrap()
                .starts_with("Mind the step.\n\n1. PICK"),
            "{instructions}"
        );
    }
}

#[pd_tool(summary = "Add two numbers")]
fn add(a: i64, b: i64) -> String {
    (a + b).to_string()
}

/// A crate's name in `registry!` is a default, not a choice.
#[tokio::test]
async fn a_name_that_the_author_set_takes_precedence() {
    let literal: Registry<Adopted> = pd_runtime::registry! { add };
    let named: Registry<Adopted> = pd_runtime::registry! {
        #![name = "chosen"]
        add
    };
    let built = || Registry::<Adopted>::builder().adopt(Adopted::tool_router());
    for (registry, name, version) in [
        (literal, "adopted", "4.2.0"),
        (named, "chosen", "4.2.0"),
        (built().name("chosen").build().unwrap(), "chosen", "4.2.0"),
        (built().version("9").build().unwrap(), "adopted", "9"),
    ] {
        let shared = PdServer::builder(registry, Adopted)
            .listing(pd_runtime::Listing::Minimal)
            .with_handler(Adopted)
            .build()
            .unwrap();
        let (info, _) = introduced(Era::Session, &shared).await;
        assert_eq!(
            (&info["name"], &info["version"]),
            (&json!(name), &json!(version))
        );
        assert_eq!(
            info["title"], "Adopted Server",
            "what no registry sets stays the handler's"
        );
    }
}

/// rmcp's defaults name rmcp.
#[tokio::test]
async fn a_handler_without_a_name_does_not_name_the_server() {
    struct Nameless;
    impl ServerHandler for Nameless {}
    let registry: Registry<()> = pd_runtime::registry! { add };
    let shared = PdServer::builder(registry, ())
        .listing(pd_runtime::Listing::Minimal)
        .with_handler(Nameless)
        .build()
        .unwrap();
    let (info, _) = introduced(Era::Session, &shared).await;
    assert_eq!(
        info,
        json!({ "name": "pd-tests", "version": env!("CARGO_PKG_VERSION") })
    );
}

/// A registry that takes the place of another one keeps the server's name.
#[tokio::test]
async fn a_replaced_registry_keeps_the_handlers_name() {
    let shared = PdServer::adopt(Adopted, Adopted::tool_router())
        .build()
        .unwrap();
    shared.replace(pd_runtime::registry! { add }).unwrap();
    assert_eq!(introduced(Era::Inline, &shared).await.0["name"], "adopted");
}

#[tokio::test]
async fn an_adopted_server_lists_its_tools_in_every_era() {
    let adopted = PdServer::adopt(Adopted, Adopted::tool_router())
        .build()
        .unwrap();
    for era in ERAS {
        let listed = Raw::connect(era, &adopted)
            .await
            .result("tools/list", json!({}))
            .await;
        assert_eq!(
            names(&listed["tools"]),
            ["ask", "think", "who", "work", "describe_tools"],
            "{era:?}"
        );
    }
}

/// A tool that rmcp neither lists nor calls is not served.
#[test]
fn a_disabled_tool_is_not_adopted() {
    let registry = Registry::builder()
        .adopt(Adopted::tool_router().with_disabled("ask"))
        .build()
        .unwrap();
    assert!(registry.tool("ask").is_none() && registry.tool("work").is_some());
}

fn adopted() -> Registry<Adopted> {
    Registry::builder()
        .adopt(Adopted::tool_router())
        .build()
        .unwrap()
}

fn text(result: &CallToolResult) -> &str {
    &result.content[0].as_text().unwrap().text
}

#[tokio::test]
async fn a_test_calls_an_adopted_tool_and_sees_its_progress() {
    let client = RecordingClient::new();
    let done = adopted()
        .call_with(&Adopted, "work", json!({ "steps": 3 }), &client.context())
        .await
        .unwrap();
    assert_eq!(text(&done), "3 steps");
    let progress: Vec<_> = client.progress().iter().map(|report| report.done).collect();
    assert_eq!(progress, [1.0, 2.0, 3.0]);
    assert_eq!(client.notifications().len(), 3);
    assert_eq!(
        client.context().recorded().len(),
        3,
        "a context shows what its client recorded"
    );
}

#[tokio::test]
async fn a_test_answers_what_an_adopted_tool_asks() {
    #[expect(deprecated, reason = "clients still sample")]
    let client = RecordingClient::new()
        .with_elicitation(|_| {
            ElicitResult::new(ElicitationAction::Accept).with_content(json!({ "name": "Ada" }))
        })
        .with_sampling(|_| {
            CreateMessageResult::new(SamplingMessage::assistant_text("Hm."), "a-model".to_owned())
        });
    let asked = adopted()
        .call_with(&Adopted, "ask", json!({}), &client.context())
        .await
        .unwrap();
    assert_eq!(text(&asked), "\"Ada\"");
    let thought = adopted()
        .call_with(&Adopted, "think", json!({}), &client.context())
        .await
        .unwrap();
    assert_eq!(text(&thought), "a-model");
    assert_eq!(client.requests().len(), 2);
    #[expect(deprecated, reason = "servers still send log messages")]
    let message = client.log_messages()[0].data.clone();
    assert_eq!(message, "thought");
}

#[tokio::test]
async fn what_a_test_does_not_answer_fails_with_what_to_write() {
    let client = RecordingClient::new();
    let failed = adopted()
        .call_with(&Adopted, "ask", json!({}), &client.context())
        .await
        .unwrap_err();
    assert!(
        failed.message.contains("RecordingClient::with_elicitation"),
        "{failed}"
    );
    let failed = adopted()
        .call(&Adopted, "ask", json!({}))
        .await
        .unwrap_err();
    assert!(
        failed.message.contains("pd_runtime::tool::RecordingClient"),
        "{failed}"
    );
}

/// Outside of a runtime there is no connection, and nothing panics.
#[test]
fn a_context_outside_of_a_runtime_is_detached() {
    let context = RecordingClient::new().context();
    assert!(context.peer().is_none());
    let called = adopted();
    let failed =
        futures::executor::block_on(called.call_with(&Adopted, "ask", json!({}), &context))
            .unwrap_err();
    assert!(
        failed.message.contains("inside of a Tokio runtime"),
        "{failed}"
    );
}

/// As over HTTP, where middleware puts the principal into the request.
#[tokio::test]
async fn an_adopted_tool_sees_the_principal_of_a_test() {
    let client = RecordingClient::new().with_principal(Principal::new("alice"));
    let called = adopted()
        .call_with(&Adopted, "who", json!({}), &client.context())
        .await
        .unwrap();
    assert_eq!(text(&called), "alice");
}

/// A tool of 2026-07-28 asks in its result, and is called again with the answers.
async fn enter_names(_: &(), call: &CallContext) -> ToolResult {
    let Some(entered) = call.input_responses() else {
        let params = ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: "Your name?".to_owned(),
            requested_schema: ElicitationSchema::new(Default::default()),
        };
        let requests = [(
            "name".to_owned(),
            InputRequest::Elicitation(ElicitRequest::new(params)),
        )]
        .into();
        return Ok(InputRequiredResult::new(Some(requests), Some("round 1".to_owned())).into());
    };
    format!(
        "{} after {}",
        entered["name"]["content"]["name"],
        call.request_state().unwrap()
    )
    .into_output()
}

#[tokio::test]
async fn a_test_answers_input_that_a_result_requires() {
    let tool = Tool::new("enter", "Enter a name", |state, call, _| {
        Box::pin(enter_names(state, call))
    });
    let registry = Registry::builder().tool(tool).build().unwrap();
    let client = RecordingClient::new().with_elicitation(|_| {
        ElicitResult::new(ElicitationAction::Accept).with_content(json!({ "name": "Ada" }))
    });
    let modern = client
        .clone()
        .with_protocol_version(ProtocolVersion::V_2026_07_28);
    let entered = registry
        .call_with(&(), "enter", json!({}), &modern.context())
        .await
        .unwrap();
    assert_eq!(text(&entered), "\"Ada\" after round 1");
    assert_eq!(client.requests().len(), 1, "a clone shares the records");
    let legacy = registry
        .call_with(&(), "enter", json!({}), &client.context())
        .await
        .unwrap_err();
    assert_eq!(
        legacy.code, "INPUT_REQUIRED",
        "rmcp refuses such a result before 2026-07-28"
    );
}

/// What a server logs while it is built.
fn logged_by<T>(build: impl Fn() -> T) -> String {
    // `tracing` registers a place in the code when it logs for the first time, for the subscribers of
    // that moment. Tests beside this one have none.
    build();
    let log = Arc::new(Mutex::new(Vec::new()));
    let writer = Log(log.clone());
    let subscriber = tracing_subscriber::fmt()
        .with_writer(move || writer.clone())
        .with_ansi(false)
        .finish();
    // If there is one subscriber alone, only the thread that registers a place is asked for its own.
    let _second = tracing::Dispatch::new(tracing::subscriber::NoSubscriber::default());
    tracing::subscriber::with_default(subscriber, build);
    let log = log.lock().unwrap().clone();
    String::from_utf8(log).unwrap()
}

#[derive(Clone)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A handler's tools need its router: the server cannot take them from the handler.
#[test]
fn a_handler_whose_tools_are_not_adopted_is_warned_of() {
    let registry = || -> Registry<Adopted> {
        pd_runtime::registry! { add }
    };
    let lost = logged_by(|| {
        PdServer::builder(registry(), Adopted)
            .listing(pd_runtime::Listing::Minimal)
            .with_handler(Adopted)
            .build()
            .unwrap()
    });
    assert!(
        lost.contains("WARN") && lost.contains("Registry::adopt(Handler::tool_router())"),
        "{lost}"
    );
    let adopted = logged_by(|| {
        PdServer::adopt(Adopted, Adopted::tool_router())
            .build()
            .unwrap()
    });
    let moved = logged_by(|| {
        PdServer::builder(registry(), Adopted)
            .listing(pd_runtime::Listing::Minimal)
            .adopt(Adopted::tool_router())
            .with_state_as_handler()
            .build()
            .unwrap()
    });
    let without = logged_by(|| {
        PdServer::builder(registry(), Adopted)
            .listing(pd_runtime::Listing::Minimal)
            .build()
            .unwrap()
    });
    for log in [adopted, moved, without] {
        assert!(!log.contains("WARN"), "{log}");
    }
}

/// In a release build, too, which does not run all checks.
#[test]
fn a_tool_that_is_adopted_twice_is_a_problem() {
    let twice = PdServer::adopt(Adopted, Adopted::tool_router()).adopt(Adopted::tool_router());
    let problems = twice.build().unwrap_err().to_string();
    assert!(
        problems.contains("another tool has this name"),
        "{problems}"
    );
}
