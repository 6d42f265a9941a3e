//! The resources of upstreams. Their URIs stay as they are, so a read goes to the upstream that the
//! URI came from.

use crate::{
    Gateway,
    connection::RequestError,
    forward::ForwardedRequest,
    lists::cached_lists::CachedLists,
    message::{
        own_keys::remove_own_keys,
        resource_uri::{UriKey, matches_template},
        result_shape::resource_result,
        view_uri::{is_view, view_of},
    },
    transport::link::ParamHeaders,
    upstream::{Upstream, issued_uris::ResultReader, upstream_error::UpstreamError},
};
use pd_runtime::{
    CallContext, ToolError,
    server::ResourceProvider,
    upstream::{CallerAuthority, LossyValue},
};
use rmcp::model::{JsonObject, ReadResourceResult, Resource, ResourceTemplate};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    sync::Arc,
};

/// The prompts, resources and templates of one server that are reported as not offered.
const LEFT_OUT_MAX: usize = 20;

impl ResourceProvider for Gateway {
    async fn list(&self, call: &CallContext) -> Result<Vec<Resource>, ToolError> {
        let mut listed = Vec::new();
        let mut known = HashSet::new();
        for upstream in self.visible(call.authority()) {
            let Some(lists) = upstream.lists() else {
                continue;
            };
            // A URI in two spellings is one resource, which belongs to the first server.
            let own: Vec<_> = upstream
                .listed_resources(&lists)
                .filter(|(key, _)| !known.contains(key))
                .collect();
            listed.extend(typed_list(
                own.iter().map(|(_, entry)| &**entry),
                ("resources", "uri"),
                call,
            ));
            known.extend(own.into_iter().map(|(key, _)| key));
        }
        Ok(listed)
    }

    async fn templates(&self, call: &CallContext) -> Result<Vec<ResourceTemplate>, ToolError> {
        let mut listed = Vec::new();
        for upstream in self.visible(call.authority()) {
            let Some(lists) = upstream.lists() else {
                continue;
            };
            let templates = lists.offered().templates.iter();
            let templates: Vec<_> = templates
                .map(|template| renamed_entry(&upstream, template, "uriTemplate"))
                .collect();
            listed.extend(typed_list(
                templates.iter().map(|template| &**template),
                ("resourceTemplates", "uriTemplate"),
                call,
            ));
        }
        Ok(listed)
    }

    async fn read(
        &self,
        uri: &str,
        call: &CallContext,
    ) -> Result<Option<ReadResourceResult>, ToolError> {
        let is_own = UriKey::new(uri).is_own();
        // No upstream has the URIs of this server's own surfaces, so none is started for them.
        let owner = self
            .find_or_wait(call, |_| !is_own, || self.resource_owner(uri, call))
            .await?;
        let Some(owner) = owner else { return Ok(None) };
        let upstream = owner.map_err(UpstreamError::into_tool_error)?;
        let own = upstream.own_uri(uri);
        let params = JsonObject::from_iter([("uri".to_owned(), (&*own).into())]);
        let result = upstream.read("resources/read", params, call).await;
        result
            .and_then(|result| upstream.typed(resource_result(result, &own), call))
            .map(Some)
            .map_err(UpstreamError::into_tool_error)
    }
}

impl Gateway {
    /// Returns the upstreams that a caller sees.
    pub(crate) fn visible(&self, caller: &CallerAuthority) -> impl Iterator<Item = Arc<Upstream>> {
        let upstreams = self.upstreams();
        let visible = upstreams
            .iter()
            .filter(|upstream| upstream.is_visible(caller));
        visible.cloned().collect::<Vec<_>>().into_iter()
    }

