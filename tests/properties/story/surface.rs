//! Every surface as a client of it sees it: how to be disclosed one tool, and what is then known.

use crate::{
    harness::told,
    story::caller::{Caller, Ticket},
    story::plan::Plan,
};
use serde_json::{Value, json};

/// A way to be disclosed a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Surface {
    /// `resource:///tool_descriptions`.
    Resource,
    /// `describe_tools`.
    DescribeTools,
    /// `disclosure/describe`.
    Extension,
    /// `describe_tools` with the name of a bundle that holds everything.
    Bundle,
    /// `tools/describe {names}` (SEP-2636).
    Manifest,
    /// `tools/describe {name}` (Delta-MCP).
    Delta,
    /// The group of `experimental/groups/expand`, then `tools/describe`.
    DeterministicGroups,
    /// `groups/get` of the Groups extension.
    Groups,
    /// A skill's reference.
    Skills,
    /// `find_tools` with a word that only this tool has.
    Find,
    /// `describe_tools` by signature.
    Signatures,
    /// `list_tools` of the tool's group, by signature.
    ListedSignatures,
}

/// What a disclosure told.
#[derive(Debug)]
pub(crate) struct Told {
    /// All of it, as text.
    pub(crate) text: String,
    /// The input schema, without the ticket.
    pub(crate) schema: Option<Value>,
    /// The contract's digest.
    pub(crate) digest: Option<String>,
    pub(crate) ticket: Option<Ticket>,
    /// The tool in MCP's own form, on wires that use it.
    pub(crate) definition: Option<Value>,
}

const EXTENSION: &str = "dev.pd-runtime/disclosure";
const GROUPS: &str = "io.modelcontextprotocol/groups";

impl Surface {
    pub(crate) const ALL: &[Self] = &[
        Self::Resource,
        Self::DescribeTools,
        Self::Extension,
        Self::Bundle,
        Self::Manifest,
        Self::Delta,
        Self::DeterministicGroups,
        Self::Groups,
        Self::Skills,
        Self::Find,
        Self::Signatures,
        Self::ListedSignatures,
    ];

    /// What its clients declare.
    pub(crate) fn capabilities(self) -> Value {
        match self {
            Self::Extension => json!({ "extensions": { EXTENSION: { "version": 1 } } }),
            Self::Groups => json!({ "extensions": { GROUPS: {} } }),
            Self::Delta => {
                json!({ "tools": { "progressiveDisclosure": true, "lazyLoading": true } })
            }
            _ => json!({}),
        }
    }

    /// The protocol version that its clients ask for, where it is one of their own.
    pub(crate) fn version(self) -> Option<&'static str> {
        (self == Self::Delta).then_some("delta-mcp/0.2.0")
    }

    /// Whether the tool is to be had there at all.
    pub(crate) fn reaches(self, plan: &Plan, name: &str) -> bool {
        match self {
            Self::Groups => !plan.is_top(name),
            Self::DeterministicGroups | Self::ListedSignatures => !plan.groups_of(name).is_empty(),
            _ => true,
        }
    }

    /// Whether it tells JSON Schemas.
    pub(crate) fn tells_schema(self) -> bool {
        !matches!(self, Self::Find | Self::Signatures | Self::ListedSignatures)
    }

    /// Whether its rules forbid to refuse a call.
    pub(crate) fn is_ungated(self, plan: &Plan) -> bool {
        self == Self::Delta || (self == Self::Groups && plan.shows_groups())
    }

    /// Whether its clients promise to describe before they call.
    pub(crate) fn promises(self) -> bool {
        matches!(self, Self::Extension | Self::Delta)
    }

    /// Asks for a tool; `None` where it is unknown.
    pub(crate) async fn disclose(self, caller: &Caller, plan: &Plan, name: &str) -> Option<Told> {
        match self {
            Self::Resource => {
                let uri = format!("resource:///tool_descriptions?tools={name}");
                let read =
                    caller.ask("resources/read", json!({ "uri": uri })).await["result"].take();
                described(&told(&read)[name])
            }
            Self::DescribeTools => {
                let called = caller
                    .meta_tool("describe_tools", json!({ "names": [name] }))
                    .await;
                described(&told(&called)[name])
            }
            Self::Extension => {
                let result = caller
                    .ask("disclosure/describe", json!({ "names": [name] }))
                    .await["result"]
                    .take();
                let mut told = described(&result["descriptions"][name])?;
                told.ticket = kept_ticket(&result, name);
                told.digest = text(&result["descriptions"][name]["_meta"]["dev.pd-runtime/digest"]);
                Some(told)
            }
            Self::Bundle => {
                let called = caller
                    .meta_tool("describe_tools", json!({ "names": ["everything"] }))
                    .await;
                described(told(&called).get(name)?)
            }
            Self::Manifest => whole_tool(caller, name).await,
            Self::Delta => {
                let result =
                    caller.ask("tools/describe", json!({ "name": name })).await["result"].take();
                defined(&result, kept_ticket(&result, name))
            }
            Self::DeterministicGroups => expanded(caller, plan, name).await,
            Self::Groups => grouped(caller, plan, name).await,
            Self::Skills => {
                let uri = format!("skill://everything/references/{name}.json");
                let read =
                    caller.ask("resources/read", json!({ "uri": uri })).await["result"].take();
                let mut told = described(&read.get("contents").map(|_| told(&read))?)?;
                told.ticket = kept_ticket(&read, name);
                Some(told)
            }
            Self::Find => {
                let query = plan
                    .tools
                    .iter()
                    .find(|tool| tool.name == name)
                    .unwrap()
                    .marker();
                signed(
                    &caller
                        .meta_tool("find_tools", json!({ "query": query }))
                        .await,
                    plan,
                    name,
                )
            }
            Self::Signatures => {
                let arguments = json!({ "names": [name], "detail": "signature" });
                signed(
                    &caller.meta_tool("describe_tools", arguments).await,
                    plan,
                    name,
                )
            }
            Self::ListedSignatures => {
                let groups = plan.groups_of(name);
                let arguments = json!({ "path": groups[0], "detail": "signature" });
                signed(&caller.meta_tool("list_tools", arguments).await, plan, name)
            }
        }
    }
}

