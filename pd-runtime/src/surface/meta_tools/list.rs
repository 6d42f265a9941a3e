//! Lists a group's tools and groups by its path. The registry is a tree that is opened branch by
//! branch.

use super::{
    StaticSchema,
    arguments::{DetailLevel, MetaToolArguments},
    error_result, named_object,
    notation::PathNotation,
    object, read_only_tool, text_result, with_found,
};
use crate::{
    catalog::{entry::CatalogEntry, token_cost::CostForm, tree::TreeNode},
    disclosure::{disclose::disclose, view::CallerView},
    policy::{meta_tools::OfferedMetaTool, rate_limit::ChargeKind},
    surface::{call_routes, missing, tool_lines},
};

use rmcp::model::{CallToolResult, Tool};
use serde_json::json;
use std::sync::Arc;

/// The most tools in the answer to a search by a group's path. A model that meant a word of a task
/// does not need the rest, and pays for each line.
const OPENED_MAX: usize = 50;

/// Returns the list entry. `detail` and `depth` are accepted but not declared: the describing tool
/// also returns a group's signatures, and declaring them would cost tokens in every list.
pub(super) fn definition(offer: &OfferedMetaTool) -> Tool {
    static SCHEMA: StaticSchema = StaticSchema::new(|| {
        object(json!({
            "type": "object",
            "properties": { "path": { "type": "string" } },
        }))
    });
    read_only_tool(offer, "List the tools of a group", &SCHEMA)
}

/// Calls the meta-tool.
pub(super) async fn call(arguments: &MetaToolArguments, view: &CallerView<'_>) -> CallToolResult {
    let detail = match arguments.detail(
        &[
            DetailLevel::Names,
            DetailLevel::Summary,
            DetailLevel::Signature,
        ],
        DetailLevel::Summary,
    ) {
        Ok(detail) => detail,
        Err(why) => return error_result(why),
    };
    let path = arguments.text("path");
    let group = view.group(path);
    // Models write the top level as an empty path, a slash or a dot.
    if group.is_none() && !path.trim_matches(['/', '.']).is_empty() {
        let tools = named_object::answer(path, view);
        return error_result(
            tools.unwrap_or_else(|| PathNotation::Names.unknown_group(path, view)),
        );
    }
    let mut page = GroupListing {
        view,
        detail,
        text: String::new(),
        tools: Vec::new(),
    };
    if let Some(group) = group {
        page.add_group(group, 0);
    }
    // The tree of groups bounds the recursion, so a large depth is harmless.
    page.add_contents(group, arguments.count("depth").unwrap_or(1).max(1), 0);
    if group.is_none() {
        missing::sentences(view)
            .iter()
            .for_each(|sentence| page.add_line(0, sentence));
    }
    page.finish().await
}

/// Lists the tools and groups that are directly in a group, for a search by its path.
pub(super) async fn open(group: &TreeNode, view: &CallerView<'_>) -> CallToolResult {
    let mut page = GroupListing {
        view,
        detail: DetailLevel::Summary,
        text: String::new(),
        tools: Vec::new(),
    };
    page.add_group(group, 0);
    let tools: Vec<_> = view.tools_of(group).collect();
    for tool in tools.iter().take(OPENED_MAX) {
        page.add_tool(tool, 0);
    }
    for inner in view.groups_in(Some(group)) {
        page.add_group(inner, 0);
    }
    let rest = tools.len().saturating_sub(OPENED_MAX);
    if rest > 0 {
        page.add_line(0, &format!("{rest} more tools; search for what to do"));
    }
    let found = tools.iter().take(OPENED_MAX).map(|tool| tool.name());
    with_found(page.finish().await, found, view)
}

/// The lines so far, and the tools in them.
struct GroupListing<'a> {
    view: &'a CallerView<'a>,
    detail: DetailLevel,
    text: String,
    tools: Vec<&'a Arc<CatalogEntry>>,
}

impl<'a> GroupListing<'a> {
    /// Adds the contents of a group or of the top level: its tools, then its groups, which are
    /// opened to the given depth.
    fn add_contents(&mut self, group: Option<&'a TreeNode>, depth: usize, indent: usize) {
        let tools: Vec<_> = match group {
            Some(group) => self.view.tools_of(group).collect(),
            None => self.view.visible().filter(|entry| entry.is_top).collect(),
        };
        for tool in tools {
            self.add_tool(tool, indent);
        }
        for inner in self.view.groups_in(group) {
            self.add_group(inner, indent);
            if depth > 1 {
                self.add_contents(Some(inner), depth - 1, indent + 1);
            }
        }
    }

    fn add_group(&mut self, group: &TreeNode, indent: usize) {
        let line = match self.detail {
            DetailLevel::Names => format!("{} ({})", group.path, self.view.count(group)),
            _ => tool_lines::group(group, self.view),
        };
        self.add_line(indent, &line);
    }

    fn add_tool(&mut self, tool: &'a Arc<CatalogEntry>, indent: usize) {
        match self.detail {
            DetailLevel::Summary => self.add_line(indent, &tool_lines::tool(tool)),
            _ => self.add_line(indent, tool.name()),
        }
        self.tools.push(tool);
    }

    fn add_line(&mut self, indent: usize, line: &str) {
        self.text.extend(std::iter::repeat_n(' ', indent));
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Completes the answer. Requested signatures follow the lines, each once, because a tool in
    /// two groups is one tool.
    async fn finish(mut self) -> CallToolResult {
        let form = if self.detail == DetailLevel::Summary {
            CostForm::Line
        } else {
            CostForm::Name
        };
        self.view
            .recorder
            .record_listed(self.tools.iter().map(|tool| (&***tool, form)));
        if self.detail != DetailLevel::Signature {
            return text_result(self.text.trim_end());
        }
        // `dedup` removes neighbors only, so the tools are sorted by their place.
        self.tools.sort_by_key(|tool| tool.place);
        self.tools.dedup_by_key(|tool| tool.place);
        let most = self.view.policy.limits.names;
        // The lines are shown all the same, because they name the smaller groups.
        if self.tools.len() > most {
            let count = self.tools.len();
            let text = self.text;
            return error_result(format!(
                "{text}\n{count} tools are too many for signatures; ask for those of a smaller group, at most {most}"
            ));
        }
        // After the check of the number, because the refusal above discloses nothing.
        if let Err(later) = self.view.charge(ChargeKind::Describe, self.tools.len()) {
            return later.into_result();
        }
        let names: Vec<String> = self
            .tools
            .iter()
            .map(|tool| tool.name().to_owned())
            .collect();
        let disclosure = disclose(&names, CostForm::Signature, self.view).await;
        let route = call_routes::render(disclosure.entries().map(|entry| &**entry), self.view);
        let route = route
            .map(|route| format!("\n\n{route}"))
            .unwrap_or_default();
        let mut result = text_result(format!("{}\n{}{route}", self.text, disclosure.signatures()));
        result.meta = disclosure.meta();
        result
    }
}
