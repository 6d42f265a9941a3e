//! The texts that callers read, with their places: in a tool, a group, a bundle, or the server's
//! instructions.

use super::super::{Registry, group::GroupView, tool_spec::ToolSpec};
use rmcp::model::JsonObject;
use serde_json::Value;
use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

/// The scopes of a caller who reads a text. Callers with more scopes read it, too.
pub(super) type ReaderScopes<'a> = HashSet<&'a str>;

/// A text outside of tools: the server's instructions, or a text of a group or bundle.
#[derive(Debug)]
pub(super) struct SharedText<'a> {
    pub(super) place: String,
    pub(super) text: &'a str,
    /// The minimal readers of the text: each sees one of the tools that it belongs to, and has only
    /// that tool's scopes.
    pub(super) readers: Vec<ReaderScopes<'a>>,
    /// The correction for the owner of a gateway, if the text is one of a server behind it.
    pub(super) owner_advice: Option<&'static str>,
}

/// The keywords of a schema that contain texts.
const SCHEMA_TEXTS: [&str; 3] = ["$comment", "description", "title"];

/// Returns the texts of a tool's descriptions, listings and errors. Values in examples are not
/// included.
pub(super) fn tool_texts(about: &ToolSpec) -> Vec<(&'static str, Cow<'_, str>)> {
    let mut texts: Vec<(&'static str, Cow<'_, str>)> = vec![
        ("summary", Cow::Borrowed(&about.summary)),
        ("description", Cow::Borrowed(&about.description)),
    ];
    texts.extend(
        about
            .title
            .iter()
            .map(|text| ("title", Cow::Borrowed(text.as_ref()))),
    );
    texts.extend(
        about
            .usage
            .guidance
            .iter()
            .map(|text| ("guidance", Cow::Borrowed(text.as_ref()))),
    );
    texts.extend(
        about
            .usage
            .notes
            .iter()
            .map(|text| ("notes", Cow::Borrowed(text.as_ref()))),
    );
    texts.extend(
        about
            .usage
            .deprecated
            .iter()
            .map(|text| ("deprecation", Cow::Borrowed(text.as_ref()))),
    );
    texts.extend(
        about
            .rules
            .unavailable
            .iter()
            .map(|text| ("reason for being unavailable", Cow::Borrowed(text.as_ref()))),
    );
    for help in about.usage.errors.iter().chain(about.declared.error_type) {
        texts.extend(
            [&help.cause, &help.solution].map(|text| ("error help", Cow::Borrowed(text.as_ref()))),
        );
    }
    for example in &about.usage.examples {
        texts.extend(
            [&example.description, &example.explanation]
                .map(|text| ("examples", Cow::Borrowed(text.as_ref()))),
        );
    }
    texts.extend(schema_texts(&about.input.schema).map(|text| ("input schema", text)));
    texts.extend(
        about
            .output_schema
            .iter()
            .flat_map(|schema| schema_texts(schema))
            .map(|text| ("output schema", text)),
    );
    texts
}

fn schema_texts(schema: &JsonObject) -> impl Iterator<Item = Cow<'_, str>> {
    // With a stack of its own instead of recursion: lints run on registries that `check` has not
    // bounded.
    let mut texts = Vec::new();
    let mut open = Vec::new();
    gather(schema, &mut open, &mut texts);
    while let Some(value) = open.pop() {
        match value {
            Value::Object(object) => gather(object, &mut open, &mut texts),
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    texts.into_iter().map(Cow::Borrowed)
}

fn gather<'a>(object: &'a JsonObject, open: &mut Vec<&'a Value>, texts: &mut Vec<&'a str>) {
    for (key, value) in object {
        match value {
            Value::String(text) if SCHEMA_TEXTS.contains(&key.as_str()) => texts.push(text),
            value => open.push(value),
        }
    }
}

/// Returns the texts outside of tools.
pub(super) fn shared_texts<S: 'static>(registry: &Registry<S>) -> Vec<SharedText<'_>> {
    let scopes: HashMap<&str, ReaderScopes<'_>> = registry
        .tools
        .iter()
        .map(|tool| (tool.name(), tool.scopes().collect()))
        .collect();
    let readers = |tools: &mut dyn Iterator<Item = &String>| {
        tools
            .filter_map(|tool| scopes.get(tool.as_str()).cloned())
            .collect::<Vec<_>>()
    };
    // Every client receives the instructions with `initialize`, so their minimal reader has no
    // scope.
    let place = "the server's instructions".to_owned();
    let readers_of_server = vec![ReaderScopes::new()];
    let text = &registry.info.instructions;
    let mut texts = vec![SharedText {
        place,
        text,
        readers: readers_of_server,
        owner_advice: None,
    }];
    let mut groups: Vec<(String, &GroupView)> = registry
        .groups
        .iter()
        .rev()
        .map(|group| (format!("/{}", group.name), group))
        .collect();
    while let Some((path, group)) = groups.pop() {
        let readers = readers(&mut tools_within(group).into_iter());
        let is_relayed = registry.is_relayed_group(&group.name);
        for (key, text, advice) in [
            (
                "summary",
                &group.summary,
                "set another `summary` in its server's `pd` object",
            ),
            (
                "instructions",
                &group.instructions,
                "tell the server's maintainers",
            ),
        ] {
            let place = format!("the {key} of group `{path}`");
            let readers = readers.clone();
            texts.push(SharedText {
                place,
                text,
                readers,
                owner_advice: is_relayed.then_some(advice),
            });
        }
        // `pop` takes from the end, so the reversed order visits groups as they are declared.
        groups.extend(
            group
                .groups
                .iter()
                .rev()
                .map(|inner| (format!("{path}/{}", inner.name), inner)),
        );
    }
    for bundle in &registry.bundles {
        let readers = readers(&mut bundle.tools.iter());
        for (key, text) in [
            ("summary", &bundle.summary),
            ("instructions", &bundle.instructions),
        ] {
            let place = format!("the {key} of bundle `{}`", bundle.name);
            texts.push(SharedText {
                place,
                text,
                readers: readers.clone(),
                owner_advice: None,
            });
        }
    }
    texts
}

/// Returns the tools of a group and of its nested groups.
fn tools_within(group: &GroupView) -> Vec<&String> {
    let mut tools = Vec::new();
    let mut open = vec![group];
    while let Some(group) = open.pop() {
        tools.extend(&group.tools);
        open.extend(&group.groups);
    }
    tools
}
