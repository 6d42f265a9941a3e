//! The features that a server's list and capabilities reveal: the routes to descriptions, the
//! meta-tools, and the tools that are listed without their schemas.

use super::{
    groups::ToolGroup,
    route::{DescriptionRoute, MetaTool},
};
use crate::protocol::extensions::DISCLOSURE;
use pd_schema::reader::{SchemaRef, schema_part::SchemaPart};
use rmcp::model::{ServerCapabilities, Tool};
use std::collections::HashSet;

/// Tools that describe tools, by the names that known servers use.
const DESCRIBE_TOOLS: [&str; 4] = [
    "describe_tools",
    "describe_tool",
    "get_tool_details",
    "get_tool_schema",
];
/// Tools that call tools.
const CALL_TOOLS: [&str; 3] = ["call_tool", "execute_tool", "call_read_only_tool"];
/// Tools that search or list tools.
const SEARCH_TOOLS: [&str; 4] = [
    "find_tools",
    "search_tools",
    "list_tools",
    "get_tools_in_category",
];
/// The names of the argument that takes several tools, or one.
const LIST_ARGUMENTS: [&str; 2] = ["names", "tool_names"];
const NAME_ARGUMENTS: [&str; 5] = ["name", "tool_name", "tool", "path", "tool_path"];

/// The features of a server, derived from one list.
#[derive(Debug, Default)]
pub(super) struct ServerFeatures {
    /// Routes to descriptions, the cheapest first. Without a route, the list contains everything.
    pub(super) routes: Vec<DescriptionRoute>,
    /// The meta-tool that calls unlisted tools.
    pub(super) call_tool: Option<MetaTool>,
    /// Tools that find other tools. The model calls them itself.
    pub(super) search_tools: Vec<String>,
    /// Meta-tools that are hidden from the model, because this client does their work.
    pub(super) hidden: HashSet<String>,
    /// Listed tools without their schemas.
    pub(super) minimal: HashSet<String>,
    /// Groups that are returned together with their tools.
    pub(super) groups: Vec<ToolGroup>,
}

impl ServerFeatures {
    /// Reads the features from the list and the capabilities. They do not reveal the
    /// specification's resource, nor whether the server describes by a method;
    /// [`ServerFeatures::should_probe`] returns whether the client should find out.
    pub(super) fn from_list(
        tools: &[Tool],
        server: &ServerCapabilities,
        declares_extension: bool,
    ) -> Self {
        let mut features = Self::default();
        let describing = tools
            .iter()
            .find_map(|tool| meta_tool(tool, &DESCRIBE_TOOLS));
        let calls = tools
            .iter()
            .filter(|tool| property(tool, "arguments").is_some());
        // In this order, because the last one calls read-only tools alone.
        features.call_tool = CALL_TOOLS
            .iter()
            .find_map(|name| calls.clone().find_map(|tool| meta_tool(tool, &[*name])));
        features.minimal = tools
            .iter()
            .filter(|tool| is_minimal(tool))
            .map(|tool| tool.name.to_string())
            .collect();
        if declares_extension && has(&server.extensions, DISCLOSURE) {
            features.routes.push(DescriptionRoute::Extension);
        }
        if let Some(describing) = describing {
            features.hidden.insert(describing.name.clone());
            features.routes.push(DescriptionRoute::Tool(describing));
        }
        // Deterministic groups are built on manifests, so their servers answer `tools/describe`,
        // too.
        if has(&server.experimental, "tools.manifest")
            || has(&server.experimental, "experimental/deterministic-groups")
        {
            features.routes.push(DescriptionRoute::Manifest);
        }
        // Alone, a tool with a name like `list_tools` may be an ordinary one. Next to a route or a
        // tool that calls tools, it is a meta-tool.
        if !features.routes.is_empty() || features.call_tool.is_some() {
            features.read_search_tools(tools);
        }
        features.hidden.extend(
            calls
                .filter(|tool| meta_tool(tool, &CALL_TOOLS).is_some())
                .map(|tool| tool.name.to_string()),
        );
        features.drop_needless_routes();
        features
    }

