//! Tool definitions in MCP's own format: full, minimal (summary only), and brief as clients of the
//! Delta surface request it.

use super::header_arguments;
use crate::{
    digest::{Digest, canonical_json},
    policy::MinimalSchema,
    protocol::json_value,
    registry::{app_role, tool_spec::ToolSpec},
    text::truncate::cut_at_word,
    tool::descriptor::ToolAnnotations as OwnAnnotations,
};
use rmcp::model::{JsonObject, MetaObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use std::{
    borrow::Cow,
    sync::{Arc, LazyLock, OnceLock},
};

/// The `_meta` key for a tool's groups. The experiment that defines it uses the same string as its
/// capability name.
pub(crate) const GROUPS: &str = "experimental/deterministic-groups";
/// The `_meta` keys for hosts that defer tools.
const ALWAYS_LOAD: &str = "anthropic/alwaysLoad";
const SEARCH_HINT: &str = "anthropic/searchHint";
/// The `_meta` keys that hosts read in the list: those of the extension MCP Apps, the older one
/// last, and the size of results that a host shows whole.
const LIST_KEYS: [&str; 3] = [
    app_role::UI,
    app_role::UI_URI,
    "anthropic/maxResultSizeChars",
];

/// The limit on the length of an icon URL in a minimal entry, in bytes.
const LINK_MAX: usize = 256;

/// The limit on the length of a brief description, in UTF-16 code units.
const BRIEF_MAX: usize = 60;

/// A full definition, with the digest and size that SEP-2636 manifests announce for it.
#[derive(Debug)]
pub(crate) struct FullDefinition {
    pub(crate) tool: Tool,
    /// Computed on first use. Most definitions never need it: only clients that request manifests
    /// do.
    digest_and_size: OnceLock<DefinitionDigest>,
}

#[derive(Debug)]
struct DefinitionDigest {
    digest: Box<str>,
    size: usize,
}

impl FullDefinition {
    pub(crate) fn new(tool: Tool) -> Self {
        Self {
            tool,
            digest_and_size: OnceLock::new(),
        }
    }

    /// Returns `sha256:…` over the whole definition, including `_meta`. This is not the contract
    /// digest, which covers other members.
    pub(crate) fn digest(&self) -> &str {
        &self.digest_and_size().digest
    }

    /// Returns the number of bytes that the digest covers.
    pub(crate) fn size(&self) -> usize {
        self.digest_and_size().size
    }

    fn digest_and_size(&self) -> &DefinitionDigest {
        self.digest_and_size.get_or_init(|| {
            // `Tool` always serializes. A number that RFC 8785 cannot represent (beyond f64) falls
            // back to serde_json's text: the digest is then still stable for this process.
            let tool = json_value::to_value(&self.tool).unwrap_or_default();
            let canonical =
                canonical_json::bytes(&tool).unwrap_or_else(|_| tool.to_string().into());
            DefinitionDigest {
                digest: Digest::from_bytes(&canonical).to_string().into(),
                size: canonical.len(),
            }
        })
    }
}

/// Returns the part of a definition that a host shows to its model. `_meta` and icons are for the
/// host only.
pub fn for_model(tool: &Tool) -> Tool {
    let mut shown = tool.clone();
    (shown.meta, shown.icons) = (None, None);
    shown
}

/// The `_meta` member that lists a tool's groups and whether the tool can be called.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GroupsMark<'a> {
    groups: &'a [&'a str],
    is_callable: bool,
}

impl<'a> GroupsMark<'a> {
    /// Creates the member. `groups` are the groups that contain the tool, or `None` if the registry
    /// has no groups. Returns `None` if the member would have no content.
    pub(crate) fn new(about: &ToolSpec, groups: Option<&'a [&'a str]>) -> Option<Self> {
        // A tool that cannot be called needs the mark even without groups: the mark is the only
        // place in a definition for it.
        let is_callable = about.rules.unavailable.is_none();
        let groups = groups.or_else(|| (!is_callable).then_some(&[]));
        groups.map(|groups| Self {
            groups,
            is_callable,
        })
    }

    /// Returns whether the mark carries nothing except that groups exist.
    pub(crate) fn is_empty(self) -> bool {
        self.groups.is_empty() && self.is_callable
    }
}

