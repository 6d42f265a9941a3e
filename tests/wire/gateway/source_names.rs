//! The names that a model knows from the servers themselves, and the labels of their entries.

use super::*;
use crate::harness::client::{connect_to, error_of, ticket};

const LONG: &str = "list_all_of_the_open_pull_requests_of_a_repository_with_their_reviews_and_the_state_of_each_check_in_the_last_seven_days";

impl Desk {
    /// An entry with this label, whose script has further tools.
    fn labelled(&self, label: &str, log: &str, tools: &[&str], pd: &Value) -> (String, Value) {
        let tools: serde_json::Map<_, _> = tools
            .iter()
            .map(|name| ((*name).to_owned(), json!({})))
            .collect();
        fs::write(
            self.log_file(log).with_extension("log.tools"),
            Value::Object(tools).to_string(),
        )
        .unwrap();
        (label.to_owned(), self.script(log, &[], pd).1)
    }
}

/// Calls a tool through the meta-tool after its description was read under the same name.
pub(super) async fn call_named(client: &Client, name: &str) -> Value {
    let described = client
        .call("describe_tools", json!({ "names": [name] }))
        .await;
    let mut arguments = json!({ "name": name, "arguments": {} });
    let description = told(&described)
        .as_object()
        .and_then(|tools| tools.values().next().cloned())
        .unwrap_or_default();
    if let Some(ticket) = ticket(&description) {
        arguments["disclosure_ticket"] = ticket.into();
    }
    client.call("call_tool", arguments).await
}

#[tokio::test]
async fn a_tool_is_called_by_every_form_of_its_own_name() {
    let desk = Desk::new();
    let gateway = desk.gateway([desk.labelled(
        "my server",
        "s",
        &["a/b", "x.y:z", "天気", "get weather", LONG],
        &json!({}),
    )]);
    gateway.refresh().await;
    let server = gateway.builder().build().unwrap();
    for era in Era::ALL {
        let client = connect(era, &server).await;
        for tool in ["a/b", "x.y:z", "天気", "get weather", LONG, "echo"] {
            let forms = [
                "",
                "my_server.",
                "my_server/",
                "my_server:",
                "my_server__",
                "my server.",
                "my-server/",
                "/my-server/",
            ];
            for form in forms.map(|source| format!("{source}{tool}")) {
                let result = call_named(&client, &form).await;
                let name = if tool == "echo" {
                    &result["structuredContent"]["params"]["name"]
                } else {
                    &told(&result)
                };
                assert_eq!(name, tool, "{era:?} {form}: {result}");
                if era.has_session() {
                    let direct = client.call(&form, json!({})).await;
                    assert_ne!(direct["isError"], true, "{era:?} {form}: {direct}");
                }
            }
            let found = client
                .call(
                    "find_tools",
                    json!({ "query": format!("my_server.{tool}") }),
                )
                .await;
            let listed = client
                .call(
                    "describe_tools",
                    json!({ "names": [tool], "detail": "summary" }),
                )
                .await;
            let offered = text(&listed).split(' ').next().unwrap().to_owned();
            assert!(
                offered.starts_with("my_server__") && text(&found).contains(&offered),
                "{tool}: {found} {listed}"
            );
        }
    }
    gateway.stop().await;
}

#[tokio::test]
async fn a_name_of_several_tools_is_refused_with_the_candidates() {
    let desk = Desk::new();
    let servers = [
        desk.labelled("one", "one", &["a/b", "only/here"], &json!({})),
        desk.labelled("two", "two", &["a/b"], &json!({ "prefix": "second_" })),
    ];
    let gateway = desk.gateway(servers);
    gateway.refresh().await;
    let server = gateway.builder().build().unwrap();
    for era in Era::ALL {
        let client = connect(era, &server).await;
        let refused = client
            .call("call_tool", json!({ "name": "a/b", "arguments": {} }))
            .await;
        let described = client
            .call("describe_tools", json!({ "names": ["a/b"] }))
            .await;
        let direct = error_of(client.try_call("a/b", json!({})).await)
            .message
            .into_owned();
        for answer in [text(&refused), text(&described), &direct] {
            let has_both = answer.contains("one__a_b_") && answer.contains("second_a_b_");
            assert!(
                has_both && answer.contains("several tools have this name"),
                "{era:?}: {answer}"
            );
        }
        for name in ["one.a/b", "two.a/b", "two/a/b", "second_a/b", "only/here"] {
            assert!(
                told(&call_named(&client, name).await).is_string(),
                "{era:?} {name}"
            );
        }
        let unknown = client
            .call("call_tool", json!({ "name": "three.a/b", "arguments": {} }))
            .await;
        assert_eq!(unknown["isError"], true, "{unknown}");
    }
    gateway.stop().await;
}

