//! Reads the lists of an upstream, page by page.

use crate::{
    connection::{Connection, RequestError, era::ServerFacts},
    lists::{list_room::ListRoom, raw_lists::RawLists},
    message::odd_entry::mend_entry,
};
use pd_runtime::upstream::text::truncate::first_chars;
use rmcp::model::{ErrorCode, JsonObject};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use tokio::time::{Instant, timeout_at};

/// The most entries of one list. Further entries are left out.
pub(crate) const ENTRIES_MAX: usize = 5_000;
/// The most pages of one list, against a server with endless cursors.
const PAGES_MAX: usize = 500;
/// The most pages without an entry in a row.
const EMPTY_PAGES_MAX: usize = 3;
/// The names that a server lists twice that are remembered.
const REPEATED_MAX: usize = 100;
/// The characters of a reason in a note.
const REASON_MAX: usize = 300;

/// One list of an upstream.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListKind {
    method: &'static str,
    /// The member of the result that has the entries.
    pub(crate) key: &'static str,
    /// The member of an entry that is its name.
    pub(crate) name: &'static str,
    /// What an entry is.
    noun: &'static str,
}

pub(crate) const TOOLS: ListKind = ListKind {
    method: "tools/list",
    key: "tools",
    name: "name",
    noun: "tool",
};
pub(crate) const PROMPTS: ListKind = ListKind {
    method: "prompts/list",
    key: "prompts",
    name: "name",
    noun: "prompt",
};
pub(crate) const RESOURCES: ListKind = ListKind {
    method: "resources/list",
    key: "resources",
    name: "uri",
    noun: "resource",
};
pub(crate) const TEMPLATES: ListKind = ListKind {
    method: "resources/templates/list",
    key: "resourceTemplates",
    name: "uriTemplate",
    noun: "resource template",
};

/// The entries of one list.
#[derive(Debug, Default)]
pub(crate) struct ReadList {
    pub(crate) entries: Vec<Value>,
    /// The names of entries that differ from an earlier one of the same name.
    pub(crate) repeated: Vec<String>,
    /// Why the list ends, unless the server itself has ended it.
    pub(crate) end: Option<String>,
    /// Whether the server failed, so that it may have more entries.
    pub(crate) is_partial: bool,
}

impl ReadList {
    /// Returns what a person should know of the list.
    fn notes(&self, kind: ListKind) -> impl Iterator<Item = String> {
        let count = self.entries.len();
        let end = self
            .end
            .as_ref()
            .map(|why| format!("its list ends after {count} {}s: {why}", kind.noun));
        let names = self.repeated.iter().filter(move |_| kind.key != TOOLS.key);
        let repeated = names
            .map(move |name| format!("it {}; the first is offered", lists_two(kind.noun, name)));
        end.into_iter().chain(repeated)
    }
}

/// Renders that a server lists a name twice.
pub(crate) fn lists_two(noun: &str, name: &str) -> String {
    format!("lists two {noun}s named `{name}`")
}

/// Reads all lists that the upstream declares, until the deadline.
///
/// # Errors
///
/// Returns an error if the list of tools does not begin.
pub(crate) async fn read_all(
    connection: &Connection,
    facts: &ServerFacts,
    deadline: Instant,
) -> Result<RawLists, RequestError> {
    let mut lists = RawLists::default();
    let mut room = ListRoom::default();
    let mut read = async |kind: ListKind, is_declared: bool| {
        let list = match is_declared {
            true => read(connection, kind, &mut room, deadline).await?,
            false => ReadList::default(),
        };
        lists.notes.extend(list.notes(kind));
        // What is missing of a partial list comes from the former one (`complete_partial`).
        lists.partial.extend(list.is_partial.then_some(kind.key));
        if kind.key == TOOLS.key {
            lists.repeated = list.repeated;
        }
        Ok::<_, RequestError>(list.entries)
    };
    // Tools first and one list after the other, because all lists share one room.
    // Requested even if they are not declared: a server without tools refuses the method, which
    // `read` takes for the end of the list.
    let tools = read(TOOLS, true).await?;
    let prompts = read(PROMPTS, declares(facts, "prompts")).await?;
    let resources = read(RESOURCES, declares(facts, "resources")).await?;
    let templates = read(TEMPLATES, declares(facts, "resources")).await?;
    lists.notes.extend(connection.notes());
    Ok(RawLists {
        tools,
        prompts,
        resources,
        templates,
        ..lists
    })
}

