//! Agents that know what they want: the guide's model pupil, and those who make its two anti-patterns.

use super::{
    Failure,
    agent::{Agent, Call, Given, Reply},
    host::READ_RESOURCE,
    program::{self, RUN_CODE},
    task::Task,
    trial::CALL_TOOLS,
};
use futures::{
    FutureExt,
    future::{BoxFuture, ready},
};
use rmcp::model::{JsonObject, object};
use serde_json::{Value, json};

const DESCRIPTIONS: &str = "resource:///tool_descriptions";

/// What an agent does first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Habit {
    /// It fetches the description of the tool that it has picked.
    Diligent,
    /// Anti-pattern 1 of the implementation guide: it fetches everything.
    FetchesAll,
    /// Anti-pattern 2: it calls at once, with arguments as it guesses them.
    SkipsFetching,
}

/// An agent of such habits. What it does next depends on what it sees, as with any other.
#[derive(Debug)]
pub(crate) struct Scripted(Habit);

impl Habit {
    pub(crate) const ALL: [Self; 3] = [Self::Diligent, Self::FetchesAll, Self::SkipsFetching];
}

impl Scripted {
    pub(crate) fn new(habit: Habit) -> Self {
        Self(habit)
    }

    fn next(&self, task: &Task, given: &Given) -> Call {
        let is_first = given.results().next().is_none();
        match self.0 {
            Habit::FetchesAll if is_first => fetch(given, &[]),
            Habit::SkipsFetching if is_first => call(task, &task.guess, given),
            _ if knows(task, given) => call(task, &task.arguments(), given),
            _ if is_heard_of(task, given) => fetch(given, &[task.tool()]),
            _ => asked("find_tools", json!({ "query": task.words })),
        }
    }
}

impl Agent for Scripted {
    fn name(&self) -> String {
        match self.0 {
            Habit::Diligent => "diligent",
            Habit::FetchesAll => "fetches-all",
            Habit::SkipsFetching => "skips-fetching",
        }
        .to_owned()
    }

    fn turn<'a>(
        &'a self,
        task: &'a Task,
        given: &'a Given,
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        let mut call = self.next(task, given);
        call.id = format!("call_{}", given.said.len());
        ready(Ok(Reply {
            calls: vec![call],
            ..Reply::default()
        }))
        .boxed()
    }
}

/// Whether the tool's parameters were told: in the list, by a description, or by a signature.
fn knows(task: &Task, given: &Given) -> bool {
    let is_listed_in_full = given.function(task.tool()).is_some_and(|function| {
        function
            .parameters
            .get("properties")
            .and_then(Value::as_object)
            .is_some_and(|known| !known.is_empty())
    });
    let told = format!("\"{}\"", task.tool());
    let signature = format!("{}(", task.tool());
    let is_told = |text: &str| {
        (text.contains(&told) && text.contains("inputSchema")) || text.contains(&signature)
    };
    is_listed_in_full || given.results().any(|(_, text)| is_told(text))
}

/// Whether it knows that there is this tool.
fn is_heard_of(task: &Task, given: &Given) -> bool {
    given.has(task.tool()) || given.results().any(|(_, text)| text.contains(task.tool()))
}

/// Fetches descriptions, or everything, in the way that there is.
fn fetch(given: &Given, tools: &[&str]) -> Call {
    if given.has("describe_tools") {
        let arguments = if tools.is_empty() {
            json!({})
        } else {
            json!({ "names": tools })
        };
        return asked("describe_tools", arguments);
    }
    let query = if tools.is_empty() {
        String::new()
    } else {
        format!("?tools={}", tools.join(","))
    };
    asked(
        READ_RESOURCE,
        json!({ "uri": format!("{DESCRIPTIONS}{query}") }),
    )
}

/// Calls the tool by its name, through the tool that calls others where it is in no list, or in a
/// program.
fn call(task: &Task, arguments: &JsonObject, given: &Given) -> Call {
    if given.has(RUN_CODE) {
        program::run(&format!(
            "return await tools.{}({});",
            task.tool(),
            Value::Object(arguments.clone())
        ))
    } else if let Some(calling) = CALL_TOOLS
        .iter()
        .find(|name| given.has(name))
        .filter(|_| !given.has(task.tool()))
    {
        let arguments = Value::Object(arguments.clone()).to_string();
        asked(
            calling,
            json!({ "name": task.tool(), "arguments": arguments }),
        )
    } else {
        asked(task.tool(), Value::Object(arguments.clone()))
    }
}

fn asked(name: &str, arguments: Value) -> Call {
    Call {
        id: String::new(),
        name: name.to_owned(),
        arguments: object(arguments),
    }
}
