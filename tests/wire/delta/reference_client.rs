//! The reference client of Delta-MCP over this project's endpoint: the headers and the bodies of
//! `@delta-mcp/client` 0.2.1, which no registry has, and the values of its earlier versions.

use super::{handshake, request};
use crate::harness::{names, post::Post, shop, site::Site, text};
use pd_runtime::{
    Listing, PdServer,
    config::{MetaTools, Preset},
    serve::{self, HttpOptions},
};
use serde_json::{Value, json};

/// The values of `MCP-Protocol-Version` that a client may send with every request: the dates of MCP, of
/// which it has one as a constant, and versions of Delta-MCP, as it sent before 0.2.
const HEADERS: [&str; 7] = [
    "2025-11-25",
    "2025-06-18",
    "2025-03-26",
    "2024-11-05",
    "2026-07-28",
    "delta-mcp/0.2.0",
    "delta-mcp/0.1.0",
];

/// The client: its constant header, and the session that the server assigned.
struct ReferenceClient {
    url: String,
    version: &'static str,
    session: Option<String>,
}

impl ReferenceClient {
    fn new(url: &str, version: &'static str) -> Self {
        Self {
            url: url.to_owned(),
            version,
            session: None,
        }
    }

    fn request(&self, message: &Value) -> reqwest::RequestBuilder {
        let request = reqwest::Client::new()
            .post(&self.url)
            .header("content-type", "application/json");
        let request = request.header("accept", "application/json, application/json");
        let request = request
            .header("mcp-protocol-version", self.version)
            .body(message.to_string());
        self.session
            .iter()
            .fold(request, |request, id| request.header("mcp-session-id", id))
    }

    /// Sends a request. Parameters of null are left out, as `JSON.stringify` leaves out `undefined`.
    async fn send(&mut self, method: &str, params: Value) -> Value {
        let mut message = request(method, params);
        if message["params"].is_null() {
            message.as_object_mut().unwrap().remove("params");
        }
        let response = self.request(&message).send().await.unwrap();
        let (status, version) = (response.status(), self.version);
        if let Some(id) = response.headers().get("mcp-session-id") {
            self.session = Some(id.to_str().unwrap().to_owned());
        }
        let body = response.text().await.unwrap();
        assert!(status.is_success(), "{method}, {version}: {status} {body}");
        serde_json::from_str(&body)
            .unwrap_or_else(|error| panic!("{method}, {version}: {error} in {body}"))
    }

    /// Opens a session. The client sends the notification without waiting for its answer.
    async fn initialize(&mut self, version: &str) -> Value {
        let mut initialized = self.send("initialize", handshake(version)).await;
        let note =
            self.request(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        tokio::spawn(async move { assert_eq!(note.send().await.unwrap().status(), 202) });
        initialized["result"].take()
    }
}

async fn open<S: Send + Sync + 'static>(shared: &PdServer<S>) -> Site {
    Site::serve(serve::router(shared, &HttpOptions::default(), Default::default()).unwrap()).await
}

