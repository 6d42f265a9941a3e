//! Arguments of other crates' types, which schemars describes once its feature for them is on.

use crate::harness::{
    client::{Era, connect},
    code, text, told,
};
use pd_runtime::{GateMode, prelude::*};
use serde_json::json;
use std::collections::BTreeMap;
use url::Url;
use uuid::Uuid;

#[pd_tool(summary = "Link an id to pages")]
fn link(
    id: uuid::Uuid,
    page: Url,
    more: Option<Vec<Url>>,
    names: BTreeMap<Uuid, String>,
) -> String {
    format!(
        "{id} {} {} {}",
        page.host_str().unwrap_or_default(),
        more.unwrap_or_default().len(),
        names.len()
    )
}

#[tokio::test]
async fn ids_and_urls_are_arguments() {
    let registry: Registry<()> = pd_runtime::registry! { link };
    registry.check().unwrap();
    let client = connect(
        Era::Session,
        &PdServer::builder(registry, ())
            .gate(GateMode::Off)
            .build()
            .unwrap(),
    )
    .await;
    let id = "67e55044-10b1-426f-9247-bb680e5fe0c8";
    let schema = client.describe("link").await["link"]["inputSchema"].take();
    assert_eq!(
        schema["properties"]["id"],
        json!({ "type": "string", "format": "uuid" }),
        "{schema}"
    );
    assert_eq!(schema["properties"]["page"]["format"], "uri");
    let arguments = json!({ "id": id, "page": "https://example.org/a", "names": { id: "Ada" } });
    assert_eq!(
        text(&client.call("link", arguments).await),
        format!("{id} example.org 0 1")
    );
    let called = client
        .call("link", json!({ "id": "7", "page": "nowhere", "names": {} }))
        .await;
    assert_eq!(code(&called), "INVALID_ARGUMENTS");
    let violations = told(&called)["error"]["violations"].take();
    assert_eq!(
        (&violations[0]["pointer"], &violations[1]["pointer"]),
        (&json!("/id"), &json!("/page")),
        "{violations}"
    );
}
