//! The recording of requests: a span for each request, and the events that occur while it is
//! answered. The code that answers reports an event here, which becomes an audit event, a log line
//! and a metric. Nothing is built if nothing listens.

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

/// The most characters of a query or name in an event.
const TEXT_MAX: usize = 200;

/// The listeners of a server's events.
#[derive(Debug)]
pub(crate) struct Observer {
    listeners: Listeners,
    pseudonyms: Pseudonyms,
}

impl Observer {
    /// Creates an observer. Pseudonyms are made under a key derived from `secret`, which is the
    /// server's own.
    pub(crate) fn new(secret: &[u8; 32], listeners: &Listeners) -> Self {
        Self { listeners: listeners.clone(), pseudonyms: Pseudonyms::new(secret) }
    }

    /// Reports that a principal at this limit could not open a session. No MCP request has begun at
    /// that point, so no [`Seen`] exists.
    #[cfg(feature = "http")]
    pub(crate) fn report_limited_session(&self, limit: &'static str, principal: &Principal) {
        const WIRE: &str = InitializeResultMethod::VALUE;
        let what = What::Limited { limit };
        // Counted first and without the event: metrics need neither the time nor the principal's
        // pseudonym.
        if let Some(metrics) = &self.listeners.metrics {
            metrics.note(&what, WIRE);
        }
        if self.listeners.audit.is_some() || tracing_events::is_enabled(tracing_events::level(&what)) {
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

/// The recorder of one request's events. The default value records nothing, for views without a
/// request.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Seen<'a>(Option<Sighting<'a>>);

#[derive(Debug, Clone, Copy)]
struct Sighting<'a> {
    observer: &'a Observer,
    request: &'a Request,
    caller: &'a Caller<'a>,
    session: Option<&'a Visit>,
}

impl<'a> Seen<'a> {
    pub(crate) fn new(
        observer: &'a Observer,
        request: &'a Request,
        caller: &'a Caller<'a>,
        session: Option<&'a Visit>,
    ) -> Self {
        // A self-contained request on a connection with a session does not belong to that session.
        let session = session.filter(|_| caller.own_session().is_some());
        Self(Some(Sighting { observer, request, caller, session }))
    }

    /// Records a list of tools, each in its form.
    pub(crate) fn record_listed<'b>(&self, tools: impl Iterator<Item = (&'b Entry, Form)>) {
        // Collecting the tools of a long list costs more than the check.
        if self.is_logged(Level::DEBUG) {
            let tools: Vec<_> = tools.map(|(entry, form)| disclosed_tool(entry, form)).collect();
            self.emit(&What::Listed { tools: &tools });
        }
    }

    /// Records the hits of a search that are shown to the caller, best first. A search without hits
    /// is recorded as a miss.
    pub(crate) fn record_search<'b>(&self, query: &str, tools: impl Iterator<Item = &'b Entry>) {
        if !self.is_recorded(Level::DEBUG) {
            return;
        }
        let (query, tools) =
            (self.text(query), tools.map(|entry| disclosed_tool(entry, Form::Line)).collect::<Vec<_>>());
        self.emit(&match tools.as_slice() {
            [] => What::Missed { by: Missed::Query, text: query },
            tools => What::Found { tools, query },
        });
    }

    /// Records a requested name that no tool has for this caller.
    pub(crate) fn record_unknown(&self, name: &str) {
        if self.is_recorded(Level::DEBUG) {
            self.emit(&What::Missed { by: Missed::Name, text: self.text(name) });
        }
    }

    /// Records the disclosure of a tool, in this form.
    pub(crate) fn record_described(&self, entry: &Entry, form: Form) {
        if self.is_recorded(Level::INFO) {
            self.emit(&What::Described { tool: disclosed_tool(entry, form) });
        }
    }

    /// Records a call that the gate refused.
    pub(crate) fn record_refused(&self, entry: &Entry, reason: Reason) {
        let reason = match reason {
            Reason::NotDisclosed => "not_disclosed",
            Reason::Outdated => "outdated",
            Reason::BadTicket => "bad_ticket",
            Reason::ForeignSession => "foreign_session",
        };
        self.record_refusal(entry, reason);
    }

    /// Records a call that was refused because the tool is unavailable.
    pub(crate) fn record_unavailable(&self, entry: &Entry) {
        self.record_refusal(entry, "unavailable");
    }

    fn record_refusal(&self, entry: &Entry, reason: &'static str) {
        if let Some(Sighting { request, .. }) = self.0 {
            // The span is named after the tool only now: an unknown name must not enter it.
            request.set_tool(entry.name());
        }
        if self.is_recorded(Level::INFO) {
            self.emit(&What::Refused { tool: tool_ref(entry), reason });
        }
    }

    /// Counts an invalid ticket, regardless of whether the call was refused for it.
    pub(crate) fn record_bad_ticket(&self) {
        if let Some(metrics) = self.metrics() {
            metrics.ticket_refused();
        }
    }

    /// Records that a limit was reached. The limit's name is a constant, never a caller's text.
    pub(crate) fn record_limited(&self, limit: &'static str) {
        if self.is_recorded(Level::INFO) {
            self.emit(&What::Limited { limit });
        }
    }

    fn metrics(&self) -> Option<&'a Metrics> {
        self.0.and_then(|sighting| sighting.observer.listeners.metrics.as_ref())
    }

    /// Returns whether metrics, audit or the log take an event of this level.
    fn is_recorded(&self, level: Level) -> bool {
        self.metrics().is_some() || self.is_logged(level)
    }

    /// Returns whether audit or the log take an event of this level. Metrics count events without
    /// their contents.
    fn is_logged(&self, level: Level) -> bool {
        self.0.is_some_and(|sighting| sighting.observer.listeners.audit.is_some() || tracing_events::is_enabled(level))
    }

    /// Returns the part of a caller's text that an event may contain; `None` unless the server
    /// records queries.
    fn text<'b>(&self, text: &'b str) -> Option<&'b str> {
        let wanted = self.0.is_some_and(|sighting| sighting.observer.listeners.detail.queries);
        wanted.then(|| text.char_indices().nth(TEXT_MAX).and_then(|(end, _)| text.get(..end)).unwrap_or(text))
    }

    /// Sends an event to all listeners.
    fn emit(&self, what: &What<'_>) {
        let Some(Sighting { observer, request, caller, session }) = self.0 else { return };
        if let Some(metrics) = &observer.listeners.metrics {
            metrics.note(what, request.surface);
        }
        if !self.is_logged(tracing_events::level(what)) {
            return;
        }
        // A pseudonym is a keyed hash, so it is computed only for an event that is sent.
        let principal = caller.authority.principal().map(|principal| observer.name_of(principal));
        let event = Event {
            time: SystemTime::now(),
            what: what.clone(),
            era: caller.era,
            wire: request.surface,
            principal: principal.as_deref(),
            session: session.map(|session| session.number),
            trace_id: request.trace_id(),
        };
        observer.send(&event);
    }
}

fn disclosed_tool(entry: &Entry, form: Form) -> Shown<'_> {
    Shown { name: entry.name(), digest: &entry.digest_text, tokens: entry.cost(form) }
}

fn tool_ref(entry: &Entry) -> Contract<'_> {
    Contract { name: entry.name(), digest: &entry.digest_text }
}
