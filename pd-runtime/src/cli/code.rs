//! `serve --code`: programs that call tools. A server with programs as tools needs no flag.

use super::CliError;
use crate::{
    ServerBuilder,
    code::{CodeMode, rehearsal},
};
use clap::Args;
use rmcp::ServerHandler;

/// The flags of code mode.
#[derive(Debug, Clone, Args)]
pub(super) struct CodeFlags {
    /// Let the model write programs that call tools: offer `find_tools`, `describe_tools` and
    /// `run_code`, and list nothing else but eager tools. Programs call read-only tools
    #[arg(long)]
    code: bool,
    /// Let programs call this tool, too, although it may change something; repeat it for several
    #[arg(long, value_name = "TOOL", requires = "code")]
    code_allow: Vec<String>,
}

impl CodeFlags {
    /// Returns whether models write programs.
    pub(super) const fn is_set(&self) -> bool {
        self.code
    }

    /// Sets code mode on the builder.
    ///
    /// # Errors
    ///
    /// Returns an error if the system does not tell the path of this program.
    pub(super) fn set<S, H>(
        &self,
        builder: ServerBuilder<S, H>,
    ) -> Result<ServerBuilder<S, H>, CliError>
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
    {
        if !self.code {
            return Ok(builder);
        }
        // The author may have set limits, and tools that programs may call.
        let mode = builder
            .worker()
            .cloned()
            .map_or_else(CodeMode::from_current_exe, Ok)?;
        Ok(builder.code_mode(mode.allow(&self.code_allow)))
    }

    /// Checks that a worker starts, so that a server that cannot run programs does not start
    /// either.
    ///
    /// # Errors
    ///
    /// Returns the reason why no worker starts.
    pub(super) async fn check_worker<S, H>(
        &self,
        builder: &ServerBuilder<S, H>,
    ) -> Result<(), CliError>
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
    {
        match builder.worker().filter(|_| self.code) {
            Some(mode) => Ok(rehearsal::check_worker(mode)
                .await
                .map_err(|error| format!("--code: {error}"))?),
            None => Ok(()),
        }
    }
}

/// Sets this program as the worker, if the server has programs as tools and no worker. The caller
/// must have called [`run_worker_if_requested`](crate::code::run_worker_if_requested).
pub(super) fn with_worker<S, H>(builder: ServerBuilder<S, H>) -> ServerBuilder<S, H>
where
    S: Send + Sync + 'static,
    H: ServerHandler,
{
    if builder.worker().is_some() || builder.registry().count_programs() == 0 {
        return builder;
    }
    match CodeMode::from_current_exe() {
        Ok(mode) => builder.code_worker(mode),
        // `build` reports that the worker is missing.
        Err(_) => builder,
    }
}
