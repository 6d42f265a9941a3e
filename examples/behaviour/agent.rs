//! What an agent is given in each turn, and what it answers.

use super::{Failure, task::Task};
use futures::future::BoxFuture;
use rmcp::model::JsonObject;
use serde::Serialize;

/// Whatever chooses what to call next: a model, or a script.
pub(crate) trait Agent {
    /// What the report calls it.
    fn name(&self) -> String;

    /// The seed of its choices.
    fn seed(&self) -> u64 {
        0
    }

    /// The text before a conversation, as the agent reads it.
    fn system(&self, given: &Given) -> String {
        given.system.clone()
    }

    /// Its answer to what has been said so far. A model is told no more of the task than that.
    fn turn<'a>(
        &'a self,
        task: &'a Task,
        given: &'a Given,
    ) -> BoxFuture<'a, Result<Reply, Failure>>;
}

/// What an agent is given.
#[derive(Debug, Default)]
pub(crate) struct Given {
    pub(crate) system: String,
    pub(crate) functions: Vec<Function>,
    pub(crate) said: Vec<Said>,
    /// Whether a tool returned a result, from which the agent may answer.
    pub(crate) has_result: bool,
}

/// Something that it may call.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) parameters: JsonObject,
}

/// One thing said in a conversation.
#[derive(Debug)]
pub(crate) enum Said {
    ByUser(String),
    ByAgent(Reply),
    /// What a call came to.
    Result {
        call: Call,
        text: String,
    },
}

/// What an agent says in a turn. Without calls it is through.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reply {
    pub(crate) text: String,
    pub(crate) calls: Vec<Call>,
    /// What was meant as a call and is none.
    pub(crate) unreadable: Vec<String>,
    /// The whole text, as it was written.
    pub(crate) raw: String,
    /// What the endpoint charges for the turn, if it says so.
    pub(crate) usage: Option<Usage>,
}

/// The tokens of one turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Usage {
    /// The tokens that the agent read: everything said so far, and its tools.
    pub(crate) prompt: usize,
    /// The tokens that it wrote.
    pub(crate) completion: usize,
}

/// One call.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Call {
    /// Ties its result to it.
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: JsonObject,
}

impl Given {
    /// Whether there is this function.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.function(name).is_some()
    }

    pub(crate) fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|function| function.name == name)
    }

    /// What calls came to so far, in order.
    pub(crate) fn results(&self) -> impl Iterator<Item = (&Call, &str)> {
        self.said.iter().filter_map(|said| match said {
            Said::Result { call, text } => Some((call, text.as_str())),
            Said::ByUser(_) | Said::ByAgent(_) => None,
        })
    }
}
