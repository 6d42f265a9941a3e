//! Delta-MCP 0.2, by a client that knows its handshake, its list, its `tools/describe`, and no gate.

mod reference_client;

use crate::harness::{
    client::Era, code, line::Line, names, post::Post, raw::Raw, shop, site::Site, text,
};
use pd_runtime::{
    Listing, PdServer, Registry,
    config::Preset,
    serve::{Http, HttpOptions},
};
use reqwest::Response;
use serde_json::{Value, json};

fn handshake(version: &str) -> Value {
    json!({
        "protocolVersion": version,
        "clientInfo": { "name": "delta-mcp-client", "version": "0.2.0" },
        "capabilities": {
            "tools": { "progressiveDisclosure": true, "lazyLoading": true },
            "encoding": { "compactJson": true },
        },
    })
}

/// A client over each transport that has sessions.
async fn connect_as<S: Send + Sync + 'static>(version: &str, shared: &PdServer<S>) -> [Raw; 2] {
    let mut line = Line::open(shared);
    line.handshake_with(handshake(version)).await;
    let site = Site::open(shared, true).await;
    let capabilities = handshake(version)["capabilities"].take();
    let post = Post::session_of(&site.url, None, version, capabilities).await;
    [Raw::Line(Box::new(line)), Raw::Post(post, site)]
}

async fn connect<S: Send + Sync + 'static>(shared: &PdServer<S>) -> [Raw; 2] {
    connect_as("delta-mcp/0.2.0", shared).await
}

#[tokio::test]
async fn the_handshake_is_answered_with_a_date() {
    let shared = shop::server().build().unwrap();
    let site = Site::open(&shared, true).await;
    let mut over_http = Post::stateless(&site.url)
        .send("initialize", handshake("delta-mcp/0.2.0"))
        .await
        .body;
    let in_memory = Line::open(&shared)
        .handshake_with(handshake("delta-mcp/0.2.0"))
        .await;
    for initialized in [in_memory, over_http["result"].take()] {
        assert_eq!(initialized["protocolVersion"], "2025-11-25");
        assert!(
            !initialized.to_string().contains("delta-mcp"),
            "{initialized}"
        );
    }
    let discovered = Line::inline(&shared, json!({}))
        .result("server/discover", json!({}))
        .await;
    assert!(
        discovered["supportedVersions"].is_array() && !discovered.to_string().contains("delta-mcp"),
        "{discovered}"
    );
}

#[tokio::test]
async fn the_list_is_names_and_short_lines_whatever_others_see() {
    let wordy = "Answer any question about anything in a way that everybody everywhere understands";
    let wordy = pd_runtime::Tool::new("answer", wordy, |_, _, _| unreachable!()).summary_max(90);
    let wordy = PdServer::builder(Registry::builder().tool(wordy).build().unwrap(), ())
        .listing(Listing::Minimal)
        .build()
        .unwrap();
    for listing in [
        Listing::Minimal,
        Listing::Full,
        Listing::AUTO,
        Listing::Negotiated,
        Listing::Reveal,
    ] {
        let shared = shop::server().listing(listing).build().unwrap();
        for mut client in connect(&shared).await {
            let listed = client.result("tools/list", json!({})).await;
            for tool in listed["tools"].as_array().unwrap() {
                let keys: Vec<_> = tool.as_object().unwrap().keys().collect();
                assert_eq!(keys, ["name", "description", "inputSchema"], "{listing:?}");
                assert!(
                    tool["description"].as_str().unwrap().encode_utf16().count() <= 60,
                    "{tool}"
                );
                assert_eq!(
                    tool["inputSchema"],
                    json!({ "type": "object" }),
                    "{listing:?}"
                );
            }
            assert!(
                names(&listed["tools"]).starts_with(&["greet", "search"]),
                "{listing:?}"
            );
        }
    }
    for mut client in connect(&wordy).await {
        let described =
            client.result("tools/list", json!({})).await["tools"][0]["description"].take();
        assert_eq!(
            described,
            "Answer any question about anything in a way that everybody"
        );
    }
}

