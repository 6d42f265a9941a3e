//! The caller of a request, and the rules that apply to it. It is resolved once for each request.

pub(crate) use crate::telemetry::audit::Era;

use crate::{
    catalog::entry::CatalogEntry,
    digest::Digest,
    disclosure::{
        client_name::client_name,
        gate::{
            DisclosureProof,
            first_request::{FirstToolRequest, ToolRequestKind},
            refused_calls::RefusedCalls,
            replicas::ReplicaSession,
            session::{DisclosureSession, SessionRecall},
            session_evidence::SessionEvidence,
            ticket::TicketSigner,
        },
    },
    policy::{
        access::{CallerAuthority, CallerIdentity},
        disclosure_store::{
            DisclosureStore, DisclosureStoreError, disclosure_record::DisclosureRecord,
        },
        known_hosts::{self, KnownHost},
        session_per_call::SessionPerCall,
    },
    protocol::{
        keys::{TICKET, TICKET_ARGUMENT},
        negotiated::{ClientExtensions, ClientProfile, ClientTerms},
        quota_key::QuotaKey,
    },
    tool::{client_session::ClientSession, principal::Principal},
};
use pd_schema::member;
use rmcp::{
    RoleServer,
    model::{JsonObject, RequestMetaObject},
    service::RequestContext,
};
use serde_json::Value;
use std::{net::IpAddr, sync::Arc};

const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// One request's caller.
#[derive(Debug)]
pub(crate) struct Caller<'a> {
    pub(crate) era: Era,
    pub(crate) authority: CallerAuthority,
    /// The requirements of the surfaces that the client speaks.
    pub(crate) terms: ClientTerms,
    /// The client's host, if the server goes by names and knows this one.
    pub(crate) host: Option<&'static KnownHost>,
    /// Whether MCP 2026-07-28 or a later version applies.
    pub(crate) modern: bool,
    /// The address of an anonymous request, if the transport knows it.
    address: Option<IpAddr>,
    session: Option<&'a DisclosureSession>,
    /// The disclosures that other replicas made in the session, if the replicas share a store.
    replica_session: Option<ReplicaSession<'a>>,
    /// Whether another person opened the session. A tool that runs in it may talk to that person's
    /// client.
    pub(crate) is_in_foreign_session: bool,
    /// The evidence that the caller's sessions do not last, unless the server ignores it.
    pub(crate) evidence: Option<SessionEvidence<'a>>,
    ticket: Option<String>,
}

