//! Calls of operations.

use super::{
    answer_memory::{AnswerMemory, UncountedMemory},
    client::{OpenApiFailure, RequestSender},
    object::Object,
    operation::OpenApiOperation,
    security::{Credentials, SecuritySchemes},
    server_url::{origin, parse_server},
};
use crate::tool::error::ToolError;
use reqwest::Url;
use rmcp::model::CallToolResult;

/// Sends the requests of a document's operations.
#[derive(Debug)]
pub struct OpenApiCaller {
    pub(super) server: Url,
    /// The URL of the document, for operations with a server of their own. `None` if the operator
    /// has set the server.
    pub(super) document: Option<Option<Url>>,
    pub(super) sender: RequestSender,
    pub(super) schemes: SecuritySchemes,
    pub(super) credentials: Credentials,
    pub(super) key: String,
}

/// Why a call of an operation has no result.
#[derive(Debug)]
pub enum OpenApiCallError {
    /// The arguments make no request.
    Arguments(ToolError),
    /// The server did not answer.
    Failure(OpenApiFailure),
}

impl OpenApiCaller {
    /// Returns the scheme, host and port that requests go to.
    pub fn origin(&self) -> String {
        origin(&self.server)
    }

    /// Returns the server of an operation that has one of its own, within the origin of all.
    fn own_server(&self, operation: &OpenApiOperation) -> Option<Url> {
        let document = self.document.as_ref()?;
        let own = parse_server(operation.own_server.as_deref()?, document.as_ref()).ok()?;
        (own.origin() == self.server.origin()).then_some(own)
    }

    /// Calls an operation.
    ///
    /// # Errors
    ///
    /// Returns an error if the arguments make no request, or if the server does not answer. An
    /// answer with an error status is a result.
    pub async fn call(
        &self,
        operation: &OpenApiOperation,
        arguments: &Object,
    ) -> Result<CallToolResult, OpenApiCallError> {
        self.call_within(operation, arguments, &mut UncountedMemory)
            .await
    }

    /// Calls an operation whose answer takes the memory that it is granted.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`OpenApiCaller::call`], and one if others take the memory for too
    /// long.
    pub async fn call_within(
        &self,
        operation: &OpenApiOperation,
        arguments: &Object,
        memory: &mut impl AnswerMemory,
    ) -> Result<CallToolResult, OpenApiCallError> {
        let sent = self.schemes.sent(operation.security(), &self.credentials);
        let own = self.own_server(operation);
        let server = own.as_ref().unwrap_or(&self.server);
        let request = operation.plan.request(server, arguments, &sent);
        let request = request.map_err(OpenApiCallError::Arguments)?;
        let answer = self.sender.send(&request, &operation.accept, memory).await;
        let answer = answer.map_err(OpenApiCallError::Failure)?;
        Ok(answer.into_result(operation, &self.key))
    }
}
