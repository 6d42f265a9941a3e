//! The tasks that an upstream has created, and the caller of each.

use parking_lot::Mutex;
use pd_runtime::upstream::{CallerAuthority, CallerIdentity};
use serde_json::Value;
use std::collections::VecDeque;

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
    pub(crate) fn contains(&self, id: &str, caller: &CallerAuthority) -> bool {
        self.0
            .lock()
            .iter()
            .any(|task| &*task.id == id && task.caller == caller.person())
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
        let tasks = IssuedTasks::default();
        let ada = caller("ada");
        let bob = caller("bob");
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
