//! Searches and the tools that their callers called next, and tools that callers opened although
//! they then called another one.

use crate::{
    cli::audit::{conversations::ConversationMap, record::AuditRecord},
    search::suggestion::LoggedRequest,
    text::truncate::first_bytes,
};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

/// The maximum number of searches of a conversation that wait for a call.
const OPEN_MAX: usize = 4;

/// The maximum number of hits that are remembered for a search.
const HITS_MAX: usize = 100;

/// The maximum number of tools that a caller opens to choose one of them. A caller who opens more
/// reads everything, and compares nothing.
const OPENED_MAX: usize = 4;

/// The maximum number of different requests in memory.
const REQUESTS_MAX: usize = 20_000;

/// The maximum number of pairs of tools in memory.
const PAIRS_MAX: usize = 5_000;

/// The maximum number of conversations, and of callers, that are told apart for one request.
const KEYS_MAX: usize = 100;

/// The limit on a request, in bytes. Servers record at most 200 characters.
const REQUEST_BYTES: usize = 800;

/// The choices of callers, by searches and by pairs of tools.
#[derive(Debug, Default)]
pub(super) struct CallerChoices {
    requests: BTreeMap<(usize, String), LoggedRequest>,
    pairs: BTreeMap<(usize, usize), PassedOver>,
    conversations: ConversationMap<OpenConversation>,
    callers: HashSet<u64>,
    pub(super) has_queries: bool,
    /// The calls of tools that the server does not have.
    pub(super) unknown: usize,
    /// The searches and pairs beyond the limits.
    pub(super) uncounted: usize,
}

/// A tool that was opened before another one was called instead.
#[derive(Debug, Default, Clone)]
pub(super) struct PassedOver {
    pub(super) times: usize,
    pub(super) conversations: HashSet<u64>,
    pub(super) callers: HashSet<u64>,
}

/// The state of a conversation.
#[derive(Debug, Default)]
struct OpenConversation {
    searches: VecDeque<OpenSearch>,
    /// The tools with a description that was read since the last search, one more than the limit at
    /// most.
    opened: Vec<OpenedTool>,
    keys: EventKeys,
}

/// A tool with a description that was read.
#[derive(Debug)]
struct OpenedTool {
    tool: usize,
    is_called: bool,
    /// The other tool that was called next.
    next: Option<usize>,
}

/// A search that no call has followed yet.
#[derive(Debug)]
struct OpenSearch {
    query: Option<String>,
    /// The tools, best first; `None` for one that the server no longer has.
    hits: Vec<Option<usize>>,
    surface: u64,
}

/// The conversation of an event, and its caller if the log knows it.
#[derive(Debug, Default, Clone, Copy)]
struct EventKeys {
    conversation: u64,
    caller: Option<u64>,
}

impl OpenSearch {
    fn new(record: &AuditRecord, places: &HashMap<&str, usize>) -> Self {
        let hits = record
            .tools
            .iter()
            .take(HITS_MAX)
            .map(|named| places.get(named.tool.as_str()).copied());
        Self {
            query: record.short_query().map(str::to_owned),
            hits: hits.collect(),
            surface: record.surface(),
        }
    }

    fn rank_of(&self, tool: usize) -> Option<usize> {
        self.hits
            .iter()
            .position(|hit| *hit == Some(tool))
            .map(|rank| rank + 1)
    }
}

impl CallerChoices {
    /// Records an event. `places` has the tools of the server by name.
    pub(super) fn record(&mut self, record: &AuditRecord, places: &HashMap<&str, usize>) {
        let Some(conversation) = record.conversation() else {
            return;
        };
        let keys = EventKeys {
            conversation,
            caller: record.caller(),
        };
        if record.is_search() {
            return self.record_search(keys, OpenSearch::new(record, places));
        }
        let Some(tool) = places.get(record.tool.as_str()).copied() else {
            self.unknown += usize::from(record.is_call());
            return;
        };
        match record.event.as_str() {
            "described" | "refused" => self.record_opened(keys, tool, record.surface()),
            // A tool with a failed call may be the wrong one.
            "called" if record.has_succeeded() => self.record_call(keys, tool),
            _ => {}
        }
    }

    fn record_search(&mut self, keys: EventKeys, search: OpenSearch) {
        self.has_queries |= search.query.is_some();
        let (open, dropped) = self.conversations.entry(keys.conversation);
        open.keys = keys;
        // A new search ends the choice between the tools that were opened.
        let opened = std::mem::take(&mut open.opened);
        open.searches.push_back(search);
        // A caller who searches on and on has given up the oldest request.
        if open.searches.len() > OPEN_MAX {
            open.searches.pop_front();
        }
        self.count_passed_over(keys, &opened);
        self.end(dropped);
    }

    /// Records that a caller read a description. A search that includes descriptions reports them
    /// on its own surface, where the caller has not chosen anything yet.
    fn record_opened(&mut self, keys: EventKeys, tool: usize, surface: u64) {
        let (open, dropped) = self.conversations.entry(keys.conversation);
        open.keys = keys;
        let is_part_of_search = open
            .searches
            .back()
            .is_some_and(|search| search.surface == surface);
        let is_new = open.opened.iter().all(|opened| opened.tool != tool);
        // One more than the limit is kept, as the mark of a caller who reads everything.
        if !is_part_of_search && is_new && open.opened.len() <= OPENED_MAX {
            open.opened.push(OpenedTool {
                tool,
                is_called: false,
                next: None,
            });
        }
        self.end(dropped);
    }

