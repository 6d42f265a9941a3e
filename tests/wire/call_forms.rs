//! Calls in the forms of other APIs: a call inside of a call, and arguments in a text that is almost
//! JSON.

use crate::harness::{
    client::{Client, Era, connect},
    code, text,
};
use pd_runtime::{
    GateMode, IntoOutput, ServerBuilder, Tool,
    config::{MetaTools, SessionPerCall},
    prelude::*,
};
use serde_json::{Value, json};

#[pd_tool(summary = "Get an item", read_only)]
fn get_item(id: String, #[arg(default = 1)] copies: u32) -> String {
    format!("item {id} {copies}")
}

#[pd_tool(summary = "Delete an item")]
fn delete_item(id: String, force: Option<bool>) -> String {
    format!("deleted {id} {force:?}")
}

#[pd_tool(summary = "Write a note")]
fn write_note(text: String) -> String {
    text
}

#[pd_tool(summary = "Reset a function")]
fn reset_function() -> String {
    "reset".to_owned()
}

#[pd_tool(summary = "Clean up notes")]
fn purge_notes(older_than: Option<u32>) -> String {
    format!("purged {older_than:?}")
}

fn server() -> ServerBuilder<()> {
    let registry = pd_runtime::registry! {
        /// What is stored.
        items: { get_item, delete_item, write_note, reset_function, purge_notes },
    };
    PdServer::builder(registry, ())
        .gate(GateMode::Off)
        // Otherwise a session that begins with a call counts as one that does not last.
        .session_per_call(SessionPerCall::Refuse)
        .meta_tools(MetaTools::all())
}

async fn grouped(era: Era) -> Client {
    connect(era, &server().listing(Listing::Grouped).build().unwrap()).await
}

/// A call of a tool with the argument `id`, as models send it to the tool itself.
fn calls_of(tool: &str) -> Vec<Value> {
    let inner = json!({ "id": "7" });
    let call = json!({ "name": tool, "arguments": inner });
    vec![
        call.clone(),
        json!({ "name": tool, "arguments": inner.to_string() }),
        json!({ "tool": tool, "args": inner }),
        json!({ "tool_name": tool, "input": inner }),
        json!({ "name": tool, "parameters": inner }),
        json!({ "name": tool, "arguments": call }),
        json!({ "name": "call_tool", "arguments": call }),
        json!({ "function": call }),
        json!({ "type": "function", "id": "call_1", "function": call }),
        json!({ "type": "tool_use", "id": "call_1", "name": tool, "input": inner }),
        json!({ "tool_calls": [{ "type": "function", "id": "call_1", "function": call }] }),
    ]
}

#[tokio::test]
async fn a_call_that_a_tool_gets_as_its_arguments_is_read_as_their_inside() {
    let server = server().listing(Listing::Minimal).build().unwrap();
    for era in [Era::Session, Era::Inline] {
        let client = connect(era, &server).await;
        for sent in calls_of("get_item") {
            let called = client.call("get_item", sent.clone()).await;
            let ran =
                "item 7 1\n\n(It ran with corrected arguments: without the call around them.)";
            assert_eq!(text(&called), ran, "{era:?}: {sent}");
        }
        for sent in calls_of("delete_item") {
            let told = client.call("delete_item", sent.clone()).await;
            assert_eq!(code(&told), "INVALID_ARGUMENTS", "{era:?}: {sent}");
            let next = "Change this: without the call around them. Then send:\n\
                        {\"name\": \"delete_item\", \"arguments\": {\"id\": \"7\"}}";
            assert!(text(&told).ends_with(next), "{era:?}: {sent}: {told}");
        }
    }
}

#[tokio::test]
async fn a_refusal_proposes_the_inside_of_such_a_call() {
    let builder = server().listing(Listing::Grouped).gate(GateMode::Enforce);
    let server = builder.build().unwrap();
    for era in [Era::Session, Era::Inline] {
        for sent in calls_of("delete_item") {
            let client = connect(era, &server).await;
            let told = client.call("delete_item", sent.clone()).await;
            assert_eq!(code(&told), "TOOL_DESCRIPTION_REQUIRED", "{era:?}: {sent}");
            let call = text(&told).lines().last().unwrap();
            let call: Value = serde_json::from_str(call).unwrap();
            let called = client.call("call_tool", call["arguments"].clone()).await;
            assert_eq!(text(&called), "deleted 7 None", "{era:?}: {sent}: {told}");
        }
    }
}

