//! Interfaces of upstreams (MCP Apps): the tools with them stay listed, their URIs name the server,
//! and the calls of views arrive.

use super::*;
use crate::harness::client::{connect_with, error_of};

const TYPE: &str = "text/html;profile=mcp-app";

/// Every era whose servers learn what a client declares. Without a session, an older client's
/// handshake is another request than its calls.
fn declaring() -> impl Iterator<Item = Era> {
    Era::ALL
        .into_iter()
        .filter(|era| *era != Era::HttpStateless)
}

/// What a client that renders views declares.
fn host() -> Value {
    json!({ "extensions": { "io.modelcontextprotocol/ui": { "mimeTypes": [TYPE] } } })
}

impl Desk {
    /// The entry of a server with one view, a tool for it, a tool for the view alone, and a plain
    /// one. All servers of this test have the same names and URIs. The HTML names the server.
    fn viewing(&self, name: &str) -> (String, Value) {
        let tool = |name: &str, meta: Value| json!({ "name": name, "description": format!("Do {name} to a board."), "inputSchema": { "type": "object" }, "_meta": meta });
        let view = json!({ "ui": { "resourceUri": "ui://board/app.html" }, "ui/resourceUri": "ui://board/app.html", "anthropic/maxResultSizeChars": 400_000 });
        let ran = |has_view: bool| {
            let mut result = json!({
                "content": [
                    { "type": "text", "text": format!("{name} ran") },
                    { "type": "resource_link", "uri": "ui://board/row.html", "name": "row" },
                ],
            });
            if has_view {
                result["_meta"] = json!({ "ui": { "resourceUri": "ui://board/app.html" } });
            }
            result
        };
        let fixed = json!({
            "tools/list": { "tools": [
                tool("show", view),
                tool("poll", json!({ "ui": { "visibility": ["app"] } })),
                tool("secret_view", json!({ "ui": { "resourceUri": "ui://board/unlisted.html", "visibility": [] } })),
                tool("plain", json!({})),
            ] },
            "resources/list": { "resources": [{ "uri": "ui://board/app.html", "name": "board", "mimeType": TYPE }] },
            "resources/read": { "contents": [{ "uri": "ui://board/app.html", "mimeType": TYPE, "text": format!("<!doctype html>{name}"), "_meta": { "ui": { "csp": { "connectDomains": [] } } } }] },
            "tools/call show": ran(true),
            "tools/call poll": ran(false),
            "tools/call plain": ran(false),
        });
        let file = self.log_file(name).with_extension("log.fixed");
        fs::write(file, fixed.to_string()).unwrap();
        self.script(name, &["fixed"], &json!({}))
    }

    async fn viewing_gateway(&self, names: &[&str]) -> Gateway {
        let gateway = self.gateway(names.iter().map(|name| self.viewing(name)));
        gateway.refresh().await;
        gateway
    }
}

/// The message of the protocol error with which a direct call is refused.
async fn refusal(client: &Client, name: &str) -> String {
    let refused = client.try_call(name, json!({})).await;
    error_of(refused).message.into_owned()
}

fn named<'a>(list: &'a Value, name: &str) -> Option<&'a Value> {
    let tools = list["tools"].as_array().unwrap();
    tools.iter().find(|tool| tool["name"] == name)
}

#[tokio::test]
async fn every_listing_keeps_the_tools_with_views_and_their_metadata() {
    let desk = Desk::new();
    let gateway = desk.viewing_gateway(&["a", "b"]).await;
    for listing in [
        Listing::AUTO,
        Listing::Full,
        Listing::Outline,
        Listing::Minimal,
        Listing::Grouped,
        Listing::Eager,
        Listing::Reveal,
    ] {
        let server = gateway.builder().listing(listing).build().unwrap();
        for era in declaring() {
            let client = connect_with(era, &server, host()).await;
            let list = client.list().await;
            let show = named(&list, "a__show").unwrap_or_else(|| panic!("{era:?} {listing:?}"));
            let meta = &show["_meta"];
            assert_eq!(
                meta["ui"]["resourceUri"], "ui://a.board/app.html",
                "{era:?}"
            );
            assert_eq!(meta["ui/resourceUri"], "ui://a.board/app.html");
            assert_eq!(meta["anthropic/maxResultSizeChars"], 400_000);
            assert!(named(&list, "a__poll").is_some(), "{era:?} {listing:?}");
            assert!(named(&list, "a__secret_view").is_none());
            // Other hosts show their model all that they are listed.
            let plain = connect(era, &server).await.list().await;
            assert!(named(&plain, "a__show").is_some());
            assert!(named(&plain, "a__poll").is_none(), "{era:?} {listing:?}");
        }
    }
    gateway.stop().await;
}

