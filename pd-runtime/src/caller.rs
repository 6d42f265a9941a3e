//! Who is asking, and by which rules: resolved once a request.

use crate::{
    access::Authority,
    catalogue::{Catalogue, digest::Digest, entry::Entry},
    descriptor::TICKET_ARGUMENT,
    gate::{Proof, session::Session, store::StoreError, ticket::Tickets},
    policy::Policy,
    tool::principal::Principal,
};
use rmcp::{
    RoleServer,
    model::{JsonObject, RequestMetaObject},
    service::RequestContext,
};
use serde_json::Value;

/// The id of our own extension: a client that declares it promises to describe before it calls.
pub(crate) const EXTENSION: &str = "dev.pd-runtime/disclosure";
const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// Where a client of the extension passes a ticket.
const TICKET: &str = "dev.pd-runtime/ticket";

/// Which MCP lifecycle a request belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// `initialize` opened a session (up to 2025-11-25).
    Session,
    /// Each request carries its own metadata (2026-07-28).
    Inline,
    /// An older client on a server that keeps no sessions.
    LegacyStateless,
}

/// One request's caller.
#[derive(Debug)]
pub(crate) struct Caller<'a> {
    pub(crate) era: Era,
    pub(crate) authority: Authority,
    /// Whether the client declared our extension.
    pub(crate) declares_disclosure: bool,
    /// Whether 2026-07-28 or a later version applies.
    pub(crate) modern: bool,
    session: Option<&'a Session>,
    ticket: Option<String>,
}

impl<'a> Caller<'a> {
    /// Resolves the caller of a request that reached a handler with this session, if it has one.
    pub(crate) fn of_request(request: &RequestContext<RoleServer>, session: Option<&'a Session>) -> Self {
        let authority = authority(request);
        let ticket = request.meta.get(TICKET).and_then(Value::as_str).map(str::to_owned);
        // The version alone would not do: an initialised connection may still send self-contained requests.
        if is_self_contained(&request.meta) {
            let declares_disclosure = request.meta.get(CLIENT_CAPABILITIES).is_some_and(declares);
            return Self { era: Era::Inline, authority, declares_disclosure, modern: true, session: None, ticket };
        }
        match session {
            Some(session) => Self {
                era: Era::Session,
                authority,
                declares_disclosure: session.declares_disclosure,
                modern: session.modern,
                session: Some(session),
                ticket,
            },
            None => Self {
                era: Era::LegacyStateless,
                authority,
                declares_disclosure: declares_by_handshake(request),
                modern: false,
                session: None,
                ticket,
            },
        }
    }

    /// The session, where it is the caller's own.
    pub(crate) fn own_session(&self) -> Option<&'a Session> {
        self.session.filter(|session| session.owner.is_same_person(&self.authority))
    }

    /// Whether someone else opened the session. What runs in it may talk to that someone's client.
    pub(crate) fn is_in_foreign_session(&self) -> bool {
        self.session.is_some() && self.own_session().is_none()
    }

    /// Whether disclosure is proved by a ticket, and the client passes it as an argument.
    pub(crate) fn passes_ticket_as_argument(&self) -> bool {
        self.era != Era::Session && !self.declares_disclosure
    }

    /// Whether this caller's list shows the tool in full, so that there is nothing to disclose.
    pub(crate) fn sees_in_full(&self, policy: &Policy, catalogue: &Catalogue, entry: &Entry) -> bool {
        catalogue.in_full || entry.tool.about.eager || policy.lists_in_full(self.declares_disclosure)
    }

    /// What the caller can show for having had a description that its list does not hold.
    ///
    /// # Errors
    ///
    /// The store of disclosures cannot be reached.
    pub(crate) async fn proof(
        &self,
        digest: &Digest,
        argument: Option<&str>,
        tickets: &Tickets,
    ) -> Result<Proof, StoreError> {
        if let Some(session) = self.own_session() {
            let given = session.disclosures.contains(digest.fingerprint()).await?;
            return Ok(if given { Proof::Disclosed } else { Proof::Nothing });
        }
        Ok(match self.ticket.as_deref().or(argument) {
            None => Proof::Nothing,
            Some(ticket) if tickets.admits(ticket, digest, self.authority.principal()) => Proof::Disclosed,
            Some(_) => Proof::BadTicket,
        })
    }
}

/// Whether the request carries all that 2026-07-28 asks of one. rmcp has decoded it before and refused what is malformed
/// or carries only part of it; to decode it again would cost as much as the gate.
fn is_self_contained(meta: &RequestMetaObject) -> bool {
    meta.get(CLIENT_CAPABILITIES).is_some_and(Value::is_object)
        && meta.get(PROTOCOL_VERSION).is_some_and(Value::is_string)
}

/// Whether declared client capabilities contain our extension.
fn declares(capabilities: &Value) -> bool {
    capabilities.get("extensions").is_some_and(|declared| declared.get(EXTENSION).is_some())
}

/// Whether the client declared our extension in `initialize`, as far as rmcp knows.
pub(crate) fn declares_by_handshake(request: &RequestContext<RoleServer>) -> bool {
    request.peer.peer_info().is_some_and(|info| {
        info.capabilities.extensions.as_ref().is_some_and(|declared| declared.contains_key(EXTENSION))
    })
}

/// Over HTTP, what middleware put into the request; elsewhere the user who started the process.
pub(crate) fn authority(request: &RequestContext<RoleServer>) -> Authority {
    match request.extensions.get::<http::request::Parts>() {
        Some(parts) => Authority::Remote(parts.extensions.get::<Principal>().cloned()),
        None => Authority::Owner,
    }
}

/// Takes the ticket out of a call's arguments, whether it is one or not: the name is reserved.
pub(crate) fn take_ticket(arguments: &mut JsonObject) -> Option<String> {
    match arguments.shift_remove(TICKET_ARGUMENT)? {
        Value::String(text) => Some(text),
        // Models write long digits as numbers now and then.
        Value::Number(number) => Some(format!("{:0>18}", number.to_string())),
        _ => Some(String::new()),
    }
}
