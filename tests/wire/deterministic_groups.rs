//! The deterministic-groups contract, version 1, check by check under its own names: over HTTP, where principals differ.

use super::manifest::entry_of;
use crate::harness::{client::Era, line::Line, raw::Raw, shop};
use pd_runtime::{
    GateMode, Group, Listing, PdServer, Registry, config::MetaTools, tool::ToolAnnotations,
};
use serde_json::{Value, json};

const KEY: &str = "experimental/deterministic-groups";
const ERAS: [Era; 3] = [Era::HttpSession, Era::HttpInline, Era::HttpStateless];
/// A principal that may see all.
const ALL: &str = "host list_tables cluster_health server_version";

/// The contract's fixture. Who may see a tool has its name as a scope.
#[derive(Clone)]
struct Fixture {
    list_tables_in: &'static str,
    list_tables_schema: Value,
    list_tables_is_unavailable: bool,
    query: &'static str,
}

impl Default for Fixture {
    fn default() -> Self {
        let schema = json!({ "type": "object", "properties": {}, "additionalProperties": false });
        Self {
            list_tables_in: "query",
            list_tables_schema: schema,
            list_tables_is_unavailable: false,
            query: "Inspect tables",
        }
    }
}

impl Fixture {
    fn registry(&self) -> Registry<()> {
        let tool = |name: &'static str, says, schema: &Value| {
            let read_only = ToolAnnotations {
                read_only: Some(true),
                ..ToolAnnotations::NONE
            };
            let tool = shop::saying::<()>(name, says).description(format!("Read {name}"));
            tool.input_schema(schema.clone())
                .with_annotations(read_only)
                .scope(name)
        };
        let empty = Self::default().list_tables_schema;
        let mut list_tables = tool(
            "list_tables",
            "Executed list_tables",
            &self.list_tables_schema,
        );
        if self.list_tables_is_unavailable {
            list_tables = list_tables.unavailable("Unavailable");
        }
        let server_version = tool("server_version", "Executed server_version", &empty);
        let cluster_health = tool("cluster_health", "Executed cluster_health", &empty);
        let query = Group::new("query", self.query);
        let operations = Group::new("operations", "Inspect cluster health").tool(cluster_health);
        let (query, operations) = match self.list_tables_in {
            "query" => (query.tool(list_tables), operations),
            _ => (query, operations.tool(list_tables)),
        };
        let (query, operations) = (
            query.tool(server_version),
            operations.member("server_version"),
        );
        Registry::builder()
            .group(query)
            .group(operations)
            .build()
            .unwrap()
    }

    fn serve(&self) -> PdServer<()> {
        let server = PdServer::builder(self.registry(), ()).listing(Listing::Full);
        server
            .gate(GateMode::Advise)
            .meta_tools(MetaTools::none())
            .build()
            .unwrap()
    }
}

fn sorted(objects: &Value, key: &str) -> Vec<String> {
    let mut found: Vec<_> = objects
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one[key].as_str().unwrap().to_owned())
        .collect();
    found.sort();
    found
}

async fn directory(client: &mut Raw) -> Value {
    client.result("experimental/groups/list", json!({})).await
}

async fn expanded(client: &mut Raw, id: &str, revision: &Value) -> Value {
    client
        .result(
            "experimental/groups/expand",
            json!({ "id": id, "revision": revision }),
        )
        .await
}

async fn not_expanded(client: &mut Raw, id: &str, revision: &Value) -> Value {
    client
        .refused(
            "experimental/groups/expand",
            json!({ "id": id, "revision": revision }),
        )
        .await
}

async fn described(client: &mut Raw, names: &[&str]) -> Value {
    client
        .result("tools/describe", json!({ "names": names }))
        .await["tools"]
        .take()
}

#[tokio::test]
async fn the_experiment_is_declared_in_version_1() {
    let shared = Fixture::default().serve();
    let (_, initialized) = Line::session_with(&shared, json!({})).await;
    let discovered = Line::inline(&shared, json!({}))
        .result("server/discover", json!({}))
        .await;
    for told in [initialized, discovered] {
        assert_eq!(
            told["capabilities"]["experimental"][KEY],
            json!({ "version": 1 })
        );
    }
}

