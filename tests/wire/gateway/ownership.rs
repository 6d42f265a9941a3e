//! Resources and prompts belong to the server that lists them.

use super::*;
use crate::harness::client::error_of;
use pd_runtime::code::CodeMode;
use rmcp::model::{GetPromptRequestParams, SubscribeRequestParams};

impl Desk {
    /// The entry of a script that lists these resources and templates, and answers reads with its name.
    fn owning(
        &self,
        name: &str,
        resources: &[&str],
        templates: &[&str],
        mentioned: &str,
    ) -> (String, Value) {
        let resources: Vec<_> = resources
            .iter()
            .map(|uri| json!({ "uri": uri, "name": name }))
            .collect();
        let templates: Vec<_> = templates
            .iter()
            .map(|uri| json!({ "uriTemplate": uri, "name": name }))
            .collect();
        let link = json!({ "type": "resource_link", "uri": mentioned, "name": "x" });
        let fixed = json!({
            "resources/list": { "resources": resources },
            "resources/templates/list": { "resourceTemplates": templates },
            "resources/read": { "contents": [{ "uri": "x:y", "text": name }] },
            "tools/call link": { "content": [link] },
        });
        fs::write(
            self.log_file(name).with_extension("log.fixed"),
            fixed.to_string(),
        )
        .unwrap();
        self.script(name, &["fixed"], &json!({}))
    }
}

async fn served(gateway: &Gateway) -> PdServer<(), Gateway> {
    gateway.refresh().await;
    gateway
        .builder()
        .listing(Listing::Full)
        .gate(GateMode::Off)
        .build()
        .unwrap()
}

/// The name of the server that answers a read, or nothing.
async fn reader(client: &Client, uri: &str) -> Option<String> {
    let read = client
        .running
        .read_resource(ReadResourceRequestParams::new(uri))
        .await
        .ok()?;
    Some(
        serde_json::to_value(read).unwrap()["contents"][0]["text"]
            .as_str()
            .unwrap()
            .to_owned(),
    )
}

#[tokio::test]
async fn a_link_takes_over_no_resource_of_another_server() {
    let desk = Desk::new();
    for uri in [
        "file:///notes.md",
        "FILE:///notes.md",
        "file:///%6eotes.md",
        "file:///x/../notes.md",
        "memo://1",
    ] {
        let gateway = desk.gateway([
            desk.owning("a", &[], &[], uri),
            desk.owning("b", &["memo://1"], &["file:///{path}"], "b:x"),
        ]);
        let server = served(&gateway).await;
        for era in [Era::Session, Era::HttpSession, Era::Inline] {
            let client = connect(era, &server).await;
            assert_eq!(
                reader(&client, uri).await.as_deref(),
                Some("b"),
                "{uri} {era:?}"
            );
            client.call("a__link", json!({})).await;
            assert_eq!(
                reader(&client, uri).await.as_deref(),
                Some("b"),
                "{uri} {era:?}"
            );
        }
        gateway.stop().await;
    }
}

#[tokio::test]
async fn a_link_counts_for_the_session_that_saw_it() {
    let desk = Desk::new();
    let gateway = desk.gateway([desk.owning("a", &[], &[], "odd://1")]);
    let server = served(&gateway).await;
    let (one, other) = (
        connect(Era::HttpSession, &server).await,
        connect(Era::HttpSession, &server).await,
    );
    one.call("a__link", json!({})).await;
    assert_eq!(reader(&one, "odd://1").await.as_deref(), Some("a"));
    assert_eq!(
        reader(&one, "ODD://1").await.as_deref(),
        Some("a"),
        "another spelling"
    );
    assert_eq!(reader(&other, "odd://1").await, None);
}

#[tokio::test]
async fn a_template_without_a_scheme_and_our_own_uris_are_left_out() {
    let desk = Desk::new();
    let own = [
        "resource:///tool_descriptions",
        "Resource:///tool%5Fdescriptions?tools=a",
        "skill://x/SKILL.md",
    ];
    let templates = [
        "{+any}",
        "{x}://y",
        "skill://{name}",
        "resource:///{+x}",
        "ok://{x}",
    ];
    let gateway = desk.gateway([desk.owning("a", &own, &templates, "skill://mine")]);
    let server = served(&gateway).await;
    let client = connect(Era::Session, &server).await;
    let listed = json!(client.running.list_all_resources().await.unwrap());
    assert!(
        listed
            .as_array()
            .unwrap()
            .iter()
            .all(|resource| resource["name"] != "a"),
        "{listed}"
    );
    let listed = json!(client.running.list_all_resource_templates().await.unwrap()).to_string();
    assert!(
        listed.contains("ok://{x}")
            && templates[..4]
                .iter()
                .all(|template| !listed.contains(template)),
        "{listed}"
    );
    client.call("a__link", json!({})).await;
    for uri in [
        "anything://goes",
        "x://y",
        "skill://x/SKILL.md",
        "skill://mine",
        "resource:///other",
    ] {
        assert_eq!(reader(&client, uri).await, None, "{uri}");
    }
    assert!(
        client
            .describe("a__echo")
            .await
            .to_string()
            .contains("Return what was sent"),
        "ours stays ours"
    );
    let left_out = gateway.status().remove(0).left_out_resources;
    assert_eq!(left_out.len(), own.len() + 4, "{left_out:?}");
}

