//! An API without MCP: the gateway answers for it, from its OpenAPI document.
//!
//! The document is read when the connection starts. While the connection is open, a file is looked
//! at again every two seconds, and a change of it is one of the list of tools.

mod reserved_memory;
mod served_api;

use crate::{
    config::{OpenApiServer, OpenApiSource},
    failure::{failure_text::FailureText, secret_filter::SecretFilter},
    message::{
        self, ErrorObject,
        wire::{MessageBounds, MessageReservation},
    },
    transport::{
        PENDING_MAX,
        link::{Link, LinkEvent, LinkEvents, MessageStream},
        request_error::RequestError,
    },
};
use arc_swap::ArcSwap;
use parking_lot::Mutex;
use pd_runtime::{
    openapi::{DocumentFile, OpenApiFailure, OpenApiOperation},
    upstream::openapi::OpenApiCallError,
};
use reserved_memory::ReservedMemory;
use rmcp::model::{CallToolResult, ContentBlock, ErrorCode, JsonObject};
use serde_json::{Value, json};
use served_api::ServedApi;
use std::{collections::HashMap, mem, sync::Arc, time::Duration};
use tokio::{task::AbortHandle, time::sleep};
use tokio_util::sync::CancellationToken;

/// How often the files of a document are looked at.
const FILE_CHECK: Duration = Duration::from_secs(2);

/// A connection to an API. Each call is a separate request.
pub(crate) struct OpenApiLink(Arc<Shared>);

struct Shared {
    server: OpenApiServer,
    /// The latest version of the document.
    api: ArcSwap<ServedApi>,
    /// The version that was listed last. Calls run this one, because nobody has reviewed a later
    /// one yet.
    listed: ArcSwap<ServedApi>,
    secrets: Arc<SecretFilter>,
    /// The credentials, which no answer shows.
    credentials: SecretFilter,
    events: LinkEvents,
    /// The tasks of calls, by id, so that a canceled call ends its request.
    tasks: Mutex<HashMap<u64, AbortHandle>>,
    closing: CancellationToken,
    bounds: MessageBounds,
}

impl OpenApiLink {
    /// Reads the document of an API.
    ///
    /// # Errors
    ///
    /// Returns an error if the document cannot be read, or if its server cannot be used.
    pub(crate) async fn start(
        server: &OpenApiServer,
        secrets: Arc<SecretFilter>,
        events: LinkEvents,
        bounds: MessageBounds,
    ) -> Result<Self, FailureText> {
        let mut files = Vec::new();
        let api = ServedApi::read(server, &bounds, &mut files)
            .await
            .map_err(|failure| failure.without_secrets(&secrets))?;
        let api = Arc::new(api);
        let shared = Arc::new(Shared {
            server: server.clone(),
            credentials: SecretFilter::from_credentials(server),
            listed: ArcSwap::new(api.clone()),
            api: ArcSwap::new(api),
            secrets,
            events,
            tasks: Mutex::default(),
            closing: CancellationToken::new(),
            bounds,
        });
        tokio::spawn(shared.clone().follow_files(files));
        Ok(Self(shared))
    }
}

impl Link for OpenApiLink {
    fn send(&self, message: Value) -> Result<(), RequestError> {
        if self.0.closing.is_cancelled() {
            return Err(RequestError::InputClosed);
        }
        let Value::Object(mut message) = message else {
            return Ok(());
        };
        let method = message.remove("method");
        let (Some(Value::String(method)), Some(id)) =
            (method, message.get("id").and_then(Value::as_u64))
        else {
            // Notifications change nothing here, and no request of this server has an answer.
            return Ok(());
        };
        let params = match message.remove("params") {
            Some(Value::Object(params)) => params,
            _ => JsonObject::new(),
        };
        // The lock is held while the task starts, so that it cannot end before it is registered.
        let mut tasks = self.0.tasks.lock();
        if tasks.len() >= PENDING_MAX {
            return Err(RequestError::InputFull);
        }
        let shared = self.0.clone();
        // Chosen here and not in the task, so that requests get their versions in their order.
        let api = shared.version_for(&method);
        let answering = async move {
            let event = shared.answer(id, &api, &method, params).await;
            let _ = shared.events.send(event).await;
            shared.tasks.lock().remove(&id);
        };
        tasks.insert(id, tokio::spawn(answering).abort_handle());
        Ok(())
    }