#[tokio::test]
async fn the_name_of_a_tool_is_never_another_argument_of_it() {
    let server = server().listing(Listing::Minimal).build().unwrap();
    let client = connect(Era::Session, &server).await;
    for sent in [
        json!({ "name": "delete_item" }),
        json!({ "tool": "delete_item" }),
        json!({ "item": "delete_item" }),
        json!({ "name": "delete_item", "arguments": {} }),
        json!({ "name": "delete_item", "arguments": "id: 7" }),
        json!({ "name": "delete_item", "arguments": { "force": true } }),
    ] {
        let told = client.call("delete_item", sent.clone()).await;
        let (_, next) = text(&told).split_once("\n\n").unwrap();
        let next = next.lines().last().unwrap();
        assert!(next.contains("\"id\": <"), "{sent}: {told}");
        assert!(!text(&told).contains("from \"delete_item\""), "{told}");
    }
    let beside = json!({ "name": "delete_item", "id": "7" });
    let told = client.call("delete_item", beside).await;
    let next = "{\"name\": \"delete_item\", \"arguments\": {\"id\": \"7\"}}";
    assert!(text(&told).ends_with(next), "{told}");
}

#[tokio::test]
async fn a_tool_that_takes_these_arguments_gets_them() {
    #[pd_tool(summary = "Repeat a call")]
    fn repeat(name: String, arguments: String) -> String {
        format!("{name} {arguments}")
    }
    let builder = PdServer::builder(pd_runtime::registry! { repeat }, ()).gate(GateMode::Off);
    let client = connect(Era::Session, &builder.build().unwrap()).await;
    let sent = json!({ "name": "repeat", "arguments": "{}" });
    assert_eq!(text(&client.call("repeat", sent).await), "repeat {}");
}

#[tokio::test]
async fn call_tool_reads_the_calls_of_providers() {
    for era in [Era::Session, Era::Inline] {
        let client = grouped(era).await;
        for (tool, ran) in [("get_item", "item 7 1"), ("delete_item", "deleted 7 None")] {
            let mut forms = calls_of(tool);
            let call = json!({ "name": tool, "arguments": { "id": "7" } });
            forms.extend([
                json!({ "call": call }),
                json!({ "calls": [call] }),
                json!({ "tool_call": call }),
                json!({ "tool": call }),
                json!({ "function": call.to_string() }),
                json!({ "name": "call_tool", "function": call }),
                json!({ "function": { "name": tool }, "arguments": { "id": "7" } }),
                json!({ "function": tool, "arguments": { "id": "7" } }),
            ]);
            for sent in forms {
                let called = client.call("call_tool", sent.clone()).await;
                assert_eq!(text(&called), ran, "{era:?}: {sent}");
            }
        }
        let find = json!({ "name": "find_tools", "arguments": { "query": "delete an item" } });
        let found = client.call("call_tool", json!({ "function": find })).await;
        assert!(text(&found).contains("delete_item"), "{found}");
    }
}

#[tokio::test]
async fn the_first_of_several_calls_does_not_run_as_if_it_were_all() {
    let client = grouped(Era::Session).await;
    let call = |id: &str| json!({ "name": "delete_item", "arguments": { "id": id } });
    let told = client
        .call("call_tool", json!({ "tool_calls": [call("7"), call("8")] }))
        .await;
    assert_eq!(told["isError"], true);
    let why = "call_tool makes one call, and 2 were sent: send each by itself";
    assert!(text(&told).starts_with(why), "{told}");
    assert!(text(&told).contains("{\"id\": \"7\"}"), "{told}");
}

#[tokio::test]
async fn no_complete_call_of_what_writes_is_offered_for_a_guessed_name() {
    for era in [Era::Session, Era::Inline] {
        let client = grouped(era).await;
        for sent in [
            json!({ "function": { "id": "7" } }),
            json!({ "function": 7 }),
            json!({ "name": "reset_functions", "arguments": {} }),
            json!({ "name": "reset", "arguments": { "function": "reset" } }),
            json!({ "name": "remove_item", "arguments": { "id": "7" } }),
            json!({ "function": { "name": "reset_the_function", "arguments": {} } }),
        ] {
            let told = client.call("call_tool", sent.clone()).await;
            assert_eq!(told["isError"], true, "{sent}");
            for line in text(&told)
                .lines()
                .filter(|line| line.starts_with("{\"name\""))
            {
                let is_safe = line.contains('<') || line.contains("get_item");
                assert!(is_safe, "{era:?}: {sent}: {line}");
            }
        }
    }
}

