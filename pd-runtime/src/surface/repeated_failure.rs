//! The advice after a failure of the tool itself. The failure came twice, or its message names an
//! optional argument or the value of one.

use super::{
    corrected_call::{CallRoute, CorrectedCall},
    one_text,
};
use crate::{
    catalog::entry::CatalogEntry,
    disclosure::{gate::ticket::TicketSigner, view::CallerView},
    protocol::keys::TICKET_ARGUMENT,
    text::leading_json::leading_json,
};
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, JsonObject};
use serde_json::Value;

/// The shortest name or value that a message names, in bytes. Shorter ones are in it by chance.
const WORD_MIN: usize = 3;

/// The beginning of the codes that a gateway sends if its upstream did not answer.
const UNANSWERED: &str = "UPSTREAM_";

/// One call, as far as advice after its failure needs it.
#[derive(Debug)]
pub(crate) struct CallAttempt<'a> {
    entry: &'a CatalogEntry,
    view: &'a CallerView<'a>,
    /// The arguments, if advice may be due.
    arguments: Option<JsonObject>,
    /// The ticket that the caller sent beside them.
    ticket: Option<&'a str>,
}

impl<'a> CallAttempt<'a> {
    /// Notes the arguments of a call that is about to run.
    pub(crate) fn new(
        entry: &'a CatalogEntry,
        arguments: &JsonObject,
        ticket: Option<&'a str>,
        view: &'a CallerView<'a>,
    ) -> Self {
        // A first failure in a session gets no advice, so its arguments are not copied. Without an
        // optional argument, a tool that writes may write elsewhere.
        let may_advise = entry.is_read_only()
            && view
                .caller
                .lasting_session()
                .is_none_or(|session| session.has_failure());
        Self {
            entry,
            view,
            ticket,
            arguments: may_advise.then(|| arguments.clone()),
        }
    }

    /// Adds the advice to a failure. Remembers the failure, or that the call succeeded.
    pub(crate) fn advise(self, response: CallToolResponse) -> CallToolResponse {
        match response {
            CallToolResponse::Complete(result) if result.is_error == Some(true) => {
                self.after_failure(result).into()
            }
            response => {
                self.view
                    .caller
                    .lasting_session()
                    .into_iter()
                    .for_each(|session| session.forget_failure());
                response
            }
        }
    }

    fn after_failure(self, mut result: CallToolResult) -> CallToolResult {
        let mut texts = result
            .content
            .iter()
            .filter_map(|block| Some(block.as_text()?.text.as_str()));
        let message = texts.next().unwrap_or_default();
        // The server did not answer, so other arguments change nothing.
        if is_unanswered(message) {
            return result;
        }
        let session = self.view.caller.lasting_session();
        let is_repeated = session.map(|session| session.note_failure((self.entry.name(), message)));
        let advice = match is_repeated {
            Some(false) => None,
            is_repeated => self.advice(message, is_repeated.is_some()),
        };
        if let Some(advice) = advice {
            // Any other text was written by the tool or by an upstream, and stays as it is.
            match result
                .content
                .first()
                .and_then(|block| leading_json(&block.as_text()?.text))
            {
                Some((document, _)) if document.get("error").is_some() => {
                    one_text::append(&mut result, advice)
                }
                _ => result.content.push(ContentBlock::text(advice)),
            }
        }
        result
    }

    /// Renders what to send instead: the call without the optional arguments that the message
    /// names, or else, after a repeated failure, the signature. An argument that the message does
    /// not name has probably nothing to do with the failure.
    fn advice(&self, message: &str, is_repeated: bool) -> Option<String> {
        let call = self
            .arguments
            .as_ref()
            .and_then(|arguments| self.shorter_call(arguments, message));
        if !is_repeated {
            return call;
        }
        let next = call.unwrap_or_else(|| {
            let mut signature = String::new();
            let ticket = self
                .ticket
                // A model may send any text as a ticket, and the signature repeats it.
                .filter(|ticket| TicketSigner::may_be_ticket(ticket));
            self.view
                .shown_signature(self.entry)
                .write(&mut signature, ticket);
            format!("Send other arguments:\n{signature}")
        });
        Some(format!("The call before failed in the same way. {next}"))
    }

    fn shorter_call(&self, arguments: &JsonObject, message: &str) -> Option<String> {
        let named = self.optional(arguments).filter(|(name, value)| {
            has_word(message, name) || value.as_str().is_some_and(|text| has_word(message, text))
        });
        let left_out: Vec<&str> = named.map(|(name, _)| name).collect();
        if left_out.is_empty() {
            return None;
        }
        let call =
            CorrectedCall::without(&self.entry.tool.about, arguments, &left_out, self.ticket);
        call.render_request(CallRoute::new(self.entry, self.view)?)
    }

    /// Returns the arguments that the call can do without, and that differ from their defaults.
    fn optional<'b>(
        &'b self,
        arguments: &'b JsonObject,
    ) -> impl Iterator<Item = (&'b str, &'b Value)> {
        let input = &self.entry.tool.about.input;
        let required = input.schema.get("required").and_then(Value::as_array);
        let is_required = move |name: &str| {
            required.is_some_and(|required| required.iter().any(|one| one == name))
        };
        let arguments = arguments.iter().map(|(name, value)| (name.as_str(), value));
        arguments.filter(move |(name, value)| {
            *name != TICKET_ARGUMENT && !is_required(name) && !input.is_default(name, value)
        })
    }
}

/// Returns whether a failure has the code of a gateway whose upstream did not answer.
fn is_unanswered(message: &str) -> bool {
    let document = leading_json(message).map(|(document, _)| document);
    let code = document.as_ref().and_then(|document| {
        let code = document.pointer("/error/code")?;
        code.as_str()
    });
    code.is_some_and(|code| code.starts_with(UNANSWERED))
}

/// Returns whether a message has this word, and not only as a part of another one.
fn has_word(message: &str, word: &str) -> bool {
    word.len() >= WORD_MIN
        && message.match_indices(word).any(|(start, _)| {
            let (before, rest) = message.split_at(start);
            let after = rest
                .get(word.len()..)
                .and_then(|after| after.chars().next());
            is_word_end(before.chars().next_back()) && is_word_end(after)
        })
}

/// Returns whether a word ends beside this character, or at the end of the text.
fn is_word_end(letter: Option<char>) -> bool {
    letter.is_none_or(|letter| !letter.is_alphanumeric() && letter != '_')
}
