//! Tools for models whose template knows none: told in the system prompt, and called in the text (the Hermes format, in which
//! most small models were trained).

use super::{
    agent::{Given, Said},
    call_reader::{BEGIN, END},
};
use serde_json::{Value, json};

/// What stands before a conversation.
pub(super) fn system(given: &Given) -> String {
    format!(
        "{}\n\nYou have these tools, one a line:\n{}\n\nTo call a tool, answer with nothing but its name and \
         arguments as JSON, in this form:\n{BEGIN}\n{{\"name\": \"TOOL\", \"arguments\": {{}}}}\n{END}",
        given.system,
        tool_list(given)
    )
}

/// The tools as JSON, one a line.
pub(super) fn tool_list(given: &Given) -> String {
    let functions: Vec<String> = given
        .functions
        .iter()
        .filter_map(|function| serde_json::to_string(function).ok())
        .collect();
    format!("<tools>\n{}\n</tools>", functions.join("\n"))
}

/// One thing said, with no word of tools outside its text. A reply is repeated as the model wrote it,
/// so that the endpoint's cache holds it.
pub(super) fn message(said: &Said) -> Value {
    match said {
        Said::ByUser(text) => json!({ "role": "user", "content": text }),
        Said::ByAgent(reply) => json!({ "role": "assistant", "content": reply.raw }),
        Said::Result { text, .. } => {
            json!({ "role": "user", "content": format!("<tool_response>\n{text}\n</tool_response>") })
        }
    }
}
