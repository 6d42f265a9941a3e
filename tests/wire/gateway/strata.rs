//! `Preset::Strata` in front of several servers: an answer names servers, categories and actions as Strata does.

use super::*;
use pd_runtime::config::{Preset, SessionPerCall};

/// Asserts that a text has no name with a prefix, and none of the words of other surfaces.
fn assert_one_world(text: &str, what: &str) {
    // The script's own text is left as it is.
    let words = text.replace("List one more tool", "");
    for word in ["__", "tool", "Tool", "group", "pd-gateway", "resource:///"] {
        assert!(!words.contains(word), "{what}: `{word}` in {text}");
    }
}

async fn client(gateway: &Gateway, era: Era) -> (Client, PdServer<(), Gateway>) {
    let builder = gateway
        .builder()
        .preset(Preset::Strata)
        .session_per_call(SessionPerCall::Refuse);
    let server = builder.build().unwrap();
    (connect(era, &server).await, server)
}

#[tokio::test]
async fn strata_names_servers_and_their_own_actions() {
    let desk = Desk::new();
    let gone = json!({ "command": "no-such-program" });
    let gateway = desk.gateway([
        desk.script("one", &["legacy"], &json!({})),
        desk.script("My server", &["modern", "slow"], &json!({})),
        ("gone".to_owned(), gone),
    ]);
    gateway.refresh().await;
    for era in [
        Era::Session,
        Era::Inline,
        Era::HttpSession,
        Era::HttpInline,
        Era::HttpStateless,
    ] {
        let (client, _server) = client(&gateway, era).await;
        let listed = client.list().await["tools"].take();
        for (name, path) in [
            (
                "discover_server_categories",
                "/inputSchema/properties/server_names/items/enum",
            ),
            (
                "discover_server_actions",
                "/inputSchema/properties/server_names/items/enum",
            ),
            (
                "get_action_details",
                "/inputSchema/properties/server_name/enum",
            ),
            ("execute_action", "/inputSchema/properties/server_name/enum"),
            (
                "search_documentation",
                "/inputSchema/properties/server_name/enum",
            ),
        ] {
            let tool = listed
                .as_array()
                .unwrap()
                .iter()
                .find(|tool| tool["name"] == name)
                .unwrap();
            assert_eq!(
                tool.pointer(path),
                Some(&json!(["one", "My_server", "gone"])),
                "{era:?}: {tool}"
            );
            assert_one_world(tool["description"].as_str().unwrap(), name);
        }
        let shown = async |name: &str, arguments: Value| {
            let result = client.call(name, arguments).await;
            let shown = text(&result).to_owned();
            assert_one_world(&shown, name);
            shown
        };
        let json_of =
            |text: &str| serde_json::from_str::<Value>(text).unwrap_or_else(|_| panic!("{text}"));
        let all = json_of(&shown("discover_server_categories", json!({ "user_query": "" })).await);
        assert_eq!(all["servers"]["one"]["categories"], json!(["one"]), "{all}");
        assert_eq!(
            all["servers"]["My_server"]["categories"],
            json!(["My_server"]),
            "{all}"
        );
        assert!(
            all["unavailable"][0]
                .as_str()
                .unwrap()
                .starts_with("`gone` failed: "),
            "{all}"
        );
        let slow = json!({ "user_query": "answer after three seconds" });
        let found = json_of(&shown("discover_server_actions", slow).await);
        assert_eq!(
            found["servers"]["My_server"]["actions"][0], "slow",
            "{found}"
        );
        let one =
            json!({ "user_query": "", "server_names": ["one", "gone", "nothing", "my-server"] });
        let found = json_of(&shown("discover_server_actions", one).await);
        assert_eq!(found["servers"]["one"]["actions"][0], "echo");
        assert!(
            found["servers"]["gone"]["error"]
                .as_str()
                .unwrap()
                .starts_with("`gone` failed: "),
            "{found}"
        );
        assert_eq!(
            found["servers"]["nothing"]["error"],
            "Server 'nothing' not found or not connected"
        );
        assert_eq!(
            found["servers"]["my-server"]["action_count"], 11,
            "the other name of a server is known: {found}"
        );
        let actions = json_of(
            &shown(
                "get_category_actions",
                json!({ "category_names": ["one", "x"] }),
            )
            .await,
        );
        assert_eq!(actions["categories"]["one"]["actions"][0]["name"], "echo");
        assert_eq!(
            actions["categories"]["x"]["error"],
            "Category 'x' not found"
        );
        let documents = json!({ "query": "return what was sent", "server_name": "one" });
        let documents = json_of(&shown("search_documentation", documents).await);
        assert_eq!(
            (&documents[0]["name"], &documents[0]["category_name"]),
            (&json!("echo"), &json!("one"))
        );

        let wrong = json!({ "server_name": "one", "action_name": "slow" });
        let wrong = shown("get_action_details", wrong).await;
        assert!(
            wrong.contains("Action 'slow' not found in server 'one'"),
            "{wrong}"
        );
        let wrong = shown(
            "execute_action",
            json!({ "server_name": "one", "action_name": "ecko" }),
        )
        .await;
        assert!(
            wrong.starts_with("Action 'ecko' not found in server 'one'; the nearest: echo"),
            "{wrong}"
        );
        let several = shown("execute_action", json!({ "action_name": "echo" })).await;
        assert!(
            several.contains("Action 'echo' is in several servers")
                && several.contains("one, My_server"),
            "{several}"
        );

        let refused = shown(
            "execute_action",
            json!({ "server_name": "one", "action_name": "echo" }),
        )
        .await;
        assert!(
            refused.contains("Action 'echo' requires") && refused.contains("\necho({"),
            "{era:?}: {refused}"
        );
        let named = json!({ "server_name": "My_server", "action_name": "echo" });
        let details = json_of(&shown("get_action_details", named.clone()).await);
        assert_eq!(
            (&details["server"], &details["action"]["name"]),
            (&json!("My_server"), &json!("echo"))
        );
        let ticket =
            details["action"]["inputSchema"]["properties"]["disclosure_ticket"]["const"].clone();
        let mut call = named;
        call["body_schema"] = match ticket {
            Value::Null => json!({ "a": 1 }).to_string().into(),
            ticket => json!({ "a": 1, "disclosure_ticket": ticket })
                .to_string()
                .into(),
        };
        let called = client.call("execute_action", call).await;
        assert_eq!(
            called["structuredContent"]["params"]["name"], "echo",
            "{era:?}: {called}"
        );
    }
    gateway.stop().await;
}

/// What a host shows its model first.
#[tokio::test]
async fn the_instructions_of_strata_are_about_actions() {
    let desk = Desk::new();
    let gateway = desk.one(&["modern"], json!({})).await;
    let (client, _server) = client(&gateway, Era::Session).await;
    let instructions = client
        .running
        .peer_info()
        .unwrap()
        .instructions
        .clone()
        .unwrap();
    let (_, workflow) = instructions.split_once("1. PICK").unwrap();
    assert_one_world(workflow, "instructions");
    gateway.stop().await;
}
