//! Counts of searches, and the queries of searches without a call after them.

use super::{
    conversations::ConversationMap,
    frequent::{FrequentTexts, TextCount},
    record::AuditRecord,
};
use serde::Serialize;

/// The maximum number of different queries in memory, for each kind of search.
const QUERIES_MAX: usize = 5_000;

/// The number of queries to report, for each kind of search.
const QUERIES_REPORTED: usize = 50;

/// The searches of a file.
#[derive(Debug)]
pub(super) struct SearchTally {
    total: usize,
    fruitless: usize,
    without_call: usize,
    without_conversation: usize,
    has_queries: bool,
    fruitless_queries: FrequentTexts,
    queries_without_call: FrequentTexts,
    /// The search in each conversation that no call has followed yet.
    open: ConversationMap<Option<OpenSearch>>,
}

/// A search that found tools, with its query if the file has queries.
#[derive(Debug)]
struct OpenSearch {
    query: Option<String>,
}

/// The counts of searches. A search is fruitless, or without a call, or it led to a call, unless
/// its conversation is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(in crate::cli) struct SearchCounts {
    pub(in crate::cli) total: usize,
    /// The searches that found no tool.
    pub(in crate::cli) fruitless: usize,
    /// The searches that found tools, and that no call followed before the next search of the
    /// conversation or the end of the file.
    pub(in crate::cli) without_call: usize,
    /// The searches that found tools for a caller without a session, trace or principal. Whether a
    /// call followed is unknown.
    pub(in crate::cli) without_conversation: usize,
    /// Whether the file has the queries (`--audit-detail queries`).
    pub(in crate::cli) has_queries: bool,
    /// The most frequent queries that found no tool.
    pub(in crate::cli) fruitless_queries: Vec<TextCount>,
    /// The most frequent queries of searches without a call.
    pub(in crate::cli) queries_without_call: Vec<TextCount>,
}

impl Default for SearchTally {
    fn default() -> Self {
        Self {
            total: 0,
            fruitless: 0,
            without_call: 0,
            without_conversation: 0,
            has_queries: false,
            fruitless_queries: FrequentTexts::new(QUERIES_MAX),
            queries_without_call: FrequentTexts::new(QUERIES_MAX),
            open: ConversationMap::default(),
        }
    }
}

impl SearchTally {
    /// Records a search that found tools.
    pub(super) fn record_found(&mut self, record: &AuditRecord) {
        // First, because it counts the search itself, with or without a conversation.
        self.close(record);
        self.has_queries |= record.query.is_some();
        let Some(key) = record.conversation() else {
            self.without_conversation += 1;
            return;
        };
        let (open, dropped) = self.open.entry(key);
        *open = Some(OpenSearch {
            query: record.short_query().map(str::to_owned),
        });
        // A conversation that made room has no later events, so its search stays without a call.
        if let Some(dropped) = dropped.flatten() {
            self.give_up(dropped);
        }
    }

    /// Records a search that found nothing.
    pub(super) fn record_fruitless(&mut self, record: &AuditRecord) {
        self.close(record);
        self.fruitless += 1;
        if let Some(query) = record.short_query() {
            self.has_queries = true;
            self.fruitless_queries.record(query);
        }
    }

    /// Records a call: the preceding search led to it.
    pub(super) fn record_call(&mut self, record: &AuditRecord) {
        if let Some(open) = record.conversation().and_then(|key| self.open.get_mut(key)) {
            // The entry stays, because the map drops conversations in the order of their first
            // event.
            *open = None;
        }
    }

    /// Gives up the search that precedes a new one.
    fn close(&mut self, record: &AuditRecord) {
        self.total += 1;
        let before = record
            .conversation()
            .and_then(|key| self.open.get_mut(key)?.take());
        if let Some(before) = before {
            self.give_up(before);
        }
    }

    fn give_up(&mut self, search: OpenSearch) {
        self.without_call += 1;
        if let Some(query) = search.query {
            self.queries_without_call.record(&query);
        }
    }

    /// Ends the file: no call will follow the searches that are open.
    pub(super) fn finish(&mut self) {
        for search in std::mem::take(&mut self.open).into_values().flatten() {
            self.give_up(search);
        }
    }

    pub(super) fn counts(&self) -> SearchCounts {
        SearchCounts {
            total: self.total,
            fruitless: self.fruitless,
            without_call: self.without_call,
            without_conversation: self.without_conversation,
            has_queries: self.has_queries,
            fruitless_queries: self.fruitless_queries.top(QUERIES_REPORTED),
            queries_without_call: self.queries_without_call.top(QUERIES_REPORTED),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use serde_json::{Value, json};

    fn counts(events: &[Value]) -> SearchCounts {
        let mut tally = SearchTally::default();
        for event in events {
            let record: AuditRecord = serde_json::from_value(event.clone()).unwrap();
            match record.event.as_str() {
                "found" => tally.record_found(&record),
                "missed" => tally.record_fruitless(&record),
                _ => tally.record_call(&record),
            }
        }
        tally.finish();
        tally.counts()
    }

    #[test]
    fn searches_without_a_call_are_told_from_the_others() {
        let found =
            |session, query| json!({ "event": "found", "session": session, "query": query });
        let call = |session| json!({ "event": "called", "session": session });
        let missed = |text| json!({ "event": "missed", "by": "query", "session": 2, "text": text });
        let searches = counts(&[
            found(1, "see commits"),
            call(1),
            found(1, "merge"),
            found(2, "merge"),
            missed("teleport"),
            call(2),
            found(1, "rebase"),
            call(3),
            json!({ "event": "found", "query": "anonymous" }),
        ]);
        let text = |text: &str, count| TextCount {
            text: text.to_owned(),
            count,
        };
        let expected = SearchCounts {
            total: 6,
            fruitless: 1,
            without_call: 3,
            without_conversation: 1,
            has_queries: true,
            fruitless_queries: vec![text("teleport", 1)],
            queries_without_call: vec![text("merge", 2), text("rebase", 1)],
        };
        assert_eq!(searches, expected);
    }

    #[test]
    fn a_file_without_queries_says_so() {
        let searches = counts(&[json!({ "event": "found", "session": 1 })]);
        assert!(
            !searches.has_queries
                && searches.queries_without_call.is_empty()
                && searches.without_call == 1
        );
    }
}
