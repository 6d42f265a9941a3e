//! The flags of `serve` for clients with sessions that do not last.

use crate::{ServerBuilder, config::SessionPerCall, text::user_directory::user_state};
use clap::{Args, ValueEnum};
use rmcp::ServerHandler;
use std::path::PathBuf;

/// The name of the directory among the state of the user. All servers share it.
const DIRECTORY: &str = "pd-runtime";

/// The treatment of such clients, and what the server keeps for them.
#[derive(Debug, Clone, Args)]
pub(super) struct SessionFlags {
    /// What happens to calls of clients that open a session, or start a process, for each call;
    /// `admit` unless the author of the server chose otherwise
    #[arg(long, value_enum)]
    session_per_call: Option<SessionPerCallFlag>,
    /// The directory for what such clients need of an earlier process: the key of tickets, and
    /// hashes of calls that were refused in the last ten minutes. By default `pd-runtime` in your
    /// state directory on standard input and output, and none with --http
    #[arg(long, value_name = "DIRECTORY", conflicts_with = "no_state")]
    state_dir: Option<PathBuf>,
    /// Keep nothing after this process
    #[arg(long)]
    no_state: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SessionPerCallFlag {
    /// They run if their arguments are valid
    Admit,
    /// They are refused with a ticket, which admits the next call in any session
    Ticket,
    /// They are refused: only the session that has read a description may call the tool
    Refuse,
}

impl SessionFlags {
    /// Applies the flags to the builder.
    pub(super) fn set<S, H>(
        &self,
        mut builder: ServerBuilder<S, H>,
        is_over_http: bool,
    ) -> ServerBuilder<S, H>
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
    {
        if let Some(treatment) = self.session_per_call {
            builder = builder.session_per_call(match treatment {
                SessionPerCallFlag::Admit => SessionPerCall::Admit,
                SessionPerCallFlag::Ticket => SessionPerCall::Ticket,
                SessionPerCallFlag::Refuse => SessionPerCall::Refuse,
            });
        }
        let directory = self.state_dir.clone().or_else(|| {
            // Where sessions are literal, no other process has a part in them.
            let is_used = !self.no_state && !is_over_http && !builder.ignores_state();
            user_state()
                .map(|state| state.join(DIRECTORY))
                .filter(|_| is_used)
        });
        match directory {
            Some(directory) => builder.state_directory(directory),
            None => builder,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::{PdServer, Registry};
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct CommandLine {
        #[command(flatten)]
        options: SessionFlags,
    }

    fn state(flags: &[&str], is_over_http: bool) -> Option<PathBuf> {
        let words = std::iter::once(&"serve").chain(flags);
        let builder = PdServer::builder(Registry::<()>::builder().build().unwrap(), ());
        let builder = CommandLine::try_parse_from(words)
            .unwrap()
            .options
            .set(builder, is_over_http);
        builder.state_directory_as_set().map(Into::into)
    }

    #[test]
    fn state_is_kept_by_default_on_standard_input_and_output_only() {
        let default = user_state().map(|state| state.join(DIRECTORY));
        assert_eq!(state(&[], false), default);
        assert_eq!(state(&["--session-per-call", "ticket"], false), default);
        for flags in [&["--no-state"][..], &["--session-per-call", "refuse"]] {
            assert_eq!(state(flags, false), None, "{flags:?}");
        }
        assert_eq!(state(&[], true), None);
        assert_eq!(state(&["--state-dir", "here"], true), Some("here".into()));
    }
}
