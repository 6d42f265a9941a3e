//! The HTTP client of consumers: it fetches rows that another server stores (MCP-SD). By default it
//! fetches nothing; the operator allows origins. The module `tool::selected` parses the rows.

mod address;
mod answer;
mod error;
mod fetcher;
mod policy;
mod resolver;

pub use policy::{FetchPolicy, OriginError};

pub(crate) use answer::FetchResponse;
pub(crate) use error::RowFetchError;
pub(crate) use fetcher::RowFetcher;

use std::sync::Arc;

/// The fetcher, if the operator configured one.
#[derive(Debug, Clone, Default)]
pub(crate) struct OptionalFetcher(Option<Arc<RowFetcher>>);

impl OptionalFetcher {
    pub(crate) fn new(policy: FetchPolicy) -> Self {
        Self(Some(Arc::new(RowFetcher::new(policy))))
    }

    /// Returns the fetch policy.
    #[cfg(feature = "cli")]
    pub(crate) fn policy(&self) -> FetchPolicy {
        self.0
            .as_ref()
            .map_or_else(FetchPolicy::new, |fetcher| fetcher.policy().clone())
    }

    /// Posts a JSON text and returns the response once its headers have arrived.
    ///
    /// # Errors
    ///
    /// Returns an error if the policy does not allow the URL, or if the fetch failed.
    pub(crate) async fn post(
        &self,
        url: &str,
        json: String,
    ) -> Result<FetchResponse, RowFetchError> {
        match &self.0 {
            Some(fetcher) => fetcher.post(url, json).await,
            // The default policy allows no origin, so this returns the precise refusal without a
            // connection.
            None => RowFetcher::new(FetchPolicy::new()).post(url, json).await,
        }
    }
}

#[cfg(test)]
mod tests;
