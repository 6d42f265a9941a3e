//! `Listing::Outline`: the list shows the arguments without texts, and calls are admitted by it.

use crate::harness::{
    client::{Era, connect},
    code,
    line::Line,
    names,
    post::Post,
    shop,
    site::Site,
    text, told,
};
use pd_runtime::{
    GateMode, Listing, PdServer, Registry, ServerBuilder, Tool, config::MetaTools,
    tool::ToolAnnotations,
};
use serde_json::{Value, json};

fn server() -> ServerBuilder<shop::Shop> {
    shop::server().listing(Listing::Outline)
}

fn listed<'a>(list: &'a Value, name: &str) -> &'a Value {
    list["tools"]
        .as_array()
        .unwrap()
        .iter()
        .find(|tool| tool["name"] == name)
        .unwrap()
}

/// A tool that answers with its arguments.
fn echo(name: &'static str) -> Tool<()> {
    Tool::new(name, "Repeat the arguments", |(), _, arguments| {
        Box::pin(async move {
            pd_runtime::IntoOutput::into_output(Value::Object(arguments).to_string())
        })
    })
    .input_schema(json!({
        "type": "object",
        "properties": {
            "limit": { "type": "integer", "description": "At most this many." },
            "path": { "type": "string", "description": "The file." },
        },
        "required": ["path"],
    }))
}

fn echoing(tools: impl IntoIterator<Item = Tool<()>>) -> ServerBuilder<()> {
    PdServer::builder(Registry::builder().tools(tools).build().unwrap(), ())
        .listing(Listing::Outline)
}

#[tokio::test]
async fn the_list_has_all_arguments_and_no_texts() {
    for era in Era::ALL {
        let client = connect(era, &echoing([echo("echo")]).build().unwrap()).await;
        let list = client.list().await;
        let entry = listed(&list, "echo");
        assert_eq!(entry["description"], "Repeat the arguments", "{era:?}");
        assert_eq!(
            entry["inputSchema"],
            json!({
                "type": "object",
                "properties": { "path": { "type": "string" }, "limit": { "type": "integer" } },
                "required": ["path"],
            }),
            "{era:?}"
        );
        assert_eq!(entry.get("outputSchema"), None);
    }
}

#[tokio::test]
async fn a_valid_call_runs_at_once_and_is_not_marked_as_unread() {
    for era in Era::ALL {
        let client = connect(era, &server().build().unwrap()).await;
        let greeted = client.call("greet", json!({ "name": "Ada" })).await;
        assert_eq!(text(&greeted), "Welcome, Ada!", "{era:?}");
        assert_eq!(
            greeted.pointer("/_meta/dev.pd-runtime~1undisclosed"),
            None,
            "{era:?}"
        );
    }
}

#[tokio::test]
async fn an_invalid_call_gets_the_signature_and_the_corrected_call() {
    for era in Era::ALL {
        let client = connect(era, &echoing([echo("echo")]).build().unwrap()).await;
        let refused = client
            .call("echo", json!({ "path": "src", "limit": "many" }))
            .await;
        assert_eq!(code(&refused), "INVALID_ARGUMENTS", "{era:?}");
        let answer = refused["content"].to_string();
        assert!(
            answer.contains("At most this many"),
            "{era:?}: the texts that the list lacks: {answer}"
        );
        assert_eq!(refused.get("structuredContent"), None, "{era:?}");
        let again = client
            .call("echo", json!({ "path": "src", "limit": "few" }))
            .await;
        assert_eq!(code(&again), "INVALID_ARGUMENTS", "{era:?}");
    }
}

#[tokio::test]
async fn a_tool_to_be_read_first_needs_its_description() {
    let destroys = |tool: Tool<()>| {
        tool.with_annotations(ToolAnnotations {
            destructive: Some(true),
            ..ToolAnnotations::NONE
        })
    };
    for era in Era::ALL {
        let tools = [
            echo("marked").read_first(),
            destroys(echo("destroys_with_notes").note("Removes the file from every disk.")),
            destroys(echo("destroys")),
            echo("notes").note("Paths are relative."),
        ];
        let client = connect(era, &echoing(tools).build().unwrap()).await;
        for (name, is_refused) in [
            ("marked", true),
            ("destroys_with_notes", true),
            ("destroys", false),
            ("notes", false),
        ] {
            let called = client.call(name, json!({ "path": "src" })).await;
            assert_eq!(
                called["isError"] == true,
                is_refused,
                "{era:?}: {name}: {called}"
            );
            let called = client.call_described(name, json!({ "path": "src" })).await;
            assert_ne!(called["isError"], true, "{era:?}: {name}");
        }
    }
}

