//! A catalogue's file as a registry: its tools, which echo their arguments, in its groups.

use crate::{
    document::{Document, Listed},
    names,
    tree::{Place, Tree},
};
use futures::{FutureExt, future::ready};
use pd_runtime::{IntoOutput, Json, Outcome, Problems, Registry, Tool};
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
    pub(crate) fn build(document: Document, name: String, is_scoped: bool) -> Result<Self, Problems> {
        let mut tree = Tree::default();
        document.groups.into_iter().for_each(|text| tree.describe(text));
        let mut places = Vec::with_capacity(document.tools.len());
        for (index, listed) in document.tools.into_iter().enumerate() {
            listed.groups.iter().for_each(|id| tree.put(index, id));
            places.push(Place { name: listed.definition.name.to_string(), tool: Some(tool(listed, is_scoped)) });
        }
        let groups = tree.groups(&mut places);
        let builder = Registry::builder()
            .name(document.name.unwrap_or(name))
            .version(document.version.unwrap_or_else(|| "0".to_owned()))
            .instructions(
                document.instructions.unwrap_or_else(|| "Captured tools: calls echo their arguments.".to_owned()),
            )
            .tools(places.into_iter().filter_map(|place| place.tool));
        let registry = groups.into_iter().fold(builder, |builder, group| builder.group(group)).build()?;
        Ok(Self { registry, remarks: remarks(&tree) })
    }
}

/// The tool as it was captured, answering with what it was called with.
fn tool(listed: Listed, is_scoped: bool) -> Tool<()> {
    let name = listed.definition.name.clone();
    let mut tool = Tool::from_definition(listed.definition, |(), _, arguments| ready(echo(arguments)).boxed())
        .origin(format!("captured tool {name}"));
    if !listed.callable {
        tool = tool.unavailable("its catalogue says `callable: false`");
    }
    if is_scoped { tool.scope(scope(&name)) } else { tool }
}

/// What a tool was called with. A success says no `isError`: the clients that this serves compare results.
fn echo(arguments: JsonObject) -> Outcome {
    let mut response = Json(Value::Object(arguments)).into_output()?;
    if let CallToolResponse::Complete(result) = &mut response {
        result.is_error = None;
    }
    Ok(response)
}

/// Which groups are served under another name than the file's.
fn remarks(tree: &Tree) -> Vec<String> {
    let mut renamed: Vec<_> = tree.names().into_iter().filter(|(path, name)| names::end(path) != name).collect();
    renamed.sort();
    let told =
        |(path, name)| format!("group `{path}` is served as `{name}`: a name is `a-z 0-9 -`, and one group's only");
    renamed.into_iter().map(told).collect()
}
