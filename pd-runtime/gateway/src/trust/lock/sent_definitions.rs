//! What a server sent before its definitions were held. Clients get these texts as long as a
//! definition is held. They get no text of the lock, because others can edit this file.

use super::{
    HeldKind, HeldLists,
    review::HeldDefinitions,
    text_definitions::{ListedTexts, TextDefinition, text_definitions, texts_of},
};
use pd_runtime::upstream::ToolContract;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{collections::HashMap, sync::Arc};

/// The definitions with the approved contracts, as the server sent them. Only definitions that the
/// server lists differently now are among them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SentDefinitions {
    tools: Vec<Value>,
    server: Option<Value>,
    prompts: Vec<Value>,
    templates: Vec<Value>,
}

/// Definitions by name, each in the form of the lock and as the server sent it.
type Candidates<'a> = HashMap<&'a str, Vec<(&'a Value, &'a Value)>>;

impl SentDefinitions {
    /// Finds what the server sent before for each definition that is held. `tools` and `texts` are
    /// from the lists before the ones that `held` belongs to, or from the same, and these are the
    /// definitions that were kept with them.
    pub(crate) fn attach_to(&self, held: &mut HeldLists, tools: &[Value], listed: ListedTexts<'_>) {
        // Also what was kept before, because a server can change a tool again while it is held.
        let tools = tools.iter().chain(&self.tools).map(|tool| (tool, tool));
        set(&mut held.tools, &by_name(tools));
        let mut texts = text_definitions(listed);
        texts.extend(self.texts(listed.server));
        let texts = texts
            .iter()
            .map(|text: &TextDefinition| (&text.definition, &text.raw));
        set(&mut held.texts, &by_name(texts));
    }

    /// Returns the definitions that are offered because others are held.
    pub(crate) fn of_held(held: &HeldLists, listed: ListedTexts<'_>) -> Self {
        let tools = held
            .tools
            .values()
            // Without `sent`, only the lock has the definition, and no client gets it.
            .filter_map(|held| held.sent.as_deref().cloned())
            .collect();
        let mut kept = Self {
            tools,
            ..Self::default()
        };
        if held.texts.is_empty() {
            return kept;
        }
        let texts = text_definitions(listed);
        for (place, held) in &held.texts {
            let (Some(raw), Some(text)) = (held.sent.as_deref().cloned(), texts.get(*place)) else {
                continue;
            };
            match text.kind {
                HeldKind::Prompt => kept.prompts.push(raw),
                HeldKind::ResourceTemplate => kept.templates.push(raw),
                HeldKind::Server | HeldKind::Tool => kept.server = Some(raw),
            }
        }
        kept
    }

    fn texts(&self, server: &str) -> Vec<TextDefinition> {
        let about = self.server.as_ref().and_then(Value::as_object).cloned();
        texts_of(server, about, &self.prompts, &self.templates)
    }
}

fn by_name<'a>(definitions: impl Iterator<Item = (&'a Value, &'a Value)>) -> Candidates<'a> {
    let mut candidates = Candidates::new();
    for (definition, raw) in definitions {
        if let Some(name) = definition.get("name").and_then(Value::as_str) {
            candidates.entry(name).or_default().push((definition, raw));
        }
    }
    candidates
}

fn set(held: &mut HeldDefinitions, candidates: &Candidates<'_>) {
    for held in held.values_mut() {
        let Some(approved) = &held.approved else {
            continue;
        };
        // Compared with the contract, because the server may have sent several versions of a name.
        let mut of_name = candidates.get(approved.name()).into_iter().flatten();
        let found = of_name.find(|(definition, _)| has_contract(definition, approved));
        held.sent = found.map(|(_, raw)| Arc::new((*raw).clone()));
    }
}

fn has_contract(definition: &Value, approved: &ToolContract) -> bool {
    let contract = ToolContract::from_definition(definition);
    contract
        .is_some_and(|contract| contract.with_omissions_of(approved).facts() == approved.facts())
}
