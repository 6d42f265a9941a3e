//! Seeing what happens: a span for each request, and what is raised while one is answered. Whoever answers says what happened;
//! here it becomes an event of the audit stream, a log line and a number. Where nobody listens, nothing is made.

mod call_span;
#[cfg(feature = "otel")]
mod otel;
mod redact;
mod request;
mod session_metrics;
mod trace_context;
mod tracing_events;

pub(crate) use request::Request;
pub(crate) use session_metrics::Visit;

#[cfg(feature = "http")]
use crate::telemetry::audit::Era;
use crate::{
    catalog::{entry::Entry, token_cost::Form},
    disclosure::{caller::Caller, gate::Reason},
    policy::Listeners,
    telemetry::{
        audit::{Contract, Event, Missed, Pseudonyms, Shown, What},
        metrics::Metrics,
    },
    tool::principal::Principal,
};
#[cfg(feature = "http")]
use rmcp::model::{ConstString, InitializeResultMethod};
use std::time::SystemTime;
use tracing::Level;

/// How much of a query or name stands in an event, in characters.
const TEXT_MAX: usize = 200;

/// Who listens to a server.
#[derive(Debug)]
pub(crate) struct Observer {
    listeners: Listeners,
    pseudonyms: Pseudonyms,
}

impl Observer {
    /// `secret` is the server's own; pseudonyms are made under a key that is made of it.
    pub(crate) fn new(secret: &[u8; 32], listeners: &Listeners) -> Self {
        Self { listeners: listeners.clone(), pseudonyms: Pseudonyms::new(secret) }
    }

    /// Reports that a principal at this limit opened no session. No request of MCP has begun by
    /// then.
    #[cfg(feature = "http")]
    pub(crate) fn report_limited_session(&self, limit: &'static str, principal: &Principal) {
        const WIRE: &str = InitializeResultMethod::VALUE;
        let what = What::Limited { limit };
        if let Some(metrics) = &self.listeners.metrics {
            metrics.note(&what, WIRE);
        }
        if self.listeners.audit.is_some() || tracing_events::is_heard(tracing_events::level(&what)) {
            let (time, name) = (SystemTime::now(), self.name_of(principal));
            let principal = Some(name.as_str());
            self.send(&Event { time, what, era: Era::Session, wire: WIRE, principal, session: None, trace_id: None });
        }
    }

    fn send(&self, event: &Event<'_>) {
        tracing_events::write(event);
        if let Some(audit) = &self.listeners.audit {
            audit.record(event);
        }
    }

    fn name_of(&self, principal: &Principal) -> String {
        match self.listeners.detail.subjects {
            true => principal.subject().to_owned(),
            false => self.pseudonyms.of(principal.subject()),
        }
    }
}

/// What sees one request being answered. Without a request nobody does.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Seen<'a>(Option<Sighting<'a>>);

#[derive(Debug, Clone, Copy)]
struct Sighting<'a> {
    observer: &'a Observer,
    request: &'a Request,
    caller: &'a Caller<'a>,
    visit: Option<&'a Visit>,
}

impl<'a> Seen<'a> {
    pub(crate) fn new(
        observer: &'a Observer,
        request: &'a Request,
        caller: &'a Caller<'a>,
        visit: Option<&'a Visit>,
    ) -> Self {
        // A self-contained request on a connection with a session is of none.
        let visit = visit.filter(|_| caller.own_session().is_some());
        Self(Some(Sighting { observer, request, caller, visit }))
    }

