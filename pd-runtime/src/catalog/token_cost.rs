//! About how many tokens a tool costs a model, by how much of it is shown: estimated once, when it is first asked for.

use super::{definition, description::Description};
use crate::{catalog::signature::Signature, estimate_tokens};
use rmcp::model::Tool;
use std::sync::OnceLock;

/// How much of a tool is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Its name, to code.
    Name,
    /// Its name and summary, in a line.
    Line,
    /// The entry of a minimal list.
    Minimal,
    /// The entry of a list for clients that want it brief.
    Brief,
    /// The entry of a full list.
    Definition,
    /// The full description.
    Description,
    /// The signature.
    Signature,
}

/// Estimates of each form, each made when it is first asked for: most are only where somebody listens. Those of the protocol's
/// generations hardly differ; these are of the later one.
#[derive(Debug, Default)]
pub(crate) struct Costs([OnceLock<u32>; 7]);

/// What is estimated.
pub(super) struct Shown<'a> {
    pub(super) minimal: &'a Tool,
    pub(super) brief: &'a Tool,
    pub(super) full: &'a Tool,
    pub(super) description: &'a dyn Fn() -> &'a Description,
    pub(super) signature: &'a dyn Fn() -> &'a Signature,
}

impl Costs {
    pub(super) fn of(&self, form: Form, shown: &Shown<'_>) -> u32 {
        let estimate = || shown.cost(form);
        self.0.get(form as usize).map_or_else(estimate, |known| *known.get_or_init(estimate))
    }
}

impl Shown<'_> {
    fn cost(&self, form: Form) -> u32 {
        match form {
            Form::Name => 0,
            Form::Line => {
                let summary = self.minimal.description.as_deref().unwrap_or_default();
                estimate(&format!("{} — {summary}", self.minimal.name))
            }
            Form::Minimal => of_tool(self.minimal),
            Form::Brief => of_tool(self.brief),
            Form::Definition => of_tool(self.full),
            Form::Description => written(|text| (self.description)().write(text, None, |_| true)),
            Form::Signature => written(|text| (self.signature)().write(text, None)),
        }
    }
}

fn written(write: impl FnOnce(&mut String)) -> u32 {
    let mut text = String::new();
    write(&mut text);
    estimate(&text)
}

/// Without `_meta`, which is for hosts. What cannot be written as JSON is dear, so that no list is taken for small by it.
fn of_tool(tool: &Tool) -> u32 {
    serde_json::to_string(&definition::for_model(tool)).map_or(u32::MAX / 2, |text| estimate(&text))
}

fn estimate(text: &str) -> u32 {
    estimate_tokens(text).try_into().unwrap_or(u32::MAX)
}
