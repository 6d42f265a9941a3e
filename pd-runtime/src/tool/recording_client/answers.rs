//! The answers of a recording client to a tool's requests.

use super::MessageLog;
use rmcp::ErrorData;
#[expect(deprecated, reason = "clients still sample and have roots")]
use rmcp::model::{
    ClientCapabilities, ClientResult, ConstString, CreateMessageRequestMethod,
    CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams, ElicitResult,
    ElicitationCapability, ElicitationCreateRequestMethod, ErrorCode, FormElicitationCapability,
    InputRequest, ListRootsRequestMethod, ListRootsResult, Root, RootsCapabilities,
    SamplingCapability, ServerRequest, UrlElicitationCapability,
};
use serde_json::Value;
use std::sync::Arc;

type ElicitationAnswer = dyn Fn(ElicitRequestParams) -> ElicitResult + Send + Sync;
#[expect(deprecated, reason = "clients still sample")]
type SamplingAnswer = dyn Fn(CreateMessageRequestParams) -> CreateMessageResult + Send + Sync;

/// The answers of a client. An answer is absent unless the test's author has set it.
#[derive(Clone, Default)]
pub(super) struct ClientAnswers {
    pub(super) elicitation: Option<Arc<ElicitationAnswer>>,
    pub(super) sampling: Option<Arc<SamplingAnswer>>,
    #[expect(deprecated, reason = "clients still have roots")]
    pub(super) roots: Option<Vec<Root>>,
}

impl ClientAnswers {
    /// Returns the capabilities that a client with these answers declares.
    pub(super) fn capabilities(&self) -> ClientCapabilities {
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation = self.elicitation.as_ref().map(|_| {
            let mut elicitation = ElicitationCapability::default();
            elicitation.form = Some(FormElicitationCapability::default());
            elicitation.url = Some(UrlElicitationCapability::default());
            elicitation
        });
        capabilities.sampling = self
            .sampling
            .as_ref()
            .map(|_| SamplingCapability::default());
        capabilities.roots = self.roots.as_ref().map(|_| RootsCapabilities::default());
        capabilities
    }

    /// Answers a request of the server.
    pub(super) fn answer(&self, request: ServerRequest) -> Result<ClientResult, ErrorData> {
        match request {
            ServerRequest::PingRequest(_) => Ok(ClientResult::empty(())),
            ServerRequest::ElicitRequest(request) => match &self.elicitation {
                Some(answer) => Ok(answer(request.params).into()),
                None => Err(unanswered(
                    ElicitationCreateRequestMethod::VALUE,
                    "with_elicitation",
                )),
            },
            ServerRequest::CreateMessageRequest(request) => match &self.sampling {
                Some(answer) => Ok(ClientResult::CreateMessageResult(Box::new(answer(
                    request.params,
                )))),
                None => Err(unanswered(
                    CreateMessageRequestMethod::VALUE,
                    "with_sampling",
                )),
            },
            ServerRequest::ListRootsRequest(_) => match &self.roots {
                #[expect(deprecated, reason = "clients still have roots")]
                Some(roots) => Ok(ListRootsResult::new(roots.clone()).into()),
                None => Err(unanswered(ListRootsRequestMethod::VALUE, "with_roots")),
            },
            // No setter exists for other requests. A client refuses unknown methods with this code.
            other => Err(ErrorData::new(
                ErrorCode::METHOD_NOT_FOUND,
                format!("no answer to {other:?}"),
                None,
            )),
        }
    }

    /// Records and answers input that a result requires. Returns `None` if the client has no
    /// answer.
    #[inline]
    pub(super) fn answer_input(&self, request: InputRequest, log: &MessageLog) -> Option<Value> {
        let request = match request {
            InputRequest::CreateMessage(request) => ServerRequest::CreateMessageRequest(request),
            InputRequest::Elicitation(request) => ServerRequest::ElicitRequest(request),
            InputRequest::ListRoots(request) => ServerRequest::ListRootsRequest(request),
            // The enum is not exhaustive, and a kind without a setter has no answer.
            _ => return None,
        };
        // Recorded before it is answered, so that a test also sees requests without an answer.
        log.requests().push(request.clone());
        serde_json::to_value(self.answer(request).ok()?).ok()
    }
}

fn unanswered(method: &str, setter: &str) -> ErrorData {
    let text = format!(
        "the recording client has no answer to `{method}`: set one with `RecordingClient::{setter}`"
    );
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, text, None)
}
