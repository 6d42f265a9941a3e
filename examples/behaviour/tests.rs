#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

//! Every listing, however the workflow is told: agents that do it wrong lose one turn at most.

use super::{
    Failure,
    agent::{Agent, Call, Function, Given, Reply},
    chat::{self, Dialect},
    report::Report,
    scripted::{Habit, Scripted},
    servers::{Site, Subject},
    setting::{Mode, Setting, Wording},
    task::{Task, TaskSet},
    trial::Trial,
};
use clap::ValueEnum;
use futures::{
    FutureExt,
    future::{BoxFuture, ready},
};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

fn read(set: TaskSet, subject: Subject) -> Vec<Task> {
    Task::read(set, &[subject]).unwrap()
}

fn site(mode: Mode, subject: Subject) -> Site {
    Site::build(
        Setting {
            mode,
            wording: Wording::None,
        },
        subject,
    )
    .unwrap()
}

fn function(name: &str) -> Function {
    Function {
        name: name.to_owned(),
        description: String::new(),
        parameters: rmcp::model::JsonObject::new(),
    }
}

async fn tried(habit: Habit, task: &Task, site: &Site) -> Trial {
    Trial::run(&Scripted::new(habit), task, site, 6)
        .await
        .unwrap()
}

/// An agent that writes these texts, one a turn, and the last again and again.
struct Writes(&'static [&'static str], AtomicUsize);

impl Agent for Writes {
    fn name(&self) -> String {
        "writes".to_owned()
    }

    fn turn<'a>(&'a self, _: &'a Task, given: &'a Given) -> BoxFuture<'a, Result<Reply, Failure>> {
        let place = self.1.fetch_add(1, Relaxed).min(self.0.len() - 1);
        let completion = json!({
            "choices": [{ "message": { "content": self.0[place] } }],
            "usage": { "prompt_tokens": 100, "completion_tokens": 10 },
        });
        ready(Ok(chat::reply(
            &completion,
            Dialect::Constrained {
                early_answers: false,
            },
            given,
        )))
        .boxed()
    }
}

#[tokio::test]
async fn every_mode_recovers_from_both_anti_patterns_within_one_extra_turn() {
    // Scripts do not read how they are told.
    for setting in Setting::all(&[], &[Wording::None]) {
        let site = Site::build(setting, Subject::Git).unwrap();
        for task in &read(TaskSet::Default, Subject::Git)[..2] {
            let right = tried(Habit::Diligent, task, &site).await;
            let needed = right
                .solved_in
                .unwrap_or_else(|| panic!("{setting}, {}: {right}", task.tool()));
            assert!(
                right.right_tool && right.described_first,
                "{setting}: {right}"
            );
            assert_eq!(right.count(|made| made.is_refused), 0, "{setting}: {right}");
            for habit in [Habit::FetchesAll, Habit::SkipsFetching] {
                let wrong = tried(habit, task, &site).await;
                let name = Scripted::new(habit).name();
                let took = wrong
                    .solved_in
                    .unwrap_or_else(|| panic!("{name}, {setting}, {}: {wrong}", task.tool()));
                assert!(
                    took <= needed + 1,
                    "{name}, {setting}, {}: {took} turns instead of {needed}",
                    task.tool()
                );
            }
        }
    }
}

#[tokio::test]
async fn every_task_can_be_done() {
    for subject in Subject::value_variants() {
        let site = site(Mode::Full, *subject);
        for set in [TaskSet::Default, TaskSet::HeldOut] {
            let tasks = read(set, *subject);
            assert_eq!(tasks.len(), 6, "{subject}: the halves are equal");
            for task in &tasks {
                let done = tried(Habit::Diligent, task, &site).await;
                assert_eq!(
                    done.solved_in,
                    Some(1),
                    "{}: {}",
                    task.tool(),
                    done.transcript()
                );
                let guessed = task.is_done_by(
                    task.tool(),
                    &task.guess,
                    pd_runtime::audit::CallOutcome::Done,
                );
                assert!(
                    !guessed || task.arguments().is_empty(),
                    "{}: a guess does not do it",
                    task.tool()
                );
                let words: Vec<&str> = task.request.split_whitespace().collect();
                assert!(
                    !words.contains(&task.tool()),
                    "{}: requests do not name tools",
                    task.tool()
                );
            }
        }
    }
}

#[tokio::test]
async fn small_listings_lead_to_the_tools_of_each_server() {
    for subject in Subject::value_variants() {
        for mode in [Mode::Minimal, Mode::Grouped, Mode::Describe, Mode::Code] {
            let site = site(mode, *subject);
            for task in &read(TaskSet::Default, *subject) {
                let done = tried(Habit::Diligent, task, &site).await;
                assert!(
                    done.solved_in.is_some(),
                    "{}, {}",
                    site.setting,
                    done.transcript()
                );
            }
        }
    }
}

#[test]
fn wherever_tools_are_disclosed_each_wording_is_tried() {
    let tried = |mode| Setting::all(&[mode], &[]).len();
    assert_eq!(
        [
            Mode::Full,
            Mode::Negotiated,
            Mode::Minimal,
            Mode::Eager,
            Mode::Code
        ]
        .map(tried),
        [1, 1, 3, 3, 3]
    );
    let guide = Setting {
        mode: Mode::Describe,
        wording: Wording::Guide,
    }
    .system(Subject::Git, None);
    assert!(guide.contains("call describe_tools") && !guide.contains("FETCHING"));
}

