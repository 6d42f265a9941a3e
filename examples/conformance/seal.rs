//! What a call remembers between its rounds: the client carries it, and can neither make nor change it.

use pd_runtime::{
    prelude::*,
    rmcp::{
        ErrorData,
        model::{InputRequiredResult, RequestStateCodec, SealOptions},
    },
};
use serde::{Serialize, de::DeserializeOwned};
use std::{error::Error, time::Duration};

/// How long a user may take to answer.
const PATIENCE: Duration = Duration::from_secs(10 * 60);

/// The key that memories are sealed with.
#[derive(Debug, Clone)]
pub(crate) struct Seal(RequestStateCodec);

impl Seal {
    /// A key of this process; replicas would share one.
    pub(crate) fn random() -> Result<Self, Box<dyn Error>> {
        let mut key = [0; RequestStateCodec::MIN_KEY_LENGTH];
        getrandom::fill(&mut key)?;
        Ok(Self(RequestStateCodec::try_new(key)?))
    }

    /// The questions, with what the next round of this tool has to know.
    pub(crate) fn remember<T: Serialize>(
        &self,
        tool: &str,
        memory: &T,
        mut questions: InputRequiredResult,
    ) -> Result<InputRequiredResult, ToolError> {
        let options = SealOptions::new()
            .associated_data(tool.as_bytes())
            .ttl(PATIENCE);
        questions.request_state = Some(self.0.seal_json_with(memory, &options)?);
        Ok(questions)
    }

    /// What the round before remembered; nothing in the first.
    ///
    /// A memory that is not ours, or another tool's, is an error of the client's, not one that a model can mend.
    pub(crate) fn recall<T: DeserializeOwned>(
        &self,
        tool: &str,
        call: &CallContext,
    ) -> Result<Option<T>, ToolError> {
        let Some(sealed) = call.request_state() else {
            return Ok(None);
        };
        match self.0.open_json_with(sealed, tool.as_bytes()) {
            Ok(memory) => Ok(Some(memory)),
            Err(error) => {
                let told = format!(
                    "`requestState` is not what the server gave: {error}; call without it to start again"
                );
                Err(ToolError::protocol(ErrorData::invalid_params(told, None)))
            }
        }
    }
}
