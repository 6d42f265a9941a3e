//! The contracts of tools that another server defines, as its `tools/list` sends them.

use super::{
    ContractChanges, ContractLock,
    compare::compare_tools,
    contract::{ToolContract, normalize},
};
use crate::digest::Digest;
use rmcp::model::JsonObject;
use serde_json::Value;

/// The members of a definition that become separate facts.
const FACTS: &[&str] = &[
    "title",
    "description",
    "inputSchema",
    "outputSchema",
    "annotations",
    "_meta",
    OTHERS,
];
/// The fact with all further members, which reach clients, too. It is a separate object, because
/// a server chooses their names.
const OTHERS: &str = "otherKeys";
/// The member that is the contract's name.
const NAME: &str = "name";
/// The member with icons. An icon may be an image of many kilobytes, so a contract has its digest.
const ICONS: &str = "icons";

impl ToolContract {
    /// Creates the contract of an MCP definition. Returns `None` if the definition has no name, or
    /// a member of the wrong type.
    pub fn from_definition(definition: &Value) -> Option<Self> {
        let name = definition.get("name")?.as_str()?.to_owned();
        let mut facts = JsonObject::new();
        let mut others = JsonObject::new();
        let members = definition
            .as_object()?
            .iter()
            .filter(|(key, _)| *key != NAME);
        // `null` is as good as absent, and servers write either.
        for (key, fact) in members.filter(|(key, fact)| !fact.is_null() && !has_no_icons(key, fact))
        {
            // A member called `otherKeys` is one of the others, too: a server must not replace the
            // whole fact.
            if key == OTHERS || !FACTS.contains(&key.as_str()) {
                others.insert(
                    key.clone(),
                    if key == ICONS {
                        shortened_icons(fact)
                    } else {
                        fact.clone()
                    },
                );
                continue;
            }
            let is_valid = if is_text(key) {
                fact.is_string()
            } else {
                fact.is_object()
            };
            facts.insert(key.clone(), is_valid.then(|| fact.clone())?);
        }
        if let Some(Value::Object(annotations)) = facts.get_mut("annotations") {
            // `null` is as good as absent here, too.
            annotations.retain(|_, value| !value.is_null());
        }
        facts.insert(OTHERS.to_owned(), Value::Object(others));
        Some(Self::from_facts(name, normalize(facts)))
    }

    /// Returns whether this is certainly the contract of an MCP definition. `false` means that the
    /// contracts have to be compared. Most definitions are as they were, so this copies nothing.
    pub fn is_certainly_of(&self, definition: &Value) -> bool {
        let Some(members) = definition.as_object() else {
            return false;
        };
        let own_others = self.facts.get(OTHERS).and_then(Value::as_object);
        // Counted, because this loop does not meet a fact that the definition lacks.
        let mut facts = usize::from(own_others.is_some());
        let mut others = 0;
        for (key, fact) in members
            .iter()
            .filter(|(key, fact)| *key != NAME && !fact.is_null())
        {
            let is_fact = key != OTHERS && FACTS.contains(&key.as_str());
            let own = if is_fact {
                self.facts.get(key)
            } else {
                own_others.and_then(|others| others.get(key))
            };
            let is_same = if key == ICONS {
                own == Some(&shortened_icons(fact))
            } else {
                own == Some(fact)
            };
            if !is_same {
                return false;
            }
            *(if is_fact { &mut facts } else { &mut others }) += 1;
        }
        // Equal counts show that the definition has every fact of the contract.
        facts == self.facts.len() && others == own_others.map_or(0, JsonObject::len)
    }

    fn from_facts(name: String, mut facts: JsonObject) -> Self {
        for key in ["annotations", "_meta", OTHERS] {
            // An empty object is as good as absent, too.
            if facts
                .get(key)
                .and_then(Value::as_object)
                .is_some_and(JsonObject::is_empty)
            {
                facts.shift_remove(key);
            }
        }
        let digest = Digest::from_document(&facts)
            .map(|digest| digest.to_string())
            .unwrap_or_default();
        Self {
            name,
            digest,
            facts,
        }
    }

    /// Returns the value of an annotation, or its default.
    pub fn hint(&self, key: &str, default: bool) -> bool {
        let value = self
            .facts
            .get("annotations")
            .and_then(|annotations| annotations.get(key));
        value.and_then(Value::as_bool).unwrap_or(default)
    }

