//! Estimates of how many tokens each form of a tool costs a model. Each is computed once, on first
//! use.

use super::{definition, description_text::ToolDescription};
use crate::{catalog::signature::ToolSignature, estimate_tokens};
use rmcp::model::Tool;
use std::sync::OnceLock;

/// A form in which a tool is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CostForm {
    /// The name only, to code.
    Name,
    /// The name and summary on one line.
    Line,
    /// The entry in a minimal list.
    Minimal,
    /// The entry in a list in outline.
    Outline,
    /// The entry in a list for clients that request brief lists.
    Brief,
    /// The entry in a full list.
    Definition,
    /// The full description.
    Description,
    /// The signature.
    Signature,
}

/// The estimates by form. Most are needed only if telemetry is enabled, so each is computed on
/// first use. The protocol generations differ little; these are for 2026-07-28.
#[derive(Debug, Default)]
pub(crate) struct TokenCosts([OnceLock<u32>; 8]);

/// The texts that an estimate needs.
pub(super) struct CostInputs<'a> {
    pub(super) minimal: &'a dyn Fn() -> &'a Tool,
    pub(super) outline: &'a dyn Fn() -> &'a Tool,
    pub(super) brief: &'a dyn Fn() -> &'a Tool,
    pub(super) full: &'a dyn Fn() -> &'a Tool,
    pub(super) description: &'a dyn Fn() -> &'a ToolDescription,
    pub(super) signature: &'a dyn Fn() -> &'a ToolSignature,
}

impl TokenCosts {
    pub(super) fn get(&self, form: CostForm, shown: &CostInputs<'_>) -> u32 {
        let estimate = || shown.cost(form);
        self.0
            .get(form as usize)
            .map_or_else(estimate, |known| *known.get_or_init(estimate))
    }
}

impl CostInputs<'_> {
    fn cost(&self, form: CostForm) -> u32 {
        match form {
            CostForm::Name => 0,
            CostForm::Line => {
                let minimal = (self.minimal)();
                let summary = minimal.description.as_deref().unwrap_or_default();
                estimate(&format!("{} — {summary}", minimal.name))
            }
            CostForm::Minimal => estimate_definition((self.minimal)()),
            CostForm::Outline => estimate_definition((self.outline)()),
            CostForm::Brief => estimate_definition((self.brief)()),
            CostForm::Definition => estimate_definition((self.full)()),
            CostForm::Description => {
                estimate_text(|text| (self.description)().write(text, None, |_| true))
            }
            CostForm::Signature => estimate_text(|text| (self.signature)().write(text, None)),
        }
    }
}

fn estimate_text(write: impl FnOnce(&mut String)) -> u32 {
    let mut text = String::new();
    write(&mut text);
    estimate(&text)
}

/// Estimates a definition without `_meta`, which is for hosts. A definition that cannot be
/// serialized counts as huge, so that no list passes as small because of it.
fn estimate_definition(tool: &Tool) -> u32 {
    // Half of the maximum leaves room for sums.
    serde_json::to_string(&definition::for_model(tool)).map_or(u32::MAX / 2, |text| estimate(&text))
}

fn estimate(text: &str) -> u32 {
    estimate_tokens(text).try_into().unwrap_or(u32::MAX)
}
