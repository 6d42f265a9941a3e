//! The options of HTTP.

mod derived;

use super::{Authenticate, ProtectedResource};
#[cfg(doc)]
use super::{Http, router};
use crate::{card::ServerCard, policy::limits::Rate};
use rmcp::transport::streamable_http_server::session::SessionStore;
use std::{net::IpAddr, sync::Arc, time::Duration};

/// The options of an HTTP endpoint.
///
/// ```
/// use pd_runtime::serve::HttpOptions;
///
/// let options = HttpOptions::new().allowed_hosts(["tools.example.com"]).max_connections(1_000);
/// ```
#[derive(Debug, Clone)]
pub struct HttpOptions {
    pub(crate) sessions: bool,
    pub(crate) allowed_hosts: Vec<String>,
    pub(crate) allowed_origins: Vec<String>,
    pub(crate) session_idle: Duration,
    pub(crate) max_sessions: usize,
    pub(crate) max_sessions_per_principal: usize,
    pub(crate) max_sessions_per_address: usize,
    pub(crate) initialize_rate: Option<Rate>,
    pub(crate) trusted_proxies: Vec<IpAddr>,
    pub(crate) max_requests_per_session: usize,
    pub(crate) max_request_bytes: usize,
    pub(crate) body_timeout: Duration,
    pub(crate) max_pending_body_bytes: usize,
    pub(crate) max_pending_body_bytes_per_caller: usize,
    pub(crate) max_streams: usize,
    pub(crate) max_streams_per_caller: usize,
    pub(crate) stream_check_interval: Option<Duration>,
    pub(crate) max_connections: usize,
    pub(crate) header_timeout: Duration,
    pub(crate) idle_timeout: Duration,
    pub(crate) write_timeout: Duration,
    pub(crate) min_write_rate: u32,
    pub(crate) session_store: Option<Arc<dyn SessionStore>>,
    #[doc(hidden)]
    pub authenticate: Option<Arc<dyn Authenticate>>,
    pub(crate) protected_resource: Option<ProtectedResource>,
    pub(crate) server_card: Option<ServerCard>,
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
            server_card: None,
        }
    }
}

impl HttpOptions {
    /// Creates the default options.
    pub fn new() -> Self {
        Self::default()
    }

    /// Enables or disables sessions for clients up to 2025-11-25. Without sessions they prove
    /// disclosures by tickets, and any replica can answer any request. Enabled by default.
    #[must_use]
    pub fn sessions(mut self, on: bool) -> Self {
        self.sessions = on;
        self
    }

    /// Adds hosts that requests may name besides loopback ones, each as a name or an IP address,
    /// with or without a port. This prevents DNS rebinding. [`Http::serve`] also allows the IP
    /// address that it is bound to. Requests for other hosts get status 403. Empty by default.
    #[must_use]
    pub fn allowed_hosts(mut self, hosts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.allowed_hosts.extend(hosts.into_iter().map(Into::into));
        self
    }

    /// Adds browser origins that requests may come from besides loopback ones, such as
    /// `https://app.example.com`. Their pages may read the answers (CORS): preflight requests are
    /// answered, without authentication, and any request header is allowed. A port of `:*` matches
    /// any port; without a port, the scheme's default port is used. Requests from other origins get
    /// status 403. Requests without an origin pass. Empty by default.
    #[must_use]
    pub fn allowed_origins(mut self, origins: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.allowed_origins
            .extend(origins.into_iter().map(Into::into));
        self
    }

    /// Sets the lifetime of a session without requests, sent or in flight. One hour by default.
    #[must_use]
    pub fn session_idle(mut self, time: Duration) -> Self {
        self.session_idle = time;
        self
    }

    /// Sets the limit on sessions. At the limit, a new session ends the oldest one without any
    /// request. If all of them have had requests, `initialize` gets status 503, and open sessions
    /// continue. 20,000 by default.
    #[must_use]
    pub fn max_sessions(mut self, count: usize) -> Self {
        self.max_sessions = count;
        self
    }

    /// Sets the limit on sessions of one principal. At the limit, a new session ends the
    /// principal's longest idle one, and deletes its entry in a
    /// [`session_store`](Self::session_store). So a client that forgets to close its sessions harms
    /// no other. If replicas share a ticket key, the client may open an ended session again by its
    /// id, at the cost of another one. 256 by default.
    #[must_use]
    pub fn max_sessions_per_principal(mut self, count: usize) -> Self {
        self.max_sessions_per_principal = count;
        self
    }

