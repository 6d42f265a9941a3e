//! Asks the user before a call, where the author or the owner of a gateway wants that.

use crate::{
    catalog::entry::CatalogEntry,
    disclosure::view::CallerView,
    text::invisible::is_invisible,
    tool::{context::CallContext, descriptor::ToolAnnotations, error::ToolError},
};
use rmcp::model::JsonObject;

/// The most bytes of the arguments that a question shows.
const ARGUMENTS_MAX: usize = 1_000;

/// The code of a call or a program that the user declined.
pub(super) const DECLINED: &str = "DECLINED";

/// Returns whether the user is asked before a call. A host asks about a tool that it lists under its
/// name, so the question for tools that may destroy something is about other calls. The author of a
/// program as a tool vouches for its calls, and the question is about the tool.
pub(super) fn is_wanted(entry: &CatalogEntry, view: &CallerView<'_>) -> bool {
    let is_known = view.is_direct_call() || view.serves_author_program();
    is_asked_about(entry, view, is_known) && !view.was_approved_in_run(entry)
}

/// Returns whether the user is asked about a tool that a program names.
#[cfg(feature = "code")]
pub(super) fn is_wanted_in_program(entry: &CatalogEntry, view: &CallerView<'_>) -> bool {
    is_asked_about(entry, view, false)
}

fn is_asked_about(entry: &CatalogEntry, view: &CallerView<'_>, is_known: bool) -> bool {
    let about = &entry.tool.about;
    let is_on = about.confirms_destructive || view.policy.confirms_destructive;
    about.confirm || (is_on && !is_known && about.annotations.may_destroy())
}

/// Asks the user whether the call may run. A client that cannot ask has no objection.
///
/// # Errors
///
/// Returns an error if the user declined or could not be asked, or the question itself, with which
/// a round of the call ends.
pub(super) async fn confirm(
    entry: &CatalogEntry,
    arguments: &JsonObject,
    context: &CallContext,
) -> Result<(), ToolError> {
    if !context.can_ask() {
        return Ok(());
    }
    let asked = context.confirm(question(
        entry.name(),
        arguments,
        &entry.tool.about.annotations,
    ));
    match context.cancellation().run_until_cancelled(asked).await {
        Some(Ok(true)) => Ok(()),
        Some(Ok(false)) => {
            let text = "the user declined this call, so nothing was done; do not repeat it, and ask what to do instead";
            Err(ToolError::new(DECLINED, text))
        }
        Some(Err(error)) => Err(error),
        None => Err(ToolError::cancelled()),
    }
}

/// Returns the question. It has only what identifies the call: a summary is a text of the server,
/// which could say anything about what the call does.
fn question(name: &str, arguments: &JsonObject, annotations: &ToolAnnotations) -> String {
    let text = serde_json::to_string(arguments).unwrap_or_default();
    let text = escaped(&text, ARGUMENTS_MAX, |_| false);
    match effect(annotations) {
        Some(effect) => format!("Call {name} with {text}? It {effect}."),
        None => format!("Call {name} with {text}?"),
    }
}

/// Returns what a call changes, as far as the tool declares it.
pub(super) fn effect(annotations: &ToolAnnotations) -> Option<&'static str> {
    match (annotations.read_only, annotations.destructive) {
        (Some(true), _) => None,
        (_, Some(true)) => Some("may delete or overwrite data"),
        (_, Some(false)) => Some("adds something, and deletes nothing"),
        // It declares nothing, so nothing is claimed.
        (_, None) => None,
    }
}

/// Returns a text that cannot hide or turn a part of a question, cut to about so many bytes.
pub(super) fn escaped(text: &str, longest: usize, is_kept: impl Fn(char) -> bool) -> String {
    let mut shown = String::new();
    for letter in text.chars() {
        if is_kept(letter) || (!letter.is_control() && !is_invisible(letter)) {
            shown.push(letter)
        } else {
            shown.extend(letter.escape_unicode())
        }
        if shown.len() > longest {
            shown.push('\u{2026}');
            break;
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_question_shows_what_is_called_and_hides_nothing() {
        let ask = |arguments: serde_json::Value| {
            question(
                "git__reset",
                &arguments.as_object().cloned().unwrap_or_default(),
                &ToolAnnotations::NONE,
            )
        };
        assert_eq!(
            ask(json!({ "to": "HEAD~1" })),
            "Call git__reset with {\"to\":\"HEAD~1\"}?"
        );
        assert_eq!(
            ask(json!({ "to": "a\u{202e}b\u{200b}" })),
            "Call git__reset with {\"to\":\"a\\u{202e}b\\u{200b}\"}?"
        );
        let long = ask(json!({ "to": "x".repeat(5_000) }));
        assert!(long.len() < 1_100 && long.ends_with("\u{2026}?"), "{long}");
        let destructive = ToolAnnotations {
            destructive: Some(true),
            ..ToolAnnotations::NONE
        };
        assert_eq!(
            question("melt", &JsonObject::new(), &destructive),
            "Call melt with {}? It may delete or overwrite data."
        );
    }
}