#[tokio::test]
async fn names_that_providers_refuse_reach_the_tool_as_its_own() {
    let schema = json!({ "type": "object", "properties": { "$filter": { "type": "string" } }, "required": ["$filter"] });
    for era in Era::ALL {
        let client = connect(
            era,
            &echoing([echo("odd").input_schema(schema.clone())])
                .build()
                .unwrap(),
        )
        .await;
        let list = client.list().await;
        assert_eq!(
            listed(&list, "odd")["inputSchema"]["required"],
            json!(["_filter"]),
            "{era:?}"
        );
        let called = client.call("odd", json!({ "_filter": "x" })).await;
        assert_eq!(text(&called), r#"{"$filter":"x"}"#, "{era:?}");
    }
}

/// Tools of about 60 tokens in outline and 250 in full.
fn many(count: usize) -> Vec<Tool<()>> {
    let text =
        "A long sentence about what this argument means, which a list in outline leaves out. "
            .repeat(3);
    let schema = json!({
        "type": "object",
        "properties": {
            "owner": { "type": "string", "description": text }, "name": { "type": "string", "description": text },
            "page": { "type": "integer", "description": text },
        },
        "required": ["owner", "name"],
    });
    let tool = |number| {
        let name: &'static str = Box::leak(format!("list_{number}").into_boxed_str());
        echo(name).input_schema(schema.clone())
    };
    (0..count).map(tool).collect()
}

#[tokio::test]
async fn the_default_listing_is_full_then_outline_then_meta_tools() {
    for (count, shows_texts, listed_tools) in [(3, true, 3), (60, false, 60), (400, false, 0)] {
        let registry = Registry::builder().tools(many(count)).build().unwrap();
        let client = connect(
            Era::Session,
            &PdServer::builder(registry, ()).build().unwrap(),
        )
        .await;
        let list = client.list().await;
        assert_eq!(
            list.to_string().contains("A long sentence"),
            shows_texts,
            "{count}"
        );
        let own = names(&list["tools"])
            .into_iter()
            .filter(|name| name.starts_with("list_") && *name != "list_tools")
            .count();
        assert_eq!(own, listed_tools, "{count}");
        assert_eq!(
            names(&list["tools"]).contains(&"find_tools"),
            listed_tools == 0,
            "{count}"
        );
        let arguments = json!({ "owner": "ada", "name": "engine" });
        let called = client.call("list_1", arguments.clone()).await;
        assert_eq!(
            called["isError"] == true,
            listed_tools == 0,
            "{count}: {called}"
        );
        assert_ne!(
            client.call("list_1", arguments).await["isError"],
            true,
            "{count}: the refusal described it"
        );
    }
}

#[tokio::test]
async fn only_the_tools_that_a_caller_sees_decide() {
    let hidden = many(60).into_iter().map(|tool| tool.scope("office"));
    let registry = Registry::builder()
        .tools([echo("open")].into_iter().chain(hidden))
        .build()
        .unwrap();
    let site = Site::open(&PdServer::builder(registry, ()).build().unwrap(), false).await;
    for (caller, shows_texts) in [
        (Post::inline(&site.url), true),
        (Post::inline(&site.url).bearer("carol office"), false),
    ] {
        let list = caller.result("tools/list", json!({})).await;
        assert_eq!(
            list.to_string().contains("At most this many."),
            shows_texts,
            "{list}"
        );
    }
}

#[tokio::test]
async fn meta_tools_of_every_step_can_be_called_whatever_was_listed() {
    let client = connect(
        Era::Session,
        &echoing(many(3)).listing(Listing::AUTO).build().unwrap(),
    )
    .await;
    assert!(!names(&client.list().await["tools"]).contains(&"find_tools"));
    let found = client
        .call("find_tools", json!({ "query": "repeat the arguments" }))
        .await;
    assert_ne!(found["isError"], true, "{found}");
}

#[tokio::test]
async fn a_tool_of_the_servers_own_may_have_the_name_of_a_meta_tool_that_no_list_needs() {
    let own = Registry::builder()
        .tools([echo("find_tools")])
        .build()
        .unwrap();
    let client = connect(Era::Session, &PdServer::builder(own, ()).build().unwrap()).await;
    assert_eq!(
        text(&client.call("find_tools", json!({ "path": "x" })).await),
        r#"{"path":"x"}"#
    );
    let mut tools = many(400);
    tools.push(echo("find_tools"));
    let many = Registry::builder().tools(tools).build().unwrap();
    let error = PdServer::builder(many, ()).build().unwrap_err().to_string();
    assert!(error.contains("find_tools"), "{error}");
}

/// Otherwise the answer would show that the tool exists.
#[tokio::test]
async fn a_hidden_tool_with_the_name_of_a_meta_tool_changes_no_answer() {
    let mut answers = Vec::new();
    for hidden in [vec![echo("find_tools").scope("office")], vec![]] {
        let registry = Registry::builder()
            .tools([echo("open")].into_iter().chain(hidden))
            .build()
            .unwrap();
        let site = Site::open(&PdServer::builder(registry, ()).build().unwrap(), false).await;
        let call = json!({ "name": "find_tools", "arguments": { "query": "repeat" } });
        answers.push(
            Post::inline(&site.url)
                .send("tools/call", call)
                .await
                .body
                .to_string(),
        );
    }
    assert_eq!(answers[0], answers[1]);
}

#[tokio::test]
async fn grouped_lists_show_ungrouped_tools_in_outline_and_apps_stay_listed() {
    let app = echo("chart")
        .meta(serde_json::from_value(json!({ "ui": { "resourceUri": "ui://chart" } })).unwrap());
    let server = echoing([app, echo("plain")])
        .listing(Listing::Eager)
        .build()
        .unwrap();
    let list = connect(Era::Session, &server).await.list().await;
    let entry = listed(&list, "chart");
    assert_eq!(entry["_meta"]["ui"]["resourceUri"], "ui://chart");
    assert_eq!(entry["inputSchema"]["required"], json!(["path"]));
    assert!(!names(&list["tools"]).contains(&"plain"));
}

#[tokio::test]
async fn the_specification_is_one_setting() {
    for era in Era::ALL {
        let client = connect(
            era,
            &shop::server()
                .listing(Listing::Full)
                .specification()
                .build()
                .unwrap(),
        )
        .await;
        let list = client.list().await;
        assert_eq!(
            listed(&list, "greet")["inputSchema"],
            json!({ "type": "object", "additionalProperties": true }),
            "{era:?}"
        );
        let refused = client.call("greet", json!({ "name": "Ada" })).await;
        assert_eq!(
            told(&refused),
            json!({ "error": {
                "code": "TOOL_DESCRIPTION_REQUIRED",
                "message": "Tool 'greet' requires fetching its description before use.",
                "resource_uri": "resource:///tool_descriptions?tools=greet",
            }}),
            "{era:?}"
        );
        assert_eq!(refused["content"].as_array().unwrap().len(), 1, "{era:?}");
        client.describe("greet").await;
        if era.has_session() {
            assert_eq!(
                text(&client.call("greet", json!({ "name": "Ada" })).await),
                "Welcome, Ada!",
                "{era:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_connection_on_standard_input_is_remembered_by_the_literal_mode() {
    let mut line = Line::inline(&shop::server().specification().build().unwrap(), json!({}));
    line.read("resource:///tool_descriptions?tools=greet").await;
    assert_eq!(
        text(&line.call("greet", json!({ "name": "Ada" })).await),
        "Welcome, Ada!"
    );
}

#[tokio::test]
async fn the_gate_off_and_no_meta_tools_change_nothing_in_the_list() {
    let open = echoing([echo("echo").read_first()])
        .gate(GateMode::Off)
        .meta_tools(MetaTools::none());
    let client = connect(Era::Session, &open.build().unwrap()).await;
    assert_eq!(names(&client.list().await["tools"]), ["echo"]);
    assert_ne!(
        client.call("echo", json!({ "path": "x" })).await["isError"],
        true
    );
}
