//! The rules of serving: names that clients and surfaces can use, and a worker for programs. A
//! registry can be valid and break them, because they depend on the settings of the server.

use crate::{
    policy::{Policy, meta_tools::MetaTools},
    registry::{
        check::{has_ticket_argument, is_tool_name},
        problem::{RegistryError, RegistryErrorKind},
        tool_spec::ToolSpec,
    },
};

/// Returns problems with the names of meta-tools. A tool with the name of a meta-tool is a problem
/// of that tool (see [`check_servable`]).
pub(super) fn check_meta_tool_names(offered: &MetaTools) -> impl Iterator<Item = RegistryError> {
    // An author can rename meta-tools, so their names are checked like names of tools.
    let twice = offered
        .collision()
        .map(|name| RegistryErrorKind::SameMetaTool {
            name: name.to_owned(),
        });
    let illegal = offered
        .offers
        .iter()
        .filter(|offer| !is_tool_name(&offer.name));
    let illegal = illegal.map(|offer| RegistryErrorKind::BadMetaToolName {
        name: offer.name.to_string(),
    });
    twice
        .into_iter()
        .chain(illegal)
        .map(RegistryError::from_registry)
}

/// Returns a rule of serving that the tool breaks, if any. Applies to declared and run-time tools:
/// surfaces write names into JSON without escaping them.
pub(super) fn check_servable(about: &ToolSpec, policy: &Policy) -> Option<RegistryError> {
    let fault = if !is_tool_name(&about.name) {
        RegistryErrorKind::BadName
    // Only the meta-tools of every listing: `Catalog::new` compares the names of the others once
    // the cost of the list has decided the listing.
    } else if policy.least_meta_tools().find_name(&about.name).is_some() {
        RegistryErrorKind::ReservedName
    } else if has_ticket_argument(about) {
        RegistryErrorKind::ReservedArgument
    } else if is_program(about) && !policy.has_code_worker() {
        RegistryErrorKind::NoCodeWorker
    } else {
        return None;
    };
    Some(problem_of(about, fault))
}

pub(super) fn problem_of(about: &ToolSpec, kind: RegistryErrorKind) -> RegistryError {
    RegistryError {
        tool: about.name.to_string(),
        origin: about.origin.to_string(),
        kind,
    }
}

/// Returns whether a program runs in place of the tool's handler.
fn is_program(about: &ToolSpec) -> bool {
    #[cfg(feature = "code")]
    return about.program.is_some();
    #[cfg(not(feature = "code"))]
    {
        let _ = about;
        false
    }
}