#[tokio::test]
async fn of_two_servers_with_a_uri_the_first_answers_and_the_status_reports_it() {
    let desk = Desk::new();
    let gateway = desk.gateway([
        desk.owning("a", &["memo://1"], &["note://{id}"], "x:y"),
        desk.owning("b", &["MEMO://1", "memo://2"], &["note://{id}"], "x:y"),
    ]);
    let server = served(&gateway).await;
    let client = connect(Era::Session, &server).await;
    assert_eq!(reader(&client, "memo://1").await.as_deref(), Some("a"));
    assert_eq!(reader(&client, "memo://2").await.as_deref(), Some("b"));
    let status = gateway.status();
    assert!(status[0].left_out_resources.is_empty());
    let left_out: Vec<_> = status[1]
        .left_out_resources
        .iter()
        .map(|(what, why)| format!("{what}: {why}"))
        .collect();
    assert_eq!(left_out.len(), 2, "{left_out:?}");
    assert!(
        left_out[0].starts_with("resource MEMO://1: `a` has it"),
        "{left_out:?}"
    );
    assert!(
        left_out[1].starts_with("resource template note://{id}: `a` has it"),
        "{left_out:?}"
    );
}

#[tokio::test]
async fn what_is_left_out_is_not_read_by_its_name() {
    let desk = Desk::new();
    let prompt = |name: &str, text: &str| json!({ "name": name, "description": text });
    let resource = |uri: &str, text: &str| json!({ "uri": uri, "name": "x", "description": text });
    let template =
        json!({ "uriTemplate": "t://{x}", "name": "t", "description": "Be\u{1b}]0;x\u{7} kind." });
    let fixed = json!({
        "prompts/list": { "prompts": [prompt("plain", "Be kind."), prompt("hides", "Be\u{2063} kind."), prompt("bell", "\u{7}")] },
        "prompts/get plain": { "messages": [] },
        "prompts/get hides": { "messages": [] },
        "prompts/get bell": { "messages": [] },
        "resources/list": { "resources": [resource("r://1", "One"), resource("r://2", "\u{9b}31m")] },
        "resources/templates/list": { "resourceTemplates": [template, { "uriTemplate": "r://{x}", "name": "r" }] },
    });
    fs::write(
        desk.log_file("s").with_extension("log.fixed"),
        fixed.to_string(),
    )
    .unwrap();
    let gateway = desk.gateway([desk.script("s", &["fixed"], &json!({}))]);
    let server = served(&gateway).await;
    for era in [Era::Session, Era::HttpInline] {
        let client = connect(era, &server).await;
        let get = async |name: &str| {
            client
                .running
                .get_prompt(GetPromptRequestParams::new(name))
                .await
        };
        assert!(get("s__plain").await.is_ok());
        for name in ["s__hides", "s__bell"] {
            assert!(
                error_of(get(name).await)
                    .message
                    .contains("no server has this prompt"),
                "{name}"
            );
        }
        for (uri, is_read) in [
            ("r://1", true),
            ("r://3", true),
            ("r://2", false),
            ("R://2", false),
            ("t://1", false),
        ] {
            assert_eq!(
                reader(&client, uri).await.is_some(),
                is_read,
                "{uri} {era:?}"
            );
        }
    }
    let client = connect(Era::Session, &server).await;
    #[expect(
        deprecated,
        reason = "clients before 2026-07-28 still subscribe this way"
    )]
    let subscribe = async |uri: &str| {
        client
            .running
            .subscribe(SubscribeRequestParams::new(uri))
            .await
    };
    assert!(subscribe("r://2").await.is_err() && subscribe("t://1").await.is_err());
}

#[tokio::test]
async fn a_tool_with_the_name_of_a_meta_tool_is_left_out() {
    let names = [
        "run_code",
        "find_tools",
        "list_tools",
        "describe_tools",
        "call_tool",
        "call_read_only_tool",
        "search_tools",
    ];
    let desk = Desk::new();
    let tools: serde_json::Map<_, _> = names
        .iter()
        .map(|name| ((*name).to_owned(), json!({ "description": "x" })))
        .collect();
    fs::write(
        desk.log_file("s").with_extension("log.tools"),
        json!(tools).to_string(),
    )
    .unwrap();
    let gateway = desk.one(&[], json!({ "prefix": "" })).await;
    for builder in [
        gateway.builder(),
        gateway
            .builder()
            .code_mode(CodeMode::new(env!("CARGO_BIN_EXE_library"))),
    ] {
        let server = builder.build().unwrap();
        let client = connect(Era::Session, &server).await;
        assert!(
            client
                .describe("echo")
                .await
                .to_string()
                .contains("Return what was sent")
        );
    }
    let left_out = gateway.status().remove(0).left_out;
    for name in names {
        let found = left_out.iter().find(|(tool, _)| tool == name);
        assert!(
            found.is_some_and(|(_, reason)| reason.contains("the name of a meta-tool")),
            "{name}: {left_out:?}"
        );
    }
}
