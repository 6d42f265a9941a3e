//! The settings that limit callers. The module `rate_limit` enforces them.

mod rate;

pub use rate::Rate;

use crate::large_results::ResultBound;
use std::time::Duration;

/// The limits on what a caller may request, and on how long a tool may run.
///
/// The defaults stop runaway loops and hostile callers. Well-behaved clients do not reach them.
///
/// | | default |
/// |---|---|
/// | [`calls`](Self::calls), [`searches`](Self::searches), [`descriptions`](Self::descriptions) of a principal | 100, 20 and 100 a second; 2,000, 200 and 2,000 at once |
/// | [the same of a session](Self::session_calls) | half of each |
/// | [`names`](Self::names) | 50 tools in one describe |
/// | [`query_chars`](Self::query_chars) | 500 characters of a search are read |
/// | [`argument_bytes`](Self::argument_bytes), [`argument_depth`](Self::argument_depth) | 1 MiB and 64 levels an argument |
/// | [`response_bytes`](Self::response_bytes) | 10 MiB a result |
/// | [`result_tokens`](Self::result_tokens) | none: results are shown whole |
/// | [`call_timeout`](Self::call_timeout) | none; tools set their own |
/// | [`concurrent_calls`](Self::concurrent_calls) | 10,000 in all; tools set their own |
/// | [`concurrent_calls_each`](Self::concurrent_calls_each) | half of them for one principal |
/// | [`queue_timeout`](Self::queue_timeout) | a call waits up to 10 seconds for a permit |
///
/// Some arguments may take long to validate: arguments with a `pattern` that uses look-around or
/// backreferences, and arguments of more than 64 KiB. They are validated on the blocking pool, two
/// calls per core at once. Validation that takes more than 5 seconds is refused as
/// `INVALID_ARGUMENTS`, and so is a pattern that takes more than half a second.
///
/// ```
/// use pd_runtime::{Limits, config::Rate, prelude::*};
/// use std::time::Duration;
///
/// # /// Say hello
/// # #[pd_tool]
/// # fn hello() -> String { "hello".into() }
/// let limits = Limits::default()
///     .calls(Rate::per_minute(60).burst(20))
///     .searches(None)
///     .call_timeout(Duration::from_secs(30));
/// let server = PdServer::builder(pd_runtime::registry! { hello }, ()).limits(limits).build()?;
/// # let _ = server;
/// # Ok::<(), pd_runtime::check::RegistryErrors>(())
/// ```
///
/// # Accounting
///
/// Over HTTP, a principal is counted by its subject. An anonymous caller is counted by its address
/// if the transport knows it (IPv6 by its /64); all others count as one. Behind a proxy, every
/// caller has the proxy's address: authenticate callers, or let middleware put the real address
/// into the request's extensions, like axum's `ConnectInfo<SocketAddr>`. The user who started the
/// process is not counted ([`owner`](Self::owner)). Each replica counts for itself. Opening a
/// session over HTTP counts as a call of its principal.
///
/// # Refusals
///
/// A refused caller gets `RATE_LIMITED` and `retry_after` in whole seconds: from a tool as a result
/// with `isError`, from a resource as its contents, and elsewhere as the JSON-RPC error 429 with
/// `data.retryAfter`. (MCP 2026-07-28 reserves -32020 to -32099 and asks for new codes outside
/// -32768 to -32000; see basic, error codes.) For `initialize`, the HTTP status is 429 as well,
/// with `Retry-After`. A hidden tool costs as much as an unknown one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    pub(crate) principal: RateSet,
    pub(crate) session: RateSet,
    pub(crate) owner: bool,
    pub(crate) principals: usize,
    pub(crate) names: usize,
    pub(crate) query_chars: usize,
    pub(crate) argument_bytes: usize,
    pub(crate) argument_depth: usize,
    pub(crate) response_bytes: usize,
    pub(crate) result_bound: Option<ResultBound>,
    pub(crate) call_timeout: Option<Duration>,
    pub(crate) concurrent_calls: Option<usize>,
    pub(crate) concurrent_calls_each: PrincipalShare,
    pub(crate) patience: Duration,
}

