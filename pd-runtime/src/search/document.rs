//! The searchable texts of a tool by field. Long schemas are read up to a limit, so that no tool
//! dominates the index.

use crate::registry::{group::GroupView, tool_spec::ToolSpec};
use pd_schema::reader::{SchemaRef, schema_part::SchemaPart};
use rmcp::model::JsonObject;
use serde_json::Value;
use std::{borrow::Cow, collections::HashMap};

/// The number of fields.
pub(super) const FIELDS: usize = 10;

/// The limit on the depth to which a schema is read.
const DEPTH_MAX: usize = 8;

/// The limit on the number of texts that are read from a schema.
const SCHEMA_TEXTS_MAX: usize = 1_000;

/// The field that contains a text. The module `rank` defines the weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DocumentField {
    Name,
    Title,
    Summary,
    Description,
    Alias,
    /// The name of an argument at any depth.
    Argument,
    /// The description of an argument.
    ArgumentText,
    /// An allowed value of an argument.
    Value,
    /// Examples, guidance and notes.
    Usage,
    /// Names and summaries of the groups that contain the tool.
    Group,
}

impl DocumentField {
    const ALL: [Self; FIELDS] = [
        Self::Name,
        Self::Title,
        Self::Summary,
        Self::Description,
        Self::Alias,
        Self::Argument,
        Self::ArgumentText,
        Self::Value,
        Self::Usage,
        Self::Group,
    ];

    /// Returns the field of a posting.
    pub(super) fn from_index(field: u8) -> Option<Self> {
        Self::ALL.get(usize::from(field)).copied()
    }

    /// Returns the field's name for authors.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Title => "title",
            Self::Summary => "summary",
            Self::Description => "description",
            Self::Alias => "alias",
            Self::Argument => "argument",
            Self::ArgumentText => "argument description",
            Self::Value => "argument value",
            Self::Usage => "usage",
            Self::Group => "group",
        }
    }
}

/// The texts of one tool.
#[derive(Debug, Clone, Default)]
pub(crate) struct ToolDocument<'a> {
    pub(super) texts: Vec<(DocumentField, Cow<'a, str>)>,
}

impl<'a> ToolDocument<'a> {
    /// Collects the texts of a tool in these groups.
    pub(crate) fn new(about: &'a ToolSpec, groups: &[&'a GroupView]) -> Self {
        let mut document = Self::default();
        document.add(DocumentField::Name, &about.name);
        document.add_all(
            DocumentField::Title,
            about
                .title
                .as_deref()
                .into_iter()
                .chain(about.host.annotations_title.as_deref()),
        );
        document.add(DocumentField::Summary, &about.summary);
        document.add(DocumentField::Description, &about.description);
        document.add_all(
            DocumentField::Alias,
            about.discovery.aliases.iter().map(Cow::as_ref),
        );
        document.add_schema(&about.input.schema);
        for example in &about.usage.examples {
            document.add_all(
                DocumentField::Usage,
                [example.description.as_ref(), example.explanation.as_ref()],
            );
        }
        document.add_all(
            DocumentField::Usage,
            about
                .usage
                .guidance
                .iter()
                .chain(&about.usage.notes)
                .map(Cow::as_ref),
        );
        for group in groups {
            document.add(DocumentField::Group, &group.name);
            // A made summary has the words of other tools.
            if !group.has_made_summary {
                document.add(DocumentField::Group, &group.summary);
            }
        }
        document
    }

    /// Iterates over the texts of one field.
    pub(super) fn texts_of(&self, field: DocumentField) -> impl Iterator<Item = &str> {
        self.texts
            .iter()
            .filter(move |(of, _)| *of == field)
            .map(|(_, text)| text.as_ref())
    }

    pub(super) fn add(&mut self, field: DocumentField, text: &'a str) {
        if !text.is_empty() {
            self.texts.push((field, Cow::Borrowed(text)));
        }
    }

    fn add_all(&mut self, field: DocumentField, texts: impl IntoIterator<Item = &'a str>) {
        texts.into_iter().for_each(|text| self.add(field, text));
    }

    /// Reads the names, descriptions and allowed values of all arguments, including nested ones.
    pub(super) fn add_schema(&mut self, schema: &'a JsonObject) {
        // The limit counts from here, so that long descriptions do not use it up.
        let limit = self.texts.len() + SCHEMA_TEXTS_MAX;
        // The description at the root describes the tool, and is already in another field.
        self.add_parts(SchemaRef::document(schema), 0, limit);
    }

    fn add_schema_at(&mut self, schema: SchemaRef<'a>, depth: usize, limit: usize) {
        if schema.keywords().is_none() {
            return;
        }
        // Schemas may come from an upstream, so both bounds are against hostile ones.
        if depth > DEPTH_MAX || self.texts.len() > limit {
            return;
        }
        self.add_all(
            DocumentField::ArgumentText,
            schema.get("description").and_then(Value::as_str),
        );
        let values = schema
            .get("enum")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .chain(schema.get("const"));
        self.add_all(DocumentField::Value, values.filter_map(Value::as_str));
        self.add_parts(schema, depth, limit);
    }

    fn add_parts(&mut self, schema: SchemaRef<'a>, depth: usize, limit: usize) {
        for (_, part) in schema.parts() {
            match part {
                SchemaPart::Properties(properties) => {
                    for (name, property) in properties {
                        self.add(DocumentField::Argument, name);
                        self.add_schema_at(property, depth + 1, limit);
                    }
                }
                SchemaPart::Definitions(_)
                | SchemaPart::Branches(..)
                | SchemaPart::PrefixItems(_)
                | SchemaPart::Items(_)
                | SchemaPart::AdditionalProperties(_) => {
                    for inner in part.schemas() {
                        self.add_schema_at(inner, depth + 1, limit);
                    }
                }
                _ => {}
            }
        }
    }
}

