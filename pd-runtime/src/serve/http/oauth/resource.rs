//! OAuth 2.0 Protected Resource Metadata (RFC 9728). `metadata_endpoint` serves it.

use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The path of the document, to which the resource's path is appended (RFC 9728, section 3).
pub(super) const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// The metadata that clients read before they have a token (RFC 9728): the issuers of tokens for
/// this server, and the scopes.
///
/// ```
/// use pd_runtime::serve::{HttpOptions, ProtectedResource};
///
/// let options = HttpOptions::new().protected_resource(
///     ProtectedResource::new("https://shop.example/mcp", ["https://id.example"])
///         .named("The shop")
///         .requires(["shop"]),
/// );
/// ```
///
/// It is served at `/.well-known/oauth-protected-resource` and at that path followed by the
/// resource's path, without authentication. The challenges of refused requests contain its URL and
/// the scopes to request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtectedResource {
    resource: String,
    authorization_servers: Vec<String>,
    name: Option<String>,
    pub(super) required: Vec<Box<str>>,
    scopes: Option<Vec<Box<str>>>,
}

impl ProtectedResource {
    /// Creates the metadata of the resource at this URL, as clients reach it from outside, with the
    /// issuers of its tokens. Clients compare the issuers' URLs character by character.
    ///
    /// Tokens must be issued for exactly this URL (RFC 8707). It has no fragment and, by
    /// convention, no slash at its end.
    pub fn new<T: Into<String>>(
        resource: impl Into<String>,
        authorization_servers: impl IntoIterator<Item = T>,
    ) -> Self {
        let authorization_servers = authorization_servers.into_iter().map(Into::into).collect();
        Self {
            resource: resource.into(),
            authorization_servers,
            name: None,
            required: Vec::new(),
            scopes: None,
        }
    }

    /// Sets the server's name for people, which consent pages show.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the scopes that every token must have.
    /// [`HttpOptions::authenticate`](crate::serve::HttpOptions::authenticate) refuses a token
    /// without one of them with 403 and `insufficient_scope`. None by default.
    ///
    /// Do not list scopes here that only single tools require. Such tools are unknown to callers
    /// without the scope, and no status reveals them.
    #[must_use]
    pub fn requires<T: Into<Box<str>>>(mut self, scopes: impl IntoIterator<Item = T>) -> Self {
        self.required = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the scopes that clients are to request besides the required ones. By default these are
    /// the scopes of the server's tools, which reveals that such tools exist, but not which. An
    /// empty list reveals nothing.
    ///
    /// Clients request what the metadata lists. They cannot guess more, since a tool is unknown to
    /// a client without its scope. Scopes that are not published must be granted in another way.
    #[must_use]
    pub fn scopes<T: Into<Box<str>>>(mut self, scopes: impl IntoIterator<Item = T>) -> Self {
        self.scopes = Some(scopes.into_iter().map(Into::into).collect());
        self
    }

    /// Returns the scopes to request, sorted and without duplicates. The tools require `of_tools`.
    pub(super) fn published<'a>(&'a self, of_tools: &'a [Box<str>]) -> BTreeSet<&'a str> {
        let scopes = self.scopes.as_deref().unwrap_or(of_tools);
        // The required scopes are published in each case, because no token works without them.
        self.required
            .iter()
            .chain(scopes)
            .map(|scope| &**scope)
            .collect()
    }

    /// Returns the resource's URL.
    pub(in crate::serve::http) fn url(&self) -> &str {
        &self.resource
    }

    /// Returns the document's public URL.
    pub(super) fn metadata_url(&self) -> String {
        let (origin, path) = self.parts();
        format!("{origin}{WELL_KNOWN}{path}")
    }

    /// Returns the resource's path, empty for the root of a host.
    pub(super) fn path(&self) -> &str {
        self.parts().1
    }

    /// Splits the resource's URL into its origin and its path. The document's path has no query.
    fn parts(&self) -> (&str, &str) {
        let after_scheme = self.resource.find("://").map_or(0, |place| place + 3);
        let (resource, _) = self
            .resource
            .split_once(['?', '#'])
            .unwrap_or((&self.resource, ""));
        let host_end = resource
            .get(after_scheme..)
            .and_then(|rest| rest.find('/'))
            .map(|place| after_scheme + place);
        let (origin, path) = resource
            .split_at_checked(host_end.unwrap_or(resource.len()))
            .unwrap_or((resource, ""));
        // RFC 9728, section 3.1, removes the slash after the host before the paths are joined.
        (origin, path.trim_end_matches('/'))
    }

    /// Renders the document (RFC 9728, section 2).
    pub(super) fn document(&self, of_tools: &[Box<str>]) -> Value {
        json!(MetadataDocument {
            resource: &self.resource,
            authorization_servers: &self.authorization_servers,
            // `bearer` reads no other place, and MCP does not allow tokens in URLs.
            bearer_methods_supported: ["header"],
            scopes_supported: self.published(of_tools),
            resource_name: self.name.as_deref(),
        })
    }
}

#[derive(Serialize)]
struct MetadataDocument<'a> {
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
            (
                "https://a.example",
                "https://a.example/.well-known/oauth-protected-resource",
                "",
            ),
            (
                "https://a.example/",
                "https://a.example/.well-known/oauth-protected-resource",
                "",
            ),
            (
                "https://a.example/mcp",
                "https://a.example/.well-known/oauth-protected-resource/mcp",
                "/mcp",
            ),
            (
                "https://a.example:8/x/mcp/?q",
                "https://a.example:8/.well-known/oauth-protected-resource/x/mcp",
                "/x/mcp",
            ),
        ] {
            assert_eq!(
                (
                    shop(resource).metadata_url().as_str(),
                    shop(resource).path()
                ),
                (url, path)
            );
        }
        for odd in ["", "/", "://", "x", "a?://b", "é://é/é#/"] {
            shop(odd).metadata_url();
        }
    }

    #[test]
    fn the_document_names_the_tools_scopes_unless_told_otherwise() {
        let of_tools: [Box<str>; 2] = ["b".into(), "a".into()];
        assert_eq!(
            shop("https://a.example/mcp")
                .named("Shop")
                .requires(["z", "a"])
                .document(&of_tools),
            json!({
                "resource": "https://a.example/mcp",
                "authorization_servers": ["https://id.example"],
                "bearer_methods_supported": ["header"],
                "scopes_supported": ["a", "b", "z"],
                "resource_name": "Shop",
            })
        );
        let scopes = |resource: ProtectedResource| {
            resource
                .document(&of_tools)
                .get("scopes_supported")
                .cloned()
        };
        assert_eq!(
            scopes(shop("https://a.example").scopes(["c"])),
            Some(json!(["c"]))
        );
        assert_eq!(scopes(shop("https://a.example").scopes([""; 0])), None);
    }
}
