//! The call of an action with its arguments as JSON texts.

use super::details::action;
use crate::{
    disclosure::view::CallerView,
    policy::meta_tools::OfferedMetaTool,
    protocol::keys::TICKET_ARGUMENT,
    surface::{
        coerce_arguments,
        meta_tools::{
            MetaToolReply,
            arguments::MetaToolArguments,
            call::{reply, target},
        },
    },
};
use rmcp::model::JsonObject;

/// The arguments that may contain the action's arguments. They are merged, and later ones win.
pub(super) const PARTS: [&str; 3] = ["path_params", "query_params", "body_schema"];

/// Calls the action.
///
/// # Errors
///
/// Returns an error with what to send instead.
pub(super) fn execute(
    offer: &OfferedMetaTool,
    arguments: MetaToolArguments,
    view: &CallerView<'_>,
) -> Result<MetaToolReply, String> {
    let named = arguments.text("action_name");
    let entry = match action(&arguments, view) {
        Ok(entry) => entry,
        // An upstream may have an action of the same name.
        Err(_) if view.meta_tools().find_name(named).is_some() => target(offer, named, view)?,
        Err(why) => return Err(why),
    };
    let mut sent = arguments.into_inner();
    // The ticket is in the disclosed schema, so a model may send it beside the parts or in one.
    let ticket = sent.shift_remove(TICKET_ARGUMENT);
    let mut arguments = JsonObject::new();
    for part in PARTS {
        let Some(text) = sent.shift_remove(part) else {
            continue;
        };
        arguments.extend(
            coerce_arguments::object(text)
                .ok_or_else(|| format!("invalid JSON in `{part}`: send a JSON object as text"))?,
        );
    }
    Ok(reply(entry, arguments, ticket))
}
