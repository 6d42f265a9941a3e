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

pub(crate) use request::RequestSpan;
pub(crate) use session_metrics::SessionMetrics;
#[cfg(feature = "code")]
pub(crate) use session_metrics::next_number;

#[cfg(feature = "http")]
use crate::telemetry::audit::Era;
use crate::{
    catalog::{entry::CatalogEntry, token_cost::CostForm},
    disclosure::{caller::Caller, gate::DenialReason},
    policy::TelemetrySinks,
    telemetry::{
        audit::{AuditEventKind, DisclosedTool, Event, MissKind, Pseudonymizer, ToolRef},
        metrics::Metrics,
    },
    text::truncate::first_chars,
    tool::principal::Principal,
};
#[cfg(feature = "http")]
use rmcp::model::{ConstString, InitializeResultMethod};
use std::time::SystemTime;
use tracing::Level;
#[cfg(feature = "code")]
use {crate::telemetry::audit::CallOutcome, std::time::Duration};

/// The most characters of a query or name in an event.
const TEXT_MAX: usize = 200;

/// The listeners of a server's events.
#[derive(Debug)]
pub(crate) struct EventRecorder {
    listeners: TelemetrySinks,
    pseudonyms: Pseudonymizer,
}

impl EventRecorder {
    /// Creates an observer. Pseudonyms are made under a key derived from `secret`, which is the
    /// server's own.
    pub(crate) fn new(secret: &[u8; 32], listeners: &TelemetrySinks) -> Self {
        Self {
            listeners: listeners.clone(),
            pseudonyms: Pseudonymizer::new(secret),
        }
    }

    /// Reports that a principal at this limit could not open a session. No MCP request has begun at
    /// that point, so no [`RequestRecorder`] exists.
    #[cfg(feature = "http")]
    pub(crate) fn report_limited_session(&self, limit: &'static str, principal: &Principal) {
        const WIRE: &str = InitializeResultMethod::VALUE;
        let what = AuditEventKind::Limited { limit };
        // Counted first and without the event: metrics need neither the time nor the principal's
        // pseudonym.
        if let Some(metrics) = &self.listeners.metrics {
            metrics.record_event(&what, WIRE);
        }
        if self.listeners.audit.is_some()
            || tracing_events::is_enabled(tracing_events::level(&what))
        {
            let time = SystemTime::now();
            let name = self.name_of(principal);
            let principal = Some(name.as_str());
            self.send(&Event {
                time,
                kind: what,
                era: Era::Session,
                surface: WIRE,
                principal,
                session: None,
                run: None,
                trace_id: None,
            });
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
            false => self.pseudonyms.pseudonym(principal.subject()),
        }
    }
}

/// The recorder of one request's events. The default value records nothing, for views without a
/// request.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RequestRecorder<'a>(Option<RecordingScope<'a>>);

#[derive(Debug, Clone, Copy)]
struct RecordingScope<'a> {
    observer: &'a EventRecorder,
    request: &'a RequestSpan,
    caller: &'a Caller<'a>,
    session: Option<&'a SessionMetrics>,
    /// The program that makes the recorded calls.
    run: Option<u64>,
}

impl<'a> RequestRecorder<'a> {
    pub(crate) fn new(
        observer: &'a EventRecorder,
        request: &'a RequestSpan,
        caller: &'a Caller<'a>,
        session: Option<&'a SessionMetrics>,
    ) -> Self {
        // A self-contained request on a connection with a session does not belong to that session.
        let session = session.filter(|_| caller.own_session().is_some());
        Self(Some(RecordingScope {
            observer,
            request,
            caller,
            session,
            run: None,
        }))
    }

    /// Returns the recorder of a program's calls.
    #[cfg(feature = "code")]
    pub(crate) fn in_run(self, run: u64) -> Self {
        Self(self.0.map(|scope| RecordingScope {
            run: Some(run),
            ..scope
        }))
    }

    /// Names the request's span after a tool. The span of a program's run keeps its own name.
    fn set_tool(&self, entry: &CatalogEntry) {
        if let Some(RecordingScope {
            request, run: None, ..
        }) = self.0
        {
            request.set_tool(entry.name());
        }
    }

    /// Records a list of tools, each in its form.
    pub(crate) fn record_listed<'b>(
        &self,
        tools: impl Iterator<Item = (&'b CatalogEntry, CostForm)>,
    ) {
        // Collecting the tools of a long list costs more than the check.
        if self.is_logged(Level::DEBUG) {
            let tools: Vec<_> = tools
                .map(|(entry, form)| disclosed_tool(entry, form))
                .collect();
            self.emit(&AuditEventKind::Listed { tools: &tools });
        }
    }