    /// Sets the limit on sessions of anonymous callers at one address (for IPv6, in one /64). Over
    /// it, `initialize` gets status 429. If the address is not known, only
    /// [`max_sessions`](Self::max_sessions) applies. 1,000 by default.
    ///
    /// Behind a proxy all callers have its address, unless
    /// [`trusted_proxies`](Self::trusted_proxies) contains it.
    #[must_use]
    pub fn max_sessions_per_address(mut self, count: usize) -> Self {
        self.max_sessions_per_address = count;
        self
    }

    /// Sets the rate at which one principal, or one address of anonymous callers, may open
    /// sessions. Over it, `initialize` gets status 429. 20 per second by default, with a burst of
    /// 1,000; `None` sets no limit.
    #[must_use]
    pub fn initialize_rate(mut self, rate: impl Into<Option<Rate>>) -> Self {
        self.initialize_rate = rate.into();
        self
    }

    /// Adds the addresses of trusted proxies. The server believes their `X-Forwarded-For`. The
    /// client's address is the right-most one in it that is not such a proxy's. Limits count
    /// anonymous callers by it.
    /// Each of these proxies must append its peer's address to the header, or set the header. Empty
    /// by default: the header is not read.
    #[must_use]
    pub fn trusted_proxies(mut self, proxies: impl IntoIterator<Item = IpAddr>) -> Self {
        self.trusted_proxies.extend(proxies);
        self
    }

    /// Sets the limit on requests in flight in one session; one more gets an error. 128 by default.
    #[must_use]
    pub fn max_requests_per_session(mut self, count: usize) -> Self {
        self.max_requests_per_session = count;
        self
    }

    /// Sets the limit on a request's body, in bytes; a larger one gets status 413. 4 MiB by
    /// default.
    #[must_use]
    pub fn max_request_bytes(mut self, bytes: usize) -> Self {
        self.max_request_bytes = bytes;
        self
    }

    /// Sets the time limit for a request's body to arrive, before the answer is status 408. 30
    /// seconds by default.
    #[must_use]
    pub fn body_timeout(mut self, time: Duration) -> Self {
        self.body_timeout = time;
        self
    }

    /// Sets the limit on the bytes of all incomplete bodies together. A body that arrives together
    /// with its head is not counted. Over the limit, the answer is status 503. 256 MiB by default.
    /// Bodies over 16 KiB leave a quarter of it to smaller ones.
    #[must_use]
    pub fn max_pending_body_bytes(mut self, bytes: usize) -> Self {
        self.max_pending_body_bytes = bytes;
        self
    }

    /// Sets the same limit for one principal, or one address of anonymous callers. Over it, the
    /// answer is status 429. 32 MiB by default. Both limits are at least three times
    /// [`max_request_bytes`](Self::max_request_bytes), so that one body fits.
    #[must_use]
    pub fn max_pending_body_bytes_per_caller(mut self, bytes: usize) -> Self {
        self.max_pending_body_bytes_per_caller = bytes;
        self
    }

    /// Sets the limit on open event streams: the streams of sessions (`GET`),
    /// `subscriptions/listen`, and answers that are not ready at once. Over it, a new stream of the
    /// first two kinds gets status 503. 16,384 by default: half of
    /// [`max_connections`](Self::max_connections), since each stream takes one.
    #[must_use]
    pub fn max_streams(mut self, count: usize) -> Self {
        self.max_streams = count;
        self
    }

    /// Sets the same limit for one principal, or one address of anonymous callers. Over it, the
    /// answer is status 429. 1,000 by default.
    #[must_use]
    pub fn max_streams_per_caller(mut self, count: usize) -> Self {
        self.max_streams_per_caller = count;
        self
    }

    /// Sets the interval at which [`authenticate`](Self::authenticate) checks again the request
    /// that opened a stream. The stream ends when the request is refused, or belongs to another
    /// principal. While the authenticator returns
    /// [`AuthenticationError::unavailable`](super::AuthenticationError::unavailable) or takes
    /// longer than 10 seconds, the stream continues; after five such checks in a row it ends. The
    /// stream of a call that outlives its token also ends. Every minute by default; `None` disables
    /// the check. Middleware around [`router`] is not checked again.
    #[must_use]
    pub fn stream_check_interval(mut self, interval: impl Into<Option<Duration>>) -> Self {
        self.stream_check_interval = interval.into();
        self
    }

