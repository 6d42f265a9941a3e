//! Questions of a tool to its user, in both generations of MCP. Up to 2025-11-25 the server sends
//! the client a request. Since 2026-07-28 the call ends with the question, and the client makes it
//! again with the answer (SEP-2322). The tool is then run from its beginning, with the answers so
//! far.

mod form;

use super::{context::CallContext, error::ToolError, prior_answers};
use rmcp::{
    RoleServer,
    model::{
        ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
        ElicitationSchema, InputRequest, InputRequiredResult, ProtocolVersion, ServerRequest,
    },
    service::RequestContext,
};
use schemars::JsonSchema;
use serde::{Deserialize, de::DeserializeOwned};

/// The most questions of one call. A tool that asks in a loop must not hold a person for ever.
const QUESTIONS_MAX: usize = 32;

/// A form without fields.
#[derive(Debug, Deserialize, JsonSchema)]
struct NoFields {}

/// A question that is sent.
struct Question {
    message: String,
    form: ElicitationSchema,
}

impl CallContext {
    /// Asks the user of the client, and returns the form that the user filled in, or `None` if the
    /// user declined or closed it (MCP, elicitation).
    ///
    /// `T` is the form: a struct with fields that are texts, numbers, booleans, enums of plain
    /// variants, or lists of such enums. An `Option` may be left empty. The doc comments of the
    /// fields are shown to the user.
    ///
    /// Up to MCP 2025-11-25, the server sends the question to the client while the call waits.
    /// Since 2026-07-28, the call ends with the question, and the client makes it again with the
    /// answer: **the tool runs again from its beginning**, and `ask` then returns at once what was
    /// answered. So a tool asks before it changes anything, and pass the error on with `?`.
    /// Questions are recognized by their order, text and form.
    ///
    /// A call can ask 32 questions.
    ///
    /// ```
    /// use pd_runtime::prelude::*;
    /// use schemars::JsonSchema;
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize, JsonSchema)]
    /// struct Reason {
    ///     /// Why the branch goes.
    ///     reason: String,
    /// }
    ///
    /// /// Delete a branch
    /// #[pd_tool(destructive)]
    /// async fn delete_branch(
    ///     /// The branch.
    ///     name: String,
    ///     call: &CallContext,
    /// ) -> Result<String, ToolError> {
    ///     let Some(form) = call.ask::<Reason>(format!("Delete `{name}`?")).await? else {
    ///         return Ok("The user keeps the branch.".to_owned());
    ///     };
    ///     Ok(format!("Deleted {name}: {}", form.reason))
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`ToolError::USER_UNREACHABLE`] if the client did not declare `elicitation`, or
    /// there is no client, and an error with its own code if `T` is not a form or the client
    /// failed. Since 2026-07-28, an error also carries the question itself: a tool must return it
    /// as it is.
    pub async fn ask<T: DeserializeOwned + JsonSchema>(
        &self,
        message: impl Into<String>,
    ) -> Result<Option<T>, ToolError> {
        let form = form::of::<T>().map_err(|why| ToolError::new(ToolError::INTERNAL, why))?;
        let answer = self
            .answer(Question {
                message: message.into(),
                form,
            })
            .await?;
        if answer.action != ElicitationAction::Accept {
            return Ok(None);
        }
        // An answer to a form without fields may have no content.
        let content = answer.content.unwrap_or_else(|| serde_json::json!({}));
        serde_json::from_value(content).map(Some).map_err(|error| {
            ToolError::new(
                ToolError::USER_UNREACHABLE,
                format!("the client's answer does not fit its form: {error}"),
            )
        })
    }

    /// Asks the user of the client to agree, as [`ask`](Self::ask) does with a form without fields.
    /// Returns whether the user accepted.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`ask`](Self::ask).
    pub async fn confirm(&self, message: impl Into<String>) -> Result<bool, ToolError> {
        Ok(self.ask::<NoFields>(message).await?.is_some())
    }

    /// Returns whether the client can show questions to its user.
    pub fn can_ask(&self) -> bool {
        let declared = self.request().and_then(RequestContext::client_capabilities);
        // Without members, the capability means forms (MCP 2025-11-25, elicitation).
        declared
            .and_then(|declared| declared.elicitation)
            .is_some_and(|one| one.form.is_some() || one.url.is_none())
    }

    async fn answer(&self, question: Question) -> Result<ElicitResult, ToolError> {
        let number = self.count_question();
        if number >= QUESTIONS_MAX {
            let text = format!(
                "the tool asked its user {QUESTIONS_MAX} questions in one call, which is the limit"
            );
            return Err(ToolError::new(ToolError::INTERNAL, text));
        }
        let request = self
            .request()
            .filter(|_| self.can_ask())
            .ok_or_else(|| unreachable(&question))?;
        if request
            .protocol_version()
            .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
        {
            self.answer_of_round(number, question)
        } else {
            question.send(request).await
        }
    }

    /// Returns what the client answered in an earlier round, or the question as the end of this
    /// one.
    fn answer_of_round(
        &self,
        number: usize,
        question: Question,
    ) -> Result<ElicitResult, ToolError> {
        let key = prior_answers::key(number, &question.message, &question.form);
        if let Some(answer) = self.prior_answers().and_then(|answers| answers.get(&key)) {
            return Ok(answer);
        }
        let request = InputRequest::Elicitation(ElicitRequest::new(question.into_params()));
        let required = InputRequiredResult::from_input_requests([(key, request)].into());
        self.keep_answers(required)
            .map(ToolError::input_required)
            .and_then(Err)
    }

    /// Adds the answers so far to the end of a round, for the next one.
    ///
    /// # Errors
    ///
    /// Returns an error if the client would have to keep too much.
    pub(crate) fn keep_answers(
        &self,
        required: InputRequiredResult,
    ) -> Result<InputRequiredResult, ToolError> {
        match self.prior_answers() {
            Some(answers) => answers.add_to(required),
            None => Ok(required),
        }
    }
}

impl Question {
    fn into_params(self) -> ElicitRequestParams {
        ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: self.message,
            requested_schema: self.form,
        }
    }

    async fn send(self, request: &RequestContext<RoleServer>) -> Result<ElicitResult, ToolError> {
        let asked = ServerRequest::ElicitRequest(ElicitRequest::new(self.into_params()));
        match request.peer.send_request(asked).await {
            Ok(ClientResult::ElicitResult(answer)) => Ok(answer),
            Ok(_) => Err(ToolError::new(
                ToolError::USER_UNREACHABLE,
                "the client answered the question with something else",
            )),
            Err(error) => {
                let text = format!("the client could not ask its user: {error}");
                Err(ToolError::new(ToolError::USER_UNREACHABLE, text))
            }
        }
    }
}

fn unreachable(question: &Question) -> ToolError {
    let text = format!(
        "this tool asks its user a question (\"{}\"), and the client cannot show it: it did not declare the capability \
         `elicitation`. Tell the user, who can use another client",
        question.message
    );
    ToolError::new(ToolError::USER_UNREACHABLE, text)
}
