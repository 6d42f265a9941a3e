//! Our own extension, `dev.pd-runtime/disclosure`: `disclosure/describe`, with tickets in `_meta`.

use super::{NAMES_MAX, cleaned};
use crate::{
    caller::{Caller, EXTENSION},
    catalogue::Catalogue,
    disclose::disclose,
    gate::ticket::Tickets,
    policy::Policy,
};
use rmcp::{
    ErrorData,
    model::{ClientCapabilities, ExtensionCapabilities, JsonObject},
};
use serde_json::{Value, json};

/// The extension's method.
pub(crate) const DESCRIBE: &str = "disclosure/describe";

/// The extension and its settings, as both sides declare it.
pub(crate) fn declaration() -> ExtensionCapabilities {
    let settings = JsonObject::from_iter([("version".to_owned(), json!(1))]);
    ExtensionCapabilities::from_iter([(EXTENSION.to_owned(), settings)])
}

/// Answers `disclosure/describe {names}`.
///
/// # Errors
///
/// -32021 where the client did not declare the extension, -32602 for parameters of another shape.
pub(crate) async fn describe(
    params: Option<&Value>,
    caller: &Caller<'_>,
    catalogue: &Catalogue,
    policy: &Policy,
    tickets: &Tickets,
) -> Result<Value, ErrorData> {
    if !caller.declares_disclosure {
        let required = ClientCapabilities::builder().enable_extensions_with(declaration()).build();
        return Err(ErrorData::missing_required_client_capability(required));
    }
    let Some(Value::Array(names)) = params.and_then(|params| params.get("names")) else {
        return Err(ErrorData::invalid_params("`names` must be an array of tool names", None));
    };
    if !names.iter().all(Value::is_string) {
        return Err(ErrorData::invalid_params("`names` must be an array of tool names", None));
    }
    let names = cleaned(names.iter().filter_map(Value::as_str));
    if names.is_empty() || names.len() > NAMES_MAX {
        let data = json!({ "maxNames": NAMES_MAX });
        return Err(ErrorData::invalid_params(format!("`names` must name 1 to {NAMES_MAX} tools"), Some(data)));
    }
    let disclosure = disclose(&names, caller, catalogue, policy, tickets).await;
    let mut result = JsonObject::new();
    result.insert("descriptions".to_owned(), disclosure.descriptions_with_meta());
    if let Some(meta) = disclosure.meta() {
        result.insert("_meta".to_owned(), Value::Object(meta.0));
    }
    if caller.modern {
        result.insert("resultType".to_owned(), json!("complete"));
    }
    Ok(Value::Object(result))
}
