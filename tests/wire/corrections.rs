//! Calls that run although their arguments were not valid, because a correction loses nothing.

use crate::harness::{
    client::{Era, connect},
    code, company, shop, text, told,
};
use pd_runtime::{GateMode, Group, Tool, prelude::*, tool::ToolAnnotations};
use serde_json::{Value, json};

/// Returns words, as a read-only tool.
#[pd_tool(summary = "Repeat words", read_only)]
fn repeat(
    word: String,
    #[arg(default = 1, minimum = 1, maximum = 9)] times: u32,
    marks: Option<Vec<String>>,
) -> String {
    format!(
        "{}{}",
        word.repeat(times as usize),
        marks.unwrap_or_default().concat()
    )
}

/// Counts letters.
#[pd_tool(summary = "Count letters", read_only)]
fn count(word: String) -> Json<usize> {
    Json(word.len())
}

/// Writes words.
#[pd_tool(summary = "Write words")]
fn write(word: String, #[arg(default = 1)] times: u32) -> String {
    word.repeat(times as usize)
}

fn server() -> pd_runtime::ServerBuilder<()> {
    PdServer::builder(pd_runtime::registry! { repeat, count, write }, ()).gate(GateMode::Off)
}

#[tokio::test]
async fn a_read_only_tool_runs_with_what_says_the_same() {
    for era in Era::ALL {
        for (sent, answer) in [
            (
                json!({ "word": "a", "times": "3" }),
                "aaa\n\n(It ran with corrected arguments: `times` as integer.)",
            ),
            (
                json!({ "word": 7 }),
                "7\n\n(It ran with corrected arguments: `word` as string.)",
            ),
            (
                json!({ "wrod": "a" }),
                "a\n\n(It ran with corrected arguments: `word` instead of `wrod`.)",
            ),
            (
                json!({ "Word": "a", "marks": "!" }),
                "a!\n\n(It ran with corrected arguments: `word` instead of `Word`, `marks` as array.)",
            ),
            (
                json!({ "arguments": { "word": "a" } }),
                "a\n\n(It ran with corrected arguments: without `arguments` around them.)",
            ),
            (json!({ "word": "a", "times": 3 }), "aaa"),
        ] {
            let client = connect(era, &server().build().unwrap()).await;
            let called = client.call("repeat", sent.clone()).await;
            assert_ne!(called["isError"], true, "{called}");
            assert_eq!(
                (text(&called), called["content"].as_array().unwrap().len()),
                (answer, 1),
                "{era:?}: {sent}"
            );
        }
    }
}

#[tokio::test]
async fn structured_content_stays_as_it_is() {
    let client = connect(Era::Inline, &server().build().unwrap()).await;
    let called = client.call("count", json!({ "Word": "abc" })).await;
    assert_eq!(called["structuredContent"], 3, "{called}");
    let texts: Vec<&Value> = called["content"]
        .as_array()
        .unwrap()
        .iter()
        .map(|block| &block["text"])
        .collect();
    assert_eq!(
        texts,
        [
            "3",
            "(It ran with corrected arguments: `word` instead of `Word`.)"
        ]
    );
}

#[tokio::test]
async fn nothing_runs_with_less_or_with_a_guess_and_nothing_that_writes() {
    for (tool, sent) in [
        ("write", json!({ "word": "a", "times": "3" })),
        ("write", json!({ "Word": "a" })),
        ("repeat", json!({ "word": "a", "number": 3 })),
        ("repeat", json!({ "word": "a", "times": "three" })),
        ("repeat", json!({ "word": "a", "times": "30" })),
        ("repeat", json!({ "times": 3 })),
        ("repeat", json!({ "wrod": "a", "wordd": "b" })),
    ] {
        let client = connect(Era::Session, &server().build().unwrap()).await;
        assert_eq!(
            code(&client.call(tool, sent.clone()).await),
            "INVALID_ARGUMENTS",
            "{tool} {sent}"
        );
    }
}

#[tokio::test]
async fn the_setting_and_the_specification_turn_it_off() {
    let sent = json!({ "word": "a", "times": "3" });
    for builder in [
        server().run_corrected(false),
        server().specification().gate(GateMode::Off),
    ] {
        let client = connect(Era::Session, &builder.build().unwrap()).await;
        assert_eq!(
            code(&client.call("repeat", sent.clone()).await),
            "INVALID_ARGUMENTS"
        );
    }
    let builder = server()
        .specification()
        .gate(GateMode::Off)
        .run_corrected(true);
    let client = connect(Era::Session, &builder.build().unwrap()).await;
    assert!(text(&client.call("repeat", sent).await).starts_with("aaa"));
}

