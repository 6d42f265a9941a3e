//! From where is fetched, and how much: settings.

use super::{
    address::Reach,
    error::FetchError,
    resolver::{Lookup, System},
};
use reqwest::Url;
use std::{
    collections::HashMap,
    fmt,
    net::IpAddr,
    sync::Arc,
    time::{Duration, Instant},
};

/// From where consumers fetch the rows that a [`Selected`](crate::Selected) stands for, and how much. From nowhere, unless it is
/// said; see [`ServerBuilder::fetch`](crate::ServerBuilder::fetch).
///
/// Models name the URLs, and whoever writes what a model reads names them to the model. So a fetch follows no redirect and no proxy
/// of the environment, and goes only to addresses that are allowed: they are looked at after the name was resolved, and the
/// connection is made to those very ones, so that a name cannot change its meaning in between. What is never reached are
/// link-local addresses and clouds' metadata, multicast and reserved ones.
///
/// ```
/// # fn server(registry: pd_runtime::Registry<()>) -> Result<(), Box<dyn std::error::Error>> {
/// use pd_runtime::{FetchPolicy, PdServer};
///
/// let policy = FetchPolicy::new().allow("https://data.example.com")?.allow_private("http://127.0.0.1:9000")?;
/// let server = PdServer::builder(registry, ()).fetch(policy).build()?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct FetchPolicy {
    origins: HashMap<String, Reach>,
    any_public: bool,
    pub(super) connect_timeout: Duration,
    pub(super) idle_timeout: Duration,
    pub(super) timeout: Duration,
    pub(super) max_bytes: usize,
    pub(super) lookup: Arc<dyn Lookup>,
}

/// What is no origin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no origin; write a scheme, a host and at most a port, such as `https://data.example.com`")]
pub struct OriginError(String);

impl Default for FetchPolicy {
    fn default() -> Self {
        Self::new()
    }
}

impl FetchPolicy {
    /// Fetches from nowhere.
    pub fn new() -> Self {
        Self {
            origins: HashMap::new(),
            any_public: false,
            connect_timeout: Duration::from_secs(5),
            idle_timeout: Duration::from_secs(10),
            timeout: Duration::from_secs(60),
            max_bytes: 64 * 1024 * 1024,
            lookup: Arc::new(System),
        }
    }

    /// Fetches from this origin, such as `https://data.example.com`, while all of its addresses are public.
    ///
    /// # Errors
    ///
    /// It is no `http` or `https` origin.
    pub fn allow(mut self, origin: &str) -> Result<Self, OriginError> {
        self.origins.entry(parsed(origin)?).or_insert(Reach::Public);
        Ok(self)
    }

    /// Fetches from this origin, whose addresses may be private, or this machine: `http://127.0.0.1:9000`, say.
    ///
    /// # Errors
    ///
    /// It is no `http` or `https` origin.
    pub fn allow_private(mut self, origin: &str) -> Result<Self, OriginError> {
        self.origins.insert(parsed(origin)?, Reach::Private);
        Ok(self)
    }

    /// Fetches from any origin all of whose addresses are public.
    #[must_use]
    pub fn any_public(mut self) -> Self {
        self.any_public = true;
        self
    }

    /// Sets how long a connection may take to be made; 5 seconds by default.
    #[must_use]
    pub fn connect_timeout(mut self, time: Duration) -> Self {
        self.connect_timeout = time;
        self
    }

    /// Sets how long nothing may arrive; 10 seconds by default.
    #[must_use]
    pub fn idle_timeout(mut self, time: Duration) -> Self {
        self.idle_timeout = time;
        self
    }

    /// Sets how long a fetch may take as a whole; 60 seconds by default. Where rows are streamed, what the tool does with each
    /// counts.
    #[must_use]
    pub fn timeout(mut self, time: Duration) -> Self {
        self.timeout = time;
        self
    }

    /// Sets how many bytes are read; 64 MiB by default.
    #[must_use]
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// What took too long, if that was it.
    pub(super) fn timed_out(&self, error: &reqwest::Error, origin: &str, started: Instant) -> Option<FetchError> {
        let limit = match started.elapsed() {
            all if all >= self.timeout => self.timeout,
            _ if error.is_connect() => self.connect_timeout,
            _ => self.idle_timeout,
        };
        error.is_timeout().then(|| FetchError::TimedOut { origin: origin.to_owned(), limit })
    }

    /// How far a fetch of this URL may reach.
    pub(super) fn reach(&self, url: &Url) -> Result<Reach, FetchError> {
        let origin = origin_of(url).ok_or(FetchError::Url)?;
        let reach = match self.origins.get(&origin) {
            Some(reach) => *reach,
            None if self.any_public => Reach::Public,
            None => return Err(FetchError::NotAllowed(origin)),
        };
        // No resolver is asked for what is an address already.
        match literal(url) {
            Some(address) if !reach.allows(address) => Err(FetchError::NotReached(origin)),
            _ => Ok(reach),
        }
    }
}

/// The origin of an http URL that has one and names nobody.
pub(super) fn origin_of(url: &Url) -> Option<String> {
    let is_http = matches!(url.scheme(), "http" | "https") && url.has_host();
    (is_http && url.username().is_empty() && url.password().is_none()).then(|| url.origin().ascii_serialization())
}

fn literal(url: &Url) -> Option<IpAddr> {
    url.host_str()?.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

fn parsed(origin: &str) -> Result<String, OriginError> {
    let no_origin = || OriginError(origin.to_owned());
    let url = Url::parse(origin).map_err(|_| no_origin())?;
    let is_bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    origin_of(&url).filter(|_| is_bare).ok_or_else(no_origin)
}

impl fmt::Debug for FetchPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { origins, any_public, connect_timeout, idle_timeout, timeout, max_bytes, lookup: _ } = self;
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