    /// Records the hits of a search that are shown to the caller, best first. A search without hits
    /// is recorded as a miss.
    pub(crate) fn record_search<'b>(
        &self,
        query: &str,
        tools: impl Iterator<Item = &'b CatalogEntry>,
    ) {
        // Metrics count searches, too, so this check is wider than the one for lists.
        if !self.is_recorded(Level::DEBUG) {
            return;
        }
        let (query, tools) = (
            self.text(query),
            tools
                .map(|entry| disclosed_tool(entry, CostForm::Line))
                .collect::<Vec<_>>(),
        );
        self.emit(&match tools.as_slice() {
            [] => AuditEventKind::Missed {
                by: MissKind::Query,
                text: query,
            },
            tools => AuditEventKind::Found { tools, query },
        });
    }

    /// Records a requested name that no tool has for this caller.
    pub(crate) fn record_unknown(&self, name: &str) {
        if self.is_recorded(Level::DEBUG) {
            self.emit(&AuditEventKind::Missed {
                by: MissKind::Name,
                text: self.text(name),
            });
        }
    }

    /// Records the disclosure of a tool, in this form.
    pub(crate) fn record_described(&self, entry: &CatalogEntry, form: CostForm) {
        if self.is_recorded(Level::INFO) {
            self.emit(&AuditEventKind::Described {
                tool: disclosed_tool(entry, form),
            });
        }
    }

    /// Records a call that the gate refused.
    pub(crate) fn record_refused(&self, entry: &CatalogEntry, reason: DenialReason) {
        let reason = match reason {
            DenialReason::NotDisclosed => "not_disclosed",
            DenialReason::Outdated => "outdated",
            DenialReason::BadTicket => "bad_ticket",
            DenialReason::ForeignSession => "foreign_session",
        };
        self.record_refusal(entry, reason);
    }

    /// Records a call that was refused because the tool is unavailable.
    pub(crate) fn record_unavailable(&self, entry: &CatalogEntry) {
        self.record_refusal(
            entry,
            if entry.tool.about.is_held {
                "held"
            } else {
                "unavailable"
            },
        );
    }

    /// Records a call that a program may not make, because the tool is not read-only.
    #[cfg(feature = "code")]
    pub(crate) fn record_not_read_only(&self, entry: &CatalogEntry) {
        self.record_refusal(entry, "not_read_only");
    }

    fn record_refusal(&self, entry: &CatalogEntry, reason: &'static str) {
        // The span is named after the tool only now: an unknown name must not enter it.
        self.set_tool(entry);
        if self.is_recorded(Level::INFO) {
            self.emit(&AuditEventKind::Refused {
                tool: tool_ref(entry),
                reason,
            });
        }
    }

    /// Counts an invalid ticket, regardless of whether the call was refused for it.
    pub(crate) fn record_bad_ticket(&self) {
        // Metrics only, because a refusal is an event by itself.
        if let Some(metrics) = self.metrics() {
            metrics.ticket_refused();
        }
    }

    /// Records the end of a program.
    #[cfg(feature = "code")]
    pub(crate) fn record_ran(&self, outcome: CallOutcome, duration: Duration, calls: usize) {
        if self.is_recorded(Level::DEBUG) {
            self.emit(&AuditEventKind::Ran {
                outcome,
                duration,
                calls,
            });
        }
    }

    /// Records that a limit was reached. The limit's name is a constant, never a caller's text.
    pub(crate) fn record_limited(&self, limit: &'static str) {
        if self.is_recorded(Level::INFO) {
            self.emit(&AuditEventKind::Limited { limit });
        }
    }

    fn metrics(&self) -> Option<&'a Metrics> {
        self.0
            .and_then(|sighting| sighting.observer.listeners.metrics.as_ref())
    }

    /// Returns whether metrics, audit or the log take an event of this level.
    fn is_recorded(&self, level: Level) -> bool {
        self.metrics().is_some() || self.is_logged(level)
    }

    /// Returns whether audit or the log take an event of this level. Metrics count events without
    /// their contents.
    fn is_logged(&self, level: Level) -> bool {
        self.0.is_some_and(|sighting| {
            sighting.observer.listeners.audit.is_some() || tracing_events::is_enabled(level)
        })
    }

    /// Returns the part of a caller's text that an event may contain; `None` unless the server
    /// records queries.
    fn text<'b>(&self, text: &'b str) -> Option<&'b str> {
        let wanted = self
            .0
            .is_some_and(|sighting| sighting.observer.listeners.detail.queries);
        wanted.then(|| first_chars(text, TEXT_MAX))
    }

    /// Sends an event to all listeners.
    fn emit(&self, what: &AuditEventKind<'_>) {
        let Some(RecordingScope {
            observer,
            request,
            caller,
            session,
            run,
        }) = self.0
        else {
            return;
        };
        // Metrics count an event even if nothing takes its contents.
        if let Some(metrics) = &observer.listeners.metrics {
            metrics.record_event(what, request.surface);
        }
        if !self.is_logged(tracing_events::level(what)) {
            return;
        }
        // A pseudonym is a keyed hash, so it is computed only for an event that is sent.
        let principal = caller
            .authority
            .principal()
            .map(|principal| observer.name_of(principal));
        let event = Event {
            time: SystemTime::now(),
            kind: what.clone(),
            era: caller.era,
            surface: request.surface,
            principal: principal.as_deref(),
            session: session.map(|session| session.number),
            run,
            trace_id: request.trace_id(),
        };
        observer.send(&event);
    }
}

fn disclosed_tool(entry: &CatalogEntry, form: CostForm) -> DisclosedTool<'_> {
    DisclosedTool {
        name: entry.name(),
        digest: entry.digest_text(),
        tokens: entry.cost(form),
    }
}

fn tool_ref(entry: &CatalogEntry) -> ToolRef<'_> {
    ToolRef {
        name: entry.name(),
        digest: entry.digest_text(),
    }
}