    /// Sets the limit on open connections of [`Http::serve`]. At the limit, a client that waits
    /// takes the place of one that has sent nothing for half a second and has no request under way,
    /// and waits if there is none. The client of a session uses one or two. 32,768 by default; the
    /// system's limit on open files may be lower.
    #[must_use]
    pub fn max_connections(mut self, count: usize) -> Self {
        self.max_connections = count;
        self
    }

    /// Sets the time limit for the head of a request, from its first byte or from the start of the
    /// connection. After that [`Http::serve`] closes the connection. 15 seconds by default.
    #[must_use]
    pub fn header_timeout(mut self, time: Duration) -> Self {
        self.header_timeout = time;
        self
    }

    /// Sets the time for which [`Http::serve`] keeps a connection open between requests. 75 seconds
    /// by default: longer than the 60 seconds of common proxies, so that no proxy sends a request
    /// into a connection that is being closed.
    #[must_use]
    pub fn idle_timeout(mut self, time: Duration) -> Self {
        self.idle_timeout = time;
        self
    }

    /// Sets the time for which a client may read nothing of an answer or a stream, before
    /// [`Http::serve`] closes the connection. 30 seconds by default.
    #[must_use]
    pub fn write_timeout(mut self, time: Duration) -> Self {
        self.write_timeout = time;
        self
    }

    /// Sets the minimum rate at which a client must read waiting data, in bytes per second.
    /// [`Http::serve`] closes the connection of a client that falls behind this by
    /// [`write_timeout`](Self::write_timeout). So a client can hold an answer of `n` bytes no
    /// longer than that plus `n` divided by this rate. 4 KiB by default. With 0, a client that
    /// reads a little now and then may hold its answer forever.
    #[must_use]
    pub fn min_write_rate(mut self, bytes_per_second: u32) -> Self {
        self.min_write_rate = bytes_per_second;
        self
    }

    /// Sets the store in which replicas keep how sessions were opened, so that each replica can
    /// continue any session: `redis::SessionStore` (feature `redis`), or one of your own. It
    /// receives no session ids, but a [`SessionKey`](crate::store::SessionKey) in digits, followed
    /// by `.` and 32 digits for the session's principal if it is known. It should forget entries
    /// that were not read for [`session_idle`](Self::session_idle), and limit how many one
    /// principal has. An entry with the client name `dev.pd-runtime/ended` marks a session that has
    /// ended. It should be kept for a day, during which the session's id alone would open the
    /// session again. By default each server knows only its own sessions.
    ///
    /// Replicas should also share a [`ticket_key`](crate::ServerBuilder::ticket_key). While the
    /// store cannot be reached, they then recognize each other's sessions by their ids, for a day.
    /// A session belongs to its opener at every replica. A session that its client ends at one
    /// replica ends at the others when it is next used there, a second later at most. While the
    /// store cannot be reached, it ends there once it has been idle.
    #[must_use]
    pub fn session_store(mut self, store: Arc<dyn SessionStore>) -> Self {
        self.session_store = Some(store);
        self
    }

    /// Sets what identifies the sender of a request, and refuses unknown senders. By default it is
    /// not set, and callers are anonymous: they see the tools without scopes, unless middleware
    /// around [`router`] identifies them.
    #[must_use]
    pub fn authenticate(mut self, authenticator: Arc<dyn Authenticate>) -> Self {
        self.authenticate = Some(authenticator);
        self
    }

    /// Sets the metadata for clients about the tokens that `authenticate` accepts: their issuers
    /// and scopes. Not published by default. A server with this and without
    /// [`authenticate`](Self::authenticate) does not start.
    #[must_use]
    pub fn protected_resource(mut self, resource: ProtectedResource) -> Self {
        self.protected_resource = Some(resource);
        self
    }

    /// Sets the card by which clients know the server before they connect (SEP-2127). It is served
    /// at the endpoint's path followed by `/server-card`, for any host and without a token, with an
    /// `ETag`. Pages of every origin may read it.
    ///
    /// Not published by default: only the publisher knows the name of the server in registries, and
    /// any page in a browser could find out which servers run on the user's own machine.
    #[must_use]
    pub fn server_card(mut self, card: ServerCard) -> Self {
        self.server_card = Some(card);
        self
    }

    /// Returns whether [`authenticate`](Self::authenticate) is set.
    pub fn has_authenticator(&self) -> bool {
        self.authenticate.is_some()
    }
}
