//! What a model reads after a call that could not work: the next call to send.

mod unnamed;

use crate::harness::{
    advice,
    client::{Client, Era, connect, error_of},
    text, told,
};
use pd_runtime::{
    Listing,
    config::{MetaTools, SessionPerCall},
    prelude::*,
};
use rmcp::model::ReadResourceRequestParams;
use serde_json::{Value, json};

/// Returns the text of a file of a repository.
#[pd_tool(summary = "Read a file of a repository", read_only)]
fn read_file(
    owner: String,
    repo: String,
    path: String,
    branch: Option<String>,
) -> Result<String, ToolError> {
    match branch.as_deref() {
        None | Some("main") => Ok(format!("{owner}/{repo}/{path}")),
        Some(branch) => Err(ToolError::new(
            "BRANCH_NOT_FOUND",
            format!("there is no branch `{branch}`"),
        )),
    }
}

/// Replaces a file of a repository.
#[pd_tool(summary = "Write a file of a repository")]
fn write_file(
    owner: String,
    repo: String,
    path: String,
    content: String,
    branch: Option<String>,
) -> Result<String, ToolError> {
    let _ = (owner, repo, path, content);
    Err(ToolError::new(
        "BRANCH_NOT_FOUND",
        format!("there is no branch `{}`", branch.unwrap_or_default()),
    ))
}

/// Looks for words in issues.
#[pd_tool(summary = "Find issues by words", read_only)]
fn find_issues(query: String) -> String {
    query
}

fn server() -> PdServer<()> {
    let registry = pd_runtime::registry! {
        find_issues,
        /// The files of repositories.
        files: { read_file, write_file },
    };
    let builder = PdServer::builder(registry, ()).session_per_call(SessionPerCall::Refuse);
    builder.listing(Listing::Grouped).build().unwrap()
}

/// The paragraphs of a result after its error, and the calls in them.
fn next(result: &Value) -> (String, Vec<Value>) {
    assert_eq!(result["content"].as_array().unwrap().len(), 1, "{result}");
    let last = match text(result).split_once("\n\n") {
        Some((error, advice)) if error.starts_with('{') => advice,
        _ => text(result),
    };
    let calls = last
        .lines()
        .filter(|line| line.starts_with("{\"name\""))
        .map(|line| {
            // What is to be filled in is no JSON.
            let filled = line
                .split('<')
                .enumerate()
                .map(|(place, part)| match place {
                    0 => part.to_owned(),
                    _ => format!("\"filled\"{}", part.split_once('>').unwrap().1),
                });
            serde_json::from_str(&filled.collect::<String>()).unwrap()
        });
    (last.to_owned(), calls.collect())
}

async fn send(client: &Client, call: &Value) -> Value {
    client
        .call(call["name"].as_str().unwrap(), call["arguments"].clone())
        .await
}

#[tokio::test]
async fn a_call_of_an_unknown_tool_gets_the_tools_that_it_fits_and_their_calls() {
    for era in [Era::Session, Era::Inline] {
        let client = connect(era, &server()).await;
        let sent = json!({ "name": "octo/demo", "arguments": { "file": "README.md", "repository": "demo" } });
        let answer = client.call("call_tool", sent).await;
        assert_eq!(answer["isError"], true);
        let (text_of_answer, calls) = next(&answer);
        assert!(
            text_of_answer.starts_with("no such tool: `octo/demo`. These are nearest:\n"),
            "{text_of_answer}"
        );
        assert!(
            text_of_answer.contains("read_file({\n owner: string"),
            "{text_of_answer}"
        );
        let read = calls
            .iter()
            .find(|call| call["arguments"]["name"] == "read_file")
            .unwrap();
        let arguments = &read["arguments"]["arguments"];
        assert_eq!(
            (&arguments["path"], &arguments["repo"]),
            (&json!("README.md"), &json!("demo"))
        );
        // The signature was disclosed, so the gate admits the call.
        assert_eq!(
            text(&send(&client, read).await),
            "filled/demo/README.md",
            "{era:?}"
        );
    }
}

#[tokio::test]
async fn the_name_of_an_object_finds_what_takes_it() {
    for (tool, arguments) in [
        ("find_tools", json!({ "query": "octo/demo" })),
        ("list_tools", json!({ "path": "octo/demo" })),
        ("describe_tools", json!({ "names": ["octo/demo"] })),
        ("find_tools", json!({ "query": "docs/setup.md" })),
    ] {
        let client = connect(Era::Session, &server()).await;
        let (answer, calls) = next(&client.call(tool, arguments).await);
        assert!(
            answer.contains("is no tool. These take it:\nread_file — "),
            "{answer}"
        );
        assert!(
            answer.contains("write_file — ") && !answer.contains("find_issues"),
            "{answer}"
        );
        assert_eq!(
            calls,
            [json!({ "name": "find_tools", "arguments": { "query": "filled" } })]
        );
    }
    for query in [
        "read a file",
        "files",
        "/files/read_file",
        "files/read_file",
    ] {
        let client = connect(Era::Session, &server()).await;
        let (answer, _) = next(&client.call("find_tools", json!({ "query": query })).await);
        assert!(!answer.contains("is no tool"), "{answer}");
        let described = client
            .call(
                "describe_tools",
                json!({ "names": [query], "detail": "summary" }),
            )
            .await;
        assert!(!text(&described).contains("These take it"), "{described}");
    }
}

