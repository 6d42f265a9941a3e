//! The resources of upstreams. Their URIs stay as they are, so a read goes to the upstream that the
//! URI came from.

use super::{
    Gateway, cached_lists::CachedLists, connection::RequestError, forward::ForwardedRequest, link::ParamHeaders,
    tools::check_text, upstream::Upstream, upstream_error::UpstreamError,
};
use crate::{
    protocol::lossy::LossyValue,
    server::ResourceProvider,
    tool::{context::CallContext, error::ToolError, principal::CallerAuthority},
};
use parking_lot::Mutex;
use rmcp::model::{JsonObject, ReadResourceResult, Resource, ResourceTemplate};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::{
    collections::{HashSet, VecDeque},
    sync::Arc,
};

/// The URIs of an upstream's results that are remembered. Further URIs replace the oldest.
const ISSUED_MAX: usize = 1_000;
/// The longest URI that is remembered, in bytes.
const URI_MAX: usize = 2_000;

/// The URIs that the results of an upstream contained.
#[derive(Debug, Default)]
pub(super) struct IssuedUris(Mutex<UriWindow>);

/// The latest URIs, for look-up and by age.
#[derive(Debug, Default)]
struct UriWindow {
    known: HashSet<Arc<str>>,
    order: VecDeque<Arc<str>>,
}

impl IssuedUris {
    /// Remembers the URIs of the links and resources in a result.
    pub(super) fn collect(&self, result: &Value) {
        let blocks = result.get("content").and_then(Value::as_array).into_iter().flatten();
        let uris = blocks.filter_map(|block| block.get("uri").or_else(|| block.pointer("/resource/uri"))?.as_str());
        for uri in uris.filter(|uri| uri.len() <= URI_MAX) {
            let UriWindow { known, order } = &mut *self.0.lock();
            if known.contains(uri) {
                continue;
            }
            let uri: Arc<str> = uri.into();
            known.insert(uri.clone());
            order.push_back(uri);
            if order.len() > ISSUED_MAX {
                order.pop_front().map(|oldest| known.remove(&oldest));
            }
        }
    }

    fn contains(&self, uri: &str) -> bool {
        self.0.lock().known.contains(uri)
    }
}

impl ResourceProvider for Gateway {
    async fn list(&self, call: &CallContext) -> Result<Vec<Resource>, ToolError> {
        Ok(self
            .visible(call.authority())
            .flat_map(|upstream| {
                typed_list(&upstream, "uri", call, |lists| &lists.resources, |one| check_text(one).is_ok())
            })
            .collect())
    }

    async fn templates(&self, call: &CallContext) -> Result<Vec<ResourceTemplate>, ToolError> {
        Ok(self
            .visible(call.authority())
            .flat_map(|upstream| {
                typed_list(&upstream, "uriTemplate", call, |lists| &lists.offered().templates, |_| true)
            })
            .collect())
    }

    async fn read(&self, uri: &str, call: &CallContext) -> Result<Option<ReadResourceResult>, ToolError> {
        let Some(upstream) = self.issuer(uri, call.authority()) else { return Ok(None) };
        upstream.check_template(uri).map_err(UpstreamError::into_tool_error)?;
        let params = JsonObject::from_iter([("uri".to_owned(), uri.into())]);
        let result = upstream.read("resources/read", params, call).await;
        result.and_then(|result| upstream.typed(result, call)).map(Some).map_err(UpstreamError::into_tool_error)
    }
}

impl Gateway {
    /// Returns the upstreams whose scopes a caller has.
    pub(super) fn visible(&self, caller: &CallerAuthority) -> impl Iterator<Item = Arc<Upstream>> {
        let upstreams = self.upstreams();
        let visible = upstreams.iter().filter(|upstream| upstream.is_visible(caller));
        visible.cloned().collect::<Vec<_>>().into_iter()
    }

    /// Returns the upstream that a URI came from: from its list, from one of its results, or by one
    /// of its templates.
    pub(super) fn issuer(&self, uri: &str, caller: &CallerAuthority) -> Option<Arc<Upstream>> {
        let lists_it = |upstream: &Upstream| has(upstream, |lists| &lists.resources, "uri", |known| known == uri);
        let matches = |template: &str| matches_template(template, uri);
        let listed = self.visible(caller).find(|upstream| lists_it(upstream));
        let listed = listed.or_else(|| self.visible(caller).find(|upstream| upstream.issued.contains(uri)));
        listed.or_else(|| {
            self.visible(caller).find(|upstream| has(upstream, |lists| &lists.templates, "uriTemplate", matches))
        })
    }

    /// Returns the upstream that lists a resource template, or that a URI came from.
    pub(super) fn template_owner(&self, template: &str, caller: &CallerAuthority) -> Option<Arc<Upstream>> {
        let is_it = |known: &str| known == template;
        let listed =
            self.visible(caller).find(|upstream| has(upstream, |lists| &lists.templates, "uriTemplate", is_it));
        listed.or_else(|| self.issuer(template, caller))
    }
}