    /// These tools were told of in a list, in this form each.
    pub(crate) fn listed<'b>(&self, tools: impl Iterator<Item = (&'b Entry, Form)>) {
        if self.is_told(Level::DEBUG) {
            let tools: Vec<_> = tools.map(|(entry, form)| shown(entry, form)).collect();
            self.raise(&What::Listed { tools: &tools });
        }
    }

    /// A search ended with these tools told of, best first; with none, it found nothing.
    pub(crate) fn found<'b>(&self, query: &str, tools: impl Iterator<Item = &'b Entry>) {
        if !self.is_heard(Level::DEBUG) {
            return;
        }
        let (query, tools) = (self.text(query), tools.map(|entry| shown(entry, Form::Line)).collect::<Vec<_>>());
        self.raise(&match tools.as_slice() {
            [] => What::Missed { by: Missed::Query, text: query },
            tools => What::Found { tools, query },
        });
    }

    /// A name was asked for that is of no tool for this caller.
    pub(crate) fn unknown(&self, name: &str) {
        if self.is_heard(Level::DEBUG) {
            self.raise(&What::Missed { by: Missed::Name, text: self.text(name) });
        }
    }

    /// A tool was disclosed, in this form.
    pub(crate) fn described(&self, entry: &Entry, form: Form) {
        if self.is_heard(Level::INFO) {
            self.raise(&What::Described { tool: shown(entry, form) });
        }
    }

    /// A call was refused by the gate.
    pub(crate) fn refused(&self, entry: &Entry, reason: Reason) {
        let reason = match reason {
            Reason::NotDisclosed => "not_disclosed",
            Reason::Outdated => "outdated",
            Reason::BadTicket => "bad_ticket",
            Reason::ForeignSession => "foreign_session",
        };
        self.refused_as(entry, reason);
    }

    /// A call was refused since nobody can call the tool now.
    pub(crate) fn unavailable(&self, entry: &Entry) {
        self.refused_as(entry, "unavailable");
    }

    fn refused_as(&self, entry: &Entry, reason: &'static str) {
        if let Some(Sighting { request, .. }) = self.0 {
            request.concerns(entry.name());
        }
        if self.is_heard(Level::INFO) {
            self.raise(&What::Refused { tool: contract(entry), reason });
        }
    }

    /// A ticket was not good, whether the call was refused for it or not.
    pub(crate) fn ticket_refused(&self) {
        if let Some(metrics) = self.metrics() {
            metrics.ticket_refused();
        }
    }

    /// A limit was reached; it is called by a word of ours, never by a caller's.
    pub(crate) fn limited(&self, limit: &'static str) {
        if self.is_heard(Level::INFO) {
            self.raise(&What::Limited { limit });
        }
    }

    fn metrics(&self) -> Option<&'a Metrics> {
        self.0.and_then(|sighting| sighting.observer.listeners.metrics.as_ref())
    }

    /// Whether anybody wants to know at all.
    fn is_heard(&self, level: Level) -> bool {
        self.metrics().is_some() || self.is_told(level)
    }

    /// Whether anybody wants to be told what it was.
    fn is_told(&self, level: Level) -> bool {
        self.0.is_some_and(|sighting| sighting.observer.listeners.audit.is_some() || tracing_events::is_heard(level))
    }

    /// As much of a caller's text as may stand in an event.
    fn text<'b>(&self, text: &'b str) -> Option<&'b str> {
        let wanted = self.0.is_some_and(|sighting| sighting.observer.listeners.detail.queries);
        wanted.then(|| text.char_indices().nth(TEXT_MAX).and_then(|(end, _)| text.get(..end)).unwrap_or(text))
    }

    /// Tells everyone who listens.
    fn raise(&self, what: &What<'_>) {
        let Some(Sighting { observer, request, caller, visit }) = self.0 else { return };
        if let Some(metrics) = &observer.listeners.metrics {
            metrics.note(what, request.wire);
        }
        if !self.is_told(tracing_events::level(what)) {
            return;
        }
        let principal = caller.authority.principal().map(|principal| observer.name_of(principal));
        let event = Event {
            time: SystemTime::now(),
            what: what.clone(),
            era: caller.era,
            wire: request.wire,
            principal: principal.as_deref(),
            session: visit.map(|visit| visit.number),
            trace_id: request.trace_id(),
        };
        observer.send(&event);
    }
}

fn shown(entry: &Entry, form: Form) -> Shown<'_> {
    Shown { name: entry.name(), digest: &entry.digest_text, tokens: entry.cost(form) }
}

fn contract(entry: &Entry) -> Contract<'_> {
    Contract { name: entry.name(), digest: &entry.digest_text }
}
