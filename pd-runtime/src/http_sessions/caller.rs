//! The caller of the request that is being answered, in a task-local. rmcp calls the session
//! manager and the session store without the request.

use super::{
    BufferedRequest, client_flags::ClientFlags, error::SessionRefusal, opener::SessionOpener,
    session::HttpSession,
};
use crate::{
    disclosure::caller::peer_address,
    policy::access::{CallerAuthority, CallerIdentity},
    protocol::headers::VERSION,
    protocol::quota_key::QuotaKey,
    tool::principal::Principal,
};

use rmcp::model::ProtocolVersion;
use std::{
    cell::{Cell, OnceCell},
    net::IpAddr,
    sync::Arc,
};

tokio::task_local! {
    static CALLER: RequestCaller;
}

/// The length of a protocol version: all versions are dates.
const DATE: usize = "2026-07-28".len();

/// The caller of one request.
pub(super) struct RequestCaller {
    authority: CallerAuthority,
    /// The peer's address, if it is known.
    address: Option<IpAddr>,
    /// The reason why no session was opened.
    no_room: Cell<Option<SessionRefusal>>,
    /// The version in the request's `MCP-Protocol-Version` header, if it has the length of a date.
    version: Option<[u8; DATE]>,
    /// The flags of the client, if the request opens a session that replicas share.
    flags: Cell<ClientFlags>,
    /// The session that `has_session` found for this request.
    session: OnceCell<Arc<HttpSession>>,
}

/// Returns the caller's identity, or `CallerIdentity::Nobody` outside of requests.
pub(super) fn person() -> CallerIdentity {
    CALLER
        .try_with(|caller| caller.authority.person())
        .unwrap_or(CallerIdentity::Nobody)
}

/// Returns the opener of the session that this request asks for.
pub(super) fn opener() -> SessionOpener {
    CALLER
        .try_with(|caller| SessionOpener::new(caller.authority.person(), caller.address))
        .unwrap_or(SessionOpener::Person(CallerIdentity::Nobody))
}

/// Calls `charge` with this request's payer. Returns `None` outside of requests.
pub(super) fn charge<T>(charge: impl FnOnce(QuotaKey<'_>) -> T) -> Option<T> {
    CALLER
        .try_with(|caller| match caller.authority.principal() {
            Some(principal) => charge(QuotaKey::Subject(principal.subject())),
            None => charge(QuotaKey::Anonymous(caller.address)),
        })
        .ok()
}

/// Returns whether a request is being answered.
pub(super) fn is_known() -> bool {
    CALLER.try_with(|_| ()).is_ok()
}

/// Returns the protocol version that applies to this request.
pub(super) fn version() -> ProtocolVersion {
    let named = |caller: &RequestCaller| {
        str::from_utf8(caller.version.as_ref()?)
            .ok()
            .map(str::to_owned)
    };
    let named = CALLER.try_with(named).ok().flatten();
    // Clients send the header from 2025-06-18 on. MCP has servers assume 2025-03-26 without it.
    named
        .and_then(|name| serde_json::from_value(name.into()).ok())
        .unwrap_or(ProtocolVersion::V_2025_03_26)
}

/// Returns the flags of the client that opens a session.
pub(super) fn client_flags() -> ClientFlags {
    CALLER
        .try_with(|caller| caller.flags.get())
        .unwrap_or_default()
}

/// Records the flags in the body of an `initialize` request.
pub(super) fn record_flags(body: &[u8]) {
    // Outside of a request, nothing puts the flags into a session id.
    let _ = CALLER.try_with(|caller| caller.flags.set(ClientFlags::from_body(body)));
}

/// Returns the reason why this request got no session, if it was refused one.
pub(super) fn no_room() -> Option<SessionRefusal> {
    CALLER
        .try_with(|caller| caller.no_room.get())
        .ok()
        .flatten()
}

/// Records the session that was found for this request. rmcp asks for it again at each step.
pub(super) fn record_session(session: &Arc<HttpSession>) {
    // `OnceCell` keeps the first session of a request. Outside of requests nothing is recorded.
    let _ = CALLER.try_with(|caller| caller.session.set(session.clone()));
}

/// Returns the session with this id, if it was found for this request.
pub(super) fn session(id: &str) -> Option<Arc<HttpSession>> {
    CALLER
        .try_with(|caller| {
            caller
                .session
                .get()
                .filter(|session| session.id() == id)
                .cloned()
        })
        .ok()?
}

/// Records why no session is opened. The gatekeeper answers the request then: rmcp would answer with
/// status 500, and log each such error.
pub(super) fn refuse(why: SessionRefusal) {
    // Outside of a request no answer carries the reason.
    let _ = CALLER.try_with(|caller| caller.no_room.set(Some(why)));
}

impl RequestCaller {
    pub(super) fn from_request(request: &BufferedRequest) -> Self {
        let authority = CallerAuthority::Remote(request.extensions().get::<Principal>().cloned());
        let address = peer_address(request.extensions());
        let version = request
            .headers()
            .get(VERSION)
            .and_then(|version| version.as_bytes().try_into().ok());
        let flags = Cell::default();
        let session = OnceCell::new();
        Self {
            authority,
            address,
            no_room: Cell::new(None),
            version,
            flags,
            session,
        }
    }

    /// Runs the future that answers this caller's request, with the caller in the task-local.
    pub(super) async fn scope<T>(self, answer: impl Future<Output = T>) -> T {
        CALLER.scope(self, answer).await
    }
}
