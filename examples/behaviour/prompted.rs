//! Tools for models whose template knows none: told in the system prompt, and called in the text (the Hermes format, in which
//! most small models were trained).

use super::agent::{Given, Said};
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
        Said::ByAgent(reply) => json!({ "role": "assistant", "content": reply.raw }),
        Said::Result { text, .. } => {
            json!({ "role": "user", "content": format!("<tool_response>\n{text}\n</tool_response>") })
        }
    }
}