    fn read_search_tools(&mut self, tools: &[Tool]) {
        let search_tools = tools
            .iter()
            .filter(|tool| SEARCH_TOOLS.contains(&&*tool.name));
        self.search_tools = search_tools
            .clone()
            .map(|tool| tool.name.to_string())
            .collect();
        let searches = search_tools
            .clone()
            .find(|tool| property(tool, "query").is_some());
        if let Some(tool) = searches.filter(|_| self.routes.is_empty()) {
            self.routes
                .push(DescriptionRoute::Search(tool.name.to_string()));
        }
        // A search tool without arguments looks like a tool without a schema, but needs no
        // description.
        self.search_tools
            .iter()
            .for_each(|name| _ = self.minimal.remove(name));
    }

    /// Removes the routes, and hides no tool, if all tools are listed in full. The extension stays,
    /// because it also resolves refusals.
    fn drop_needless_routes(&mut self) {
        self.hidden
            .iter()
            .for_each(|name| _ = self.minimal.remove(name));
        if !self.needs_describing() {
            self.call_tool = None;
            self.routes
                .retain(|route| *route == DescriptionRoute::Extension);
            self.hidden.clear();
        }
    }

    /// Returns whether to look for routes that the list does not reveal: some tools need a
    /// description, and the best route is missing.
    pub(super) fn should_probe(&self) -> bool {
        self.needs_describing() && !matches!(self.routes.first(), Some(DescriptionRoute::Extension))
    }

    /// Returns whether the server has tools that the list does not contain in full.
    pub(super) fn needs_describing(&self) -> bool {
        !self.minimal.is_empty() || !self.search_tools.is_empty() || !self.groups.is_empty()
    }

    /// Adds a route that was found by a request. It takes precedence over meta-tools. The
    /// extension, which would come first, is not among the routes when this is called.
    pub(super) fn prefer_route(&mut self, route: DescriptionRoute) {
        self.routes.insert(0, route);
    }

    /// Treats the list as complete if no route was found: what seemed to be left out does not
    /// exist, and the model uses the server's tools itself. Groups are fetched after this.
    pub(super) fn finish(&mut self) {
        if self.routes.is_empty() {
            *self = Self::default();
        }
    }

    /// Returns whether a tool must be described before it is called: it is listed without its
    /// schema, or not listed.
    pub(super) fn must_describe(&self, name: &str, is_listed: bool) -> bool {
        !self.routes.is_empty()
            && self.needs_describing()
            && (self.minimal.contains(name) || !is_listed)
    }
}

fn has<T>(keys: &Option<std::collections::BTreeMap<String, T>>, key: &str) -> bool {
    keys.as_ref().is_some_and(|keys| keys.contains_key(key))
}

fn meta_tool(tool: &Tool, names: &[&str]) -> Option<MetaTool> {
    let argument = |all: &[&'static str]| {
        all.iter()
            .copied()
            .find(|argument| property(tool, argument).is_some())
    };
    let many = argument(&LIST_ARGUMENTS);
    let name = names
        .contains(&&*tool.name)
        .then(|| tool.name.to_string())?;
    let takes_text = property(tool, "arguments")
        .and_then(|schema| schema.get("type"))
        .is_some_and(|one| one == "string");
    Some(MetaTool {
        name,
        argument: many.or_else(|| argument(&NAME_ARGUMENTS))?,
        takes_many: many.is_some(),
        takes_text,
    })
}

fn property<'a>(tool: &'a Tool, name: &str) -> Option<SchemaRef<'a>> {
    SchemaRef::document(&*tool.input_schema).property(name)
}

/// Returns whether a schema reveals nothing about the arguments (specification v2.1, section 3.1).
/// Properties that only name the HTTP header that carries them exist for the transport.
fn is_minimal(tool: &Tool) -> bool {
    let schema = SchemaRef::document(&*tool.input_schema);
    let has_no_arguments = schema
        .properties()
        .all(|(_, property)| is_header_stub(property));
    let is_open = schema
        .additional_properties()
        .is_none_or(SchemaRef::is_true);
    let has_constraints = schema.has_branches()
        || schema.has_reference()
        || schema.has_pattern_properties()
        || schema.get("propertyNames").is_some()
        || schema.get("required").is_some();
    has_no_arguments && is_open && !has_constraints
}

