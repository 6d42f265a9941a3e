//! How HTTP is served, and what of it rmcp, the door of sessions and the reading of bodies are told.

use super::{
    super::ServeError,
    Authenticate, ProtectedResource,
    body::{self, BodyReader},
    proxies::TrustedProxies,
    request_source::{AllowedHosts, AllowedOrigins, HostPattern, OriginPattern, RequestSource},
    streams::Streams,
};
#[cfg(doc)]
use super::{Http, router};
use crate::{
    http_sessions::Caps,
    policy::{limits::Rate, rate_limit::quota::Quota},
};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, session::SessionStore};
use std::{net::IpAddr, sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// The hosts that requests may name in any case.
const LOOPBACK_HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "::1"];
/// The origins that requests may come from in any case.
const LOOPBACK_ORIGINS: [&str; 3] = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];

/// How HTTP is served.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HttpOptions {
    /// Whether clients up to 2025-11-25 get sessions. Without them they prove disclosures by tickets, and any replica
    /// can answer any request. True by default.
    pub sessions: bool,
    /// Hosts that requests may name besides loopback ones, each as a name or an IP address, with or
    /// without a port: a guard against DNS rebinding. [`Http::serve`] also allows the IP address that
    /// it is bound to. Others are answered with status 403. Empty by default.
    pub allowed_hosts: Vec<String>,
    /// Browser origins that requests may come from besides loopback ones, such as
    /// `https://app.example.com`. Their pages may read the answers (CORS): preflight requests are
    /// answered, without authentication, and any request header is allowed. A port of `:*` stands for
    /// any port; without a port, the default port of the scheme is meant. Other origins are answered
    /// with status 403; requests without an origin pass. Empty by default.
    pub allowed_origins: Vec<String>,
    /// How long a session lives in which nothing is asked and nothing is under way. One hour by default.
    pub session_idle: Duration,
    /// How many sessions there may be. When there are as many, another one ends the oldest one in which nothing was asked yet;
    /// where something was asked in all of them, `initialize` is answered with status 503, and open sessions go on. 20,000 by
    /// default.
    pub max_sessions: usize,
    /// How many sessions one principal may have. Another one ends the one of theirs that was idle
    /// longest, and deletes what a [`session_store`](Self::session_store) has of it: a client that
    /// forgets to close its sessions harms nobody else. Where replicas share a ticket key, its
    /// client may open it again by its id, at the cost of another one. 256 by default.
    pub max_sessions_per_principal: usize,
    /// How many sessions the callers at one address may have whom nobody authenticated (of IPv6 addresses, at one /64). Over
    /// it, `initialize` is answered with status 429. Where the address is not known, [`max_sessions`](Self::max_sessions) alone
    /// applies. 1,000 by default.
    ///
    /// Behind a proxy all callers have its address, unless [`trusted_proxies`](Self::trusted_proxies) names it.
    pub max_sessions_per_address: usize,
    /// How often one principal, or one address whose callers nobody authenticated, may open a session. Over it, `initialize` is
    /// answered with status 429. 20 a second by default, 1,000 at once; `None` does not limit anybody.
    pub initialize_rate: Option<Rate>,
    /// The addresses of proxies whose `X-Forwarded-For` tells where a request comes from: the right-most address in it that is
    /// not such a proxy's. Limits count anonymous callers by it. Each of these proxies must append its peer's address to the
    /// header, or set it. Empty by default: the header is not read.
    pub trusted_proxies: Vec<IpAddr>,
    /// How many requests may be under way in one session; one more is answered with an error. 128 by default.
    pub max_requests_per_session: usize,
    /// How large a request's body may be, in bytes; a larger one is answered with status 413. 4 MiB by default.
    pub max_request_bytes: usize,
    /// How long a request's body may take to come, before the answer is status 408. 30 seconds by default.
    pub body_timeout: Duration,
    /// How many bytes all requests' bodies together may hold while the rest of them has not come. A body that comes with its
    /// head is not counted. Over it, the answer is status 503. 256 MiB by default; bodies over 16 KiB leave a quarter of it to
    /// smaller ones.
    pub max_pending_body_bytes: usize,
    /// The same for one principal, or one address whose callers nobody authenticated. Over it, the answer is status 429. 32 MiB
    /// by default. Both bounds are at least three times [`max_request_bytes`](Self::max_request_bytes), so that one body fits.
    pub max_pending_body_bytes_per_caller: usize,
    /// How many event streams may be open: the streams of sessions (`GET`), `subscriptions/listen`, and answers that are not
    /// there at once. Over it, another one of the first two is answered with status 503. 16,384 by default: half of
    /// [`max_connections`](Self::max_connections), since each stream takes one.
    pub max_streams: usize,
    /// The same for one principal, or one address whose callers nobody authenticated. Over it, the answer is status 429. 1,000
    /// by default.
    pub max_streams_per_caller: usize,
    /// How often [`authenticate`](Self::authenticate) is asked again about the request that opened a stream. The stream ends
    /// when the request is refused, or is another principal's. While the authenticator answers
    /// [`Unauthorized::unavailable`](super::Unauthorized::unavailable) or does not answer within 10 seconds, the stream goes
    /// on; after five such checks in a row it ends. The stream of a call that runs longer than its token holds ends, too. Every
    /// minute by default; `None` never asks again. Middleware around [`router`] is not asked.
    pub stream_check_interval: Option<Duration>,
    /// How many connections [`Http::serve`] holds open. When there are as many, clients wait until one ends. A session's client
    /// has one or two. 32,768 by default; a system's limit of open files may be lower.
    pub max_connections: usize,
    /// How long the head of a request may take to come, from its first byte, or from when the connection was made, before
    /// [`Http::serve`] closes it. 15 seconds by default.
    pub header_timeout: Duration,
    /// How long [`Http::serve`] keeps a connection open between requests. 75 seconds by default: longer than the 60 that proxies
    /// keep theirs, so that none sends a request into a connection that closes.
    pub idle_timeout: Duration,
    /// How long a client may take nothing of an answer that waits, or of a stream, before [`Http::serve`] closes the connection.
    /// 30 seconds by default.
    pub write_timeout: Duration,
    /// How much of what waits a client must take, in bytes a second. [`Http::serve`] closes the connection of one that falls behind
    /// this by [`write_timeout`](Self::write_timeout): nobody can hold an answer of `n` bytes for longer than that and `n` divided by
    /// this. 4 KiB by default; with 0 whoever takes a little now and then may go on for ever.
    pub min_write_rate: u32,
    /// Where replicas keep how sessions were opened, so that each of them can go on with any: `redis::Store` (feature `redis`), or
    /// an own one. It is handed no session's id, but a [`SessionKey`](crate::SessionKey) in digits,
    /// with `.` and 32 digits behind it that stand for the session's principal, where one is known.
    /// It should forget entries that were not read for [`session_idle`](Self::session_idle), and
    /// bound how many one principal has. An entry whose client is called `dev.pd-runtime/ended`
    /// marks a session that has ended; it should be kept for a day, in which the session's id alone
    /// would open it again. By default each server knows its own sessions only.
    ///
    /// Replicas should share a [`ticket_key`](crate::ServerBuilder::ticket_key), too: while the store cannot be reached, they then
    /// recognise each other's sessions by their ids, for a day. A session belongs to who opened it at every replica; one that its
    /// client ends at one replica ends at the others when it is next used there, a second later at most; while the store cannot be
    /// reached, when it has been idle.
    pub session_store: Option<Arc<dyn SessionStore>>,
    /// Tells who sent a request, and lets nobody else in. Without it, which is the default, callers are nobody: they see the
    /// tools that ask for no scope, unless middleware around [`router`] says who they are.
    pub authenticate: Option<Arc<dyn Authenticate>>,
    /// What clients are told of the tokens that `authenticate` wants: who issues them, for which
    /// scopes. Nothing by default. A server with this and without
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
    /// Checks the hosts and the origins, and that tokens which clients are told to get are checked.
    ///
    /// # Errors
    ///
    /// [`ServeError::InvalidHost`], [`ServeError::InvalidOrigin`] or [`ServeError::Unguarded`].
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

    /// The options of a server that is bound to this address. Clients may name the address: no
    /// foreign DNS leads to an IP address. Behind 0.0.0.0 the addresses are not known.
    pub(super) fn bound_to(mut self, address: IpAddr) -> Self {
        if !address.is_unspecified() {
            self.allowed_hosts.push(address.to_string());
        }
        self
    }

    /// The check of where requests come from.
    pub(super) fn request_source(&self) -> RequestSource {
        let hosts = AllowedHosts::new(LOOPBACK_HOSTS.into_iter().chain(self.allowed_hosts.iter().map(String::as_str)));
        RequestSource::new(hosts, self.origins())
    }

    pub(super) fn origins(&self) -> AllowedOrigins {
        AllowedOrigins::new(LOOPBACK_ORIGINS.into_iter().chain(self.allowed_origins.iter().map(String::as_str)))
    }

    pub(super) fn config(&self, stop: CancellationToken) -> StreamableHttpServerConfig {
        let hosts = LOOPBACK_HOSTS.map(str::to_owned).into_iter().chain(self.allowed_hosts.clone());
        let origins = self.allowed_origins.iter().filter_map(|origin| Some(OriginPattern::parse(origin)?.to_string()));
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
        let limits = body::Limits { bytes: self.max_request_bytes, time: self.body_timeout };
        // A buffer that grows takes up to twice its bytes, and large bodies leave a quarter to small ones.
        let least = self.max_request_bytes.saturating_mul(3);
        let (total, each) = (self.max_pending_body_bytes, self.max_pending_body_bytes_per_caller);
        BodyReader::new(limits, Quota::new(total.max(least), each.max(least)))
    }

    pub(super) fn proxies(&self) -> TrustedProxies {
        TrustedProxies::new(&self.trusted_proxies)
    }

    pub(super) fn streams(&self) -> Streams {
        Streams::new(self.max_streams, self.max_streams_per_caller, self.stream_check_interval)
    }

    pub(super) fn caps(&self) -> Caps {
        Caps {
            sessions: self.max_sessions,
            of_one: self.max_sessions_per_principal,
            of_address: self.max_sessions_per_address,
            opening_rate: self.initialize_rate,
            requests: self.max_requests_per_session,
            idle: self.session_idle,
        }
    }
}
