//! `serve --code`: programs that call tools.

use super::CliError;
use crate::{ServerBuilder, code::CodeMode};
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
    /// Sets code mode on the builder.
    ///
    /// # Errors
    ///
    /// Returns an error if the system does not tell the path of this program.
    pub(super) fn set<S, H>(&self, builder: ServerBuilder<S, H>) -> Result<ServerBuilder<S, H>, CliError>
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
    {
        if !self.code {
            return Ok(builder);
        }
        Ok(builder.code_mode(CodeMode::from_current_exe()?.allow(&self.code_allow)))
    }
}