#[tokio::test]
async fn equal_uris_of_two_servers_are_two_views() {
    let desk = Desk::new();
    let gateway = desk.viewing_gateway(&["a", "b"]).await;
    let server = gateway.builder().build().unwrap();
    for era in declaring() {
        let client = connect_with(era, &server, host()).await;
        let listed = client.running.list_resources(None).await.unwrap();
        let uris: Vec<_> = listed
            .resources
            .iter()
            .map(|one| one.uri.as_str())
            .collect();
        assert!(
            uris.contains(&"ui://a.board/app.html") && uris.contains(&"ui://b.board/app.html"),
            "{era:?}: {uris:?}"
        );
        for name in ["a", "b"] {
            let uri = format!("ui://{name}.board/app.html");
            let read = client.read(&uri).await;
            assert_eq!(read["contents"][0]["uri"], uri.as_str(), "{era:?}: {read}");
            assert_eq!(
                read["contents"][0]["text"],
                format!("<!doctype html>{name}")
            );
            assert_eq!(
                read["contents"][0]["_meta"]["ui"]["csp"],
                json!({ "connectDomains": [] })
            );
            // What only the definition of a tool names, or a result.
            let result = client.call(&format!("{name}__show"), json!({})).await;
            assert_eq!(
                result["_meta"]["ui"]["resourceUri"],
                uri.as_str(),
                "{result}"
            );
            let row = format!("ui://{name}.board/row.html");
            assert_eq!(result["content"][1]["uri"], row.as_str(), "{era:?}");
            if era.has_session() {
                client.read(&row).await;
            }
        }
        for uri in [
            "ui://board/app.html",
            "ui://c.board/app.html",
            "ui://a.board/other.html",
        ] {
            let params = ReadResourceRequestParams::new(uri);
            let refused = client.running.read_resource(params).await.unwrap_err();
            let refused = refused.to_string();
            let names_both = refused.contains("ui://a.board") && refused.contains("ui://b.board");
            assert_eq!(
                names_both,
                uri == "ui://board/app.html",
                "{era:?}: {refused}"
            );
        }
    }
    gateway.stop().await;
}

#[tokio::test]
async fn the_views_of_a_server_alone_keep_their_uris() {
    let desk = Desk::new();
    let gateway = desk.viewing_gateway(&["a"]).await;
    let server = gateway.builder().build().unwrap();
    let client = connect_with(Era::Inline, &server, host()).await;
    let list = client.list().await;
    let show = named(&list, "a__show").unwrap();
    assert_eq!(show["_meta"]["ui"]["resourceUri"], "ui://board/app.html");
    client.read("ui://board/app.html").await;
    // Before another server has come, and after it.
    desk.gateway([desk.viewing("a"), desk.viewing("b")]);
    let config = GatewayConfig::open(desk.0.path().join("mcp.json")).unwrap();
    gateway.reload(config).await;
    let server = gateway.builder().build().unwrap();
    let client = connect_with(Era::Inline, &server, host()).await;
    let list = client.list().await;
    let show = named(&list, "a__show").unwrap();
    assert_eq!(show["_meta"]["ui"]["resourceUri"], "ui://a.board/app.html");
    gateway.stop().await;
}

