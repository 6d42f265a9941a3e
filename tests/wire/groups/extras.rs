//! Prompts and resources in groups: in one client's view each is at the top level or in groups, with the same bytes.

use super::with_groups;
use crate::harness::{
    inline_meta, line::Line, names, post::Post, raw::Raw, shop::saying, site::Site,
};
use pd_runtime::{
    CallContext, Group, PdServer, Registry, ToolError,
    serve::{self, HttpOptions},
    server::ResourceProvider,
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        ListPromptsResult, ListResourcesResult, PaginatedRequestParams, Prompt, ReadResourceResult,
        Resource, ResourceContents, ServerCapabilities, ServerConfig,
    },
    service::RequestContext,
};
use serde_json::{Value, json};

/// Clients of each transport and generation, with these capabilities, over what `serve` sends.
pub(crate) async fn clients<S, H>(shared: &PdServer<S, H>, capabilities: &Value) -> [Raw; 4]
where
    S: Send + Sync + 'static,
    H: ServerHandler,
{
    let line = || {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let shared = shared.clone();
        tokio::spawn(async move { serve::transport(&shared, theirs).await });
        Line::over(ours)
    };
    let (mut session, mut inline) = (line(), line());
    session.handshake(capabilities.clone()).await;
    inline.carry(Some(inline_meta(capabilities)));
    let site = || async {
        Site::serve(serve::router(shared, &HttpOptions::default(), Default::default()).unwrap())
            .await
    };
    let (one, other) = (site().await, site().await);
    let over_http = Post::session_of(&one.url, None, "2025-11-25", capabilities.clone()).await;
    let stateless = Post::inline(&other.url).capabilities(capabilities.clone());
    [
        Raw::Line(Box::new(session)),
        Raw::Line(Box::new(inline)),
        Raw::Post(over_http, one),
        Raw::Post(stateless, other),
    ]
}

/// Two pages of prompts and of resources.
struct Library;

/// The cursor of the page behind this one, and the place of its first entry.
fn turn(params: Option<PaginatedRequestParams>) -> (usize, Option<String>) {
    match params.and_then(|params| params.cursor) {
        None => (0, Some("behind".to_owned())),
        Some(_) => (2, None),
    }
}

impl ServerHandler for Library {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(
            ServerCapabilities::builder()
                .enable_prompts()
                .enable_resources()
                .build(),
        )
    }

    async fn list_prompts(
        &self,
        params: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let (first, next) = turn(params);
        let prompts = ["open", "review", "blame-all", "close"]
            .iter()
            .skip(first)
            .take(2);
        let prompts =
            prompts.map(|name| Prompt::new(*name, Some("A prompt"), None).with_title("Its title"));
        let mut listed = ListPromptsResult::with_all_items(prompts.collect());
        listed.next_cursor = next;
        Ok(listed)
    }

    async fn list_resources(
        &self,
        params: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let (first, next) = turn(params);
        let resources = ["book:a", "book:b", "book:c", "book:d"]
            .iter()
            .skip(first)
            .take(2);
        let mut listed = ListResourcesResult::with_all_items(
            resources.map(|uri| Resource::new(*uri, "A book")).collect(),
        );
        listed.next_cursor = next;
        Ok(listed)
    }
}

struct Shelf;

impl ResourceProvider for Shelf {
    async fn list(&self, _: &CallContext) -> Result<Vec<Resource>, ToolError> {
        Ok(["shelf:1", "shelf:2"]
            .map(|uri| Resource::new(uri, "A shelf").with_description("Long"))
            .to_vec())
    }

    async fn read(
        &self,
        uri: &str,
        _: &CallContext,
    ) -> Result<Option<ReadResourceResult>, ToolError> {
        Ok(uri
            .starts_with("shelf:")
            .then(|| ReadResourceResult::new(vec![ResourceContents::text("books", uri)])))
    }
}

fn server() -> PdServer<(), Library> {
    let blame = Group::new("blame", "Who wrote what")
        .tool(saying("blame_line", "Ada"))
        .prompt("blame-all");
    let history = Group::new("history", "Read history")
        .title("History of the repository")
        .tool(saying("log", "a commit"))
        .prompt("review")
        .resource("book:d")
        .resource("shelf:2")
        .prompt("nothing")
        .group(blame.title("Blame"));
    let both = Group::new("both", "What is also elsewhere")
        .member("log")
        .prompt("review")
        .resource("shelf:2");
    let vault = Group::new("vault", "Hidden")
        .tool(saying("open_vault", "gold").scope("vault"))
        .prompt("close");
    let registry = Registry::builder()
        .group(history)
        .group(both)
        .group(vault)
        .build()
        .unwrap();
    PdServer::builder(registry, ())
        .with_resources(Shelf)
        .with_handler(Library)
        .build()
        .unwrap()
}

/// All entries of a list, page by page.
async fn all(client: &mut Raw, method: &str, key: &str) -> Vec<Value> {
    let (mut entries, mut params) = (Vec::new(), json!({}));
    loop {
        let mut page = client.result(method, params).await;
        entries.append(page[key].as_array_mut().unwrap());
        let Some(cursor) = page.get("nextCursor") else {
            return entries;
        };
        params = json!({ "cursor": cursor });
    }
}

async fn group(client: &mut Raw, name: &str) -> Value {
    client.result("groups/get", json!({ "name": name })).await["contents"].take()
}