#[tokio::test]
async fn others_on_the_same_server_are_served_by_its_policy() {
    let shared = shop::server().listing(Listing::Full).build().unwrap();
    let mut standard = Line::session(&shared).await;
    assert_eq!(
        standard.result("tools/list", json!({})).await["tools"][0]["inputSchema"]["required"],
        json!(["name"])
    );
    for mut client in connect_as("delta-mcp/1.0.0", &shared).await {
        let listed = client.result("tools/list", json!({})).await;
        assert_eq!(
            listed["tools"][0]["inputSchema"]["required"],
            json!(["name"]),
            "not of our major version"
        );
    }
}

#[tokio::test]
async fn describe_answers_with_the_tool_itself() {
    let shared = shop::server().build().unwrap();
    for mut client in connect(&shared).await {
        let tool = client
            .result("tools/describe", json!({ "name": "greet" }))
            .await;
        assert_eq!(tool["name"], "greet");
        assert_eq!(tool["inputSchema"]["required"], json!(["name"]));
        let whole = client
            .result("tools/describe", json!({ "names": ["greet"] }))
            .await;
        assert_eq!(
            whole["tools"],
            json!([tool]),
            "the same server answers SEP-2636 by the parameter's shape"
        );
        let unknown = client
            .refused("tools/describe", json!({ "name": "nothing" }))
            .await;
        assert_eq!(unknown["message"], "Unknown tool: nothing");
    }
}

#[tokio::test]
async fn calls_are_not_gated_and_say_what_was_not_read() {
    for mut client in connect(&shop::server().build().unwrap()).await {
        let greeted = client
            .call_with(&Value::Null, "greet", json!({ "name": "Ada" }))
            .await;
        assert_eq!(text(&greeted), "Welcome, Ada!");
        assert!(
            greeted["_meta"].get("dev.pd-runtime/undisclosed").is_some(),
            "{greeted}"
        );
        client
            .result("tools/describe", json!({ "name": "greet" }))
            .await;
        let greeted = client
            .call_with(&Value::Null, "greet", json!({ "name": "Ada" }))
            .await;
        assert_eq!(greeted.get("_meta"), None, "{greeted}");
    }
}

#[tokio::test]
async fn a_hidden_tool_is_unknown() {
    let site = Site::open(&shop::server().build().unwrap(), true).await;
    let post = Post::session_of(&site.url, Some("alice"), "delta-mcp/0.2.0", json!({})).await;
    assert!(!names(&post.result("tools/list", json!({})).await["tools"]).contains(&"refund"));
    let of = async |name: &str| {
        post.send("tools/describe", json!({ "name": name }))
            .await
            .body["error"]
            .take()
    };
    assert_eq!(
        of("refund").await.to_string(),
        of("nothing").await.to_string().replace("nothing", "refund")
    );
}

/// Whoever describes this way has had the description, in every era.
#[tokio::test]
async fn describing_discloses_for_clients_of_any_kind() {
    for era in Era::ALL {
        let mut client = Raw::connect(era, &shop::server().build().unwrap()).await;
        let refused = client
            .call_with(&Value::Null, "greet", json!({ "name": "Ada" }))
            .await;
        assert_eq!(code(&refused), "TOOL_DESCRIPTION_REQUIRED", "{era:?}");
        let tool = client
            .result("tools/describe", json!({ "name": "greet" }))
            .await;
        let ticket = &tool["_meta"]["dev.pd-runtime/tickets"]["greet"];
        assert_eq!(ticket.is_string(), !era.has_session(), "{era:?}");
        assert_eq!(
            text(
                &client
                    .call_with(ticket, "greet", json!({ "name": "Ada" }))
                    .await
            ),
            "Welcome, Ada!",
            "{era:?}"
        );
    }
}

/// A server as an author runs it.
async fn serve(shared: PdServer<shop::Shop>) -> String {
    let http = Http::bind("127.0.0.1:0").await.unwrap();
    let url = http.url();
    tokio::spawn(async move { http.serve(&shared, HttpOptions::default()).await });
    url
}

/// Sends a message in this session, accepting this alone.
async fn accepting(accept: &str, url: &str, session: Option<&str>, message: &Value) -> Response {
    let mut request = reqwest::Client::new().post(url).json(message);
    request = request.header("accept", accept);
    if let Some(session) = session {
        request = request.header("mcp-session-id", session);
    }
    request.send().await.unwrap()
}