/// The rates of each kind of request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RateSet {
    pub(crate) calls: Option<Rate>,
    pub(crate) searches: Option<Rate>,
    pub(crate) descriptions: Option<Rate>,
}

/// The part of the concurrent calls that one principal may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PrincipalShare {
    /// Half, rounded up.
    Half,
    All,
    AtMost(usize),
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            principal: RateSet {
                calls: Some(Rate::per_second(100).burst(2_000)),
                searches: Some(Rate::per_second(20).burst(200)),
                descriptions: Some(Rate::per_second(100).burst(2_000)),
            },
            // Half, so that one conversation cannot use up the rates of its principal.
            session: RateSet {
                calls: Some(Rate::per_second(50).burst(1_000)),
                searches: Some(Rate::per_second(10).burst(100)),
                descriptions: Some(Rate::per_second(50).burst(1_000)),
            },
            owner: false,
            principals: 10_000,
            names: 50,
            query_chars: 500,
            argument_bytes: 1 << 20,
            argument_depth: 64,
            response_bytes: 10 << 20,
            result_bound: None,
            call_timeout: None,
            concurrent_calls: Some(10_000),
            concurrent_calls_each: PrincipalShare::Half,
            patience: Duration::from_secs(10),
        }
    }
}

macro_rules! rates {
    ($($method:ident: $whose:ident.$kind:ident, $what:literal;)*) => {$(
        #[doc = concat!("Sets how often ", $what, ", or `None` for no limit.")]
        #[must_use]
        pub fn $method(mut self, rate: impl Into<Option<Rate>>) -> Self {
            self.$whose.$kind = rate.into();
            self
        }
    )*};
}

impl Limits {
    /// Removes all limits except those that keep requests well-formed. Rates, sizes and times are
    /// unlimited; one request still describes at most 50 tools.
    pub fn none() -> Self {
        let rates = RateSet {
            calls: None,
            searches: None,
            descriptions: None,
        };
        Self {
            principal: rates,
            session: rates,
            argument_bytes: usize::MAX,
            argument_depth: usize::MAX,
            response_bytes: usize::MAX,
            result_bound: None,
            concurrent_calls: None,
            // `names` and `query_chars` stay: they bound the work of one request.
            ..Self::default()
        }
    }

    rates! {
        calls: principal.calls, "a principal may call tools, by their names or through a meta-tool";
        searches: principal.searches, "a principal may search or browse (meta-tools that find and list, manifests, groups, skills)";
        descriptions: principal.descriptions, "a principal may receive descriptions (each tool counts, and so does a refusal with a description)";
        session_calls: session.calls, "tools may be called in one session";
        session_searches: session.searches, "a session may search or browse";
        session_descriptions: session.descriptions, "descriptions may be disclosed in one session";
    }

    /// Sets whether the user who started the process (stdio, calls in memory) is counted like other
    /// callers; off by default.
    #[must_use]
    pub fn owner(mut self, counted: bool) -> Self {
        self.owner = counted;
        self
    }

    /// Sets the number of principals and addresses that are counted at a time, at about 20 bytes
    /// each; 10,000 by default. Beyond that number, new callers share 256 groups until others
    /// become idle. Callers that were counted before are not affected.
    #[must_use]
    pub fn max_tracked_principals(mut self, count: usize) -> Self {
        self.principals = count;
        self
    }

    /// Sets the most tools that one request may describe; 50 by default, at least 1.
    #[must_use]
    pub fn names(mut self, count: usize) -> Self {
        // With 0, no caller could read the description that the gate requires.
        self.names = count.max(1);
        self
    }