    /// Adds the annotations and icons of an older contract that this one does not have. Some
    /// servers leave them out at random, which would look like a change.
    #[must_use]
    pub fn with_omissions_of(self, older: &Self) -> Self {
        let Self {
            name, mut facts, ..
        } = self.with_icons_of(older);
        if let Some(Value::Object(older)) = older.facts.get("annotations") {
            let annotations = facts
                .entry("annotations")
                .or_insert_with(|| Value::Object(JsonObject::new()));
            for (key, value) in older {
                let members = annotations.as_object_mut();
                members.map(|members| members.entry(key).or_insert_with(|| value.clone()));
            }
        }
        Self::from_facts(name, facts)
    }

    /// Adds the icons of another contract, if this one has none.
    #[must_use]
    pub fn with_icons_of(self, other: &Self) -> Self {
        let Self {
            name, mut facts, ..
        } = self;
        if let Some(icons) = other.facts.get(OTHERS).and_then(|others| others.get(ICONS)) {
            let others = facts
                .entry(OTHERS)
                .or_insert_with(|| Value::Object(JsonObject::new()));
            others
                .as_object_mut()
                .map(|others| others.entry(ICONS).or_insert_with(|| icons.clone()));
        }
        Self::from_facts(name, facts)
    }

    /// Returns whether the digest belongs to the facts. A number that is not an integer may change
    /// its last bit when it is read, so contracts with one are not checked.
    pub(super) fn has_own_digest(&self) -> bool {
        self.facts.values().any(has_fraction)
            || self.digest
                == Digest::from_document(&self.facts)
                    .map(|digest| digest.to_string())
                    .unwrap_or_default()
    }

    /// Returns the name of the tool.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the parts of the definition by their keys.
    pub fn facts(&self) -> &JsonObject {
        &self.facts
    }

    /// Returns the names of the facts that differ. They contain no text of a server.
    pub fn changed_facts(&self, newer: &Self) -> Vec<&'static str> {
        FACTS
            .iter()
            .copied()
            .filter(|key| self.facts.get(*key) != newer.facts.get(*key))
            .collect()
    }

    /// Returns the changes from this contract to a newer one of the same tool.
    pub fn changes_to(&self, newer: &Self) -> ContractChanges {
        if self.facts == newer.facts {
            ContractChanges::default()
        } else {
            ContractChanges(compare_tools(self, newer))
        }
    }

    /// Returns the size of the contract as JSON, in bytes.
    pub fn size(&self) -> usize {
        serde_json::to_string(&self.facts).map_or(0, |text| text.len()) + self.name.len()
    }
}

/// Returns icons with the digest of each image instead of the image itself. URLs stay.
fn shortened_icons(icons: &Value) -> Value {
    let mut icons = icons.clone();
    for icon in icons.as_array_mut().into_iter().flatten() {
        if let Some(Value::String(source)) = icon.get_mut("src")
            && source
                .get(..5)
                // Schemes of URLs are not case sensitive (RFC 3986, section 3.1).
                .is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
        {
            *source = Digest::from_bytes(source.as_bytes()).to_string();
        }
    }
    icons
}

/// Returns whether a member is an empty list of icons, which is as good as absent.
fn has_no_icons(key: &str, fact: &Value) -> bool {
    key == ICONS && fact.as_array().is_some_and(Vec::is_empty)
}

fn has_fraction(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_f64(),
        Value::Array(items) => items.iter().any(has_fraction),
        Value::Object(members) => members.values().any(has_fraction),
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}

fn is_text(key: &str) -> bool {
    matches!(key, "title" | "description")
}

impl ContractLock {
    /// Creates a lock without tools.
    #[doc(hidden)]
    pub const fn new() -> Self {
        Self { tools: Vec::new() }
    }

    /// Returns the contract of a tool. The tools must be sorted, as [`insert`](Self::insert) keeps
    /// them.
    #[doc(hidden)]
    pub fn get(&self, name: &str) -> Option<&ToolContract> {
        let place = self
            .tools
            .binary_search_by(|tool| tool.name.as_str().cmp(name))
            .ok()?;
        self.tools.get(place)
    }

    /// Inserts a contract, or replaces the contract with the same name. The tools stay sorted by
    /// name.
    #[doc(hidden)]
    pub fn insert(&mut self, contract: ToolContract) {
        match self
            .tools
            .binary_search_by(|tool| tool.name.cmp(&contract.name))
        {
            Ok(place) => self
                .tools
                .get_mut(place)
                .map_or((), |tool| *tool = contract),
            Err(place) => self.tools.insert(place, contract),
        }
    }

    /// Returns the size of all contracts as JSON, in bytes.
    #[doc(hidden)]
    pub fn size(&self) -> usize {
        self.tools.iter().map(ToolContract::size).sum()
    }

    pub(super) fn sort(&mut self) {
        self.tools.sort_by(|a, b| a.name.cmp(&b.name));
    }
}