impl<'a> Caller<'a> {
    /// Resolves the caller of a request that reached a handler with this session, if it has one.
    /// `terms_of` returns the requirements of the client's surfaces; `store` is the one that
    /// replicas share.
    pub(crate) fn from_request(
        request: &RequestContext<RoleServer>,
        session: Option<&'a DisclosureSession>,
        store: Option<&'a dyn DisclosureStore>,
        terms_of: impl Fn(&ClientProfile<'_>) -> ClientTerms,
    ) -> Self {
        let authority = authority(request);
        let address = address(request, &authority);
        let ticket = member::find(&request.meta, TICKET)
            .and_then(Value::as_str)
            .map(str::to_owned);
        let mut caller = Self {
            address,
            ticket,
            ..Self::new(Era::LegacyStateless, authority)
        };
        // Metadata decides, not the version: a connection that was initialized may still send
        // self-contained requests.
        if let Some(client) = self_contained(&request.meta) {
            (caller.era, caller.terms, caller.modern) = (Era::Inline, terms_of(&client), true);
        // Without metadata and session the caller is legacy and stateless: an HTTP client of an
        // older version, on a server without sessions.
        } else if let Some(session) = session {
            caller.enter(session, |person| {
                store.and_then(|store| ReplicaSession::from_request(store, request, person))
            });
        } else {
            caller.terms = handshake_terms(request, terms_of);
        }
        caller
    }

    /// Adds the memory of the caller's connection (`remember_connection`), if the connection is the
    /// caller's own.
    ///
    /// Only self-contained requests of the process's own client have such a memory. Over HTTP a
    /// connection may carry requests of several clients.
    pub(crate) fn enter_connection(&mut self, memory: impl FnOnce() -> &'a DisclosureSession) {
        // A principal exists only over HTTP, so the owner is always the process's own client.
        if self.era == Era::Inline && self.authority == CallerAuthority::Owner {
            self.session = Some(memory());
        }
    }

    /// Looks the client's name up among the known hosts.
    pub(crate) fn find_host(&mut self, request: &RequestContext<RoleServer>) {
        self.host = known_hosts::find(client_name(request).as_str());
    }

    /// Collects the evidence that the caller's sessions do not last. `first` is what the handler
    /// recorded, and `session` the number of its session.
    pub(crate) fn add_evidence(
        &mut self,
        request: &RequestContext<RoleServer>,
        setting: SessionPerCall,
        first: &'a FirstToolRequest,
        refused: &'a RefusedCalls,
        session: Option<u64>,
    ) {
        if setting == SessionPerCall::Refuse || self.is_in_foreign_session {
            return;
        }
        let has_session = self.own_session().is_some();
        // Over HTTP, a handler without a session answers a single request.
        let is_lasting = has_session || self.authority == CallerAuthority::Owner;
        let first = Some(first).filter(|_| is_lasting);
        let session = session.filter(|_| has_session);
        let evidence = SessionEvidence::new(setting, first, refused, session);
        // A principal is known by its subject alone.
        let is_named = self.authority.principal().is_some();
        self.evidence = Some(if is_named {
            evidence
        } else {
            evidence.with_client(request)
        });
    }

    /// Records that the caller requests something about tools.
    pub(crate) fn record_tool_request(&self, kind: ToolRequestKind) {
        self.evidence
            .iter()
            .filter_map(|evidence| evidence.first)
            .for_each(|first| first.record(kind));
    }

    /// Returns the caller's own session, unless it began with a call and so ends with it.
    pub(crate) fn lasting_session(&self) -> Option<&'a DisclosureSession> {
        let ends = self
            .evidence
            .as_ref()
            .is_some_and(SessionEvidence::opened_with_call);
        self.own_session().filter(|_| !ends)
    }

    /// Returns whether tickets are valid in sessions.
    fn may_use_tickets_in_session(&self) -> bool {
        self.evidence.is_some()
    }

    fn new(era: Era, authority: CallerAuthority) -> Self {
        Self {
            era,
            authority,
            terms: ClientTerms::default(),
            host: None,
            modern: false,
            session: None,
            replica_session: None,
            address: None,
            is_in_foreign_session: false,
            evidence: None,
            ticket: None,
        }
    }

    fn enter(
        &mut self,
        session: &'a DisclosureSession,
        replica_session: impl FnOnce(&CallerIdentity) -> Option<ReplicaSession<'a>>,
    ) {
        let person = self.authority.person();
        (self.era, self.terms, self.modern) = (Era::Session, session.terms, session.modern);
        // rmcp binds no session to a principal. A stolen session id leads here, and must find no
        // disclosures.
        if session.owner == person {
            (self.session, self.replica_session) = (Some(session), replica_session(&person));
        } else {
            self.is_in_foreign_session = true;
        }
    }

    /// Returns the operator of the server, without a connection.
    pub(crate) fn owner() -> Self {
        Self {
            modern: true,
            ..Self::new(Era::Session, CallerAuthority::Owner)
        }
    }