    fn record_call(&mut self, keys: EventKeys, tool: usize) {
        let Some(open) = self.conversations.get_mut(keys.conversation) else {
            return;
        };
        for opened in &mut open.opened {
            // A tool that is called later was not passed over.
            opened.is_called |= opened.tool == tool;
            // The first call only. Later ones may belong to another task.
            opened.next.get_or_insert(tool);
        }
        for search in open.take_searches_for(tool) {
            self.count_request(keys, tool, &search);
        }
    }

    fn count_request(&mut self, keys: EventKeys, tool: usize, search: &OpenSearch) {
        let Some(query) = &search.query else { return };
        // Requests that differ in white space alone are one request.
        let text = first_bytes(query, REQUEST_BYTES)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let key = (tool, text);
        // At the limit, a known request still counts, because it takes no more memory.
        if self.requests.len() == REQUESTS_MAX && !self.requests.contains_key(&key) {
            self.uncounted += 1;
            return;
        }
        let text = key.1.clone();
        let request = self.requests.entry(key).or_insert_with(|| LoggedRequest {
            text,
            tool,
            ..LoggedRequest::default()
        });
        request.searches += 1;
        // A tool that was not found ranks behind every tool that was.
        *request
            .ranks
            .entry(search.rank_of(tool).unwrap_or(usize::MAX))
            .or_default() += 1;
        insert(&mut request.conversations, Some(keys.conversation));
        insert(&mut request.callers, keys.caller);
        self.callers
            .extend(keys.caller.filter(|_| self.callers.len() < KEYS_MAX));
    }

    fn count_passed_over(&mut self, keys: EventKeys, opened: &[OpenedTool]) {
        if opened.len() > OPENED_MAX {
            return;
        }
        let passed_over = opened.iter().filter(|opened| !opened.is_called);
        for pair in passed_over.filter_map(|opened| Some((opened.tool, opened.next?))) {
            // As for requests: a known pair still counts.
            if self.pairs.len() == PAIRS_MAX && !self.pairs.contains_key(&pair) {
                self.uncounted += 1;
                continue;
            }
            let passed = self.pairs.entry(pair).or_default();
            passed.times += 1;
            insert(&mut passed.conversations, Some(keys.conversation));
            insert(&mut passed.callers, keys.caller);
            self.callers
                .extend(keys.caller.filter(|_| self.callers.len() < KEYS_MAX));
        }
    }

    fn end(&mut self, conversation: Option<OpenConversation>) {
        if let Some(OpenConversation { opened, keys, .. }) = conversation {
            self.count_passed_over(keys, &opened);
        }
    }

    /// Ends the file: no call will follow.
    pub(super) fn finish(&mut self) {
        for conversation in std::mem::take(&mut self.conversations).into_values() {
            self.end(Some(conversation));
        }
    }

    /// Returns the different searches with the tools that were called, and forgets them.
    pub(super) fn take_requests(&mut self) -> Vec<LoggedRequest> {
        std::mem::take(&mut self.requests).into_values().collect()
    }

    /// Returns the pairs of an opened tool and the one that was called instead.
    pub(super) fn pairs(&self) -> impl Iterator<Item = ((usize, usize), &PassedOver)> {
        self.pairs.iter().map(|(pair, passed)| (*pair, passed))
    }

    /// Returns the number of callers that the log knows, up to a limit.
    pub(super) fn callers(&self) -> usize {
        self.callers.len()
    }
}

impl OpenConversation {
    /// Removes the searches that led to a call of this tool: the latest one that found the tool,
    /// otherwise the latest one without an opened hit, and before it all searches without any hit.
    fn take_searches_for(&mut self, tool: usize) -> Vec<OpenSearch> {
        let searches = self.searches.iter();
        let found = searches
            .clone()
            .rposition(|search| search.rank_of(tool).is_some());
        let last = self.searches.len().checked_sub(1);
        let last = last.filter(|last| {
            self.searches
                .get(*last)
                .is_some_and(|search| self.has_opened_none_of(search))
        });
        let Some(end) = found.or(last) else {
            return Vec::new();
        };
        // A caller who finds nothing tries other words for the same request.
        let fruitless = (0..end).rev().take_while(|place| {
            self.searches
                .get(*place)
                .is_some_and(|search| search.hits.is_empty())
        });
        let begin = fruitless.last().unwrap_or(end);
        self.searches.drain(begin..=end).collect()
    }

    fn has_opened_none_of(&self, search: &OpenSearch) -> bool {
        !self
            .opened
            .iter()
            .any(|opened| search.rank_of(opened.tool).is_some())
    }
}

/// Adds a key, up to the limit.
fn insert(keys: &mut HashSet<u64>, key: Option<u64>) {
    keys.extend(key.filter(|_| keys.len() < KEYS_MAX));
}

#[cfg(test)]
mod tests;
