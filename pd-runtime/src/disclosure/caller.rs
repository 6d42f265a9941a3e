//! Who is asking, and by which rules: resolved once a request.

pub(crate) use crate::telemetry::audit::Era;

use crate::{
    catalog::entry::Entry,
    digest::Digest,
    disclosure::gate::{
        Proof,
        replicas::Elsewhere,
        session::{Memory, Session},
        ticket::Tickets,
    },
    policy::{
        access::{Authority, Person},
        disclosure_store::{DisclosureStore, DisclosureStoreError, disclosure_record::Disclosed},
    },
    protocol::{
        keys::TICKET,
        negotiated::{Client, Extensions, Terms},
    },
    quota_key::Payer,
    tool::{descriptor::TICKET_ARGUMENT, principal::Principal},
};
use rmcp::{
    RoleServer,
    model::{JsonObject, RequestMetaObject},
    service::RequestContext,
};
use serde_json::Value;
use std::net::IpAddr;

const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// One request's caller.
#[derive(Debug)]
pub(crate) struct Caller<'a> {
    pub(crate) era: Era,
    pub(crate) authority: Authority,
    /// What the wires ask that the client speaks.
    pub(crate) terms: Terms,
    /// Whether 2026-07-28 or a later version applies.
    pub(crate) modern: bool,
    /// Where a request comes from that names nobody, as far as the transport says.
    address: Option<IpAddr>,
    session: Option<&'a Session>,
    /// What other replicas disclosed in the session, where they share a store.
    elsewhere: Option<Elsewhere<'a>>,
    /// Whether someone else opened the session. What runs in it may talk to that someone's client.
    pub(crate) is_in_foreign_session: bool,
    ticket: Option<String>,
}

impl<'a> Caller<'a> {
    /// Resolves the caller of a request that reached a handler with this session, if it has one. `terms_of` knows the
    /// wires; `store` is the one that replicas share.
    pub(crate) fn of_request(
        request: &RequestContext<RoleServer>,
        session: Option<&'a Session>,
        store: Option<&'a dyn DisclosureStore>,
        terms_of: impl Fn(&Client<'_>) -> Terms,
    ) -> Self {
        let authority = authority(request);
        let address = address(request, &authority);
        let ticket = member(&request.meta, TICKET).and_then(Value::as_str).map(str::to_owned);
        let mut caller = Self { address, ticket, ..Self::new(Era::LegacyStateless, authority) };
        // The version alone would not do: an initialised connection may still send self-contained requests.
        if let Some(client) = self_contained(&request.meta) {
            (caller.era, caller.terms, caller.modern) = (Era::Inline, terms_of(&client), true);
        } else if let Some(session) = session {
            caller.enter(session, |person| store.and_then(|store| Elsewhere::of(store, request, person)));
        } else {
            caller.terms = by_handshake(request, terms_of);
        }
        caller
    }

    /// The same caller with the memory of its connection, where that is its own: `remember_connection`.
    ///
    /// Only self-contained requests of the process's own client have one. Over HTTP a connection may carry requests of
    /// several clients.
    pub(crate) fn with_connection(mut self, memory: impl FnOnce() -> &'a Session) -> Self {
        if self.era == Era::Inline && self.authority == Authority::Owner {
            self.session = Some(memory());
        }
        self
    }

    fn new(era: Era, authority: Authority) -> Self {
        Self {
            era,
            authority,
            terms: Terms::default(),
            modern: false,
            session: None,
            elsewhere: None,
            address: None,
            is_in_foreign_session: false,
            ticket: None,
        }
    }

    fn enter(&mut self, session: &'a Session, elsewhere: impl FnOnce(&Person) -> Option<Elsewhere<'a>>) {
        let person = self.authority.person();
        (self.era, self.terms, self.modern) = (Era::Session, session.terms, session.modern);
        if session.owner == person {
            (self.session, self.elsewhere) = (Some(session), elsewhere(&person));
        } else {
            self.is_in_foreign_session = true;
        }
    }

    /// Whoever runs the server, looking at it without a connection.
    pub(crate) fn owner() -> Self {
        Self { modern: true, ..Self::new(Era::Session, Authority::Owner) }
    }

    /// The session, or the remembered connection, where it is the caller's own.
    pub(crate) fn own_session(&self) -> Option<&'a Session> {
        self.session
    }

    /// All that was given in it, as far as is known here.
    pub(crate) async fn given(&self) -> Vec<Disclosed> {
        let Some(session) = self.session else { return Vec::new() };
        if let Some(elsewhere) = &self.elsewhere {
            match elsewhere.given().await {
                Ok(given) => drop(session.record(&given)),
                Err(error) => tracing::debug!(%error, "what other replicas disclosed is not known"),
            }
        }
        session.given()
    }

