//! Counts of the events of each tool.

use super::{
    conversations::ConversationMap,
    frequent::FrequentTexts,
    latency::LatencyHistogram,
    record::AuditRecord,
    searches::SearchTally,
    timeline::{PeriodCounts, Timeline},
};
use serde::Serialize;
use std::collections::{HashMap, HashSet};

/// The maximum number of tools in memory. Events of further tools are counted together.
const TOOLS_MAX: usize = 20_000;

/// The limit on the name of a tool, in bytes. MCP names have at most 128 characters.
const NAME_BYTES: usize = 512;

/// The maximum number of hits that are remembered for a search.
const HITS_MAX: usize = 100;

/// The maximum number of different reasons and outcomes. Servers write fewer.
const REASONS_MAX: usize = 50;

/// The counts of one tool.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub(in crate::cli) struct ToolCounts {
    pub(in crate::cli) listed: usize,
    pub(in crate::cli) found: usize,
    /// Searches in which the tool was the best hit.
    pub(in crate::cli) first: usize,
    /// The best rank, from 1; `None` if no search found the tool.
    pub(in crate::cli) best_rank: Option<usize>,
    /// Searches that found the tool, after which another tool was described or called.
    pub(in crate::cli) passed_over: usize,
    pub(in crate::cli) described: usize,
    pub(in crate::cli) refused: usize,
    /// Refused calls of a tool with a change that waits for a person's approval.
    pub(in crate::cli) held: usize,
    pub(in crate::cli) called: usize,
    /// Calls that returned a result, or continue without an error.
    pub(in crate::cli) succeeded: usize,
    /// Calls that returned an error, or were not run because of invalid arguments.
    pub(in crate::cli) failed: usize,
}

/// The counts of one tool, and the durations of its calls.
#[derive(Debug, Default)]
pub(super) struct ToolTally {
    pub(super) counts: ToolCounts,
    pub(super) latency: LatencyHistogram,
}

/// The counts of a file.
#[derive(Debug)]
pub(super) struct AuditTally {
    names: Vec<String>,
    places: HashMap<String, usize>,
    tools: Vec<ToolTally>,
    conversations: ConversationMap<ConversationTally>,
    about: Option<String>,
    /// The tools that were chosen although the search found the tool in `about`, with counts.
    instead: HashMap<usize, usize>,
    pub(super) searches: SearchTally,
    pub(super) timeline: Timeline,
    /// The refused calls by reason.
    pub(super) refusals: FrequentTexts,
    /// The calls by outcome.
    pub(super) outcomes: FrequentTexts,
    /// The calls without a description that was read in the session, by reason.
    pub(super) undisclosed: FrequentTexts,
    pub(super) unknown: usize,
    pub(super) dropped: usize,
    pub(super) unread: usize,
    /// The events of tools beyond the limits.
    pub(super) uncounted: usize,
}

/// The state of a conversation.
#[derive(Debug, Default)]
struct ConversationTally {
    /// The hits of the last search, until the client chooses a tool.
    found: HashSet<usize>,
    surface: u64,
}

impl AuditTally {
    pub(super) fn new(about: Option<&str>) -> Self {
        Self {
            names: Vec::new(),
            places: HashMap::new(),
            tools: Vec::new(),
            conversations: ConversationMap::default(),
            about: about.map(str::to_owned),
            instead: HashMap::new(),
            searches: SearchTally::default(),
            timeline: Timeline::default(),
            refusals: FrequentTexts::new(REASONS_MAX),
            outcomes: FrequentTexts::new(REASONS_MAX),
            undisclosed: FrequentTexts::new(REASONS_MAX),
            unknown: 0,
            dropped: 0,
            unread: 0,
            uncounted: 0,
        }
    }

    /// Returns the tools in the order of their first event.
    pub(super) fn tools(&self) -> impl Iterator<Item = (&str, &ToolTally)> {
        self.names.iter().map(String::as_str).zip(&self.tools)
    }

    pub(super) fn tool(&self, name: &str) -> Option<&ToolCounts> {
        Some(&self.tools.get(*self.places.get(name)?)?.counts)
    }

    /// Returns the tools that were chosen instead of the tool in `about`, most frequent first.
    pub(super) fn instead(&self) -> Vec<(&str, usize)> {
        let named = self.instead.iter();
        let named =
            named.filter_map(|(place, count)| Some((self.names.get(*place)?.as_str(), *count)));
        let mut instead: Vec<_> = named.collect();
        instead.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
        instead
    }

