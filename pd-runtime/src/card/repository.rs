//! Where the source code of a server is.

use super::{CardError, rules::check_url};
use serde::Serialize;

/// The hosts of repositories whose names in registries are known.
const SOURCES: [(&str, &str); 4] = [
    ("github.com", "github"),
    ("gitlab.com", "gitlab"),
    ("bitbucket.org", "bitbucket"),
    ("codeberg.org", "codeberg"),
];

/// A repository, and the service that hosts it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Repository {
    pub(super) url: String,
    source: String,
}

impl Repository {
    /// Checks the URL. Without a source, the source is derived from the URL's host.
    pub(crate) fn new(url: &str, source: Option<&str>) -> Result<Self, CardError> {
        let parsed = check_url(url)?;
        let source = match source {
            Some(source) => source,
            None => SOURCES
                .iter()
                .find(|(host, _)| parsed.host() == Some(host))
                .map(|(_, source)| *source)
                .ok_or_else(|| CardError::RepositorySource(url.to_owned()))?,
        };
        Ok(Self {
            url: url.to_owned(),
            source: source.to_owned(),
        })
    }
}
