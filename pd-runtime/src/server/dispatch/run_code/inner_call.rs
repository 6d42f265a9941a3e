//! One request of a program: a call, a search, or a description.

use super::{
    EndedCall, Run,
    silent_client::SilentClient,
    tool_path::{self, PATH_MAX},
    value::{failure, failure_of, value_of},
};
use crate::{
    catalog::{entry::CatalogEntry, token_cost::CostForm},
    code::{
        CodeProgram,
        message::{CallFailure, Operation, WorkerRequest},
    },
    disclosure::{
        disclose::{disclose, render_unknown},
        gate::{DenialReason, GateVerdict},
    },
    policy::rate_limit::ChargeKind,
    protocol::keys::{TICKET_ARGUMENT, UNDESCRIBED},
    registry::group::DEPTH_MAX,
    server::dispatch,
    surface::refusal,
    text::truncate::{first_bytes, first_chars},
    tool::{client_call::ClientCall, error::ToolError, principal::CallerAuthority},
};
use rmcp::model::{CallToolRequestParams, CallToolResponse, JsonObject};
use serde_json::{Value, json};
use std::sync::Arc;

/// The most tools in the answer to `tools.find`.
const HITS_MAX: usize = 10;
/// The most bytes of a name that errors repeat. A tool's name has at most 64 characters.
const NAME_MAX: usize = 65;
/// The code of a call that only the model itself can make.
const NEEDS_DIRECT_CALL: &str = "NEEDS_DIRECT_CALL";
/// The code of a call that the author of the server does not let programs make.
const NOT_READ_ONLY: &str = "NOT_READ_ONLY";

