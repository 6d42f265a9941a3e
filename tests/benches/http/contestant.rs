//! Who takes part, and how each is started.

use super::{
    Failure,
    over_http::client::Era::{self, Inline, Session},
    process::Process,
    theirs,
};
use std::{env, process::Command};

/// A server, and the protocol generation in which it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Contestant {
    /// rmcp with a router that is kept.
    Plain,
    /// Ours.
    Ours,
    /// The guide's server on the Python SDK.
    TwoStage,
    /// A plain server on the TypeScript SDK.
    TypeScript,
    /// [`Contestant::Plain`], where every request carries its own metadata.
    PlainInline,
    /// [`Contestant::Ours`], where every request carries its own metadata and a ticket.
    OursInline,
}

impl Contestant {
    /// Everyone, in the table's order: whoever is compared with each other stands side by side.
    pub(crate) const ALL: [Self; 6] = [
        Self::Plain,
        Self::Ours,
        Self::TwoStage,
        Self::TypeScript,
        Self::PlainInline,
        Self::OursInline,
    ];

    /// What the table calls it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Ours => "ours",
            Self::TwoStage => "python-two-stage",
            Self::TypeScript => "typescript-plain",
            Self::PlainInline => "plain-inline",
            Self::OursInline => "ours-inline",
        }
    }

    /// The protocol generation. What the other languages' servers stand on speaks that of sessions only.
    pub(crate) const fn era(self) -> Era {
        match self {
            Self::Plain | Self::Ours | Self::TwoStage | Self::TypeScript => Session,
            Self::PlainInline | Self::OursInline => Inline,
        }
    }

    /// Whether it needs nothing but this binary.
    pub(crate) const fn is_in_rust(self) -> bool {
        !matches!(self, Self::TwoStage | Self::TypeScript)
    }

    /// Whether a tool must be described before it is called.
    pub(crate) const fn is_gated(self) -> bool {
        matches!(self, Self::Ours | Self::OursInline | Self::TwoStage)
    }

    /// Calls in one batch on each connection: a batch takes everyone some ten milliseconds.
    pub(crate) const fn batch(self) -> u64 {
        match self {
            Self::TwoStage | Self::TypeScript => 10,
            _ => 40,
        }
    }

    /// Starts its server.
    ///
    /// # Errors
    ///
    /// What it needs cannot be installed, or it does not start.
    pub(crate) fn start(self) -> Result<Process, Failure> {
        let mut command = match self {
            Self::Plain | Self::PlainInline => ourselves("plain")?,
            Self::Ours | Self::OursInline => ourselves("ours")?,
            Self::TwoStage => theirs::two_stage()?,
            Self::TypeScript => theirs::typescript()?,
        };
        Process::start(&mut command)
            .map_err(|error| format!("{} does not start: {error}", self.name()).into())
    }
}

fn ourselves(who: &str) -> Result<Command, Failure> {
    let mut command = Command::new(env::current_exe()?);
    command.args(["--serve", who]);
    Ok(command)
}
