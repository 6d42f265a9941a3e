//! The contexts of calls by a [`RecordingClient`].

use super::{context::CallContext, principal::CallerAuthority, recording_client::RecordingClient};
use rmcp::model::{InputRequiredResult, InputResponses};

impl RecordingClient {
    /// Creates the context of a new call by this client.
    ///
    /// It must be called inside of a Tokio runtime, such as that of `#[tokio::test]`. Otherwise the
    /// context has no [`peer`](CallContext::peer), and adopted tools fail.
    pub fn context(&self) -> CallContext {
        self.context_with_input(None, None)
    }

    fn context_with_input(
        &self,
        responses: Option<InputResponses>,
        state: Option<String>,
    ) -> CallContext {
        let context = match self.open_call() {
            Some(call) => CallContext::recorded_by(call),
            None => CallContext::detached(),
        };
        context
            .with_authority(self.authority().clone())
            .with_input(responses, state)
    }

    /// Creates the context of the next round of a call that requires input.
    ///
    /// Returns `None` before MCP 2026-07-28, which introduced such results, and if the client has
    /// no answer.
    pub(super) fn continued(
        &self,
        required: InputRequiredResult,
        authority: &CallerAuthority,
    ) -> Option<CallContext> {
        let (responses, state) = self.answer_required(required)?;
        Some(
            self.context_with_input(Some(responses), state)
                .with_authority(authority.clone()),
        )
    }
}