    /// Returns the session or the remembered connection, if it is the caller's own.
    pub(crate) fn own_session(&self) -> Option<&'a DisclosureSession> {
        self.session
    }

    /// Returns the session as tools and handlers see it, if the caller has one.
    pub(crate) fn client_session(&self) -> Option<Arc<ClientSession>> {
        self.session?.client.get().cloned()
    }

    /// Returns whether a request belongs to a session, and comes from the person that opened it.
    /// This is the rule of [`Self::own_session`], without the rest of the caller.
    pub(crate) fn is_in_session(
        request: &RequestContext<RoleServer>,
        session: &DisclosureSession,
    ) -> bool {
        self_contained(&request.meta).is_none() && session.owner == authority(request).person()
    }

    /// Returns all disclosures made in the session, as far as this replica can learn of them.
    pub(crate) async fn disclosures(&self) -> Vec<DisclosureRecord> {
        let Some(session) = self.session else {
            return Vec::new();
        };
        if let Some(replica_session) = &self.replica_session {
            match replica_session.disclosures().await {
                // Cached in the session, so that the next call need not ask the store.
                Ok(disclosures) => drop(session.record(&disclosures)),
                Err(error) => {
                    tracing::debug!(%error, "could not read the disclosures of other replicas")
                }
            }
        }
        session.disclosures()
    }

    /// Returns the session in the shared store.
    pub(crate) fn replica_session(&self) -> Option<&ReplicaSession<'a>> {
        self.replica_session.as_ref()
    }

    /// Returns the identity that rate limits and quotas are charged to.
    pub(crate) fn payer(&self) -> QuotaKey<'_> {
        match &self.authority {
            CallerAuthority::Owner => QuotaKey::Owner,
            CallerAuthority::Remote(Some(principal)) => QuotaKey::Subject(principal.subject()),
            CallerAuthority::Remote(None) => QuotaKey::Anonymous(self.address),
        }
    }

    /// Returns whether a ticket proves disclosure, because the server remembers nothing of this
    /// caller.
    pub(crate) fn proves_by_ticket(&self) -> bool {
        self.era != Era::Session && self.session.is_none()
    }

    /// Returns whether the client passes tickets as arguments, so that schemas must ask for them.
    pub(crate) fn reads_ticket_in_schema(&self) -> bool {
        !self.terms.keeps_tickets
    }

    /// Returns whether a ticket proves disclosure and the client passes it as an argument.
    pub(crate) fn passes_ticket_as_argument(&self) -> bool {
        self.proves_by_ticket() && self.reads_ticket_in_schema()
    }

    /// Returns the proof that the caller has for a description that its list does not contain.
    /// `former` are the digests that the tool had before.
    ///
    /// # Errors
    ///
    /// Returns an error if the store that replicas share cannot be reached.
    pub(crate) async fn proof(
        &self,
        entry: &CatalogEntry,
        former: &[Digest],
        argument: Option<&str>,
        tickets: &TicketSigner,
    ) -> Result<DisclosureProof, DisclosureStoreError> {
        let ticket = self.ticket.as_deref().or(argument);
        let Some(session) = self.session else {
            return Ok(self.proof_from_ticket(entry, former, ticket, tickets));
        };
        let memory = self.proof_from_memory(session, entry).await;
        if ticket.is_none()
            || !self.may_use_tickets_in_session()
            || matches!(memory, Ok(DisclosureProof::Disclosed))
        {
            return memory;
        }
        // The session may be a new one of a client without lasting sessions.
        match self.proof_from_ticket(entry, former, ticket, tickets) {
            // A bad ticket explains more than an empty memory, and less than an outdated one.
            DisclosureProof::BadTicket => memory.map(|proof| match proof {
                DisclosureProof::Nothing => DisclosureProof::BadTicket,
                proof => proof,
            }),
            proof => Ok(proof),
        }
    }

    fn proof_from_ticket(
        &self,
        entry: &CatalogEntry,
        former: &[Digest],
        ticket: Option<&str>,
        tickets: &TicketSigner,
    ) -> DisclosureProof {
        let principal = self.authority.principal();
        match ticket {
            None => DisclosureProof::Nothing,
            Some(ticket) if tickets.admits(ticket, &entry.digest, principal) => {
                DisclosureProof::Disclosed
            }
            // Former digests only improve the refusal's reason: the call is refused in both cases.
            Some(ticket)
                if former
                    .iter()
                    .any(|digest| tickets.admits(ticket, digest, principal)) =>
            {
                DisclosureProof::Outdated
            }
            Some(_) => DisclosureProof::BadTicket,
        }
    }

    async fn proof_from_memory(
        &self,
        session: &DisclosureSession,
        entry: &CatalogEntry,
    ) -> Result<DisclosureProof, DisclosureStoreError> {
        let own_memory = session.recall(entry.disclosed);
        let memory = match &self.replica_session {
            // The store is asked only if this replica's own memory does not suffice, so most calls
            // need no round trip.
            Some(replica_session) if own_memory != SessionRecall::This => {
                // Boxed, because few servers have replicas.
                session.record(&Box::pin(replica_session.disclosures()).await?);
                session.recall(entry.disclosed)
            }
            _ => own_memory,
        };
        Ok(match memory {
            SessionRecall::This => DisclosureProof::Disclosed,
            SessionRecall::Former => DisclosureProof::Outdated,
            SessionRecall::Nothing => DisclosureProof::Nothing,
        })
    }
}