    pub(super) fn record(&mut self, record: &AuditRecord) {
        self.record_period(record);
        match record.event.as_str() {
            "listed" => record
                .tools
                .iter()
                .for_each(|named| self.count(&named.tool, |tool| tool.listed += 1)),
            "found" => self.record_hits(record),
            "missed" if record.by == "query" => self.searches.record_fruitless(record),
            "missed" => self.unknown += 1,
            "described" => {
                self.count(&record.tool, |tool| tool.described += 1);
                self.record_choice(record);
            }
            "refused" => self.record_refusal(record),
            "called" => self.record_call(record),
            // The number comes from the file, which anyone may have written.
            "dropped" => self.dropped = self.dropped.saturating_add(record.count),
            // Each call of a program is another event, which is counted.
            "limited" | "ran" => {}
            _ => self.unread += 1,
        }
    }

    fn record_period(&mut self, record: &AuditRecord) {
        let event = PeriodCounts {
            calls: usize::from(record.is_call()),
            failed: usize::from(record.has_failed()),
            refused: usize::from(record.event == "refused"),
            searches: usize::from(record.is_search()),
            fruitless: usize::from(record.is_fruitless_search()),
        };
        // The time of a list would only lengthen the timeline.
        if event != PeriodCounts::default() {
            self.timeline.record(&record.time, event, record.latency());
        }
    }

    fn record_refusal(&mut self, record: &AuditRecord) {
        self.refusals.record(&record.reason);
        self.count(&record.tool, |tool| {
            tool.refused += 1;
            tool.held += usize::from(record.reason == "held");
        });
        self.record_choice(record);
    }

    fn record_call(&mut self, record: &AuditRecord) {
        self.outcomes.record(&record.outcome);
        // A call after its description has no reason.
        if !record.undisclosed.is_empty() {
            self.undisclosed.record(&record.undisclosed);
        }
        self.searches.record_call(record);
        self.count(&record.tool, |tool| {
            tool.called += 1;
            tool.succeeded += usize::from(record.has_succeeded());
            tool.failed += usize::from(record.has_failed());
        });
        // After `count`, which adds a tool that is new.
        let tool = self
            .places
            .get(&record.tool)
            .and_then(|place| self.tools.get_mut(*place));
        if let Some((tool, seconds)) = tool.zip(record.latency()) {
            tool.latency.record(seconds);
        }
        self.record_choice(record);
    }

    fn record_hits(&mut self, record: &AuditRecord) {
        self.searches.record_found(record);
        for (rank, named) in (1..).zip(&record.tools) {
            self.count(&named.tool, |tool| {
                tool.found += 1;
                tool.first += usize::from(rank == 1);
                tool.best_rank = Some(tool.best_rank.map_or(rank, |best| best.min(rank)));
            });
        }
        // A new search replaces the hits of the previous one, which the client then gave up.
        // Counting has given each tool its place.
        let places = record
            .tools
            .iter()
            .filter_map(|named| self.places.get(&named.tool).copied());
        let found = places.take(HITS_MAX).collect();
        // Without a conversation, it is unknown which search led to a choice.
        if let Some(key) = record.conversation() {
            *self.conversations.entry(key).0 = ConversationTally {
                found,
                surface: record.surface(),
            };
        }
    }

    /// Records that a client described or called a tool. The other hits of the preceding search
    /// were passed over.
    fn record_choice(&mut self, record: &AuditRecord) {
        let Some(place) = self.places.get(&record.tool).copied() else {
            return;
        };
        let Some(conversation) = record
            .conversation()
            .and_then(|key| self.conversations.get_mut(key))
        else {
            return;
        };
        // A search that includes descriptions reports them on its own surface. The client has not
        // chosen a tool yet.
        if conversation.surface == record.surface() {
            return;
        }
        for other in std::mem::take(&mut conversation.found)
            .into_iter()
            .filter(|other| *other != place)
        {
            if let Some(tool) = self.tools.get_mut(other) {
                tool.counts.passed_over += 1;
            }
            if self.names.get(other) == self.about.as_ref() {
                *self.instead.entry(place).or_default() += 1;
            }
        }
    }

    /// Ends the file.
    pub(super) fn finish(&mut self) {
        self.searches.finish();
    }

    /// Changes the counts of a tool.
    fn count(&mut self, name: &str, change: impl FnOnce(&mut ToolCounts)) {
        match self.place(name).and_then(|place| self.tools.get_mut(place)) {
            Some(tool) => change(&mut tool.counts),
            None => self.uncounted += 1,
        }
    }

