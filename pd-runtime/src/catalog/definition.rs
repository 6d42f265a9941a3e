//! A tool's definitions in MCP's own form: in full, by its summary, and as brief as Delta's clients ask for.

use super::header_arguments;
use crate::{
    digest::{Digest, canonical_json},
    policy::MinimalSchema,
    registry::{check::cut_at_word, tool_spec::About},
    tool::descriptor::Hints,
};
use rmcp::model::{JsonObject, MetaObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use std::{
    borrow::Cow,
    sync::{Arc, LazyLock, OnceLock},
};

/// The `_meta` key of a tool's groups; also the capability of the experiment that defines it.
pub(crate) const GROUPS: &str = "experimental/deterministic-groups";
/// The `_meta` keys of hints for hosts that defer tools.
const ALWAYS_LOAD: &str = "anthropic/alwaysLoad";
const SEARCH_HINT: &str = "anthropic/searchHint";

/// The most bytes of an icon's link in a minimal entry.
const LINK_MAX: usize = 256;

/// The most UTF-16 units of a brief description.
const BRIEF_MAX: usize = 60;

/// A full definition, and what SEP-2636 tells of it beforehand.
#[derive(Debug)]
pub(crate) struct Whole {
    pub(crate) tool: Tool,
    /// Made when it is first asked for: most are only where somebody asks for manifests.
    sum: OnceLock<Sum>,
}

#[derive(Debug)]
struct Sum {
    digest: Box<str>,
    size: usize,
}

impl Whole {
    pub(crate) fn new(tool: Tool) -> Self {
        Self { tool, sum: OnceLock::new() }
    }

    /// `sha256:…` of all of it, `_meta` included; the contract's digest covers other things.
    pub(crate) fn digest(&self) -> &str {
        &self.sum().digest
    }

    /// How many bytes the digest was made of.
    pub(crate) fn size(&self) -> usize {
        self.sum().size
    }

    fn sum(&self) -> &Sum {
        self.sum.get_or_init(|| {
            // A definition is JSON. A number that RFC 8785 cannot write stands as it is.
            let tool = serde_json::to_value(&self.tool).unwrap_or_default();
            let canonical = canonical_json::bytes(&tool).unwrap_or_else(|_| tool.to_string().into());
            Sum { digest: Digest::of_bytes(&canonical).to_string().into(), size: canonical.len() }
        })
    }
}

/// The part of a definition that a host shows to its model: `_meta` and icons are for hosts.
pub(crate) fn for_model(tool: &Tool) -> Tool {
    let mut shown = tool.clone();
    (shown.meta, shown.icons) = (None, None);
    shown
}

/// What a definition's `_meta` says of groups, and of whether the tool can be called.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark<'a> {
    groups: &'a [&'a str],
    is_callable: bool,
}

impl<'a> Mark<'a> {
    /// `groups` are those that the tool stands in; `None` where the registry has none.
    pub(crate) fn of(about: &About, groups: Option<&'a [&'a str]>) -> Option<Self> {
        let is_callable = about.unavailable.is_none();
        let groups = groups.or_else(|| (!is_callable).then_some(&[]));
        groups.map(|groups| Self { groups, is_callable })
    }

    /// Whether it says nothing but that there are groups.
    pub(crate) fn is_empty(self) -> bool {
        self.groups.is_empty() && self.is_callable
    }
}

/// Everything that is known before a call.
pub(crate) fn full(about: &About, output: Option<Arc<JsonObject>>) -> Tool {
    let text = match &about.description {
        text if text.is_empty() => about.summary.clone(),
        text => text.clone(),
    };
    let mut tool = Tool::new(about.name.clone(), text, about.input.schema.clone());
    tool.title = about.title.as_ref().map(ToString::to_string);
    tool.output_schema = output;
    let mut meta = hints(about);
    meta.extend(about.meta.clone());
    tool.meta = (!meta.is_empty()).then_some(MetaObject(meta));
    tool.icons.clone_from(&about.icons);
    annotated(tool, about.hints, about.annotations_title.clone())
}

pub(crate) fn marked(mut tool: Tool, mark: Mark<'_>) -> Tool {
    let mark = json!({ "groups": mark.groups, "callable": mark.is_callable });
    tool.meta.get_or_insert_default().insert(GROUPS.to_owned(), mark);
    tool
}

