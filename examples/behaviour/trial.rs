//! One agent at one task: the loop, and what is noted of it.

use super::{
    Failure,
    agent::{Agent, Call, Given, Reply, Said, Usage},
    call_log::ToolCall,
    host::{Host, Outcome, READ_RESOURCE},
    program::{self, RUN_CODE},
    servers::{Site, Subject},
    setting::Setting,
    task::Task,
};
use pd_runtime::{audit::CallOutcome, estimate_tokens};
use serde::Serialize;
use serde_json::Value;
use std::fmt;

/// What the gate's refusals and the resource's have in common (specification v2.1, sections 5 and 6).
const REFUSALS: [&str; 2] = ["TOOL_DESCRIPTION_REQUIRED", "MISSING_TOOL_SELECTION"];
/// Tools about tools, which are not what a task is about.
const ABOUT_TOOLS: [&str; 5] = [
    "list_tools",
    "find_tools",
    "describe_tools",
    READ_RESOURCE,
    RUN_CODE,
];
/// The tools that call another.
pub(crate) const CALL_TOOLS: [&str; 2] = ["call_tool", "call_read_only_tool"];
/// The host's answer to a call that it cannot read.
const UNREADABLE: &str = "This call could not be read: it is not a JSON object with a tool's name and its \
                          arguments. Send it again.";

/// What became of one task.
#[derive(Debug, Serialize)]
pub(crate) struct Trial {
    pub(crate) agent: String,
    pub(crate) seed: u64,
    pub(crate) setting: Setting,
    pub(crate) subject: Subject,
    /// What the user said.
    pub(crate) task: String,
    /// The first of the tools that do it.
    pub(crate) tool: String,
    /// The tool that was called first is a right one.
    pub(crate) right_tool: bool,
    /// It was called only once it was described.
    pub(crate) described_first: bool,
    /// In which turn the task was done.
    pub(crate) solved_in: Option<usize>,
    /// The tokens over all turns.
    pub(crate) usage: Usage,
    pub(crate) turns: Vec<Turn>,
    /// What the agent said instead of calling something.
    pub(crate) words: Option<String>,
    /// Why it ended early.
    pub(crate) failure: Option<String>,
    /// What stood before the conversation.
    #[serde(skip)]
    pub(crate) system: String,
}

/// What an agent wrote in one turn, and what came of it.
#[derive(Debug, Serialize)]
pub(crate) struct Turn {
    pub(crate) wrote: String,
    pub(crate) usage: Usage,
    pub(crate) calls: Vec<MadeCall>,
    pub(crate) unreadable: Vec<String>,
}

