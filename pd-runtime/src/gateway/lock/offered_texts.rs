//! The texts of a server that clients get: those that were approved.

use super::{
    HeldKind,
    review::HeldDefinitions,
    text_definitions::{TextDefinition, text_definitions, to_prompt, to_template},
};
use crate::gateway::{cached_lists::CachedLists, tools::check_text};
use serde_json::Value;
use std::collections::HashMap;

/// The texts of a server beside its tools. Those with invisible characters, and new ones that are
/// held, are not among them.
#[derive(Debug, Clone, Default)]
pub(in crate::gateway) struct OfferedTexts {
    /// The title, the description and the instructions of the server.
    server: Value,
    pub(in crate::gateway) prompts: Vec<Value>,
    pub(in crate::gateway) templates: Vec<Value>,
    /// The reasons why prompts and templates are held, by their name or URI template.
    held_prompts: HashMap<String, String>,
    held_templates: HashMap<String, String>,
}

impl OfferedTexts {
    pub(in crate::gateway) fn new(lists: &CachedLists, held: &HeldDefinitions) -> Self {
        let mut offered = Self::default();
        for (place, text) in text_definitions(lists).into_iter().enumerate() {
            let held = held.get(&place);
            if let Some(held) = held {
                let reasons = match text.kind {
                    HeldKind::Prompt => &mut offered.held_prompts,
                    _ => &mut offered.held_templates,
                };
                reasons.insert(text.name.clone(), held.reason(text.kind, &lists.server));
            }
            let approved = match held {
                Some(held) => held.approved.as_deref().map(|definition| approved_text(&text, definition)),
                None => Some(text.raw.clone()).filter(|raw| check_text(raw).is_ok()),
            };
            let Some(approved) = approved else { continue };
            match text.kind {
                HeldKind::Prompt => offered.prompts.push(approved),
                HeldKind::ResourceTemplate => offered.templates.push(approved),
                HeldKind::Server | HeldKind::Tool => offered.server = approved,
            }
        }
        offered
    }

    /// Returns the server's title, description or instructions.
    pub(in crate::gateway) fn server_text(&self, key: &str) -> Option<&str> {
        self.server.get(key)?.as_str()
    }

    /// Returns why a prompt of this name cannot be read.
    pub(in crate::gateway) fn held_prompt(&self, name: &str) -> Option<&str> {
        self.held_prompts.get(name).map(String::as_str)
    }

    /// Returns the templates that are held, each with the reason.
    pub(in crate::gateway) fn held_templates(&self) -> impl Iterator<Item = (&str, &str)> {
        self.held_templates.iter().map(|(uri, reason)| (uri.as_str(), reason.as_str()))
    }
}

/// Returns a text as it was approved.
fn approved_text(text: &TextDefinition, definition: &Value) -> Value {
    match text.kind {
        HeldKind::Prompt => to_prompt(definition, &text.name),
        HeldKind::ResourceTemplate => to_template(definition, &text.name),
        HeldKind::Server | HeldKind::Tool => definition.clone(),
    }
}
