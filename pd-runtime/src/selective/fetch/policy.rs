//! The settings of fetches: allowed origins, timeouts and limits.

use super::{
    address::AddressScope,
    error::RowFetchError,
    resolver::{HostLookup, SystemLookup},
};
use reqwest::Url;
use std::{
    collections::HashMap,
    fmt,
    net::IpAddr,
    sync::Arc,
    time::{Duration, Instant},
};

/// Defines the origins from which consumers fetch the rows of a [`Selected`](crate::Selected), and
/// the limits of a fetch. The default allows no origin; see
/// [`ServerBuilder::fetch`](crate::ServerBuilder::fetch).
///
/// Models choose the URLs, and the authors of texts that a model reads can influence that choice. A
/// fetch therefore follows neither redirects nor the environment's proxies, and connects only to
/// allowed addresses. The addresses are checked after the name was resolved, and the connection
/// uses exactly these addresses, so that a name cannot change its meaning in between. Link-local
/// addresses, cloud metadata services, multicast and reserved addresses are never reached.
///
/// ```
/// # fn server(registry: pd_runtime::Registry<()>) -> Result<(), Box<dyn std::error::Error>> {
/// use pd_runtime::{PdServer, selective::FetchPolicy};
///
/// let policy = FetchPolicy::new()
///     .allow("https://data.example.com")?
///     .allow_private("http://127.0.0.1:9000")?;
/// let server = PdServer::builder(registry, ()).fetch(policy).build()?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct FetchPolicy {
    origins: HashMap<String, AddressScope>,
    any_public: bool,
    pub(super) connect_timeout: Duration,
    pub(super) idle_timeout: Duration,
    pub(super) timeout: Duration,
    pub(super) max_bytes: usize,
    pub(super) lookup: Arc<dyn HostLookup>,
}

/// The text is not a valid origin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a valid origin; write a scheme, a host and at most a port, such as `https://data.example.com`"
)]
pub struct OriginError(String);

impl Default for FetchPolicy {
    fn default() -> Self {
        Self::new()
    }
}

impl FetchPolicy {
    /// Creates a policy that allows no origin.
    pub fn new() -> Self {
        Self {
            origins: HashMap::new(),
            any_public: false,
            connect_timeout: Duration::from_secs(5),
            idle_timeout: Duration::from_secs(10),
            timeout: Duration::from_secs(60),
            max_bytes: 64 * 1024 * 1024,
            lookup: Arc::new(SystemLookup),
        }
    }

    /// Allows this origin, such as `https://data.example.com`, as long as all of its addresses are
    /// public.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not an `http` or `https` origin.
    pub fn allow(mut self, origin: &str) -> Result<Self, OriginError> {
        self.origins
            // `or_insert`, so that `allow` after `allow_private` does not narrow the same origin.
            .entry(parse_origin(origin)?)
            .or_insert(AddressScope::Public);
        Ok(self)
    }

    /// Allows this origin even if its addresses are private or this machine, such as
    /// `http://127.0.0.1:9000`.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not an `http` or `https` origin.
    pub fn allow_private(mut self, origin: &str) -> Result<Self, OriginError> {
        self.origins
            .insert(parse_origin(origin)?, AddressScope::Private);
        Ok(self)
    }

    /// Allows every origin with only public addresses.
    #[must_use]
    pub fn any_public(mut self) -> Self {
        self.any_public = true;
        self
    }

    /// Sets the time limit for establishing a connection; 5 seconds by default.
    #[must_use]
    pub fn connect_timeout(mut self, time: Duration) -> Self {
        self.connect_timeout = time;
        self
    }

    /// Sets the longest time without new data; 10 seconds by default.
    #[must_use]
    pub fn idle_timeout(mut self, time: Duration) -> Self {
        self.idle_timeout = time;
        self
    }

    /// Sets the time limit for a whole fetch; 60 seconds by default. If the tool streams rows, the
    /// time that the tool spends on each row counts.
    #[must_use]
    pub fn timeout(mut self, time: Duration) -> Self {
        self.timeout = time;
        self
    }

    /// Sets the limit on the response, in bytes; 64 MiB by default.
    #[must_use]
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Returns the timeout error with the limit that was exceeded, if `error` is a timeout.
    pub(super) fn timed_out(
        &self,
        error: &reqwest::Error,
        origin: &str,
        started: Instant,
    ) -> Option<RowFetchError> {
        // reqwest does not reveal which of its limits ended a request, so the time decides.
        let limit = match started.elapsed() {
            all if all >= self.timeout => self.timeout,
            _ if error.is_connect() => self.connect_timeout,
            _ => self.idle_timeout,
        };
        error.is_timeout().then(|| RowFetchError::TimedOut {
            origin: origin.to_owned(),
            limit,
        })
    }

    /// Returns the addresses that a fetch of this URL may reach.
    pub(super) fn reach(&self, url: &Url) -> Result<AddressScope, RowFetchError> {
        let origin = origin_of(url).ok_or(RowFetchError::Url)?;
        let reach = match self.origins.get(&origin) {
            Some(reach) => *reach,
            None if self.any_public => AddressScope::Public,
            None => return Err(RowFetchError::NotAllowed(origin)),
        };
        // reqwest does not call the resolver for literal addresses, so they are checked here.
        match literal(url) {
            Some(address) if !reach.allows(address) => Err(RowFetchError::NotReached(origin)),
            _ => Ok(reach),
        }
    }
}

/// Returns the origin of an http URL. Returns `None` for URLs without a host or with credentials.
pub(super) fn origin_of(url: &Url) -> Option<String> {
    let is_http = matches!(url.scheme(), "http" | "https") && url.has_host();
    (is_http && url.username().is_empty() && url.password().is_none())
        .then(|| url.origin().ascii_serialization())
}

fn literal(url: &Url) -> Option<IpAddr> {
    url.host_str()?
        // A URL has an IPv6 address in brackets, which the address parser refuses.
        .trim_start_matches('[')
        .trim_end_matches(']')
        .parse()
        .ok()
}

fn parse_origin(origin: &str) -> Result<String, OriginError> {
    let no_origin = || OriginError(origin.to_owned());
    let url = Url::parse(origin).map_err(|_| no_origin())?;
    // A policy covers whole origins. A path here would suggest a limit that nothing enforces.
    let is_bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    origin_of(&url).filter(|_| is_bare).ok_or_else(no_origin)
}

impl fmt::Debug for FetchPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Destructured, so that a new field cannot be forgotten here.
        let Self {
            origins,
            any_public,
            connect_timeout,
            idle_timeout,
            timeout,
            max_bytes,
            lookup: _,
        } = self;
        f.debug_struct("FetchPolicy")
            .field("origins", origins)
            .field("any_public", any_public)
            .field("connect_timeout", connect_timeout)
            .field("idle_timeout", idle_timeout)
            .field("timeout", timeout)
            .field("max_bytes", max_bytes)
            .finish()
    }
}
