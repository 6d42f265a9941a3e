//! The texts of a server that clients get, because they were approved.

use super::{
    HeldKind,
    review::{HeldDefinition, HeldDefinitions},
    text_definitions::{ListedTexts, TextDefinition, text_definitions},
};
use crate::message::{
    definition_text::check_text,
    odd_entry::{check_type, without_name},
    resource_uri::check_template,
};
use rmcp::model::{Prompt, ResourceTemplate};
use serde_json::{Value, json};
use std::collections::HashMap;

/// The texts of a server beside its tools. Texts that hide characters, and new texts that are held,
/// are not among them.
#[derive(Debug, Clone, Default)]
pub(crate) struct OfferedTexts {
    /// The title, the description and the instructions of the server.
    server: Value,
    pub(crate) prompts: Vec<Value>,
    pub(crate) templates: Vec<Value>,
    /// The prompts and templates that are held, by their name or URI template.
    held_prompts: HashMap<String, HeldText>,
    held_templates: HashMap<String, HeldText>,
    /// What is left out, each with the reason.
    pub(crate) left_out: Vec<(String, String)>,
}

/// A prompt or template that is held.
#[derive(Debug, Clone)]
pub(crate) struct HeldText {
    /// Why it cannot be read.
    pub(crate) reason: String,
    /// Whether no version of it was approved. Then it is not listed.
    pub(crate) is_new: bool,
}

impl OfferedTexts {
    pub(crate) fn new(listed: ListedTexts<'_>, held: &HeldDefinitions) -> Self {
        let mut offered = Self::default();
        for (list, noun, key) in [
            (listed.prompts, "prompt", "name"),
            (listed.templates, "resource template", "uriTemplate"),
        ] {
            let unnamed = list
                .iter()
                .filter(|entry| !entry.get(key).is_some_and(Value::is_string));
            offered
                .left_out
                .extend(unnamed.map(|_| without_name(noun, key)));
        }
        for (place, text) in text_definitions(listed).into_iter().enumerate() {
            if let Err(reason) = check(&text) {
                offered
                    .left_out
                    .push((format!("{} {}", text.kind.as_str(), text.name), reason));
                // A held text is listed as it was sent before, which was checked then.
                if !held.contains_key(&place) {
                    continue;
                }
            }
            match held.get(&place) {
                Some(held) => offered.add_held(&text, held, listed.server),
                None => offered.add(text.kind, text.raw),
            }
        }
        offered
    }

    fn add(&mut self, kind: HeldKind, text: Value) {
        match kind {
            HeldKind::Prompt => self.prompts.push(text),
            HeldKind::ResourceTemplate => self.templates.push(text),
            HeldKind::Server | HeldKind::Tool => self.server = text,
        }
    }

    /// Adds a text that is held as the server sent it before, or with its name alone.
    fn add_held(&mut self, text: &TextDefinition, held: &HeldDefinition, server: &str) {
        let reason = held.reason(text.kind, server);
        let note = format!("Held: {reason}");
        let is_new = held.approved.is_none();
        let name_alone = match text.kind {
            HeldKind::Prompt => {
                self.held_prompts
                    .insert(text.name.clone(), HeldText { reason, is_new });
                json!({ "name": text.name, "description": note })
            }
            HeldKind::ResourceTemplate => {
                self.held_templates
                    .insert(text.name.clone(), HeldText { reason, is_new });
                json!({ "uriTemplate": text.name, "name": text.name, "description": note })
            }
            HeldKind::Server | HeldKind::Tool => Value::Null,
        };
        // The lock has the approved text, too, but others can edit that file. So the name alone is
        // offered if no text of the server itself is known.
        if !is_new {
            self.add(
                text.kind,
                held.sent.as_deref().cloned().unwrap_or(name_alone),
            );
        }
    }

    /// Returns the server's title, description or instructions.
    pub(crate) fn server_text(&self, key: &str) -> Option<&str> {
        self.server.get(key)?.as_str()
    }

    /// Returns why a prompt of this name cannot be read.
    pub(crate) fn held_prompt(&self, name: &str) -> Option<&str> {
        self.held_prompts.get(name).map(|held| held.reason.as_str())
    }

    /// Returns the own names of the prompts that clients can ask for: those that are listed, and
    /// new ones, which are refused with the reason.
    pub(crate) fn prompt_names(&self) -> impl Iterator<Item = &str> {
        let listed = self
            .prompts
            .iter()
            .filter_map(|prompt| prompt.get("name")?.as_str());
        listed.chain(self.held_prompts.keys().map(String::as_str))
    }

    /// Returns the URI templates that are listed.
    pub(crate) fn template_uris(&self) -> impl Iterator<Item = &str> {
        self.templates
            .iter()
            .filter_map(|template| template.get("uriTemplate")?.as_str())
    }

    /// Returns why a template is held.
    pub(crate) fn held_template(&self, uri: &str) -> Option<&HeldText> {
        self.held_templates.get(uri)
    }

    /// Returns the templates that are new and held.
    pub(crate) fn new_templates(&self) -> impl Iterator<Item = (&str, &HeldText)> {
        self.held_templates
            .iter()
            .filter(|(_, held)| held.is_new)
            .map(|(uri, held)| (uri.as_str(), held))
    }
}

/// Checks that a person sees all of a text, that it is one of MCP, and that a template has its own
/// URIs.
fn check(text: &TextDefinition) -> Result<(), String> {
    if text.kind == HeldKind::ResourceTemplate {
        check_template(&text.name)?;
    }
    check_text(&text.raw)?;
    match text.kind {
        HeldKind::Prompt => check_type::<Prompt>(&text.raw),
        HeldKind::ResourceTemplate => check_type::<ResourceTemplate>(&text.raw),
        HeldKind::Server | HeldKind::Tool => Ok(()),
    }
}
