//! What a catalog's file may say, in one form: tools in MCP's own words, their groups, and texts for these.

use crate::names::SEPARATOR;
use rmcp::model::{JsonObject, Tool};
use serde::{Deserialize, Deserializer, de::Error};
use serde_json::{Value, json};
use std::path::Path;

/// The wire whose words for groups and availability are understood. Servers say them anew, so they are taken out.
const WIRE: &str = "experimental/deterministic-groups";

/// How deep groups may stand in groups: a path of a thousand is a mistake, and would take the server down with it.
const DEPTH_MAX: usize = 8;

/// A captured `tools/list`, and what its file says beside it.
#[derive(Debug, Deserialize)]
pub(crate) struct Document {
    pub(crate) name: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) instructions: Option<String>,
    #[serde(default, deserialize_with = "texts")]
    pub(crate) groups: Vec<GroupText>,
    #[serde(deserialize_with = "tools")]
    pub(crate) tools: Vec<Listed>,
}

/// A group's texts.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct GroupText {
    pub(crate) id: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) instructions: Option<String>,
}

/// A tool, and what its file says of it that is not MCP.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) definition: Tool,
    /// The ids of the groups it stands in.
    pub(crate) groups: Vec<String>,
    pub(crate) callable: bool,
}

impl Document {
    /// A document that has nothing but tools.
    pub(crate) fn from_tools(tools: Vec<Listed>) -> Self {
        Self {
            name: None,
            version: None,
            instructions: None,
            groups: Vec::new(),
            tools,
        }
    }

    pub(crate) fn parse(text: &str) -> serde_json::Result<Self> {
        let read: Value = serde_json::from_str(text)?;
        serde_json::from_value(if read.is_array() {
            json!({ "tools": read })
        } else {
            read
        })
    }
}

impl GroupText {
    /// What tools call the group by.
    pub(crate) fn id(&self) -> &str {
        self.id
            .as_ref()
            .or(self.name.as_ref())
            .map_or("", String::as_str)
    }
}

/// Either a list of groups, or an object of their descriptions by id.
fn texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<GroupText>, D::Error> {
    let listed = match Value::deserialize(deserializer)? {
        Value::Object(by_id) => by_id
            .into_iter()
            .map(|(id, text)| with_id(id, text))
            .collect(),
        Value::Array(listed) => listed,
        _ => {
            return Err(D::Error::custom(
                "`groups` is neither an array nor an object",
            ));
        }
    };
    let read = |(index, text)| {
        let text: GroupText =
            serde_json::from_value(text).map_err(|error| nth::<D>("group", index, &error))?;
        match text.id() {
            "" => Err(nth::<D>("group", index, &"it has no `id`")),
            id if is_too_deep(id) => Err(nth::<D>("group", index, &TOO_DEEP)),
            _ => Ok(text),
        }
    };
    listed.into_iter().enumerate().map(read).collect()
}

fn with_id(id: String, text: Value) -> Value {
    match text {
        Value::Object(mut text) => {
            text.insert("id".to_owned(), Value::String(id));
            Value::Object(text)
        }
        description => json!({ "id": id, "description": description }),
    }
}

fn tools<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Listed>, D::Error> {
    let read = |(index, tool)| Listed::read(tool).map_err(|error| nth::<D>("tool", index, &error));
    Vec::<JsonObject>::deserialize(deserializer)?
        .into_iter()
        .enumerate()
        .map(read)
        .collect()
}

fn nth<'de, D: Deserializer<'de>>(
    what: &str,
    index: usize,
    why: &dyn std::fmt::Display,
) -> D::Error {
    D::Error::custom(format_args!("{what} {} of the file: {why}", index + 1))
}

/// The keys of a full description that MCP's own form of a tool has.
const DEFINITION: [&str; 5] = [
    "name",
    "title",
    "description",
    "inputSchema",
    "outputSchema",
];

impl Listed {
    /// A tool's definition, from the file with its full description. A description without `name`
    /// is named by its file.
    pub(crate) fn parse(text: &str, path: &Path) -> serde_json::Result<Self> {
        let mut tool: JsonObject = serde_json::from_str(text)?;
        tool.retain(|key, _| DEFINITION.contains(&key.as_str()));
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        tool.entry("name").or_insert_with(|| json!(stem));
        Self::read(tool)
    }

