//! The one way to disclose: every surface calls [`disclose`], the only place where a disclosure is recorded or a
//! ticket minted. How the descriptions are put on a wire is the surface's business.

use crate::{
    catalog::{description, entry::Entry, signature::Signature, token_cost::Form},
    disclosure::{
        list_changed::Seat,
        view::{Shown, View},
    },
    policy::{Gate, Listing},
    protocol::keys::{DIGEST, DIGESTS, TICKETS},
    registry::tool_spec::About,
};
use rmcp::model::{JsonObject, MetaObject};
use serde_json::{Value, json};
use std::sync::Arc;

/// How many names an error suggests.
const AVAILABLE_MAX: usize = 20;
/// How many a sentence suggests.
const NEAREST_MAX: usize = 5;

/// What a caller asked for by name, in the order asked.
#[derive(Debug)]
pub(crate) struct Disclosure<'a> {
    items: Vec<Item<'a>>,
    view: &'a View<'a>,
}

#[derive(Debug)]
enum Item<'a> {
    Found {
        entry: &'a Arc<Entry>,
        ticket: Option<String>,
    },
    /// It is listed in full and never gated, so that there is nothing to disclose.
    MetaTool {
        about: Box<About>,
    },
    Unknown {
        name: &'a str,
    },
}

/// Gives a caller the descriptions of these tools, in a form that the surface then shows.
///
/// A session whose store cannot be reached still gets them, and this replica remembers it; another replica refuses its calls
/// with their description, which mends itself.
pub(crate) async fn disclose<'a>(names: &'a [String], form: Form, view: &'a View<'a>) -> Disclosure<'a> {
    disclose_with(names, form, |_| None, view).await
}

/// The same where some names may be those of meta-tools, which `meta_tool` describes.
pub(crate) async fn disclose_with<'a>(
    names: &'a [String],
    form: Form,
    meta_tool: impl Fn(&str) -> Option<About>,
    view: &'a View<'a>,
) -> Disclosure<'a> {
    let item = |name: &'a String| match meta_tool(name) {
        Some(about) => Item::MetaTool { about: Box::new(about) },
        None => found(name, view.asked(name), view),
    };
    let disclosure = Disclosure { items: names.iter().map(item).collect(), view };
    disclosure.record().await;
    disclosure.found().for_each(|entry| view.seen.described(entry, form));
    disclosure
}

fn found<'a>(name: &'a str, entry: Option<&'a Arc<Entry>>, view: &View<'_>) -> Item<'a> {
    let Some(entry) = entry else { return Item::Unknown { name } };
    let needs_proof = view.gate() != Gate::Off && !view.sees_in_full(entry);
    let ticket = (needs_proof && view.caller.proves_by_ticket())
        .then(|| view.tickets.mint(&entry.digest, view.caller.authority.principal()));
    Item::Found { entry, ticket }
}