    /// What other replicas disclosed in it.
    pub(crate) fn elsewhere(&self) -> Option<&Elsewhere<'a>> {
        self.elsewhere.as_ref()
    }

    /// On whose account the request is counted.
    pub(crate) fn payer(&self) -> Payer<'_> {
        match &self.authority {
            Authority::Owner => Payer::Owner,
            Authority::Remote(Some(principal)) => Payer::Subject(principal.subject()),
            Authority::Remote(None) => Payer::Anonymous(self.address),
        }
    }

    /// Whether disclosure is proved by a ticket, since the server remembers nothing of this caller.
    pub(crate) fn proves_by_ticket(&self) -> bool {
        self.era != Era::Session && self.session.is_none()
    }

    /// Whether the session ends with this request, as far as the client's name tells.
    pub(crate) fn is_one_shot_session(&self) -> bool {
        self.era == Era::Session && self.terms.is_one_shot
    }

    /// Whether disclosure is proved by a ticket, and the client passes it as an argument.
    pub(crate) fn passes_ticket_as_argument(&self) -> bool {
        self.proves_by_ticket() && !self.terms.keeps_tickets
    }

    /// What the caller can show for having had a description that its list does not hold. `former` are digests that the
    /// tool had before.
    ///
    /// # Errors
    ///
    /// The store that replicas share cannot be reached.
    pub(crate) async fn proof(
        &self,
        entry: &Entry,
        former: &[Digest],
        argument: Option<&str>,
        tickets: &Tickets,
    ) -> Result<Proof, DisclosureStoreError> {
        if let Some(session) = self.session {
            return self.remembered(session, entry).await;
        }
        let principal = self.authority.principal();
        Ok(match self.ticket.as_deref().or(argument) {
            None => Proof::Nothing,
            Some(ticket) if tickets.admits(ticket, &entry.digest, principal) => Proof::Disclosed,
            Some(ticket) if former.iter().any(|digest| tickets.admits(ticket, digest, principal)) => Proof::Outdated,
            Some(_) => Proof::BadTicket,
        })
    }

    async fn remembered(&self, session: &Session, entry: &Entry) -> Result<Proof, DisclosureStoreError> {
        let here = session.recalls(entry.disclosed);
        let memory = match &self.elsewhere {
            Some(elsewhere) if here != Memory::This => {
                session.record(&elsewhere.given().await?);
                session.recalls(entry.disclosed)
            }
            _ => here,
        };
        Ok(match memory {
            Memory::This => Proof::Disclosed,
            Memory::Former => Proof::Outdated,
            Memory::Nothing => Proof::Nothing,
        })
    }
}

/// What the client says in a request that carries all that 2026-07-28 asks of one. rmcp has decoded it before and refused
/// what is malformed or carries only part of it; to decode it again would cost as much as the gate.
fn self_contained(meta: &RequestMetaObject) -> Option<Client<'_>> {
    let capabilities = member(meta, CLIENT_CAPABILITIES).filter(|capabilities| capabilities.is_object());
    let version = member(meta, PROTOCOL_VERSION).and_then(Value::as_str)?;
    capabilities.map(|_| Client { version, extensions: Extensions::Inline(capabilities) })
}

/// A member of `_meta`, which has few: to compare with each costs less than to hash a name.
fn member<'a>(meta: &'a RequestMetaObject, key: &str) -> Option<&'a Value> {
    meta.iter().find_map(|(known, value)| (known == key).then_some(value))
}

/// What the wires ask that the client declared in `initialize`, as far as rmcp knows.
pub(crate) fn by_handshake(request: &RequestContext<RoleServer>, terms_of: impl Fn(&Client<'_>) -> Terms) -> Terms {
    request.peer.peer_info().map_or_else(Terms::default, |info| {
        let extensions = Extensions::Handshake(info.capabilities.extensions.as_ref());
        let terms = terms_of(&Client { version: info.protocol_version.as_str(), extensions });
        terms.with_client_name(&info.client_info.name)
    })
}

/// Over HTTP, what middleware put into the request; elsewhere the user who started the process.
pub(crate) fn authority(request: &RequestContext<RoleServer>) -> Authority {
    match request.extensions.get::<http::request::Parts>() {
        Some(parts) => Authority::Remote(parts.extensions.get::<Principal>().cloned()),
        None => Authority::Owner,
    }
}

/// Where an anonymous request comes from. Of others it does not matter.
#[cfg(feature = "http")]
fn address(request: &RequestContext<RoleServer>, authority: &Authority) -> Option<IpAddr> {
    if *authority != Authority::Remote(None) {
        return None;
    }
    peer_address(&request.extensions.get::<http::request::Parts>()?.extensions)
}

/// The identity that an HTTP request is charged to, by the request's extensions.
#[cfg(feature = "http")]
pub(crate) fn payer_over_http(extensions: &http::Extensions) -> Payer<'_> {
    match extensions.get::<Principal>() {
        Some(principal) => Payer::Subject(principal.subject()),
        None => Payer::Anonymous(peer_address(extensions)),
    }
}

/// The client's address, if the transport or middleware recorded it.
#[cfg(feature = "http")]
pub(crate) fn peer_address(extensions: &http::Extensions) -> Option<IpAddr> {
    use axum::extract::ConnectInfo;
    extensions.get::<ConnectInfo<std::net::SocketAddr>>().map(|ConnectInfo(address)| address.ip())
}

#[cfg(not(feature = "http"))]
fn address(_: &RequestContext<RoleServer>, _: &Authority) -> Option<IpAddr> {
    None
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
