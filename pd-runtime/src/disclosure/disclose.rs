//! The disclosure of tool descriptions. Every surface calls [`disclose`], the only function that
//! records disclosures and mints tickets. The surfaces decide how to present the descriptions.

mod unknown_names;

pub(crate) use unknown_names::{
    available, insert_available, render_unknown, render_unknown_briefly, same_source_names,
};

use crate::{
    catalog::{description, entry::CatalogEntry, signature::ToolSignature, token_cost::CostForm},
    disclosure::{list_changed::SessionSubscription, listed_form::ListedForm, view::CallerView},
    policy::{GateMode, Listing},
    protocol::keys::{DIGEST, DIGESTS, TICKETS},
    registry::tool_spec::ToolSpec,
};
use rmcp::model::{JsonObject, MetaObject};
use serde_json::{Value, json};
use std::sync::Arc;
use unknown_names::beginning;

/// The most names that an error document suggests.
const AVAILABLE_MAX: usize = 20;

/// The answer to a request for descriptions: one item for each name, in the order of the request.
#[derive(Debug)]
pub(crate) struct DisclosureBatch<'a> {
    items: Vec<DisclosureItem<'a>>,
    view: &'a CallerView<'a>,
}

#[derive(Debug)]
enum DisclosureItem<'a> {
    Found {
        entry: &'a Arc<CatalogEntry>,
        ticket: Option<String>,
    },
    /// A meta-tool. It is listed in full and never gated, so it needs no disclosure.
    MetaTool { about: Box<ToolSpec> },
    Unknown {
        /// The beginning of the name, which the answer repeats.
        name: &'a str,
        sent: &'a str,
    },
}

/// Discloses these tools to the view's caller, in a form that the surface then renders.
///
/// If the store that replicas share cannot be reached, the session still gets the descriptions, and
/// this replica remembers them. Another replica may refuse a call; its refusal carries the
/// description, so the next call succeeds.
pub(crate) async fn disclose<'a>(
    names: &'a [String],
    form: CostForm,
    view: &'a CallerView<'a>,
) -> DisclosureBatch<'a> {
    disclose_with(names, form, |_| None, view).await
}

/// Discloses these tools as [`disclose`] does. Some names may mean meta-tools, which `meta_tool`
/// describes.
pub(crate) async fn disclose_with<'a>(
    names: &'a [String],
    form: CostForm,
    meta_tool: impl Fn(&str) -> Option<ToolSpec>,
    view: &'a CallerView<'a>,
) -> DisclosureBatch<'a> {
    // As in `tools/call`, a meta-tool's name takes precedence over a tool's.
    let disclosure = DisclosureBatch {
        items: names
            .iter()
            .map(|name| match meta_tool(name) {
                Some(about) => DisclosureItem::MetaTool {
                    about: Box::new(about),
                },
                None => resolve(name, view.find_or_record_miss(name), view),
            })
            .collect(),
        view,
    };
    // Recorded before the answer leaves, so that a call that overtakes it in the client finds the
    // disclosure.
    disclosure.record().await;
    disclosure
        .entries()
        .for_each(|entry| view.recorder.record_described(entry, form));
    disclosure
}

fn resolve<'a>(
    name: &'a str,
    entry: Option<&'a Arc<CatalogEntry>>,
    view: &CallerView<'_>,
) -> DisclosureItem<'a> {
    let Some(entry) = entry else {
        return DisclosureItem::Unknown {
            name: beginning(name),
            sent: name,
        };
    };
    // A ticket costs the model tokens, so a caller gets one only if its call could be refused.
    let needs_proof = view.gate() != GateMode::Off && !view.shows_enough(entry);
    let ticket = (needs_proof
        && (view.caller.proves_by_ticket() || view.needs_ticket_in_session(entry)))
    .then(|| {
        view.tickets
            .mint(&entry.digest, view.caller.authority.principal())
    });
    DisclosureItem::Found { entry, ticket }
}

