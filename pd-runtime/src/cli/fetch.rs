//! `serve --fetch-from …`: flags to what consumers may fetch.

use super::CliError;
use crate::ServerBuilder;
use clap::Args;
use rmcp::ServerHandler;

/// From where rows are fetched.
#[derive(Debug, Clone, Args)]
pub(super) struct FetchFlags {
    /// Let tools fetch rows that another server keeps from this origin, e.g. https://data.example.com, while its addresses are
    /// public; may be repeated
    #[arg(long, value_name = "ORIGIN")]
    fetch_from: Vec<String>,
    /// The same from an origin whose addresses may be private, e.g. http://127.0.0.1:9000; may be repeated
    #[arg(long, value_name = "ORIGIN")]
    fetch_from_private: Vec<String>,
}

impl FetchFlags {
    /// The builder with what the flags allow beside the author's own policy.
    ///
    /// # Errors
    ///
    /// Something is no origin.
    pub(super) fn set<S, H>(&self, builder: ServerBuilder<S, H>) -> Result<ServerBuilder<S, H>, CliError>
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
    {
        let Self { fetch_from, fetch_from_private } = self;
        if fetch_from.is_empty() && fetch_from_private.is_empty() {
            return Ok(builder);
        }
        let policy = builder.fetch_policy();
        let policy = fetch_from.iter().try_fold(policy, |policy, origin| policy.allow(origin))?;
        let policy = fetch_from_private.iter().try_fold(policy, |policy, origin| policy.allow_private(origin))?;
        Ok(builder.fetch(policy))
    }
}
