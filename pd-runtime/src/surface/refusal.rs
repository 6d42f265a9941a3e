//! The refusal of a call (specification v2.1, section 6.2), with the description that lets the next
//! call succeed.

use super::{
    corrected_call::{CallRoute, CorrectedCall},
    fitting_tools::OtherTools,
    one_text,
};
use crate::{
    catalog::{entry::CatalogEntry, token_cost::CostForm},
    disclosure::{
        disclose::disclose, gate::DenialReason, tool_naming::ToolNaming, view::CallerView,
    },
    policy::{
        Refusal,
        rate_limit::{
            self, ChargeKind,
            retry_after::{TryLater, in_seconds},
        },
    },
    protocol::keys::{DESCRIPTIONS_URI, UNDESCRIBED},
};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, MetaObject};
use serde_json::{Value, json};

/// Returns the URI of a tool's description, for refusals and for calls that ran without it.
pub(crate) fn resource_uri(name: &str) -> String {
    format!("{DESCRIPTIONS_URI}?tools={name}")
}

/// Refuses a call. The result is text only, because some clients check structured content against
/// the output schema of the tool.
pub(crate) async fn refuse(
    entry: &CatalogEntry,
    arguments: Option<&JsonObject>,
    reason: DenialReason,
    view: &CallerView<'_>,
) -> CallToolResult {
    let name = entry.name();
    let charged = charge_description(reason, view);
    let describes = matches!(charged, Some(Ok(())));
    // Recorded before the disclosure, so that events keep their order: refused, then described.
    view.recorder.record_refused(entry, reason);
    let noun = view.naming().noun();
    let shown = view.shown_name(entry);
    let mut error = json!({
        "code": UNDESCRIBED,
        "message": format!("{noun} '{shown}' requires fetching its description before use."),
    });
    // The resource knows tools by name. A preset that shows actions does not show these names.
    if view.naming() == ToolNaming::Tools
        && let Value::Object(error) = &mut error
    {
        error.insert("resource_uri".to_owned(), json!(resource_uri(name)));
    }
    // The specification's message already says that the description was not read.
    if reason != DenialReason::NotDisclosed
        && let Value::Object(error) = &mut error
    {
        error.insert("reason".to_owned(), json!(reason.as_str()));
    }
    if let Some(Err(later)) = charged {
        postpone(
            &mut error,
            &later,
            &call_again(view.caller.passes_ticket_as_argument(), view),
        );
    }
    if !describes {
        return text(&json!({ "error": error }).to_string());
    }
    let names = [name.to_owned()];
    // A full description has the name of the tool, which a preset with actions does not show.
    let is_signature = view.policy.refusal(view.step()) == Refusal::WithSignature
        || view.naming() == ToolNaming::Actions;
    let form = if is_signature {
        CostForm::Signature
    } else {
        CostForm::Description
    };
    let disclosure = disclose(&names, form, view).await;
    let next = match arguments {
        Some(arguments) => NextCall::new(entry, arguments, disclosure.only_ticket(), view).await,
        None => NextCall::default(),
    };
    // The call itself is better advice than the advice to call.
    let call_again = next
        .text
        .is_none()
        .then(|| self::call_again(disclosure.only_ticket().is_some(), view));
    let call_again = call_again.as_deref();
    let mut result = match form {
        CostForm::Signature if next.is_own => {
            with_signature(error, disclosure.signatures_beside_calls(), call_again)
        }
        CostForm::Signature => with_signature(error, disclosure.signatures(), call_again),
        _ => with_description(error, disclosure.only_description(), call_again),
    };
    // A model follows the last words of an answer.
    if let Some(text) = next.text {
        one_text::append(&mut result, text);
    }
    result.meta = merged(disclosure.meta(), next.meta);
    result
}

/// Charges the caller for the description in a refusal. Returns `None` if the refusal contains
/// none.
///
/// A refusal with a description costs as much as a description, or refusals would be a way around
/// the limit.
pub(crate) fn charge_description(
    reason: DenialReason,
    view: &CallerView<'_>,
) -> Option<Result<(), TryLater>> {
    // A foreign session gets no description, because none would admit the caller. The caller must
    // open another session.
    let may_describe =
        view.policy.refusal(view.step()) != Refusal::Bare && reason != DenialReason::ForeignSession;
    may_describe.then(|| view.charge(ChargeKind::Describe, 1))
}

