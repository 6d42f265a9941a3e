//! Every surface as a client of it sees it: how to be disclosed one tool, and what is then known.

use crate::{
    caller::{Caller, Ticket},
    harness::told,
    plan::Plan,
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
    /// `groups/get`; what stands at the top level is described by the resource.
    Groups,
    /// A tool's file in a skill; what is in none is described by the resource.
    Skills,
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
}

const EXTENSION: &str = "dev.pd-runtime/disclosure";
const GROUPS: &str = "io.modelcontextprotocol/groups";

impl Surface {
    pub(crate) const ALL: &[Self] = &[Self::Resource, Self::DescribeTools, Self::Extension, Self::Groups, Self::Skills];

    /// What its clients declare.
    pub(crate) fn capabilities(self) -> Value {
        match self {
            Self::Extension => json!({ "extensions": { EXTENSION: { "version": 1 } } }),
            Self::Groups => json!({ "extensions": { GROUPS: {} } }),
            _ => json!({}),
        }
    }

    /// The protocol version that its clients ask for, where it is one of their own.
    pub(crate) fn version(self) -> Option<&'static str> {
        None
    }

    /// Whether it tells JSON Schemas.
    pub(crate) fn tells_schema(self) -> bool {
        true
    }

    /// Whether its rules forbid to refuse a call of this caller. Without groups there is no such extension.
    pub(crate) fn is_ungated(self, plan: &Plan) -> bool {
        self == Self::Groups && plan.tools.iter().any(|tool| plan.sees(tool) && !plan.groups_of(&tool.name).is_empty())
    }

    /// Whether its clients promise to describe before they call.
    pub(crate) fn promises(self) -> bool {
        matches!(self, Self::Extension)
    }

    /// Asks for a tool; `None` where it is unknown.
    pub(crate) async fn disclose(self, caller: &Caller, plan: &Plan, name: &str) -> Option<Told> {
        match self {
            Self::Resource => of_resource(caller, name).await,
            Self::DescribeTools => {
                let called = caller.meta_tool("describe_tools", json!({ "names": [name] })).await;
                described(&told(&called)[name])
            }
            Self::Extension => {
                let result = caller.ask("disclosure/describe", json!({ "names": [name] })).await["result"].take();
                let mut told = described(&result["descriptions"][name])?;
                told.ticket = kept_ticket(&result, name);
                told.digest = text(&result["descriptions"][name]["_meta"]["dev.pd-runtime/digest"]);
                Some(told)
            }
            Self::Groups if !plan.is_top(name) => of_groups(caller, &plan.groups_of(name), name).await,
            Self::Skills if !plan.skills_of(name).is_empty() => of_skills(caller, &plan.skills_of(name), name).await,
            Self::Groups | Self::Skills => of_resource(caller, name).await,
        }
    }
}

async fn of_resource(caller: &Caller, name: &str) -> Option<Told> {
    let uri = format!("resource:///tool_descriptions?tools={name}");
    let read = caller.ask("resources/read", json!({ "uri": uri })).await["result"].take();
    described(&told(&read)[name])
}

/// The tool in each of its groups, where it must be the same.
async fn of_groups(caller: &Caller, groups: &[String], name: &str) -> Option<Told> {
    let mut all = Vec::new();
    for group in groups {
        let got = caller.ask("groups/get", json!({ "name": group })).await["result"].take();
        let tools = got["contents"]["tools"].as_array().cloned().unwrap_or_default();
        let tool = tools.into_iter().find(|tool| tool["name"] == name);
        all.push(tool.map(|tool| (tool, kept_ticket(&got, name))));
    }
    let same = all.windows(2).all(|pair| pair[0].as_ref().map(|one| &one.0) == pair[1].as_ref().map(|one| &one.0));
    assert!(same, "{name} differs between its groups: {all:?}");
    let (tool, ticket) = all.pop()??;
    Some(Told { text: tool.to_string(), schema: Some(tool["inputSchema"].clone()), digest: None, ticket })
}

/// The tool's file in each of its skills; the bytes must be those that the manifest promised.
async fn of_skills(caller: &Caller, skills: &[String], name: &str) -> Option<Told> {
    let mut last = None;
    for skill in skills {
        let entry =
            caller.ask("skills/get", json!({ "uri": format!("skill://{skill}/SKILL.md") })).await["result"].take();
        let uri = format!("skill://{skill}/references/{name}.json");
        let promised = entry.pointer("/skill/resources").and_then(Value::as_array).cloned().unwrap_or_default();
        let promised = promised.into_iter().find(|file| file["uri"] == *uri);
        let read = caller.ask("resources/read", json!({ "uri": uri })).await["result"].take();
        assert_eq!(promised.is_some(), read.is_object(), "{uri}: {read}");
        let promised: rmcp::model::SkillResource = serde_json::from_value(promised?).unwrap();
        let file = read["contents"][0]["text"].as_str().unwrap();
        promised.verify(file.as_bytes()).unwrap();
        let mut told = described(&serde_json::from_str(file).unwrap())?;
        told.ticket = kept_ticket(&read, name);
        last = Some(told);
    }
    last
}

/// A full description, as a document.
fn described(document: &Value) -> Option<Told> {
    document.get("error").is_none().then(|| {
        let mut schema = document["inputSchema"].clone();
        let ticket = taken_ticket(&mut schema).map(Ticket::Argument);
        Told { text: document.to_string(), schema: Some(schema), digest: None, ticket }
    })
}

/// Takes the ticket out of a disclosed schema.
fn taken_ticket(schema: &mut Value) -> Option<String> {
    let ticket = schema.get_mut("properties")?.as_object_mut()?.shift_remove("disclosure_ticket")?;
    let required = schema["required"].as_array_mut().expect("the ticket is required");
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
