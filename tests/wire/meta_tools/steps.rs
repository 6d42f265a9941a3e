//! `find_tools` for a task of several steps.

use super::with_ticket;
use crate::harness::{
    client::{Client, Era, connect},
    text,
};
use pd_runtime::{
    Bundle, Group, IntoOutput, Limits, Listing, PdServer, Principal, Registry, ServerBuilder, Tool,
};
use serde_json::{Value, json};

const TASK: &str = "merge the pull request, then notify the team about it";

fn tool(name: &'static str, summary: &'static str) -> Tool<()> {
    Tool::new(name, summary, |(), _, arguments| {
        Box::pin(async move { Value::Object(arguments).to_string().into_output() })
    })
    .input_schema(json!({
        "type": "object",
        "properties": {
            "number": { "type": "integer", "description": "Which one." },
            "text": { "type": "string", "description": "What to say." },
        },
        "required": ["number"],
    }))
}

fn server(notify: impl Fn(Tool<()>) -> Tool<()>) -> ServerBuilder<()> {
    let tools = [
        tool("merge_pull_request", "Merge a pull request"),
        notify(tool("notify_team", "Notify a team")),
        tool("list_branches", "List the branches of a repository"),
    ];
    let registry = Registry::builder().tools(tools).build().unwrap();
    PdServer::builder(registry, ()).listing(Listing::Grouped)
}

/// A server whose tools are in two groups, and in bundles.
fn grouped_server(bundles: impl IntoIterator<Item = Bundle>) -> ServerBuilder<()> {
    let reviews = Group::new("reviews", "Review changes")
        .tool(tool("merge_pull_request", "Merge a pull request"))
        .tool(tool("notify_team", "Notify a team"))
        .tool(tool("approve_review", "Approve a review"));
    let other = Group::new("other", "Other tools").tool(tool("list_branches", "List branches"));
    let registry = Registry::builder().group(reviews).group(other);
    let registry = bundles
        .into_iter()
        .fold(registry, |registry, bundle| registry.bundle(bundle));
    PdServer::builder(registry.build().unwrap(), ()).listing(Listing::Grouped)
}

async fn find(client: &Client) -> String {
    let found = client.call("find_tools", json!({ "query": TASK })).await;
    text(&found).to_owned()
}

/// The line or lines of one tool.
fn step<'a>(found: &'a str, name: &str) -> &'a str {
    let start = found.find(name).unwrap_or_else(|| panic!("{found}"));
    let rest = found.get(start..).unwrap();
    rest.split("\n2. ").next().unwrap()
}

#[tokio::test]
async fn each_step_has_its_tool_and_each_can_be_called() {
    for era in Era::ALL {
        let client = connect(era, &server(|tool| tool).build().unwrap()).await;
        let found = find(&client).await;
        assert!(
            found.starts_with("1. merge_pull_request({number: int, text?"),
            "{era:?}: {found}"
        );
        assert!(
            found.contains("\n2. notify_team({number: int, text?"),
            "{era:?}: {found}"
        );
        assert!(!found.contains("What to say"), "{era:?}: {found}");
        for name in ["merge_pull_request", "notify_team"] {
            let arguments = with_ticket(json!({ "number": 7 }), step(&found, name));
            let result = client.call(name, arguments).await;
            assert_eq!(text(&result), r#"{"number":7}"#, "{era:?}: {found}");
        }
    }
}

#[tokio::test]
async fn a_tool_to_be_read_first_shows_its_description() {
    for era in Era::ALL {
        let server = server(|tool| tool.read_first().note("Each notice wakes people."));
        let client = connect(era, &server.build().unwrap()).await;
        let found = find(&client).await;
        assert!(
            found.starts_with("1. merge_pull_request({number: int"),
            "{era:?}: {found}"
        );
        let read = step(&found, "notify_team");
        assert!(read.contains("What to say"), "{era:?}: {found}");
        let arguments = with_ticket(json!({ "number": 7 }), read);
        let result = client.call("notify_team", arguments).await;
        assert_eq!(text(&result), r#"{"number":7}"#, "{era:?}: {found}");
    }
}

/// A search describes no more tools at once than a request for descriptions may.
#[tokio::test]
async fn the_limit_of_names_holds() {
    let limits = Limits::default().names(1);
    let client = connect(
        Era::Session,
        &server(|tool| tool).limits(limits).build().unwrap(),
    )
    .await;
    let found = find(&client).await;
    assert!(
        found.starts_with("merge_pull_request — Merge a pull request") && !found.contains("({"),
        "{found}"
    );
    assert!(found.contains("\nnotify_team — Notify a team"), "{found}");
}

#[tokio::test]
async fn the_group_of_all_steps_comes_first_and_once() {
    for era in Era::ALL {
        let client = connect(era, &grouped_server([]).build().unwrap()).await;
        let found = find(&client).await;
        assert!(
            found.starts_with("/reviews:\n1. merge_pull_request({number: int"),
            "{era:?}: {found}"
        );
        assert_eq!(found.matches("/reviews").count(), 1, "{era:?}: {found}");
    }
}

#[tokio::test]
async fn steps_in_different_groups_have_their_own() {
    let server = grouped_server([]).build().unwrap();
    let client = connect(Era::Session, &server).await;
    let query = json!({ "query": "list the branches and notify the team" });
    let found = text(&client.call("find_tools", query).await).to_owned();
    assert!(found.starts_with("1. list_branches({"), "{found}");
    assert!(found.contains("// List branches  /other\n2. "), "{found}");
    assert!(found.contains("// Notify a team  /reviews"), "{found}");
}

#[tokio::test]
async fn the_bundle_with_fewest_other_tools_comes_first() {
    let merging = ["merge_pull_request", "notify_team"];
    let bundles = [
        Bundle::new("all", "Everything")
            .tools(merging)
            .tools(["list_branches", "approve_review"]),
        Bundle::new("merge", "Merge a change")
            .instructions("Merge it, then write to the team.\n\nNever on Fridays.")
            .tools(merging)
            .tool("approve_review"),
        Bundle::new("notify", "Notify somebody").tool("notify_team"),
    ];
    for era in Era::ALL {
        let server = grouped_server(bundles.clone()).build().unwrap();
        let client = connect(era, &server).await;
        let found = find(&client).await;
        let first =
            "/merge — Merge a change. Merge it, then write to the team.\n/reviews:\n1. merge_";
        assert!(found.starts_with(first), "{era:?}: {found}");
    }
}

/// A tool that a caller may not see does not count among those of a bundle.
#[tokio::test]
async fn a_hidden_tool_does_not_change_which_bundle_comes_first() {
    let merging = ["merge_pull_request", "notify_team"];
    let bundles = [
        Bundle::new("with-hidden", "Merge")
            .tools(merging)
            .tool("list_branches"),
        Bundle::new("with-visible", "Merge")
            .tools(merging)
            .tool("approve_review"),
        Bundle::new("of-all", "Merge")
            .tools(merging)
            .tools(["list_branches", "approve_review"]),
    ];
    let server = grouped_server(bundles)
        .access(|_: Option<&Principal>, tool: &Tool<()>| tool.name() != "list_branches")
        .build()
        .unwrap();
    let client = connect(Era::Session, &server).await;
    let found = find(&client).await;
    assert!(found.starts_with("/with-hidden — Merge\n"), "{found}");
}
