//! Asking the client between two rounds of a request (SEP-2322): what is asked, and what was answered.

#![expect(
    deprecated,
    reason = "MCP 2026-07-28 deprecates sampling and roots, and the suite still tests them"
)]

use pd_runtime::{
    IntoOutput,
    prelude::*,
    rmcp::model::{
        CreateMessageRequest, CreateMessageRequestParams, CreateMessageResult, ElicitRequest,
        ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema, InputRequest,
        InputRequiredResult, InputResponses, ListRootsRequest, ListRootsResult, SamplingMessage,
    },
    tool::ToolResult,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// What a round of a call ends in.
#[derive(Debug)]
pub(crate) enum Round {
    Done(String),
    Ask(InputRequiredResult),
}

impl IntoOutput for Round {
    fn into_output(self) -> ToolResult {
        match self {
            Self::Done(text) => text.into_output(),
            Self::Ask(questions) => questions.into_output(),
        }
    }
}

/// Wants these answers, by name.
pub(crate) fn ask(
    questions: impl IntoIterator<Item = (&'static str, InputRequest)>,
) -> InputRequiredResult {
    InputRequiredResult::from_input_requests(
        questions
            .into_iter()
            .map(|(name, ask)| (name.to_owned(), ask))
            .collect(),
    )
}

/// A form for the user.
pub(crate) fn form(message: &str, form: ElicitationSchema) -> InputRequest {
    InputRequest::Elicitation(ElicitRequest::new(
        ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: message.to_owned(),
            requested_schema: form,
        },
    ))
}

/// A prompt for the client's model.
pub(crate) fn sample(prompt: &str) -> InputRequest {
    let messages = vec![SamplingMessage::user_text(prompt)];
    InputRequest::CreateMessage(CreateMessageRequest::new(CreateMessageRequestParams::new(
        messages, 100,
    )))
}

/// The client's roots.
pub(crate) fn roots() -> InputRequest {
    InputRequest::ListRoots(ListRootsRequest {
        method: Default::default(),
        extensions: Default::default(),
    })
}

/// A field of the form that a user filled in, if this is that answer.
pub(crate) fn field<T: DeserializeOwned>(answer: Value, name: &str) -> Option<T> {
    let answer: ElicitResult = serde_json::from_value(answer).ok()?;
    let filled = answer
        .content
        .filter(|_| answer.action == ElicitationAction::Accept)?;
    serde_json::from_value(filled.get(name)?.clone()).ok()
}

/// What the client answered so far. It is the client's word: what does not have the form of an answer is none.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answers<'a>(pub(crate) Option<&'a InputResponses>);

impl<'a> Answers<'a> {
    pub(crate) fn of(call: &'a CallContext) -> Self {
        Self(call.input_responses())
    }

    /// A field of the form that the user filled in.
    pub(crate) fn field<T: DeserializeOwned>(self, name: &str, field: &str) -> Option<T> {
        self::field(self.0?.get(name)?.clone(), field)
    }

    /// What the client's model said.
    pub(crate) fn said(self, name: &str) -> Option<String> {
        let answer: CreateMessageResult = self.get(name)?;
        answer
            .message
            .content
            .first()?
            .as_text()
            .map(|text| text.text.clone())
    }

    /// The URIs of the client's roots.
    pub(crate) fn roots(self, name: &str) -> Option<Vec<String>> {
        let answer: ListRootsResult = self.get(name)?;
        Some(answer.roots.into_iter().map(|root| root.uri).collect())
    }

    fn get<T: DeserializeOwned>(self, name: &str) -> Option<T> {
        serde_json::from_value(self.0?.get(name)?.clone()).ok()
    }
}