/// Builds the full definition: everything that is known before a call.
pub(crate) fn full(about: &ToolSpec, output: Option<Arc<JsonObject>>) -> Tool {
    let text = match &about.description {
        text if text.is_empty() => about.summary.clone(),
        text => text.clone(),
    };
    let mut tool = Tool::new(about.name.clone(), text, about.input.schema.clone());
    tool.title = about.title.as_ref().map(ToString::to_string);
    // The caller passes the schema, because clients before 2026-07-28 get it wrapped in an object.
    tool.output_schema = output;
    // The author's own `_meta` comes second, so that it can override the generated hints.
    let mut meta = host_meta(about);
    meta.extend(about.host.meta.clone());
    tool.meta = (!meta.is_empty()).then_some(MetaObject(meta));
    tool.icons.clone_from(&about.host.icons);
    with_annotations(
        tool,
        about.annotations,
        about.host.annotations_title.clone(),
    )
}

pub(crate) fn with_mark(mut tool: Tool, mark: GroupsMark<'_>) -> Tool {
    let mark = json!({ "groups": mark.groups, "callable": mark.is_callable });
    tool.meta
        .get_or_insert_default()
        .insert(GROUPS.to_owned(), mark);
    tool
}

/// Builds a minimal entry: name, summary, and a schema that accepts any object. Annotations appear
/// only if they differ from MCP's defaults. Icons appear only as links, because an image in a
/// `data:` URL may be larger than the rest of the list.
pub(crate) fn minimal(about: &ToolSpec, schema: MinimalSchema) -> Tool {
    short(about, minimal_schema(about, schema))
}

/// Builds an entry in outline: as a minimal one, with the arguments.
pub(crate) fn outline(about: &ToolSpec, schema: Arc<JsonObject>) -> Tool {
    short(about, schema)
}

fn short(about: &ToolSpec, schema: Arc<JsonObject>) -> Tool {
    let mut tool = Tool::new(about.name.clone(), summary(about), schema);
    let mut meta = host_meta(about);
    // A short entry drops the rest of `_meta`.
    let apps = LIST_KEYS
        .iter()
        .filter_map(|key| Some(((*key).to_owned(), about.host.meta.get(*key)?.clone())));
    meta.extend(apps);
    tool.meta = (!meta.is_empty()).then_some(MetaObject(meta));
    let links = about
        .host
        .icons
        .iter()
        .flatten()
        .filter(|icon| is_short_link(&icon.src));
    tool.icons = Some(links.cloned().collect::<Vec<_>>()).filter(|links| !links.is_empty());
    // MCP's defaults are `readOnlyHint: false` and `destructiveHint: true`, so only the opposite
    // values carry information.
    let listed = OwnAnnotations {
        read_only: about.annotations.read_only.filter(|read_only| *read_only),
        destructive: about
            .annotations
            .destructive
            .filter(|destructive| !*destructive),
        ..OwnAnnotations::NONE
    };
    with_annotations(tool, listed, None)
}

/// Returns whether an icon is a link that is short enough for a minimal entry.
fn is_short_link(src: &str) -> bool {
    src.len() <= LINK_MAX && src.starts_with("http")
}

/// Builds a brief entry: the name, one short line, and the smallest schema that rmcp can list.
pub(crate) fn brief(name: Cow<'static, str>, text: &str) -> Tool {
    static ANY: LazyLock<Arc<JsonObject>> = LazyLock::new(|| {
        Arc::new(JsonObject::from_iter([(
            "type".to_owned(),
            json!("object"),
        )]))
    });
    // A brief list shows one line for each tool, so a summary with breaks is cut at the first.
    let line = text.trim().lines().next().unwrap_or_default();
    // Clients count in UTF-16 units, as JavaScript does; a character outside the BMP costs two.
    let mut room = BRIEF_MAX;
    let fitting = line.chars().take_while(|character| {
        let left = room.checked_sub(character.len_utf16());
        room = left.unwrap_or_default();
        left.is_some()
    });
    let fitting = fitting.count();
    Tool::new(name, cut_at_word(line, fitting).to_owned(), ANY.clone())
}

