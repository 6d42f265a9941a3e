//! The texts that a caller reads, each with the place it stands in: of a tool, of the groups and
//! bundles, of the server.

use super::super::{Registry, group::Branch, tool_spec::About};
use rmcp::model::JsonObject;
use serde_json::Value;
use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

/// The scopes of a caller who reads a text. Who has more scopes reads it too.
pub(super) type Scopes<'a> = HashSet<&'a str>;

/// A text beside a tool's own: the server's instructions, or what a group or bundle says of itself.
#[derive(Debug)]
pub(super) struct SharedText<'a> {
    pub(super) place: String,
    pub(super) text: &'a str,
    /// The callers who read the text with the fewest scopes: each sees one of the tools that it is
    /// about.
    pub(super) readers: Vec<Scopes<'a>>,
}

/// The keys of a schema that hold texts.
const SCHEMA_TEXTS: [&str; 3] = ["$comment", "description", "title"];

/// What a tool's descriptions, listings and errors say to a caller. Values of examples are not in
/// it.
pub(super) fn tool_texts(about: &About) -> Vec<(&'static str, Cow<'_, str>)> {
    let mut texts: Vec<(&'static str, Cow<'_, str>)> =
        vec![("summary", Cow::Borrowed(&about.summary)), ("description", Cow::Borrowed(&about.description))];
    texts.extend(about.title.iter().map(|text| ("title", Cow::Borrowed(text.as_ref()))));
    texts.extend(about.guidance.iter().map(|text| ("guidance", Cow::Borrowed(text.as_ref()))));
    texts.extend(about.notes.iter().map(|text| ("notes", Cow::Borrowed(text.as_ref()))));
    texts.extend(about.deprecated.iter().map(|text| ("deprecation", Cow::Borrowed(text.as_ref()))));
    texts.extend(about.unavailable.iter().map(|text| ("reason for being unavailable", Cow::Borrowed(text.as_ref()))));
    for help in about.errors.iter().chain(about.error_type) {
        texts.extend([&help.cause, &help.solution].map(|text| ("error help", Cow::Borrowed(text.as_ref()))));
    }
    for example in &about.examples {
        texts.extend(
            [&example.description, &example.explanation].map(|text| ("examples", Cow::Borrowed(text.as_ref()))),
        );
    }
    texts.extend(schema_texts(&about.input.schema).map(|text| ("input schema", text)));
    texts
        .extend(about.output_schema.iter().flat_map(|schema| schema_texts(schema)).map(|text| ("output schema", text)));
    texts
}

fn schema_texts(schema: &JsonObject) -> impl Iterator<Item = Cow<'_, str>> {
    let (mut found, mut open) = (Vec::new(), Vec::new());
    gather(schema, &mut open, &mut found);
    while let Some(value) = open.pop() {
        match value {
            Value::Object(object) => gather(object, &mut open, &mut found),
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    found.into_iter().map(Cow::Borrowed)
}

fn gather<'a>(object: &'a JsonObject, open: &mut Vec<&'a Value>, found: &mut Vec<&'a str>) {
    for (key, value) in object {
        match value {
            Value::String(text) if SCHEMA_TEXTS.contains(&key.as_str()) => found.push(text),
            value => open.push(value),
        }
    }
}

/// The texts beside the tools' own.
pub(super) fn shared_texts<S: 'static>(registry: &Registry<S>) -> Vec<SharedText<'_>> {
    let scopes: HashMap<&str, Scopes<'_>> =
        registry.tools.iter().map(|tool| (tool.name(), tool.scopes().collect())).collect();
    let readers = |tools: &mut dyn Iterator<Item = &String>| {
        tools.filter_map(|tool| scopes.get(tool.as_str()).cloned()).collect::<Vec<_>>()
    };
    // Every client reads them, whatever it may see.
    let (place, readers_of_server) = ("the server's instructions".to_owned(), vec![Scopes::new()]);
    let mut texts = vec![SharedText { place, text: &registry.info.instructions, readers: readers_of_server }];
    let mut groups: Vec<(String, &Branch)> =
        registry.groups.iter().rev().map(|group| (format!("/{}", group.name), group)).collect();
    while let Some((path, group)) = groups.pop() {
        let readers = readers(&mut tools_within(group).into_iter());
        for (key, text) in [("summary", &group.summary), ("instructions", &group.instructions)] {
            texts.push(SharedText { place: format!("the {key} of group `{path}`"), text, readers: readers.clone() });
        }
        groups.extend(group.groups.iter().rev().map(|inner| (format!("{path}/{}", inner.name), inner)));
    }
    for bundle in &registry.bundles {
        let readers = readers(&mut bundle.tools.iter());
        for (key, text) in [("summary", &bundle.summary), ("instructions", &bundle.instructions)] {
            let place = format!("the {key} of bundle `{}`", bundle.name);
            texts.push(SharedText { place, text, readers: readers.clone() });
        }
    }
    texts
}

/// The tools of a group and of the groups inside it.
fn tools_within(group: &Branch) -> Vec<&String> {
    let (mut tools, mut open) = (Vec::new(), vec![group]);
    while let Some(group) = open.pop() {
        tools.extend(&group.tools);
        open.extend(&group.groups);
    }
    tools
}
