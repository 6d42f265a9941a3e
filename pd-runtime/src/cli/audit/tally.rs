//! Counts of the events of each tool.

use super::record::AuditRecord;
use serde::Serialize;
use std::collections::{HashMap, HashSet, VecDeque};

/// The maximum number of conversations in memory. The oldest one is dropped first.
const CONVERSATIONS_MAX: usize = 10_000;

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
    /// Refused calls of a tool whose change waits for a person's approval.
    pub(in crate::cli) held: usize,
    pub(in crate::cli) called: usize,
    /// Calls that returned an error, or were not run because of invalid arguments.
    pub(in crate::cli) failed: usize,
}

/// The counts of a file.
#[derive(Debug, Default)]
pub(super) struct AuditTally {
    names: Vec<String>,
    places: HashMap<String, usize>,
    tools: Vec<ToolCounts>,
    conversations: HashMap<u64, ConversationTally>,
    /// Conversations in the order of their first event.
    begun: VecDeque<u64>,
    about: Option<String>,
    /// The tools that were chosen although the search found the tool in `about`, with counts.
    instead: HashMap<usize, usize>,
    pub(super) fruitless: usize,
    pub(super) unknown: usize,
    pub(super) dropped: usize,
    pub(super) unread: usize,
}

/// The state of a conversation.
#[derive(Debug, Default)]
struct ConversationTally {
    /// The hits of the last search, until the client chooses a tool.
    found: HashSet<usize>,
    wire: String,
}

impl AuditTally {
    pub(super) fn new(about: Option<&str>) -> Self {
        Self { about: about.map(str::to_owned), ..Self::default() }
    }

    /// Returns the tools in the order of their first event.
    pub(super) fn tools(&self) -> impl Iterator<Item = (&str, &ToolCounts)> {
        self.names.iter().map(String::as_str).zip(&self.tools)
    }

    pub(super) fn tool(&self, name: &str) -> Option<&ToolCounts> {
        self.tools.get(*self.places.get(name)?)
    }

    /// Returns the tools that were chosen instead of the tool in `about`, most frequent first.
    pub(super) fn instead(&self) -> Vec<(&str, usize)> {
        let named = |(place, count): (&usize, &usize)| Some((self.names.get(*place)?.as_str(), *count));
        let mut instead: Vec<_> = self.instead.iter().filter_map(named).collect();
        instead.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
        instead
    }

    pub(super) fn record(&mut self, record: &AuditRecord) {
        match record.event.as_str() {
            "listed" => record.tools.iter().for_each(|named| self.counts_mut(&named.tool).listed += 1),
            "found" => self.record_hits(record),
            "missed" if record.by == "query" => self.fruitless += 1,
            "missed" => self.unknown += 1,
            "described" => {
                self.counts_mut(&record.tool).described += 1;
                self.record_choice(record);
            }
            "refused" => {
                let counts = self.counts_mut(&record.tool);
                counts.refused += 1;
                counts.held += usize::from(record.reason == "held");
                self.record_choice(record);
            }
            "called" => {
                let tool = self.counts_mut(&record.tool);
                tool.called += 1;
                tool.failed += usize::from(matches!(record.outcome.as_str(), "failed" | "invalid"));
                self.record_choice(record);
            }
            "dropped" => self.dropped += record.count,
            "limited" => {}
            _ => self.unread += 1,
        }
    }

    fn record_hits(&mut self, record: &AuditRecord) {
        for (rank, named) in (1..).zip(&record.tools) {
            let tool = self.counts_mut(&named.tool);
            tool.found += 1;
            tool.first += usize::from(rank == 1);
            tool.best_rank = Some(tool.best_rank.map_or(rank, |best| best.min(rank)));
        }
        // A new search replaces the hits of the previous one, which the client then gave up.
        let found = record.tools.iter().map(|named| self.place(&named.tool)).collect();
        if let Some(conversation) = self.conversation(record) {
            *conversation = ConversationTally { found, wire: record.wire.clone() };
        }
    }

    /// Records that a client described or called a tool. The other hits of the preceding search
    /// were passed over.
    fn record_choice(&mut self, record: &AuditRecord) {
        let place = self.place(&record.tool);
        let Some(conversation) = record.conversation().and_then(|key| self.conversations.get_mut(&key)) else { return };
        // A search that includes descriptions reports them on its own surface. The client has not
        // chosen a tool yet.
        if conversation.wire == record.wire {
            return;
        }
        for other in std::mem::take(&mut conversation.found).into_iter().filter(|other| *other != place) {
            if let Some(tool) = self.tools.get_mut(other) {
                tool.passed_over += 1;
            }
            if self.names.get(other) == self.about.as_ref() {
                *self.instead.entry(place).or_default() += 1;
            }
        }
    }

    fn conversation(&mut self, record: &AuditRecord) -> Option<&mut ConversationTally> {
        let key = record.conversation()?;
        if !self.conversations.contains_key(&key) {
            // Without a bound, a long file with many short sessions would fill the memory.
            if self.begun.len() == CONVERSATIONS_MAX
                && let Some(first) = self.begun.pop_front()
            {
                self.conversations.remove(&first);
            }
            self.begun.push_back(key);
        }
        Some(self.conversations.entry(key).or_default())
    }

    fn place(&mut self, name: &str) -> usize {
        if let Some(place) = self.places.get(name) {
            return *place;
        }
        self.places.insert(name.to_owned(), self.tools.len());
        self.names.push(name.to_owned());
        self.tools.push(ToolCounts::default());
        self.tools.len() - 1
    }

    fn counts_mut(&mut self, name: &str) -> &mut ToolCounts {
        let place = self.place(name);
        #[expect(clippy::indexing_slicing, reason = "`place` has just made it")]
        &mut self.tools[place]
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

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
        let described =
            |session, tool, wire| json!({ "event": "described", "session": session, "tool": tool, "wire": wire });
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
        assert_eq!(tally.tool("show").unwrap().passed_over, 1, "in session 1 it was chosen");
    }

    #[test]
    fn where_nobody_can_be_told_apart_nothing_is_passed_over() {
        let anonymous = json!({ "event": "found", "wire": "find_tools", "tools": [{ "tool": "log" }] });
        let tally = tallied(&[anonymous, json!({ "event": "called", "tool": "show", "wire": "tools/call" })]);
        assert_eq!(tally.tool("log").unwrap().passed_over, 0);
    }

    #[test]
    fn conversations_do_not_pile_up() {
        let mut tally = AuditTally::default();
        for session in 0..3 * CONVERSATIONS_MAX as u64 {
            tally.record(&serde_json::from_value(found(session, &["log"])).unwrap());
        }
        assert_eq!((tally.conversations.len(), tally.begun.len()), (CONVERSATIONS_MAX, CONVERSATIONS_MAX));
        assert_eq!(tally.tool("log").unwrap().found, 3 * CONVERSATIONS_MAX);
    }
}
