//! Asks the user before a call, where the author or the owner of a gateway wants that.

use crate::{
    catalog::entry::CatalogEntry,
    text::invisible::is_invisible,
    tool::{context::CallContext, error::ToolError},
};
use rmcp::model::JsonObject;

/// The most bytes of the arguments that a question shows.
const ARGUMENTS_MAX: usize = 1_000;

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
    let asked = context.confirm(question(entry.name(), arguments));
    match context.cancellation().run_until_cancelled(asked).await {
        Some(Ok(true)) => Ok(()),
        Some(Ok(false)) => {
            let text = "the user declined this call; do not repeat it, and ask what to do instead";
            Err(ToolError::new("DECLINED", text))
        }
        Some(Err(error)) => Err(error),
        None => Err(ToolError::cancelled()),
    }
}

/// Returns the question. It has only what identifies the call: a summary is a text of the server,
/// which could say anything about what the call does.
fn question(name: &str, arguments: &JsonObject) -> String {
    // Escaped, so that no argument can hide or turn a part of the question.
    let mut text = String::new();
    for letter in serde_json::to_string(arguments).unwrap_or_default().chars() {
        if is_plain(letter) {
            text.push(letter)
        } else {
            text.extend(letter.escape_unicode())
        }
        if text.len() > ARGUMENTS_MAX {
            text.push('\u{2026}');
            break;
        }
    }
    format!("Call {name} with {text}?")
}

fn is_plain(letter: char) -> bool {
    !letter.is_control() && !is_invisible(letter)
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
    }
}
