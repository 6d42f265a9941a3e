//! The facts of a server that only its publisher knows, or states in another way than the server.

use super::{CardError, repository::Repository, rules};

/// The facts that a publisher sets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PublisherFacts {
    /// The server's name in registries.
    pub(super) name: String,
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) website: Option<String>,
    /// The URL of the source code, and the service that hosts it.
    pub(super) repository: Option<(String, Option<String>)>,
}

impl PublisherFacts {
    /// Checks what is set.
    pub(super) fn check(&self) -> Result<(), CardError> {
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
        self.repository().map(drop)
    }

    /// Returns the repository with its service.
    pub(super) fn repository(&self) -> Result<Option<Repository>, CardError> {
        self.repository
            .as_ref()
            .map(|(url, source)| Repository::new(url, source.as_deref()))
            .transpose()
    }
}