    /// Returns the upstream that a resource belongs to: the first that lists it, then the first
    /// with a template for it, then the first that sent it to this caller in a result. The results
    /// come last, because any server can write any URI into its results.
    pub(crate) fn resource_owner(
        &self,
        uri: &str,
        context: &CallContext,
    ) -> Option<Result<Arc<Upstream>, UpstreamError>> {
        let key = UriKey::new(uri);
        if key.is_own() {
            return None;
        }
        if is_view(uri) {
            return self.view_owner(uri, context);
        }
        // A resource that a check has refused is not read by its URI either.
        let withholds = |upstream: &Upstream| {
            upstream
                .lists()
                .is_some_and(|lists| lists.offered_resources().withholds(&key))
        };
        let upstreams: Vec<_> = self
            .visible(context.authority())
            .filter(|upstream| !withholds(upstream))
            .collect();
        let lists_it = |upstream: &&Arc<Upstream>| {
            upstream
                .lists()
                .is_some_and(|lists| lists.offered_resources().contains(&key))
        };
        let reader = ResultReader::from_call(context);
        if let Some(listed) = upstreams.iter().find(lists_it) {
            return Some(Ok(listed.clone()));
        }
        if let Some(owner) = upstreams
            .iter()
            .find_map(|upstream| upstream.by_template(uri, &key))
        {
            return Some(owner);
        }
        if let Some(issuer) = upstreams
            .iter()
            .find(|upstream| upstream.issued.contains(&key, reader))
        {
            return Some(Ok(issuer.clone()));
        }
        // Last, because a template without an approval only explains why nothing is read.
        upstreams
            .iter()
            .find_map(|upstream| Some(Err(upstream.by_new_template(uri, &key)?)))
    }

    /// Returns the upstream that a view belongs to: the one that its URI names, or the only one that
    /// has a view of this URI. Two servers may have the same URI, and a view of one must not be shown
    /// for the calls of the other.
    fn view_owner(
        &self,
        uri: &str,
        context: &CallContext,
    ) -> Option<Result<Arc<Upstream>, UpstreamError>> {
        let reader = ResultReader::from_call(context);
        let upstreams: Vec<_> = self.visible(context.authority()).collect();
        let named = upstreams
            .iter()
            .find_map(|upstream| Some((upstream, upstream.view_names().inner(uri)?)));
        if let Some((upstream, own)) = named
            && let Some(owner) = upstream.by_view(&own, reader)
        {
            return Some(owner);
        }
        let mut owners: Vec<_> = upstreams
            .iter()
            .filter_map(|upstream| Some((upstream, upstream.by_view(uri, reader)?)))
            .collect();
        match owners.len() {
            0 | 1 => owners.pop().map(|(_, owner)| owner),
            _ => {
                let uris = owners
                    .iter()
                    .map(|(upstream, _)| format!("`{}`", upstream.view_names().outer(uri)));
                let uris: Vec<_> = uris.collect();
                Some(Err(UpstreamError::SeveralViews {
                    uris: uris.join(", "),
                }))
            }
        }
    }

    /// Returns the upstream that lists a resource template, or that a URI belongs to.
    pub(crate) fn template_owner(
        &self,
        template: &str,
        context: &CallContext,
    ) -> Option<Result<Arc<Upstream>, UpstreamError>> {
        let listed = self.visible(context.authority()).find_map(|upstream| {
            let lists = upstream.lists()?;
            let offered = lists.offered();
            match offered.held_template(template) {
                Some(held) => Some(Err(UpstreamError::Held {
                    reason: held.reason.clone(),
                })),
                None => offered
                    .template_uris()
                    .any(|known| known == template)
                    .then(|| Ok(upstream.clone())),
            }
        });
        // A reference for a completion may also be the URI of a resource (MCP, completion).
        listed.or_else(|| self.resource_owner(template, context))
    }
}

/// Returns the prompts, resources and templates of each server that are not offered, each with the
/// reason: a check refuses them, or an earlier server has them, too.
pub(crate) fn left_out<'a>(
    upstreams: impl Iterator<Item = &'a Arc<Upstream>>,
) -> Vec<Vec<(String, String)>> {
    let mut owners = HashMap::new();
    upstreams
        .map(|upstream| left_out_of(upstream, &mut owners))
        .collect()
}

