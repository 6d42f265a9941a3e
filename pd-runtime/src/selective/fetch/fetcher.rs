//! The HTTP clients: one for public addresses, and one for private addresses.

use super::{
    address::AddressScope,
    answer::FetchResponse,
    error::RowFetchError,
    policy::{FetchPolicy, origin_of},
    resolver::{AddressNotAllowed, GuardedResolver},
};
use reqwest::{Client, Url, header, redirect};
use std::{
    error::Error,
    sync::{Arc, OnceLock},
    time::Instant,
};

/// The limit on the length of a URL, in bytes.
const LONGEST_URL: usize = 4096;

/// Fetches from the origins that its policy allows.
#[derive(Debug)]
pub(crate) struct RowFetcher {
    policy: FetchPolicy,
    /// Built on first use, because building reads the system's certificates.
    public: OnceLock<Client>,
    private: OnceLock<Client>,
}

impl RowFetcher {
    pub(super) fn new(policy: FetchPolicy) -> Self {
        Self {
            policy,
            public: OnceLock::new(),
            private: OnceLock::new(),
        }
    }

    #[cfg(feature = "cli")]
    pub(super) fn policy(&self) -> &FetchPolicy {
        &self.policy
    }

    pub(super) async fn post(
        &self,
        url: &str,
        json: String,
    ) -> Result<FetchResponse, RowFetchError> {
        let url = parse_url(url)?;
        // The policy decides before a client is built, so a refusal reads no certificates.
        let client = self.client(self.policy.reach(&url)?)?;
        let origin = origin_of(&url).ok_or(RowFetchError::Url)?;
        // The request consumes the URL.
        let secrets = secrets(&url);
        let started = Instant::now();
        let sent = client
            .post(url)
            .header(header::CONTENT_TYPE, "application/json")
            .body(json)
            .send()
            .await;
        let response = sent.map_err(|error| self.failure(&error, &origin, started))?;
        FetchResponse::from_response(response, origin, &self.policy, started, &secrets).await
    }

    fn client(&self, reach: AddressScope) -> Result<&Client, RowFetchError> {
        let kept = match reach {
            AddressScope::Public => &self.public,
            AddressScope::Private => &self.private,
        };
        if let Some(client) = kept.get() {
            return Ok(client);
        }
        // Two requests may build a client at once; `get_or_init` keeps the first.
        let client = self
            .build_client(reach)
            .map_err(|_| RowFetchError::NoClient)?;
        Ok(kept.get_or_init(|| client))
    }

    fn build_client(&self, reach: AddressScope) -> reqwest::Result<Client> {
        let FetchPolicy {
            connect_timeout,
            idle_timeout,
            timeout,
            lookup,
            ..
        } = &self.policy;
        Client::builder()
            // A redirect or a proxy would lead the request past the address check. A `Referer`
            // would leak the URL.
            .redirect(redirect::Policy::none())
            .no_proxy()
            .referer(false)
            .connect_timeout(*connect_timeout)
            .read_timeout(*idle_timeout)
            .timeout(*timeout)
            .dns_resolver(GuardedResolver {
                reach,
                lookup: Arc::clone(lookup),
            })
            .build()
    }

    fn failure(&self, error: &reqwest::Error, origin: &str, started: Instant) -> RowFetchError {
        if is_not_reached(error) {
            return RowFetchError::NotReached(origin.to_owned());
        }
        let timed_out = self.policy.timed_out(error, origin, started);
        timed_out.unwrap_or_else(|| RowFetchError::Unreachable(origin.to_owned()))
    }
}

fn is_not_reached(error: &reqwest::Error) -> bool {
    // reqwest wraps the resolver's error several times, so the whole chain is searched.
    let mut cause = error.source();
    while let Some(error) = cause {
        if error.is::<AddressNotAllowed>() {
            return true;
        }
        cause = error.source();
    }
    false
}

fn parse_url(url: &str) -> Result<Url, RowFetchError> {
    let url = url.trim();
    // A handle of the client half of this crate. It reaches a server only if the client did not
    // replace it.
    if url.starts_with("ddi://") {
        return Err(RowFetchError::Handle);
    }
    // The parser would copy a text of any length, and a model chooses the text.
    let parsed = if url.len() > LONGEST_URL {
        None
    } else {
        Url::parse(url).ok()
    };
    parsed
        .filter(|url| origin_of(url).is_some())
        .ok_or(RowFetchError::Url)
}

/// Returns the parts of a URL that may grant access to the rows: its path segments and its query.
fn secrets(url: &Url) -> Vec<String> {
    let parts = url.path_segments().into_iter().flatten().chain(url.query());
    parts
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}