    fn read(mut tool: JsonObject) -> serde_json::Result<Self> {
        let of_wire = tool
            .get_mut("_meta")
            .and_then(|meta| meta.as_object_mut()?.shift_remove(WIRE));
        let own = of_wire.as_ref().and_then(Value::as_object);
        let meta = tool.get("_meta").and_then(Value::as_object);
        let places = [own, Some(&tool), meta].into_iter().flatten();
        let groups = places
            .map(ids)
            .find(|ids| !ids.is_empty())
            .unwrap_or_default();
        if groups.iter().any(|id| is_too_deep(id)) {
            return Err(serde_json::Error::custom(TOO_DEEP));
        }
        let callable = own.and_then(|own| own.get("callable")) != Some(&Value::Bool(false));
        Ok(Self {
            definition: serde_json::from_value(Value::Object(tool))?,
            groups,
            callable,
        })
    }
}

const TOO_DEEP: &str = "a group stands more than 8 deep; shorten its path";

fn is_too_deep(id: &str) -> bool {
    id.split(SEPARATOR)
        .filter(|part| !part.trim().is_empty())
        .count()
        > DEPTH_MAX
}

/// The ids that an object names under `groups` or `group`, each an array or one text.
fn ids(object: &JsonObject) -> Vec<String> {
    let said = ["groups", "group"]
        .into_iter()
        .filter_map(|key| object.get(key));
    let each = said.flat_map(|said| {
        said.as_array()
            .map_or_else(|| std::slice::from_ref(said), Vec::as_slice)
    });
    each.filter_map(Value::as_str)
        .filter(|id| !id.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        reason = "a test fails by panicking"
    )]

    use super::*;

    fn only(mut more: Value) -> Listed {
        more["name"] = json!("blame");
        more["inputSchema"] = json!({ "type": "object" });
        Document::parse(&json!([more]).to_string())
            .unwrap()
            .tools
            .remove(0)
    }

    #[test]
    fn groups_are_found_where_files_have_them() {
        for (tool, groups) in [
            (
                json!({ "_meta": { WIRE: { "groups": ["history", "lines"] } } }),
                &["history", "lines"][..],
            ),
            (
                json!({ "_meta": { WIRE: { "group": "history" }, "group": "other" }, "group": "else" }),
                &["history"],
            ),
            (
                json!({ "group": "history", "_meta": { "group": "other" } }),
                &["history"],
            ),
            (
                json!({ "groups": ["history"], "_meta": { WIRE: { "callable": true } } }),
                &["history"],
            ),
            (json!({ "_meta": { "groups": ["history"] } }), &["history"]),
            (json!({ "group": "", "groups": 7 }), &[]),
        ] {
            assert_eq!(only(tool.clone()).groups, groups, "{tool}");
        }
    }

    #[test]
    fn the_wires_own_words_are_taken_out_and_others_stay() {
        let listed = only(
            json!({ "_meta": { WIRE: { "groups": ["history"], "callable": false }, "other": 1 } }),
        );
        assert!(!listed.callable);
        assert_eq!(
            serde_json::to_value(listed.definition.meta).unwrap(),
            json!({ "other": 1 })
        );
        assert!(only(json!({ "_meta": { "other": 1 } })).callable);
    }

    #[test]
    fn texts_of_groups_are_a_list_or_an_object() {
        for groups in [
            json!([{ "id": "history", "description": "Read history" }]),
            json!([{ "name": "history", "description": "Read history" }]),
            json!({ "history": "Read history" }),
            json!({ "history": { "description": "Read history" } }),
        ] {
            let document =
                Document::parse(&json!({ "tools": [], "groups": groups }).to_string()).unwrap();
            assert_eq!(document.groups[0].id(), "history");
            assert_eq!(
                document.groups[0].description.as_deref(),
                Some("Read history")
            );
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (text, why) in [
            (
                "[{\"name\": \"x\"",
                "EOF while parsing an object at line 1 column 13",
            ),
            ("{}", "missing field `tools`"),
            (
                "[{\"name\": \"x\"}]",
                "tool 1 of the file: missing field `inputSchema`",
            ),
            (
                "{\"tools\": [], \"groups\": [{}]}",
                "group 1 of the file: it has no `id`",
            ),
            (
                "[{\"name\": \"x\", \"inputSchema\": {}, \"group\": \"a/b/c/d/e/f/g/h/i\"}]",
                "tool 1 of the file: a group stands more than 8 deep; shorten its path",
            ),
            (
                "{\"tools\": [], \"groups\": {\"a/b/c/d/e/f/g/h/i\": \"deep\"}}",
                "group 1 of the file: a group stands more than 8 deep; shorten its path",
            ),
            (
                "{\"tools\": [], \"groups\": 1}",
                "`groups` is neither an array nor an object",
            ),
        ] {
            assert_eq!(Document::parse(text).unwrap_err().to_string(), why);
        }
    }
}