fn left_out_of(
    upstream: &Upstream,
    owners: &mut HashMap<(bool, UriKey), String>,
) -> Vec<(String, String)> {
    let Some(lists) = upstream.lists() else {
        return Vec::new();
    };
    let refused = lists
        .offered()
        .left_out
        .iter()
        .chain(&lists.offered_resources().left_out);
    let mut left_out: Vec<_> = refused.cloned().collect();
    let resources = upstream.listed_resources(&lists).map(|(key, entry)| {
        let uri = entry.get("uri").and_then(Value::as_str).unwrap_or_default();
        (false, key, uri.to_owned())
    });
    let names = upstream.view_names();
    let templates = lists.offered().template_uris().map(|uri| {
        let uri = names.outer(uri);
        (true, UriKey::new(&uri), uri.into_owned())
    });
    for (is_template, key, uri) in resources.chain(templates) {
        let owner = owners
            .entry((is_template, key))
            .or_insert_with(|| upstream.name().to_owned());
        if owner != upstream.name() {
            let kind = if is_template {
                "resource template"
            } else {
                "resource"
            };
            left_out.push((
                format!("{kind} {uri}"),
                format!("`{owner}` has it, too, and answers"),
            ));
        }
    }
    let more = left_out.len().saturating_sub(LEFT_OUT_MAX);
    left_out.truncate(LEFT_OUT_MAX);
    left_out.extend((more > 0).then(|| {
        (
            format!("{more} more"),
            "they are left out like these".to_owned(),
        )
    }));
    left_out
}

/// Returns an entry of a list with the URI that clients have for it.
fn renamed_entry<'a>(upstream: &Upstream, entry: &'a Value, key: &str) -> Cow<'a, Value> {
    let uri = entry.get(key).and_then(Value::as_str);
    let names = upstream.view_names();
    if !uri.is_some_and(|uri| matches!(names.outer(uri), Cow::Owned(_))) {
        return Cow::Borrowed(entry);
    }
    let mut renamed = entry.clone();
    names.rename_part(&mut renamed);
    Cow::Owned(renamed)
}