#[tokio::test]
async fn the_calls_of_a_view_arrive_by_the_names_that_it_knows() {
    let desk = Desk::new();
    let gateway = desk.viewing_gateway(&["a", "b"]).await;
    for listing in [Listing::AUTO, Listing::Minimal, Listing::Eager] {
        let server = gateway.builder().listing(listing).build().unwrap();
        for era in declaring() {
            let client = connect_with(era, &server, host()).await;
            // Nothing was described, and nothing is refused.
            for name in ["b__poll", "b__show", "b__plain"] {
                let result = client.call(name, json!({})).await;
                assert_eq!(text(&result), "b ran", "{era:?} {listing:?} {name}");
            }
            let refused = refusal(&client, "poll").await;
            assert!(
                refused.contains("`a__poll`, `b__poll`"),
                "{era:?}: {refused}"
            );
            if !era.has_session() {
                continue;
            }
            // The view that a person looks at says which server is meant.
            client.read("ui://b.board/app.html").await;
            for name in ["poll", "show", "plain"] {
                let result = client.call(name, json!({})).await;
                assert_eq!(text(&result), "b ran", "{era:?} {listing:?} {name}");
            }
            client.read("ui://a.board/app.html").await;
            assert!(
                refusal(&client, "poll")
                    .await
                    .contains("`a__poll`, `b__poll`")
            );
        }
    }
    gateway.stop().await;
}

/// Neither what finds, describes and calls tools for a model, nor what lists them.
#[tokio::test]
async fn tools_for_views_alone_are_nowhere_else() {
    let desk = Desk::new();
    let gateway = desk.viewing_gateway(&["a"]).await;
    let server = gateway.builder().listing(Listing::Eager).build().unwrap();
    let coding = gateway
        .builder()
        .code_mode(pd_runtime::code::CodeMode::new(env!(
            "CARGO_BIN_EXE_library"
        )))
        .build()
        .unwrap();
    for era in declaring() {
        for capabilities in [host(), json!({})] {
            let client = connect_with(era, &server, capabilities.clone()).await;
            let coder = connect_with(era, &coding, capabilities).await;
            let mut seen = format!("{}", coder.list().await["tools"][0]);
            for (tool, arguments) in [
                ("find_tools", json!({ "query": "poll a board" })),
                ("find_tools", json!({ "query": "poll" })),
                (
                    "describe_tools",
                    json!({ "names": ["a__plain", "a__show"] }),
                ),
            ] {
                seen.push_str(&client.call(tool, arguments).await.to_string());
            }
            let info = client.running.peer_info().unwrap();
            seen.push_str(&format!("{info:?}"));
            assert!(
                !seen.contains("a__poll") && !seen.contains("secret_view"),
                "{era:?}: {seen}"
            );
            for tool in ["a__poll", "a__secret_view", "poll"] {
                let described = client
                    .call("describe_tools", json!({ "names": [tool] }))
                    .await;
                assert!(
                    !described.to_string().contains("Do poll"),
                    "{era:?}: {described}"
                );
                let arguments = json!({ "name": tool, "arguments": {} });
                let called = client.call("call_tool", arguments).await;
                assert_eq!(called["isError"], true, "{era:?} {tool}: {called}");
                assert!(!called.to_string().contains("Do poll"), "{era:?}: {called}");
                let code = format!("return tools.{tool}({{}})");
                let ran = coder.call("run_code", json!({ "code": code })).await;
                assert!(!ran.to_string().contains("a ran"), "{era:?} {tool}: {ran}");
            }
            assert_eq!(
                refusal(&client, "a__secret_view").await,
                "Unknown tool: a__secret_view"
            );
        }
    }
    gateway.stop().await;
}

#[tokio::test]
async fn results_through_the_meta_tool_name_the_view() {
    let desk = Desk::new();
    let gateway = desk.viewing_gateway(&["a"]).await;
    let server = gateway.builder().listing(Listing::Eager).build().unwrap();
    for era in declaring() {
        let client = connect_with(era, &server, host()).await;
        let result = super::source_names::call_named(&client, "a__show").await;
        assert_eq!(
            result["_meta"]["ui"]["resourceUri"], "ui://board/app.html",
            "{era:?}: {result}"
        );
    }
    gateway.stop().await;
}

/// Servers that list tools with views only for hosts that render them list them.
#[tokio::test]
async fn servers_are_told_that_views_are_rendered() {
    let desk = Desk::new();
    for mode in ["legacy", "modern"] {
        let gateway = desk.gateway([desk.script(mode, &[mode], &json!({}))]);
        gateway.refresh().await;
        assert!(desk.log(mode).contains(TYPE), "{}", desk.log(mode));
        gateway.stop().await;
    }
}
