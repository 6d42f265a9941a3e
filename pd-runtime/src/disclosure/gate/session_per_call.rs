//! The recognition of clients with sessions that do not last, and the calls that run for them
//! although their session has read nothing.
//!
//! Only what a client does counts. Names say nothing: most frameworks send the name of their SDK.

use super::{
    DenialReason, UndisclosedReason,
    first_request::{FirstToolRequest, ToolRequestKind},
    refused_calls::{CallHash, NO_SESSION, OWNER, RefusedCall, RefusedCalls},
    session::DisclosureSession,
};
use crate::{
    catalog::entry::CatalogEntry,
    digest::canonical_json::{self, MemberValue},
    disclosure::{
        caller::{Caller, ClientName, client_name},
        view::CallerView,
    },
    policy::{Refusal, access::CallerAuthority, rate_limit, session_per_call::SessionPerCall},
    protocol::keys::TICKET_ARGUMENT,
};
use rmcp::{RoleServer, model::JsonObject, service::RequestContext};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// The most bytes of the arguments of a call that is remembered.
const ARGUMENTS_MAX: usize = 64 * 1024;
/// The domain of the hashes, which makes them differ from other hashes of the same texts.
const PURPOSE: &[u8] = b"dev.pd-runtime/refused-calls";

/// The observations by which a client without lasting sessions is recognized.
#[derive(Debug)]
pub(crate) struct SessionEvidence<'a> {
    setting: SessionPerCall,
    /// The first request about tools in the caller's own session or connection.
    first: Option<&'a FirstToolRequest>,
    refused: &'a RefusedCalls,
    session: u64,
    /// The name of an unauthenticated client.
    client: ClientName,
    /// The `User-Agent` of an anonymous caller.
    user_agent: Box<str>,
}

impl<'a> SessionEvidence<'a> {
    /// Collects the evidence of one request. `first` is what the handler recorded, and `session`
    /// the number of its session.
    pub(crate) fn new(
        caller: &Caller<'a>,
        request: &RequestContext<RoleServer>,
        setting: SessionPerCall,
        first: &'a FirstToolRequest,
        refused: &'a RefusedCalls,
        session: Option<u64>,
    ) -> Option<Self> {
        if setting == SessionPerCall::Refuse || caller.is_in_foreign_session {
            return None;
        }
        // A principal is known by its subject alone.
        let is_named = caller.authority.principal().is_some();
        let (client, user_agent) = if is_named {
            Default::default()
        } else {
            (client_name(request), user_agent(request))
        };
        let has_session = caller.own_session().is_some();
        // Over HTTP, a handler without a session answers a single request.
        let is_lasting = has_session || caller.authority == CallerAuthority::Owner;
        let session = session.filter(|_| has_session).unwrap_or(NO_SESSION);
        Some(Self {
            setting,
            first: Some(first).filter(|_| is_lasting),
            refused,
            session,
            client,
            user_agent,
        })
    }

    fn opened_with_call(&self) -> bool {
        self.first.is_some_and(FirstToolRequest::is_call)
    }
}

fn user_agent(request: &RequestContext<RoleServer>) -> Box<str> {
    let parts = request.extensions.get::<http::request::Parts>();
    let header = parts.and_then(|parts| parts.headers.get(http::header::USER_AGENT)?.to_str().ok());
    header.unwrap_or_default().into()
}

impl<'a> Caller<'a> {
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
    pub(crate) fn may_use_tickets_in_session(&self) -> bool {
        self.evidence.is_some()
    }

