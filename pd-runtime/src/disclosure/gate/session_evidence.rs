//! The recognition of clients with sessions that do not last. `undisclosed_calls` has the calls that
//! run for them.
//!
//! Only what a client does counts. Names say nothing: most frameworks send the name of their SDK.

use super::{
    first_request::FirstToolRequest,
    refused_calls::{CallHash, NO_SESSION, OWNER, RefusedCall, RefusedCalls},
};
use crate::{
    catalog::entry::CatalogEntry,
    digest::canonical_json::{self, MemberValue},
    disclosure::client_name::{ClientName, client_name},
    policy::{limits::Limits, rate_limit, session_per_call::SessionPerCall},
    protocol::{keys::TICKET_ARGUMENT, quota_key::QuotaKey},
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
    pub(in crate::disclosure) setting: SessionPerCall,
    /// The first request about tools in the caller's own session or connection.
    pub(in crate::disclosure) first: Option<&'a FirstToolRequest>,
    pub(in crate::disclosure) refused: &'a RefusedCalls,
    session: u64,
    /// The name of an unauthenticated client.
    client: ClientName,
    /// The `User-Agent` of an anonymous caller.
    user_agent: Box<str>,
}

impl<'a> SessionEvidence<'a> {
    /// Creates the evidence of a principal. `first` is what the handler of a lasting session or
    /// connection recorded, and `session` the number of the session.
    pub(in crate::disclosure) fn new(
        setting: SessionPerCall,
        first: Option<&'a FirstToolRequest>,
        refused: &'a RefusedCalls,
        session: Option<u64>,
    ) -> Self {
        Self {
            setting,
            first,
            refused,
            session: session.unwrap_or(NO_SESSION),
            client: ClientName::default(),
            user_agent: Box::default(),
        }
    }

    /// Adds how an unauthenticated client calls itself.
    pub(in crate::disclosure) fn with_client(self, request: &RequestContext<RoleServer>) -> Self {
        Self {
            client: client_name(request),
            user_agent: user_agent(request),
            ..self
        }
    }

    pub(in crate::disclosure) fn opened_with_call(&self) -> bool {
        self.first.is_some_and(FirstToolRequest::is_call)
    }

    /// Returns the entry for all calls of a tool by this payer.
    pub(in crate::disclosure) fn refused_tool(
        &self,
        payer: QuotaKey<'_>,
        entry: &CatalogEntry,
    ) -> RefusedCall {
        let (kind, subject, address) = payer.key();
        let hashed = [&[kind], subject.as_bytes(), &address.to_be_bytes()];
        let number = match payer {
            QuotaKey::Owner => OWNER,
            // Never 0, which is the owner's.
            QuotaKey::Subject(_) | QuotaKey::Anonymous(_) => hash(&hashed)
                .first_chunk()
                .map_or(1, |bytes| u64::from_be_bytes(*bytes) | 1),
        };
        let [kind, subject, address] = hashed;
        let client = self.client.as_str().as_bytes();
        let user_agent = self.user_agent.as_bytes();
        let tool = hash(&[
            kind,
            subject,
            address,
            client,
            user_agent,
            entry.digest.bytes(),
        ]);
        RefusedCall {
            payer: number,
            session: self.session,
            tool,
            call: tool,
        }
    }

    /// Returns the entry for one call. Returns `None` if the arguments are too large to remember.
    pub(in crate::disclosure) fn refused_call(
        &self,
        payer: QuotaKey<'_>,
        entry: &CatalogEntry,
        arguments: &JsonObject,
        limits: &Limits,
    ) -> Option<RefusedCall> {
        // Also a bound on the recursion of the hash.
        let bytes = rate_limit::arguments::check(arguments, limits).ok()?;
        if bytes > ARGUMENTS_MAX {
            return None;
        }
        // The ticket may differ between two calls that are otherwise equal.
        let members = arguments
            .iter()
            .filter(|(name, _)| *name != TICKET_ARGUMENT);
        let members = members
            .map(|(name, value): (&String, &Value)| (name.as_str(), MemberValue::Value(value)));
        let arguments = canonical_json::members_bytes(members.collect()).ok()?;
        let tool = self.refused_tool(payer, entry);
        Some(RefusedCall {
            call: hash(&[&tool.tool, &arguments]),
            ..tool
        })
    }
}

fn user_agent(request: &RequestContext<RoleServer>) -> Box<str> {
    let parts = request.extensions.get::<http::request::Parts>();
    let header = parts.and_then(|parts| parts.headers.get(http::header::USER_AGENT)?.to_str().ok());
    header.unwrap_or_default().into()
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
