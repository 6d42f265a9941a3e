//! A session: what one `initialize` opened, and the disclosures made since.

use super::store::{Disclosures, InMemory};
use crate::{access::Authority, terms::Terms};
use std::sync::Arc;
use tokio::sync::Notify;

/// One session of the session era. The handler instance owns it; dropping it forgets everything.
#[derive(Debug)]
pub(crate) struct Session {
    /// Who opened it. rmcp binds no session to a principal, so that a stolen id would reach it: the gate compares.
    pub(crate) owner: Authority,
    /// What the wires ask that the client declared in `initialize`.
    pub(crate) terms: Terms,
    /// Whether 2026-07-28 or a later version was negotiated.
    pub(crate) modern: bool,
    pub(crate) disclosures: Box<dyn Disclosures>,
    /// Told when its list has changed because it was given a description (`Listing::Reveal`).
    pub(crate) revealed: Arc<Notify>,
}

impl Session {
    pub(crate) fn new(owner: Authority, terms: Terms, modern: bool) -> Self {
        Self { owner, terms, modern, disclosures: Box::new(InMemory::default()), revealed: Arc::default() }
    }
}