    fn cancel(&self, id: u64, _: bool) {
        if let Some(task) = self.0.tasks.lock().remove(&id) {
            task.abort();
        }
    }

    fn notes(&self) -> Vec<String> {
        self.0.listed.load().notes.clone()
    }

    // There is one version, because both sides are this program.
    fn negotiated(&self, _: &str) {}

    fn close(&self) {
        // A connection closes its link once more when it is dropped.
        if self.0.closing.is_cancelled() {
            return;
        }
        self.0.closing.cancel();
        // A link can be dropped after its runtime, and then nothing can be sent.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let shared = self.0.clone();
        runtime.spawn(async move {
            let reason = "it was stopped".into();
            let _ = shared.events.send(LinkEvent::Closed { reason }).await;
        });
    }
}

impl Shared {
    /// Returns the version of the document for a request.
    fn version_for(&self, method: &str) -> Arc<ServedApi> {
        if method == "tools/list" {
            self.listed.store(self.api.load_full());
        }
        self.listed.load_full()
    }

    /// Returns the event that answers a request.
    async fn answer(
        &self,
        id: u64,
        api: &ServedApi,
        method: &str,
        mut params: JsonObject,
    ) -> LinkEvent {
        let mut memory = ReservedMemory::new(&self.bounds.memory);
        let outcome = match method {
            "server/discover" => Ok(api.facts()),
            "ping" => Ok(json!({})),
            "tools/list" => Ok(json!({ "tools": api.definitions })),
            "tools/call" => {
                let name = params.get("name").and_then(Value::as_str);
                let operation = name.and_then(|name| api.operations.get(name)).cloned();
                let arguments = match params.remove("arguments") {
                    Some(Value::Object(arguments)) => arguments,
                    _ => JsonObject::new(),
                };
                match operation {
                    Some(operation) => {
                        match self.call(id, api, &operation, arguments, &mut memory).await {
                            Ok(result) => Ok(result),
                            Err(event) => return event,
                        }
                    }
                    // The document has changed since the list.
                    None => Err(error(ErrorCode::INVALID_PARAMS, "no such tool")),
                }
            }
            // Also `initialize`: the gateway asks `server/discover` then.
            _ => Err(error(ErrorCode::METHOD_NOT_FOUND, "no such method")),
        };
        self.event(id, outcome, memory.into_reservation()).await
    }

    async fn call(
        &self,
        id: u64,
        api: &ServedApi,
        operation: &OpenApiOperation,
        arguments: JsonObject,
        memory: &mut ReservedMemory<'_>,
    ) -> Result<Value, LinkEvent> {
        let called = api.caller.call_within(operation, &arguments, memory);
        let failure = match called.await {
            Ok(result) => {
                let is_error = result.is_error == Some(true);
                let mut result = result_value(result);
                // A server repeats the credentials that it refuses.
                let hidden = if is_error {
                    &self.secrets
                } else {
                    &self.credentials
                };
                hidden.hide_in(&mut result);
                return Ok(result);
            }
            Err(OpenApiCallError::Arguments(error)) => {
                return Ok(failed(format!("{}: {}", error.code, error.message)));
            }
            Err(OpenApiCallError::Failure(failure)) => failure,
        };
        let owner_text = self.secrets.hide(&failure.to_string()).into_owned();
        let reason = |text: &str| FailureText::from(text).with_owner_text(owner_text.clone());
        Err(match failure {
            OpenApiFailure::Unreachable(_) => LinkEvent::Unreachable {
                id: Some(id),
                reason: reason("it cannot be reached"),
            },
            OpenApiFailure::TooLarge { .. }
            | OpenApiFailure::Compressed { .. }
            | OpenApiFailure::Redirects => {
                return Ok(failed(failure.to_string()));
            }
            OpenApiFailure::Busy => busy(id),
            _ => LinkEvent::Interrupted {
                id: Some(id),
                reason: reason("the connection ended before the answer"),
            },
        })
    }

