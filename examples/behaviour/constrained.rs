//! One JSON action in each turn, to which the endpoint holds the model by a schema. So a trial
//! measures what a model chooses, and not how it writes.

use super::{
    agent::{Given, Reply},
    call_reader,
    prompted::tool_list,
};
use serde_json::{Value, json};

/// The text before a conversation.
pub(super) fn system(given: &Given) -> String {
    format!(
        "{}\n\nThese are your tools, one a line:\n{}\n\nAnswer each time with one JSON object and nothing \
         else.\n- To call a tool: {{\"tool\": \"NAME\", \"arguments\": {{…}}}}. You then read its result.\n- To end, after a \
         tool returned what the user asked for: {{\"answer\": \"TEXT\"}}.\nAll that you know comes from tools: an answer \
         without a result is wrong.",
        given.system,
        tool_list(given)
    )
}

/// The `response_format` of a turn: a call, or an answer where the model may answer. Arguments are
/// any object, because a model that reads a minimal listing does not know their schema.
pub(super) fn response_format(given: &Given, may_answer: bool) -> Value {
    let names: Vec<&str> = given
        .functions
        .iter()
        .map(|function| function.name.as_str())
        .collect();
    let action = |properties: Value, required: &[&str]| json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false });
    let call = action(
        json!({ "tool": { "enum": names }, "arguments": { "type": "object" } }),
        &["tool", "arguments"],
    );
    let answer = action(json!({ "answer": { "type": "string" } }), &["answer"]);
    let schema = if may_answer {
        json!({ "anyOf": [call, answer] })
    } else {
        call
    };
    json!({ "type": "json_schema", "json_schema": { "name": "action", "strict": true, "schema": schema } })
}

/// Reads an action. Only an answer is none of a call: what else was written is unreadable, such as
/// an object that the limit of tokens cut.
pub(super) fn reply(text: &str) -> Reply {
    let action: Option<Value> = serde_json::from_str(text).ok();
    if let Some(answer) = action
        .as_ref()
        .and_then(|action| action.get("answer")?.as_str())
    {
        return Reply {
            text: answer.to_owned(),
            raw: text.to_owned(),
            ..Reply::default()
        };
    }
    let mut reply = call_reader::read(text, &|_| false);
    if reply.calls.is_empty() && reply.unreadable.is_empty() {
        reply.unreadable.push(std::mem::take(&mut reply.text));
    }
    reply
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "a test fails by panicking")]

    use super::super::agent::Function;
    use super::*;
    use rmcp::model::JsonObject;

    #[test]
    fn a_model_that_may_not_answer_calls() {
        let function = Function {
            name: "log".to_owned(),
            description: String::new(),
            parameters: JsonObject::new(),
        };
        let given = Given {
            functions: vec![function],
            ..Given::default()
        };
        let schema =
            |may_answer| response_format(&given, may_answer)["json_schema"]["schema"].clone();
        assert_eq!(
            schema(false)["properties"]["tool"],
            json!({ "enum": ["log"] })
        );
        assert_eq!(
            (
                &schema(true)["anyOf"][0],
                &schema(true)["anyOf"][1]["required"]
            ),
            (&schema(false), &json!(["answer"]))
        );
    }

    #[test]
    fn an_action_is_a_call_an_answer_or_unreadable() {
        let call = reply("{\"tool\": \"log\", \"arguments\": {\"limit\": 3}}");
        assert_eq!(
            (
                call.calls[0].name.as_str(),
                &call.calls[0].arguments["limit"]
            ),
            ("log", &json!(3))
        );
        let answer = reply(
            "{\"answer\": \"There are {\\\"name\\\": \\\"log\\\", \\\"arguments\\\": {}}.\"}",
        );
        assert!(
            answer.calls.is_empty() && answer.text.starts_with("There are"),
            "{answer:?}"
        );
        for text in [
            "{\"tool\": \"log\", \"arguments\": {\"path\": \"REA",
            "",
            "I am done.",
        ] {
            let cut = reply(text);
            assert!(
                cut.calls.is_empty() && cut.unreadable.len() == 1,
                "{text}: {cut:?}"
            );
        }
    }
}
