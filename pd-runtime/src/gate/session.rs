//! A session: what one `initialize` opened, and the disclosures made since.

use super::store::{Disclosures, InMemory};
use crate::access::Authority;

/// One session of the session era. The handler instance owns it; dropping it forgets everything.
#[derive(Debug)]
pub(crate) struct Session {
    /// Who opened it. rmcp binds no session to a principal, so that a stolen id would reach it: the gate compares.
    pub(crate) owner: Authority,
    /// Whether the client declared our extension in `initialize`.
    pub(crate) declares_disclosure: bool,
    /// Whether 2026-07-28 or a later version was negotiated.
    pub(crate) modern: bool,
    pub(crate) disclosures: Box<dyn Disclosures>,
}

impl Session {
    pub(crate) fn new(owner: Authority, declares_disclosure: bool, modern: bool) -> Self {
        Self { owner, declares_disclosure, modern, disclosures: Box::new(InMemory::default()) }
    }
}
