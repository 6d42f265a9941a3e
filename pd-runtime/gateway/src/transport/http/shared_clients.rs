//! The HTTP clients that all servers of a gateway share. To build one reads the certificates of the
//! system, which takes milliseconds, and a file may have hundreds of servers.

use crate::config::loopback::is_loopback_url;
use reqwest::{Client, Url, redirect::Policy};
use std::{sync::OnceLock, time::Duration};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// One client for servers on this machine, and one for all others. They have no headers and no
/// cookies, so servers share nothing but connections to the same host.
///
/// The tasks of a client's connections end with their runtime, so clients belong to a gateway and
/// not to the process.
#[derive(Debug, Default)]
pub(crate) struct SharedClients {
    local: OnceLock<Client>,
    remote: OnceLock<Client>,
}

impl SharedClients {
    /// Returns the client for the server of a URL.
    ///
    /// # Errors
    ///
    /// Returns an error if the system's certificates cannot be read.
    pub(super) fn client(&self, url: &Url) -> reqwest::Result<Client> {
        let is_local = is_loopback_url(url);
        let kept = if is_local { &self.local } else { &self.remote };
        if let Some(client) = kept.get() {
            return Ok(client.clone());
        }
        let client = build(is_local)?;
        // Another thread may have built one as well, and its clients go on with it.
        Ok(kept.get_or_init(|| client).clone())
    }
}

fn build(is_local: bool) -> reqwest::Result<Client> {
    // A redirect could send the headers, which contain secrets, to another server.
    // Only the connection has a timeout, because a stream is open for as long as its call.
    let client = Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .redirect(Policy::none());
    // A proxy would connect to the loopback address of the machine that it runs on.
    if is_local {
        client.no_proxy().build()
    } else {
        client.build()
    }
}
