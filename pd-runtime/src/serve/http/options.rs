//! The options of HTTP, and their translation into settings of rmcp, of the sessions and of the
//! body reader.

use super::{
    super::ServeError,
    Authenticate, ProtectedResource,
    body::{self, BodyReader},
    proxies::TrustedProxies,
    request_source::{AllowedHosts, AllowedOrigins, HostPattern, OriginPattern, RequestSource},
    streams::StreamLimits,
};
#[cfg(doc)]
use super::{Http, router};
use crate::{
    http_sessions::SessionLimits,
    policy::{limits::Rate, rate_limit::quota::SharedQuota},
};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, session::SessionStore};
use std::{net::IpAddr, sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// The hosts that are always allowed.
const LOOPBACK_HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "::1"];
/// The origins that are always allowed.
const LOOPBACK_ORIGINS: [&str; 3] = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];

/// The options of an HTTP endpoint.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HttpOptions {
    /// Enables sessions for clients up to 2025-11-25. Without sessions they prove disclosures by
    /// tickets, and any replica can answer any request. True by default.
    pub sessions: bool,
    /// The hosts that requests may name besides loopback ones, each as a name or an IP address,
    /// with or without a port. This prevents DNS rebinding. [`Http::serve`] also allows the IP
    /// address that it is bound to. Requests for other hosts get status 403. Empty by default.
    pub allowed_hosts: Vec<String>,
    /// The browser origins that requests may come from besides loopback ones, such as
    /// `https://app.example.com`. Their pages may read the answers (CORS): preflight requests are
    /// answered, without authentication, and any request header is allowed. A port of `:*` matches
    /// any port; without a port, the scheme's default port is used. Requests from other origins get
    /// status 403. Requests without an origin pass. Empty by default.
    pub allowed_origins: Vec<String>,
    /// The lifetime of a session without requests, sent or in flight. One hour by default.
    pub session_idle: Duration,
    /// The limit on sessions. At the limit, a new session ends the oldest one without any request.
    /// If all of them have had requests, `initialize` gets status 503, and open sessions continue.
    /// 20,000 by default.
    pub max_sessions: usize,
    /// The limit on sessions of one principal. At the limit, a new session ends the principal's
    /// longest idle one, and deletes its entry in a [`session_store`](Self::session_store). So a
    /// client that forgets to close its sessions harms no other. If replicas share a ticket key,
    /// the client may open an ended session again by its id, at the cost of another one. 256 by
    /// default.
    pub max_sessions_per_principal: usize,
    /// The limit on sessions of anonymous callers at one address (for IPv6, in one /64). Over it,
    /// `initialize` gets status 429. If the address is not known, only
    /// [`max_sessions`](Self::max_sessions) applies. 1,000 by default.
    ///
    /// Behind a proxy all callers have its address, unless
    /// [`trusted_proxies`](Self::trusted_proxies) contains it.
    pub max_sessions_per_address: usize,
    /// The rate at which one principal, or one address of anonymous callers, may open sessions.
    /// Over it, `initialize` gets status 429. 20 per second by default, with a burst of 1,000;
    /// `None` sets no limit.
    pub initialize_rate: Option<Rate>,
    /// The addresses of proxies whose `X-Forwarded-For` is trusted. The client's address is the
    /// right-most one in it that is not such a proxy's. Limits count anonymous callers by it. Each
    /// of these proxies must append its peer's address to the header, or set the header. Empty by
    /// default: the header is not read.
    pub trusted_proxies: Vec<IpAddr>,
    /// The limit on requests in flight in one session; one more gets an error. 128 by default.
    pub max_requests_per_session: usize,
    /// The limit on a request's body, in bytes; a larger one gets status 413. 4 MiB by default.
    pub max_request_bytes: usize,
    /// The time limit for a request's body to arrive, before the answer is status 408. 30 seconds
    /// by default.
    pub body_timeout: Duration,
    /// The limit on the bytes of all incomplete bodies together. A body that arrives together with
    /// its head is not counted. Over the limit, the answer is status 503. 256 MiB by default.
    /// Bodies over 16 KiB leave a quarter of it to smaller ones.
    pub max_pending_body_bytes: usize,
    /// The same limit for one principal, or one address of anonymous callers. Over it, the answer
    /// is status 429. 32 MiB by default. Both limits are at least three times
    /// [`max_request_bytes`](Self::max_request_bytes), so that one body fits.
    pub max_pending_body_bytes_per_caller: usize,
    /// The limit on open event streams: the streams of sessions (`GET`), `subscriptions/listen`,
    /// and answers that are not ready at once. Over it, a new stream of the first two kinds gets
    /// status 503. 16,384 by default: half of [`max_connections`](Self::max_connections), since
    /// each stream takes one.
    pub max_streams: usize,
    /// The same limit for one principal, or one address of anonymous callers. Over it, the answer
    /// is status 429. 1,000 by default.
    pub max_streams_per_caller: usize,
    /// The interval at which [`authenticate`](Self::authenticate) checks again the request that
    /// opened a stream. The stream ends when the request is refused, or belongs to another
    /// principal. While the authenticator returns
    /// [`Unauthorized::unavailable`](super::Unauthorized::unavailable) or takes longer than 10
    /// seconds, the stream continues; after five such checks in a row it ends. The stream of a call
    /// that outlives its token also ends. Every minute by default; `None` disables the check.
    /// Middleware around [`router`] is not checked again.
    pub stream_check_interval: Option<Duration>,
    /// The limit on open connections of [`Http::serve`]. At the limit, clients wait until one
    /// closes. The client of a session uses one or two. 32,768 by default; the system's limit on
    /// open files may be lower.
    pub max_connections: usize,
    /// The time limit for the head of a request, from its first byte or from the start of the
    /// connection. After that [`Http::serve`] closes the connection. 15 seconds by default.
    pub header_timeout: Duration,
    /// The time for which [`Http::serve`] keeps a connection open between requests. 75 seconds by
    /// default: longer than the 60 seconds of common proxies, so that no proxy sends a request into
    /// a connection that is being closed.
    pub idle_timeout: Duration,
    /// The time for which a client may read nothing of an answer or a stream, before
    /// [`Http::serve`] closes the connection. 30 seconds by default.
    pub write_timeout: Duration,
    /// The minimum rate at which a client must read waiting data, in bytes per second.
    /// [`Http::serve`] closes the connection of a client that falls behind this by
    /// [`write_timeout`](Self::write_timeout). So a client can hold an answer of `n` bytes no
    /// longer than that plus `n` divided by this rate. 4 KiB by default. With 0, a client that
    /// reads a little now and then may hold its answer forever.
    pub min_write_rate: u32,
    /// The store in which replicas keep how sessions were opened, so that each replica can continue
    /// any session: `redis::SessionStore` (feature `redis`), or one of your own. It receives no session
    /// ids, but a [`SessionKey`](crate::store::SessionKey) in digits, followed by `.` and 32 digits for
    /// the session's principal if it is known. It should forget entries that were not read for
    /// [`session_idle`](Self::session_idle), and limit how many one principal has. An entry whose
    /// client is named `dev.pd-runtime/ended` marks a session that has ended. It should be kept for
    /// a day, during which the session's id alone would open the session again. By default each
    /// server knows only its own sessions.
    ///
    /// Replicas should also share a [`ticket_key`](crate::ServerBuilder::ticket_key). While the
    /// store cannot be reached, they then recognize each other's sessions by their ids, for a day.
    /// A session belongs to its opener at every replica. A session that its client ends at one
    /// replica ends at the others when it is next used there, a second later at most. While the
    /// store cannot be reached, it ends there once it has been idle.
    pub session_store: Option<Arc<dyn SessionStore>>,
    /// Identifies the sender of a request, and refuses unknown senders. By default it is not set,
    /// and callers are anonymous: they see the tools without scopes, unless middleware around
    /// [`router`] identifies them.
    pub authenticate: Option<Arc<dyn Authenticate>>,
    /// The metadata for clients about the tokens that `authenticate` accepts: their issuers and
    /// scopes. Not published by default. A server with this and without
    /// [`authenticate`](Self::authenticate) does not start.
    pub protected_resource: Option<ProtectedResource>,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            sessions: true,
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            session_idle: Duration::from_secs(60 * 60),
            max_sessions: 20_000,
            max_sessions_per_principal: 256,
            max_sessions_per_address: 1_000,
            initialize_rate: Some(Rate::per_second(20).burst(1_000)),
            trusted_proxies: Vec::new(),
            max_requests_per_session: 128,
            max_request_bytes: 4 * 1024 * 1024,
            body_timeout: Duration::from_secs(30),
            max_pending_body_bytes: 256 * 1024 * 1024,
            max_pending_body_bytes_per_caller: 32 * 1024 * 1024,
            max_streams: 16_384,
            max_streams_per_caller: 1_000,
            stream_check_interval: Some(Duration::from_secs(60)),
            max_connections: 32_768,
            header_timeout: Duration::from_secs(15),
            idle_timeout: Duration::from_secs(75),
            write_timeout: Duration::from_secs(30),
            min_write_rate: 4 * 1024,
            session_store: None,
            authenticate: None,
            protected_resource: None,
        }
    }
}