fn request(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

/// The answer, which must be JSON.
async fn in_json(response: Response) -> Value {
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "application/json");
    response.json().await.unwrap()
}

#[tokio::test]
async fn a_client_that_accepts_json_alone_is_answered_in_json() {
    let url = serve(shop::server().build().unwrap()).await;
    for accept in ["application/json", "*/*", "application/json, */*;q=0.1"] {
        let opened = accepting(
            accept,
            &url,
            None,
            &request("initialize", handshake("delta-mcp/0.2.0")),
        )
        .await;
        let session = opened.headers()["mcp-session-id"]
            .to_str()
            .unwrap()
            .to_owned();
        let initialized = in_json(opened).await;
        assert_eq!(
            initialized["result"]["protocolVersion"], "2025-11-25",
            "{accept}"
        );
        assert_eq!(
            initialized["result"]["capabilities"]["tools"]["progressiveDisclosure"], true,
            "{accept}"
        );
        let note = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(
            accepting(accept, &url, Some(&session), &note)
                .await
                .status(),
            202,
            "{accept}"
        );
        let send = async |method, params| {
            in_json(accepting(accept, &url, Some(&session), &request(method, params)).await).await
        };
        let listed = send("tools/list", json!({})).await;
        assert!(
            names(&listed["result"]["tools"]).contains(&"greet"),
            "{accept}: {listed}"
        );
        let described = send("tools/describe", json!({ "name": "greet" })).await;
        assert_eq!(described["result"]["name"], "greet", "{accept}");
        let arguments = json!({ "name": "Ada" });
        let called = send(
            "tools/call",
            json!({ "name": "greet", "arguments": arguments }),
        )
        .await;
        assert_eq!(text(&called["result"]), "Welcome, Ada!", "{accept}");
        let unknown = send("tools/describe", json!({ "name": "nothing" })).await;
        assert_eq!(
            unknown["error"]["message"], "Unknown tool: nothing",
            "{accept}"
        );
    }
    let both = "application/json, text/event-stream";
    let opened = accepting(
        both,
        &url,
        None,
        &request("initialize", handshake("delta-mcp/0.2.0")),
    )
    .await;
    assert_eq!(
        opened.headers()["content-type"],
        "text/event-stream",
        "who accepts both is answered as ever"
    );
}

/// MCP demands that its clients accept both.
#[tokio::test]
async fn others_must_accept_event_streams() {
    let url = serve(shop::server().build().unwrap()).await;
    for accept in ["application/json", "*/*"] {
        let refused = accepting(
            accept,
            &url,
            None,
            &request("initialize", handshake("2025-11-25")),
        )
        .await;
        assert_eq!(refused.status(), 406);
        let session = Post::session(&url, None).await;
        let ping = request("ping", json!({}));
        assert_eq!(
            accepting(accept, &url, Some(session.session_id()), &ping)
                .await
                .status(),
            406
        );
    }
}

/// All that a client is told before it calls anything.
async fn told(client: &mut Raw, instructions: &Value) -> String {
    let mut told = instructions.to_string();
    for method in ["tools/list", "resources/list", "resources/templates/list"] {
        told += &client.result(method, json!({})).await.to_string();
    }
    told
}

#[tokio::test]
async fn no_client_of_deltas_is_told_of_a_gate() {
    let gate = [
        "annot be called",
        "CANNOT call",
        "Required for tool use",
        "before you call",
        "required before",
    ];
    for server in [shop::server(), shop::server().preset(Preset::Strata)] {
        let shared = server.build().unwrap();
        let mut line = Line::open(&shared);
        let opened = line.handshake_with(handshake("delta-mcp/0.2.0")).await;
        let told_delta = told(&mut Raw::Line(Box::new(line)), &opened["instructions"]).await;
        let mut line = Line::open(&shared);
        let opened = line.handshake_with(handshake("2025-11-25")).await;
        let told_others = told(&mut Raw::Line(Box::new(line)), &opened["instructions"]).await;
        for words in gate {
            assert!(!told_delta.contains(words), "{words}: {told_delta}");
        }
        assert!(
            gate.iter().any(|words| told_others.contains(words)),
            "{told_others}"
        );
    }
}