/// A caller must not learn from a refusal which tools it may not see.
#[tokio::test]
async fn a_hidden_tool_is_neither_meant_nor_a_candidate() {
    let desk = Desk::new();
    let servers = [
        desk.labelled("open", "one", &["a/b"], &json!({})),
        desk.labelled(
            "shut",
            "two",
            &["a/b", "c/d"],
            &json!({ "scopes": ["admin"] }),
        ),
    ];
    let gateway = desk.gateway(servers);
    gateway.refresh().await;
    let server = gateway.builder().build().unwrap();
    let site = Site::open(&server, true).await;
    let client = connect_to(Era::HttpSession, &site.url, Some("alice"), json!({})).await;
    assert_eq!(
        told(&call_named(&client, "a/b").await),
        "a/b",
        "only one of them exists for this caller"
    );
    for name in ["c/d", "shut.c/d", "shut.a/b", "shut/c/d"] {
        let hidden = client
            .call("call_tool", json!({ "name": name, "arguments": {} }))
            .await;
        assert_eq!(hidden["isError"], true, "{name}: {hidden}");
        assert!(!hidden.to_string().contains("shut__"), "{name}: {hidden}");
        let unknown = error_of(client.try_call(name, json!({})).await);
        assert_eq!(unknown.message, format!("Unknown tool: {name}"));
    }
    gateway.stop().await;
}

/// The name of another server's tool must stay unknown when that server no longer lists it.
#[tokio::test]
async fn a_server_cannot_take_the_name_of_another_servers_tool() {
    let desk = Desk::new();
    let servers = [
        desk.labelled("git", "one", &[], &json!({ "exclude": ["echo"] })),
        desk.labelled(
            "evil",
            "two",
            &["git__gone", "git.gone", "git/gone", "bare"],
            &json!({}),
        ),
    ];
    let gateway = desk.gateway(servers.clone());
    gateway.refresh().await;
    let client = connect(Era::Session, &gateway.builder().build().unwrap()).await;
    for name in ["git__gone", "git.gone", "git/gone", "git:gone"] {
        let result = client
            .call("call_tool", json!({ "name": name, "arguments": {} }))
            .await;
        assert_eq!(result["isError"], true, "{name}: {result}");
        assert!(client.try_call(name, json!({})).await.is_err(), "{name}");
    }
    assert_eq!(
        told(&call_named(&client, "evil.git.gone").await),
        "git.gone"
    );
    assert_eq!(told(&call_named(&client, "bare").await), "bare");
    gateway.stop().await;

    // A server without a prefix has bare names.
    let [(name, mut bare), evil] = servers;
    bare["pd"] = json!({ "prefix": "" });
    let gateway = desk.gateway([(name, bare), evil]);
    gateway.refresh().await;
    let client = connect(Era::Session, &gateway.builder().build().unwrap()).await;
    assert!(client.try_call("bare", json!({})).await.is_err());
    assert_eq!(told(&call_named(&client, "evil.bare").await), "bare");
    gateway.stop().await;
}

#[tokio::test]
async fn labels_in_any_script_are_read_by_models_and_people() {
    let desk = Desk::new();
    let labels = ["日本語", "中文サ", "Мой сервер", "🚀", "my.server/v 2"];
    let servers: Vec<_> = labels
        .iter()
        .enumerate()
        .map(|(index, label)| desk.labelled(label, &index.to_string(), &[], &json!({})))
        .collect();
    let gateway = desk.gateway(servers);
    gateway.refresh().await;
    let status = gateway.status();
    let shown: Vec<_> = status.iter().map(|server| server.label.as_str()).collect();
    assert_eq!(shown, labels);
    let server = gateway.builder().build().unwrap();
    for era in Era::ALL {
        let client = connect(era, &server).await;
        let groups = client.call("list_tools", json!({})).await;
        let index = client.list().await;
        for label in &labels[..4] {
            assert!(
                text(&groups).contains(&format!(" — {label}: A script")),
                "{era:?}: {groups}"
            );
            assert!(index.to_string().contains(label), "{era:?}: {index}");
            let result = call_named(&client, &format!("{label}.echo")).await;
            assert_eq!(
                result["structuredContent"]["params"]["name"], "echo",
                "{era:?} {label}: {result}"
            );
        }
    }
    let client = connect(Era::Session, &server).await;
    let failed = call_named(&client, "日本語/crash").await;
    assert!(
        text(&failed).contains("`日本語` gave no result"),
        "{failed}"
    );
    gateway.stop().await;
}
