//! Lines about upstreams and groups inside of them, made of the names of their tools.

use super::*;
use crate::groups::{extras::clients, with_groups};
use pd_runtime::config::Preset;

impl Desk {
    /// A gateway in front of a script that lists these tools, and says nothing of itself.
    async fn listing(&self, tools: &Value, pd: Value) -> Gateway {
        let fixed = json!({
            "initialize": { "serverInfo": { "name": "mcp-server", "title": "S MCP Server", "version": "1" } },
            "tools/list": { "tools": tools },
        });
        let file = self.log_file("s").with_extension("log.fixed");
        fs::write(file, fixed.to_string()).unwrap();
        self.one(&["fixed"], pd).await
    }
}

/// The 117 tools of GitHub's server.
fn github() -> Value {
    serde_json::from_str(include_str!("../../data/github.json")).unwrap()
}

fn instructions(client: &Client) -> String {
    let info = client.running.peer_info().unwrap();
    info.instructions.clone().unwrap_or_default()
}

#[tokio::test]
async fn the_tools_of_a_large_upstream_are_found_group_by_group() {
    let desk = Desk::new();
    let gateway = desk.listing(&github(), json!({})).await;
    let server = gateway.builder().build().unwrap();
    for era in [Era::Session, Era::Inline, Era::HttpSession, Era::HttpInline] {
        let client = connect(era, &server).await;
        let listed = client.call("list_tools", json!({ "path": "s" })).await;
        let listed = text(&listed);
        assert!(
            listed.contains("/s/s-issues (") && listed.contains("/s/s-pull-requests ("),
            "{era:?}: {listed}"
        );
        assert!(listed.lines().count() < 25, "{era:?}: {listed}");
        let path = json!({ "path": "/s/s-gists" });
        let gists = client.call("list_tools", path).await;
        assert!(text(&gists).contains("s__create_gist"), "{era:?}: {gists}");
    }
    let group = server.groups().remove(0);
    let tools = group.groups.iter().map(|inner| inner.tools.len());
    assert_eq!((tools.sum::<usize>(), group.tools.len()), (117, 0));
    gateway.stop().await;
}

/// The description of the finding meta-tool is in every conversation, so it names servers alone.
#[tokio::test]
async fn lines_are_short_and_name_what_a_server_does() {
    let desk = Desk::new();
    let gateway = desk.listing(&github(), json!({})).await;
    let server = gateway.builder().build().unwrap();
    let client = connect(Era::Session, &server).await;
    let line = instructions(&client);
    let line = line.lines().find(|line| line.starts_with("- s: ")).unwrap();
    assert!(line.contains("issues, pull requests"), "{line}");
    assert!(line.chars().count() <= "- s: ".len() + 120, "{line}");
    let listed = client.list().await["tools"].to_string();
    assert!(listed.contains("issues, pull requests"), "{listed}");
    assert!(!listed.contains("s-issues"), "{listed}");
    gateway.stop().await;
}

#[tokio::test]
async fn the_entry_names_groups_or_wants_none() {
    let desk = Desk::new();
    let renamed =
        json!({ "groups": { "gists": { "name": "Pasted text", "summary": "Share snippets" } } });
    let gateway = desk.listing(&github(), renamed).await;
    let server = gateway.builder().build().unwrap();
    let client = connect(Era::Session, &server).await;
    let listed = client.call("list_tools", json!({ "path": "s" })).await;
    assert!(
        text(&listed).contains("/s/s-pasted-text (4) — Share snippets"),
        "{listed}"
    );
    gateway.stop().await;
    let desk = Desk::new();
    let gateway = desk.listing(&github(), json!({ "groups": false })).await;
    let group = gateway.builder().build().unwrap().groups().remove(0);
    assert_eq!((group.groups.len(), group.tools.len()), (0, 117));
    gateway.stop().await;
}

