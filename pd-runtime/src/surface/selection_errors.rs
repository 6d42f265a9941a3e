//! The errors for requests that name no tool, or too many.

use crate::{
    disclosure::{
        disclose::{available, insert_available},
        view::CallerView,
    },
    protocol::keys::{DESCRIPTIONS_URI, UNSELECTED},
};
use rmcp::model::JsonObject;
use serde_json::{Value, json};

/// Returns the error for a request without names (specification v2.1, section 6.1).
pub(crate) fn missing_selection(view: &CallerView<'_>) -> Value {
    let mut error = JsonObject::new();
    error.insert("code".to_owned(), json!(UNSELECTED));
    error.insert(
        "message".to_owned(),
        json!("You must specify one or more tool names in the 'tools' parameter."),
    );
    error.insert(
        "examples".to_owned(),
        json!([
            format!("{DESCRIPTIONS_URI}?tools=tool_name"),
            format!("{DESCRIPTIONS_URI}?tools=tool1,tool2")
        ]),
    );
    insert_available(&mut error, available(view), view);
    json!({ "error": error })
}

/// Returns the error for a request with too many names.
pub(crate) fn too_many(count: usize, view: &CallerView<'_>) -> Value {
    let most = view.policy.limits.names;
    json!({ "error": {
        "code": "TOO_MANY_TOOLS",
        "message": format!("{count} tools were named; name at most {most} in one request and send the rest in another."),
        "max_tools": most,
    }})
}
