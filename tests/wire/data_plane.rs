//! What a selective tool does not show: kept for whoever has its URL, on the account of who asked for it.

use crate::harness::{
    client::{Era, connect},
    code,
    post::Post,
    text, told,
};
use futures::{
    FutureExt,
    future::{BoxFuture, ready},
};
use pd_runtime::{
    GateMode, PdServer, Principal, ServerBuilder, Table,
    prelude::*,
    selective::data_plane::DataPlane,
    serve::{Authenticate, AuthenticationError, Http, HttpOptions, bearer},
};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::task::JoinHandle;

/// Run a stored query.
#[pd_tool(selective)]
fn query(rows: u32) -> Result<Table, ToolError> {
    let mut table = Table::new(["id", "size"])?;
    for row in 0..rows {
        table.push([json!(row), json!({ "bytes": 7 })])?;
    }
    Ok(table)
}

fn server() -> ServerBuilder<()> {
    PdServer::builder(pd_runtime::registry! { query }, ()).gate(GateMode::Off)
}

/// A bearer token is its principal's name.
struct Names;

impl Authenticate for Names {
    fn authenticate<'a>(
        &'a self,
        request: &'a http::request::Parts,
    ) -> BoxFuture<'a, Result<Principal, AuthenticationError>> {
        ready(bearer(request).map(Principal::new)).boxed()
    }
}

/// A server that ends when it is dropped.
struct Served {
    url: String,
    serving: JoinHandle<()>,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn serve(builder: ServerBuilder<()>, options: HttpOptions) -> Served {
    let (shared, http) = (
        builder.build().unwrap(),
        Http::bind("127.0.0.1:0").await.unwrap(),
    );
    let url = http.url();
    let serving = tokio::spawn(async move { http.serve(&shared, options).await.unwrap() });
    Served { url, serving }
}

fn named() -> HttpOptions {
    HttpOptions::new().authenticate(Arc::new(Names))
}

fn arguments() -> Value {
    json!({ "rows": 3, "abstract_domains": "id" })
}

async fn fetch(url: &str, question: Value) -> (u16, Value) {
    let client = reqwest::Client::builder()
        .pool_max_idle_per_host(0)
        .build()
        .unwrap();
    let answer = client.post(url).json(&question).send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

#[tokio::test]
async fn what_is_not_shown_is_fetched_once_by_its_url() {
    let site = serve(server(), HttpOptions::default()).await;
    for client in [
        Post::inline(&site.url),
        Post::session(&site.url, None).await,
    ] {
        let shown = told(&client.call("query", arguments()).await);
        assert_eq!(shown["abstract"][2], json!({ "_row_id": 2, "id": 2 }));
        assert_eq!(
            (&shown["body_domains"], shown.get("body")),
            (&json!(["size"]), None)
        );
        let url = shown["resource_url"].as_str().unwrap();
        let base = site.url.strip_suffix("/mcp").unwrap();
        assert!(
            url.strip_prefix(&format!("{base}/s2sp/data/"))
                .is_some_and(|token| token.len() == 43),
            "{url}"
        );
        let (status, rows) = fetch(url, json!({ "row_ids": [1], "columns": ["size"] })).await;
        let expected =
            json!({ "body": [{ "_row_id": 1, "size": { "bytes": 7 } }], "total_rows": 1 });
        assert_eq!((status, rows), (200, expected));
        assert_eq!(fetch(url, json!({})).await.0, 404);
    }
}

/// Consumers have no credentials of the server: the URL is one.
#[tokio::test]
async fn the_url_is_all_that_a_consumer_needs() {
    let site = serve(server(), named()).await;
    let shown = told(
        &Post::inline(&site.url)
            .bearer("alice")
            .call("query", arguments())
            .await,
    );
    assert_eq!(
        fetch(shown["resource_url"].as_str().unwrap(), json!({}))
            .await
            .0,
        200
    );
    assert_eq!(
        Post::inline(&site.url)
            .send("tools/list", json!({}))
            .await
            .status,
        401
    );
}

#[tokio::test]
async fn one_principal_leaves_room_for_another() {
    let plane = DataPlane::default().max_bodies(4);
    let site = serve(server().data_plane(plane), named()).await;
    let [alice, bob] = ["alice", "bob"].map(|name| Post::inline(&site.url).bearer(name));
    let url = told(&alice.call("query", arguments()).await)["resource_url"].clone();
    told(&alice.call("query", arguments()).await);
    let refused = alice.call("query", arguments()).await;
    assert_eq!(code(&refused), "DATA_PLANE_FULL");
    let sync = json!({ "rows": 3, "abstract_domains": "id", "mode": "sync" });
    assert_eq!(
        told(&alice.call("query", sync).await)["body"]
            .as_array()
            .map(Vec::len),
        Some(3)
    );
    assert!(told(&bob.call("query", arguments()).await)["resource_url"].is_string());
    assert_eq!(fetch(url.as_str().unwrap(), json!({})).await.0, 200);
    assert!(told(&alice.call("query", arguments()).await)["resource_url"].is_string());
}

#[tokio::test]
async fn where_nobody_could_fetch_the_caller_is_told_how_to_go_on() {
    for era in Era::ALL {
        let client = connect(era, &server().build().unwrap()).await;
        let refused = client.call("query", arguments()).await;
        assert_eq!(code(&refused), "NO_DATA_PLANE");
        assert!(text(&refused).contains("`mode`: `sync`"), "{refused}");
    }
}
