//! What a protected resource says of itself: OAuth 2.0 Protected Resource Metadata (RFC 9728). How it is served is in
//! `published`.

use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Where the document is, with the resource's path after it (RFC 9728, section 3).
pub(super) const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// What clients are told of this server before they have a token (RFC 9728): who issues tokens for it, and for which scopes.
///
/// ```
/// use pd_runtime::serve::{HttpOptions, ProtectedResource};
///
/// let mut options = HttpOptions::default();
/// options.protected_resource = Some(
///     ProtectedResource::new("https://shop.example/mcp", ["https://id.example"]).named("The shop").requires(["shop"]),
/// );
/// ```
///
/// It is served at `/.well-known/oauth-protected-resource` and at the same with the resource's path after it, to anybody. Refused
/// requests carry its URL and the scopes to ask for in their challenge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtectedResource {
    resource: String,
    authorization_servers: Vec<String>,
    name: Option<String>,
    pub(super) required: Vec<Box<str>>,
    scopes: Option<Vec<Box<str>>>,
}

impl ProtectedResource {
    /// The resource at this URL, as clients reach it from outside, and the issuers of its tokens, whose URLs clients compare
    /// character by character.
    ///
    /// Tokens must be issued for just this URL (RFC 8707). It has no fragment and, by convention, no slash at its end.
    pub fn new<T: Into<String>>(
        resource: impl Into<String>,
        authorization_servers: impl IntoIterator<Item = T>,
    ) -> Self {
        let authorization_servers = authorization_servers.into_iter().map(Into::into).collect();
        Self { resource: resource.into(), authorization_servers, name: None, required: Vec::new(), scopes: None }
    }

    /// What people call the server, for the page on which they consent.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Scopes that every token must have. A token without one of them is answered with 403 and `insufficient_scope`, by
    /// [`HttpOptions::authenticate`](crate::serve::HttpOptions::authenticate). None by default.
    ///
    /// Not for scopes that single tools ask for: such tools are unknown to callers without, whom no status tells that they exist.
    #[must_use]
    pub fn requires<T: Into<Box<str>>>(mut self, scopes: impl IntoIterator<Item = T>) -> Self {
        self.required = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// The scopes that clients are told to ask for, beside the required ones. By default those that the server's tools ask for,
    /// which says that such tools exist, though not which; an empty list says nothing of them.
    ///
    /// Clients ask for what they are told and cannot guess more, since a tool that they lack a scope for is unknown to them: what is
    /// not published must be granted in another way.
    #[must_use]
    pub fn scopes<T: Into<Box<str>>>(mut self, scopes: impl IntoIterator<Item = T>) -> Self {
        self.scopes = Some(scopes.into_iter().map(Into::into).collect());
        self
    }

    /// The scopes to ask for, sorted, each once; the tools ask for `of_tools`.
    pub(super) fn published<'a>(&'a self, of_tools: &'a [Box<str>]) -> BTreeSet<&'a str> {
        let told = self.scopes.as_deref().unwrap_or(of_tools);
        self.required.iter().chain(told).map(|scope| &**scope).collect()
    }

    /// Where the document is, for those outside.
    pub(super) fn metadata_url(&self) -> String {
        let (origin, path) = self.parts();
        format!("{origin}{WELL_KNOWN}{path}")
    }

    /// The resource's path, empty for a host's root.
    pub(super) fn path(&self) -> &str {
        self.parts().1
    }

    /// Scheme and host, and the path. A query has no place in the document's path.
    fn parts(&self) -> (&str, &str) {
        let after_scheme = self.resource.find("://").map_or(0, |place| place + 3);
        let (resource, _) = self.resource.split_once(['?', '#']).unwrap_or((&self.resource, ""));
        let host_end = resource.get(after_scheme..).and_then(|rest| rest.find('/')).map(|place| after_scheme + place);
        let (origin, path) = resource.split_at_checked(host_end.unwrap_or(resource.len())).unwrap_or((resource, ""));
        (origin, path.trim_end_matches('/'))
    }

    /// The document (RFC 9728, section 2).
    pub(super) fn document(&self, of_tools: &[Box<str>]) -> Value {
        json!(Document {
            resource: &self.resource,
            authorization_servers: &self.authorization_servers,
            bearer_methods_supported: ["header"],
            scopes_supported: self.published(of_tools),
            resource_name: self.name.as_deref(),
        })
    }
}

#[derive(Serialize)]
struct Document<'a> {
    resource: &'a str,
    authorization_servers: &'a [String],
    bearer_methods_supported: [&'static str; 1],
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    scopes_supported: BTreeSet<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource_name: Option<&'a str>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shop(resource: &str) -> ProtectedResource {
        ProtectedResource::new(resource, ["https://id.example"])
    }

    #[test]
    fn the_documents_url_has_the_well_known_path_before_the_resources() {
        for (resource, url, path) in [
            ("https://a.example", "https://a.example/.well-known/oauth-protected-resource", ""),
            ("https://a.example/", "https://a.example/.well-known/oauth-protected-resource", ""),
            ("https://a.example/mcp", "https://a.example/.well-known/oauth-protected-resource/mcp", "/mcp"),
            (
                "https://a.example:8/x/mcp/?q",
                "https://a.example:8/.well-known/oauth-protected-resource/x/mcp",
                "/x/mcp",
            ),
        ] {
            assert_eq!((shop(resource).metadata_url().as_str(), shop(resource).path()), (url, path));
        }
        for odd in ["", "/", "://", "x", "a?://b", "é://é/é#/"] {
            shop(odd).metadata_url();
        }
    }

    #[test]
    fn the_document_names_the_tools_scopes_unless_told_otherwise() {
        let of_tools: [Box<str>; 2] = ["b".into(), "a".into()];
        assert_eq!(
            shop("https://a.example/mcp").named("Shop").requires(["z", "a"]).document(&of_tools),
            json!({
                "resource": "https://a.example/mcp",
                "authorization_servers": ["https://id.example"],
                "bearer_methods_supported": ["header"],
                "scopes_supported": ["a", "b", "z"],
                "resource_name": "Shop",
            })
        );
        let scopes = |resource: ProtectedResource| resource.document(&of_tools).get("scopes_supported").cloned();
        assert_eq!(scopes(shop("https://a.example").scopes(["c"])), Some(json!(["c"])));
        assert_eq!(scopes(shop("https://a.example").scopes([""; 0])), None);
    }
}
