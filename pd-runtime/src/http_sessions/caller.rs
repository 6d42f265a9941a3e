//! Who a request comes from, told to the sessions around rmcp, which asks them without the request.

use super::{Request, client_flags::Said, error::NoRoom, opener::Opener, session::Session};
use crate::{
    disclosure::caller::peer_address,
    policy::access::{Authority, Person},
    protocol::headers::VERSION,
    quota_key::Payer,
    tool::principal::Principal,
};

use rmcp::model::ProtocolVersion;
use std::{
    cell::{Cell, OnceCell},
    net::IpAddr,
    sync::Arc,
};

tokio::task_local! {
    static CALLER: Caller;
}

/// The length of a protocol version.
const DATE: usize = "2026-07-28".len();

/// One request's caller.
pub(super) struct Caller {
    authority: Authority,
    /// Where the request comes from, as far as that is known.
    address: Option<IpAddr>,
    /// Why no session was opened.
    no_room: Cell<Option<NoRoom>>,
    /// The protocol version that it names, if it is a date as all are.
    version: Option<[u8; DATE]>,
    /// What its client says of itself, if it opens a session that replicas share.
    said: Cell<Said>,
    /// The session that was found for it.
    found: OnceCell<Arc<Session>>,
}

/// Who this request's caller is; outside of requests, nobody.
pub(super) fn person() -> Person {
    CALLER.try_with(|caller| caller.authority.person()).unwrap_or(Person::Nobody)
}

/// Who opens the session that this request asks for.
pub(super) fn opener() -> Opener {
    CALLER
        .try_with(|caller| Opener::new(caller.authority.person(), caller.address))
        .unwrap_or(Opener::Person(Person::Nobody))
}

/// Charges this request's payer.
pub(super) fn charge<T>(charge: impl FnOnce(Payer<'_>) -> T) -> Option<T> {
    let payer = |caller: &Caller| match caller.authority.principal() {
        Some(principal) => charge(Payer::Subject(principal.subject())),
        None => charge(Payer::Anonymous(caller.address)),
    };
    CALLER.try_with(payer).ok()
}

/// Whether a request is being answered.
pub(super) fn is_known() -> bool {
    CALLER.try_with(|_| ()).is_ok()
}

/// The protocol version that applies: clients name it from 2025-06-18 on.
pub(super) fn version() -> ProtocolVersion {
    let named = |caller: &Caller| str::from_utf8(caller.version.as_ref()?).ok().map(str::to_owned);
    let named = CALLER.try_with(named).ok().flatten();
    named.and_then(|name| serde_json::from_value(name.into()).ok()).unwrap_or(ProtocolVersion::V_2025_03_26)
}

/// What the client says of itself.
pub(super) fn said() -> Said {
    CALLER.try_with(|caller| caller.said.get()).unwrap_or_default()
}

/// Takes note of what a client says of itself in the body of its request.
pub(super) fn hear(body: &[u8]) {
    // Outside of requests nobody says anything.
    let _ = CALLER.try_with(|caller| caller.said.set(Said::in_body(body)));
}

/// Why no session was opened, if one was refused.
pub(super) fn no_room() -> Option<NoRoom> {
    CALLER.try_with(|caller| caller.no_room.get()).ok().flatten()
}

/// Remembers the session that was found for this request: rmcp asks again for each step.
pub(super) fn found(session: &Arc<Session>) {
    // A second one is not remembered, nor is any outside of requests.
    let _ = CALLER.try_with(|caller| caller.found.set(session.clone()));
}

/// The session of this id, if it was found for this request.
pub(super) fn session(id: &str) -> Option<Arc<Session>> {
    CALLER.try_with(|caller| caller.found.get().filter(|session| session.id() == id).cloned()).ok()?
}

/// Records that no session is opened: rmcp would call that a defect of the server.
pub(super) fn refuse(why: NoRoom) {
    // Outside of requests nobody is answered.
    let _ = CALLER.try_with(|caller| caller.no_room.set(Some(why)));
}

impl Caller {
    pub(super) fn of(request: &Request) -> Self {
        let authority = Authority::Remote(request.extensions().get::<Principal>().cloned());
        let address = peer_address(request.extensions());
        let version = request.headers().get(VERSION).and_then(|version| version.as_bytes().try_into().ok());
        let (said, found) = (Cell::default(), OnceCell::new());
        Self { authority, address, no_room: Cell::new(None), version, said, found }
    }

    /// Answers its request: whose it is can be asked meanwhile.
    pub(super) async fn asks<T>(self, answer: impl Future<Output = T>) -> T {
        CALLER.scope(self, answer).await
    }
}
