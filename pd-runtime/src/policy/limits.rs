//! How much a caller may ask: settings. What keeps to them is in the room `limits`.

mod rate;

pub use rate::Rate;

use std::time::Duration;

/// How much a caller may ask, and how long a tool may take.
///
/// The defaults stop a loop that has gone wrong and a caller who means harm; no honest client should meet them.
///
/// | | default |
/// |---|---|
/// | [`calls`](Self::calls), [`finds`](Self::finds), [`describes`](Self::describes) of a principal | 100, 20 and 100 a second; 2,000, 200 and 2,000 at once |
/// | [the same of a session](Self::session_calls) | half of each |
/// | [`names`](Self::names) | 50 tools in one describe |
/// | [`query_chars`](Self::query_chars) | 500 characters of a search are read |
/// | [`argument_bytes`](Self::argument_bytes), [`argument_depth`](Self::argument_depth) | 1 MiB and 64 levels an argument |
/// | [`response_bytes`](Self::response_bytes) | 10 MiB a result |
/// | [`call_timeout`](Self::call_timeout) | none; tools set their own |
/// | [`concurrent_calls`](Self::concurrent_calls) | 10,000 in all; tools set their own |
/// | [`concurrent_calls_each`](Self::concurrent_calls_each) | half of them for one principal |
/// | [`patience`](Self::patience) | a call waits 10 seconds for its turn |
///
/// Arguments that may take long to judge are judged on the blocking pool, two calls a core at once: those of tools with a
/// `pattern` that looks around or refers back, and those of more than 64 KiB. They are refused as `INVALID_ARGUMENTS` after 5
/// seconds, and patterns after half a second.
///
/// ```
/// use pd_runtime::{Limits, Rate, prelude::*};
/// use std::time::Duration;
///
/// # /// Say hello
/// # #[pd_tool]
/// # fn hello() -> String { "hello".into() }
/// let limits = Limits::default()
///     .calls(Rate::per_minute(60).burst(20))
///     .finds(None)
///     .call_timeout(Duration::from_secs(30));
/// let server = PdServer::builder(pd_runtime::registry! { hello }, ()).limits(limits).build()?;
/// # let _ = server;
/// # Ok::<(), pd_runtime::Problems>(())
/// ```
///
/// # Who is counted
///
/// Over HTTP a principal, by its subject; an anonymous caller by its address, where the transport says it (IPv6 by its /64), and
/// all others as one. Behind a proxy every caller has the proxy's address: authenticate them, or let middleware put the real one
/// into the request's extensions, as axum's `ConnectInfo<SocketAddr>`. Whoever started the process is not counted
/// ([`owner`](Self::owner)). Each replica counts for itself. To open a session over HTTP counts as
/// a call of its principal.
///
/// # What a refused caller sees
///
/// `RATE_LIMITED`, and `retry_after` in whole seconds: as a result with `isError` from a tool, as the contents of a resource, and
/// elsewhere as the JSON-RPC error 429 with `data.retryAfter` (MCP 2026-07-28 keeps -32020 to -32099 to itself and asks that
/// new codes stand outside -32768 to -32000; basic, error codes). `initialize` also has the HTTP
/// status 429 then, with `Retry-After`. A hidden tool costs what an unknown one costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    pub(crate) principal: Rates,
    pub(crate) session: Rates,
    pub(crate) owner: bool,
    pub(crate) principals: usize,
    pub(crate) names: usize,
    pub(crate) query_chars: usize,
    pub(crate) argument_bytes: usize,
    pub(crate) argument_depth: usize,
    pub(crate) response_bytes: usize,
    pub(crate) call_timeout: Option<Duration>,
    pub(crate) concurrent_calls: Option<usize>,
    pub(crate) concurrent_calls_each: Share,
    pub(crate) patience: Duration,
}

/// How much of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rates {
    pub(crate) calls: Option<Rate>,
    pub(crate) finds: Option<Rate>,
    pub(crate) describes: Option<Rate>,
}

/// How many of the calls that run may be one principal's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Share {
    /// Half, rounded up.
    Half,
    All,
    So(usize),
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            principal: Rates {
                calls: Some(Rate::per_second(100).burst(2_000)),
                finds: Some(Rate::per_second(20).burst(200)),
                describes: Some(Rate::per_second(100).burst(2_000)),
            },
            session: Rates {
                calls: Some(Rate::per_second(50).burst(1_000)),
                finds: Some(Rate::per_second(10).burst(100)),
                describes: Some(Rate::per_second(50).burst(1_000)),
            },
            owner: false,
            principals: 10_000,
            names: 50,
            query_chars: 500,
            argument_bytes: 1 << 20,
            argument_depth: 64,
            response_bytes: 10 << 20,
            call_timeout: None,
            concurrent_calls: Some(10_000),
            concurrent_calls_each: Share::Half,
            patience: Duration::from_secs(10),
        }
    }
}

