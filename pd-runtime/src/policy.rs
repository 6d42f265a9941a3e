//! The settings of a server: its listing, gate, meta-tools, limits and stores. Pure data; no
//! decisions about a single caller.

pub(crate) mod access;
pub(crate) mod disclosure_store;
pub(crate) mod limits;
pub(crate) mod meta_tools;
#[cfg(feature = "presets")]
pub(crate) mod preset;
pub(crate) mod preset_role;
pub(crate) mod rate_limit;
pub(crate) mod session_per_call;

use crate::{
    policy::{access::AccessRules, disclosure_store::DisclosureStore},
    search::Embedder,
    selective::data_plane::DataPlane,
    telemetry::{
        audit::{Audit, AuditDetail},
        metrics::Metrics,
    },
};
use limits::Limits;
use meta_tools::MetaTools;
use session_per_call::SessionPerCall;
use std::{
    fmt,
    path::PathBuf,
    sync::{Arc, LazyLock},
    time::Duration,
};

/// The form in which `tools/list` shows tools that are not eager.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Listing {
    /// Name and summary; the schema accepts any object (specification v2.1, section 3.1).
    #[default]
    Minimal,
    /// In full, unless the client declared the extension `dev.pd-runtime/disclosure`. The lists are
    /// then `cacheScope: private`.
    Negotiated,
    /// In full, like a server without progressive disclosure.
    Full,
    /// In full if that costs at most `max_tokens` (by [`estimate_tokens`](crate::estimate_tokens)),
    /// minimal otherwise.
    ///
    /// Below the break-even, disclosure costs more than it saves: the minimal list and the
    /// descriptions of two tools cost a model more tokens than the full list. The commands
    /// `tokens`, `tour` and `check` report this (the lint
    /// [`small_listing`](crate::check::Lint::SmallListing)). With tools of four described arguments, the
    /// break-even is at four tools. Each further tool that a conversation calls costs one more
    /// description and one more turn, so the default limit is higher. Only the tools that a caller
    /// sees count, so callers may get different lists. Tools that are hidden from a caller do not
    /// affect that caller's list.
    Auto {
        /// The most tokens that a full listing may cost. [`Listing::AUTO`] sets 2,000.
        max_tokens: usize,
    },
    /// Only the ungrouped tools, eager tools and the meta-tools. Callers find grouped tools through
    /// the meta-tools and can call them by name like any other tool: unlisted tools are still
    /// callable.
    Grouped,
    /// Only eager tools and the meta-tools. Callers find and call all others as under `Grouped`.
    Eager,
    /// Like `Minimal`, but in a session, a tool is listed in full once its description was
    /// disclosed there, and the server sends `list_changed`. For hosts that act on this
    /// notification and show the new list to their model.
    Reveal,
}

impl Listing {
    /// [`Listing::Auto`] with the default limit of 2,000 tokens.
    pub const AUTO: Self = Self::Auto { max_tokens: 2_000 };
}

/// The input schema of an entry in a minimal list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum MinimalSchema {
    /// `{"type":"object","additionalProperties":true}`: the specification's own. It keeps strict
    /// hosts from forbidding arguments.
    #[default]
    Literal,
    /// `{"type":"object"}`: saves about five tokens per tool.
    Lean,
    /// `{"type":"object","properties":{}}`: the form of two-stage servers from before the
    /// specification. Some hosts forbid arguments then.
    Empty,
}

/// The treatment of calls by callers to whom the tool's description was not disclosed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum GateMode {
    /// The call is refused with `TOOL_DESCRIPTION_REQUIRED` (specification v2.1, section 5).
    #[default]
    Enforce,
    /// The call runs. The `_meta` of the result notes that the description was not read.
    Advise,
    /// The call runs.
    Off,
}

/// The content of a refusal with `TOOL_DESCRIPTION_REQUIRED`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Refusal {
    /// The error and the tool's full description. The refusal is a disclosure, so the next call can
    /// succeed.
    #[default]
    WithDescription,
    /// The error and the tool's signature, which has the same content in fewer tokens. The refusal
    /// is a disclosure. This is the default of [`Listing::Grouped`] and [`Listing::Eager`].
    WithSignature,
    /// The error alone, as in specification v2.1, section 6.2. The caller must read the description
    /// before the next call.
    Bare,
}

/// The embedding model for searches by meaning.
#[derive(Clone)]
pub(crate) struct EmbeddingModel(pub(crate) Arc<dyn Embedder>);

impl fmt::Debug for EmbeddingModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Model")
    }
}

/// The receivers of telemetry: audit events and metrics.
#[derive(Clone, Default)]
pub(crate) struct TelemetrySinks {
    pub(crate) audit: Option<Arc<dyn Audit>>,
    pub(crate) detail: AuditDetail,
    pub(crate) metrics: Option<Metrics>,
}

impl fmt::Debug for TelemetrySinks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let audit = self.audit.is_some();
        f.debug_struct("TelemetrySinks").field("audit", &audit).field("metrics", &self.metrics).finish_non_exhaustive()
    }
}