/// A tool is, byte for byte, what the contract's fixture says.
#[tokio::test]
async fn authorized_set() {
    for era in ERAS {
        let mut client = Raw::connect_as(era, &Fixture::default().serve(), ALL).await;
        let listed = client.result("tools/list", json!({})).await["tools"].take();
        let entries = client.result("tools/manifest", json!({})).await["entries"].take();
        assert_eq!(
            sorted(&listed, "name"),
            ["cluster_health", "list_tables", "server_version"],
            "{era:?}"
        );
        let names: Vec<_> = entries
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["name"].as_str().unwrap())
            .collect();
        let tools = described(&mut client, &names).await;
        assert_eq!(tools, listed, "{era:?}");
        assert_eq!(
            entries.as_array().unwrap(),
            &tools
                .as_array()
                .unwrap()
                .iter()
                .map(entry_of)
                .collect::<Vec<_>>()
        );
        let list_tables = tools
            .as_array()
            .unwrap()
            .iter()
            .find(|tool| tool["name"] == "list_tables")
            .unwrap();
        let fixture = json!({
            "name": "list_tables",
            "description": "Read list_tables",
            "inputSchema": { "type": "object", "properties": {}, "additionalProperties": false },
            "annotations": { "readOnlyHint": true },
            "_meta": { KEY: { "groups": ["query"], "callable": true } },
        });
        assert_eq!(list_tables, &fixture, "{era:?}");
    }
}

#[tokio::test]
async fn selective_expansion() {
    for era in ERAS {
        let mut client = Raw::connect_as(era, &Fixture::default().serve(), ALL).await;
        let directory = directory(&mut client).await;
        let groups = json!([
            { "id": "query", "description": "Inspect tables", "count": 2 },
            { "id": "operations", "description": "Inspect cluster health", "count": 2 },
        ]);
        assert_eq!(directory["groups"], groups, "{era:?}");
        let query = expanded(&mut client, "query", &directory["revision"]).await;
        assert_eq!(query["revision"], directory["revision"], "{era:?}");
        assert_eq!(
            sorted(&query["entries"], "name"),
            ["list_tables", "server_version"],
            "{era:?}"
        );
        let tools = described(&mut client, &["list_tables", "server_version"]).await;
        for tool in tools.as_array().unwrap() {
            assert!(
                query["entries"]
                    .as_array()
                    .unwrap()
                    .contains(&entry_of(tool)),
                "{era:?}: {tool}"
            );
            assert!(
                tool["_meta"][KEY]["groups"]
                    .as_array()
                    .unwrap()
                    .contains(&json!("query")),
                "{era:?}: {tool}"
            );
        }
    }
}

#[tokio::test]
async fn shared_identity() {
    let mut client = Raw::connect_as(Era::HttpInline, &Fixture::default().serve(), ALL).await;
    let revision = directory(&mut client).await["revision"].take();
    let mut shared = Vec::new();
    for id in ["query", "operations"] {
        let entries = expanded(&mut client, id, &revision).await["entries"].take();
        shared.extend(
            entries
                .as_array()
                .unwrap()
                .iter()
                .find(|entry| entry["name"] == "server_version")
                .cloned(),
        );
    }
    assert_eq!(shared.len(), 2);
    assert_eq!(shared[0], shared[1]);
    let tool = described(&mut client, &["server_version"]).await[0].take();
    assert_eq!(tool["_meta"][KEY]["groups"], json!(["query", "operations"]));
}

#[tokio::test]
async fn hidden_groups() {
    for era in ERAS {
        let mut client =
            Raw::connect_as(era, &Fixture::default().serve(), "host list_tables").await;
        let directory = directory(&mut client).await;
        assert_eq!(
            directory["groups"],
            json!([{ "id": "query", "description": "Inspect tables", "count": 1 }])
        );
        for (method, key) in [("tools/list", "tools"), ("tools/manifest", "entries")] {
            assert_eq!(
                sorted(&client.result(method, json!({})).await[key], "name"),
                ["list_tables"],
                "{era:?}"
            );
        }
        for name in ["cluster_health", "missing"] {
            let refused = client
                .refused("tools/describe", json!({ "names": [name] }))
                .await;
            assert_eq!(
                refused["data"],
                json!({ "unknownNames": [name] }),
                "{era:?}"
            );
        }
        let hidden = not_expanded(&mut client, "operations", &directory["revision"]).await;
        assert_eq!(
            hidden,
            not_expanded(&mut client, "missing", &directory["revision"]).await,
            "{era:?}"
        );
        assert_eq!(
            hidden["data"],
            json!({ "reason": "unknownGroup" }),
            "{era:?}"
        );
    }
}

