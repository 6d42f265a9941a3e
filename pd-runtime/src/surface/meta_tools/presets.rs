//! Meta-tools in the form of other systems.

#[cfg(feature = "presets")]
mod call_at;
#[cfg(feature = "presets")]
mod gram;
#[cfg(feature = "presets")]
mod lazy;
#[cfg(feature = "presets")]
mod strata;
#[cfg(feature = "presets")]
mod tree;

use super::{MetaToolReply, arguments::MetaToolArguments};
use crate::{
    disclosure::view::CallerView,
    policy::{
        meta_tools::{MetaTools, OfferedMetaTool},
        preset_role::PresetRole,
    },
};
use rmcp::model::Tool;

/// Returns the list entry of a preset's meta-tool.
#[cfg(feature = "presets")]
pub(super) fn definition(offer: &OfferedMetaTool, role: PresetRole, view: &CallerView<'_>) -> Tool {
    match role {
        PresetRole::Tree(role) => tree::definition(offer, role),
        PresetRole::Category => lazy::definition(offer),
        PresetRole::Gram(role) => gram::definition(offer, role, view),
        PresetRole::Strata(role) => strata::definition(offer, role, view),
        PresetRole::CallAt(argument) => call_at::definition(offer, argument),
    }
}

/// Calls a preset's meta-tool.
///
/// # Errors
///
/// Returns an error with what to send instead.
#[cfg(feature = "presets")]
pub(super) async fn call(
    offer: &OfferedMetaTool,
    role: PresetRole,
    arguments: MetaToolArguments,
    view: &CallerView<'_>,
) -> Result<MetaToolReply, String> {
    match role {
        PresetRole::Tree(role) => Ok(tree::call(role, &arguments, view).await.into()),
        PresetRole::Category => Ok(lazy::call(&arguments, view).into()),
        PresetRole::Gram(role) => Ok(gram::call(role, &arguments, view).await.into()),
        PresetRole::Strata(role) => strata::call(offer, role, arguments, view).await,
        PresetRole::CallAt(argument) => call_at::call(offer, argument, arguments, view),
    }
}

/// Returns the workflow of a preset that has its own words for tools.
#[cfg(feature = "presets")]
pub(crate) fn workflow(offered: &MetaTools) -> Option<String> {
    strata::workflow(offered)
}

#[cfg(not(feature = "presets"))]
pub(crate) fn workflow(_: &MetaTools) -> Option<String> {
    None
}

#[cfg(not(feature = "presets"))]
pub(super) fn definition(_: &OfferedMetaTool, role: PresetRole, _: &CallerView<'_>) -> Tool {
    // Without the feature, `PresetRole` has no variants, so this is never reached.
    match role {}
}

#[cfg(not(feature = "presets"))]
#[expect(
    clippy::unused_async,
    reason = "the feature `presets` has the same signature"
)]
pub(super) async fn call(
    _: &OfferedMetaTool,
    role: PresetRole,
    _: MetaToolArguments,
    _: &CallerView<'_>,
) -> Result<MetaToolReply, String> {
    match role {}
}