#[tokio::test]
async fn it_connects_lists_describes_and_calls_with_each_version_in_its_header() {
    let site = open(&shop::server().build().unwrap()).await;
    for version in HEADERS {
        let mut client = ReferenceClient::new(&site.url, version);
        for _ in 0..2 {
            let initialized = client.initialize("delta-mcp/0.2.0").await;
            assert_eq!(initialized["protocolVersion"], "2025-11-25", "{version}");
            assert_eq!(
                initialized["capabilities"]["tools"]["progressiveDisclosure"], true,
                "{version}"
            );
            // The client then keeps to plain JSON.
            assert_eq!(
                initialized["capabilities"].get("encoding"),
                None,
                "{version}"
            );
            let listed = client.send("tools/list", Value::Null).await["result"]["tools"].take();
            assert_eq!(names(&listed)[..2], ["greet", "search"], "{version}");
            assert_eq!(
                listed[0]["inputSchema"],
                json!({ "type": "object" }),
                "{version}"
            );
            let described = client
                .send("tools/describe", json!({ "name": "greet" }))
                .await["result"]
                .take();
            assert_eq!(
                described["inputSchema"]["required"],
                json!(["name"]),
                "{version}"
            );
            let call = json!({ "name": "greet", "arguments": { "name": "Ada" } });
            assert_eq!(
                text(&client.send("tools/call", call).await["result"]),
                "Welcome, Ada!",
                "{version}"
            );
            let unknown = client
                .send("tools/describe", json!({ "name": "nothing" }))
                .await;
            assert_eq!(unknown["error"]["code"], -32602, "{version}");
        }
        let delete = reqwest::Client::new()
            .delete(&site.url)
            .header("mcp-protocol-version", version);
        let ended = delete
            .header("mcp-session-id", client.session.as_deref().unwrap())
            .send()
            .await
            .unwrap();
        assert_eq!(ended.status(), 204, "{version}");
    }
}

/// Its server negotiates down: a client of another major version is a standard client of that transport.
#[tokio::test]
async fn a_client_of_another_major_version_is_served_as_a_standard_one() {
    let site = open(&shop::server().listing(Listing::Full).build().unwrap()).await;
    for version in ["2025-11-25", "delta-mcp/1.0.0"] {
        let mut client = ReferenceClient::new(&site.url, version);
        assert_eq!(
            client.initialize("delta-mcp/1.0.0").await["protocolVersion"],
            "2025-11-25",
            "{version}"
        );
        let listed = client.send("tools/list", Value::Null).await["result"]["tools"].take();
        assert_eq!(
            listed[0]["inputSchema"]["required"],
            json!(["name"]),
            "{version}"
        );
        let call = json!({ "name": "greet", "arguments": { "name": "Ada" } });
        assert_eq!(
            text(&client.send("tools/call", call).await["result"]),
            "Welcome, Ada!",
            "{version}"
        );
    }
}

#[tokio::test]
async fn no_other_client_may_send_another_version_than_its_own() {
    let site = open(&shop::server().build().unwrap()).await;
    let initialize = async |header: &str, body: &str| {
        Post::stateless(&site.url)
            .header("mcp-protocol-version", header)
            .send("initialize", handshake(body))
            .await
    };
    for (header, body) in [
        ("2025-11-25", "2025-06-18"),
        ("delta-mcp/0.2.0", "2025-11-25"),
        ("2025-11-25", "x-delta-mcp/0.2.0"),
        ("mcp2/0.1.0", "delta-mcp/0.2.0"),
        ("2025-11-26", "delta-mcp/0.2.0"),
    ] {
        let refused = initialize(header, body).await;
        assert_eq!(
            (refused.status, refused.session),
            (400, None),
            "{header} over {body}"
        );
    }
    let standard = Post::session(&site.url, None).await;
    let delta = Post::session_of(&site.url, None, "delta-mcp/0.2.0", json!({})).await;
    let list_as = async |token: Option<&str>, session: &str, version: &str| {
        let message = request("tools/list", json!({}));
        let sent = reqwest::Client::new()
            .post(&site.url)
            .header("mcp-session-id", session)
            .json(&message);
        let sent = sent.header("accept", "application/json, text/event-stream");
        let sent = token.iter().fold(sent, |sent, token| {
            sent.header("authorization", format!("Bearer {token}"))
        });
        sent.header("mcp-protocol-version", version)
            .send()
            .await
            .unwrap()
            .status()
            .as_u16()
    };
    for version in ["delta-mcp/0.2.0", "2026-07-28", "2025-11-26"] {
        assert_eq!(
            list_as(None, standard.session_id(), version).await,
            400,
            "{version} in a standard session"
        );
        assert_eq!(
            list_as(None, "nothing", version).await,
            400,
            "{version} in a session of nobody"
        );
        // Another principal does not learn that the session exists.
        assert_eq!(
            list_as(Some("mallory"), delta.session_id(), version).await,
            400,
            "{version} in a foreign session"
        );
    }
    assert_eq!(
        list_as(None, delta.session_id(), "delta-mcp/0.2.0").await,
        200
    );
    assert_eq!(
        list_as(None, delta.session_id(), "2025-11-26").await,
        400,
        "an unknown date"
    );
    // A request of 2026-07-28 belongs to no session, also if it names that of a Delta-MCP client.
    let inline = Post::inline(&site.url).header("mcp-session-id", delta.session_id());
    let listed = inline.result("tools/list", json!({})).await;
    assert!(
        names(&listed["tools"]).contains(&"describe_tools"),
        "{listed}"
    );
}

