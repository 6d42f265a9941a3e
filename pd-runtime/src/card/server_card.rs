//! The server card: who a server is and where it answers, for clients that are not connected.

use super::{
    CardError, ServerFacts, published_facts::PublishedFacts, publisher_facts::PublisherFacts, rules,
};
use serde::Serialize;
use serde_json::{Value, json};

/// The schema of the card.
const SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";

/// The part of a server card (SEP-2127) that only its publisher knows.
///
/// ```
/// use pd_runtime::serve::{HttpOptions, ServerCard};
///
/// let card = ServerCard::new("io.github.me/notes")
///     .url("https://notes.example/mcp")
///     .repository("https://github.com/me/notes");
/// let options = HttpOptions::new().server_card(card);
/// ```
///
/// The rest is the server's `serverInfo`: version, title, description, website and icons. Without a
/// description, the beginning of the registry's instructions describes the server. The card
/// contains nothing that depends on a caller, so neither tools nor groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerCard {
    facts: PublisherFacts,
    url: Option<String>,
}

impl ServerCard {
    /// Creates the card of the server with this name in registries: a domain of the publisher
    /// backwards, or `io.github.` and an account, then a slash and the server's own name. At most
    /// 200 characters.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            facts: PublisherFacts {
                name: name.into(),
                ..PublisherFacts::default()
            },
            url: None,
        }
    }

    /// Sets the title for people, of at most 100 characters. By default the title of `serverInfo`.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.facts.title = Some(title.into());
        self
    }

    /// Sets the description, of at most 100 characters.
    #[must_use]
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.facts.description = Some(text.into());
        self
    }

    /// Sets the URL of a page for people. By default the website of `serverInfo`.
    #[must_use]
    pub fn website_url(mut self, url: impl Into<String>) -> Self {
        self.facts.website = Some(url.into());
        self
    }

    /// Sets the URL of the source code on GitHub, GitLab, Bitbucket or Codeberg.
    #[must_use]
    pub fn repository(mut self, url: impl Into<String>) -> Self {
        self.facts.repository = Some((url.into(), None));
        self
    }

    /// Sets the URL of the source code on another service, which registries know by this name.
    #[must_use]
    pub fn repository_on(mut self, service: impl Into<String>, url: impl Into<String>) -> Self {
        self.facts.repository = Some((url.into(), Some(service.into())));
        self
    }

    /// Sets the URL at which clients reach the endpoint. By default it is the URL of
    /// [`ProtectedResource`](crate::serve::ProtectedResource). Without both, a card that is
    /// requested from this machine has the URL of the request, and other cards have none, because
    /// the header `Host` proves nothing.
    #[must_use]
    pub fn url(mut self, url: impl Into<String>) -> Self {
        self.url = Some(url.into());
        self
    }

    /// Checks what is set.
    pub(crate) fn check(&self) -> Result<(), CardError> {
        if let Some(url) = &self.url {
            rules::check_endpoint(url)?;
        }
        self.facts.check()
    }

    /// Returns whether a card may have this URL of an endpoint.
    pub(crate) fn allows_url(url: &str) -> bool {
        rules::check_endpoint(url).is_ok()
    }

    /// Renders the card. `url` is the endpoint's URL if the publisher has not set one.
    pub(crate) fn document(
        &self,
        server: &ServerFacts,
        url: Option<&str>,
    ) -> Result<Value, CardError> {
        self.check()?;
        let remote = self.url.as_deref().or(url).map(|url| Remote {
            kind: "streamable-http",
            url,
            supported_protocol_versions: &server.versions,
        });
        Ok(json!(CardDocument {
            schema: SCHEMA,
            facts: PublishedFacts::new(&self.facts, server)?,
            remotes: remote.into_iter().collect(),
        }))
    }

    #[cfg(feature = "cli")]
    pub(super) fn facts(&self) -> &PublisherFacts {
        &self.facts
    }

    #[cfg(feature = "cli")]
    pub(super) fn endpoint(&self) -> Option<&str> {
        self.url.as_deref()
    }
}

#[derive(Serialize)]
struct CardDocument<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    #[serde(flatten)]
    facts: PublishedFacts<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    remotes: Vec<Remote<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Remote<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    url: &'a str,
    supported_protocol_versions: &'a [String],
}
