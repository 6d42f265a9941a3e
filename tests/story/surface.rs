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

impl Surface {
    pub(crate) const ALL: &[Self] = &[Self::Resource, Self::DescribeTools, Self::Extension];

    /// What its clients declare.
    pub(crate) fn capabilities(self) -> Value {
        match self {
            Self::Extension => json!({ "extensions": { EXTENSION: { "version": 1 } } }),
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

    /// Whether its rules forbid to refuse a call.
    pub(crate) fn is_ungated(self) -> bool {
        false
    }

    /// Whether its clients promise to describe before they call.
    pub(crate) fn promises(self) -> bool {
        matches!(self, Self::Extension)
    }

    /// Asks for a tool; `None` where it is unknown.
    pub(crate) async fn disclose(self, caller: &Caller, _plan: &Plan, name: &str) -> Option<Told> {
        match self {
            Self::Resource => {
                let uri = format!("resource:///tool_descriptions?tools={name}");
                let read = caller.ask("resources/read", json!({ "uri": uri })).await["result"].take();
                described(&told(&read)[name])
            }
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
        }
    }
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