/// Returns the client's metadata if the request carries everything that 2026-07-28 requires of a
/// self-contained request. rmcp has already decoded it and refused malformed or partial metadata;
/// decoding it again would cost as much as the gate.
fn self_contained(meta: &RequestMetaObject) -> Option<ClientProfile<'_>> {
    let capabilities =
        member::find(meta, CLIENT_CAPABILITIES).filter(|capabilities| capabilities.is_object());
    let version = member::find(meta, PROTOCOL_VERSION).and_then(Value::as_str)?;
    capabilities.map(|_| ClientProfile {
        version,
        extensions: ClientExtensions::Inline(capabilities),
    })
}

/// Returns the requirements of the surfaces that the client declared in `initialize`, as far as
/// rmcp knows them.
pub(crate) fn handshake_terms(
    request: &RequestContext<RoleServer>,
    terms_of: impl Fn(&ClientProfile<'_>) -> ClientTerms,
) -> ClientTerms {
    request
        .peer
        .peer_info()
        .map_or_else(ClientTerms::default, |info| {
            let extensions = ClientExtensions::Handshake(info.capabilities.extensions.as_ref());
            terms_of(&ClientProfile {
                version: info.protocol_version.as_str(),
                extensions,
            })
        })
}

/// Returns the authority of a request: over HTTP, the principal that middleware put into the
/// request; otherwise the user who started the process.
pub fn authority(request: &RequestContext<RoleServer>) -> CallerAuthority {
    match request.extensions.get::<http::request::Parts>() {
        Some(parts) => CallerAuthority::Remote(parts.extensions.get::<Principal>().cloned()),
        None => CallerAuthority::Owner,
    }
}

/// Returns the address of an anonymous request. It does not matter for other requests.
#[cfg(feature = "http")]
fn address(request: &RequestContext<RoleServer>, authority: &CallerAuthority) -> Option<IpAddr> {
    if *authority != CallerAuthority::Remote(None) {
        return None;
    }
    peer_address(&request.extensions.get::<http::request::Parts>()?.extensions)
}

/// Returns the identity that an HTTP request is charged to, by the request's extensions.
#[cfg(feature = "http")]
pub(crate) fn payer_over_http(extensions: &http::Extensions) -> QuotaKey<'_> {
    match extensions.get::<Principal>() {
        Some(principal) => QuotaKey::Subject(principal.subject()),
        None => QuotaKey::Anonymous(peer_address(extensions)),
    }
}

/// Returns the client's address, if the transport or middleware recorded it.
#[cfg(feature = "http")]
pub(crate) fn peer_address(extensions: &http::Extensions) -> Option<IpAddr> {
    use axum::extract::ConnectInfo;
    extensions
        .get::<ConnectInfo<std::net::SocketAddr>>()
        .map(|ConnectInfo(address)| address.ip())
}

#[cfg(not(feature = "http"))]
fn address(_: &RequestContext<RoleServer>, _: &CallerAuthority) -> Option<IpAddr> {
    None
}

/// Removes the ticket from a call's arguments, even if it is not a valid one: the name is reserved.
pub(crate) fn take_ticket(arguments: &mut JsonObject) -> Option<String> {
    // Most calls have no ticket, and need no hash of its name.
    member::find(arguments, TICKET_ARGUMENT)?;
    match arguments.shift_remove(TICKET_ARGUMENT)? {
        Value::String(text) => Some(text),
        // Models sometimes write long digits as numbers, which drops leading zeros.
        Value::Number(number) => Some(format!("{:0>18}", number.to_string())),
        // A value that cannot be a ticket is reported as a bad ticket, not as a missing one.
        _ => Some(String::new()),
    }
}
