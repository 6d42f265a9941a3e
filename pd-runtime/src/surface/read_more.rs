//! `read_more`: the tool by which a model reads on in a result that was too large to show. It is
//! called by its name, or through the meta-tools that call tools. A list that has those does not
//! list it: the preview of a large result has the whole call.

use super::{call_forms, call_routes};
use crate::{
    disclosure::view::CallerView,
    large_results::{READ_MORE, ReadCall, spoken},
    policy::{meta_tools::MetaToolRole, rate_limit::ChargeKind},
    selective::data_plane::StoreFailed,
};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool};
use std::sync::Arc;

/// The scheme of the resources that have large results whole.
pub(crate) const SCHEME: &str = "result://";
/// The arguments that models take for the handle, the declared one first.
const HANDLES: [&str; 4] = ["handle", "id", "uri", "result"];
/// Larger results are read on a thread that may block, because to parse one takes milliseconds.
const BLOCKING_MIN: usize = 256 * 1024;

/// Returns whether a call of this name means the tool.
pub(crate) fn is_called(name: &str, view: &CallerView<'_>) -> bool {
    name == READ_MORE && view.catalog.large_results.is_some() && view.find(name).is_none()
}

/// Returns the entry of a list that has no tool to call it through.
pub(crate) fn definition(view: &CallerView<'_>) -> Option<Tool> {
    let code = view.catalog.large_results?;
    read_call(view).through.is_none().then(|| code.definition())
}

/// Returns how the caller calls the tool.
pub(crate) fn read_call<'a>(view: &CallerView<'a>) -> ReadCall<'a> {
    let named = |role| call_routes::listed(view).find(|offer| offer.role == role);
    let offer = named(MetaToolRole::CallReadOnly).or_else(|| named(MetaToolRole::Call));
    ReadCall {
        through: offer.map(|offer| &*offer.name),
    }
}

/// Answers a call of the tool.
pub(crate) async fn call(arguments: JsonObject, view: &CallerView<'_>) -> CallToolResult {
    if let Err(later) = view.charge(ChargeKind::Call, 1) {
        return later.into_result();
    }
    match answer(arguments, view).await {
        Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
        Err(text) => CallToolResult::error(vec![ContentBlock::text(text)]),
    }
}

async fn answer(arguments: JsonObject, view: &CallerView<'_>) -> Result<String, String> {
    let arguments = call_forms::own_arguments(&arguments, &|name| name == READ_MORE, &|_| false)
        .unwrap_or(arguments);
    let handle = handle_in(&arguments).ok_or_else(|| {
        "`handle` is missing: it is in the preview of the result, where all of the call is shown"
            .to_owned()
    })?;
    let text = find(handle, view)
        .await
        .map_err(|StoreFailed| "large results cannot be read now; try again later".to_owned())?;
    let (Some(text), Some(code)) = (text, view.catalog.large_results) else {
        return Err(format!(
            "no result has this handle any more: it ends {} after it was read last; call the tool again",
            spoken(view.plane.text_life())
        ));
    };
    if text.len() < BLOCKING_MIN {
        return code.answer(&text, &arguments);
    }
    let reading = tokio::task::spawn_blocking(move || code.answer(&text, &arguments));
    // A panic must not end the connection.
    reading
        .await
        .unwrap_or_else(|_| Err("the result could not be read".to_owned()))
}

/// Returns the handle in a request. Models take it from the link in a preview, or write it as an
/// id.
fn handle_in(arguments: &JsonObject) -> Option<&str> {
    let sent = HANDLES
        .iter()
        .find_map(|key| arguments.get(*key)?.as_str())?;
    let is_around =
        |letter: char| letter.is_whitespace() || matches!(letter, '"' | '\'' | '`' | '<' | '>');
    let handle = sent.trim_matches(is_around);
    let handle = handle
        .strip_prefix(SCHEME)
        .unwrap_or(handle)
        .trim_matches('/');
    (!handle.is_empty()).then_some(handle)
}

/// Returns the text of a handle that belongs to the caller.
///
/// # Errors
///
/// Returns an error if the store failed.
pub(crate) async fn find(
    handle: &str,
    view: &CallerView<'_>,
) -> Result<Option<Arc<str>>, StoreFailed> {
    // A stolen session must not read what its owner has.
    if view.caller.is_in_foreign_session {
        return Ok(None);
    }
    let owner = view.caller.authority.person();
    view.plane.read_text(handle, owner.bytes()).await
}