macro_rules! rates {
    ($($method:ident: $whose:ident.$kind:ident, $what:literal;)*) => {$(
        #[doc = concat!("Sets how often ", $what, ", or `None` for as often as it likes.")]
        #[must_use]
        pub fn $method(mut self, rate: impl Into<Option<Rate>>) -> Self {
            self.$whose.$kind = rate.into();
            self
        }
    )*};
}

impl Limits {
    /// None but those that keep the protocol's own shape: everything may be asked as often, as large and as long as the
    /// caller likes, and 50 tools in one describe.
    pub fn none() -> Self {
        let rates = Rates { calls: None, finds: None, describes: None };
        Self {
            principal: rates,
            session: rates,
            argument_bytes: usize::MAX,
            argument_depth: usize::MAX,
            response_bytes: usize::MAX,
            concurrent_calls: None,
            ..Self::default()
        }
    }

    rates! {
        calls: principal.calls, "a principal may call tools, by their names or through a meta-tool";
        finds: principal.finds, "a principal may search or browse: meta-tools that find and list, manifests, groups, skills";
        describes: principal.describes, "a principal may be given a description, counted by tools. A refusal that carries one counts as well";
        session_calls: session.calls, "tools may be called in one session";
        session_finds: session.finds, "one may search or browse in one session";
        session_describes: session.describes, "descriptions may be given in one session";
    }

    /// Counts whoever started the process (stdio, calls in memory) like anybody else; off by default.
    #[must_use]
    pub fn owner(mut self, counted: bool) -> Self {
        self.owner = counted;
        self
    }

    /// Sets how many principals and addresses are counted at a time, each in some 20 bytes; 10,000 by default. Those who come
    /// when so many are busy are counted in 256 groups until others have been quiet: nobody who was counted before loses by it.
    #[must_use]
    pub fn principals(mut self, count: usize) -> Self {
        self.principals = count;
        self
    }

    /// Sets the most tools that one request may describe; 50 by default, at least 1.
    #[must_use]
    pub fn names(mut self, count: usize) -> Self {
        self.names = count.max(1);
        self
    }

    /// Sets how much of a search is read, in characters; 500 by default. The rest is passed over.
    #[must_use]
    pub fn query_chars(mut self, characters: usize) -> Self {
        self.query_chars = characters;
        self
    }

    /// Sets the largest argument, in bytes of its texts and values; 1 MiB by default. A larger one is `INVALID_ARGUMENTS`.
    #[must_use]
    pub fn argument_bytes(mut self, bytes: usize) -> Self {
        self.argument_bytes = bytes;
        self
    }

    /// Sets how deep objects and arrays may stand in one another in an argument; 64 by default. rmcp itself reads no more
    /// than 128.
    #[must_use]
    pub fn argument_depth(mut self, levels: usize) -> Self {
        self.argument_depth = levels;
        self
    }

    /// Sets the largest result of a tool, in bytes of its content; 10 MiB by default. A larger one is replaced by
    /// `RESPONSE_TOO_LARGE`, which says how large it was.
    #[must_use]
    pub fn response_bytes(mut self, bytes: usize) -> Self {
        self.response_bytes = bytes;
        self
    }

    /// Sets how long a tool may run that says nothing else by its own `timeout`; none by default.
    ///
    /// A call that takes longer ends in `TIMEOUT`: its [`cancellation`](crate::CallContext::cancellation) is cancelled, and its
    /// future dropped. A `blocking` tool cannot be stopped from outside; it is told by that token, and keeps its place among
    /// those that run until it ends.
    #[must_use]
    pub fn call_timeout(mut self, longest: impl Into<Option<Duration>>) -> Self {
        self.call_timeout = longest.into();
        self
    }

    /// Sets how many tools may run at once in the whole server, at least 1; 10,000 by default.
    #[must_use]
    pub fn concurrent_calls(mut self, calls: impl Into<Option<usize>>) -> Self {
        self.concurrent_calls = calls.into();
        self
    }

    /// Sets how many of the calls that run at once may be one principal's, at least 1, or `None` for all of them; half of
    /// [`concurrent_calls`](Self::concurrent_calls) by default. More of them wait for their turn, though others' calls have theirs.
    /// Who is one principal is said [above](#who-is-counted).
    ///
    /// While fewer calls run than half of this number, nobody is counted.
    #[must_use]
    pub fn concurrent_calls_each(mut self, calls: impl Into<Option<usize>>) -> Self {
        self.concurrent_calls_each = calls.into().map_or(Share::All, Share::So);
        self
    }

    /// Sets how long a call waits for its turn where as many run as may; 10 seconds by default. Calls have their turns in the
    /// order in which they came; one that waited in vain ends in `BUSY`. The tool's timeout begins with its turn.
    #[must_use]
    pub fn patience(mut self, longest: Duration) -> Self {
        self.patience = longest;
        self
    }
}