    async fn event(
        &self,
        id: u64,
        outcome: Result<Value, ErrorObject>,
        mut memory: MessageReservation,
    ) -> LinkEvent {
        let value = message::response(id.into(), outcome);
        // Texts and bytes are nearly all of a large result.
        let length = text_bytes(&value);
        if memory
            .cover(&self.bounds.memory, length, self.bounds.patience)
            .await
            .is_none()
        {
            return busy(id);
        }
        LinkEvent::Message {
            value,
            stream: MessageStream::Request(id),
            is_whole: true,
            memory,
        }
    }

    /// Reads the document again whenever one of its files changes.
    async fn follow_files(self: Arc<Self>, mut files: Vec<DocumentFile>) {
        if !matches!(self.server.document, OpenApiSource::File(_)) {
            return;
        }
        let following = async {
            loop {
                sleep(FILE_CHECK).await;
                let look = move || (files.iter().any(DocumentFile::has_changed), files);
                let Ok((has_changed, known)) = tokio::task::spawn_blocking(look).await else {
                    return;
                };
                files = known;
                if !has_changed {
                    continue;
                }
                match ServedApi::read(&self.server, &self.bounds, &mut files).await {
                    Ok(api) => self.replace(api).await,
                    Err(failure) => {
                        let reason = failure.without_secrets(&self.secrets).whole();
                        tracing::warn!(reason, "the former document of an API stays");
                    }
                }
            }
        };
        self.closing.run_until_cancelled(following).await;
    }

    async fn replace(&self, api: ServedApi) {
        let api = Arc::new(api);
        self.api.store(api.clone());
        // Requests may differ where no definition does, as in the media type of a body.
        if self.listed.load().definitions == api.definitions {
            self.listed.store(api);
            return;
        }
        let changed = "notifications/tools/list_changed";
        let event = LinkEvent::Message {
            value: message::notification(changed, JsonObject::new()),
            stream: MessageStream::Shared,
            is_whole: false,
            memory: MessageReservation::default(),
        };
        let _ = self.events.send(event).await;
    }
}

fn error(code: ErrorCode, message: &str) -> ErrorObject {
    ErrorObject {
        code: code.0,
        message: message.to_owned(),
        data: None,
    }
}

/// Converts a result. Its texts and its structured content are moved, because a copy of a large one
/// counts.
fn result_value(mut result: CallToolResult) -> Value {
    let texts = result.content.iter_mut().map(|block| match block {
        ContentBlock::Text(block) => ("text", mem::take(&mut block.text)),
        ContentBlock::Image(block) => ("data", mem::take(&mut block.data)),
        _ => ("", String::new()),
    });
    let texts: Vec<_> = texts.collect();
    let structured = result.structured_content.take();
    let mut value = serde_json::to_value(result).unwrap_or_default();
    let blocks = value.get_mut("content").and_then(Value::as_array_mut);
    for (block, (key, text)) in blocks.into_iter().flatten().zip(texts) {
        if let Some(place) = block.get_mut(key) {
            *place = Value::String(text);
        }
    }
    if let (Some(members), Some(structured)) = (value.as_object_mut(), structured) {
        members.insert("structuredContent".to_owned(), structured);
    }
    value
}

/// Returns the event of an answer that others left no memory for.
fn busy(id: u64) -> LinkEvent {
    LinkEvent::Lost {
        id: Some(id),
        reason: "other large answers took too long; try again".into(),
    }
}

/// Returns the result of a call that failed.
fn failed(text: String) -> Value {
    json!({ "content": [{ "type": "text", "text": text }], "isError": true })
}

/// Returns the bytes of all texts in a value.
fn text_bytes(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(values) => values.iter().map(text_bytes).sum(),
        Value::Object(members) => members.values().map(text_bytes).sum(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests;