/// Returns `_meta` members for hosts that defer tools: which tools to load at once, and extra words
/// that searches should match.
fn host_meta(about: &ToolSpec) -> JsonObject {
    let mut meta = JsonObject::new();
    if about.eager || about.pinned {
        meta.insert(ALWAYS_LOAD.to_owned(), Value::Bool(true));
    }
    if !about.discovery.aliases.is_empty() {
        meta.insert(
            SEARCH_HINT.to_owned(),
            json!(about.discovery.aliases.join(", ")),
        );
    }
    meta
}

fn summary(about: &ToolSpec) -> Cow<'static, str> {
    match &about.summary {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    }
}

fn minimal_schema(about: &ToolSpec, schema: MinimalSchema) -> Arc<JsonObject> {
    let mut object = JsonObject::new();
    object.insert("type".to_owned(), json!("object"));
    // HTTP clients copy marked arguments into headers. A client that never saw the marks sends no
    // headers, and the server rejects its call with -32020 (SEP-2243).
    let stubs = header_arguments::stubs(&about.input.schema);
    if !stubs.is_empty() || schema == MinimalSchema::Empty {
        object.insert("properties".to_owned(), Value::Object(stubs));
    }
    if schema == MinimalSchema::Literal {
        object.insert("additionalProperties".to_owned(), Value::Bool(true));
    }
    Arc::new(object)
}

fn with_annotations(mut tool: Tool, hints: OwnAnnotations, title: Option<String>) -> Tool {
    // Without a hint the member is left out, because an empty object costs tokens in every list.
    if hints != OwnAnnotations::NONE || title.is_some() {
        let OwnAnnotations {
            read_only,
            destructive,
            idempotent,
            open_world,
        } = hints;
        tool.annotations = Some(ToolAnnotations::from_raw(
            title,
            read_only,
            destructive,
            idempotent,
            open_world,
        ));
    }
    tool
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn brief_text(text: &str) -> String {
        brief(Cow::Borrowed("tool"), text)
            .description
            .unwrap()
            .into_owned()
    }

    #[test]
    fn brief_descriptions_have_at_most_60_utf16_units_and_end_with_a_word() {
        assert_eq!(brief_text("Count the stock"), "Count the stock");
        let sixty = "Count everything there is in all of our warehouses by colour";
        assert_eq!(sixty.len(), 60);
        assert_eq!(brief_text(sixty), sixty);
        assert_eq!(
            brief_text(&format!("{sixty}s")),
            "Count everything there is in all of our warehouses by"
        );
        assert_eq!(brief_text(&format!("{sixty} and weight")), sixty);
        assert_eq!(brief_text("First line\nsecond"), "First line");
        let wide = "😀".repeat(31);
        assert_eq!(
            brief_text(&wide).encode_utf16().count(),
            60,
            "a character outside the BMP counts twice"
        );
    }

    #[test]
    fn a_digest_covers_the_whole_tool_and_counts_its_bytes() {
        let schema = JsonObject::from_iter([
            ("default".to_owned(), json!(-0.0)),
            ("type".to_owned(), json!("object")),
        ]);
        let mark = GroupsMark {
            groups: &["history"],
            is_callable: true,
        };
        let whole = FullDefinition::new(with_mark(Tool::new("log", "Read", schema), mark));
        let mark = r#""_meta":{"experimental/deterministic-groups":{"callable":true,"groups":["history"]}}"#;
        let canonical = format!(
            r#"{{{mark},"description":"Read","inputSchema":{{"default":0,"type":"object"}},"name":"log"}}"#
        );
        assert_eq!(
            whole.digest(),
            Digest::from_bytes(canonical.as_bytes()).to_string()
        );
        assert_eq!(whole.size(), canonical.len());
    }
}