/// Name, summary and a schema that accepts any object. Of annotations only what differs from MCP's default, of icons only
/// links: an image in a `data:` URL may be larger than the rest of the list.
pub(crate) fn minimal(about: &About, schema: MinimalSchema) -> Tool {
    let mut tool = Tool::new(about.name.clone(), summary(about), minimal_schema(about, schema));
    let meta = hints(about);
    tool.meta = (!meta.is_empty()).then_some(MetaObject(meta));
    let links = about.icons.iter().flatten().filter(|icon| is_short_link(&icon.src));
    tool.icons = Some(links.cloned().collect::<Vec<_>>()).filter(|links| !links.is_empty());
    let listed = Hints {
        read_only: about.hints.read_only.filter(|read_only| *read_only),
        destructive: about.hints.destructive.filter(|destructive| !*destructive),
        ..Hints::NONE
    };
    annotated(tool, listed, None)
}

/// Whether an icon is a link that a minimal entry has.
fn is_short_link(src: &str) -> bool {
    src.len() <= LINK_MAX && src.starts_with("http")
}

/// Name and one short line, and the least schema that rmcp can list.
pub(crate) fn brief(name: Cow<'static, str>, text: &str) -> Tool {
    static ANY: LazyLock<Arc<JsonObject>> =
        LazyLock::new(|| Arc::new(JsonObject::from_iter([("type".to_owned(), json!("object"))])));
    let line = text.trim().lines().next().unwrap_or_default();
    let mut room = BRIEF_MAX;
    let fitting = line.chars().take_while(|character| {
        let left = room.checked_sub(character.len_utf16());
        room = left.unwrap_or_default();
        left.is_some()
    });
    let fitting = fitting.count();
    Tool::new(name, cut_at_word(line, fitting).to_owned(), ANY.clone())
}

/// For hosts that defer tools: which not to, and by which other words to find the rest.
fn hints(about: &About) -> JsonObject {
    let mut meta = JsonObject::new();
    if about.eager {
        meta.insert(ALWAYS_LOAD.to_owned(), Value::Bool(true));
    }
    if !about.aliases.is_empty() {
        meta.insert(SEARCH_HINT.to_owned(), json!(about.aliases.join(", ")));
    }
    meta
}

fn summary(about: &About) -> Cow<'static, str> {
    match &about.summary {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    }
}

fn minimal_schema(about: &About, schema: MinimalSchema) -> Arc<JsonObject> {
    let mut object = JsonObject::new();
    object.insert("type".to_owned(), json!("object"));
    // Without the stubs, calls of HTTP clients would fail with -32020.
    let stubs = header_arguments::stubs(&about.input.schema);
    if !stubs.is_empty() || schema == MinimalSchema::Empty {
        object.insert("properties".to_owned(), Value::Object(stubs));
    }
    if schema == MinimalSchema::Literal {
        object.insert("additionalProperties".to_owned(), Value::Bool(true));
    }
    Arc::new(object)
}

fn annotated(mut tool: Tool, hints: Hints, title: Option<String>) -> Tool {
    if hints != Hints::NONE || title.is_some() {
        let Hints { read_only, destructive, idempotent, open_world } = hints;
        tool.annotations = Some(ToolAnnotations::from_raw(title, read_only, destructive, idempotent, open_world));
    }
    tool
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        brief(Cow::Borrowed("tool"), text).description.unwrap().into_owned()
    }

    #[test]
    fn brief_descriptions_have_at_most_60_utf16_units_and_end_with_a_word() {
        assert_eq!(said("Count the stock"), "Count the stock");
        let sixty = "Count everything there is in all of our warehouses by colour";
        assert_eq!(sixty.len(), 60);
        assert_eq!(said(sixty), sixty);
        assert_eq!(said(&format!("{sixty}s")), "Count everything there is in all of our warehouses by");
        assert_eq!(said(&format!("{sixty} and weight")), sixty);
        assert_eq!(said("First line\nsecond"), "First line");
        let wide = "😀".repeat(31);
        assert_eq!(said(&wide).encode_utf16().count(), 60, "a character outside the BMP counts twice");
    }

    #[test]
    fn a_digest_covers_the_whole_tool_and_counts_its_bytes() {
        let schema = JsonObject::from_iter([("default".to_owned(), json!(-0.0)), ("type".to_owned(), json!("object"))]);
        let mark = Mark { groups: &["history"], is_callable: true };
        let whole = Whole::new(marked(Tool::new("log", "Read", schema), mark));
        let mark = r#""_meta":{"experimental/deterministic-groups":{"callable":true,"groups":["history"]}}"#;
        let canonical =
            format!(r#"{{{mark},"description":"Read","inputSchema":{{"default":0,"type":"object"}},"name":"log"}}"#);
        assert_eq!(whole.digest(), Digest::of_bytes(canonical.as_bytes()).to_string());
        assert_eq!(whole.size(), canonical.len());
    }
}