/// Returns whether an entry of a list has a text under `key` that is the one.
fn has(
    upstream: &Upstream,
    list: impl Fn(&CachedLists) -> &Vec<Value>,
    key: &str,
    is_it: impl Fn(&str) -> bool,
) -> bool {
    let Some(lists) = upstream.lists() else { return false };
    list(&lists).iter().filter_map(|entry| entry.get(key)?.as_str()).any(is_it)
}

impl Upstream {
    /// Returns whether a caller has the scopes of the server.
    pub(super) fn is_visible(&self, caller: &CallerAuthority) -> bool {
        let scopes = &self.entry.settings.scopes;
        match caller {
            CallerAuthority::Owner => true,
            CallerAuthority::Remote(Some(principal)) => scopes.iter().all(|scope| principal.has_scope(scope)),
            CallerAuthority::Remote(None) => scopes.is_empty(),
        }
    }

    /// Checks that a URI is known by more than a template that is held.
    fn check_template(&self, uri: &str) -> Result<(), UpstreamError> {
        let Some(lists) = self.lists() else { return Ok(()) };
        let is_listed = has(self, |lists| &lists.resources, "uri", |known| known == uri) || self.issued.contains(uri);
        let mut templates = lists.offered().held_templates();
        match templates.find(|(template, _)| !is_listed && matches_template(template, uri)) {
            Some((_, reason)) => Err(UpstreamError::Held { reason: reason.to_owned() }),
            None => Ok(()),
        }
    }

    /// Sends a request that changes nothing.
    pub(super) async fn read(
        self: &Arc<Self>,
        method: &'static str,
        params: JsonObject,
        context: &CallContext,
    ) -> Result<Value, UpstreamError> {
        let request =
            ForwardedRequest { method, params, context, headers: ParamHeaders::new(), is_repeatable: true, tool: None };
        self.forward(request).await
    }

    /// Reads a result in one of rmcp's types. What the type loses is restored when the answer is
    /// sent.
    pub(super) fn typed<T: DeserializeOwned + Serialize>(
        &self,
        result: Value,
        context: &CallContext,
    ) -> Result<T, UpstreamError> {
        let typed = T::deserialize(&result).map_err(|error| {
            let reason = format!("its result is not one of MCP: {error}");
            self.request_error(RequestError::Lost(reason.into()))
        })?;
        context.keep_result(result, &typed);
        Ok(typed)
    }
}

/// Returns a list of an upstream in rmcp's types. An entry that is not valid is left out.
fn typed_list<T: DeserializeOwned + Serialize>(
    upstream: &Upstream,
    key: &str,
    context: &CallContext,
    list: impl Fn(&CachedLists) -> &Vec<Value>,
    is_offered: impl Fn(&Value) -> bool,
) -> Vec<T> {
    let Some(lists) = upstream.lists() else { return Vec::new() };
    let typed = |entry: &Value| {
        let typed = T::deserialize(entry).ok()?;
        if let Some(parts) = context.lossy_parts()
            && let Some(lossy) = LossyValue::new(entry.clone(), &typed)
            && let Some(uri) = entry.get(key).and_then(Value::as_str)
        {
            parts.add_entry(uri, lossy);
        }
        Some(typed)
    };
    list(&lists).iter().filter(|entry| is_offered(entry)).filter_map(typed).collect()
}

/// Returns whether a URI has the literal parts of a template (RFC 6570), in their order.
fn matches_template(template: &str, uri: &str) -> bool {
    let Some((start, mut template)) = template.split_once('{') else { return template == uri };
    let Some(mut rest) = uri.strip_prefix(start) else { return false };
    while let Some((_, after)) = template.split_once('}') {
        let (literal, next) = after.split_once('{').map_or((after, None), |(literal, next)| (literal, Some(next)));
        let Some(next) = next else { return rest.ends_with(literal) };
        let Some((_, behind)) = rest.split_once(literal) else { return false };
        (rest, template) = (behind, next);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn templates_match_by_their_literal_parts() {
        for (template, uri, matches) in [
            ("memo://{id}", "memo://7", true),
            ("memo://{id}", "note://7", false),
            ("memo://{id}/text", "memo://7/text", true),
            ("memo://{id}/text", "memo://7/html", false),
            ("a://{x}/b/{y}.md", "a://1/b/2.md", true),
            ("a://{x}/b/{y}.md", "a://1/c/2.md", false),
            ("a://plain", "a://plain", true),
            ("a://{unclosed", "a://x", false),
        ] {
            assert_eq!(matches_template(template, uri), matches, "{template} {uri}");
        }
    }

    #[test]
    fn uris_of_results_are_remembered_up_to_a_bound() {
        let issued = IssuedUris::default();
        let link = |uri: &str| json!({ "type": "resource_link", "uri": uri, "name": "x" });
        issued.collect(&json!({ "content": [link("a://1"), { "type": "resource", "resource": { "uri": "a://2" } }] }));
        assert!(issued.contains("a://1") && issued.contains("a://2"));
        let many: Vec<_> = (0..ISSUED_MAX).map(|number| link(&format!("b://{number}"))).collect();
        issued.collect(&json!({ "content": many }));
        assert!(!issued.contains("a://1") && issued.contains("b://0"));
        issued.collect(&json!({ "content": [link(&"c".repeat(URI_MAX + 1))] }));
        assert_eq!(issued.0.lock().order.len(), ISSUED_MAX);
    }
}