#[tokio::test]
async fn prompts_and_resources_are_at_the_top_level_or_in_groups() {
    let shared = server();
    let flat = clients(&shared, &json!({})).await;
    for (mut client, mut flat) in clients(&shared, &with_groups()).await.into_iter().zip(flat) {
        for (key, id, method, top, in_history, in_blame, in_both) in [
            (
                "prompts",
                "name",
                "prompts/list",
                &["open", "close"][..],
                &["review"][..],
                &["blame-all"][..],
                &["review"][..],
            ),
            (
                "resources",
                "uri",
                "resources/list",
                &[
                    "resource:///tool_descriptions",
                    "shelf:1",
                    "book:a",
                    "book:b",
                    "book:c",
                ],
                &["shelf:2", "book:d"],
                &[],
                &["shelf:2"],
            ),
        ] {
            let ids = |entries: &[Value]| -> Vec<String> {
                entries
                    .iter()
                    .map(|entry| entry[id].as_str().unwrap().to_owned())
                    .collect()
            };
            let mut seen = all(&mut client, method, key).await;
            // The operator of a process sees the vault, and its prompt is there.
            let sees_vault = group_names(&mut client).await.contains(&"vault".to_owned());
            let top: Vec<_> = top
                .iter()
                .filter(|id| !(sees_vault && **id == "close"))
                .collect();
            assert_eq!(
                ids(&seen),
                top.iter().map(|id| (**id).to_owned()).collect::<Vec<_>>()
            );
            for (name, expected) in [
                ("history", in_history),
                ("blame", in_blame),
                ("both", in_both),
            ] {
                let entries = group(&mut client, name).await[key]
                    .as_array()
                    .cloned()
                    .unwrap_or_default();
                assert_eq!(ids(&entries), *expected, "{name}");
                seen.extend(entries);
            }
            if sees_vault && key == "prompts" {
                seen.extend(
                    group(&mut client, "vault").await[key]
                        .as_array()
                        .unwrap()
                        .clone(),
                );
            }
            // The union is the flat list, with the same bytes. The name of the descriptions depends on the gate.
            let mut whole = all(&mut flat, method, key).await;
            for list in [&mut seen, &mut whole] {
                list.retain(|entry| entry[id] != "resource:///tool_descriptions");
            }
            assert!(
                seen.iter().all(|entry| whole.contains(entry)),
                "{seen:?} {whole:?}"
            );
            assert!(
                whole.iter().all(|entry| seen.contains(entry)),
                "{seen:?} {whole:?}"
            );
        }
        let read = client
            .result("resources/read", json!({ "uri": "shelf:2" }))
            .await;
        assert_eq!(
            read["contents"][0]["text"], "books",
            "a read does not depend on the group"
        );
    }
}

async fn group_names(client: &mut Raw) -> Vec<String> {
    let listed = client.result("groups/list", json!({})).await;
    names(&listed["groups"])
        .into_iter()
        .map(str::to_owned)
        .collect()
}

#[tokio::test]
async fn groups_have_titles() {
    for mut client in clients(&server(), &with_groups()).await {
        let listed = client.result("groups/list", json!({})).await;
        let history = json!({ "name": "history", "title": "History of the repository", "description": "Read history" });
        assert_eq!(listed["groups"][0], history);
        assert_eq!(listed["groups"][1].get("title"), None);
        let inside =
            json!([{ "name": "blame", "title": "Blame", "description": "Who wrote what" }]);
        assert_eq!(
            group(&mut client, "history").await["groups"],
            inside,
            "the same object in its parent"
        );
    }
}

/// A subscription of 2026-07-28 that wants to know of tools also hears of groups, if its client declared the extension.
#[tokio::test]
async fn subscribers_hear_that_groups_changed() {
    for (capabilities, filter, expected) in [
        (
            with_groups(),
            json!({ "toolsListChanged": true }),
            &["tools", "groups"][..],
        ),
        (json!({}), json!({ "toolsListChanged": true }), &["tools"]),
        (with_groups(), json!({ "promptsListChanged": true }), &[]),
    ] {
        let shared = server();
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let serving = shared.clone();
        tokio::spawn(async move { serve::transport(&serving, theirs).await });
        let mut line = Line::over(ours);
        line.carry(Some(inline_meta(&capabilities)));
        let id = line
            .ask("subscriptions/listen", json!({ "notifications": filter }))
            .await;
        assert_eq!(
            line.next().await["method"],
            "notifications/subscriptions/acknowledged"
        );
        let more = Group::new("new", "Something new").tool(saying("new_tool", "new"));
        shared
            .replace(Registry::builder().group(more).build().unwrap())
            .unwrap();
        for list in expected {
            let heard = line.next().await;
            assert_eq!(
                heard["method"],
                format!("notifications/{list}/list_changed"),
                "{heard}"
            );
            assert_eq!(
                heard["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id,
                "{heard}"
            );
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        let next = line.ask("groups/list", json!({})).await;
        assert_eq!(line.next().await["id"], next, "nothing else was sent");
    }
}

/// A list that depends on what the client declared must not be shared by a cache.
#[tokio::test]
async fn lists_that_leave_out_what_is_in_groups_are_private() {
    let [_, mut line, _, mut post] = clients(&server(), &with_groups()).await;
    for client in [&mut line, &mut post] {
        for method in ["prompts/list", "resources/list"] {
            assert_eq!(
                client.result(method, json!({})).await["cacheScope"],
                "private",
                "{method}"
            );
        }
    }
}
