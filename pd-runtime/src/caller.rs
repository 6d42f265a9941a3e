//! Who is asking, and by which rules: resolved once a request.

use crate::{
    access::Authority,
    catalogue::digest::Digest,
    descriptor::TICKET_ARGUMENT,
    gate::{Proof, session::Session, store::StoreError, ticket::Tickets},
    terms::{Client, Extensions, Terms},
    tool::principal::Principal,
};
use rmcp::{
    RoleServer,
    model::{JsonObject, RequestMetaObject},
    service::RequestContext,
};
use serde_json::Value;

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
    /// What the wires ask that the client speaks.
    pub(crate) terms: Terms,
    /// Whether 2026-07-28 or a later version applies.
    pub(crate) modern: bool,
    session: Option<&'a Session>,
    ticket: Option<String>,
}

impl<'a> Caller<'a> {
    /// Resolves the caller of a request that reached a handler with this session, if it has one. `terms_of` knows the
    /// wires.
    pub(crate) fn of_request(
        request: &RequestContext<RoleServer>,
        session: Option<&'a Session>,
        terms_of: impl Fn(&Client<'_>) -> Terms,
    ) -> Self {
        let authority = authority(request);
        let ticket = request.meta.get(TICKET).and_then(Value::as_str).map(str::to_owned);
        // The version alone would not do: an initialised connection may still send self-contained requests.
        if let Some(client) = self_contained(&request.meta) {
            return Self { era: Era::Inline, authority, terms: terms_of(&client), modern: true, session: None, ticket };
        }
        let Some(session) = session else {
            let terms = by_handshake(request, terms_of);
            return Self { era: Era::LegacyStateless, authority, terms, modern: false, session: None, ticket };
        };
        let (terms, modern) = (session.terms, session.modern);
        Self { era: Era::Session, authority, terms, modern, session: Some(session), ticket }
    }

    /// Whoever runs the server, looking at it without a connection.
    #[cfg(feature = "cli")]
    pub(crate) fn owner() -> Self {
        let (era, authority, terms) = (Era::Session, Authority::Owner, Terms::default());
        Self { era, authority, terms, modern: true, session: None, ticket: None }
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
        self.era != Era::Session && !self.terms.keeps_tickets
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

/// What the client says in a request that carries all that 2026-07-28 asks of one. rmcp has decoded it before and refused
/// what is malformed or carries only part of it; to decode it again would cost as much as the gate.
fn self_contained(meta: &RequestMetaObject) -> Option<Client<'_>> {
    let capabilities = meta.get(CLIENT_CAPABILITIES).filter(|capabilities| capabilities.is_object());
    let version = meta.get(PROTOCOL_VERSION).and_then(Value::as_str)?;
    capabilities.map(|_| Client { version, extensions: Extensions::Inline(capabilities) })
}

/// What the wires ask that the client declared in `initialize`, as far as rmcp knows.
pub(crate) fn by_handshake(request: &RequestContext<RoleServer>, terms_of: impl Fn(&Client<'_>) -> Terms) -> Terms {
    request.peer.peer_info().map_or_else(Terms::default, |info| {
        let extensions = Extensions::Handshake(info.capabilities.extensions.as_ref());
        terms_of(&Client { version: info.protocol_version.as_str(), extensions })
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
