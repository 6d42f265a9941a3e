//! The settings of a server: its listing, gate, meta-tools, limits and stores. Pure data; no
//! decisions about a single caller.

pub(crate) mod access;
pub(crate) mod disclosure_store;
pub(crate) mod known_hosts;
pub(crate) mod limits;
pub(crate) mod meta_tool_purpose;
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
    collections::HashSet,
    fmt,
    path::PathBuf,
    sync::{Arc, LazyLock},
    time::Duration,
};

/// The form in which `tools/list` shows tools that are not eager. The default is
/// [`Listing::AUTO`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Listing {
    /// Name and summary; the schema accepts any object (specification v2.1, section 3.1). Every
    /// tool needs its description before a call. [`ServerBuilder::specification`] sets this and
    /// everything else that the specification asks for.
    ///
    /// Many agent frameworks read a schema without properties as a tool without arguments, and drop
    /// those that a model sends.
    ///
    /// [`ServerBuilder::specification`]: crate::ServerBuilder::specification
    Minimal,
    /// Name, summary, and the names and types of all arguments, without any texts. The listed tools
    /// can be called at once: valid calls run, and others get the description and the corrected
    /// call. Tools marked `read_first` still need their description, and so do tools that are
    /// destructive and have notes or guidance.
    Outline,
    /// In full, unless the client declared the extension `dev.pd-runtime/disclosure`; minimal then.
    /// The lists are `cacheScope: private`.
    Negotiated,
    /// In full, like a server without progressive disclosure.
    Full,
    /// A ladder: in full if that costs few tokens, in outline if that does, and grouped beyond.
    /// Where the tools are in no groups, the last step lists eager tools and the meta-tools only.
    ///
    /// [`estimate_tokens`](crate::estimate_tokens) computes the costs. Only the tools that a caller
    /// sees count, so callers may get different lists. Tools that are hidden from a caller do not
    /// affect that caller's list.
    ///
    /// In a small list, disclosure costs more than it saves: a list and the descriptions of two
    /// tools cost a model more than all tools in full. With tools of four described arguments, the
    /// break-even of a minimal list is at four tools. Each further tool that a conversation calls
    /// costs one more description and one more turn.
    Auto {
        /// The most tokens that a full list may cost. [`Listing::AUTO`] sets 2,000.
        max_full_tokens: usize,
        /// The most tokens that a list in outline may cost. [`Listing::AUTO`] sets 10,000.
        max_outline_tokens: usize,
    },
    /// Only the ungrouped tools, eager tools and the meta-tools. Ungrouped tools are listed in
    /// outline. Callers find grouped tools through the meta-tools and can call them by name like
    /// any other tool: unlisted tools are still callable. If the names of all unlisted tools cost
    /// at most 120 tokens, the meta-tools that call them come first, and name them.
    Grouped,
    /// Only eager tools and the meta-tools. Callers find and call all others as under `Grouped`.
    Eager,
    /// Like `Minimal`, but in a session, a tool is listed in full once its description was
    /// disclosed there, and the server sends `list_changed`. For hosts that act on this
    /// notification and show the new list to their model.
    Reveal,
}

impl Listing {
    /// [`Listing::Auto`] with its default limits: in full up to 2,000 tokens, in outline up to
    /// 10,000.
    pub const AUTO: Self = Self::Auto {
        max_full_tokens: 2_000,
        max_outline_tokens: 10_000,
    };
}

impl Default for Listing {
    fn default() -> Self {
        Self::AUTO
    }
}

/// The listing for one caller, after [`Listing::Auto`] and [`Listing::Negotiated`] were decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListingStep {
    Full,
    Outline,
    Minimal,
    Grouped,
    Eager,
}

impl ListingStep {
    /// Returns whether the list leaves tools out, so that meta-tools find and call them.
    pub(crate) fn leaves_out(self) -> bool {
        matches!(self, Self::Grouped | Self::Eager)
    }
}

/// The input schema of an entry in a minimal list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum MinimalSchema {
    /// `{"type":"object","additionalProperties":true}`, from the specification. It keeps strict
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
pub(crate) struct EmbeddingModel {
    pub(crate) model: Arc<dyn Embedder>,
    /// Whether the vectors of tools are computed in the background, after the start.
    pub(crate) is_late: bool,
}

impl fmt::Debug for EmbeddingModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EmbeddingModel")
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
        f.debug_struct("TelemetrySinks")
            .field("audit", &audit)
            .field("metrics", &self.metrics)
            .finish_non_exhaustive()
    }
}

/// The meta-tools of a listing, with and without the one that describes tools.
#[derive(Debug)]
pub(crate) struct DefaultMetaTools {
    whole: MetaTools,
    without_describe: MetaTools,
}

impl From<MetaTools> for DefaultMetaTools {
    fn from(whole: MetaTools) -> Self {
        Self {
            // Both are built here, because `Policy::meta_tools` returns a reference to one of them.
            without_describe: whole.clone().without_describe(),
            whole,
        }
    }
}