/// A call, and how it ended.
#[derive(Debug, Serialize)]
pub(crate) struct MadeCall {
    pub(crate) call: Call,
    pub(crate) is_error: bool,
    pub(crate) is_refused: bool,
    /// The same call was sent before.
    pub(crate) is_repeated: bool,
    /// The calls that the server admitted for it.
    pub(crate) reached: Vec<ToolCall>,
    /// What the agent read.
    pub(crate) result: String,
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
        site: &Site,
        turns: usize,
    ) -> Result<Self, Failure> {
        let host = Host::connect(site).await?;
        let mut trial = Self::begun(agent, task, site);
        let system = site
            .setting
            .system(site.subject, host.instructions().as_deref());
        let mut given = Given {
            system,
            functions: Vec::new(),
            said: vec![Said::ByUser(task.request.clone())],
            has_result: false,
        };
        while trial.turns.len() < turns && trial.solved_in.is_none() {
            given.functions = host.functions().await?;
            if trial.turns.is_empty() {
                trial.system = agent.system(&given);
            }
            let reply = match agent.turn(task, &given).await {
                Ok(reply) => reply,
                Err(failure) => {
                    trial.failure = Some(failure.to_string());
                    break;
                }
            };
            trial.begin_turn(&reply, &given);
            if reply.calls.is_empty() && reply.unreadable.is_empty() {
                trial.words = Some(reply.text);
                break;
            }
            if trial.answer(task, reply, &host, site, &mut given).await {
                trial.solved_in = Some(trial.turns.len());
            }
        }
        Ok(trial)
    }

    fn begun(agent: &dyn Agent, task: &Task, site: &Site) -> Self {
        Self {
            agent: agent.name(),
            seed: agent.seed(),
            setting: site.setting,
            subject: site.subject,
            task: task.request.clone(),
            tool: task.tool().to_owned(),
            right_tool: false,
            described_first: false,
            solved_in: None,
            usage: Usage::default(),
            turns: Vec::new(),
            words: None,
            failure: None,
            system: String::new(),
        }
    }

    fn begin_turn(&mut self, reply: &Reply, given: &Given) {
        let usage = reply.usage.unwrap_or_else(|| estimate(reply, given));
        self.usage.prompt += usage.prompt;
        self.usage.completion += usage.completion;
        let (wrote, unreadable) = (reply.raw.clone(), reply.unreadable.clone());
        self.turns.push(Turn {
            wrote,
            usage,
            calls: Vec::new(),
            unreadable,
        });
    }

    /// Makes the calls of a turn; says whether the task is done.
    async fn answer(
        &mut self,
        task: &Task,
        reply: Reply,
        host: &Host,
        site: &Site,
        given: &mut Given,
    ) -> bool {
        given.said.push(Said::ByAgent(reply.clone()));
        let mut is_done = false;
        for call in reply.calls {
            site.log.take();
            let outcome = host.call(&call).await;
            let made = self.made(&call, outcome, site.log.take());
            given.said.push(Said::Result {
                call,
                text: made.result.clone(),
            });
            given.has_result |= made
                .reached
                .iter()
                .any(|call| call.outcome == CallOutcome::Done);
            is_done |= made
                .reached
                .iter()
                .any(|call| task.is_done_by(&call.tool, &call.arguments, call.outcome));
            self.note(task, made);
        }
        if !reply.unreadable.is_empty() {
            given.said.push(Said::ByUser(UNREADABLE.to_owned()));
        }
        is_done
    }

    fn made(&self, call: &Call, outcome: Outcome, reached: Vec<ToolCall>) -> MadeCall {
        let is_refused = is_refusal(&outcome.text);
        let is_same =
            |made: &MadeCall| made.call.name == call.name && made.call.arguments == call.arguments;
        MadeCall {
            call: call.clone(),
            is_error: outcome.is_error && !is_refused,
            is_refused,
            is_repeated: self.calls().any(is_same),
            reached,
            result: outcome.text,
        }
    }

    fn note(&mut self, task: &Task, made: MadeCall) {
        let name = meant(&made.call);
        if !ABOUT_TOOLS.contains(&name) {
            let is_right = task.accepts_tool(name);
            let is_first = !self.calls().any(|made| made.is_about_task());
            let was_refused = self
                .calls()
                .any(|made| made.is_about_task() && made.is_refused);
            self.right_tool |= is_first && is_right;
            self.described_first |= is_right && !made.is_refused && !was_refused;
        }
        if let Some(turn) = self.turns.last_mut() {
            turn.calls.push(made);
        }
    }

    /// All calls, in order.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &MadeCall> {
        self.turns.iter().flat_map(|turn| &turn.calls)
    }

    pub(crate) fn count(&self, holds: fn(&MadeCall) -> bool) -> usize {
        self.calls().filter(|made| holds(made)).count()
    }

    /// How much was meant as a call and could not be read.
    pub(crate) fn unreadable(&self) -> usize {
        self.turns.iter().map(|turn| turn.unreadable.len()).sum()
    }
}

impl MadeCall {
    fn is_about_task(&self) -> bool {
        !ABOUT_TOOLS.contains(&meant(&self.call))
    }

    /// How it ended, in words.
    pub(crate) fn outcome(&self) -> &'static str {
        match (self.is_refused, self.is_error) {
            (true, _) => "refused",
            (false, true) => "error",
            (false, false) => "ok",
        }
    }
}

/// A signature may follow the error.
fn is_refusal(text: &str) -> bool {
    let first = serde_json::Deserializer::from_str(text)
        .into_iter::<Value>()
        .next();
    let told = first.and_then(Result::ok).unwrap_or_default();
    // A program has a code of its own beside that of the call that failed.
    let mut codes = ["/error/code", "/error/tool_code"]
        .into_iter()
        .filter_map(|code| told.pointer(code)?.as_str());
    codes.any(|code| REFUSALS.contains(&code))
}

/// The call that is meant: one through `call_tool` is about the tool that it names, and a program
/// about the first tool that it calls.
fn meant(call: &Call) -> &str {
    match call.name.as_str() {
        name if CALL_TOOLS.contains(&name) => call
            .arguments
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or(name),
        RUN_CODE => program::first_tool(call).unwrap_or(RUN_CODE),
        name => name,
    }
}

/// What a turn costs, where no endpoint says so.
fn estimate(reply: &Reply, given: &Given) -> Usage {
    let functions = serde_json::to_string(&given.functions).unwrap_or_default();
    let said = |said: &Said| match said {
        Said::ByUser(text) | Said::Result { text, .. } => estimate_tokens(text),
        Said::ByAgent(reply) => written(reply),
    };
    let prompt = estimate_tokens(&given.system)
        + estimate_tokens(&functions)
        + given.said.iter().map(said).sum::<usize>();
    Usage {
        prompt,
        completion: written(reply),
    }
}

fn written(reply: &Reply) -> usize {
    let calls = serde_json::to_string(&reply.calls).unwrap_or_default();
    estimate_tokens(&reply.text) + estimate_tokens(&calls)
}

impl fmt::Display for Trial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.solved_in, &self.failure) {
            (Some(turn), _) => write!(f, "done in turn {turn}")?,
            (None, Some(failure)) => write!(f, "failed ({failure})")?,
            (None, None) => write!(f, "not done")?,
        }
        let calls: Vec<String> = self
            .calls()
            .map(|made| format!("{} ({})", meant(&made.call), made.outcome()))
            .collect();
        write!(f, ", {} tokens: {}", self.usage.prompt, calls.join(", "))
    }
}
