//! Lints about what model providers and hosts do with a tool: schemas that providers refuse, and
//! names that are too long behind the prefix of a host. Each message contains the rule, the
//! providers, and what to write.

use super::{super::tool_spec::ToolSpec, correction::DefinitionKind};
use crate::{text::escape::one_line, tool::lint::Lint};
use pd_schema::{
    pointer,
    provider_fit::{NAME_MAX as PROPERTY_NAME_MAX, ProviderMisfit, is_plain, provider_fit},
};

/// The longest name that leaves room for a prefix: providers accept 64 characters.
const NAME_MAX: usize = 40;
/// The most places in a warning.
const PLACES_MAX: usize = 3;

const UPSTREAM: &str = "leave it out with `pd.exclude`, or tell the server's maintainers";
const OTHER_CRATE: &str = "if the type is another crate's, disable the route with `with_disabled` and declare the tool with `#[pd_tool]`";

pub(super) fn check(about: &ToolSpec, warn: &mut impl FnMut(Lint, String)) {
    let kind = DefinitionKind::new(about);
    let length = about.name.chars().count();
    if length > NAME_MAX {
        let words = format!(
            "its name has {length} characters; OpenAI and Anthropic refuse more than 64, and hosts put up to 24 before it, as in \
             `mcp__SERVER__`; {}",
            shorter_name(kind)
        );
        warn(Lint::LongName, words);
    }
    for words in refusals(&provider_fit(&about.input.schema), kind) {
        warn(Lint::RefusedSchema, words);
    }
}

fn shorter_name(kind: DefinitionKind) -> String {
    match kind {
        DefinitionKind::Function => {
            format!(
                "write `#[pd_tool(name = \"…\")]` with at most {NAME_MAX}, or a shorter prefix in `with_prefix`"
            )
        }
        DefinitionKind::RmcpRouter => {
            format!("write `#[tool(name = \"…\")]` with at most {NAME_MAX}")
        }
        DefinitionKind::RunTime => format!("name it in at most {NAME_MAX} where the tool is made"),
        DefinitionKind::Upstream => {
            "set a shorter `prefix` in the `pd` object of its server".to_owned()
        }
    }
}

/// Renders one text for each rule that the schema breaks.
fn refusals(misfits: &[ProviderMisfit], kind: DefinitionKind) -> Vec<String> {
    let mut unions = Vec::new();
    let mut names = Vec::new();
    let mut untyped = Vec::new();
    for misfit in misfits {
        match misfit {
            ProviderMisfit::RootUnion(keyword) => unions.push(*keyword),
            ProviderMisfit::PropertyName(pointer) => names.push(pointer.as_str()),
            ProviderMisfit::Untyped(pointer) => untyped.push(pointer.as_str()),
        }
    }
    let mut texts = Vec::new();
    if !unions.is_empty() {
        let verb = if unions.len() == 1 { "is" } else { "are" };
        texts.push(format!(
            "{} {verb} at the root of its input schema, where OpenAI and Anthropic take an object without unions and refuse \
             each request with another one; {}",
            listed(&unions),
            without_union(kind)
        ));
    }
    if let Some(first) = names.first() {
        texts.push(format!(
            "{}: names of properties have 1 to {PROPERTY_NAME_MAX} characters out of `A-Z`, `a-z`, `0-9`, `_`, `.` and `-`, or \
             Anthropic refuses each request with the tool; {}",
            listed(&names),
            plain_name(first, kind)
        ));
    }
    if !untyped.is_empty() {
        let verb = if untyped.len() == 1 { "has" } else { "have" };
        texts.push(format!(
            "{} {verb} no `type`, so Gemini, Kimi and OpenAI's strict mode refuse each request with the tool; {}",
            listed(&untyped),
            with_type(kind)
        ));
    }
    texts
}

fn without_union(kind: DefinitionKind) -> String {
    let fields = "leave out `#[serde(flatten)]` at the enum, which makes it one argument, or take the fields of its variants as \
                  `Option`s";
    match kind {
        DefinitionKind::Function => fields.to_owned(),
        DefinitionKind::RmcpRouter => format!("in the type of `Parameters`, {fields}; {OTHER_CRATE}"),
        DefinitionKind::RunTime => {
            "list the properties of all branches in `properties`, the names that every branch requires in `required`, and \
             refuse other combinations in the handler"
                .to_owned()
        }
        DefinitionKind::Upstream => UPSTREAM.to_owned(),
    }
}

fn plain_name(pointer: &str, kind: DefinitionKind) -> String {
    let name = suggested_name(pointer);
    let name = name.as_deref().unwrap_or("…");
    let field = format!("write `#[serde(rename = \"{name}\")]` at the field");
    let sent = "use the other name where the tool passes the value on";
    match kind {
        DefinitionKind::Function => format!("{field}, and {sent}"),
        DefinitionKind::RmcpRouter => {
            format!("{field} of the type in `Parameters`, and {sent}; {OTHER_CRATE}")
        }
        DefinitionKind::RunTime if name == "…" => {
            format!("choose such a name in the schema, and {sent}")
        }
        DefinitionKind::RunTime => format!("write `{name}` in the schema, and {sent}"),
        DefinitionKind::Upstream => UPSTREAM.to_owned(),
    }
}

fn with_type(kind: DefinitionKind) -> String {
    let types = "a struct or an enum with `JsonSchema`, `serde_json::Map<String, Value>` for any object, or a `String` that \
                 holds JSON";
    match kind {
        DefinitionKind::Function => format!("instead of `serde_json::Value`, take {types}"),
        DefinitionKind::RmcpRouter => {
            format!("in the type of `Parameters`, write instead of `serde_json::Value` {types}; {OTHER_CRATE}")
        }
        DefinitionKind::RunTime => {
            "add `\"type\"` to the schema; for several types, write `anyOf` with a `type` in each branch".to_owned()
        }
        DefinitionKind::Upstream => UPSTREAM.to_owned(),
    }
}

/// Returns a name that providers accept instead of the last one of a pointer, if it is still
/// readable.
fn suggested_name(pointer: &str) -> Option<String> {
    let own = pointer::unescaped(pointer.rsplit('/').next()?.into());
    let mut name = String::new();
    for character in own.chars() {
        match character {
            'A'..='Z' | 'a'..='z' | '0'..='9' | '.' | '-' => name.push(character),
            // Two marks in a row become one.
            _ if character.is_ascii() => {
                if !name.is_empty() && !name.ends_with('_') {
                    name.push('_');
                }
            }
            // A name in another script has no readable form in ASCII.
            _ => return None,
        }
    }
    let name = name.trim_end_matches('_');
    is_plain(name).then(|| name.to_owned())
}

/// Lists words or places in code, the first few.
fn listed(items: &[&str]) -> String {
    let mut shown: Vec<_> = items
        .iter()
        .take(PLACES_MAX)
        .map(|item| format!("`{}`", one_line(item)))
        .collect();
    let more = items.len().saturating_sub(PLACES_MAX);
    shown.extend((more > 0).then(|| format!("{more} more")));
    match shown.pop() {
        Some(last) if shown.is_empty() => last,
        Some(last) => format!("{} and {last}", shown.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests;