    /// Returns the place of a tool, or `None` if it is beyond the limits.
    fn place(&mut self, name: &str) -> Option<usize> {
        if let Some(place) = self.places.get(name) {
            return Some(*place);
        }
        // Names come from the file. Without limits, forged ones would fill the memory.
        if self.tools.len() == TOOLS_MAX || name.len() > NAME_BYTES {
            return None;
        }
        self.places.insert(name.to_owned(), self.tools.len());
        self.names.push(name.to_owned());
        self.tools.push(ToolTally::default());
        Some(self.tools.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        reason = "a test fails by panicking"
    )]

    use super::*;
    use serde_json::{Value, json};

    fn tallied(events: &[Value]) -> AuditTally {
        let mut tally = AuditTally::new(Some("log"));
        for event in events {
            tally.record(&serde_json::from_value(event.clone()).unwrap());
        }
        tally
    }

    fn found(session: u64, tools: &[&str]) -> Value {
        let tools: Vec<_> = tools.iter().map(|tool| json!({ "tool": tool })).collect();
        json!({ "event": "found", "session": session, "wire": "find_tools", "tools": tools })
    }

    #[test]
    fn what_was_found_and_not_chosen_was_passed_over() {
        let described = |session, tool, wire| json!({ "event": "described", "session": session, "tool": tool, "wire": wire });
        let tally = tallied(&[
            found(1, &["show", "log"]),
            described(1, "show", "find_tools"),
            found(2, &["log"]),
            json!({ "event": "called", "session": 1, "tool": "show", "wire": "tools/call", "outcome": "done" }),
            described(1, "blame", "tools/describe"),
            described(2, "log", "tools/describe"),
            found(2, &["log", "show"]),
            json!({ "event": "refused", "session": 2, "tool": "blame", "wire": "tools/call" }),
        ]);
        let log = tally.tool("log").unwrap();
        let expected = ToolCounts {
            found: 3,
            first: 2,
            best_rank: Some(1),
            passed_over: 2,
            described: 1,
            ..ToolCounts::default()
        };
        assert_eq!(*log, expected);
        assert_eq!(tally.instead(), [("blame", 1), ("show", 1)]);
        assert_eq!(
            tally.tool("show").unwrap().passed_over,
            1,
            "in session 1 it was chosen"
        );
    }

    #[test]
    fn where_nobody_can_be_told_apart_nothing_is_passed_over() {
        let anonymous =
            json!({ "event": "found", "wire": "find_tools", "tools": [{ "tool": "log" }] });
        let tally = tallied(&[
            anonymous,
            json!({ "event": "called", "tool": "show", "wire": "tools/call" }),
        ]);
        assert_eq!(tally.tool("log").unwrap().passed_over, 0);
    }

    #[test]
    fn calls_are_counted_by_outcome_and_refusals_by_reason() {
        let call = |outcome, seconds| json!({ "event": "called", "tool": "log", "outcome": outcome, "seconds": seconds, "time": "2026-07-28T12:00:00Z" });
        let tally = tallied(&[
            call("done", 0.1),
            call("done", 0.1),
            call("continues", 0.1),
            call("failed", 9.0),
            call("invalid", 0.0),
            json!({ "event": "refused", "tool": "log", "reason": "outdated" }),
        ]);
        let (_, log) = tally.tools().next().unwrap();
        assert_eq!(
            (log.counts.called, log.counts.succeeded, log.counts.failed),
            (5, 3, 2)
        );
        assert!(
            (log.latency.summary().unwrap().p50_seconds - 0.1).abs() < 0.01,
            "an invalid call did not run"
        );
        let counts = |texts: &FrequentTexts| {
            texts
                .top(9)
                .into_iter()
                .map(|text| text.count)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            (counts(&tally.outcomes), counts(&tally.refusals)),
            (vec![2, 1, 1, 1], vec![1])
        );
        let timeline = tally.timeline.summary();
        assert_eq!(
            (timeline.periods[0].counts.failed, timeline.undated_events),
            (2, 1)
        );
    }

    #[test]
    fn forged_tools_do_not_pile_up() {
        let mut tally = AuditTally::new(None);
        for number in 0..TOOLS_MAX + 10 {
            let event = json!({ "event": "called", "tool": format!("tool{number}"), "session": 1 });
            tally.record(&serde_json::from_value(event).unwrap());
        }
        let long = json!({ "event": "listed", "tools": [{ "tool": "x".repeat(NAME_BYTES + 1) }] });
        tally.record(&serde_json::from_value(long).unwrap());
        assert_eq!((tally.tools.len(), tally.uncounted), (TOOLS_MAX, 11));
    }
}
