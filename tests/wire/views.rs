//! Views of a server's own tools (MCP Apps): their pages, who reads them, and the calls from them.

use crate::harness::{
    client::{Era, connect, connect_with, error_of},
    post::Post,
    site::Site,
};
use pd_runtime::{
    Group, Listing, PdServer, Registry, Tool,
    apps::{View, Visibility},
};
use serde_json::{Value, json};

const PAGE: &str = "<!doctype html><title>Board</title>";
const TYPE: &str = "text/html;profile=mcp-app";

/// What a client that renders views declares.
fn host() -> Value {
    json!({ "extensions": { "io.modelcontextprotocol/ui": { "mimeTypes": [TYPE] } } })
}

fn tool(name: &'static str) -> Tool<()> {
    Tool::new(name, "Do something to the board", |(), _, _| {
        Box::pin(async {
            Ok(rmcp::model::CallToolResult::structured(json!({ "cards": [] })).into())
        })
    })
    .output_schema(json!({ "type": "object" }))
}

fn board(prefix: &str) -> Registry<()> {
    let view = View::new(PAGE)
        .settings(json!({ "csp": { "connectDomains": ["https://api.example.com"] } }));
    let secret = tool("secret").view(View::new(PAGE)).scope("board:secret");
    let registry = Registry::builder()
        .tool(tool("show").view(view))
        .tool(tool("moved").visibility(Visibility::App))
        .group(Group::new("hidden", "What is locked").tool(secret))
        .build()
        .unwrap();
    registry.with_prefix(prefix)
}

/// The pages, without those of the tool that a caller over HTTP does not see.
fn uris(listed: &[rmcp::model::Resource]) -> Vec<&str> {
    let uris = listed.iter().map(|one| one.uri.as_str());
    uris.filter(|uri| uri.starts_with("ui://") && !uri.contains("secret"))
        .collect()
}

#[tokio::test]
async fn a_page_is_listed_for_hosts_and_read_by_all_who_see_its_tool() {
    let server = PdServer::builder(board(""), ()).build().unwrap();
    for era in Era::ALL
        .into_iter()
        .filter(|era| *era != Era::HttpStateless)
    {
        let client = connect_with(era, &server, host()).await;
        let listed = client.running.list_resources(None).await.unwrap().resources;
        assert_eq!(uris(&listed), ["ui://show/view.html"], "{era:?}");
        let page = &client.read("ui://show/view.html").await["contents"][0];
        assert_eq!(
            (&page["text"], &page["mimeType"]),
            (&json!(PAGE), &json!(TYPE))
        );
        let origins = &page["_meta"]["ui"]["csp"]["connectDomains"];
        assert_eq!(origins, &json!(["https://api.example.com"]), "{era:?}");
        // A host that does not declare the extension reads the page by the definition of the tool.
        let plain = connect(era, &server).await;
        let listed = plain.running.list_resources(None).await.unwrap().resources;
        assert_eq!(uris(&listed), [""; 0], "{era:?}");
        assert_eq!(
            plain.read("ui://show/view.html").await["contents"][0]["text"],
            PAGE
        );
        for unknown in ["ui://moved/view.html", "ui://show/other.html"] {
            let params = rmcp::model::ReadResourceRequestParams::new(unknown);
            let refused = error_of(client.running.read_resource(params).await);
            assert!(
                refused.message.contains("no such resource"),
                "{era:?} {unknown}: {refused:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_page_of_a_hidden_tool_exists_for_those_who_see_the_tool() {
    let server = PdServer::builder(board(""), ()).build().unwrap();
    for sessions in [true, false] {
        let site = Site::open(&server, sessions).await;
        let read = json!({ "uri": "ui://secret/view.html" });
        let anyone = Post::inline(&site.url).capabilities(host());
        let refused = anyone.send("resources/read", read.clone()).await.body;
        let unknown = anyone
            .send("resources/read", json!({ "uri": "ui://secrets/view.html" }))
            .await
            .body;
        assert_eq!(refused["error"]["code"], unknown["error"]["code"]);
        let owner = anyone.bearer("alice board:secret");
        let page = owner.result("resources/read", read).await;
        assert_eq!(page["contents"][0]["text"], PAGE, "{sessions}");
        let listed = owner.result("resources/list", json!({})).await.to_string();
        assert!(listed.contains("ui://secret/view.html"), "{listed}");
    }
}

#[tokio::test]
async fn a_registry_that_is_served_twice_has_two_pages_and_views_call_by_their_names() {
    let both = board("a_").merge(board("b_")).unwrap();
    let server = PdServer::builder(both, ())
        .listing(Listing::Minimal)
        .build()
        .unwrap();
    for era in Era::ALL
        .into_iter()
        .filter(|era| *era != Era::HttpStateless)
    {
        let client = connect_with(era, &server, host()).await;
        let listed = client.running.list_resources(None).await.unwrap().resources;
        assert_eq!(
            uris(&listed),
            ["ui://a_show/view.html", "ui://b_show/view.html"]
        );
        let refused = error_of(client.try_call("moved", json!({})).await).message;
        assert!(
            refused.contains("`a_moved`, `b_moved`"),
            "{era:?}: {refused}"
        );
        assert_ne!(client.call("a_moved", json!({})).await["isError"], true);
    }
    let alone = PdServer::builder(board("a_"), ()).build().unwrap();
    let client = connect_with(Era::Session, &alone, host()).await;
    let moved = client.call("moved", json!({})).await;
    assert_eq!(moved["structuredContent"], json!({ "cards": [] }));
}

#[test]
fn a_view_that_no_host_can_show_is_refused() {
    let build = |tool: Tool<()>| {
        Registry::builder()
            .tool(tool)
            .build()
            .unwrap_err()
            .to_string()
    };
    let fragment = build(tool("show").view(View::new("<p>")));
    assert!(
        fragment.contains("begins with `<!doctype html>`"),
        "{fragment}"
    );
    let settings = View::new(PAGE).settings(json!({ "csp": { "connectDomain": [] } }));
    let misspelled = build(tool("show").view(settings));
    assert!(
        misspelled.contains("did you mean `connectDomains`?"),
        "{misspelled}"
    );
    let text = Tool::new("show", "Show the board", |(), _, _| {
        Box::pin(async { Ok(rmcp::model::CallToolResult::success(Vec::new()).into()) })
    });
    let unstructured = build(text.view(View::new(PAGE)));
    assert!(unstructured.contains("no output schema"), "{unstructured}");
}