impl Upstream {
    /// Returns the resources that clients are listed, with the URIs that they have for them.
    pub(crate) fn listed_resources<'a>(
        &self,
        lists: &'a CachedLists,
    ) -> impl Iterator<Item = (UriKey, Cow<'a, Value>)> {
        lists
            .offered_entries()
            .map(|(key, entry)| match renamed_entry(self, entry, "uri") {
                Cow::Borrowed(entry) => (key, Cow::Borrowed(entry)),
                Cow::Owned(entry) => {
                    let uri = entry.get("uri").and_then(Value::as_str);
                    (UriKey::new(uri.unwrap_or_default()), Cow::Owned(entry))
                }
            })
    }

    /// Returns the URI that the server itself has for a resource of it.
    pub(crate) fn own_uri<'u>(&self, uri: &'u str) -> Cow<'u, str> {
        self.view_names()
            .inner(uri)
            .map_or(Cow::Borrowed(uri), Cow::Owned)
    }

    /// Returns the upstream, or why it does not read, if it has a view of this URI: it lists it, a
    /// tool of it has it, or it sent it in a result. A view need not be listed.
    fn by_view(
        self: &Arc<Self>,
        uri: &str,
        reader: ResultReader,
    ) -> Option<Result<Arc<Self>, UpstreamError>> {
        let key = UriKey::new(uri);
        let lists = self.lists()?;
        if lists.offered_resources().withholds(&key) {
            return None;
        }
        let of_tool = || {
            lists.tools.iter().enumerate().any(|(place, tool)| {
                let name = tool.get("name").and_then(Value::as_str);
                // Nothing of a tool is used that no person has approved, or that is left out.
                !lists.held.tools.contains_key(&place)
                    && name.is_some_and(|name| self.entry.settings.offers(name))
                    && view_of(tool).is_some_and(|view| UriKey::new(view) == key)
            })
        };
        if lists.offered_resources().contains(&key) || of_tool() {
            return Some(Ok(self.clone()));
        }
        let by_template = self.by_template(uri, &key);
        by_template.or_else(|| self.issued.contains(&key, reader).then(|| Ok(self.clone())))
    }

    /// Returns the upstream, or why it does not read, if an approved template of it has this URI.
    fn by_template(
        self: &Arc<Self>,
        uri: &str,
        key: &UriKey,
    ) -> Option<Result<Arc<Self>, UpstreamError>> {
        let lists = self.lists()?;
        let offered = lists.offered();
        let template = offered
            .template_uris()
            .find(|template| matches_template(template, uri, key))?;
        match offered.held_template(template) {
            Some(held) => Some(Err(UpstreamError::Held {
                reason: held.reason.clone(),
            })),
            None => Some(Ok(self.clone())),
        }
    }

    /// Returns whether a caller has the scopes of the server.
    pub(crate) fn is_visible(&self, caller: &CallerAuthority) -> bool {
        let scopes = &self.entry.settings.scopes;
        match caller {
            // The owner has no token, and so no scopes.
            CallerAuthority::Owner => true,
            CallerAuthority::Remote(Some(principal)) => {
                scopes.iter().all(|scope| principal.has_scope(scope))
            }
            CallerAuthority::Remote(None) => scopes.is_empty(),
        }
    }

    /// Returns why a URI is not read if only a new template has it.
    fn by_new_template(&self, uri: &str, key: &UriKey) -> Option<UpstreamError> {
        let lists = self.lists()?;
        let mut templates = lists.offered().new_templates();
        let (_, held) = templates.find(|(template, _)| matches_template(template, uri, key))?;
        Some(UpstreamError::Held {
            reason: held.reason.clone(),
        })
    }

    /// Sends a request that changes nothing.
    pub(crate) async fn read(
        self: &Arc<Self>,
        method: &'static str,
        params: JsonObject,
        context: &CallContext,
    ) -> Result<Value, UpstreamError> {
        let request = ForwardedRequest {
            method,
            params,
            context,
            headers: ParamHeaders::new(),
            is_repeatable: true,
            tool: None,
        };
        self.forward(request).await
    }

    /// Reads a result in one of rmcp's types. What the type loses is restored when the answer is
    /// sent.
    pub(crate) fn typed<T: DeserializeOwned + Serialize>(
        &self,
        mut result: Value,
        context: &CallContext,
    ) -> Result<T, UpstreamError> {
        remove_own_keys(&mut result);
        self.view_names().rename(&mut result);
        let typed = T::deserialize(&result).map_err(|error| {
            let reason = format!("its result is not one of MCP: {error}");
            self.request_error(RequestError::Lost(reason.into()))
        })?;
        context.keep_result(result, &typed);
        Ok(typed)
    }
}

/// Returns entries of a list in rmcp's types. `list` is its name, and the key that identifies an
/// entry. An entry that is not valid is left out.
fn typed_list<'a, T: DeserializeOwned + Serialize>(
    entries: impl Iterator<Item = &'a Value>,
    (list, key): (&'static str, &str),
    context: &CallContext,
) -> Vec<T> {
    let typed = entries.filter_map(|entry| {
        let typed = T::deserialize(entry).ok()?;
        if let Some(parts) = context.lossy_parts()
            && let Some(lossy) = LossyValue::new(entry.clone(), &typed)
            && let Some(uri) = entry.get(key).and_then(Value::as_str)
        {
            parts.add_entry(list, uri, lossy);
        }
        Some(typed)
    });
    typed.collect()
}
