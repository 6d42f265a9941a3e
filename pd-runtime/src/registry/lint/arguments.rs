//! Lints about arguments: the information that a model needs to fill them in.

use super::{
    super::{map_keys, tool_spec::ToolSpec},
    correction::{self, Correction},
    words::words,
};
use crate::tool::lint::Lint;
use pd_schema::reader::SchemaRef;

use serde_json::Value;

pub(super) fn check(about: &ToolSpec, warn: &mut impl FnMut(Lint, String)) {
    // Only required arguments: a model can leave out the others.
    let undocumented: Vec<&str> = root(about)
        .required()
        .filter(|name| {
            root(about)
                .property(name)
                .is_some_and(|property| description(property).is_none())
        })
        .collect();
    if about.is_relayed() {
        // One line for each argument, so that equal ones of several tools are summed up.
        for name in undocumented {
            let advice =
                "describe it in `inputSchema` of an overlay, or tell the server's maintainers";
            warn(
                Lint::UndocumentedArgument,
                format!("its required argument `{name}` has no description; {advice}"),
            );
        }
    } else if !undocumented.is_empty() {
        let (subject, have) = if undocumented.len() == 1 {
            ("argument", "has")
        } else {
            ("arguments", "have")
        };
        let names = undocumented.join("`, `");
        warn(
            Lint::UndocumentedArgument,
            format!(
                "its required {subject} `{names}` {have} no description; write `/// …` above, or on the type"
            ),
        );
    }
    for name in names(about) {
        let Some(property) = root(about).property(name) else {
            continue;
        };
        // A list of values explains an argument better than prose, so a short description is enough
        // there.
        let is_listed = property.get("enum").is_some()
            || property.get("const").is_some()
            || property.has_alternatives();
        let text = property
            .get("description")
            .and_then(Value::as_str)
            .filter(|_| !is_listed);
        if text.is_some_and(|text| repeats_name(text, name)) {
            let advice = Correction {
                author: "describe what it is, or where to find one",
                owner: correction::TEXT,
            };
            let words = format!(
                "the description of `{name}` only repeats its name; {}",
                advice.for_tool(about)
            );
            warn(Lint::ArgumentRepeatsName, words);
        }
    }
    check_number_keys(about, warn);
}

/// Reports a warning and not an error: the schema of such a map is right, and another version of
/// serde may read it.
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
    root(about).properties().map(|(name, _)| name)
}

fn root(about: &ToolSpec) -> SchemaRef<'_> {
    SchemaRef::document(&*about.input.schema)
}

/// Returns the description of a property, or of the recursive type that it refers to.
fn description(property: SchemaRef<'_>) -> Option<&str> {
    let text = property
        .get("description")
        .or_else(|| property.target()?.get("description"))?
        .as_str()?;
    (!text.trim().is_empty()).then_some(text)
}

fn repeats_name(description: &str, name: &str) -> bool {
    let mut description_words = words(description);
    description_words.retain(|word| !matches!(word.as_str(), "the" | "a" | "an" | "its"));
    description_words == words(name)
}