/// The meta-tools that call, as a list shows them.
async fn calling(server: pd_runtime::ServerBuilder<()>) -> Vec<(String, Value)> {
    let listed = connect(Era::Session, &server.build().unwrap())
        .await
        .list()
        .await;
    let tools = listed["tools"].as_array().unwrap().iter();
    let calling = tools.filter(|tool| tool["inputSchema"]["properties"].get("arguments").is_some());
    calling
        .map(|tool| {
            (
                tool["name"].as_str().unwrap().to_owned(),
                tool["annotations"].clone(),
            )
        })
        .collect()
}

fn grouped(tools: Vec<Tool<()>>) -> pd_runtime::ServerBuilder<()> {
    let group = tools
        .into_iter()
        .fold(Group::new("words", "What words do"), Group::tool);
    PdServer::builder(Registry::builder().group(group).build().unwrap(), ())
        .listing(Listing::Grouped)
}

fn tool(name: &'static str, read_only: bool) -> Tool<()> {
    let annotations = ToolAnnotations {
        read_only: Some(read_only),
        ..ToolAnnotations::default()
    };
    shop::saying(name, "done").with_annotations(annotations)
}

#[tokio::test]
async fn reading_and_writing_have_a_meta_tool_each_where_there_is_a_choice() {
    let reads = json!({ "readOnlyHint": true });
    // MCP's defaults are the most cautious hints.
    let writes = Value::Null;
    let both = grouped(vec![
        tool("repeat", true),
        tool("count", true),
        tool("write", false),
    ]);
    let expected = [
        ("call_tool".to_owned(), writes.clone()),
        ("call_read_only_tool".to_owned(), reads.clone()),
    ];
    assert_eq!(calling(both).await, expected);
    let reading = grouped(vec![tool("repeat", true), tool("count", true)]);
    assert_eq!(
        calling(reading).await,
        [("call_read_only_tool".to_owned(), reads)]
    );
    let writing = grouped(vec![tool("write", false)]);
    assert_eq!(calling(writing).await, [("call_tool".to_owned(), writes)]);
    let renamed = grouped(vec![tool("write", false)]).call_tool_name("use_tool");
    assert_eq!(calling(renamed).await[0].0, "use_tool");
}

#[tokio::test]
async fn signatures_and_shown_calls_name_the_meta_tool_of_their_tool() {
    let builder = PdServer::builder(company::registry(2), ()).listing(Listing::Grouped);
    let server = builder
        .session_per_call(pd_runtime::config::SessionPerCall::Refuse)
        .build()
        .unwrap();
    for (tool, through) in [
        ("user_get", "call_read_only_tool"),
        ("user_delete", "call_tool"),
    ] {
        for era in [Era::Session, Era::Inline] {
            let client = connect(era, &server).await;
            let described = client
                .call(
                    "describe_tools",
                    json!({ "names": [tool], "detail": "signature" }),
                )
                .await;
            assert!(
                text(&described).ends_with(&format!("\n\nUse {through}.")),
                "{described}"
            );
            let client = connect(era, &server).await;
            let refused = client
                .call(tool, json!({ "owner": "acme", "name": "spring" }))
                .await;
            assert!(
                text(&refused).contains(&format!("{{\"name\": \"{through}\", \"arguments\"")),
                "{refused}"
            );
        }
    }
    let client = connect(Era::Session, &server).await;
    let names = json!({ "names": ["user_get", "user_delete", "user_list"], "detail": "signature" });
    let described = client.call("describe_tools", names).await;
    let last = text(&described).split("\n\n").last().unwrap();
    assert_eq!(
        last,
        "Use call_tool for `user_delete`, and call_read_only_tool for the rest."
    );
    let found = client
        .call("find_tools", json!({ "query": "delete a user for good" }))
        .await;
    assert!(text(&found).contains("\nUse call_tool."), "{found}");
}

#[tokio::test]
async fn a_tool_called_by_the_other_meta_tool_is_answered_with_the_right_one() {
    let client = connect(
        Era::Session,
        &shop::server().listing(Listing::Eager).build().unwrap(),
    )
    .await;
    let refused = client
        .call(
            "call_read_only_tool",
            json!({ "name": "stock", "arguments": "{}" }),
        )
        .await;
    assert_eq!(
        text(&refused),
        "`stock` is not read-only: call it through call_tool. Now send:\n\
         {\"name\": \"call_tool\", \"arguments\": {\"name\": \"stock\", \"arguments\": \"{}\"}}"
    );
    let read = client
        .call(
            "call_tool",
            json!({ "name": "search", "arguments": "{\"word\": \"vase\"}" }),
        )
        .await;
    assert_eq!(
        told(&read)["error"]["code"],
        "TOOL_DESCRIPTION_REQUIRED",
        "call_tool calls all tools"
    );
}