impl HttpOptions {
    /// Checks the hosts and the origins, and that a published resource has a check of its tokens.
    ///
    /// # Errors
    ///
    /// Returns [`ServeError::InvalidHost`], [`ServeError::InvalidOrigin`] or
    /// [`ServeError::Unguarded`].
    pub(crate) fn check(&self) -> Result<(), ServeError> {
        if let Some(host) = self.allowed_hosts.iter().find(|host| HostPattern::parse(host).is_none()) {
            return Err(ServeError::InvalidHost(host.clone()));
        }
        if let Some(origin) = self.allowed_origins.iter().find(|origin| OriginPattern::parse(origin).is_none()) {
            return Err(ServeError::InvalidOrigin(origin.clone()));
        }
        let is_unguarded = self.protected_resource.is_some() && self.authenticate.is_none();
        if is_unguarded { Err(ServeError::Unguarded) } else { Ok(()) }
    }

    /// Returns the options of a server that is bound to this address. Clients may name the address,
    /// since DNS rebinding cannot forge an IP address. Behind 0.0.0.0 the addresses are not known.
    pub(super) fn bound_to(mut self, address: IpAddr) -> Self {
        if !address.is_unspecified() {
            self.allowed_hosts.push(address.to_string());
        }
        self
    }

    /// Returns the check of hosts and origins.
    pub(super) fn request_source(&self) -> RequestSource {
        let hosts = AllowedHosts::new(LOOPBACK_HOSTS.into_iter().chain(self.allowed_hosts.iter().map(String::as_str)));
        RequestSource::new(hosts, self.origins())
    }