    /// Returns the hash for the caller and a tool's description, and the payer that the bound counts.
    fn hash_tool(&self, entry: &CatalogEntry, evidence: &SessionEvidence<'_>) -> (u64, CallHash) {
        let (kind, subject, address) = self.payer().key();
        let payer = [&[kind], subject.as_bytes(), &address.to_be_bytes()];
        let number = match self.authority {
            CallerAuthority::Owner => OWNER,
            // Never 0, which is the owner's.
            CallerAuthority::Remote(_) => hash(&payer)
                .first_chunk()
                .map_or(1, |bytes| u64::from_be_bytes(*bytes) | 1),
        };
        let [kind, subject, address] = payer;
        let client = evidence.client.as_str().as_bytes();
        let user_agent = evidence.user_agent.as_bytes();
        (
            number,
            hash(&[
                kind,
                subject,
                address,
                client,
                user_agent,
                entry.digest.bytes(),
            ]),
        )
    }
}

impl CallerView<'_> {
    /// Returns the reason why a call runs that the gate denies, if it does. The arguments are
    /// validated as usual.
    pub(crate) async fn undisclosed_reason(
        &self,
        entry: &CatalogEntry,
        arguments: Option<&JsonObject>,
    ) -> Option<UndisclosedReason> {
        let evidence = self.caller.evidence.as_ref()?;
        if evidence.setting != SessionPerCall::Admit {
            return None;
        }
        // A tool that must be read about first is refused once. The repeated call is admitted below.
        if evidence.opened_with_call() && !entry.is_read_first() {
            return Some(UndisclosedReason::SessionPerCall);
        }
        let call = self.refused_call(entry, arguments?)?;
        evidence
            .refused
            .admits_repeated(call)
            .await
            .then_some(UndisclosedReason::Repeated)
    }

    /// Remembers a call that was refused, or the call that the refusal says to send.
    pub(crate) async fn record_refused_call(
        &self,
        entry: &CatalogEntry,
        arguments: &JsonObject,
        reason: DenialReason,
    ) {
        // Without a session, a refusal without a description must not count as one with it.
        let is_bare = self.caller.own_session().is_none()
            && self.policy.refusal(self.step()) == Refusal::Bare;
        if reason == DenialReason::ForeignSession || is_bare {
            return;
        }
        let call = self.refused_call(entry, arguments);
        if let Some((evidence, call)) = self.caller.evidence.as_ref().zip(call) {
            evidence.refused.record(call).await;
        }
    }

    /// Returns whether the description must contain a ticket although the caller has a session: the
    /// session does not last, or the principal was refused the tool in another one.
    pub(crate) fn needs_ticket_in_session(&self, entry: &CatalogEntry) -> bool {
        let Some(evidence) = self
            .caller
            .evidence
            .as_ref()
            .filter(|_| self.caller.own_session().is_some())
        else {
            return false;
        };
        let (payer, tool) = self.caller.hash_tool(entry, evidence);
        let call = RefusedCall {
            payer,
            session: evidence.session,
            tool,
            call: tool,
        };
        (evidence.setting == SessionPerCall::Ticket
            && evidence.first.is_some_and(FirstToolRequest::is_any_call))
            || evidence.refused.knows_tool(&call)
    }

    fn refused_call(&self, entry: &CatalogEntry, arguments: &JsonObject) -> Option<RefusedCall> {
        let evidence = self.caller.evidence.as_ref()?;
        // Also a bound on the recursion of the hash.
        let bytes = rate_limit::arguments::check(arguments, &self.policy.limits).ok()?;
        if bytes > ARGUMENTS_MAX {
            return None;
        }
        let members = arguments
            .iter()
            .filter(|(name, _)| *name != TICKET_ARGUMENT);
        let members = members
            .map(|(name, value): (&String, &Value)| (name.as_str(), MemberValue::Value(value)));
        let arguments = canonical_json::members_bytes(members.collect()).ok()?;
        let (payer, tool) = self.caller.hash_tool(entry, evidence);
        let call = hash(&[&tool, &arguments]);
        Some(RefusedCall {
            payer,
            session: evidence.session,
            tool,
            call,
        })
    }
}

/// Hashes several texts. Their lengths keep them apart.
fn hash(parts: &[&[u8]]) -> CallHash {
    let mut hash = Sha256::new_with_prefix(PURPOSE);
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().first_chunk().copied().unwrap_or_default()
}