/// All settings of a server. `refusal()` and `meta_tools()` fill in defaults that depend on the
/// caller's listing.
#[derive(Debug, Clone)]
pub(crate) struct Policy {
    pub(crate) listing: Listing,
    /// Whether `Listing::Auto` goes by the name of a known host.
    pub(crate) adapts_to_hosts: bool,
    pub(crate) minimal_schema: MinimalSchema,
    pub(crate) gate: GateMode,
    pub(crate) session_per_call: SessionPerCall,
    /// Whether the user is asked before calls through meta-tools and programs of tools that may
    /// destroy something.
    pub(crate) confirms_destructive: bool,
    // `None` in these two means "by the listing". Resolving it late makes the order of builder
    // calls irrelevant.
    pub(crate) refusal: Option<Refusal>,
    pub(crate) meta_tools: Option<MetaTools>,
    /// The meta-tools of listings that leave tools out, if the one that calls tools has another
    /// name.
    pub(crate) renamed_meta_tools: Option<Arc<DefaultMetaTools>>,
    /// Whether the default meta-tools of the listing include the one that describes tools.
    pub(crate) describes_through_tool: bool,
    /// Whether read-only tools run with arguments that were corrected without loss. `None` means
    /// that they do, unless the specification is served to the letter.
    pub(crate) run_corrected: Option<bool>,
    /// Whether the finding meta-tool has a line for each group.
    pub(crate) group_lines: bool,
    /// The worker and the limits of programs.
    #[cfg(feature = "code")]
    pub(crate) code: Option<crate::code::CodeMode>,
    /// Whether models write programs. A server can also have a worker only for the programs of
    /// tools.
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
    /// Whether the specification is served to the letter: nothing that helps a client beyond it.
    pub(crate) is_literal: bool,
    pub(crate) limits: Limits,
    /// The time that calls in flight have to finish after the server was asked to stop.
    pub(crate) shutdown_grace: Duration,
    pub(crate) listeners: TelemetrySinks,
    pub(crate) data_plane: DataPlane,
    /// Whether tools come and go while the server runs. Texts of an overlay then wait for their
    /// tool.
    pub(crate) has_changing_tools: bool,
    /// Whether tools may become selective while the server runs.
    pub(crate) expects_rows: bool,
    #[cfg(feature = "fetch")]
    pub(crate) fetching: crate::selective::fetch::OptionalFetcher,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            listing: Listing::default(),
            adapts_to_hosts: false,
            minimal_schema: MinimalSchema::default(),
            gate: GateMode::default(),
            session_per_call: SessionPerCall::default(),
            confirms_destructive: false,
            refusal: None,
            meta_tools: None,
            renamed_meta_tools: None,
            describes_through_tool: true,
            run_corrected: None,
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
            is_literal: false,
            limits: Limits::default(),
            // The value of `serve::SHUTDOWN_GRACE`, which is in a higher level and cannot be
            // imported.
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
    /// Returns the content of refusals: the setting, or the default of the listing.
    pub(crate) fn refusal(&self, step: ListingStep) -> Refusal {
        // Such a listing is there to save tokens, and a signature has the same content in fewer.
        let by_step = if step.leaves_out() {
            Refusal::WithSignature
        } else {
            Refusal::WithDescription
        };
        self.refusal.unwrap_or(by_step)
    }

    /// Returns the meta-tools: the setting, or the set that the listing needs.
    pub(crate) fn meta_tools(&self, step: ListingStep) -> &MetaTools {
        // Built once, so that a reference can be returned for the defaults, too.
        static DESCRIBING: LazyLock<DefaultMetaTools> =
            LazyLock::new(|| MetaTools::describing().into());
        static SEARCHING: LazyLock<DefaultMetaTools> =
            LazyLock::new(|| MetaTools::searching().into());
        let searching = || self.renamed_meta_tools.as_deref().unwrap_or(&SEARCHING);
        let default = || {
            if step.leaves_out() {
                searching()
            } else {
                &DESCRIBING
            }
        };
        // Shadowed, so that a build without the feature has no second branch.
        #[cfg(feature = "code")]
        let default = || {
            static CODE: LazyLock<DefaultMetaTools> = LazyLock::new(|| MetaTools::code().into());
            if self.offers_run_code {
                &CODE
            } else {
                default()
            }
        };
        self.meta_tools.as_ref().unwrap_or_else(|| {
            let default: &DefaultMetaTools = default();
            if self.describes_through_tool {
                &default.whole
            } else {
                &default.without_describe
            }
        })
    }

    /// Returns the meta-tools of all listings that a caller may have.
    pub(crate) fn all_meta_tools(&self) -> &MetaTools {
        // `Listing::Auto` may end at any step, and its last one has the most meta-tools.
        self.meta_tools(self.listing_step(false, || ListingStep::Eager))
    }

    /// Returns the meta-tools that every caller has, whatever the caller sees.
    pub(crate) fn least_meta_tools(&self) -> &MetaTools {
        // `Listing::Auto` may also end at the first step, which has the fewest.
        self.meta_tools(self.listing_step(false, || ListingStep::Full))
    }

    /// Returns the names of the meta-tools that a caller may have, in any listing.
    pub(crate) fn reserved_names(&self) -> HashSet<String> {
        let offers = [self.all_meta_tools(), self.least_meta_tools()];
        offers
            .into_iter()
            .flat_map(|offered| &offered.offers)
            .map(|offer| offer.name.to_string())
            .collect()
    }

    /// Returns the listing of a caller. `promises_to_describe` is whether the client declared that
    /// it reads descriptions before calls, and `ladder` decides for `Auto`.
    pub(crate) fn listing_step(
        &self,
        promises_to_describe: bool,
        ladder: impl FnOnce() -> ListingStep,
    ) -> ListingStep {
        match self.listing {
            Listing::Full => ListingStep::Full,
            Listing::Outline => ListingStep::Outline,
            Listing::Negotiated if promises_to_describe => ListingStep::Minimal,
            Listing::Negotiated => ListingStep::Full,
            // `surface::listing` then shows the tools in full that `Reveal` has disclosed.
            Listing::Minimal | Listing::Reveal => ListingStep::Minimal,
            Listing::Grouped => ListingStep::Grouped,
            Listing::Eager => ListingStep::Eager,
            Listing::Auto { .. } => ladder(),
        }
    }

    /// Returns whether read-only tools run with arguments that were corrected without loss.
    pub(crate) fn runs_corrected(&self) -> bool {
        self.run_corrected.unwrap_or(!self.is_literal)
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
}
