//! Names to addresses. What is resolved is judged here and connected to as it is, so that no second look-up can say otherwise.

use super::address::Reach;
use futures::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::{
    io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

/// Finds the addresses of a host.
pub(super) trait Lookup: Send + Sync {
    fn lookup(&self, host: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>>;
}

/// The operating system's.
pub(super) struct System;

impl Lookup for System {
    fn lookup(&self, host: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        Box::pin(async move { Ok(tokio::net::lookup_host((host, 0)).await?.map(|found| found.ip()).collect()) })
    }
}

/// Gives a host's addresses if all of them may be reached.
pub(super) struct Guarded {
    pub(super) reach: Reach,
    pub(super) lookup: Arc<dyn Lookup>,
}

/// A host has an address that may not be reached. One is enough: who owns the name chose them all.
#[derive(Debug, thiserror::Error)]
#[error("an address of the host may not be reached")]
pub(super) struct NotReached;

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        let (reach, found) = (self.reach, self.lookup.lookup(name.as_str().to_owned()));
        Box::pin(async move {
            let found = found.await?;
            if !found.iter().all(|address| reach.allows(*address)) {
                return Err(NotReached.into());
            }
            // Port 0 stands for the URL's.
            let addresses: Addrs = Box::new(found.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(addresses)
        })
    }
}