/// `tools/describe` describes, and a client calls a listed tool by its name.
#[tokio::test]
async fn meta_tools_that_its_methods_replace_are_not_listed() {
    let listed_by = async |shared: &PdServer<shop::Shop>| {
        let site = open(shared).await;
        let mut client = ReferenceClient::new(&site.url, "2025-11-25");
        let initialized = client.initialize("delta-mcp/0.2.0").await;
        let tools = client.send("tools/list", Value::Null).await["result"]["tools"].take();
        let manifest = client.send("tools/manifest", json!({})).await["result"]["entries"].take();
        assert_eq!(names(&manifest), names(&tools));
        let instructions = initialized["instructions"].as_str().unwrap_or_default();
        assert!(!instructions.contains("describe_tools"), "{instructions}");
        // Who kept a name of an earlier list can still call it.
        let call = json!({ "name": "describe_tools", "arguments": { "names": ["greet"] } });
        let described = client.send("tools/call", call).await["result"].take();
        (
            names(&tools)
                .into_iter()
                .map(str::to_owned)
                .collect::<Vec<_>>(),
            described,
        )
    };
    let own = [
        "find_tools",
        "list_tools",
        "describe_tools",
        "call_tool",
        "call_read_only_tool",
    ];
    let whole = [
        Listing::Minimal,
        Listing::Outline,
        Listing::Full,
        Listing::AUTO,
        Listing::Negotiated,
        Listing::Reveal,
    ];
    for listing in whole {
        let (listed, described) =
            listed_by(&shop::server().listing(listing).build().unwrap()).await;
        assert!(
            !own.iter().any(|name| listed.contains(&(*name).to_owned())),
            "{listing:?}: {listed:?}"
        );
        assert_eq!(described.get("isError"), None, "{listing:?}: {described}");
        // The author chose to offer a search.
        let (with_search, _) = listed_by(
            &shop::server()
                .listing(listing)
                .meta_tools(MetaTools::all())
                .build()
                .unwrap(),
        )
        .await;
        assert_eq!(
            with_search,
            [
                &listed[..],
                &["find_tools".to_owned(), "list_tools".to_owned()]
            ]
            .concat(),
            "{listing:?}"
        );
    }
    for listing in [Listing::Grouped, Listing::Eager] {
        let (listed, _) = listed_by(&shop::server().listing(listing).build().unwrap()).await;
        let kept: Vec<_> = own
            .iter()
            .filter(|name| listed.contains(&(**name).to_owned()))
            .collect();
        assert_eq!(
            kept,
            [&"find_tools", &"call_tool", &"call_read_only_tool"],
            "{listing:?}"
        );
    }
    for (preset, describing) in [
        (Preset::Strata, "get_action_details"),
        (Preset::Gram, "describe_tools"),
    ] {
        let site = open(&shop::server().preset(preset).build().unwrap()).await;
        let mut client = ReferenceClient::new(&site.url, "2025-11-25");
        client.initialize("delta-mcp/0.2.0").await;
        let tools = client.send("tools/list", Value::Null).await["result"]["tools"].take();
        assert!(!names(&tools).contains(&describing), "{describing}");
    }
}
