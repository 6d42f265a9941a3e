//! The tools of an upstream as tools of a registry.

use super::{names, upstream::Upstream};
use crate::{
    registry::{Registry, group::Group, tool::Tool},
    tool::context::CallContext,
};
use futures::FutureExt;
use rmcp::model::{self, JsonObject};
use serde_json::Value;
use std::{collections::HashSet, sync::Arc, time::Duration};

/// The longest run of a call, unless the entry sets a time. A server that hangs must not hold a call
/// for ever.
const CALL_TIMEOUT: Duration = Duration::from_secs(600);
/// The characters of a server's line in instructions.
const LINE_MAX: usize = 160;

/// A tool of an upstream that is not offered, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LeftOut {
    pub(super) tool: String,
    pub(super) reason: String,
}

/// Creates the group of an upstream's tools. Names in `taken` belong to other upstreams.
pub(super) fn group<S: Send + Sync + 'static>(
    upstream: &Arc<Upstream>,
    taken: &mut HashSet<String>,
) -> (Group<S>, Vec<LeftOut>) {
    let mut group = Group::new(names::group_name(upstream.name()), summary(upstream));
    let mut left_out = Vec::new();
    let lists = upstream.lists();
    if let Some(instructions) = lists.as_ref().and_then(|lists| lists.facts.instructions.clone()) {
        group = group.instructions(instructions);
    }
    for definition in lists.iter().flat_map(|lists| &lists.tools) {
        let name = definition.get("name").and_then(Value::as_str).unwrap_or_default();
        if !upstream.entry.settings.offers(name) {
            continue;
        }
        match tool(upstream, name, definition, taken) {
            Ok(tool) => group = group.tool(tool),
            Err(reason) => {
                tracing::warn!(server = upstream.name(), tool = name, reason, "a tool is not offered");
                left_out.push(LeftOut { tool: name.to_owned(), reason });
            }
        }
    }
    (group, left_out)
}

/// Returns one line about the upstream: that of its entry, or the title or name that it has itself.
pub(super) fn summary(upstream: &Upstream) -> String {
    let settings = &upstream.entry.settings;
    let lists = upstream.lists();
    let said = |key: &str| lists.as_ref()?.facts.info.get(key)?.as_str().map(str::to_owned);
    let text = settings.summary.clone().or_else(|| said("description")).or_else(|| said("title"));
    let text = text.unwrap_or_else(|| format!("Tools of the server {}", upstream.name()));
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().filter(|character| !character.is_control()).take(LINE_MAX).collect()
}

fn tool<S: Send + Sync + 'static>(
    upstream: &Arc<Upstream>,
    name: &str,
    definition: &Value,
    taken: &mut HashSet<String>,
) -> Result<Tool<S>, String> {
    let settings = &upstream.entry.settings;
    let mut typed: model::Tool =
        serde_json::from_value(definition.clone()).map_err(|error| format!("its definition is not valid: {error}"))?;
    let prefix = settings.prefix.clone().unwrap_or_else(|| names::default_prefix(upstream.name()));
    let offered = names::prefixed(&prefix, name);
    if taken.contains(&offered) {
        return Err(format!(
            "another server has a tool of the name `{offered}`; set another `prefix` in the `pd` object of one of them"
        ));
    }
    typed.name = offered.clone().into();
    let (target, own_name) = (upstream.clone(), name.to_owned());
    let mut tool = Tool::from_definition(typed, move |_: &S, context: &CallContext, arguments: JsonObject| {
        let (target, own_name, context) = (target.clone(), own_name.clone(), context.clone());
        async move { target.call(&own_name, &context, arguments).await }.boxed()
    })
    .origin(format!("the server {}", upstream.name()));
    let own = settings.tools.get(name);
    tool = tool.timeout(own.and_then(|own| own.timeout).or(settings.timeout).unwrap_or(CALL_TIMEOUT));
    if let Some(calls) = own.and_then(|own| own.concurrency).or(settings.concurrency) {
        tool = tool.concurrency(calls.get() as usize);
    }
    for scope in settings.scopes.iter().chain(own.into_iter().flat_map(|own| &own.scopes)) {
        tool = tool.scope(scope.clone());
    }
    if let Some(summary) = own.and_then(|own| own.summary.clone()) {
        tool.about.summary = summary.into();
    }
    if settings.is_eager || settings.pin.iter().any(|pinned| pinned == name) {
        tool = tool.eager();
    }
    let tool = checked(tool)?;
    taken.insert(offered);
    Ok(tool)
}

/// Checks a tool by itself, so that a bad definition takes no other tool with it.
fn checked<S: 'static>(tool: Tool<S>) -> Result<Tool<S>, String> {
    let registry = Registry::builder().tool(tool).build().map_err(|errors| errors.to_string())?;
    let tool = registry.tools.into_iter().next().and_then(Arc::into_inner);
    tool.ok_or_else(|| "it could not be checked".to_owned())
}