#[tokio::test]
async fn what_an_agent_does_wrong_is_told() {
    let (task, site) = (
        &read(TaskSet::Default, Subject::Git)[0],
        site(Mode::Minimal, Subject::Git),
    );
    let skipped = tried(Habit::SkipsFetching, task, &site).await;
    assert!(skipped.right_tool && !skipped.described_first, "{skipped}");
    assert_eq!(
        (skipped.count(|made| made.is_refused), skipped.solved_in),
        (1, Some(2)),
        "{skipped}"
    );
    let fetched = tried(Habit::FetchesAll, task, &site).await;
    assert!(fetched.described_first, "{fetched}");
    assert_eq!(
        (fetched.count(|made| made.is_refused), fetched.solved_in),
        (1, Some(3)),
        "{fetched}"
    );
}

#[tokio::test]
async fn every_call_is_counted_as_what_it_was() {
    let texts = &[
        "{\"tool\": \"create_issue\", \"arguments\": {\"repo\": \"octo/demo\"}}",
        "{\"tool\": \"create_issue\", \"arguments\": {\"repo\": \"octo/demo\"}}",
        "{\"tool\": \"create_issue\", \"argum",
        "{\"tool\": \"create_issue\", \"arguments\": {\"owner\": \"octo\", \"repo\": \"demo\", \"title\": \"Crash on start\"}}",
    ];
    let (task, site) = (
        &read(TaskSet::Default, Subject::Github)[0],
        site(Mode::Minimal, Subject::Github),
    );
    let trial = Trial::run(&Writes(texts, AtomicUsize::new(0)), task, &site, 6)
        .await
        .unwrap();
    assert_eq!(trial.solved_in, Some(4), "{}", trial.transcript());
    assert_eq!(
        (
            trial.count(|made| made.is_refused),
            trial.count(|made| made.is_error)
        ),
        (1, 1)
    );
    assert_eq!(
        (trial.count(|made| made.is_repeated), trial.unreadable()),
        (1, 1)
    );
    assert_eq!((trial.usage.prompt, trial.usage.completion), (400, 40));
    let page = trial.transcript();
    for part in [
        "TOOL_DESCRIPTION_REQUIRED",
        ": error, repeated",
        "Unreadable:",
        "issues/57",
        "Done in turn 4.",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let mut report = Report::default();
    report.add(trial);
    let figures: Vec<String> = report
        .to_string()
        .lines()
        .last()
        .unwrap()
        .split('|')
        .map(|cell| cell.trim().to_owned())
        .collect();
    assert_eq!(
        figures[4..17],
        [
            "1", "1", "100 %", "1", "0", "4.0", "400", "40", "3", "1", "1", "1", "1"
        ]
    );
}

#[tokio::test]
async fn an_answer_ends_a_trial_and_does_no_task() {
    let texts = &["{\"answer\": \"I opened it.\"}"];
    let (task, site) = (
        &read(TaskSet::Default, Subject::Github)[0],
        site(Mode::Minimal, Subject::Github),
    );
    let trial = Trial::run(&Writes(texts, AtomicUsize::new(0)), task, &site, 6)
        .await
        .unwrap();
    assert_eq!(
        (trial.solved_in, trial.turns.len(), trial.words.as_deref()),
        (None, 1, Some("I opened it."))
    );
}

#[tokio::test]
async fn a_call_through_another_counts_as_the_tool_that_it_reached() {
    let texts = &[
        "{\"tool\": \"call_tool\", \"arguments\": {\"name\": \"create_issue\", \"args\": {\"owner\": \"octo\", \
                    \"repo\": \"demo\", \"title\": \"Crash on start\"}}}",
    ];
    let (task, site) = (
        &read(TaskSet::Default, Subject::Github)[0],
        site(Mode::Grouped, Subject::Github),
    );
    let trial = Trial::run(&Writes(texts, AtomicUsize::new(0)), task, &site, 6)
        .await
        .unwrap();
    assert_eq!(
        (trial.solved_in, trial.right_tool),
        (Some(2), true),
        "{}",
        trial.transcript()
    );
}

#[test]
fn a_block_of_code_is_read_as_a_program() {
    let text = "I will look:\n```js\nreturn await tools.log({ path: 'README.md', limit: 3 });\n```";
    let completion = json!({ "choices": [{ "message": { "content": text } }] });
    let given = Given {
        functions: vec![function("run_code")],
        ..Given::default()
    };
    let reply = chat::reply(&completion, Dialect::Native, &given);
    assert_eq!(
        (reply.calls.len(), reply.calls[0].name.as_str()),
        (1, "run_code"),
        "{reply:?}"
    );
    assert!(
        chat::reply(&completion, Dialect::Native, &Given::default())
            .calls
            .is_empty()
    );
}

#[test]
fn a_completion_is_read_with_its_calls() {
    let given = Given::default();
    let read = |message: Value| {
        chat::reply(
            &json!({ "choices": [{ "message": message }] }),
            Dialect::Native,
            &given,
        )
    };
    let native = |arguments: Value| {
        let function = json!({ "name": "log", "arguments": arguments });
        json!({ "content": null, "tool_calls": [{ "id": "c1", "type": "function", "function": function }] })
    };
    let expected = Call {
        id: "c1".to_owned(),
        name: "log".to_owned(),
        arguments: rmcp::model::object(json!({ "limit": 3 })),
    };
    assert_eq!(read(native(json!("{\"limit\":3}"))).calls, [expected]);
    let broken = read(native(json!("no JSON")));
    assert!(
        broken.calls.is_empty() && broken.unreadable.len() == 1,
        "{broken:?}"
    );
    // llama.cpp leaves a call in the text if it does not know the template.
    let fenced = read(
        json!({ "content": "```json\n{\"name\": \"log\", \"arguments\": {\"limit\": 3}}\n```" }),
    );
    assert_eq!(fenced.calls[0].name, "log");
    assert!(read(Value::Null).calls.is_empty());
}