/// Returns whether a property only names the header that carries the property or one of its
/// members.
fn is_header_stub(property: SchemaRef<'_>) -> bool {
    let mut inner = property.properties();
    let mut parts = property.parts();
    property.get("x-mcp-header").is_some()
        || (inner.len() > 0
            && parts.all(|(key, part)| key == "type" || matches!(part, SchemaPart::Properties(_)))
            && inner.all(|(_, member)| is_header_stub(member)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use rmcp::model::JsonObject;
    use serde_json::{Value, json};

    fn tool(name: &'static str, schema: Value) -> Tool {
        Tool::new(name, "does", schema.as_object().cloned().unwrap())
    }

    fn taking(name: &'static str, arguments: &[&str]) -> Tool {
        let properties: JsonObject = arguments
            .iter()
            .map(|name| ((*name).to_owned(), json!({})))
            .collect();
        tool(name, json!({ "type": "object", "properties": properties }))
    }

    fn read(tools: &[Tool]) -> ServerFeatures {
        ServerFeatures::from_list(tools, &ServerCapabilities::default(), false)
    }

    #[test]
    fn minimal_schemas_are_known_by_what_they_leave_out() {
        let minimal = [
            json!({ "type": "object" }),
            json!({ "type": "object", "additionalProperties": true }),
            json!({ "type": "object", "properties": {} }),
            json!({ "type": "object", "properties": { "region": { "type": "string", "x-mcp-header": "Region" } } }),
            json!({ "type": "object", "properties": { "to": {
                "type": "object", "properties": { "city": { "type": "string", "x-mcp-header": "City" } },
            } } }),
        ];
        let full = [
            json!({ "type": "object", "properties": {}, "additionalProperties": false }),
            json!({ "type": "object", "properties": { "a": {} } }),
            json!({ "type": "object", "properties": { "a": { "type": "object", "properties": {} } } }),
            json!({ "type": "object", "oneOf": [] }),
        ];
        assert!(
            minimal
                .into_iter()
                .all(|schema| is_minimal(&tool("log", schema)))
        );
        assert!(
            !full
                .into_iter()
                .any(|schema| is_minimal(&tool("log", schema)))
        );
    }

    #[test]
    fn a_plain_server_has_nothing_to_describe() {
        let features = read(&[
            taking("log", &["limit"]),
            taking("list_tools", &["shelf"]),
            taking("now", &[]),
        ]);
        assert!(
            features.routes.is_empty()
                && features.hidden.is_empty()
                && features.search_tools.is_empty()
        );
        assert!(
            features.minimal.contains("now"),
            "it may be that something was left out: that is asked"
        );
    }

    #[test]
    fn meta_tools_are_known_by_name_and_argument() {
        let gram = [
            taking("search_tools", &["query"]),
            taking("describe_tools", &["tool_names"]),
            taking("execute_tool", &["name", "arguments"]),
        ];
        let features = read(&gram);
        let name = "describe_tools".to_owned();
        let describing = MetaTool {
            name,
            argument: "tool_names",
            takes_many: true,
            takes_text: false,
        };
        assert_eq!(features.routes, [DescriptionRoute::Tool(describing)]);
        assert_eq!(
            features.call_tool.as_ref().map(|tool| tool.argument),
            Some("name")
        );
        assert_eq!(features.search_tools, ["search_tools"]);
        assert!(
            features.must_describe("log", false) && !features.must_describe("search_tools", true)
        );
    }

    #[test]
    fn where_search_alone_tells_of_tools_it_is_the_route() {
        let features = read(&[
            taking("search_tools", &["query"]),
            taking("call_tool", &["name", "arguments"]),
        ]);
        assert_eq!(
            features.routes,
            [DescriptionRoute::Search("search_tools".to_owned())]
        );
        assert!(features.hidden.contains("call_tool"));
    }

    #[test]
    fn where_nothing_describes_all_tools_are_the_models_own() {
        let mut features = read(&[
            taking("list_tools", &["shelf"]),
            taking("call_tool", &["name", "arguments"]),
        ]);
        features.finish();
        assert!(
            features.search_tools.is_empty()
                && features.hidden.is_empty()
                && features.call_tool.is_none()
        );
        assert!(!features.needs_describing() && !features.must_describe("log", false));
    }

    #[test]
    fn a_meta_tool_beside_a_full_list_is_the_models_own() {
        let features = read(&[
            taking("log", &["limit"]),
            taking("describe_tools", &["names"]),
        ]);
        assert!(features.routes.is_empty() && features.hidden.is_empty());
    }
}
