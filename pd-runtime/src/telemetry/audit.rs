//! Audit events: a record of what happens between a model and the tools. The events contain the
//! tools that a model was shown, its searches, the descriptions it read, its refused calls and its
//! calls. They explain why a model did not use a tool.
//!
//! [`JsonLines`] writes events to a file, which the command `audit` of every server's binary
//! analyzes. Another [`Audit`] can send them elsewhere. Without either, the events are
//! `tracing` events of the target `pd_runtime::audit`.
//!
//! ```
//! use pd_runtime::{audit::{Audit, AuditEventKind, Event}, prelude::*};
//! use std::sync::{Arc, atomic::{AtomicUsize, Ordering}};
//!
//! /// Counts refusals.
//! #[derive(Default)]
//! struct Refusals(AtomicUsize);
//!
//! impl Audit for Refusals {
//!     fn record(&self, event: &Event<'_>) {
//!         if matches!(event.kind, AuditEventKind::Refused { .. }) {
//!             self.0.fetch_add(1, Ordering::Relaxed);
//!         }
//!     }
//! }
//!
//! # /// Say hello
//! # #[pd_tool]
//! # fn hello() -> String { "hello".into() }
//! let refusals = Arc::new(Refusals::default());
//! let server = PdServer::builder(pd_runtime::registry! { hello }, ())
//!     .audit(refusals.clone())
//!     .build();
//! # let _ = server;
//! ```
//!
//! # Personal data
//!
//! By default no event contains text that a caller wrote: no arguments, results or queries, and no
//! names of unknown tools. A principal appears under a pseudonym. This is a hash under a key
//! derived from the server's ticket key, so the pseudonym is stable for as long as the key is, and
//! equal on all servers that share the key. Only the holder of the key can link a pseudonym to a
//! principal. [`AuditDetail`] adds personal data.

mod event;
mod json_lines;
mod pseudonym;
mod time;

pub use event::{AuditEventKind, CallOutcome, DisclosedTool, Era, Event, MissKind, ToolRef};
pub use json_lines::JsonLines;
pub(crate) use pseudonym::Pseudonymizer;

/// A receiver of audit events.
pub trait Audit: Send + Sync {
    /// Receives one event. The server calls this method on the task that answers the request, so it
    /// must not block: it must not write to a file, wait for a lock that is held for long, or send
    /// over a network. Pass the event to a thread or task through a bounded queue, and drop the
    /// event if the queue is full, as [`JsonLines`] does.
    fn record(&self, event: &Event<'_>);
}

/// The personal data that events contain. The default is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct AuditDetail {
    /// Principals by their subjects instead of pseudonyms.
    pub subjects: bool,
    /// Search queries and names of unknown tools, at most 200 characters of each.
    pub queries: bool,
    /// The arguments of admitted calls as they were sent, without tickets. For rows of another
    /// tool, the event contains only the origin of the URL and the size of the rows in bytes.
    pub arguments: bool,
}

impl AuditDetail {
    /// No personal data.
    pub const NONE: Self = Self {
        subjects: false,
        queries: false,
        arguments: false,
    };

    /// Adds principals by their subjects.
    #[must_use]
    pub fn with_subjects(self) -> Self {
        Self {
            subjects: true,
            ..self
        }
    }

    /// Adds search queries and names of unknown tools.
    #[must_use]
    pub fn with_queries(self) -> Self {
        Self {
            queries: true,
            ..self
        }
    }

    /// Adds the arguments of calls.
    #[must_use]
    pub fn with_arguments(self) -> Self {
        Self {
            arguments: true,
            ..self
        }
    }
}
