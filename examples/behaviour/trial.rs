//! One agent at one task: the loop, and what is noted of it.

use super::{
    Failure,
    agent::{Agent, Call, Given, Reply, Said},
    host::{Host, Outcome, READ_RESOURCE},
    setting::Setting,
    task::Task,
};
use pd_examples::git::Repo;
use pd_runtime::{NoHandler, PdServer, estimate_tokens};
use rmcp::model::JsonObject;
use serde::Serialize;
use serde_json::Value;
use std::fmt;

/// What the gate's refusals and the resource's have in common (specification v2.1, sections 5 and 6).
const REFUSALS: [&str; 2] = ["TOOL_DESCRIPTION_REQUIRED", "MISSING_TOOL_SELECTION"];
/// Tools about tools, which are not what a task is about.
const ABOUT_TOOLS: [&str; 4] = ["list_tools", "find_tools", "describe_tools", READ_RESOURCE];
/// The tool that calls another.
const CALL_TOOL: &str = "call_tool";

/// What became of one task.
#[derive(Debug, Serialize)]
pub(crate) struct Trial {
    pub(crate) agent: String,
    pub(crate) setting: Setting,
    pub(crate) task: &'static str,
    /// The tool that was called first is the right one.
    pub(crate) right_tool: bool,
    /// It was called only once it was described.
    pub(crate) described_first: bool,
    /// The call that was answered had the right arguments.
    pub(crate) right_arguments: bool,
    pub(crate) refusals: usize,
    /// In which turn the task was done.
    pub(crate) solved_in: Option<usize>,
    /// What the agent was given, over all turns.
    pub(crate) tokens: usize,
    /// What the agent said instead of calling something.
    pub(crate) words: Option<String>,
    /// Why it ended early.
    pub(crate) failure: Option<String>,
    calls: Vec<Made>,
}

/// A call, and how it ended.
#[derive(Debug, Serialize)]
struct Made {
    name: String,
    arguments: JsonObject,
    is_error: bool,
    is_refused: bool,
}

impl Trial {
    /// Lets an agent try: until the task is done, it says no more, or its turns are over.
    ///
    /// # Errors
    ///
    /// The server does not answer. That an agent does not, is noted.
    pub(crate) async fn run(
        agent: &dyn Agent,
        task: &Task,
        setting: &Setting,
        server: &PdServer<Repo, NoHandler>,
        turns: usize,
    ) -> Result<Self, Failure> {
        let host = Host::connect(server).await?;
        let mut trial = Self::begun(agent, task, setting);
        let system = setting.system(host.instructions().as_deref());
        let mut given = Given { system, functions: Vec::new(), said: vec![Said::ByUser(task.request.to_owned())] };
        for turn in 1..=turns {
            given.functions = host.functions().await?;
            trial.tokens += cost(&given);
            let reply = match agent.turn(task, &given).await {
                Ok(reply) => reply,
                Err(failure) => {
                    trial.failure = Some(failure.to_string());
                    break;
                }
            };
            if reply.calls.is_empty() {
                trial.words = Some(reply.text);
                break;
            }
            if trial.answer(task, reply, &host, &mut given).await {
                trial.solved_in = trial.right_arguments.then_some(turn);
                break;
            }
        }
        Ok(trial)
    }

    fn begun(agent: &dyn Agent, task: &Task, setting: &Setting) -> Self {
        Self {
            agent: agent.name(),
            setting: *setting,
            task: task.request,
            right_tool: false,
            described_first: false,
            right_arguments: false,
            refusals: 0,
            solved_in: None,
            tokens: 0,
            words: None,
            failure: None,
            calls: Vec::new(),
        }
    }

    /// Makes the calls of a turn; says whether the task is done.
    async fn answer(&mut self, task: &Task, reply: Reply, host: &Host, given: &mut Given) -> bool {
        given.said.push(Said::ByAgent(reply.clone()));
        for call in reply.calls {
            let outcome = host.call(&call).await;
            self.note(task, &call, &outcome);
            given.said.push(Said::Result { call, text: outcome.text });
        }
        self.right_arguments
    }

    fn note(&mut self, task: &Task, call: &Call, outcome: &Outcome) {
        let is_refused = is_refusal(&outcome.text);
        self.refusals += usize::from(is_refused);
        let (name, arguments) = meant(call);
        if !ABOUT_TOOLS.contains(&name) {
            let is_first = self.calls.iter().all(|made| ABOUT_TOOLS.contains(&made.name.as_str()));
            let is_right = name == task.tool;
            self.right_tool |= is_first && is_right;
            self.described_first |= is_right && !is_refused && self.calls.iter().all(|made| !made.is_refused_call());
            self.right_arguments |= is_right && !outcome.is_error && task.is_done_by(arguments);
        }
        let (name, arguments, is_error) = (name.to_owned(), arguments.clone(), outcome.is_error);
        self.calls.push(Made { name, arguments, is_error, is_refused });
    }
}

impl Made {
    fn is_refused_call(&self) -> bool {
        self.is_refused && !ABOUT_TOOLS.contains(&self.name.as_str())
    }
}

/// A signature may follow the error.
fn is_refusal(text: &str) -> bool {
    let first = serde_json::Deserializer::from_str(text).into_iter::<Value>().next();
    let told = first.and_then(Result::ok).unwrap_or_default();
    told.pointer("/error/code").and_then(Value::as_str).is_some_and(|code| REFUSALS.contains(&code))
}

/// The call that is meant: one through `call_tool` is about the tool that it names.
fn meant(call: &Call) -> (&str, &JsonObject) {
    if call.name != CALL_TOOL {
        return (&call.name, &call.arguments);
    }
    let name = call.arguments.get("name").and_then(Value::as_str).unwrap_or(CALL_TOOL);
    (name, call.arguments.get("arguments").and_then(Value::as_object).unwrap_or(&call.arguments))
}

/// What an agent's next turn has to be given, in tokens.
fn cost(given: &Given) -> usize {
    let functions = serde_json::to_string(&given.functions).unwrap_or_default();
    let said = |said: &Said| match said {
        Said::ByUser(text) | Said::Result { text, .. } => estimate_tokens(text),
        Said::ByAgent(reply) => {
            let calls = serde_json::to_string(&reply.calls).unwrap_or_default();
            estimate_tokens(&reply.text) + estimate_tokens(&calls)
        }
    };
    estimate_tokens(&given.system) + estimate_tokens(&functions) + given.said.iter().map(said).sum::<usize>()
}

impl fmt::Display for Trial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let calls: Vec<&str> = self.calls.iter().map(|made| made.name.as_str()).collect();
        match (self.solved_in, &self.failure) {
            (Some(turn), _) => write!(f, "done in turn {turn}")?,
            (None, Some(failure)) => write!(f, "failed ({failure})")?,
            (None, None) => write!(f, "not done")?,
        }
        write!(f, ", {} refused, {} tokens: {}", self.refusals, self.tokens, calls.join(", "))
    }
}
