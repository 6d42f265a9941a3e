//! DNS resolution with an address check. reqwest connects to exactly the addresses returned here,
//! so that a second lookup cannot return others (DNS rebinding).

use super::address::AddressScope;
use futures::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::{
    io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

/// Resolves a host name.
pub(super) trait HostLookup: Send + Sync {
    fn lookup(&self, host: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>>;
}

/// The resolver of the operating system.
pub(super) struct SystemLookup;

impl HostLookup for SystemLookup {
    fn lookup(&self, host: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            // The function requires a port, which is dropped again.
            Ok(tokio::net::lookup_host((host, 0))
                .await?
                .map(|found| found.ip())
                .collect())
        })
    }
}

/// Returns the addresses of a host if all of them may be reached.
pub(super) struct GuardedResolver {
    pub(super) reach: AddressScope,
    pub(super) lookup: Arc<dyn HostLookup>,
}

/// A host has an address that may not be reached. One such address is enough to refuse the host,
/// because the owner of the name controls all of them.
#[derive(Debug, thiserror::Error)]
#[error("an address of the host may not be reached")]
pub(super) struct AddressNotAllowed;

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = self.reach;
        let found = self.lookup.lookup(name.as_str().to_owned());
        Box::pin(async move {
            let found = found.await?;
            if !found.iter().all(|address| reach.allows(*address)) {
                return Err(AddressNotAllowed.into());
            }
            // Port 0 makes reqwest use the URL's port.
            let addresses: Addrs =
                Box::new(found.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(addresses)
        })
    }
}