    /// Sets the number of characters of a search query that are read; 500 by default. The rest is
    /// ignored.
    #[must_use]
    pub fn query_chars(mut self, characters: usize) -> Self {
        self.query_chars = characters;
        self
    }

    /// Sets the limit on one argument, in bytes of its texts and values; 1 MiB by default. A larger
    /// one is refused as `INVALID_ARGUMENTS`.
    #[must_use]
    pub fn argument_bytes(mut self, bytes: usize) -> Self {
        self.argument_bytes = bytes;
        self
    }

    /// Sets the limit on the nesting of objects and arrays in an argument; 64 by default. rmcp
    /// itself accepts at most 128 levels.
    #[must_use]
    pub fn argument_depth(mut self, levels: usize) -> Self {
        self.argument_depth = levels;
        self
    }

    /// Sets the tokens of the largest result that a model is shown whole, by the estimate of
    /// [`estimate_tokens`](crate::estimate_tokens).
    ///
    /// A larger result becomes a preview of at most 800 tokens: its size, its shape, and its first
    /// rows or its first and last lines. The preview has the call by which the model reads on:
    /// `read_more` with `lines`, `rows`, `path`, `columns` or a `query`. Each answer has at most
    /// 1,200 tokens. A client can read the whole result by its link, `result://HANDLE`.
    ///
    /// The server keeps the result for its caller where it keeps the rows of selective tools, within
    /// the limits of [`DataPlane`](crate::selective::data_plane::DataPlane): by default in memory,
    /// for 10 minutes after it was read last. A new result takes the place of those of its caller
    /// that were read longest ago. One without room is shown whole. Errors, images, results of selective tools, and what programs, views of MCP Apps
    /// and gateways read stay whole.
    #[must_use]
    pub fn result_tokens(mut self, tokens: usize) -> Self {
        self.result_bound = Some(ResultBound::new(tokens));
        self
    }

    /// Sets the limit on the result of a tool, in bytes of its content; 10 MiB by default. A larger
    /// result is replaced by the error `RESPONSE_TOO_LARGE`, which contains its size.
    #[must_use]
    pub fn response_bytes(mut self, bytes: usize) -> Self {
        self.response_bytes = bytes;
        self
    }

    /// Sets the time limit for tools that do not set a `timeout`; none by default.
    ///
    /// A call that takes longer ends with `TIMEOUT`: the server cancels its
    /// [`cancellation`](crate::CallContext::cancellation) token and drops its future. A `blocking`
    /// tool cannot be stopped from outside. It can check the token, and it holds its permit until
    /// it returns.
    #[must_use]
    pub fn call_timeout(mut self, longest: impl Into<Option<Duration>>) -> Self {
        self.call_timeout = longest.into();
        self
    }

    /// Sets the most tools that may run at once in the whole server, at least 1; 10,000 by default.
    #[must_use]
    pub fn concurrent_calls(mut self, calls: impl Into<Option<usize>>) -> Self {
        self.concurrent_calls = calls.into();
        self
    }

    /// Sets the most concurrent calls of one principal, at least 1, or `None` for no such limit;
    /// half of [`concurrent_calls`](Self::concurrent_calls) by default. Further calls of that
    /// principal wait, while calls of other principals proceed. The section
    /// [Accounting](#accounting) defines a principal.
    ///
    /// While fewer calls run than half of this number, the server does not count per principal.
    #[must_use]
    pub fn concurrent_calls_each(mut self, calls: impl Into<Option<usize>>) -> Self {
        self.concurrent_calls_each = calls
            .into()
            .map_or(PrincipalShare::All, PrincipalShare::AtMost);
        self
    }

    /// Sets how long a call waits for a permit when the limit is reached; 10 seconds by default.
    /// Permits are granted in the order of arrival. A call that gets none ends with `BUSY`. The
    /// tool's timeout starts when the call gets its permit.
    #[must_use]
    pub fn queue_timeout(mut self, longest: Duration) -> Self {
        self.patience = longest;
        self
    }
}
