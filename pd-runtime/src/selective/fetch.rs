//! What a consumer fetches over HTTP: the rest of rows that another server keeps (MCP-SD). From nowhere, unless the operator
//! says from where. What is fetched is read in `tool::selected`.

mod address;
mod answer;
mod error;
mod fetcher;
mod policy;
mod resolver;

pub use policy::{FetchPolicy, OriginError};

pub(crate) use answer::Answer;
pub(crate) use error::FetchError;
pub(crate) use fetcher::Fetcher;

use std::sync::Arc;

/// Who fetches, if anybody does.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fetching(Option<Arc<Fetcher>>);

impl Fetching {
    pub(crate) fn by(policy: FetchPolicy) -> Self {
        Self(Some(Arc::new(Fetcher::new(policy))))
    }

    /// What it was told.
    #[cfg(feature = "cli")]
    pub(crate) fn policy(&self) -> FetchPolicy {
        self.0.as_ref().map_or_else(FetchPolicy::new, |fetcher| fetcher.policy().clone())
    }

    /// Posts a JSON text, and gives the answer once it begins.
    ///
    /// # Errors
    ///
    /// Nothing is fetched from there, or it failed.
    pub(crate) async fn post(&self, url: &str, json: String) -> Result<Answer, FetchError> {
        match &self.0 {
            Some(fetcher) => fetcher.post(url, json).await,
            None => Fetcher::new(FetchPolicy::new()).post(url, json).await,
        }
    }
}

#[cfg(test)]
mod tests;