/// Maps each tool's name to the groups that contain it, directly or through nested groups.
pub(crate) fn groups_by_tool(groups: &[GroupView]) -> HashMap<&str, Vec<&GroupView>> {
    let mut groups_of = HashMap::new();
    let mut path = Vec::new();
    groups
        .iter()
        .for_each(|group| collect_groups(group, &mut path, &mut groups_of));
    groups_of
}

fn collect_groups<'a>(
    group: &'a GroupView,
    path: &mut Vec<&'a GroupView>,
    groups_of: &mut HashMap<&'a str, Vec<&'a GroupView>>,
) {
    path.push(group);
    for tool in &group.tools {
        let known = groups_of.entry(tool).or_default();
        // A tool may be in several groups with a common parent, which counts once.
        let missing: Vec<_> = path
            .iter()
            .copied()
            .filter(|group| !known.contains(group))
            .collect();
        known.extend(missing);
    }
    group
        .groups
        .iter()
        .for_each(|inner| collect_groups(inner, path, groups_of));
    path.pop();
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nested_arguments_are_read() {
        let schema = json!({
            "properties": {
                "outer": {"anyOf": [{"items": {"properties": {"inner": {"description": "deep", "enum": ["red", 1]}}}}]},
            },
            "$defs": {"Other": {"const": "fixed"}},
        });
        let mut document = ToolDocument::default();
        document.add_schema_at(SchemaRef::document(&schema), 0, usize::MAX);
        let texts: Vec<_> = document
            .texts
            .iter()
            .map(|(field, text)| (*field, text.as_ref()))
            .collect();
        assert_eq!(
            texts,
            [
                (DocumentField::Argument, "outer"),
                (DocumentField::Argument, "inner"),
                (DocumentField::ArgumentText, "deep"),
                (DocumentField::Value, "red"),
                (DocumentField::Value, "fixed"),
            ]
        );
    }

    #[test]
    fn a_schema_that_nests_without_end_is_read_to_a_limit() {
        let mut schema = json!({"description": "end"});
        for _ in 0..100 {
            schema = json!({"properties": {"next": schema}});
        }
        let mut document = ToolDocument::default();
        document.add_schema_at(SchemaRef::document(&schema), 0, usize::MAX);
        assert_eq!(
            document.texts.len(),
            DEPTH_MAX + 1,
            "names down to the limit, and no text"
        );
    }

    #[test]
    fn a_tool_stands_in_its_groups_and_those_around_them() {
        let group = |name: &str, tools: &[&str], groups| GroupView {
            name: name.to_owned(),
            tools: tools.iter().map(|tool| (*tool).to_owned()).collect(),
            groups,
            ..GroupView::root(Vec::new(), Vec::new())
        };
        let tree = [
            group("a", &["x"], vec![group("b", &["x", "y"], Vec::new())]),
            group("c", &["x"], Vec::new()),
        ];
        let groups_of = groups_by_tool(&tree);
        let names = |tool: &str| {
            groups_of
                .get(tool)
                .into_iter()
                .flatten()
                .map(|group| group.name.as_str())
                .collect::<String>()
        };
        assert_eq!((names("x").as_str(), names("y").as_str()), ("abc", "ab"));
    }
}