#[tokio::test]
async fn the_same_answer_again_says_what_else_there_is() {
    let client = connect(Era::Session, &server()).await;
    let listed = client.call("list_tools", json!({ "path": "files" })).await;
    let again = client.call("list_tools", json!({ "path": "files" })).await;
    let (answer, calls) = next(&again);
    let advice = answer.strip_prefix(text(&listed)).unwrap();
    assert!(
        advice.starts_with("\n\nThis is the answer of the call before. There are:\n"),
        "{advice}"
    );
    assert_eq!(
        calls,
        [json!({ "name": "find_tools", "arguments": { "query": "filled" } })]
    );
    client
        .call("find_tools", json!({ "query": "issues" }))
        .await;
    let other = client.call("list_tools", json!({ "path": "files" })).await;
    assert_eq!(text(&other), text(&listed), "another answer came between");
}

#[tokio::test]
async fn a_failure_that_comes_again_is_answered_with_a_shorter_call() {
    let client = connect(Era::Session, &server()).await;
    client.describe("read_file,write_file").await;
    let arguments = json!({ "owner": "octo", "repo": "demo", "path": "a", "branch": "next" });
    let call = json!({ "name": "call_tool", "arguments": { "name": "read_file", "arguments": arguments } });
    let first = send(&client, &call).await;
    assert_eq!(
        (&told(&first)["error"]["code"], advice(&first)),
        (&json!("BRANCH_NOT_FOUND"), vec![])
    );
    let (last, calls) = next(&send(&client, &call).await);
    assert!(
        last.starts_with("The call before failed in the same way. Change this: no `branch`."),
        "{last}"
    );
    assert_eq!(text(&send(&client, &calls[0]).await), "octo/demo/a");
    assert_eq!(
        advice(&send(&client, &call).await),
        [""; 0],
        "another call came between"
    );
}

/// Fails for a reason that has nothing to do with its optional arguments, or that names one of them.
#[pd_tool(summary = "Suggest words at a place of a file", read_only)]
fn suggest(
    path: String,
    trigger: Option<String>,
    limit: Option<u32>,
    o: Option<String>,
) -> Result<String, ToolError> {
    let _ = (trigger, o);
    match limit {
        Some(limit) => Err(ToolError::new(
            "TOO_MANY",
            format!("the limit {limit} is too high"),
        )),
        None => Err(ToolError::new(
            "FILE",
            format!("file I/O error for {path:?}, untriggered"),
        )),
    }
}

#[tokio::test]
async fn a_repeated_failure_leaves_out_only_what_it_names() {
    for era in [Era::Session, Era::HttpSession] {
        let server = PdServer::builder(pd_runtime::registry! { suggest }, ())
            .gate(pd_runtime::GateMode::Off);
        let client = connect(
            era,
            &server
                .session_per_call(SessionPerCall::Refuse)
                .build()
                .unwrap(),
        )
        .await;
        // Neither `trigger` nor its value is a word of the message.
        let sent = json!({ "name": "suggest", "arguments": { "path": "/x", "trigger": "err" } });
        send(&client, &sent).await;
        let again = send(&client, &sent).await;
        let advice = text(&again).split("\n\n").last().unwrap();
        assert!(
            advice.starts_with("The call before failed in the same way. Send other arguments:\n"),
            "{again}"
        );
        // A name of a letter is in many messages by chance.
        let sent = json!({ "name": "suggest", "arguments": { "path": "/x", "o": "1" } });
        send(&client, &sent).await;
        assert!(
            text(&send(&client, &sent).await).contains("Send other arguments:"),
            "{era:?}"
        );
        let sent = json!({ "name": "suggest", "arguments": { "path": "/x", "trigger": "err", "limit": 9 } });
        send(&client, &sent).await;
        let again = send(&client, &sent).await;
        assert!(
            text(&again).contains("Change this: no `limit`. Then send:\n"),
            "{again}"
        );
        assert!(
            text(&again).ends_with("{\"path\": \"/x\", \"trigger\": \"err\"}}"),
            "{again}"
        );
    }
}

