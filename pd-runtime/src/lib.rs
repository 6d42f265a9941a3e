//! Progressive disclosure for MCP servers.
extern crate self as pd_runtime;

#[doc(hidden)]
pub mod __private;

mod access;
mod caller;
mod catalogue;
#[cfg(feature = "cli")]
pub mod cli;
mod descriptor;
mod disclose;
mod dispatch;
mod gate;
mod hub;
mod nearest;
mod policy;
mod registry;
pub mod serve;
mod server;
mod surface;
mod tokens;
mod tool;

/// Derives [`Provide`] for each field of a state struct.
pub use pd_macros::State;
/// Derives [`IntoToolError`] for an enum of errors.
pub use pd_macros::ToolErrors;
pub use pd_macros::{pd_tool, registry};

pub use access::Principal;
pub use catalogue::digest::Digest;
pub use descriptor::{Hints, SUMMARY_MAX};
pub use policy::{Gate, Listing, MinimalSchema, OnUndisclosed};
pub use registry::{
    Registry,
    builder::RegistryBuilder,
    check::Checked,
    group::{Branch, Group},
    problem::{Fault, Problem, Problems},
    tool::Tool,
};
pub use server::{Bare, PdServer, ServerBuilder, Shared};
pub use tokens::estimate_tokens;
pub use tool::{
    argument::{Args, Argument, Place},
    context::{CallContext, Progress},
    error::{ErrorHelp, IntoToolError, ToolError},
    handler::{Handle, Handler},
    output::{IntoOutput, Json, Outcome},
    state::{Lend, Needs, Provide},
};

/// What an author needs: `use pd_runtime::prelude::*;`.
pub mod prelude {
    pub use crate::{Args, CallContext, Json, PdServer, Provide, Registry, State, ToolError, ToolErrors, pd_tool};
}