/// To a caller who sees none, there is nothing that tells of groups.
#[tokio::test]
async fn groups_that_are_all_hidden_leave_no_trace() {
    let open = || Registry::builder().tool(shop::saying::<()>("open", "said"));
    let secret = Group::new("secret", "Not for everyone")
        .tool(shop::saying::<()>("vault", "said").scope("vault"));
    let mut told = Vec::new();
    for registry in [
        open().group(secret).build().unwrap(),
        open().build().unwrap(),
    ] {
        // Scopes make lists private, which is told by itself.
        let hidden = shop::saying::<()>("other", "said").scope("other");
        let registry = registry
            .merge(Registry::builder().tool(hidden).build().unwrap())
            .unwrap();
        let shared = PdServer::builder(registry, ())
            .listing(Listing::Full)
            .build()
            .unwrap();
        let mut client = Raw::connect_as(Era::HttpInline, &shared, "host").await;
        let mut answers = Vec::new();
        for (method, params) in [
            ("server/discover", json!({})),
            ("tools/list", json!({})),
            ("tools/manifest", json!({})),
            ("tools/describe", json!({ "names": ["open"] })),
            ("experimental/groups/list", json!({})),
            (
                "experimental/groups/expand",
                json!({ "id": "secret", "revision": "x" }),
            ),
        ] {
            answers.push(client.request(method, params).await.to_string());
        }
        told.push(answers);
    }
    assert_eq!(told[0], told[1]);
}

#[tokio::test]
async fn stale_membership_schema_authorization_and_text() {
    let fresh = Fixture::default();
    let mut schema = fresh.list_tables_schema.clone();
    schema["description"] = json!("Updated");
    let changes: [(&str, Fixture, &str, &[&str]); 5] = [
        (
            "membership",
            Fixture {
                list_tables_in: "operations",
                ..fresh.clone()
            },
            ALL,
            &["server_version"],
        ),
        (
            "schema",
            Fixture {
                list_tables_schema: schema,
                ..fresh.clone()
            },
            ALL,
            &["list_tables", "server_version"],
        ),
        (
            "authorization",
            fresh.clone(),
            "host server_version",
            &["server_version"],
        ),
        (
            "availability",
            Fixture {
                list_tables_is_unavailable: true,
                ..fresh.clone()
            },
            ALL,
            &["list_tables", "server_version"],
        ),
        (
            "text",
            Fixture {
                query: "Look at tables",
                ..fresh.clone()
            },
            ALL,
            &["list_tables", "server_version"],
        ),
    ];
    for era in ERAS {
        for (kind, next, bearer, left) in &changes {
            let shared = fresh.serve();
            let mut client = Raw::connect_as(era, &shared, ALL).await;
            let before = directory(&mut client).await["revision"].take();
            shared.replace(next.registry()).unwrap();
            client.become_bearer(bearer);
            let refused = not_expanded(&mut client, "query", &before).await;
            assert_eq!(
                refused["data"],
                json!({ "reason": "staleView" }),
                "{era:?} {kind}"
            );
            let after = directory(&mut client).await["revision"].take();
            let entries = expanded(&mut client, "query", &after).await["entries"].take();
            assert_eq!(sorted(&entries, "name"), *left, "{era:?} {kind}");
        }
    }
}

/// What did not change is not stale.
#[tokio::test]
async fn a_revision_outlives_a_replacement_by_the_same() {
    let shared = Fixture::default().serve();
    let mut client = Raw::connect_as(Era::HttpSession, &shared, ALL).await;
    let before = directory(&mut client).await;
    shared.replace(Fixture::default().registry()).unwrap();
    assert_eq!(directory(&mut client).await, before);
    expanded(&mut client, "query", &before["revision"]).await;
}

#[tokio::test]
async fn unavailable_call() {
    for era in ERAS {
        let unavailable = Fixture {
            list_tables_is_unavailable: true,
            ..Fixture::default()
        };
        let mut client = Raw::connect_as(era, &unavailable.serve(), ALL).await;
        let tool = described(&mut client, &["list_tables"]).await[0].take();
        assert_eq!(tool["_meta"][KEY]["callable"], false, "{era:?}");
        assert_eq!(
            client
                .call_with(&Value::Null, "list_tables", json!({}))
                .await["isError"],
            true,
            "{era:?}"
        );
        assert_ne!(
            client
                .call_with(&Value::Null, "server_version", json!({}))
                .await["isError"],
            true,
            "{era:?}"
        );
    }
}

