//! The Groups extension (draft SEP), `io.modelcontextprotocol/groups`: `groups/list` and
//! `groups/get`. For its clients a tool in a group is not in `tools/list`; it comes with its group,
//! in full. So do prompts and resources, which `server::group_contents` adds.

use super::{CODE, Surface, SurfaceAnswer, pagination, truncated};
use crate::{
    catalog::{Catalog, token_cost::CostForm, tree::TreeNode},
    disclosure::{
        disclose::{DisclosureBatch, disclose},
        view::CallerView,
    },
    policy::{Policy, rate_limit::ChargeKind},
    protocol::{
        extensions, json_value,
        negotiated::{ClientProfile, ClientTerms},
    },
};

use futures::FutureExt;
use rmcp::{
    ErrorData,
    model::{ErrorCode, JsonObject, ServerCapabilities},
};
use serde_json::{Value, json};

const LIST: &str = "groups/list";
pub(crate) const GET: &str = "groups/get";
const CHANGED: &str = "notifications/groups/list_changed";

/// The extension as a surface.
#[derive(Debug)]
pub(crate) struct GroupsSurface;

impl Surface for GroupsSurface {
    fn declare(&self, catalog: &Catalog, _: &Policy, capabilities: &mut ServerCapabilities) {
        // A server without groups does not declare the extension.
        // The groups of a source are listed before their tools are known.
        if catalog.tree.top().next().is_some() || !catalog.info.listed_groups.is_empty() {
            let settings = JsonObject::from_iter([("listChanged".to_owned(), json!(true))]);
            capabilities
                .extensions
                .get_or_insert_default()
                .insert(extensions::GROUPS.to_owned(), settings);
        }
    }

    fn exists(&self, view: &CallerView<'_>) -> bool {
        view.has_groups()
    }

    /// Requires that groups are expanded. A call must not depend on whether the client has read the
    /// tool's group.
    fn terms(&self, client: &ClientProfile<'_>) -> Option<ClientTerms> {
        let required = ClientTerms {
            expands_groups: true,
            ..ClientTerms::default()
        };
        client.declares(extensions::GROUPS).then_some(required)
    }

    fn resolve_method(&self, method: &str, _: Option<&Value>) -> Option<&'static str> {
        [LIST, GET].into_iter().find(|own| *own == method)
    }

    fn answer<'a>(
        &'a self,
        method: &'a str,
        params: Option<&'a Value>,
        view: &'a CallerView<'a>,
    ) -> SurfaceAnswer<'a> {
        answer(method, params, view).boxed()
    }

    /// Returns the notification for sessions, and for subscribers who want to know that tools
    /// changed: the filter of `subscriptions/listen` has no member for it.
    fn change_notification(&self) -> Option<&'static str> {
        Some(CHANGED)
    }
}

/// Answers a method. If either side did not declare the extension, or the caller sees no group, the
/// method does not exist.
async fn answer(
    method: &str,
    params: Option<&Value>,
    view: &CallerView<'_>,
) -> Result<Value, ErrorData> {
    if !view.caller.terms.expands_groups || !view.has_groups() {
        return Err(ErrorData::new(
            ErrorCode::METHOD_NOT_FOUND,
            method.to_owned(),
            None,
        ));
    }
    // After the check, because a method that does not exist costs nothing.
    view.charge(ChargeKind::Find, 1)?;
    match method {
        GET => get(params, view).await,
        _ => list(params, view),
    }
}

/// Answers `groups/list`: the groups at the top level.
fn list(params: Option<&Value>, view: &CallerView<'_>) -> Result<Value, ErrorData> {
    let groups = view.groups_in(None);
    let page = pagination::page(&groups, pagination::cursor(params)?, |group| &group.name)?;
    let mut result = JsonObject::from_iter([("groups".to_owned(), listed(page.entries, view))]);
    pagination::add_next_cursor(&mut result, page.next);
    Ok(Value::Object(result))
}

/// Renders groups as lists show them, without their contents.
fn listed<'a>(groups: &[&'a TreeNode], view: &CallerView<'a>) -> Value {
    let entries = groups.iter().map(|group| {
        let summary = view.summary_of(group);
        match &group.title {
            Some(title) => json!({ "name": group.name, "title": title, "description": summary }),
            None => json!({ "name": group.name, "description": summary }),
        }
    });
    entries.collect()
}

