#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

//! Every listing, however the workflow is told: agents that do it wrong lose one turn at most.

use super::{
    agent::Agent,
    chat, prompted,
    scripted::{Habit, Scripted},
    setting::{Mode, Setting, Wording},
    task::Task,
    trial::Trial,
};
use pd_examples::git::Repo;
use pd_runtime::{NoHandler, PdServer};
use serde_json::json;

/// A server in a setting; each trial has a session of its own.
struct Site(Setting, PdServer<Repo, NoHandler>);

impl Site {
    fn of(setting: Setting) -> Self {
        Self(setting, setting.server(env!("CARGO_MANIFEST_DIR").as_ref()).unwrap())
    }

    async fn tried(&self, habit: Habit, task: &Task) -> Trial {
        Trial::run(&Scripted::new(habit), task, &self.0, &self.1, 6).await.unwrap()
    }
}

#[tokio::test]
async fn every_mode_recovers_from_both_anti_patterns_within_one_extra_turn() {
    // Scripts do not read how they are told.
    for setting in Setting::all(&[], &[Wording::None]) {
        let site = Site::of(setting);
        for task in &Task::all()[..2] {
            let right = site.tried(Habit::Diligent, task).await;
            let needed = right.solved_in.unwrap_or_else(|| panic!("{setting}, {}: {right}", task.tool));
            assert!(right.right_tool && right.described_first, "{setting}: {right}");
            assert_eq!(right.refusals, 0, "{setting}: {right}");
            for habit in [Habit::FetchesAll, Habit::SkipsFetching] {
                let wrong = site.tried(habit, task).await;
                let name = Scripted::new(habit).name();
                let took = wrong.solved_in.unwrap_or_else(|| panic!("{name}, {setting}, {}: {wrong}", task.tool));
                assert!(took <= needed + 1, "{name}, {setting}, {}: {took} turns instead of {needed}", task.tool);
            }
        }
    }
}

#[tokio::test]
async fn every_task_can_be_done() {
    let site = Site::of(Setting { mode: Mode::Full, wording: Wording::None });
    for task in Task::all() {
        let done = site.tried(Habit::Diligent, task).await;
        assert_eq!(done.solved_in, Some(1), "{}: {done}", task.tool);
    }
}

#[test]
fn wherever_tools_are_disclosed_each_wording_is_tried() {
    let tried = |mode| Setting::all(&[mode], &[]).len();
    assert_eq!([Mode::Full, Mode::Negotiated, Mode::Minimal, Mode::Eager].map(tried), [1, 1, 3, 3]);
    let guide = Setting { mode: Mode::Describe, wording: Wording::Guide };
    assert!(guide.system(None).contains("call describe_tools") && !guide.system(None).contains("FETCHING"));
}

#[tokio::test]
async fn what_an_agent_does_wrong_is_told() {
    let (task, site) = (&Task::all()[0], Site::of(Setting { mode: Mode::Minimal, wording: Wording::None }));
    let skipped = site.tried(Habit::SkipsFetching, task).await;
    assert!(skipped.right_tool && skipped.right_arguments && !skipped.described_first, "{skipped}");
    assert_eq!((skipped.refusals, skipped.solved_in), (1, Some(2)), "{skipped}");
    let fetched = site.tried(Habit::FetchesAll, task).await;
    assert!(fetched.described_first, "{fetched}");
    assert_eq!((fetched.refusals, fetched.solved_in), (1, Some(3)), "{fetched}");
}

#[test]
fn a_completion_is_read_with_its_calls() {
    let completion = |arguments: serde_json::Value| {
        json!({ "choices": [{ "message": { "content": null, "tool_calls": [
            { "id": "c1", "type": "function", "function": { "name": "log", "arguments": arguments } },
        ] } }] })
    };
    let read = chat::reply(&completion(json!("{\"limit\":3}")));
    assert_eq!((read.calls[0].name.as_str(), &read.calls[0].arguments["limit"]), ("log", &json!(3)));
    let read = chat::reply(&completion(json!("no JSON")));
    assert!(read.calls[0].arguments.is_empty());
    assert!(chat::reply(&json!({ "error": "none" })).calls.is_empty());
}

#[test]
fn calls_are_read_in_a_text() {
    let one =
        prompted::reply("I will look.\n<tool_call>\n{\"name\": \"log\", \"arguments\": {\"limit\": 3}}\n</tool_call>");
    assert_eq!((one.text.as_str(), one.calls.len()), ("I will look.", 1));
    assert_eq!((one.calls[0].name.as_str(), &one.calls[0].arguments["limit"]), ("log", &json!(3)));
    let two = prompted::reply("<tool_call>[{\"name\": \"ls\"}, {\"name\": \"cat\"}]");
    assert_eq!(two.calls.iter().map(|call| call.name.as_str()).collect::<Vec<_>>(), ["ls", "cat"]);
    assert!(prompted::reply("<tool_call>no JSON</tool_call> and so on").calls.is_empty());
}
