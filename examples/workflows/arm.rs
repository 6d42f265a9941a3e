//! The four ways of doing the same work.

use pd_runtime::{Listing, ServerBuilder, code::CodeMode};
use serde::Serialize;
use std::fmt;

/// How a server shows its tools, and how its agent calls them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Arm {
    /// All tools are listed in full and called directly.
    Full,
    /// Tools are found, described, and called through `call_tool`.
    FindAndCall,
    /// The same with the narrowest arguments: columns of selective tools, smaller answers of others.
    FindAndSelect,
    /// Tools are found and described, and a program calls them.
    RunCode,
}

impl Arm {
    pub(crate) const ALL: [Self; 4] = [
        Self::Full,
        Self::FindAndCall,
        Self::FindAndSelect,
        Self::RunCode,
    ];

    /// Configures a server of this kind.
    pub(crate) fn apply<S: Send + Sync + 'static>(
        self,
        server: ServerBuilder<S>,
        mode: &CodeMode,
    ) -> ServerBuilder<S> {
        match self {
            Self::Full => server.listing(Listing::Full),
            Self::FindAndCall | Self::FindAndSelect => server.listing(Listing::Eager),
            Self::RunCode => server.code_mode(mode.clone()),
        }
    }

    /// Whether the agent finds tools and reads their descriptions before it calls them.
    pub(crate) fn discloses(self) -> bool {
        self != Self::Full
    }
}

impl fmt::Display for Arm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full => "all tools in full",
            Self::FindAndCall => "find + call",
            Self::FindAndSelect => "find + selective call",
            Self::RunCode => "run_code",
        })
    }
}