#[tokio::test]
async fn an_unknown_name_far_from_all_others_gets_a_search() {
    let client = grouped(Era::Session).await;
    let told = client
        .call("call_tool", json!({ "name": "qqqq", "arguments": "{}" }))
        .await;
    assert!(text(&told).contains("{\"name\": \"find_tools\""), "{told}");
    let told = client
        .call("call_tool", json!({ "name": "qqqq", "arguments": "{}" }))
        .await;
    assert_eq!(told["isError"], true);
}

#[tokio::test]
async fn a_text_that_is_json_but_for_its_form_is_read() {
    let client = grouped(Era::Session).await;
    for (sent, note) in [
        ("{\"text\":\"a\nb\"}", "a\nb"),
        ("{\"text\":\"a\tb\r\n\"}", "a\tb\r\n"),
        ("{\"text\": \"a\",}", "a"),
        ("{\"text\": \"a\",\n}", "a"),
        ("{\"text\": \"a\"},", "a"),
        ("```json\n{\"text\": \"a\"}\n```", "a"),
        ("```\n{\"text\": \"a\nb\",}\n```\n", "a\nb"),
        ("{\"text\": \"a,}\"}", "a,}"),
    ] {
        let call = json!({ "name": "write_note", "arguments": sent });
        let called = client.call("call_tool", call).await;
        assert_eq!(text(&called), note, "{sent}");
    }
}

#[tokio::test]
async fn a_text_that_is_no_json_gets_the_place_of_its_mistake() {
    for (sent, why) in [
        (
            "{\"text\":\"say \"hi\"\"}",
            "at character 15: expected `,` or `}`; in a string",
        ),
        (
            "{\"text\":\"C:\\Users\"}",
            "at character 13: in a string, `\\` is written `\\\\`.",
        ),
        (
            "{\"text\":\"a",
            "at character 10: the text ends before the JSON does.",
        ),
        (
            "{\"text\":\"a\"}}",
            "at character 13: the JSON ends before the text does.",
        ),
        (
            "{'text': 'a'}",
            "at character 2: a name must be in double quotes.",
        ),
        (
            "{text: \"a\"}",
            "at character 2: a name must be in double quotes.",
        ),
    ] {
        for era in [Era::Session, Era::Inline] {
            let client = grouped(era).await;
            let call = json!({ "name": "write_note", "arguments": sent });
            let first = client.call("call_tool", call.clone()).await;
            assert_eq!(first["isError"], true, "{sent}");
            let begin = format!("`arguments` is not valid JSON {why}");
            assert!(text(&first).starts_with(&begin), "{era:?} {sent}: {first}");
            assert!(text(&first).contains("It may also be an object, not a text."));
            assert!(text(&first).contains("write_note({"), "{first}");
            let last = text(&first).lines().last().unwrap();
            let next = "{\"name\": \"call_tool\", \"arguments\": {\"name\": \"write_note\"";
            assert!(
                last.starts_with(next) && last.contains("<string>"),
                "{last}"
            );
            let again = client.call("call_tool", call).await;
            let is_told = text(&again).contains("the same mistake as in the call before");
            assert_eq!(is_told, era == Era::Session, "{again}");
        }
    }
    // Its call without arguments would do something else.
    let client = grouped(Era::Session).await;
    let call = json!({ "name": "purge_notes", "arguments": "{older_than: 7}" });
    let told = client.call("call_tool", call).await;
    assert!(text(&told).contains("purge_notes("), "{told}");
    assert!(!text(&told).contains("{\"name\""), "{told}");
}