/// Without its branch, the call would write to another one.
#[tokio::test]
async fn a_tool_that_writes_is_never_called_with_less() {
    for era in [Era::Session, Era::Inline] {
        let server = server();
        let client = connect(era, &server).await;
        let arguments = json!({ "owner": "octo", "repo": "demo", "path": "a", "content": "b", "branch": "next" });
        let mut call = json!({ "name": "call_tool", "arguments": { "name": "write_file", "arguments": arguments } });
        let (_, calls) = next(&send(&client, &call).await);
        call.clone_from(&calls[0]);
        for _ in 0..2 {
            let failed = send(&client, &call).await;
            let (last, calls) = next(&failed);
            assert_eq!(
                told(&failed)["error"]["code"],
                "BRANCH_NOT_FOUND",
                "{failed}"
            );
            assert!(calls.is_empty(), "{era:?}: {last}");
        }
    }
}

#[tokio::test]
async fn another_tool_is_offered_only_if_it_does_no_more() {
    let client = connect(Era::Session, &server()).await;
    let refused = client
        .call(
            "find_issues",
            json!({ "owner": "octo", "repo": "demo", "path": "a", "content": "b" }),
        )
        .await;
    assert_eq!(
        told(&refused)["error"]["code"],
        "INVALID_ARGUMENTS",
        "its list entry shows the arguments"
    );
    let (offer, calls) = next(&refused);
    assert!(offer.starts_with("`find_issues` has no `"), "{offer}");
    assert_eq!(
        calls.len(),
        1,
        "find_issues reads, and write_file writes: {offer}"
    );
    assert_eq!(text(&send(&client, &calls[0]).await), "octo/demo/a");
    // In a list with all summaries, the caller chose this tool among the others.
    let registry = pd_runtime::registry! { find_issues, read_file };
    let server = PdServer::builder(registry, ())
        .listing(Listing::Minimal)
        .build()
        .unwrap();
    let client = connect(Era::Session, &server).await;
    let (advice, _) = next(
        &client
            .call(
                "find_issues",
                json!({ "owner": "octo", "repo": "demo", "path": "a" }),
            )
            .await,
    );
    assert!(advice.contains("{\"name\": \"find_issues\""), "{advice}");
}

/// Lists the files of a repository.
#[pd_tool(summary = "List files of a repository", read_only)]
fn list_files(owner: String, repo: String, depth: u32) -> String {
    format!("{owner}/{repo} {depth}")
}

#[tokio::test]
async fn no_other_tool_is_offered_where_the_list_names_all() {
    // The index of groups names no tool, so the caller did not choose among them.
    for (has_names, is_offered) in [(true, false), (false, true)] {
        let registry = pd_runtime::registry! {
            find_issues,
            /// The files of repositories.
            files: { read_file, list_files },
        };
        let builder = PdServer::builder(registry, ()).session_per_call(SessionPerCall::Refuse);
        let server = builder
            .listing(Listing::Grouped)
            .group_lines(!has_names)
            .build()
            .unwrap();
        let client = connect(Era::Session, &server).await;
        let arguments = json!({ "owner": "octo", "repo": "demo", "depth": 1 });
        let call = json!({ "name": "read_file", "arguments": arguments });
        let (advice, calls) = next(&client.call("call_read_only_tool", call).await);
        assert_eq!(
            advice.contains("`read_file` has no `depth`. These tools have:"),
            is_offered,
            "{advice}"
        );
        let meant = if is_offered {
            "list_files"
        } else {
            "read_file"
        };
        assert_eq!(calls[0]["arguments"]["name"], meant, "{advice}");
    }
}

#[tokio::test]
async fn an_invented_resource_gets_the_call_of_a_tool() {
    let client = connect(Era::Session, &server()).await;
    let read = client
        .running
        .read_resource(ReadResourceRequestParams::new(
            "resource:///octo/demo/read/file.md",
        ))
        .await;
    let error = error_of(read);
    assert!(error.message.starts_with(
        "no such resource; tools are described by resource:///tool_descriptions?tools=NAME. "
    ));
    assert!(
        error.message.contains(
            "{\"name\": \"call_read_only_tool\", \"arguments\": {\"name\": \"read_file\""
        ),
        "{}",
        error.message
    );
    let server = PdServer::builder(pd_runtime::registry! { write_file }, ())
        .listing(Listing::Minimal)
        .meta_tools(MetaTools::all())
        .build()
        .unwrap();
    let client = connect(Era::Session, &server).await;
    let read = client
        .running
        .read_resource(ReadResourceRequestParams::new("resource:///write/file.md"))
        .await;
    assert!(
        !error_of(read).message.contains("write_file"),
        "reading must not lead to a tool that writes"
    );
}