/// All settings of a server. `refusal()` and `meta_tools()` fill in defaults that depend on the
/// listing.
#[derive(Debug, Clone)]
pub(crate) struct Policy {
    pub(crate) listing: Listing,
    pub(crate) minimal_schema: MinimalSchema,
    pub(crate) gate: GateMode,
    pub(crate) session_per_call: SessionPerCall,
    // `None` in these two means "by the listing". Resolving it late makes the order of builder
    // calls irrelevant.
    pub(crate) refusal: Option<Refusal>,
    pub(crate) meta_tools: Option<MetaTools>,
    /// Whether the finding meta-tool has a line for each group.
    pub(crate) group_lines: bool,
    /// The worker and the limits of programs.
    #[cfg(feature = "code")]
    pub(crate) code: Option<crate::code::CodeMode>,
    /// Whether models write programs. A worker alone runs those of tools.
    #[cfg(feature = "code")]
    pub(crate) offers_run_code: bool,
    pub(crate) manifests: bool,
    pub(crate) model: Option<EmbeddingModel>,
    pub(crate) access: AccessRules,
    pub(crate) disclosure_store: Option<Arc<dyn DisclosureStore>>,
    pub(crate) ticket_key: Option<[u8; 32]>,
    pub(crate) previous_ticket_keys: Vec<[u8; 32]>,
    pub(crate) ticket_life: Duration,
    /// The directory for what outlives the process: the ticket key, and hashes of refused calls.
    pub(crate) state_directory: Option<PathBuf>,
    pub(crate) remember_connection: bool,
    pub(crate) limits: Limits,
    /// The time that calls in flight have to finish after the server was asked to stop.
    pub(crate) shutdown_grace: Duration,
    pub(crate) listeners: TelemetrySinks,
    pub(crate) data_plane: DataPlane,
    /// Whether tools come and go while the server runs. Texts of an overlay then wait for their tool.
    #[cfg_attr(
        not(any(feature = "code", feature = "overlay", feature = "gateway")),
        expect(dead_code, reason = "overlays use it")
    )]
    pub(crate) has_changing_tools: bool,
    /// Whether tools may become selective while the server runs.
    #[cfg_attr(
        not(any(feature = "http", feature = "gateway")),
        expect(dead_code, reason = "the data plane is served over HTTP")
    )]
    pub(crate) expects_rows: bool,
    #[cfg(feature = "fetch")]
    pub(crate) fetching: crate::selective::fetch::OptionalFetcher,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            listing: Listing::default(),
            minimal_schema: MinimalSchema::default(),
            gate: GateMode::default(),
            session_per_call: SessionPerCall::default(),
            refusal: None,
            meta_tools: None,
            group_lines: false,
            #[cfg(feature = "code")]
            code: None,
            #[cfg(feature = "code")]
            offers_run_code: false,
            manifests: true,
            model: None,
            access: AccessRules::default(),
            disclosure_store: None,
            ticket_key: None,
            previous_ticket_keys: Vec::new(),
            ticket_life: Duration::from_secs(60 * 60),
            state_directory: None,
            remember_connection: false,
            limits: Limits::default(),
            shutdown_grace: Duration::from_secs(30),
            listeners: TelemetrySinks::default(),
            data_plane: DataPlane::default(),
            has_changing_tools: false,
            expects_rows: false,
            #[cfg(feature = "fetch")]
            fetching: crate::selective::fetch::OptionalFetcher::default(),
        }
    }
}

impl Policy {
    /// Returns the content of refusals: the setting, or the listing's default.
    pub(crate) fn refusal(&self) -> Refusal {
        self.refusal.unwrap_or(match self.listing {
            Listing::Grouped | Listing::Eager => Refusal::WithSignature,
            _ => Refusal::WithDescription,
        })
    }

    /// Returns the meta-tools: the setting, or the set that the listing needs.
    pub(crate) fn meta_tools(&self) -> &MetaTools {
        // Built once, so that a reference can be returned for the defaults, too.
        static DESCRIBING: LazyLock<MetaTools> = LazyLock::new(MetaTools::describing);
        static ALL: LazyLock<MetaTools> = LazyLock::new(MetaTools::all);
        #[cfg(feature = "code")]
        if self.offers_run_code {
            static CODE: LazyLock<MetaTools> = LazyLock::new(MetaTools::code);
            return self.meta_tools.as_ref().unwrap_or(&CODE);
        }
        self.meta_tools.as_ref().unwrap_or(match self.listing {
            Listing::Grouped | Listing::Eager => &ALL,
            _ => &DESCRIBING,
        })
    }

    /// Returns whether models write programs that call tools.
    pub(crate) fn runs_code(&self) -> bool {
        #[cfg(feature = "code")]
        return self.offers_run_code;
        #[cfg(not(feature = "code"))]
        false
    }

    /// Returns whether the server can run programs, of models or of tools.
    pub(crate) fn has_code_worker(&self) -> bool {
        #[cfg(feature = "code")]
        return self.code.is_some();
        #[cfg(not(feature = "code"))]
        false
    }

    /// Returns whether a client's list shows full definitions. `promises_to_describe` is whether
    /// the client declared that it reads descriptions before calls. `Auto` was resolved when the
    /// catalog was built.
    pub(crate) fn lists_in_full(&self, promises_to_describe: bool) -> bool {
        match self.listing {
            Listing::Negotiated => !promises_to_describe,
            Listing::Full => true,
            _ => false,
        }
    }
}
