//! The errors of a tool in the words of a gateway's owner, who cannot edit the tool.

use super::problem::RegistryErrorKind;
#[cfg(feature = "cli")]
use super::{Registry, problem::RegistryError};

/// What an owner can do about a definition that a server lists.
const ADVICE: &str = "tell the server's maintainers";

impl RegistryErrorKind {
    /// Renders the error of a tool that another server defines.
    pub fn render_for_owner(&self) -> String {
        match self {
            Self::BadName => format!("its name must be 1 to 64 of `A-Z a-z 0-9 _ . -`; {ADVICE}"),
            Self::ReservedName => {
                "its name is that of a meta-tool; set a `prefix` in the `pd` object of its server"
                    .into()
            }
            Self::ReservedArgument => {
                format!(
                    "its argument `disclosure_ticket` has the name of the gateway's own argument; {ADVICE}"
                )
            }
            Self::SelectiveArgument { argument } => {
                format!(
                    "its argument `{argument}` is one that selective tools have; set `selective` to `false` for it"
                )
            }
            Self::DuplicateTool { other } => {
                format!(
                    "another tool has this name ({other}); set another `prefix` in the `pd` object of its server"
                )
            }
            Self::BadSchema { .. } | Self::BadIcon { .. } | Self::BadMeta { .. } => {
                format!("{self}; {ADVICE}")
            }
            // The others are about texts of an overlay, or about code that no upstream has.
            other => other.to_string(),
        }
    }
}

#[cfg(feature = "cli")]
impl<S: 'static> Registry<S> {
    /// Renders an error of this registry for whoever can correct it.
    pub(crate) fn render_problem(&self, error: &RegistryError) -> String {
        let is_relayed = self
            .tool(&error.tool)
            .is_some_and(|tool| tool.about.is_relayed());
        if is_relayed {
            // The name is escaped with the rest where it is shown.
            return format!(
                "tool `{}` ({}): {}",
                error.tool,
                error.origin,
                error.kind.render_for_owner()
            );
        }
        error.to_string()
    }
}
