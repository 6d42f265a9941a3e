//! About how many tokens a tool costs a model, by how much of it is shown: estimated once.

use super::{definition, forms::Forms};
use crate::{estimate_tokens, signature::Signature};
use rmcp::model::Tool;

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

/// Estimates of each form. Those of the protocol's generations hardly differ; these are of the later one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    line: u32,
    minimal: u32,
    brief: u32,
    definition: u32,
    description: u32,
    signature: u32,
}

impl Cost {
    pub(crate) fn new(minimal: &Tool, brief: &Tool, forms: &Forms, signature: &Signature) -> Self {
        let (mut description, mut signed) = (String::new(), String::new());
        forms.description.write(&mut description, None, |_| true);
        signature.write(&mut signed, None);
        let summary = minimal.description.as_deref().unwrap_or_default();
        Self {
            line: estimate(&format!("{} — {summary}", minimal.name)),
            minimal: of_tool(minimal),
            brief: of_tool(brief),
            definition: of_tool(&forms.full.tool),
            description: estimate(&description),
            signature: estimate(&signed),
        }
    }

    pub(crate) fn of(&self, form: Form) -> u32 {
        match form {
            Form::Name => 0,
            Form::Line => self.line,
            Form::Minimal => self.minimal,
            Form::Brief => self.brief,
            Form::Definition => self.definition,
            Form::Description => self.description,
            Form::Signature => self.signature,
        }
    }
}

/// Without `_meta`, which is for hosts. What cannot be written as JSON is dear, so that no list is taken for small by it.
fn of_tool(tool: &Tool) -> u32 {
    serde_json::to_string(&definition::for_model(tool)).map_or(u32::MAX / 2, |text| estimate(&text))
}

fn estimate(text: &str) -> u32 {
    estimate_tokens(text).try_into().unwrap_or(u32::MAX)
}