#[tokio::test]
async fn meta_tools_take_other_words_for_their_arguments() {
    let client = grouped(Era::Session).await;
    let find = |sent: Value| client.call("find_tools", sent);
    let wanted = text(&find(json!({ "query": "delete an item" })).await).to_owned();
    for sent in [
        json!({ "q": "delete an item" }),
        json!({ "search": "delete an item" }),
        json!({ "text": "delete an item" }),
        json!({ "keywords": ["delete", "an", "item"] }),
        json!({ "query": ["delete an item"] }),
        json!({ "name": "find_tools", "arguments": { "query": "delete an item" } }),
    ] {
        let client = grouped(Era::Session).await;
        let found = client.call("find_tools", sent.clone()).await;
        assert_eq!(text(&found), wanted, "{sent}");
    }
    for sent in [
        json!({ "name": "delete_item" }),
        json!({ "tools": ["delete_item"] }),
        json!({ "names": [{ "name": "delete_item" }] }),
        json!({ "name": "describe_tools", "arguments": { "names": ["delete_item"] } }),
    ] {
        let client = grouped(Era::Session).await;
        let told = client.call("describe_tools", sent.clone()).await;
        assert_ne!(told["isError"], true, "{sent}: {told}");
        assert!(
            text(&told).starts_with("{\"delete_item\":"),
            "{sent}: {told}"
        );
    }
}

/// A tool of another server, whose schema forbids no other arguments, as most do not.
fn open_tool(name: &str, is_read_only: bool, mut schema: Value) -> Tool<()> {
    schema["type"] = "object".into();
    let definition = json!({
        "name": name,
        "description": "Count some items",
        "inputSchema": schema,
        "annotations": { "readOnlyHint": is_read_only },
    });
    Tool::from_definition(
        serde_json::from_value(definition).unwrap(),
        |(): &(), _, arguments| {
            Box::pin(async move { Value::Object(arguments).to_string().into_output() })
        },
    )
}

#[tokio::test]
async fn a_call_in_arguments_that_forbid_no_others_is_no_argument() {
    let optional =
        json!({ "properties": { "limit": { "type": "integer" }, "id": { "type": "string" } } });
    let mut required = optional.clone();
    required["required"] = json!(["id"]);
    let mut taking = optional.clone();
    taking["additionalProperties"] = true.into();
    let mut taking_required = required.clone();
    taking_required["additionalProperties"] = true.into();
    let registry = Registry::<()>::builder()
        .tool(open_tool("count", true, optional.clone()))
        .tool(open_tool("drop", false, optional))
        .tool(open_tool("get", true, required.clone()))
        .tool(open_tool("put", false, required))
        .tool(open_tool("keep", false, taking))
        .tool(open_tool("store", true, taking_required))
        .build()
        .unwrap();
    let server = PdServer::builder(registry, ())
        .gate(GateMode::Off)
        .build()
        .unwrap();
    for era in [Era::Session, Era::Inline] {
        let client = connect(era, &server).await;
        for tool in ["count", "get", "store"] {
            // A tool that takes any arguments may have got this `id` as its own.
            let is_clear = |sent: &Value| tool != "store" || sent.get("id").is_none();
            for sent in calls_of(tool).into_iter().filter(is_clear) {
                let called = client.call(tool, sent.clone()).await;
                let ran = "{\"id\":\"7\"}\n\n(It ran with corrected arguments: without the call around them.)";
                assert_eq!(text(&called), ran, "{era:?}: {tool}: {sent}");
            }
        }
        for tool in ["drop", "put"] {
            for sent in calls_of(tool) {
                let told = client.call(tool, sent.clone()).await;
                assert_eq!(code(&told), "INVALID_ARGUMENTS", "{era:?}: {sent}");
                let next = format!(
                    "Change this: without the call around them. Then send:\n\
                     {{\"name\": \"{tool}\", \"arguments\": {{\"id\": \"7\"}}}}"
                );
                assert!(text(&told).ends_with(&next), "{era:?}: {sent}: {told}");
            }
        }
        // The tool takes any arguments, so these may be meant.
        for sent in calls_of("keep") {
            let called = client.call("keep", sent.clone()).await;
            assert_eq!(text(&called), sent.to_string(), "{era:?}");
        }
        // Another tool's call, other data, or more than a call.
        for sent in [
            json!({ "name": "drop", "arguments": { "id": "7" } }),
            json!({ "name": "count", "arguments": { "other": 1 } }),
            json!({ "name": "count", "arguments": {} }),
            json!({ "name": "count", "arguments": { "id": "7" }, "more": 1 }),
            json!({ "name": "count" }),
        ] {
            let called = client.call("count", sent.clone()).await;
            assert_eq!(text(&called), sent.to_string(), "{era:?}");
        }
    }
}
