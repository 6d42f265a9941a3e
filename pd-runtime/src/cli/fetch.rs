//! `serve --fetch-from …`: the origins from which tools may fetch rows.

use super::CliError;
use crate::ServerBuilder;
use clap::Args;
use rmcp::ServerHandler;

/// The origins from which rows are fetched.
#[derive(Debug, Clone, Args)]
pub(super) struct FetchFlags {
    /// Let tools fetch rows of other servers from this origin, e.g. https://data.example.com, if
    /// its addresses are public; may be repeated
    #[arg(long, value_name = "ORIGIN")]
    fetch_from: Vec<String>,
    /// Let tools fetch rows from this origin, whose addresses may be private, e.g.
    /// http://127.0.0.1:9000; may be repeated
    #[arg(long, value_name = "ORIGIN")]
    fetch_from_private: Vec<String>,
}

impl FetchFlags {
    /// Adds the origins to the author's own fetch policy.
    ///
    /// # Errors
    ///
    /// Returns an error if a value is not a valid origin.
    pub(super) fn set<S, H>(
        &self,
        builder: ServerBuilder<S, H>,
    ) -> Result<ServerBuilder<S, H>, CliError>
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
    {
        let Self {
            fetch_from,
            fetch_from_private,
        } = self;
        // Without flags the author's policy stays untouched, including a policy that allows
        // nothing.
        if fetch_from.is_empty() && fetch_from_private.is_empty() {
            return Ok(builder);
        }
        let policy = builder.fetch_policy();
        let policy = fetch_from
            .iter()
            .try_fold(policy, |policy, origin| policy.allow(origin))?;
        let policy = fetch_from_private
            .iter()
            .try_fold(policy, |policy, origin| policy.allow_private(origin))?;
        Ok(builder.fetch(policy))
    }
}
