//! A conversation's tools in the providers' request formats. Tools that are described later are
//! added at the end, so that the bytes before them, and the provider's cache of them, stay valid.

pub(super) use super::names::DESCRIBE;
use super::{conversation::ConversationState, describe_result::openai_tool};
use crate::provider::{anthropic, openai};

use rmcp::model::JsonObject;
use serde_json::{Value, json};

const ABOUT_DESCRIBE: &str = "Get parameters and help of tools; required before calling them";

fn parameters() -> Value {
    json!({
        "type": "object",
        "properties": { "names": { "type": "array", "items": { "type": "string" } } },
        "required": ["names"],
    })
}

/// The properties of a set of tools that stay the same for its whole life.
#[derive(Debug, Clone, Copy)]
pub(super) struct ToolsetStyle {
    /// Whether some tools must be described before they are called.
    pub(super) discloses: bool,
    /// Whether tools are deferred at all.
    pub(super) defers: bool,
    /// Whether later tools are inserted into the messages.
    pub(super) inlines: bool,
}

/// Returns the `tools` of Anthropic's Messages API.
pub(super) fn for_anthropic(
    conversation: &mut ConversationState,
    style: ToolsetStyle,
) -> Vec<Value> {
    let first_tools = conversation.first_tools(style.inlines);
    let defers_listed = style.defers && conversation.defers_listed == Some(true);
    let describe = style
        .discloses
        .then(|| anthropic::tool(DESCRIBE, ABOUT_DESCRIBE, &schema(), false));
    let search = defers_listed.then(anthropic::search);
    describe
        .into_iter()
        .chain(search)
        .chain(conversation.request_tools(first_tools).map(|tool| {
            // A described tool is deferred, too: the reference in the history loads it.
            let deferred =
                style.defers && (tool.disclosed || (defers_listed && !tool.never_deferred));
            anthropic::tool(
                &tool.name,
                &tool.description.provider_text(),
                tool.description.input_schema(),
                deferred,
            )
        }))
        .collect()
}

/// Returns the `tools` of OpenAI's Responses API. If tools are deferred, described tools are items
/// of the input instead.
pub(super) fn for_openai(conversation: &mut ConversationState, style: ToolsetStyle) -> Vec<Value> {
    let first_tools = conversation.first_tools(style.inlines);
    let searches = style.defers && !style.discloses && conversation.defers_listed == Some(true);
    let first = match (style.discloses, style.defers && !style.inlines) {
        (true, true) => Some(openai::own_search(ABOUT_DESCRIBE, &parameters())),
        (true, false) => Some(openai::tool(DESCRIBE, ABOUT_DESCRIBE, &schema(), false)),
        (false, _) => searches.then(openai::search),
    };
    let request_tools = conversation
        .request_tools(first_tools)
        .filter(|tool| !(style.defers && tool.disclosed));
    first
        .into_iter()
        .chain(request_tools.map(|tool| {
            openai_tool(
                &tool.name,
                &tool.description,
                searches && !tool.never_deferred,
            )
        }))
        .collect()
}

fn schema() -> JsonObject {
    parameters().as_object().cloned().unwrap_or_default()
}