fn declares(facts: &ServerFacts, capability: &str) -> bool {
    facts
        .capabilities
        .get(capability)
        .is_some_and(Value::is_object)
}

/// Reads a list. What was read stays if the server fails later.
async fn read(
    connection: &Connection,
    kind: ListKind,
    room: &mut ListRoom,
    deadline: Instant,
) -> Result<ReadList, RequestError> {
    let mut pages = Pages::new(kind, room);
    let mut cursor = None;
    loop {
        let is_first = pages.count == 0;
        let params =
            JsonObject::from_iter(cursor.take().map(|cursor| ("cursor".to_owned(), cursor)));
        // The request keeps the memory of a large page until the entries were taken.
        let mut sent = connection.send(kind.method, params, None);
        let response = async {
            match &mut sent {
                Ok(sent) => sent.response().await,
                Err(error) => Err(error.clone()),
            }
        };
        // One deadline for all pages: with one for each, 500 slow pages could take hours.
        let page = match timeout_at(deadline, response)
            .await
            .unwrap_or(Err(RequestError::NoAnswer))
        {
            Ok(page) => page,
            // Servers without tools, or without templates, need not know the method.
            Err(RequestError::Refused(error))
                if is_first && error.code == ErrorCode::METHOD_NOT_FOUND.0 =>
            {
                break;
            }
            // Without tools there is nothing to offer. Other lists are less than the tools.
            Err(error) if is_first && kind.key == TOOLS.key => return Err(error),
            Err(error) => {
                pages.fail(&error);
                break;
            }
        };
        cursor = pages.add(page);
        if cursor.is_none() {
            break;
        }
    }
    Ok(pages.list)
}

/// The pages of one list.
struct Pages<'r> {
    kind: ListKind,
    /// The memory that is left for the lists.
    room: &'r mut ListRoom,
    list: ReadList,
    /// The places of the entries, by name.
    places: HashMap<String, usize>,
    cursors: HashSet<String>,
    count: usize,
    empty: usize,
}

impl<'r> Pages<'r> {
    fn new(kind: ListKind, room: &'r mut ListRoom) -> Self {
        Self {
            kind,
            room,
            list: ReadList::default(),
            places: HashMap::new(),
            cursors: HashSet::new(),
            count: 0,
            empty: 0,
        }
    }

    fn fail(&mut self, error: &RequestError) {
        self.list.end = Some(first_chars(&error.to_string(), REASON_MAX).to_owned());
        self.list.is_partial = true;
    }

    fn end(&mut self, why: impl Into<String>) -> Option<Value> {
        self.list.end = Some(why.into());
        None
    }

    /// Adds a page, and returns the cursor of the next one.
    fn add(&mut self, mut page: Value) -> Option<Value> {
        self.count += 1;
        let entries = match page.get_mut(self.kind.key).map(Value::take) {
            Some(Value::Array(entries)) => entries,
            _ => Vec::new(),
        };
        self.empty = if entries.is_empty() {
            self.empty + 1
        } else {
            0
        };
        let before = self.list.entries.len();
        let is_empty = entries.is_empty();
        for entry in entries {
            if let Some(limit) = self.limit(&entry) {
                return self.end(limit);
            }
            self.add_entry(entry);
        }
        // Some servers write `""` or null for the end, and some count in numbers.
        let cursor = page.get_mut("nextCursor").map(Value::take);
        let cursor = cursor.filter(|cursor| {
            cursor.is_number() || cursor.as_str().is_some_and(|text| !text.is_empty())
        })?;
        if !self.cursors.insert(cursor.to_string()) {
            return self.end("the server repeats a cursor");
        }
        // A server that ignores cursors sends the first page again, under a new cursor each time.
        if before == self.list.entries.len() && !is_empty {
            return self.end("the server repeats a page");
        }
        // An empty page can have a successor with entries, so one alone does not end the list.
        if self.empty >= EMPTY_PAGES_MAX {
            return self.end(format!("the server sent {EMPTY_PAGES_MAX} empty pages"));
        }
        if self.count >= PAGES_MAX {
            return self.end(format!("the server has over {PAGES_MAX} pages"));
        }
        Some(cursor)
    }