/// What a line says depends on the tools that the caller sees, in each text that has it.
#[tokio::test]
async fn a_line_names_no_tool_that_the_caller_does_not_see() {
    let desk = Desk::new();
    let tool = |name: &str, text: &str| json!({ "name": name, "description": text, "inputSchema": { "type": "object" } });
    let tools = json!([
        tool("read_note", "Read a note."),
        tool("launch_rocket", "Launch a rocket."),
    ]);
    let pd = json!({ "tools": { "launch_rocket": { "scopes": ["space"] } } });
    let gateway = desk.listing(&tools, pd).await;
    let server = gateway.builder().build().unwrap();
    let owner = connect(Era::Session, &server).await;
    assert!(instructions(&owner).contains("Launch a rocket"));
    for era in [Era::HttpSession, Era::HttpInline, Era::HttpStateless] {
        let client = connect(era, &server).await;
        let mut seen = client.list().await.to_string();
        let asked = client.call("list_tools", json!({ "path": "" })).await;
        seen.push_str(text(&asked));
        if era == Era::HttpSession {
            seen.push_str(&instructions(&client));
        }
        assert!(seen.contains("Read a note"), "{era:?}: {seen}");
        assert!(!seen.to_lowercase().contains("rocket"), "{era:?}: {seen}");
    }
    for mut client in clients(&server, &with_groups()).await.into_iter().skip(2) {
        let listed = client.result("groups/list", json!({})).await;
        assert_eq!(listed["groups"][0]["description"], "Read a note");
    }
    gateway.stop().await;
}

/// A description that says only that this is a server leaves the line to the tools.
#[tokio::test]
async fn a_description_stays_if_it_says_something() {
    for (description, expected) in [
        ("A Model Context Protocol server for S", "Read a note"),
        (
            "Keeps notes between meetings",
            "Keeps notes between meetings",
        ),
    ] {
        let desk = Desk::new();
        let fixed = json!({
            "initialize": { "serverInfo": { "name": "s", "description": description, "version": "1" } },
            "tools/list": { "tools": [
                { "name": "read_note", "description": "Read a note.", "inputSchema": { "type": "object" } },
            ] },
        });
        let file = desk.log_file("s").with_extension("log.fixed");
        fs::write(file, fixed.to_string()).unwrap();
        let gateway = desk.one(&["fixed"], json!({})).await;
        let group = gateway.builder().build().unwrap().groups().remove(0);
        assert_eq!(group.summary, expected);
        gateway.stop().await;
    }
}

/// A group's name must not be a word of a tool that the caller does not see.
#[tokio::test]
async fn a_tool_with_scopes_of_its_own_names_no_group() {
    let desk = Desk::new();
    let scoped = ["create_gist", "get_gist", "list_gists"];
    let scoped = scoped.map(|tool| (tool.to_owned(), json!({ "scopes": ["space"] })));
    let scoped: serde_json::Map<_, _> = scoped.into_iter().collect();
    let gateway = desk.listing(&github(), json!({ "tools": scoped })).await;
    let server = gateway.builder().build().unwrap();
    let client = connect(Era::HttpInline, &server).await;
    let listed = client.call("list_tools", json!({ "path": "s" })).await;
    let listed = text(&listed);
    assert!(listed.contains("/s/s-issues ("), "{listed}");
    assert!(!listed.contains("gists"), "{listed}");
    // Nor must the line of its server, which lazy-mcp shows as the overview of a category.
    let lazy = gateway.builder().preset(Preset::LazyMcp).build().unwrap();
    let client = connect(Era::HttpInline, &lazy).await;
    let root = client
        .call("get_tools_in_category", json!({ "path": "" }))
        .await;
    let overview = text(&root);
    assert!(overview.contains("issues, pull requests"), "{overview}");
    assert!(!overview.contains("gists"), "{overview}");
    let others = server.groups().remove(0).groups.pop().unwrap();
    assert!(others.tools.contains(&"s__create_gist".to_owned()));
    gateway.stop().await;
}
