//! Tasks of upstreams (SEP-2663): a call of a tool can return a task, and the client asks for its
//! result later. A task keeps its id, so a request for it goes to the upstream that it came from.

use crate::{
    Gateway,
    forward::ForwardedRequest,
    message::cut_task_error,
    transport::link::ParamHeaders,
    upstream::{Upstream, upstream_error::UpstreamError},
};
use pd_runtime::{CallContext, ToolError};
use rmcp::{
    ErrorData,
    model::{GetTaskResult, JsonObject},
};
use serde_json::Value;
use std::sync::Arc;

impl Gateway {
    /// Returns the state of a task.
    pub(crate) async fn task(
        &self,
        params: JsonObject,
        context: &CallContext,
    ) -> Result<GetTaskResult, ErrorData> {
        let upstream = self.task_owner(&params, context)?;
        let result = upstream.request_task("tasks/get", params, context).await;
        let result = result.and_then(|mut state| {
            if let Some(error) = state.get_mut("error") {
                upstream.secrets.hide_in(error);
            }
            if let Some(result) = state.get_mut("result") {
                upstream.hide_secrets(result);
            }
            cut_task_error(&mut state);
            upstream.typed(state, context)
        });
        result.map_err(|error| ToolError::into_error_data(error.into_tool_error()))
    }

    /// Sends a request about a task. The result of such a request is empty.
    pub(crate) async fn change_task(
        &self,
        method: &'static str,
        params: JsonObject,
        context: &CallContext,
    ) -> Result<(), ErrorData> {
        let upstream = self.task_owner(&params, context)?;
        let result = upstream.request_task(method, params, context).await;
        result
            .map(drop)
            .map_err(|error| ToolError::into_error_data(error.into_tool_error()))
    }

    fn task_owner(
        &self,
        params: &JsonObject,
        context: &CallContext,
    ) -> Result<Arc<Upstream>, ErrorData> {
        let caller = context.authority();
        let id = params
            .get("taskId")
            .and_then(Value::as_str)
            .unwrap_or_default();
        // A task needs the scopes of its server, as a call does.
        let mut upstreams = self.visible(caller);
        let owner = upstreams.find(|upstream| upstream.tasks.contains(id, caller));
        owner.ok_or_else(|| {
            ErrorData::invalid_params("no server has created this task for you", None)
        })
    }
}

impl Upstream {
    async fn request_task(
        self: &Arc<Self>,
        method: &'static str,
        mut params: JsonObject,
        context: &CallContext,
    ) -> Result<Value, UpstreamError> {
        // `forward` adds the metadata of the request.
        params.remove("_meta");
        // A second answer or cancellation would be another one.
        let is_repeatable = method == "tasks/get";
        let headers = ParamHeaders::new();
        self.forward(ForwardedRequest {
            method,
            params,
            context,
            headers,
            is_repeatable,
            tool: None,
        })
        .await
    }
}
