//! One line of an audit log, with the members that are counted.

use crate::text::truncate::first_bytes;
use serde::Deserialize;
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    io::{BufRead, Read},
};

/// The limit on a line, in bytes. A server drops an event that is longer than its queue.
const LINE_BYTES: u64 = 16 * 1024 * 1024;

/// The limit on a query, in bytes. The rest of a longer query is not read.
const QUERY_BYTES: usize = 500;

/// One event. Unknown members from other versions are ignored.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct AuditRecord {
    pub(super) event: String,
    pub(super) time: String,
    pub(super) wire: String,
    pub(super) tool: String,
    pub(super) tools: Vec<AuditToolName>,
    pub(super) by: String,
    pub(super) reason: String,
    pub(super) outcome: String,
    /// Why the call ran although its description was not read in the session.
    pub(super) undisclosed: String,
    pub(super) seconds: Option<f64>,
    pub(super) count: usize,
    /// The query of a search that found tools.
    pub(super) query: Option<String>,
    /// The query of a search that found nothing, or the name of an unknown tool.
    text: Option<String>,
    session: Option<u64>,
    trace_id: Option<String>,
    principal: Option<String>,
}

/// A tool in a list.
#[derive(Debug, Deserialize)]
pub(super) struct AuditToolName {
    pub(super) tool: String,
}

impl AuditRecord {
    /// Returns a key for the conversation of the event: the session, otherwise the trace, otherwise
    /// the principal.
    pub(super) fn conversation(&self) -> Option<u64> {
        // The narrowest first: a principal may have several sessions at once.
        let known = (self.session, &self.trace_id, &self.principal);
        let key = match known {
            // The number keeps equal values of different kinds apart.
            (Some(session), ..) => hash((0, session)),
            (_, Some(trace), _) => hash((1, trace)),
            (.., Some(principal)) => hash((2, principal)),
            _ => return None,
        };
        Some(key)
    }

    /// Returns a key for the caller, if the log knows it.
    pub(super) fn caller(&self) -> Option<u64> {
        self.principal.as_ref().map(hash)
    }

    /// Returns a key for the surface of the event.
    pub(super) fn surface(&self) -> u64 {
        hash(&self.wire)
    }

    /// Returns the beginning of a search's query, if the file has queries.
    pub(super) fn short_query(&self) -> Option<&str> {
        let query = self
            .query
            .as_ref()
            .or_else(|| self.text.as_ref().filter(|_| self.is_fruitless_search()));
        query.map(|query| first_bytes(query, QUERY_BYTES))
    }

    pub(super) fn is_search(&self) -> bool {
        self.event == "found" || self.is_fruitless_search()
    }

    pub(super) fn is_fruitless_search(&self) -> bool {
        self.event == "missed" && self.by == "query"
    }

    pub(super) fn is_call(&self) -> bool {
        self.event == "called"
    }

    /// Returns whether a call returned a result, or continues without an error.
    pub(super) fn has_succeeded(&self) -> bool {
        self.is_call() && matches!(self.outcome.as_str(), "done" | "continues")
    }

    /// Returns whether a call returned an error, or was not run because of invalid arguments.
    pub(super) fn has_failed(&self) -> bool {
        self.is_call() && matches!(self.outcome.as_str(), "failed" | "invalid")
    }

    /// Returns the duration of a call that ran, in seconds. Invalid calls end at once, and would
    /// make a tool look faster than it is.
    pub(super) fn latency(&self) -> Option<f64> {
        self.seconds
            .filter(|_| self.is_call() && self.outcome != "invalid")
    }
}

/// Reads the events of a file one by one. `None` stands for a line that is not an event.
///
/// # Errors
///
/// Returns the errors of reading.
pub(super) fn for_each(
    mut file: impl BufRead,
    mut read_event: impl FnMut(Option<&AuditRecord>),
) -> std::io::Result<()> {
    let mut line = Vec::new();
    while (&mut file).take(LINE_BYTES).read_until(b'\n', &mut line)? > 0 {
        // A server that was stopped leaves half a line, and other versions write other events.
        // Neither hides the rest of the file.
        let is_too_long = line.len() as u64 == LINE_BYTES && line.last() != Some(&b'\n');
        if is_too_long {
            file.skip_until(b'\n')?;
        }
        let event = serde_json::from_slice::<AuditRecord>(&line)
            .ok()
            .filter(|_| !is_too_long);
        read_event(event.as_ref());
        line.clear();
    }
    Ok(())
}

// The keys are compared within one run only, so the hasher needs no stable output.
fn hash<T: Hash>(key: T) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use std::io::BufReader;

    #[test]
    fn a_line_without_an_end_hides_no_event() {
        let event = b"{\"event\":\"called\"}\n".as_slice();
        let endless = std::io::repeat(b'x').take(2 * LINE_BYTES + 7);
        let mut events = Vec::new();
        let file = BufReader::new(event.chain(endless).chain(b"\n".as_slice()).chain(event));
        for_each(file, |event| events.push(event.map(AuditRecord::is_call))).unwrap();
        assert_eq!(events, [Some(true), None, Some(true)]);
    }
}
