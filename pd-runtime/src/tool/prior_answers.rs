//! The answers to a tool's questions across the rounds of a call (MCP 2026-07-28). The client sends
//! the latest ones by name, and the earlier ones in the state that it returns.

use super::error::ToolError;
use rmcp::model::{ElicitResult, ElicitationSchema, InputRequiredResult, InputResponses};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;

/// The start of the names of our questions. Other names belong to the tool's own questions.
const PREFIX: &str = "pd-ask-";
/// The most bytes of the state that a client keeps. An answer is a form that a person fills in.
const STATE_MAX: usize = 256 * 1024;

/// The answers of earlier rounds by the names of their questions. They are the client's word: it
/// could have answered anything in the first place, so the state needs no signature.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct PriorAnswers(BTreeMap<String, Value>);

/// The state of a call that has asked.
#[derive(Debug, Serialize, Deserialize)]
struct RoundState {
    #[serde(rename = "pd.answers")]
    answers: PriorAnswers,
    /// The state that the tool itself handed to the client.
    #[serde(rename = "pd.state", default, skip_serializing_if = "Option::is_none")]
    state: Option<String>,
}

/// What a client sent with a round: the tool's own part and the part for our questions.
#[derive(Debug, Default)]
pub(super) struct RoundInput {
    pub(super) responses: Option<InputResponses>,
    pub(super) state: Option<String>,
    pub(super) answers: Option<PriorAnswers>,
}

/// Returns the name of a question: its number, and a hash of what is asked. A tool that asks
/// something else than in the last round gets no answer to another question.
pub(super) fn key(number: usize, message: &str, form: &ElicitationSchema) -> String {
    let mut hash = Sha256::new();
    hash.update(message);
    // A form is plain data, which can be written.
    hash.update(serde_json::to_vec(form).unwrap_or_default());
    // The number distinguishes the questions of a call. The hash only detects that a question has
    // changed, so four bytes are enough.
    let bytes: Vec<u8> = hash.finalize().into_iter().take(4).collect();
    let short = bytes
        .iter()
        .fold(0_u32, |short, byte| (short << 8) | u32::from(*byte));
    format!("{PREFIX}{number}-{short:08x}")
}

impl PriorAnswers {
    pub(super) fn get(&self, key: &str) -> Option<ElicitResult> {
        ElicitResult::deserialize(self.0.get(key)?).ok()
    }

    /// Adds the answers to the end of a round, for the next one.
    ///
    /// # Errors
    ///
    /// Returns an error if the client would have to keep too much.
    pub(super) fn add_to(
        &self,
        mut required: InputRequiredResult,
    ) -> Result<InputRequiredResult, ToolError> {
        // The end of a round of `ask` has them already.
        if required
            .request_state
            .as_ref()
            .is_some_and(|state| serde_json::from_str::<RoundState>(state).is_ok())
        {
            return Ok(required);
        }
        let state = RoundState {
            answers: self.clone(),
            state: required.request_state.take(),
        };
        let state = serde_json::to_string(&state).unwrap_or_default();
        if state.len() > STATE_MAX {
            let text = format!(
                "the answers of the user take {} bytes; {STATE_MAX} are allowed in one call",
                state.len()
            );
            return Err(ToolError::new(ToolError::INTERNAL, text));
        }
        required.request_state = Some(state);
        Ok(required)
    }
}

impl RoundInput {
    pub(super) fn new(responses: Option<InputResponses>, state: Option<String>) -> Self {
        // Most calls are the first round.
        if responses.is_none() && state.is_none() {
            return Self::default();
        }
        let (ours, theirs): (BTreeMap<_, _>, BTreeMap<_, _>) = responses
            .into_iter()
            .flatten()
            .partition(|(name, _)| name.starts_with(PREFIX));
        // `add_to` sends no larger state, so a larger one is not parsed.
        let kept = state.as_deref().filter(|state| state.len() <= STATE_MAX);
        let kept = kept.and_then(|state| serde_json::from_str::<RoundState>(state).ok());
        let (mut answers, state) = match kept {
            Some(kept) => (kept.answers, kept.state),
            // A state of another form belongs to the tool.
            None => (PriorAnswers::default(), state),
        };
        // The latest answer to a question replaces an earlier one.
        answers.0.extend(ours);
        let answers = Some(answers).filter(|answers| !answers.0.is_empty());
        Self {
            responses: Some(theirs).filter(|theirs| !theirs.is_empty()),
            state,
            answers,
        }
    }
}