/// A signature among others: it names every argument.
fn signed(result: &Value, plan: &Plan, name: &str) -> Option<Told> {
    let (_, signature) = crate::harness::text(result).split_once(&format!("{name}("))?;
    let tool = plan.tools.iter().find(|tool| tool.name == name).unwrap();
    for argument in tool.schema()["properties"].as_object().unwrap().keys() {
        assert!(
            signature.contains(argument.as_str()),
            "{name}: {argument} is not in {signature}"
        );
    }
    let ticket = signature
        .split_once("disclosure_ticket: \"")
        .and_then(|(_, rest)| rest.split('"').next());
    let ticket = ticket.map(|ticket| Ticket::Argument(ticket.to_owned()));
    let text = crate::harness::text(result).to_owned();
    Some(Told {
        text,
        schema: None,
        digest: None,
        ticket,
        definition: None,
    })
}

/// A definition by `tools/describe`, held against the manifest of its size and digest.
async fn whole_tool(caller: &Caller, name: &str) -> Option<Told> {
    let result = caller
        .ask("tools/describe", json!({ "names": [name] }))
        .await["result"]
        .take();
    let tool = result.get("tools")?[0].clone();
    let manifest = caller.ask("tools/manifest", json!({})).await["result"].take();
    let entries = manifest["entries"].as_array().expect("a manifest");
    if let Some(entry) = entries.iter().find(|entry| entry["name"] == name) {
        let canonical = serde_json_canonicalizer::to_vec(&tool).unwrap();
        assert_eq!(entry["size"], canonical.len(), "{name}");
        assert_eq!(
            text(&entry["digest"]).unwrap(),
            rmcp::model::sha256_digest(&canonical),
            "{name}"
        );
    }
    defined(&tool, kept_ticket(&result, name))
}

/// All groups that hold the tool list it, in the view that they were listed in; the tool says the same.
async fn expanded(caller: &Caller, plan: &Plan, name: &str) -> Option<Told> {
    let listed = caller.ask("experimental/groups/list", json!({})).await["result"].take();
    let groups: Vec<_> = listed["groups"]
        .as_array()?
        .iter()
        .filter_map(|group| text(&group["id"]))
        .collect();
    let mut holding = Vec::new();
    for id in groups {
        let params = json!({ "id": id, "revision": listed["revision"] });
        let expanded = caller.ask("experimental/groups/expand", params).await["result"].take();
        let entries = expanded["entries"].as_array().expect("entries");
        if entries.iter().any(|entry| entry["name"] == name) {
            holding.push(id);
        }
    }
    if holding.is_empty() {
        return None;
    }
    let told = whole_tool(caller, name).await?;
    let mark = &told.definition.as_ref().unwrap()["_meta"]["experimental/deterministic-groups"];
    let mut marked: Vec<_> = mark["groups"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(text)
        .collect();
    let mut planned = plan.groups_of(name);
    for groups in [&mut marked, &mut planned, &mut holding] {
        groups.sort();
    }
    assert_eq!((&marked, &holding), (&planned, &planned), "{name}");
    Some(told)
}

/// The contents of a group that holds the tool; its own list does not.
async fn grouped(caller: &Caller, plan: &Plan, name: &str) -> Option<Told> {
    let listed = caller.ask("tools/list", json!({})).await["result"].take();
    assert!(
        !listed["tools"]
            .as_array()
            .unwrap()
            .iter()
            .any(|tool| tool["name"] == name),
        "{name} is listed twice"
    );
    for group in plan.groups_of(name) {
        let result = caller.ask("groups/get", json!({ "name": group })).await["result"].take();
        let tools = result["contents"]["tools"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        if let Some(tool) = tools.iter().find(|tool| tool["name"] == name) {
            return defined(tool, kept_ticket(&result, name));
        }
    }
    None
}

/// A definition in MCP's own form.
fn defined(tool: &Value, ticket: Option<Ticket>) -> Option<Told> {
    tool.get("inputSchema")?;
    let (text, schema) = (tool.to_string(), Some(tool["inputSchema"].clone()));
    Some(Told {
        text,
        schema,
        digest: None,
        ticket,
        definition: Some(tool.clone()),
    })
}

/// A full description, as a document.
fn described(document: &Value) -> Option<Told> {
    document.get("error").is_none().then(|| {
        let mut schema = document["inputSchema"].clone();
        let ticket = taken_ticket(&mut schema).map(Ticket::Argument);
        Told {
            text: document.to_string(),
            schema: Some(schema),
            digest: None,
            ticket,
            definition: None,
        }
    })
}

/// Takes the ticket out of a disclosed schema.
fn taken_ticket(schema: &mut Value) -> Option<String> {
    let ticket = schema
        .get_mut("properties")?
        .as_object_mut()?
        .shift_remove("disclosure_ticket")?;
    let required = schema["required"]
        .as_array_mut()
        .expect("the ticket is required");
    required.retain(|name| name != "disclosure_ticket");
    if required.is_empty() {
        schema.as_object_mut().unwrap().shift_remove("required");
    }
    text(&ticket["const"])
}

/// The ticket that a client keeps in `_meta`.
fn kept_ticket(result: &Value, name: &str) -> Option<Ticket> {
    text(&result["_meta"]["dev.pd-runtime/tickets"][name]).map(Ticket::Meta)
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}
