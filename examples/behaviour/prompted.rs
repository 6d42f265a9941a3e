//! Tools for models whose template knows none: told in the system prompt, and called in the text (the Hermes format, in which
//! most small models were trained).

use super::agent::{Call, Given, Reply, Said};
use serde_json::{Value, json};

const BEGIN: &str = "<tool_call>";
const END: &str = "</tool_call>";

/// What stands before a conversation.
pub(super) fn system(given: &Given) -> String {
    let functions: Vec<String> =
        given.functions.iter().filter_map(|function| serde_json::to_string(function).ok()).collect();
    format!(
        "{}\n\nYou have these tools, one a line:\n<tools>\n{}\n</tools>\n\nTo call a tool, answer with nothing but its name and \
         arguments as JSON, in this form:\n{BEGIN}\n{{\"name\": \"TOOL\", \"arguments\": {{}}}}\n{END}",
        given.system,
        functions.join("\n")
    )
}

/// One thing said, with no word of tools outside its text.
pub(super) fn message(said: &Said) -> Value {
    match said {
        Said::ByUser(text) => json!({ "role": "user", "content": text }),
        Said::ByAgent(reply) => {
            let calls = reply.calls.iter().map(|call| {
                let call = json!({ "name": call.name, "arguments": call.arguments });
                format!("{BEGIN}\n{call}\n{END}")
            });
            let parts: Vec<String> = std::iter::once(reply.text.clone()).chain(calls).collect();
            json!({ "role": "assistant", "content": parts.join("\n").trim() })
        }
        Said::Result { text, .. } => {
            json!({ "role": "user", "content": format!("<tool_response>\n{text}\n</tool_response>") })
        }
    }
}

/// The calls in a text, and the text before them.
pub(super) fn reply(text: &str) -> Reply {
    let (before, rest) = text.split_once(BEGIN).map_or((text, None), |(before, rest)| (before, Some(rest)));
    let blocks = rest.into_iter().flat_map(|rest| rest.split(BEGIN));
    let told = blocks.filter_map(|block| serde_json::from_str(block.split(END).next()?.trim()).ok());
    let each = told.flat_map(|told: Value| match told {
        Value::Array(calls) => calls,
        call => vec![call],
    });
    let calls = each.enumerate().filter_map(|(place, call)| read(place, &call)).collect();
    Reply { text: before.trim().to_owned(), calls }
}

fn read(place: usize, call: &Value) -> Option<Call> {
    let arguments = call.get("arguments").and_then(Value::as_object).cloned().unwrap_or_default();
    Some(Call { id: format!("call_{place}"), name: call.get("name")?.as_str()?.to_owned(), arguments })
}
