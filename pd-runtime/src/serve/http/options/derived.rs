//! The settings of rmcp, of the sessions and of the body reader that result from the options.

use super::{
    super::{
        super::ServeError,
        body::{self, BodyReader},
        proxies::TrustedProxies,
        request_source::{AllowedHosts, AllowedOrigins, HostPattern, OriginPattern, RequestSource},
        streams::StreamLimits,
    },
    HttpOptions,
};
use crate::{http_sessions::SessionLimits, policy::rate_limit::quota::SharedQuota};
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use std::net::IpAddr;
use tokio_util::sync::CancellationToken;

/// The hosts that are always allowed.
const LOOPBACK_HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "::1"];
/// The origins that are always allowed.
const LOOPBACK_ORIGINS: [&str; 3] = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];

impl HttpOptions {
    /// Checks the hosts, the origins and the server card, and that a published resource has a check
    /// of its tokens.
    ///
    /// # Errors
    ///
    /// Returns [`ServeError::InvalidHost`], [`ServeError::InvalidOrigin`], [`ServeError::Card`] or
    /// [`ServeError::Unguarded`].
    pub(crate) fn check(&self) -> Result<(), ServeError> {
        if let Some(host) = self
            .allowed_hosts
            .iter()
            .find(|host| HostPattern::parse(host).is_none())
        {
            return Err(ServeError::InvalidHost(host.clone()));
        }
        if let Some(origin) = self
            .allowed_origins
            .iter()
            .find(|origin| OriginPattern::parse(origin).is_none())
        {
            return Err(ServeError::InvalidOrigin(origin.clone()));
        }
        if let Some(card) = &self.server_card {
            card.check()?;
        }
        let is_unguarded = self.protected_resource.is_some() && self.authenticate.is_none();
        if is_unguarded {
            Err(ServeError::Unguarded)
        } else {
            Ok(())
        }
    }

    /// Returns the options of a server that is bound to this address. Clients may name the address,
    /// since DNS rebinding cannot forge an IP address. Behind 0.0.0.0 the addresses are not known.
    pub(in crate::serve::http) fn bound_to(mut self, address: IpAddr) -> Self {
        if !address.is_unspecified() {
            self.allowed_hosts.push(address.to_string());
        }
        self
    }

    /// Returns the check of hosts and origins.
    pub(in crate::serve::http) fn request_source(&self) -> RequestSource {
        let hosts = AllowedHosts::new(
            LOOPBACK_HOSTS
                .into_iter()
                .chain(self.allowed_hosts.iter().map(String::as_str)),
        );
        RequestSource::new(hosts, self.origins())
    }

    pub(in crate::serve::http) fn origins(&self) -> AllowedOrigins {
        AllowedOrigins::new(
            LOOPBACK_ORIGINS
                .into_iter()
                .chain(self.allowed_origins.iter().map(String::as_str)),
        )
    }

    /// Returns rmcp's settings.
    pub(in crate::serve::http) fn config(
        &self,
        stop: CancellationToken,
    ) -> StreamableHttpServerConfig {
        let hosts = LOOPBACK_HOSTS
            .map(str::to_owned)
            .into_iter()
            .chain(self.allowed_hosts.clone());
        let origins = self
            .allowed_origins
            .iter()
            .filter_map(|origin| Some(OriginPattern::parse(origin)?.to_string()));
        // rmcp repeats our checks of host, origin and size. The same values make it refuse nothing
        // that we accept.
        StreamableHttpServerConfig::default()
            .with_legacy_session_mode(self.sessions)
            .with_json_response(true)
            // The sessions send these events, to clients that expect them.
            .with_sse_retry(None)
            .with_allowed_hosts(hosts)
            .with_allowed_origins(
                LOOPBACK_ORIGINS
                    .map(str::to_owned)
                    .into_iter()
                    .chain(origins),
            )
            .enforce_origin_validation()
            .with_max_request_body_bytes(self.max_request_bytes)
            .with_cancellation_token(stop)
    }

    pub(in crate::serve::http) fn body_reader(&self) -> BodyReader {
        let limits = body::BodyLimits {
            bytes: self.max_request_bytes,
            time: self.body_timeout,
        };
        // A growing buffer takes up to twice its bytes, and large bodies leave a quarter of the
        // budget: 2 / (1 - 1/4) is below 3.
        let least = self.max_request_bytes.saturating_mul(3);
        let total = self.max_pending_body_bytes;
        let each = self.max_pending_body_bytes_per_caller;
        BodyReader::new(limits, SharedQuota::new(total.max(least), each.max(least)))
    }

    pub(in crate::serve::http) fn proxies(&self) -> TrustedProxies {
        TrustedProxies::new(&self.trusted_proxies)
    }

    pub(in crate::serve::http) fn streams(&self) -> StreamLimits {
        StreamLimits::new(
            self.max_streams,
            self.max_streams_per_caller,
            self.stream_check_interval,
        )
    }

    pub(in crate::serve::http) fn caps(&self) -> SessionLimits {
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