impl Run<'_> {
    /// Returns the answer to a request.
    pub(super) async fn value_of(&self, request: WorkerRequest) -> Result<Value, CallFailure> {
        match request.operation {
            Operation::Call => {
                let tool = shown_path(&request.path);
                let answer = self.call(&request).await;
                let code = answer.as_ref().err().map(|failure| failure.code.clone());
                let tool = match &answer {
                    Err(failure) => failure.tool.clone(),
                    Ok(_) => tool,
                };
                // A tool without a name does not exist for the caller.
                if !tool.is_empty() {
                    self.ended.lock().push(EndedCall {
                        tool,
                        failure: code,
                    });
                }
                answer
            }
            Operation::Find => self.find(&text(&request)).await,
            Operation::Describe => self.describe(&text(&request)).await,
        }
    }

    async fn call(&self, request: &WorkerRequest) -> Result<Value, CallFailure> {
        let view = self.view;
        let path = &request.path;
        let sent = shown_path(path);
        // An author's program may name a tool that is hidden from the caller.
        let named = if self.program.is_some() { "" } else { &sent };
        // Charged before the lookup: a hidden name costs the same as an unknown one.
        view.charge(ChargeKind::Call, 1)
            .map_err(|later| failure_of(&later.into_result(), named))?;
        let Some(entry) = tool_path::find(path, view).or_else(|| {
            self.program
                .is_none()
                .then(|| tool_path::find_by_source(path, view))
                .flatten()
        }) else {
            return Err(self.unknown(&sent, ". `tools.find(\"…\")` finds tools"));
        };
        if let Err(refusal) = self.check_allowed(entry) {
            view.recorder.record_not_read_only(entry);
            return Err(refusal);
        }
        let arguments: JsonObject = serde_json::from_str(request.value.get()).map_err(|error| {
            failure(
                entry.name(),
                ToolError::INVALID_ARGUMENTS,
                format!("the arguments are not an object that can be read: {error}"),
            )
        })?;
        let ticket = arguments.get(TICKET_ARGUMENT).and_then(Value::as_str);
        // `dispatch::call` asks the gate again. Its refusal is for a model, and a program gets the
        // signature in the failure that it catches.
        if let GateVerdict::Deny(reason) =
            dispatch::verdict(entry, Some(&arguments), ticket, view).await
        {
            let refusal = self.refuse(entry, reason).await;
            view.record_refused_call(entry, &arguments, reason).await;
            return Err(refusal);
        }
        self.dispatch(entry, arguments).await
    }

    /// Returns the failure of a name that no tool has for the caller.
    fn unknown(&self, sent: &str, advice: &str) -> CallFailure {
        self.view.recorder.record_unknown(sent);
        if let Some(program) = self.program {
            // The author wrote the name, and the caller may not know that there is such a tool.
            tracing::debug!(
                program = program.name(),
                tool = sent,
                "a program names a tool that its caller lacks"
            );
            return failure(
                "",
                "UNKNOWN_TOOL",
                "the program needs a tool that you may not use",
            );
        }
        let nearest = render_unknown(first_bytes(sent, PATH_MAX), self.view);
        failure(sent, "UNKNOWN_TOOL", format!("{nearest}{advice}"))
    }

    /// Checks that the author lets programs call this tool.
    fn check_allowed(&self, entry: &CatalogEntry) -> Result<(), CallFailure> {
        if let Some(program) = self.program {
            return check_vouched(entry, program);
        }
        let has_scope = |scope: &String| match &self.view.caller.authority {
            // The user who started the process has every right.
            CallerAuthority::Owner => true,
            CallerAuthority::Remote(principal) => principal
                .as_ref()
                .is_some_and(|principal| principal.has_scope(scope)),
        };
        let is_allowed = entry.is_read_only()
            || self.mode.allowed.contains(entry.name())
            || self.mode.scope.as_ref().is_some_and(has_scope);
        match is_allowed {
            true => Ok(()),
            false => {
                let text = format!(
                    "`{0}` may change something: programs call read-only tools. Call `{0}` itself",
                    entry.name()
                );
                Err(failure(entry.name(), NOT_READ_ONLY, text))
            }
        }
    }

    /// Refuses a call of a tool because the caller has not read its description. The failure has
    /// the signature, so that the next program is right.
    async fn refuse(&self, entry: &CatalogEntry, reason: DenialReason) -> CallFailure {
        let view = self.view;
        let name = entry.name();
        let describes = matches!(refusal::charge_description(reason, view), Some(Ok(())));
        view.recorder.record_refused(entry, reason);
        let names = [name.to_owned()];
        let text = match describes {
            true => format!(
                "{}:\n{}",
                reason.as_str(),
                disclose(&names, CostForm::Signature, view)
                    .await
                    .signatures()
            ),
            false => format!("{}; describe `{name}` first", reason.as_str()),
        };
        failure(name, UNDESCRIBED, text)
    }

    /// Calls a tool that the program may call.
    async fn dispatch(
        &self,
        entry: &Arc<CatalogEntry>,
        arguments: JsonObject,
    ) -> Result<Value, CallFailure> {
        let view = self.view;
        let name = entry.name();
        let mut context = self.context.clone();
        context.ct = self.cancellation().child_token();
        // Calls of a program must not add to what the request's own answer keeps.
        {
            context
                .extensions
                .insert(crate::protocol::lossy::LossyParts::default());
            context
                .extensions
                .insert(crate::protocol::answer_memory::AnswerMemory::default());
        }
        // The reports of calls that run at once would not increase; the run makes its own.
        context.meta.shift_remove("progressToken");
        let silent = SilentClient::between(&mut context);
        let mut params = CallToolRequestParams::new(name.to_owned()).with_arguments(arguments);
        let response = dispatch::call(
            entry,
            &mut params,
            false,
            view,
            Arc::new(ClientCall::new(context)),
        )
        .await;
        let needs_client = || {
            let text = format!(
                "`{name}` needs an answer of its client, which a program cannot give. Call `{name}` itself"
            );
            failure(name, NEEDS_DIRECT_CALL, text)
        };
        // A result that was made without the answer is not the one that the tool meant to return.
        if silent.is_some_and(|silent| silent.was_asked()) {
            return Err(needs_client());
        }
        match response {
            Ok(CallToolResponse::Complete(result)) if result.is_error == Some(true) => {
                Err(failure_of(&result, name))
            }
            Ok(CallToolResponse::Complete(result)) => {
                value_of(result, entry, view.caller.modern, &self.media)
            }
            Ok(_) => Err(needs_client()),
            Err(error) => Err(failure(name, "PROTOCOL_ERROR", error.message)),
        }
    }

    async fn find(&self, query: &str) -> Result<Value, CallFailure> {
        let view = self.view;
        view.charge(ChargeKind::Find, 1)
            .map_err(|later| failure_of(&later.into_result(), "find"))?;
        let longest = view.policy.limits.query_chars;
        let query: String = first_chars(query.trim(), longest).to_owned();
        let hits = view.search(&query, HITS_MAX).await.hits;
        view.recorder
            .record_search(&query, hits.iter().map(|(hit, _)| &***hit));
        let tools = hits
            .iter()
            .map(|(hit, _)| json!({ "name": hit.name(), "summary": &*hit.tool.about.summary }));
        Ok(tools.collect())
    }

    async fn describe(&self, name: &str) -> Result<Value, CallFailure> {
        let view = self.view;
        view.charge_descriptions(1)
            .map_err(|later| failure_of(&later.into_result(), "describe"))?;
        let path: Vec<String> = name
            .split('.')
            // One name more than a path can have, so that a longer path is not cut to a valid one.
            .take(DEPTH_MAX + 2)
            .map(str::to_owned)
            .collect();
        let Some(entry) = tool_path::find(&path, view) else {
            return Err(self.unknown(name, ""));
        };
        let names = [entry.name().to_owned()];
        Ok(disclose(&names, CostForm::Signature, view)
            .await
            .signatures()
            .into())
    }
}

/// Returns a path as errors and events show it.
pub(super) fn shown_path(path: &[String]) -> String {
    let names: Vec<&str> = path
        .iter()
        .take(DEPTH_MAX + 1)
        .map(|name| first_bytes(name, NAME_MAX))
        .collect();
    first_bytes(&names.join("."), PATH_MAX).to_owned()
}

/// Checks that a tool's program may call this tool. An author who does not declare the program as
/// read-only vouches for what it changes.
fn check_vouched(entry: &CatalogEntry, program: &CodeProgram) -> Result<(), CallFailure> {
    if entry.is_read_only() || !program.is_read_only {
        return Ok(());
    }
    let text = format!(
        "`{}` may change something, and the program `{}` is read-only",
        entry.name(),
        program.name
    );
    Err(failure(entry.name(), NOT_READ_ONLY, text))
}

fn text(request: &WorkerRequest) -> String {
    // Only a worker that was taken over sends something else, and an empty text names no tool.
    serde_json::from_str(request.value.get()).unwrap_or_default()
}
