//! The check of a request's host and browser origin against those that the server allows. It
//! prevents DNS rebinding and requests from pages of other sites.

pub(in crate::serve) mod host_pattern;
mod origin_pattern;

pub(in crate::serve) use host_pattern::AllowedHosts;
pub(super) use host_pattern::HostPattern;
pub(super) use origin_pattern::{AllowedOrigins, OriginPattern};

use crate::{
    http_sessions::HttpRefusal, telemetry::log_throttle::LogThrottle, text::truncate::first_chars,
};
use http::{
    HeaderValue, Request, StatusCode,
    header::{HOST, ORIGIN},
    uri::Authority,
};

/// The length up to which a message repeats a host or origin, in characters. A DNS name has at most
/// 253.
const REPEATED_MAX: usize = 300;

/// Limits the log of refused hosts, which any stranger could fill.
static REFUSED_HOSTS: LogThrottle = LogThrottle::new();
/// Limits the log of refused origins.
static REFUSED_ORIGINS: LogThrottle = LogThrottle::new();

/// Checks hosts and origins. rmcp checks them again for the requests that reach it.
#[derive(Debug)]
pub(super) struct RequestSource {
    hosts: AllowedHosts,
    pub(super) origins: AllowedOrigins,
}

impl RequestSource {
    pub(super) fn new(hosts: AllowedHosts, origins: AllowedOrigins) -> Self {
        Self { hosts, origins }
    }

    /// Checks a request's head.
    ///
    /// # Errors
    ///
    /// Returns the answer to the request if its host is missing or malformed (400), or if its host
    /// or origin is not allowed (403).
    pub(super) fn check<B>(&self, request: &Request<B>) -> Result<(), HttpRefusal> {
        let host = host_of(request)?;
        if !self.hosts.allow(&host) {
            return Err(refused_host(&host));
        }
        // Only browsers send the header. A request without it is checked by its host alone.
        match request.headers().get(ORIGIN) {
            Some(origin) if !self.origins.allow(origin) => Err(refused_origin(origin)),
            _ => Ok(()),
        }
    }
}

/// Returns the host that a request names. Over HTTP/2 it may exist only as `:authority`: hyper
/// derives a `Host` header from it, but middleware may drop that header.
fn host_of<B>(request: &Request<B>) -> Result<Authority, HttpRefusal> {
    let bad_request = |message: &str| HttpRefusal::new(StatusCode::BAD_REQUEST, message);
    match request.headers().get(HOST) {
        Some(host) => Authority::try_from(host.as_bytes())
            .map_err(|_| bad_request("Bad Request: invalid Host header")),
        None => request
            .uri()
            .authority()
            .cloned()
            .ok_or_else(|| bad_request("Bad Request: missing Host header")),
    }
}

fn refused_host(host: &Authority) -> HttpRefusal {
    let name = truncate(host.host());
    if REFUSED_HOSTS.is_due() {
        tracing::warn!(
            host = name,
            "refused a host that is not allowed; allow it with `--allow-host`"
        );
    }
    let message = format!(
        "Forbidden: this server does not answer for the host `{name}`; if clients reach it by that name, allow it with \
         `--allow-host {name}` (`HttpOptions::allowed_hosts`)"
    );
    HttpRefusal::new(StatusCode::FORBIDDEN, message)
}

fn refused_origin(origin: &HeaderValue) -> HttpRefusal {
    let origin = truncate(&String::from_utf8_lossy(origin.as_bytes()));
    if REFUSED_ORIGINS.is_due() {
        tracing::warn!(
            origin,
            "refused a browser origin that is not allowed; allow it with `--allow-origin`"
        );
    }
    let message = format!(
        "Forbidden: this server does not answer pages of the origin `{origin}`; if you trust that site, allow it with \
         `--allow-origin {origin}` (`HttpOptions::allowed_origins`)"
    );
    HttpRefusal::new(StatusCode::FORBIDDEN, message)
}

/// Cuts a text to the length that messages repeat.
fn truncate(text: &str) -> String {
    first_chars(text, REPEATED_MAX).to_owned()
}
