//! Tasks of upstreams (SEP-2663): a call of a tool can return a task, and the client asks for its
//! result later. A task keeps its id, so a request for it goes to the upstream that it came from.

use crate::{
    Gateway,
    forward::ForwardedRequest,
    message::cut_task_error,
    transport::link::ParamHeaders,
    upstream::{Upstream, upstream_error::UpstreamError},
};
use parking_lot::Mutex;
use pd_runtime::{
    CallContext, ToolError,
    upstream::{CallerAuthority, CallerIdentity},
};
use rmcp::{
    ErrorData,
    model::{GetTaskResult, JsonObject},
};
use serde_json::Value;
use std::{collections::VecDeque, sync::Arc};

/// The tasks of one upstream that are remembered. Further tasks replace the oldest.
const TASKS_MAX: usize = 1_000;
/// The tasks of one caller among them.
const CALLER_MAX: usize = 250;
/// The longest id of a task that is remembered, in bytes.
const ID_MAX: usize = 500;

/// The tasks that an upstream has created, from the oldest.
#[derive(Debug, Default)]
pub(crate) struct IssuedTasks(Mutex<VecDeque<IssuedTask>>);

#[derive(Debug)]
struct IssuedTask {
    id: Box<str>,
    caller: CallerIdentity,
}

impl IssuedTasks {
    /// Remembers the task that a result contains, for the caller alone.
    pub(crate) fn collect(&self, result: &Value, caller: &CallerAuthority) {
        let is_task = result.get("resultType").is_some_and(|kind| kind == "task");
        let id = result
            .get("taskId")
            .and_then(Value::as_str)
            .filter(|id| is_task && id.len() <= ID_MAX);
        let Some(id) = id else { return };
        let mut tasks = self.0.lock();
        let caller = caller.person();
        let has_caller = |task: &IssuedTask| task.caller == caller;
        // A caller at its bound replaces its own oldest task, and none of another caller.
        if tasks.iter().filter(|task| has_caller(task)).count() >= CALLER_MAX
            && let Some(oldest) = tasks.iter().position(has_caller)
        {
            tasks.remove(oldest);
        } else if tasks.len() >= TASKS_MAX {
            tasks.pop_front();
        }
        tasks.push_back(IssuedTask {
            id: id.into(),
            caller,
        });
    }

    /// Returns whether a task of this id was created for the caller.
    fn contains(&self, id: &str, caller: &CallerAuthority) -> bool {
        self.0
            .lock()
            .iter()
            .any(|task| &*task.id == id && task.caller == caller.person())
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use pd_runtime::Principal;
    use serde_json::json;

    fn caller(name: &str) -> CallerAuthority {
        CallerAuthority::Remote(Some(Principal::new(name)))
    }

    #[test]
    fn tasks_are_remembered_for_their_caller_up_to_a_bound() {
        let (tasks, ada, bob) = (IssuedTasks::default(), caller("ada"), caller("bob"));
        let task = |id: &str| json!({ "resultType": "task", "taskId": id });
        tasks.collect(&task("one"), &ada);
        tasks.collect(
            &json!({ "resultType": "complete", "taskId": "other" }),
            &ada,
        );
        assert!(
            tasks.contains("one", &ada)
                && !tasks.contains("one", &bob)
                && !tasks.contains("other", &ada)
        );
        assert!(!tasks.contains("one", &CallerAuthority::Owner));
        for number in 0..=CALLER_MAX {
            tasks.collect(&task(&format!("bob-{number}")), &bob);
        }
        assert!(
            !tasks.contains("bob-0", &bob)
                && tasks.contains("bob-1", &bob)
                && tasks.contains("one", &ada)
        );
        tasks.collect(&task(&"x".repeat(ID_MAX + 1)), &ada);
        assert_eq!(tasks.0.lock().len(), CALLER_MAX + 1);
    }
}