impl Disclosure<'_> {
    async fn record(&self) {
        let caller = self.view.caller;
        if let Some(session) = caller.own_session() {
            let given: Vec<_> = self.found().map(|entry| entry.disclosed).collect();
            if session.record(&given) && self.reveals() {
                session.seat.get().into_iter().for_each(Seat::tell);
            }
            if let Some(elsewhere) = caller.elsewhere()
                && let Err(error) = elsewhere.record(session, &given).await
            {
                tracing::debug!(%error, "other replicas do not know of a disclosure");
            }
        }
    }

    /// Whether the caller's list changes by it. What is not listed at all stays so.
    fn reveals(&self) -> bool {
        self.view.policy.listing == Listing::Reveal
            && self.found().any(|entry| self.view.shown(entry) == Shown::Minimal)
    }

    /// The tools that exist for this caller, in the order asked.
    pub(crate) fn found(&self) -> impl Iterator<Item = &Arc<Entry>> {
        self.items.iter().filter_map(|item| match item {
            Item::Found { entry, .. } => Some(*entry),
            Item::MetaTool { .. } | Item::Unknown { .. } => None,
        })
    }

    /// The names of what is described, in the order asked.
    pub(crate) fn described(&self) -> impl Iterator<Item = &str> {
        self.items.iter().filter_map(|item| match item {
            Item::Found { entry, .. } => Some(entry.name()),
            Item::MetaTool { about } => Some(&*about.name),
            Item::Unknown { .. } => None,
        })
    }

    /// The JSON object of specification v2.1, section 4.4: each tool's name and its full description, or the error
    /// entry of section 6.3.
    pub(crate) fn document(&self) -> String {
        let mut out = String::with_capacity(2 + self.found().map(|entry| self.room(entry)).sum::<usize>());
        let mut opening = "{\"";
        let mut suggested = false;
        for item in &self.items {
            out.push_str(opening);
            opening = ",\"";
            match item {
                Item::Found { entry, ticket } => {
                    out.push_str(entry.name());
                    out.push_str("\":");
                    self.write(&mut out, entry, ticket.as_deref());
                }
                Item::MetaTool { about } => {
                    out.push_str(&about.name);
                    out.push_str("\":");
                    out.push_str(&Value::Object(description::document(about)).to_string());
                }
                Item::Unknown { name } => {
                    let escaped = Value::from(*name).to_string();
                    out.push_str(escaped.trim_start_matches('"'));
                    out.push(':');
                    out.push_str(&self.unknown(name, !suggested).to_string());
                    suggested = true;
                }
            }
        }
        out.push('}');
        out
    }

    fn room(&self, entry: &Entry) -> usize {
        entry.name().len() + 8 + entry.description(self.view.caller.modern).len()
    }

    fn write(&self, out: &mut String, entry: &Entry, ticket: Option<&str>) {
        let spliced = ticket.filter(|_| self.view.caller.passes_ticket_as_argument());
        let sees = |name: &str| self.view.find(name).is_some();
        entry.description(self.view.caller.modern).write(out, spliced, sees);
    }

    /// The descriptions as values, for wires that show parts of them.
    pub(crate) fn descriptions(&self) -> Value {
        serde_json::from_str(&self.document()).unwrap_or_default()
    }

    /// The same, each with its digest in its own `_meta`, for wires that code reads.
    pub(crate) fn descriptions_with_meta(&self) -> Value {
        let mut document = self.descriptions();
        for entry in self.found() {
            if let Some(Value::Object(description)) = document.get_mut(entry.name()) {
                let meta = json!({ DIGEST: &*entry.digest_text });
                description.insert("_meta".to_owned(), meta);
            }
        }
        document
    }

    /// The description of the only tool asked for, as it stands in a refusal.
    pub(crate) fn only(&self) -> Option<String> {
        let (entry, ticket) = match self.items.as_slice() {
            [Item::Found { entry, ticket }] => (entry, ticket),
            [Item::MetaTool { about }] => return Some(Value::Object(description::document(about)).to_string()),
            _ => return None,
        };
        let mut out = String::with_capacity(self.room(entry));
        self.write(&mut out, entry, ticket.as_deref());
        Some(out)
    }

    /// The signatures, in the order asked, with an empty line between; of an unknown name it is told that it is none.
    pub(crate) fn signatures(&self) -> String {
        let mut suggested = false;
        let text = |item: &Item<'_>| match item {
            Item::Found { entry, ticket } => self.sign(entry, ticket.as_deref()),
            Item::MetaTool { about } => {
                let mut out = String::new();
                Signature::new(about).write(&mut out, None);
                out
            }
            Item::Unknown { name } if std::mem::replace(&mut suggested, true) => unknown_in_brief(name),
            Item::Unknown { name } => unknown_in_words(name, self.view),
        };
        self.items.iter().map(text).collect::<Vec<_>>().join("\n\n")
    }

    fn sign(&self, entry: &Entry, ticket: Option<&str>) -> String {
        let mut out = String::with_capacity(entry.signature().len());
        entry.signature().write(&mut out, ticket.filter(|_| self.view.caller.passes_ticket_as_argument()));
        out
    }

    /// Specification v2.1, section 6.3. The suggestions come once: a model needs them no more often.
    fn unknown(&self, name: &str, suggest: bool) -> Value {
        let mut error = json!({ "error": format!("Tool '{name}' not found") });
        if suggest && let Value::Object(error) = &mut error {
            insert_available(error, self.view.nearest(name, AVAILABLE_MAX), self.view);
        }
        error
    }

    /// The result's `_meta`, for clients of our extension: each description's digest, and tickets where they prove it.
    pub(crate) fn meta(&self) -> Option<MetaObject> {
        self.view.caller.terms.keeps_tickets.then(|| self.meta_with_tickets()).flatten()
    }

    /// The same on wires whose descriptions have no room for a ticket: the tickets for every client, digests only for those.
    pub(crate) fn meta_with_tickets(&self) -> Option<MetaObject> {
        let reads_digests = self.view.caller.terms.keeps_tickets;
        let digested = self.found().filter(|_| reads_digests);
        let digests = digested.map(|entry| (entry.name().to_owned(), Value::from(&*entry.digest_text)));
        let tickets = self.items.iter().filter_map(|item| match item {
            Item::Found { entry, ticket } => Some((entry.name().to_owned(), Value::from(ticket.as_deref()?))),
            Item::MetaTool { .. } | Item::Unknown { .. } => None,
        });
        let mut meta = MetaObject::new();
        for (key, values) in [(DIGESTS, digests.collect::<JsonObject>()), (TICKETS, tickets.collect())] {
            if !values.is_empty() {
                meta.insert(key.to_owned(), Value::Object(values));
            }
        }
        (!meta.is_empty()).then_some(meta)
    }
}

/// That no tool has this name, and which come near: for texts that a model reads.
pub(crate) fn unknown_in_words(name: &str, view: &View<'_>) -> String {
    let brief = unknown_in_brief(name);
    match view.nearest(name, NEAREST_MAX).as_slice() {
        [] => format!("{brief}: there are none"),
        near => format!("{brief}; the nearest: {}", near.join(", ")),
    }
}

/// The same where another name of the request has suggestions: every tool is looked at for them.
pub(crate) fn unknown_in_brief(name: &str) -> String {
    format!("no tool is called `{name}`")
}

/// The description as it stands in a file: its bytes are the same for all who see the same tools, so no ticket is in it. It
/// discloses nothing: whoever hands it out calls [`disclose`].
pub(crate) fn filed(entry: &Entry, view: &View<'_>) -> String {
    let description = entry.description(view.caller.modern);
    let mut out = String::with_capacity(description.len());
    description.write(&mut out, None, |name| view.find(name).is_some());
    out
}

/// The first visible tools, for errors that have no name to go by.
pub(crate) fn available<'a>(view: &View<'a>) -> Vec<&'a str> {
    view.visible().take(AVAILABLE_MAX).map(|entry| entry.name()).collect()
}

/// Adds names of visible tools to an error, and how many more there are, if any are left out.
pub(crate) fn insert_available(error: &mut JsonObject, names: Vec<&str>, view: &View<'_>) {
    let more = view.visible().count().saturating_sub(names.len());
    error.insert("available_tools".to_owned(), json!(names));
    if more > 0 {
        error.insert("more".to_owned(), json!(more));
    }
}
