//! The variables that the process of an upstream does not get, in the reasons of its failures.

use super::Upstream;
use crate::{
    config::ServerTransport,
    connection::start_error::StartError,
    failure::failure_text::FailureText,
    transport::child_environment::{render_withheld, withheld_from},
};
use std::collections::BTreeSet;

impl Upstream {
    pub(crate) fn withheld_variables(&self) -> BTreeSet<&'static str> {
        match &self.entry.transport {
            ServerTransport::Stdio(server) => {
                withheld_from(server, &self.entry.settings.inherit_env).collect()
            }
            ServerTransport::Http(_) | ServerTransport::Sse(_) | ServerTransport::OpenApi(_) => {
                BTreeSet::new()
            }
        }
    }

    /// Adds the variables that the process does not get to the reason why it ended.
    pub(crate) fn with_withheld_variables(&self, reason: &FailureText) -> FailureText {
        let names: Vec<_> = self.withheld_variables().into_iter().collect();
        render_withheld(&names).map_or_else(
            || reason.clone(),
            |advice| reason.clone().with_advice(advice),
        )
    }

    /// Returns why a start failed, with the variables that the process did not get.
    pub(crate) fn start_reason(&self, error: &StartError) -> FailureText {
        // A program that was not found needs none of them.
        match error {
            StartError::Unusable(_) => error.failure(),
            _ => self.with_withheld_variables(&error.failure()),
        }
    }
}