impl DisclosureBatch<'_> {
    async fn record(&self) {
        let caller = self.view.caller;
        #[cfg(feature = "code")]
        if let Some(run) = self.view.run {
            self.entries().for_each(|entry| run.record(entry.digest));
        }
        if let Some(session) = caller.own_session() {
            let records: Vec<_> = self.entries().map(|entry| entry.disclosed).collect();
            // Only a new disclosure moves a tool from the minimal to the full form.
            if session.record(&records) && self.reveals() {
                session
                    .subscription
                    .get()
                    .into_iter()
                    .for_each(SessionSubscription::notify);
            }
            if let Some(replica_session) = caller.replica_session()
                && let Err(error) = replica_session.record(session, &records).await
            {
                // The description is delivered all the same: the worst case is one refusal on
                // another replica.
                tracing::debug!(%error, "a disclosure could not be shared with other replicas");
            }
        }
    }

    /// Returns whether this disclosure changes the caller's list. A tool that is not listed at all
    /// stays unlisted.
    fn reveals(&self) -> bool {
        self.view.policy.listing == Listing::Reveal
            && self
                .entries()
                .any(|entry| self.view.listed_form(entry) == ListedForm::Minimal)
    }

    /// Returns the tools that exist for this caller, in the order of the request.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &Arc<CatalogEntry>> {
        self.items.iter().filter_map(|item| match item {
            DisclosureItem::Found { entry, .. } => Some(*entry),
            DisclosureItem::MetaTool { .. } | DisclosureItem::Unknown { .. } => None,
        })
    }

    /// Returns the names of the described tools and meta-tools, in the order of the request.
    #[cfg(feature = "presets")]
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.items.iter().filter_map(|item| match item {
            DisclosureItem::Found { entry, .. } => Some(entry.name()),
            DisclosureItem::MetaTool { about } => Some(&*about.name),
            DisclosureItem::Unknown { .. } => None,
        })
    }

    /// Renders the JSON object of specification v2.1, section 4.4: each tool's name and its full
    /// description, or the error entry of section 6.3.
    pub(crate) fn document(&self) -> String {
        let mut out = String::with_capacity(
            2 + self
                .entries()
                .map(|entry| self.estimated_len(entry))
                .sum::<usize>(),
        );
        // Written by hand: the descriptions are finished JSON bytes, and building a `Value` would
        // parse and print them again.
        let mut opening = "{\"";
        let mut suggested = false;
        for item in &self.items {
            out.push_str(opening);
            opening = ",\"";
            match item {
                DisclosureItem::Found { entry, ticket } => {
                    out.push_str(entry.name());
                    out.push_str("\":");
                    self.write(&mut out, entry, ticket.as_deref());
                }
                DisclosureItem::MetaTool { about } => {
                    out.push_str(&about.name);
                    out.push_str("\":");
                    out.push_str(&Value::Object(description::document(about)).to_string());
                }
                DisclosureItem::Unknown { name, sent } => {
                    let escaped = Value::from(*name).to_string();
                    // `opening` has written the opening quote already. A registered name needs no
                    // escapes; an unknown one may.
                    out.push_str(escaped.trim_start_matches('"'));
                    out.push(':');
                    out.push_str(&self.unknown_entry(sent, !suggested).to_string());
                    suggested = true;
                }
            }
        }
        out.push('}');
        out
    }

    fn estimated_len(&self, entry: &CatalogEntry) -> usize {
        // 8 bytes for quotes, colon, comma and rounding; the sum only sizes the buffer.
        entry.name().len() + 8 + entry.description(self.view.caller.modern).len()
    }

    fn write(&self, out: &mut String, entry: &CatalogEntry, ticket: Option<&str>) {
        // Clients of the extension find their ticket in `_meta`, so their descriptions ask for
        // none.
        let spliced = ticket.filter(|_| self.view.caller.reads_ticket_in_schema());
        entry
            .description(self.view.caller.modern)
            .write(out, spliced, |name| self.view.find(name).is_some());
    }

    /// Returns the descriptions as JSON values, for surfaces that show parts of them.
    pub(crate) fn descriptions(&self) -> Value {
        // `document` renders valid JSON, so the default is never used.
        serde_json::from_str(&self.document()).unwrap_or_default()
    }

    /// Returns the descriptions as JSON values, each with its digest in its own `_meta`, for
    /// surfaces that code reads.
    pub(crate) fn descriptions_with_meta(&self) -> Value {
        let mut document = self.descriptions();
        for entry in self.entries() {
            if let Some(Value::Object(description)) = document.get_mut(entry.name()) {
                let meta = json!({ DIGEST: entry.digest_text() });
                description.insert("_meta".to_owned(), meta);
            }
        }
        document
    }

    /// Returns the ticket of the only tool in the request, if the client passes it as an argument.
    pub(crate) fn only_ticket(&self) -> Option<&str> {
        let [DisclosureItem::Found { ticket, .. }] = self.items.as_slice() else {
            return None;
        };
        ticket
            .as_deref()
            .filter(|_| self.view.caller.reads_ticket_in_schema())
    }

    /// Returns the tools of the request, each with the ticket that the client passes as an
    /// argument.
    pub(crate) fn with_tickets(&self) -> impl Iterator<Item = (&Arc<CatalogEntry>, Option<&str>)> {
        let passes = self.view.caller.reads_ticket_in_schema();
        self.items.iter().filter_map(move |item| match item {
            DisclosureItem::Found { entry, ticket } => {
                Some((*entry, ticket.as_deref().filter(|_| passes)))
            }
            DisclosureItem::MetaTool { .. } | DisclosureItem::Unknown { .. } => None,
        })
    }

    /// Returns the description of the only tool in the request, for a refusal.
    pub(crate) fn only_description(&self) -> Option<String> {
        let (entry, ticket) = match self.items.as_slice() {
            [DisclosureItem::Found { entry, ticket }] => (entry, ticket),
            [DisclosureItem::MetaTool { about }] => {
                return Some(Value::Object(description::document(about)).to_string());
            }
            _ => return None,
        };
        let mut out = String::with_capacity(self.estimated_len(entry));
        self.write(&mut out, entry, ticket.as_deref());
        Some(out)
    }

    /// Renders the signatures in the order of the request, separated by empty lines. An unknown
    /// name gets a line that reports it.
    pub(crate) fn signatures(&self) -> String {
        let mut suggested = false;
        self.items
            .iter()
            .map(|item| match item {
                DisclosureItem::Found { entry, ticket } => self.signature(entry, ticket.as_deref()),
                DisclosureItem::MetaTool { about } => {
                    let mut out = String::new();
                    ToolSignature::new(about).write(&mut out, None);
                    out
                }
                // Before the next arm, which would use up the only suggestion.
                DisclosureItem::Unknown { sent, .. } if self.view.missing_for(sent).is_some() => {
                    render_unknown(sent, self.view)
                }
                DisclosureItem::Unknown { name, .. } if std::mem::replace(&mut suggested, true) => {
                    render_unknown_briefly(name)
                }
                DisclosureItem::Unknown { sent, .. } => render_unknown(sent, self.view),
            })
            .collect::<Vec<_>>()
            .join("\n\n")
    }

    fn signature(&self, entry: &CatalogEntry, ticket: Option<&str>) -> String {
        let signature = self.view.shown_signature(entry);
        let mut out = String::with_capacity(signature.len());
        signature.write(
            &mut out,
            ticket.filter(|_| self.view.caller.reads_ticket_in_schema()),
        );
        out
    }

    /// Renders the signatures for answers that contain a call to send, which has the ticket. They
    /// have no examples: models copy an example rather than their own call.
    pub(crate) fn signatures_beside_calls(&self) -> String {
        self.entries()
            .map(|entry| {
                let signature = self.view.shown_signature(entry);
                let mut out = String::with_capacity(signature.len());
                signature.write_without_example(&mut out);
                out
            })
            .collect::<Vec<_>>()
            .join("\n\n")
    }

    /// Returns the error entry for an unknown name (specification v2.1, section 6.3). Only the
    /// first entry has suggestions: a model needs them once.
    fn unknown_entry(&self, name: &str, suggest: bool) -> Value {
        if let Some(set) = self.view.missing_for(name) {
            return json!({ "error": set.render(beginning(name)) });
        }
        let same = same_source_names(name, self.view);
        let why = if same.is_some() {
            "; several tools have this name at their servers"
        } else {
            ""
        };
        let mut error = json!({ "error": format!("Tool '{}' not found{why}", beginning(name)) });
        // The servers of a name belong to that name, so every unknown name gets its own.
        if (suggest || same.is_some())
            && let Value::Object(error) = &mut error
        {
            insert_available(
                error,
                same.unwrap_or_else(|| self.view.nearest(name, AVAILABLE_MAX)),
                self.view,
            );
        }
        error
    }

    /// Returns the result's `_meta` for clients of this crate's extension: each description's
    /// digest, and the tickets if tickets prove disclosure.
    pub(crate) fn meta(&self) -> Option<MetaObject> {
        self.view
            .caller
            .terms
            .keeps_tickets
            .then(|| self.meta_with_tickets())
            .flatten()
    }

    /// Returns the result's `_meta`, for surfaces with descriptions that have no room for a ticket:
    /// tickets for every client, digests only for clients of this crate's extension.
    pub(crate) fn meta_with_tickets(&self) -> Option<MetaObject> {
        let reads_digests = self.view.caller.terms.keeps_tickets;
        let entries = self.entries().filter(|_| reads_digests);
        let digests =
            entries.map(|entry| (entry.name().to_owned(), Value::from(entry.digest_text())));
        let tickets = self.items.iter().filter_map(|item| match item {
            DisclosureItem::Found { entry, ticket } => {
                Some((entry.name().to_owned(), Value::from(ticket.as_deref()?)))
            }
            DisclosureItem::MetaTool { .. } | DisclosureItem::Unknown { .. } => None,
        });
        let mut meta = MetaObject::new();
        for (key, values) in [
            (DIGESTS, digests.collect::<JsonObject>()),
            (TICKETS, tickets.collect()),
        ] {
            if !values.is_empty() {
                meta.insert(key.to_owned(), Value::Object(values));
            }
        }
        (!meta.is_empty()).then_some(meta)
    }
}

/// Renders the description as a file contains it. Its bytes are the same for all callers that see
/// the same tools, so it contains no ticket. It discloses nothing: the surface that serves it calls
/// [`disclose`].
pub(crate) fn file_text(entry: &CatalogEntry, view: &CallerView<'_>) -> String {
    let description = entry.description(view.caller.modern);
    let mut out = String::with_capacity(description.len());
    description.write(&mut out, None, |name| view.find(name).is_some());
    out
}