#[tokio::test]
async fn revoked_call() {
    for era in ERAS {
        let mut client = Raw::connect_as(era, &Fixture::default().serve(), ALL).await;
        let described = client
            .result("tools/describe", json!({ "names": ["list_tables"] }))
            .await;
        client.become_bearer("host server_version");
        let ticket = &described["_meta"]["dev.pd-runtime/tickets"]["list_tables"];
        let params = json!({ "name": "list_tables", "arguments": {}, "_meta": { "dev.pd-runtime/ticket": ticket } });
        let refused = client.refused("tools/call", params).await;
        assert_eq!(
            refused["data"],
            json!({ "unknownNames": ["list_tables"] }),
            "{era:?}"
        );
        let called = client
            .call_with(&Value::Null, "server_version", json!({}))
            .await;
        assert_eq!(
            called["content"][0]["text"], "Executed server_version",
            "{era:?}"
        );
    }
}

#[tokio::test]
async fn reconnect_view() {
    for era in ERAS {
        let shared = Fixture::default().serve();
        let first = directory(&mut Raw::connect_as(era, &shared, ALL).await).await;
        let mut second = Raw::connect_as(era, &shared, "host list_tables").await;
        let directory = directory(&mut second).await;
        assert_ne!(first["revision"], directory["revision"], "{era:?}");
        let refused = not_expanded(&mut second, "query", &first["revision"]).await;
        assert_eq!(refused["data"], json!({ "reason": "staleView" }), "{era:?}");
    }
}

/// A server may offer none of it: then there is the list, as ever.
#[tokio::test]
async fn legacy_list() {
    let server = PdServer::builder(Fixture::default().registry(), ())
        .listing(Listing::Full)
        .manifests(false);
    let shared = server
        .gate(GateMode::Advise)
        .meta_tools(MetaTools::none())
        .build()
        .unwrap();
    for era in ERAS {
        let mut client = Raw::connect_as(era, &shared, ALL).await;
        let listed = client.result("tools/list", json!({})).await["tools"].take();
        assert_eq!(
            sorted(&listed, "name"),
            ["cluster_health", "list_tables", "server_version"],
            "{era:?}"
        );
        assert!(!listed.to_string().contains(KEY), "{era:?}: {listed}");
        for method in [
            "tools/manifest",
            "tools/describe",
            "experimental/groups/list",
            "experimental/groups/expand",
        ] {
            let answer = client
                .request(method, json!({ "names": ["list_tables"] }))
                .await;
            assert_eq!(
                answer["error"]["code"], -32601,
                "{era:?} {method}: {answer}"
            );
        }
        let called = client
            .call_with(&Value::Null, "list_tables", json!({}))
            .await;
        assert_eq!(
            called["content"][0]["text"], "Executed list_tables",
            "{era:?}"
        );
    }
    let (_, initialized) = Line::session_with(&shared, json!({})).await;
    let capabilities = initialized["capabilities"].to_string();
    assert!(
        !capabilities.contains("manifest") && !capabilities.contains(KEY),
        "{capabilities}"
    );
}

/// A nested group is a group of its own; what stands inside is neither held nor counted.
#[tokio::test]
async fn nested_groups_are_told_flat() {
    for listing in [Listing::Minimal, Listing::Grouped] {
        let inner = Group::new("inner", "What is deep").tool(shop::saying::<()>("deep", "said"));
        let outer = Group::new("outer", "What is around")
            .tool(shop::saying("near", "said"))
            .group(inner);
        let within = Group::new("within", "A group").tool(shop::saying("far", "said"));
        let around = Group::new("around", "Only groups").group(within);
        let registry = Registry::builder()
            .group(outer)
            .group(around)
            .tool(shop::saying("top", "said"))
            .build()
            .unwrap();
        let shared = PdServer::builder(registry, ())
            .listing(listing)
            .build()
            .unwrap();
        let mut client = Raw::connect(Era::Session, &shared).await;
        let directory = directory(&mut client).await;
        let counts = directory["groups"]
            .as_array()
            .unwrap()
            .iter()
            .map(|group| (group["id"].clone(), group["count"].clone()));
        assert_eq!(
            counts.collect::<Vec<_>>(),
            [("outer", 1), ("inner", 1), ("within", 1)]
                .map(|(id, count)| (json!(id), json!(count)))
        );
        let outer = expanded(&mut client, "outer", &directory["revision"]).await["entries"].take();
        assert_eq!(sorted(&outer, "name"), ["near"], "{listing:?}");
        let tools = described(&mut client, &["near", "deep", "top"]).await;
        let marks = tools
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["_meta"][KEY]["groups"].clone());
        assert_eq!(
            marks.collect::<Vec<_>>(),
            [json!(["outer"]), json!(["inner"]), json!([])],
            "{listing:?}"
        );
    }
}