    /// Returns the limit that one more entry exceeds.
    fn limit(&mut self, entry: &Value) -> Option<String> {
        if self.list.entries.len() >= ENTRIES_MAX {
            return Some(format!(
                "it has over {ENTRIES_MAX}, and the rest is left out"
            ));
        }
        let has_room = self.room.take(entry);
        (!has_room).then(|| {
            "the lists of the server take too much memory, and the rest is left out".to_owned()
        })
    }

    /// Adds an entry. A name belongs to the first entry that has it.
    fn add_entry(&mut self, mut entry: Value) {
        mend_entry(self.kind.key, self.kind.name, &mut entry);
        let Some(name) = entry.get(self.kind.name).and_then(Value::as_str) else {
            self.list.entries.push(entry);
            return;
        };
        let Some(first) = self
            .places
            .get(name)
            .and_then(|place| self.list.entries.get(*place))
        else {
            self.places.insert(name.to_owned(), self.list.entries.len());
            self.list.entries.push(entry);
            return;
        };
        let repeated = &mut self.list.repeated;
        // An equal entry leaves nothing out, so it is not reported.
        if *first != entry
            && repeated.len() < REPEATED_MAX
            && !repeated.iter().any(|known| known == name)
        {
            repeated.push(name.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use serde_json::json;

    fn tool(name: &str, description: &str) -> Value {
        json!({ "name": name, "description": description })
    }

    #[test]
    fn the_first_entry_of_a_name_stays_and_another_one_is_reported() {
        let mut room = ListRoom::default();
        let mut pages = Pages::new(TOOLS, &mut room);
        let tools = [
            tool("get", "v1"),
            tool("get", "v1"),
            tool("put", ""),
            tool("get", "v2"),
            tool("get", "v3"),
        ];
        assert_eq!(pages.add(json!({ "tools": tools })), None);
        assert_eq!(pages.list.entries, [tool("get", "v1"), tool("put", "")]);
        assert_eq!(
            (pages.list.repeated, pages.list.end),
            (vec!["get".to_owned()], None)
        );
    }

    #[test]
    fn cursors_are_texts_or_numbers_and_an_empty_one_is_the_end() {
        for (cursor, is_next) in [
            (json!("a"), true),
            (json!(50), true),
            (json!(0), true),
            (json!(""), false),
            (json!(null), false),
            (json!(false), false),
            (json!({}), false),
        ] {
            let next = Pages::new(TOOLS, &mut ListRoom::default())
                .add(json!({ "tools": [tool("a", "")], "nextCursor": cursor }));
            assert_eq!(next, is_next.then_some(cursor));
        }
    }

    #[test]
    fn pages_that_bring_nothing_new_end_the_list() {
        let page =
            |name: &str, cursor: &str| json!({ "tools": [tool(name, "")], "nextCursor": cursor });
        for (second, why) in [
            (page("b", "1"), "repeats a cursor"),
            (page("a", "2"), "repeats a page"),
        ] {
            let mut room = ListRoom::default();
            let mut pages = Pages::new(TOOLS, &mut room);
            assert!(pages.add(page("a", "1")).is_some());
            assert_eq!(pages.add(second), None);
            assert!(pages.list.end.unwrap().contains(why));
        }
        let mut room = ListRoom::default();
        let mut pages = Pages::new(TOOLS, &mut room);
        let empty = |count: usize| json!({ "tools": [], "nextCursor": count.to_string() });
        assert!(
            pages.add(empty(1)).is_some()
                && pages.add(empty(2)).is_some()
                && pages.add(empty(3)).is_none()
        );
    }

    #[test]
    fn a_list_has_a_limit_of_entries() {
        let tools: Vec<_> = (0..ENTRIES_MAX + 5)
            .map(|number| tool(&format!("t{number}"), ""))
            .collect();
        let mut room = ListRoom::default();
        let mut pages = Pages::new(TOOLS, &mut room);
        assert_eq!(
            pages.add(json!({ "tools": tools, "nextCursor": "more" })),
            None
        );
        assert_eq!(pages.list.entries.len(), ENTRIES_MAX);
    }
}
