//! What happens between a model and the tools, as a stream of events: what it was shown, what it looked for, what it read, what
//! it was refused, what it called. From them one can tell why a model did not use a tool.
//!
//! [`JsonLines`] writes them to a file, which the command `audit` of every server's binary reads; an [`Audit`] of one's own
//! takes them elsewhere. Without either they are `tracing` events of the target `pd_runtime::audit`, where somebody listens.
//!
//! ```
//! use pd_runtime::{audit::{Audit, Event, What}, prelude::*};
//! use std::sync::{Arc, atomic::{AtomicUsize, Ordering}};
//!
//! /// Counts refusals.
//! #[derive(Default)]
//! struct Refusals(AtomicUsize);
//!
//! impl Audit for Refusals {
//!     fn record(&self, event: &Event<'_>) {
//!         if matches!(event.what, What::Refused { .. }) {
//!             self.0.fetch_add(1, Ordering::Relaxed);
//!         }
//!     }
//! }
//!
//! # /// Say hello
//! # #[pd_tool]
//! # fn hello() -> String { "hello".into() }
//! let refusals = Arc::new(Refusals::default());
//! let server = PdServer::builder(pd_runtime::registry! { hello }, ()).audit(refusals.clone()).build();
//! # let _ = server;
//! ```
//!
//! # Personal data
//!
//! By default no event holds what a caller wrote: no arguments, no results, no queries, no names that are of no tool. A principal
//! is a pseudonym: a hash under a key that is made of the server's ticket key, so that it is the same for as long as the key is,
//! on all servers that share it, and only who has the key can tell whose it is. [`Detail`] asks for more.

mod event;
mod json_lines;
mod pseudonym;
mod time;

pub use event::{Contract, Ended, Era, Event, Missed, Shown, What};
pub use json_lines::JsonLines;
pub(crate) use pseudonym::Pseudonyms;

/// Takes what happens.
pub trait Audit: Send + Sync {
    /// Takes one event. It is called on the task that answers the request, so it must not block: not write to a file, wait for
    /// a lock that is held for long, or send over a network. Hand the event to a thread or task through a bounded queue, and
    /// drop it where that is full, as [`JsonLines`] does.
    fn record(&self, event: &Event<'_>);
}

/// Which personal data stand in events; none by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Detail {
    /// Principals by their subjects, not by pseudonyms.
    pub subjects: bool,
    /// What was searched for, and names that are of no tool; at most 200 characters of each.
    pub queries: bool,
    /// The arguments of admitted calls, as they were sent, without tickets; of rows that a tool is handed only where they wait, by
    /// the origin, and how many bytes they have.
    pub arguments: bool,
}

impl Detail {
    /// None of it.
    pub const NONE: Self = Self { subjects: false, queries: false, arguments: false };

    /// With principals by their subjects.
    #[must_use]
    pub fn with_subjects(self) -> Self {
        Self { subjects: true, ..self }
    }

    /// With what was searched for, and names that are of no tool.
    #[must_use]
    pub fn with_queries(self) -> Self {
        Self { queries: true, ..self }
    }

    /// With the arguments of calls.
    #[must_use]
    pub fn with_arguments(self) -> Self {
        Self { arguments: true, ..self }
    }
}