    pub(super) fn origins(&self) -> AllowedOrigins {
        AllowedOrigins::new(LOOPBACK_ORIGINS.into_iter().chain(self.allowed_origins.iter().map(String::as_str)))
    }

    /// Returns rmcp's settings.
    pub(super) fn config(&self, stop: CancellationToken) -> StreamableHttpServerConfig {
        let hosts = LOOPBACK_HOSTS.map(str::to_owned).into_iter().chain(self.allowed_hosts.clone());
        let origins = self.allowed_origins.iter().filter_map(|origin| Some(OriginPattern::parse(origin)?.to_string()));
        // rmcp repeats our checks of host, origin and size. The same values make it refuse nothing
        // that we accept.
        StreamableHttpServerConfig::default()
            .with_legacy_session_mode(self.sessions)
            .with_json_response(true)
            .with_allowed_hosts(hosts)
            .with_allowed_origins(LOOPBACK_ORIGINS.map(str::to_owned).into_iter().chain(origins))
            .enforce_origin_validation()
            .with_max_request_body_bytes(self.max_request_bytes)
            .with_cancellation_token(stop)
    }

    pub(super) fn body_reader(&self) -> BodyReader {
        let limits = body::BodyLimits { bytes: self.max_request_bytes, time: self.body_timeout };
        // A growing buffer takes up to twice its bytes, and large bodies leave a quarter of the
        // budget: 2 / (1 - 1/4) is below 3.
        let least = self.max_request_bytes.saturating_mul(3);
        let (total, each) = (self.max_pending_body_bytes, self.max_pending_body_bytes_per_caller);
        BodyReader::new(limits, SharedQuota::new(total.max(least), each.max(least)))
    }

    pub(super) fn proxies(&self) -> TrustedProxies {
        TrustedProxies::new(&self.trusted_proxies)
    }

    pub(super) fn streams(&self) -> StreamLimits {
        StreamLimits::new(self.max_streams, self.max_streams_per_caller, self.stream_check_interval)
    }

    pub(super) fn caps(&self) -> SessionLimits {
        SessionLimits {
            sessions: self.max_sessions,
            of_one: self.max_sessions_per_principal,
            of_address: self.max_sessions_per_address,
            opening_rate: self.initialize_rate,
            requests: self.max_requests_per_session,
            idle: self.session_idle,
        }
    }
}
