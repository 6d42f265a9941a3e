//! Lints about arguments: the information that a model needs to fill them in.

use super::{
    super::{map_keys, tool_spec::ToolSpec},
    words::words,
};
use crate::tool::lint::Lint;

use rmcp::model::JsonObject;
use serde_json::Value;

pub(super) fn check(about: &ToolSpec, warn: &mut impl FnMut(Lint, String)) {
    let undocumented: Vec<&str> = required(&about.input.schema)
        .filter(|name| property(about, name).is_some_and(|property| description(about, property).is_none()))
        .collect();
    if !undocumented.is_empty() {
        let (subject, have) = if undocumented.len() == 1 { ("argument", "has") } else { ("arguments", "have") };
        let names = undocumented.join("`, `");
        warn(
            Lint::UndocumentedArgument,
            format!("its required {subject} `{names}` {have} no description; write `/// …` above, or on the type"),
        );
    }
    for name in names(about) {
        let keyword = |key: &str| property(about, name).and_then(|property| property.get(key));
        // A list of values explains an argument better than prose, so a short description is enough
        // there.
        let is_listed = ["enum", "const", "oneOf", "anyOf"].into_iter().any(|key| keyword(key).is_some());
        let text = keyword("description").and_then(Value::as_str).filter(|_| !is_listed);
        if text.is_some_and(|text| repeats_name(text, name)) {
            let words =
                format!("the description of `{name}` only repeats its name; describe what it is, or where to find one");
            warn(Lint::ArgumentRepeatsName, words);
        }
    }
    check_number_keys(about, warn);
}

/// Reports a warning and not an error: the schema of such a map is right, and another version of serde
/// may read it.
fn check_number_keys(about: &ToolSpec, warn: &mut impl FnMut(Lint, String)) {
    for map in map_keys::find(about).iter().filter(|map| map.has_numbers()) {
        let words = format!(
            "no call can fill the map at `{}`: serde reads no number from a key in an untagged or internally tagged \
             enum, or in a flattened field; take text keys, or a list of pairs, `Vec<(Key, Value)>`",
            map.pointer
        );
        warn(Lint::NumberKeys, words);
    }
}

/// Returns the arguments' names, in order.
pub(super) fn names(about: &ToolSpec) -> impl Iterator<Item = &str> {
    properties(about).into_iter().flatten().map(|(name, _)| name.as_str())
}

fn properties(about: &ToolSpec) -> Option<&JsonObject> {
    about.input.schema.get("properties").and_then(Value::as_object)
}

fn property<'a>(about: &'a ToolSpec, name: &str) -> Option<&'a Value> {
    properties(about)?.get(name)
}

fn required(schema: &JsonObject) -> impl Iterator<Item = &str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// Returns the description of a property, or of the recursive type that it refers to.
fn description<'a>(about: &'a ToolSpec, property: &'a Value) -> Option<&'a str> {
    let own = property.get("description");
    let target = || property.get("$ref")?.as_str()?.strip_prefix("#/$defs/");
    let definition = || about.input.schema.get("$defs")?.get(target()?)?.get("description");
    let text = own.or_else(definition)?.as_str()?;
    (!text.trim().is_empty()).then_some(text)
}

fn repeats_name(description: &str, name: &str) -> bool {
    let mut description_words = words(description);
    description_words.retain(|word| !matches!(word.as_str(), "the" | "a" | "an" | "its"));
    description_words == words(name)
}
