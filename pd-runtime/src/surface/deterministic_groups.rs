//! Deterministic groups, an experiment of the MCP progressive-disclosure group, on top of tool
//! manifests: `experimental/groups/list` lists the groups, and
//! `experimental/groups/expand {id, revision}` returns the entries of one.
//!
//! The experiment has one level. A nested group is a separate group, by its name. Each group
//! contains and counts the tools directly in it, without the tools of groups inside it. A group is
//! listed only if the caller sees such a tool. Each full definition names its groups in `_meta`
//! (`catalog::definition`).

use super::{Surface, SurfaceAnswer, manifest};
use crate::{
    catalog::{Catalog, definition::GROUPS, token_cost::CostForm},
    digest::{Digest, canonical_json},
    disclosure::view::CallerView,
    policy::{Policy, rate_limit::ChargeKind},
};
use futures::future::{FutureExt, ready};
use rmcp::{
    ErrorData,
    model::{JsonObject, ServerCapabilities},
};
use serde_json::{Value, json};
use std::sync::Arc;

const LIST: &str = "experimental/groups/list";
const EXPAND: &str = "experimental/groups/expand";

/// The experiment as a surface.
#[derive(Debug)]
pub(crate) struct DeterministicGroupsSurface;

impl Surface for DeterministicGroupsSurface {
    /// Declares the experiment even without groups: a caller that sees no group must not learn
    /// whether groups exist.
    fn declare(&self, _: &Catalog, policy: &Policy, capabilities: &mut ServerCapabilities) {
        if policy.manifests {
            let settings = JsonObject::from_iter([("version".to_owned(), json!(1))]);
            capabilities
                .experimental
                .get_or_insert_default()
                .insert(GROUPS.to_owned(), settings);
        }
    }

    fn resolve_method(&self, method: &str, _: Option<&Value>) -> Option<&'static str> {
        [LIST, EXPAND].into_iter().find(|own| *own == method)
    }

    fn answer<'a>(
        &'a self,
        method: &'a str,
        params: Option<&'a Value>,
        view: &'a CallerView<'a>,
    ) -> SurfaceAnswer<'a> {
        let answer = match method {
            _ if !view.policy.manifests => Err(manifest::not_offered(method)),
            LIST => view
                .charge(ChargeKind::Find, 1)
                .map(|()| directory(view).to_value())
                .map_err(ErrorData::from),
            _ => expand(params, view),
        };
        ready(answer).boxed()
    }
}

/// The groups that some callers see, and a revision that identifies this state of the groups and
/// their tools.
#[derive(Debug)]
struct GroupSnapshot {
    groups: Value,
    revision: String,
}

fn directory(view: &CallerView<'_>) -> Arc<GroupSnapshot> {
    // Cached for each set of visible tools. Output schemas differ between protocol generations, so
    // the revision does, too.
    view.sight()
        .cached_for(view.caller.modern, || GroupSnapshot::new(view))
}

impl GroupSnapshot {
    fn new(view: &CallerView<'_>) -> Self {
        let groups = view.tree().nodes().iter().filter_map(|group| {
            let count = view.tools_of(group).count();
            (count > 0)
                .then(|| json!({ "id": group.name, "description": view.summary_of(group), "count": count }))
        });
        let groups: Value = groups.collect();
        let entries: Value = view
            .visible()
            .map(|entry| manifest::entry(view.full_definition(entry)))
            .collect();
        // Entries carry the digests of whole tools, so the revision changes with every definition
        // that the caller sees.
        let state = json!({ "groups": groups, "entries": entries });
        // Texts and counts always have a canonical form, so the default is never used.
        let canonical = canonical_json::bytes(&state).unwrap_or_default();
        Self {
            groups,
            revision: Digest::from_bytes(&canonical).to_string(),
        }
    }

    fn to_value(&self) -> Value {
        json!({ "groups": self.groups, "revision": self.revision })
    }
}

/// # Errors
///
/// Returns -32602 with the reason `unknownGroup`, also for a hidden group, or `staleView`.
fn expand(params: Option<&Value>, view: &CallerView<'_>) -> Result<Value, ErrorData> {
    view.charge(ChargeKind::Find, 1)?;
    let group = param(params, "id").and_then(|id| view.tree().named(id));
    // The group is checked before the revision, so that a hidden group never reports `staleView`.
    let group = group.filter(|group| view.tools_of(group).next().is_some());
    let group = group.ok_or_else(|| refusal("no such group; list the groups", "unknownGroup"))?;
    let directory = directory(view);
    if param(params, "revision") != Some(directory.revision.as_str()) {
        return Err(refusal(
            "the groups or their tools have changed; list the groups again",
            "staleView",
        ));
    }
    view.recorder
        .record_listed(view.tools_of(group).map(|entry| (&**entry, CostForm::Name)));
    let entries: Value = view
        .tools_of(group)
        .map(|entry| manifest::entry(view.full_definition(entry)))
        .collect();
    Ok(json!({ "entries": entries, "revision": directory.revision }))
}

fn param<'a>(params: Option<&'a Value>, key: &str) -> Option<&'a str> {
    params
        .and_then(|params| params.get(key))
        .and_then(Value::as_str)
}

fn refusal(message: &'static str, reason: &str) -> ErrorData {
    ErrorData::invalid_params(message, Some(json!({ "reason": reason })))
}