/// Returns the group that a request names, if it exists for this caller.
pub(crate) fn requested<'a>(params: Option<&Value>, view: &CallerView<'a>) -> Option<&'a TreeNode> {
    let name = params?.get("name")?.as_str()?;
    view.tree()
        .named(name)
        .filter(|group| view.sees_group(group))
}

/// Answers `groups/get {name}`, which discloses the group's tools.
///
/// # Errors
///
/// Returns -32002 for a group that does not exist for this caller.
async fn get(params: Option<&Value>, view: &CallerView<'_>) -> Result<Value, ErrorData> {
    let name = params
        .and_then(|params| params.get("name"))
        .and_then(Value::as_str);
    let name =
        name.ok_or_else(|| ErrorData::invalid_params("`name` must be the name of a group", None))?;
    let group = requested(params, view).ok_or_else(|| unknown(name, view))?;
    // Tools at the top level are in `tools/list` already.
    let (top, scoped): (Vec<_>, Vec<_>) = view.tools_of(group).partition(|entry| entry.is_top);
    let names: Vec<_> = scoped.iter().map(|entry| entry.name().to_owned()).collect();
    // `charge` counts at least one.
    if !names.is_empty() {
        view.charge(ChargeKind::Describe, names.len())?;
    }
    let disclosure = disclose(&names, CostForm::Definition, view).await;
    let mut result = JsonObject::new();
    if let Some(text) = instructions(
        group,
        &top.iter().map(|entry| entry.name()).collect::<Vec<_>>(),
    ) {
        result.insert("instructions".to_owned(), Value::String(text));
    }
    let contents = contents(&disclosure, &view.groups_in(Some(group)), view)?;
    if !contents.is_empty() {
        result.insert("contents".to_owned(), Value::Object(contents));
    }
    // Full definitions have no room for a ticket.
    if let Some(meta) = disclosure.meta_with_tickets() {
        result.insert("_meta".to_owned(), Value::Object(meta.0));
    }
    Ok(Value::Object(result))
}

/// Returns the group's instructions. Each tool is listed in one place, so a tool that is also at
/// the top level is only named here.
fn instructions(group: &TreeNode, top: &[&str]) -> Option<String> {
    let also = (!top.is_empty()).then(|| {
        format!(
            "Part of this, and listed at the top level: {}.",
            top.join(", ")
        )
    });
    let texts: Vec<&str> = [&*group.instructions]
        .into_iter()
        .chain(also.as_deref())
        .filter(|text| !text.is_empty())
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

fn contents(
    disclosure: &DisclosureBatch<'_>,
    inside: &[&TreeNode],
    view: &CallerView<'_>,
) -> Result<JsonObject, ErrorData> {
    let tools = disclosure
        .entries()
        .map(|entry| json_value::to_value(&view.full_definition(entry).tool));
    let tools = tools.collect::<Result<Vec<_>, _>>();
    let tools = tools.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    let mut contents = JsonObject::new();
    if !tools.is_empty() {
        contents.insert("tools".to_owned(), Value::Array(tools));
    }
    if !inside.is_empty() {
        contents.insert("groups".to_owned(), listed(inside, view));
    }
    Ok(contents)
}

/// Returns the error for an unknown group. A hidden group gets the same bytes.
fn unknown(name: &str, view: &CallerView<'_>) -> ErrorData {
    // The caller chose the name, and the error repeats it.
    let name = truncated(name);
    let mut data = JsonObject::from_iter([("name".to_owned(), json!(name))]);
    if view.caller.modern {
        // The draft demands -32002, which rmcp rewrites for clients of 2026-07-28; see `CODE`.
        data.insert(CODE.to_owned(), json!(ErrorCode::RESOURCE_NOT_FOUND));
    }
    if let Some(set) = view.missing_for(name) {
        return ErrorData::resource_not_found(set.render(name), Some(Value::Object(data)));
    }
    ErrorData::resource_not_found(
        format!("no such group: `{name}`; {LIST} names the groups"),
        Some(Value::Object(data)),
    )
}
