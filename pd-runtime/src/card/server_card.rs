//! The server card: who a server is and where it answers, for clients that are not connected.

use super::{
    CardError, ServerFacts, published_facts::PublishedFacts, repository::Repository, rules,
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
    name: String,
    title: Option<String>,
    description: Option<String>,
    website: Option<String>,
    repository: Option<(String, Option<String>)>,
    url: Option<String>,
}

impl ServerCard {
    /// Creates the card of the server with this name in registries: a domain of the publisher
    /// backwards, or `io.github.` and an account, then a slash and the server's own name. At most
    /// 200 characters.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            website: None,
            repository: None,
            url: None,
        }
    }

    /// Sets the title for people, of at most 100 characters. By default the title of `serverInfo`.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets the description, of at most 100 characters.
    #[must_use]
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.description = Some(text.into());
        self
    }

    /// Sets the URL of a page for people. By default the website of `serverInfo`.
    #[must_use]
    pub fn website_url(mut self, url: impl Into<String>) -> Self {
        self.website = Some(url.into());
        self
    }

    /// Sets the URL of the source code on GitHub, GitLab, Bitbucket or Codeberg.
    #[must_use]
    pub fn repository(mut self, url: impl Into<String>) -> Self {
        self.repository = Some((url.into(), None));
        self
    }

    /// Sets the URL of the source code on another service, which registries know by this name.
    #[must_use]
    pub fn repository_on(mut self, service: impl Into<String>, url: impl Into<String>) -> Self {
        self.repository = Some((url.into(), Some(service.into())));
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
        rules::check_name(&self.name)?;
        if let Some(title) = &self.title {
            rules::check_text(title, CardError::Title)?;
        }
        if let Some(text) = &self.description {
            rules::check_text(text, CardError::Description)?;
        }
        if let Some(url) = &self.website {
            rules::check_url(url)?;
        }
        if let Some(url) = &self.url {
            rules::check_endpoint(url)?;
        }
        self.own_repository().map(drop)
    }

    /// Renders the card. `url` is the endpoint's URL if the publisher has not set one.
    pub(crate) fn document(
        &self,
        server: &ServerFacts,
        url: Option<&str>,
    ) -> Result<Value, CardError> {
        let remote = self.url.as_deref().or(url).map(|url| Remote {
            kind: "streamable-http",
            url,
            supported_protocol_versions: &server.versions,
        });
        Ok(json!(CardDocument {
            schema: SCHEMA,
            facts: PublishedFacts::new(self, server)?,
            remotes: remote.into_iter().collect(),
        }))
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn own_title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    pub(super) fn own_description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    pub(super) fn website(&self) -> Option<&str> {
        self.website.as_deref()
    }

    #[cfg(feature = "cli")]
    pub(super) fn endpoint(&self) -> Option<&str> {
        self.url.as_deref()
    }

    pub(super) fn own_repository(&self) -> Result<Option<Repository>, CardError> {
        self.repository
            .as_ref()
            .map(|(url, source)| Repository::new(url, source.as_deref()))
            .transpose()
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