/// The call that the gate will admit.
#[derive(Debug, Default)]
struct NextCall {
    text: Option<String>,
    /// Whether it is a call of the refused tool.
    is_own: bool,
    meta: Option<MetaObject>,
}

impl NextCall {
    /// Returns the refused call, corrected as far as it can be. If other tools have the arguments
    /// that the refused one does not have, returns calls of those.
    async fn new(
        entry: &CatalogEntry,
        arguments: &JsonObject,
        ticket: Option<&str>,
        view: &CallerView<'_>,
    ) -> Self {
        // The gate refuses before arguments are checked, so their limits have not been applied yet.
        // A refusal must not cost more than the call would.
        let Ok(bytes) = rate_limit::arguments::check(arguments, &view.policy.limits) else {
            return Self::default();
        };
        let validator = entry.validator();
        if validator.map_or(true, |validator| validator.may_take_long(bytes)) {
            return Self::default();
        }
        let Some(call) = CorrectedCall::check(entry, arguments.clone(), ticket) else {
            return Self::default();
        };
        // The client may send it in a new session.
        if let Some(complete) = call.complete_arguments() {
            view.record_refused_call(entry, &complete, DenialReason::NotDisclosed)
                .await;
        }
        if let Some(others) = OtherTools::find(entry, arguments, &call.unused, view).await {
            return Self {
                text: Some(others.text),
                is_own: false,
                meta: others.meta,
            };
        }
        let text = CallRoute::new(entry, view).and_then(|route| call.render_request(route));
        Self {
            is_own: text.is_some(),
            text,
            meta: None,
        }
    }
}

/// Merges the digests and tickets of two disclosures.
fn merged(one: Option<MetaObject>, other: Option<MetaObject>) -> Option<MetaObject> {
    let (Some(mut one), Some(other)) = (one.clone(), other.clone()) else {
        return one.or(other);
    };
    for (key, values) in other.0 {
        match (one.get_mut(&key), values) {
            (Some(Value::Object(own)), Value::Object(values)) => own.extend(values),
            (_, values) => _ = one.insert(key, values),
        }
    }
    Some(one)
}

/// Returns the last step of the advice. It names the ticket, because models overlook a schema's
/// `const` alone, and a second call without the ticket is refused again.
fn call_again(has_ticket: bool, view: &CallerView<'_>) -> String {
    let again = view.naming().call_again();
    match has_ticket {
        true => format!("then {again} with its `disclosure_ticket`."),
        false => format!("then {again}."),
    }
}

/// Renders a refusal with a description. The description is spliced as text, because its bytes are
/// finished JSON.
fn with_description(
    mut error: Value,
    description: Option<String>,
    call_again: Option<&str>,
) -> CallToolResult {
    advise(&mut error, "tool_description", call_again);
    let description = description.unwrap_or_else(|| "null".to_owned());
    text(&format!(
        "{{\"error\":{error},\"tool_description\":{description}}}"
    ))
}

/// Renders a refusal with a signature. The signature follows the error's JSON, because inside it
/// each line would cost an escape.
fn with_signature(mut error: Value, signature: String, call_again: Option<&str>) -> CallToolResult {
    advise(&mut error, "the signature", call_again);
    text(&one_text::join([
        json!({ "error": error }).to_string(),
        signature,
    ]))
}

/// Adds when to retry. The caller's limit for descriptions is reached, so this refusal contains
/// none.
fn postpone(error: &mut Value, later: &TryLater, call_again: &str) {
    if let Value::Object(error) = error {
        let wait = in_seconds(later.retry_after);
        error.insert(
            "next".to_owned(),
            json!(format!("Wait {wait}, read its description, {call_again}")),
        );
        error.insert("retry_after".to_owned(), json!(later.retry_after));
    }
}

fn advise(error: &mut Value, what: &str, call_again: Option<&str>) {
    if let (Value::Object(error), Some(call_again)) = (error, call_again) {
        error.insert(
            "next".to_owned(),
            json!(format!("Read {what} below, {call_again}")),
        );
    }
}

fn text(text: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}
