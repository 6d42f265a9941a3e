//! A catalog's file as a registry: its tools, which echo their arguments, in its groups.

use crate::{
    document::{Document, Listed},
    names,
    tree::{Place, Tree},
};
use futures::{FutureExt, future::ready};
use pd_runtime::{IntoOutput, Json, Registry, Tool, check::RegistryErrors, tool::ToolResult};
use rmcp::model::{CallToolResponse, JsonObject};
use serde_json::Value;

/// A registry, and what its author may want to know.
#[derive(Debug)]
pub(crate) struct Catalog {
    pub(crate) registry: Registry<()>,
    pub(crate) remarks: Vec<String>,
}

/// The scope of whoever may see this tool.
pub(crate) fn scope(tool: &str) -> String {
    format!("tool:{tool}")
}

impl Catalog {
    /// The document as a registry, called `name` unless it says so itself. `is_scoped`: each tool asks for its scope.
    pub(crate) fn build(
        document: Document,
        name: String,
        is_scoped: bool,
    ) -> Result<Self, RegistryErrors> {
        let mut tree = Tree::default();
        document
            .groups
            .into_iter()
            .for_each(|text| tree.describe(text));
        let mut places = Vec::with_capacity(document.tools.len());
        for (index, listed) in document.tools.into_iter().enumerate() {
            listed.groups.iter().for_each(|id| tree.put(index, id));
            places.push(Place {
                name: listed.definition.name.to_string(),
                tool: Some(tool(listed, is_scoped)),
            });
        }
        let groups = tree.groups(&mut places);
        let builder = Registry::builder()
            .name(document.name.unwrap_or(name))
            .version(document.version.unwrap_or_else(|| "0".to_owned()))
            .instructions(
                document
                    .instructions
                    .unwrap_or_else(|| "Captured tools: calls echo their arguments.".to_owned()),
            )
            .tools(places.into_iter().filter_map(|place| place.tool));
        let registry = groups
            .into_iter()
            .fold(builder, |builder, group| builder.group(group))
            .build()?;
        Ok(Self {
            registry,
            remarks: remarks(&tree),
        })
    }
}

/// The tool as it was captured, answering with what it was called with.
fn tool(listed: Listed, is_scoped: bool) -> Tool<()> {
    let name = listed.definition.name.clone();
    let mut tool = Tool::from_definition(listed.definition, |(), _, arguments| {
        ready(echo(arguments)).boxed()
    })
    .origin(format!("captured tool {name}"));
    if !listed.callable {
        tool = tool.unavailable("its catalog says `callable: false`");
    }
    if is_scoped {
        tool.scope(scope(&name))
    } else {
        tool
    }
}

/// What a tool was called with. A success says no `isError`: the clients that this serves compare results.
fn echo(arguments: JsonObject) -> ToolResult {
    let mut response = Json(Value::Object(arguments)).into_output()?;
    if let CallToolResponse::Complete(result) = &mut response {
        result.is_error = None;
    }
    Ok(response)
}

/// Which groups are served under another name than the file's.
fn remarks(tree: &Tree) -> Vec<String> {
    let mut renamed: Vec<_> = tree
        .names()
        .into_iter()
        .filter(|(path, name)| names::end(path) != name)
        .collect();
    renamed.sort();
    let told = |(path, name)| {
        format!("group `{path}` is served as `{name}`: a name is `a-z 0-9 -`, and one group's only")
    };
    renamed.into_iter().map(told).collect()
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::panic,
        clippy::indexing_slicing,
        reason = "a test fails by panicking"
    )]

    use super::*;
    use pd_runtime::GroupView;
    use serde_json::json;

    fn built(file: &Value) -> Catalog {
        Catalog::build(
            Document::parse(&file.to_string()).unwrap(),
            "file".to_owned(),
            false,
        )
        .unwrap()
    }

    fn tool(name: &str, groups: &[&str]) -> Value {
        json!({ "name": name, "inputSchema": { "type": "object" }, "groups": groups })
    }

    fn summary<'a>(branches: &'a [GroupView], name: &str) -> &'a str {
        branches
            .iter()
            .find(|branch| branch.name == name)
            .map_or("", |branch| &branch.summary)
    }

    #[test]
    fn a_tool_in_several_groups_is_one_tool() {
        let file = json!([
            tool("status", &[]),
            tool("blame", &["history", "lines", "history"]),
            tool("log", &["history"]),
            tool("lines", &["lines"]),
        ]);
        let registry = built(&file).registry;
        assert_eq!(
            registry.names().collect::<Vec<_>>(),
            ["status", "blame", "log", "lines"]
        );
        assert_eq!(registry.top_level().collect::<Vec<_>>(), ["status"]);
        let [history, lines] = registry.groups() else {
            panic!("two groups")
        };
        assert_eq!(
            (&history.tools[..], &lines.tools[..]),
            (
                &["blame".to_owned(), "log".to_owned()][..],
                &["blame".to_owned(), "lines".to_owned()][..]
            )
        );
    }

    #[test]
    fn a_path_is_a_group_in_a_group() {
        let registry = built(&json!([
            tool("blame", &["/history/lines/"]),
            tool("log", &["history"])
        ]))
        .registry;
        let [history] = registry.groups() else {
            panic!("one group")
        };
        assert_eq!(
            (history.name.as_str(), &history.tools),
            ("history", &vec!["log".to_owned()])
        );
        assert_eq!(
            (history.groups[0].name.as_str(), &history.groups[0].tools),
            ("lines", &vec!["blame".to_owned()])
        );
        assert!(
            built(&json!([tool("blame", &["/"])]))
                .registry
                .groups()
                .is_empty(),
            "no group"
        );
    }

    #[test]
    fn groups_have_their_texts_or_some_made_from_their_names() {
        let texts = json!([
            { "id": "empty", "title": "Nothing yet" },
            { "id": "history", "description": "Read\nhistory\n\nNewest first.", "instructions": "Start with log." },
        ]);
        let tools = [tool("log", &["history"]), tool("open", &["issue_tracking"])];
        let registry = built(&json!({ "groups": texts, "tools": tools })).registry;
        let groups = registry.groups();
        assert_eq!(summary(groups, "empty"), "Nothing yet");
        assert_eq!(summary(groups, "history"), "Read history");
        assert_eq!(summary(groups, "issue-tracking"), "Issue tracking tools");
        assert_eq!(groups[1].instructions, "Newest first.\n\nStart with log.");
    }

    #[test]
    fn a_name_that_is_not_the_files_is_remarked_on() {
        let remarks = built(&json!([tool(
            "blame",
            &["History", "lines", "history/log"]
        )]))
        .remarks;
        assert_eq!(
            remarks,
            [
                "group `History` is served as `history-2`: a name is `a-z 0-9 -`, and one group's only"
            ]
        );
    }

    #[test]
    fn two_tools_of_one_name_are_refused() {
        let file = json!([tool("blame", &["history"]), tool("blame", &["lines"])]).to_string();
        let problems =
            Catalog::build(Document::parse(&file).unwrap(), "file".to_owned(), false).unwrap_err();
        assert!(
            problems
                .to_string()
                .contains("tool `blame` (captured tool blame): another tool has this name")
        );
    }
}
