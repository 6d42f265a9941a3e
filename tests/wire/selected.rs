//! Consumers: rows of another tool as one parameter, what a model reads of it, and what is fetched for it.

use crate::harness::{
    client::{Era, connect},
    code,
    line::Line,
    site::Site,
    text, told,
};
use axum::{Router, extract::State, http::StatusCode, routing::post};
use pd_runtime::{
    GateMode, Listing, PdServer, Registry, Selected, ServerBuilder, prelude::*,
    selective::FetchPolicy,
};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Alert {
    /// What is warned of
    event: String,
    /// From 0 to 4,
    /// 4 being the worst
    severity: u8,
    area: Option<String>,
}

/// Alerts on one line.
#[pd_tool(summary = "Say alerts on one line")]
async fn say(
    /// What to say.
    alerts: Selected<Alert>,
    #[arg(default = ", ")] between: String,
    call: &CallContext,
) -> Result<String, ToolError> {
    let said = |Alert {
                    event,
                    severity,
                    area,
                }: Alert| format!("{event} {severity} {}", area.unwrap_or_default());
    Ok(alerts
        .rows(call)
        .await?
        .into_iter()
        .map(said)
        .collect::<Vec<_>>()
        .join(&between))
}

fn server() -> ServerBuilder<()> {
    let registry: Registry<()> = pd_runtime::registry! { say };
    registry.check().unwrap();
    PdServer::builder(registry, ()).listing(Listing::Minimal)
}

fn chosen(url: &str) -> Value {
    json!({
        "abstract_data": r#"[{"_row_id": 4, "event": "Gale"}, {"_row_id": 1, "event": "Flood"}]"#,
        "resource_url": url,
    })
}

#[tokio::test]
async fn a_model_reads_which_columns_there_are() {
    let shared = server().listing(Listing::Full).build().unwrap();
    let mut line = Line::session(&shared).await;
    let listed = line.result("tools/list", json!({})).await;
    let schema = &listed["tools"][0]["inputSchema"];
    let sent = |description: &str| json!({ "type": "string", "description": description });
    let expected = json!({
        "abstract_data": sent(
            "What to say.\nThe rows chosen from another tool's `abstract`: a JSON array, each row with its `_row_id`"
        ),
        "resource_url": sent("That tool's `resource_url`, as it is; good for one call"),
        "body_data": sent("Its `body` instead, where it gave one: a JSON array"),
        "column_mapping": sent(
            "Where that tool's columns are called otherwise: a JSON object, its name to ours. Ours:\n\
             - event: What is warned of\n- severity: From 0 to 4, 4 being the worst\n- area (optional)"
        ),
        "between": { "type": "string", "default": ", " },
    });
    assert_eq!(schema["properties"], expected);
    assert_eq!(schema["required"], json!(["abstract_data"]));
}

/// A data plane that gives its rows once, and what it was asked.
#[derive(Clone, Default)]
struct Plane(Arc<Mutex<Vec<Value>>>);

impl Plane {
    async fn open(&self) -> Site {
        Site::serve(
            Router::new()
                .route("/s2sp/data/{token}", post(take))
                .with_state(self.clone()),
        )
        .await
    }

    fn asked(&self) -> Vec<Value> {
        self.0.lock().unwrap().clone()
    }
}

async fn take(State(plane): State<Plane>, asked: String) -> (StatusCode, String) {
    let mut before = plane.0.lock().unwrap();
    before.push(serde_json::from_str(&asked).unwrap());
    if before.len() > 1 {
        return (
            StatusCode::NOT_FOUND,
            json!({ "error": "Unknown or expired resource" }).to_string(),
        );
    }
    let rows =
        json!([{ "_row_id": 1, "severity": 4, "area": "Oslo" }, { "_row_id": 4, "severity": 2 }]);
    (
        StatusCode::OK,
        json!({ "body": rows, "total_rows": 2 }).to_string(),
    )
}

fn data_url(site: &Site) -> (String, String) {
    let origin = site
        .url
        .trim_end_matches("/mcp")
        .trim_end_matches('/')
        .to_owned();
    let url = format!("{origin}/s2sp/data/{}", "t".repeat(43));
    (origin, url)
}

fn fetching(origin: &str) -> PdServer<()> {
    server()
        .fetch(FetchPolicy::new().allow_private(origin).unwrap())
        .build()
        .unwrap()
}

#[tokio::test]
async fn rows_are_fetched_in_every_era() {
    for era in Era::ALL {
        let plane = Plane::default();
        let site = plane.open().await;
        let (origin, url) = data_url(&site);
        let client = connect(era, &fetching(&origin)).await;
        let called = client.call_described("say", chosen(&url)).await;
        assert_eq!(text(&called), "Gale 2 , Flood 4 Oslo", "{era:?}");
        assert_eq!(plane.asked(), [json!({ "row_ids": [4, 1] })]);

        let again = client.call_described("say", chosen(&url)).await;
        assert_eq!(code(&again), "RESOURCE_GONE");
        let message = told(&again).to_string();
        assert!(
            message.contains("Unknown or expired resource") && !message.contains("tttt"),
            "{message}"
        );
    }
}

#[tokio::test]
async fn nothing_is_fetched_by_default() {
    let plane = Plane::default();
    let site = plane.open().await;
    let (_, url) = data_url(&site);
    let shared = server().gate(GateMode::Off).build().unwrap();
    let called = Line::session(&shared).await.call("say", chosen(&url)).await;
    assert_eq!(code(&called), "RESOURCE_REFUSED");
    assert_eq!(plane.asked(), Vec::<Value>::new());
}

#[tokio::test]
async fn a_bad_argument_is_one_that_a_model_can_mend() {
    let shared = server().gate(GateMode::Off).build().unwrap();
    let mut line = Line::session(&shared).await;
    for arguments in [
        json!({}),
        json!({ "abstract_data": "[{}]" }),
        json!({ "abstract_data": [] }),
    ] {
        assert_eq!(
            code(&line.call("say", arguments).await),
            "INVALID_ARGUMENTS"
        );
    }
}
