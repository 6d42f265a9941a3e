//! One client script, run against docs-mcp itself and against its three forms, in both protocol generations.
//!
//! The client is rmcp's own, over standard input and output. It knows nothing of disclosure but the one rule that a
//! refusal states: read the description, then call again.

use rmcp::{
    ClientLifecycleMode, ClientServiceExt, RoleClient,
    model::{CallToolRequestParams, CallToolResult, JsonObject, ProtocolVersion, ServerPeerInfo},
    service::{RunningService, ServiceError},
};
use serde_json::{Value, json};
use std::{error::Error, process::Stdio, sync::Arc};
use tempfile::TempDir;
use tokio::process::{Child, Command};

type Failure = Box<dyn Error + Send + Sync>;
type Client = RunningService<RoleClient, ()>;

const FORMS: [&str; 3] = ["adopted", "half", "full"];

/// Every tool, and arguments that the recorded registry answers.
fn calls() -> [(&'static str, Value); 12] {
    [
        ("crate_list", json!({ "query": "sample" })),
        ("crate_get", json!({ "name": "pd-sample" })),
        ("crate_readme_get", json!({ "name": "pd-sample" })),
        (
            "crate_docs_get",
            json!({ "name": "pd-sample", "include_items": true }),
        ),
        (
            "crate_item_list",
            json!({ "name": "pd-sample", "query": "SmallMap" }),
        ),
        (
            "crate_item_get",
            json!({ "name": "pd-sample", "item_path": "pd_sample::SmallMap" }),
        ),
        (
            "crate_impls_list",
            json!({ "name": "pd-sample", "trait_path": "pd_sample::Lookup" }),
        ),
        (
            "crate_versions_list",
            json!({ "name": "pd-sample", "per_page": 5 }),
        ),
        (
            "crate_version_get",
            json!({ "name": "pd-sample", "version": "1.1.0" }),
        ),
        (
            "crate_dependencies_list",
            json!({ "name": "pd-sample", "kind": "normal" }),
        ),
        ("crate_dependents_list", json!({ "name": "pd-sample" })),
        (
            "crate_downloads_get",
            json!({ "name": "pd-sample", "before_date": "2026-03-01" }),
        ),
    ]
}

/// One server process. Its cache is a directory of its own.
struct Server {
    client: Client,
    _process: Child,
    _cache: TempDir,
}

impl Server {
    async fn start(form: &str, lifecycle: ClientLifecycleMode) -> Result<Self, Failure> {
        let cache = tempfile::tempdir()?;
        let mut process = Command::new(env!("CARGO_BIN_EXE_pd-port-tests"))
            .arg(form)
            .env("XDG_CACHE_HOME", cache.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let pipes = process
            .stdout
            .take()
            .zip(process.stdin.take())
            .ok_or("the process has no pipes")?;
        let client = ().serve_with_lifecycle(pipes, lifecycle).await?;
        Ok(Self {
            client,
            _process: process,
            _cache: cache,
        })
    }

    fn info(&self) -> Result<Arc<ServerPeerInfo>, Failure> {
        Ok(self
            .client
            .peer_info()
            .ok_or("the server did not say who it is")?)
    }

    /// Calls a tool, and once more after a refusal that asks to read the description first.
    async fn call(
        &self,
        tool: &'static str,
        arguments: &Value,
    ) -> Result<CallToolResult, ServiceError> {
        let mut arguments = arguments.as_object().cloned().unwrap_or_default();
        let result = self.call_once(tool, arguments.clone()).await?;
        let text = text(&result);
        if !text.contains("TOOL_DESCRIPTION_REQUIRED") {
            return Ok(result);
        }
        arguments
            .extend(ticket(&text).map(|ticket| ("disclosure_ticket".to_owned(), ticket.into())));
        self.call_once(tool, arguments).await
    }

    async fn call_once(
        &self,
        tool: &'static str,
        arguments: JsonObject,
    ) -> Result<CallToolResult, ServiceError> {
        self.client
            .call_tool(CallToolRequestParams::new(tool).with_arguments(arguments))
            .await
    }
}

/// The ticket in a refusal's description, where the protocol generation has tickets.
fn ticket(refusal: &str) -> Option<String> {
    // The call to send next follows the refusal's JSON.
    let refusal: Value = serde_json::Deserializer::from_str(refusal)
        .into_iter()
        .next()?
        .ok()?;
    find(&refusal, "disclosure_ticket")?
        .get("const")?
        .as_str()
        .map(str::to_owned)
}

fn find<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    match value {
        Value::Object(object) => object
            .get(key)
            .or_else(|| object.values().find_map(|inner| find(inner, key))),
        Value::Array(array) => array.iter().find_map(|inner| find(inner, key)),
        _ => None,
    }
}

fn text(result: &CallToolResult) -> String {
    result
        .content
        .iter()
        .filter_map(|block| block.as_text())
        .map(|text| text.text.as_str())
        .collect()
}

fn name_of(info: &ServerPeerInfo) -> Option<&str> {
    info.server_info.as_ref().map(|server| server.name.as_str())
}

fn lifecycles() -> [ClientLifecycleMode; 2] {
    let discover = ClientLifecycleMode::Discover {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
    };
    [ClientLifecycleMode::Initialize, discover]
}

/// Each tool's answer, as JSON: docs-mcp keeps features in a hash map, so the order of keys varies.
async fn answers(server: &Server) -> Result<Vec<Value>, Failure> {
    let mut answers = Vec::new();
    for (tool, arguments) in calls() {
        let answer = server.call(tool, &arguments).await?;
        let text = text(&answer);
        assert_ne!(answer.is_error, Some(true), "{tool}: {text}");
        answers.push(serde_json::from_str(&text)?);
    }
    Ok(answers)
}

#[tokio::test]
async fn every_form_answers_as_the_server_that_was_ported() -> Result<(), Failure> {
    let original =
        answers(&Server::start("docs-mcp", ClientLifecycleMode::Initialize).await?).await?;
    for form in FORMS {
        for lifecycle in lifecycles() {
            let ported = answers(&Server::start(form, lifecycle.clone()).await?).await?;
            for ((tool, _), (original, ported)) in calls().iter().zip(original.iter().zip(&ported))
            {
                assert_eq!(original, ported, "{form}: {tool} in {lifecycle:?}");
            }
        }
    }
    Ok(())
}

#[tokio::test]
async fn every_form_lists_the_same_names_in_fewer_bytes() -> Result<(), Failure> {
    let original = Server::start("docs-mcp", ClientLifecycleMode::Initialize)
        .await?
        .client
        .list_all_tools()
        .await?;
    let mut names: Vec<_> = original.iter().map(|tool| tool.name.to_string()).collect();
    names.sort();
    for form in FORMS {
        let listed = Server::start(form, ClientLifecycleMode::Initialize)
            .await?
            .client
            .list_all_tools()
            .await?;
        let mut ported: Vec<_> = listed.iter().map(|tool| tool.name.to_string()).collect();
        ported.retain(|name| name != "describe_tools");
        ported.sort();
        assert_eq!(names, ported, "{form}");
        let (before, after) = (
            serde_json::to_string(&original)?.len(),
            serde_json::to_string(&listed)?.len(),
        );
        assert!(
            after * 3 < before,
            "{form}: {after} bytes are listed instead of {before}"
        );
    }
    Ok(())
}

/// The forms that keep docs-mcp's handler are docs-mcp to a client.
#[tokio::test]
async fn the_handlers_name_version_and_instructions_stay() -> Result<(), Failure> {
    let original = Server::start("docs-mcp", ClientLifecycleMode::Initialize).await?;
    for form in ["adopted", "half"] {
        for lifecycle in lifecycles() {
            let ported = Server::start(form, lifecycle).await?;
            let (before, after) = (original.info()?, ported.info()?);
            assert!(before.server_info.is_some(), "docs-mcp says who it is");
            assert_eq!(name_of(&before), name_of(&after), "{form}");
        }
    }
    let adopted = Server::start("adopted", ClientLifecycleMode::Initialize).await?;
    assert_eq!(original.info()?.server_info, adopted.info()?.server_info);
    let theirs = original.info()?.instructions.clone().unwrap_or_default();
    let ours = adopted.info()?.instructions.clone().unwrap_or_default();
    assert!(ours.contains(theirs.trim()), "{ours}");
    Ok(())
}

/// The o200k tokens of a form's `tools/list`.
async fn listed_tokens(form: &str) -> Result<usize, Failure> {
    let server = Server::start(form, ClientLifecycleMode::Initialize).await?;
    let listed = serde_json::to_string(&server.client.list_tools(None).await?)?;
    Ok(tiktoken_rs::o200k_base_singleton()
        .encode_ordinary(&listed)
        .len())
}

/// The page for authors of rmcp servers shows what this server's list costs before and after.
#[tokio::test]
async fn the_guide_shows_the_tokens_of_each_form() -> Result<(), Failure> {
    let page = include_str!("../../../pd-runtime/docs/from-rmcp.md").replace(',', "");
    let mut missing = Vec::new();
    for form in ["docs-mcp", "adopted", "half", "full"] {
        let row = format!("| `{form}` | {} |", listed_tokens(form).await?);
        missing.extend((!page.contains(&row)).then_some(row));
    }
    assert_eq!(missing, [""; 0], "rows for docs/from-rmcp.md");
    Ok(())
}

/// A violation is named before the tool runs, where docs-mcp answers with a protocol error.
#[tokio::test]
async fn wrong_arguments_name_the_argument_in_every_form() -> Result<(), Failure> {
    for form in FORMS {
        let server = Server::start(form, ClientLifecycleMode::Initialize).await?;
        let result = server
            .call("crate_version_get", &json!({ "name": "pd-sample" }))
            .await?;
        let text = text(&result);
        assert_eq!(result.is_error, Some(true), "{form}");
        assert!(
            text.contains("INVALID_ARGUMENTS") && text.contains("version"),
            "{form}: {text}"
        );
    }
    Ok(())
}

/// An error of the tool's body reaches the model with its words.
#[tokio::test]
async fn a_tools_own_error_keeps_its_words_in_every_form() -> Result<(), Failure> {
    for form in FORMS {
        let server = Server::start(form, ClientLifecycleMode::Initialize).await?;
        let result = server
            .call("crate_impls_list", &json!({ "name": "pd-sample" }))
            .await?;
        let text = text(&result);
        assert_eq!(result.is_error, Some(true), "{form}");
        assert!(
            text.contains("Either trait_path or type_path must be specified"),
            "{form}: {text}"
        );
    }
    Ok(())
}

/// The checks that an author runs in one line hold for all three.
#[test]
fn every_registry_passes_its_check() -> Result<(), Failure> {
    pd_port_tests::adopted::registry()?.check()?;
    pd_port_tests::half::registry()?.check()?;
    pd_port_tests::full::registry().check()?;
    Ok(())
}
