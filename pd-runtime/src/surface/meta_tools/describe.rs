//! Descriptions through a tool, for hosts that do not let their model read resources.

use crate::{
    disclose::disclose,
    policy::meta_tools::Offer,
    surface::{NAMES_MAX, cleaned, resource},
    view::View,
};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock};

/// Its entry in the list, which needs no description of its own; `required` where calls are refused without it.
pub(super) fn definition(offer: &Offer, required: bool) -> Tool {
    // Every client reads this in every list, so limits are told when they are broken.
    static SCHEMA: LazyLock<Arc<JsonObject>> = LazyLock::new(|| {
        let schema = json!({
            "type": "object",
            "properties": { "names": { "type": "array", "items": { "type": "string" } } },
            "required": ["names"],
        });
        Arc::new(schema.as_object().cloned().unwrap_or_default())
    });
    let text = match required {
        true => "Get parameters and help of tools; required before calling",
        false => "Get parameters, examples and error help of tools",
    };
    Tool::new(offer.name.clone(), text, SCHEMA.clone()).with_annotations(ToolAnnotations::default().read_only(true))
}

/// Calls it: the same JSON as the resource, or an error that says what to send.
pub(super) async fn call(arguments: Option<JsonObject>, view: &View<'_>) -> CallToolResult {
    let names = names(arguments.as_ref().and_then(|arguments| arguments.get("names")));
    if names.is_empty() {
        let mut error = resource::missing_selection(view);
        if let Some(Value::Object(error)) = error.get_mut("error") {
            error.insert(
                "message".to_owned(),
                json!("You must specify one or more tool names in the 'names' argument."),
            );
            error.insert("examples".to_owned(), json!([{ "names": ["tool_name"] }, { "names": ["tool1", "tool2"] }]));
        }
        return failed(&error);
    }
    if names.len() > NAMES_MAX {
        return failed(&resource::too_many(names.len()));
    }
    let disclosure = disclose(&names, view).await;
    let mut result = CallToolResult::success(vec![ContentBlock::text(disclosure.document())]);
    result.meta = disclosure.meta();
    result
}

fn failed(error: &Value) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(error.to_string())])
}

/// An array of names; models also send one name, names with commas, or the array as a string.
fn names(sent: Option<&Value>) -> Vec<String> {
    match sent {
        Some(Value::Array(names)) => cleaned(names.iter().filter_map(Value::as_str)),
        Some(Value::String(text)) => match serde_json::from_str::<Vec<String>>(text) {
            Ok(names) => cleaned(names.iter().map(String::as_str)),
            Err(_) => cleaned(text.split(',')),
        },
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_understood_however_a_model_writes_them() {
        for sent in [json!(["log", "show"]), json!("log,show"), json!("log, show"), json!("[\"log\",\"show\"]")] {
            assert_eq!(names(Some(&sent)), ["log", "show"], "{sent}");
        }
        for sent in [json!([]), json!(""), json!(7), json!([1, null]), json!({ "a": 1 })] {
            assert_eq!(names(Some(&sent)), Vec::<String>::new(), "{sent}");
        }
        assert_eq!(names(None), Vec::<String>::new());
    }
}
