//! What a server is set to: how it lists, how strictly it gates, which meta-tools it offers. Pure settings.

pub(crate) mod access;
pub(crate) mod disclosure_store;
pub(crate) mod limits;
pub(crate) mod meta_tools;
pub(crate) mod preset;
pub(crate) mod rate_limit;

use crate::{
    policy::{access::Rules, disclosure_store::DisclosureStore},
    search::Embed,
    selective::data_plane::DataPlane,
    telemetry::{
        audit::{Audit, Detail},
        metrics::Metrics,
    },
};
use limits::Limits;
use meta_tools::MetaTools;
use std::{
    fmt,
    sync::{Arc, LazyLock},
    time::Duration,
};

/// How `tools/list` shows tools that are not eager.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Listing {
    /// Name and summary; the schema accepts any object (specification v2.1, section 3.1).
    #[default]
    Minimal,
    /// In full, unless the client declared the extension `dev.pd-runtime/disclosure`. Lists are then `cacheScope: private`.
    Negotiated,
    /// In full, as a server without progressive disclosure.
    Full,
    /// In full while that costs at most `max_tokens` (by [`estimate_tokens`](crate::estimate_tokens)), minimal above.
    ///
    /// Below its break-even, disclosure costs more than it saves: the minimal list and the descriptions of two tools cost a model
    /// more tokens than the full list. The commands `tokens`, `tour` and `check` say so (the lint
    /// [`small_listing`](crate::Lint::SmallListing)). With tools of four described arguments the break-even is at four tools.
    /// Each further tool that a conversation calls costs one more description and one more turn, so that the default limit is
    /// higher. The tools that a caller sees are counted, so that callers may have
    /// different lists; tools that are hidden from a caller change nothing for that caller.
    Auto {
        /// The most tokens a full listing may cost. [`Listing::AUTO`] sets 2,000.
        max_tokens: usize,
    },
    /// Only the top level's tools, eager ones and the meta-tools. What stands in groups is found by the meta-tools, and
    /// can be called by name like any other: unlisted is not unreachable.
    Grouped,
    /// Only eager tools and the meta-tools. The rest is found and called as under `Grouped`.
    Eager,
    /// As `Minimal`; but where the client has a session, a tool whose description it was given is listed in full from
    /// then on, and `list_changed` says so. For hosts that follow it, and give their model what the list holds.
    Reveal,
}

impl Listing {
    /// [`Listing::Auto`] with the default limit of 2,000 tokens.
    pub const AUTO: Self = Self::Auto { max_tokens: 2_000 };
}

/// The input schema of a minimal entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum MinimalSchema {
    /// `{"type":"object","additionalProperties":true}`: the specification's own, which keeps strict hosts from
    /// forbidding arguments.
    #[default]
    Literal,
    /// `{"type":"object"}`: about five tokens less a tool.
    Lean,
    /// `{"type":"object","properties":{}}`: as two-stage servers before the specification have it. Some hosts then forbid
    /// arguments.
    Empty,
}

/// What happens to a call by a caller who has not had the tool's description.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Gate {
    /// It is refused with `TOOL_DESCRIPTION_REQUIRED` (specification v2.1, section 5).
    #[default]
    Enforce,
    /// It runs; the result's `_meta` says that the description was not read.
    Advise,
    /// It runs.
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
    /// The error alone, as specification v2.1 has it in section 6.2. The caller must read the
    /// description before the next call.
    Bare,
}

/// What finds by meaning beside words.
#[derive(Clone)]
pub(crate) struct Model(pub(crate) Arc<dyn Embed>);

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Model")
    }
}

/// Who is told what happens.
#[derive(Clone, Default)]
pub(crate) struct Listeners {
    pub(crate) audit: Option<Arc<dyn Audit>>,
    pub(crate) detail: Detail,
    pub(crate) metrics: Option<Metrics>,
}

impl fmt::Debug for Listeners {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let audit = self.audit.is_some();
        f.debug_struct("Listeners").field("audit", &audit).field("metrics", &self.metrics).finish_non_exhaustive()
    }
}

/// All settings of a server. What the listing decides unless it is set is filled in by [`Policy::complete`].
#[derive(Debug, Clone)]
pub(crate) struct Policy {
    pub(crate) listing: Listing,
    pub(crate) minimal_schema: MinimalSchema,
    pub(crate) gate: Gate,
    pub(crate) refusal: Option<Refusal>,
    pub(crate) meta_tools: Option<MetaTools>,
    pub(crate) manifests: bool,
    pub(crate) model: Option<Model>,
    pub(crate) access: Rules,
    pub(crate) disclosure_store: Option<Arc<dyn DisclosureStore>>,
    pub(crate) ticket_key: Option<[u8; 32]>,
    pub(crate) previous_ticket_keys: Vec<[u8; 32]>,
    pub(crate) ticket_life: Duration,
    pub(crate) remember_connection: bool,
    pub(crate) limits: Limits,
    pub(crate) listeners: Listeners,
    pub(crate) data_plane: DataPlane,
    #[cfg(feature = "fetch")]
    pub(crate) fetching: crate::selective::fetch::Fetching,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            listing: Listing::default(),
            minimal_schema: MinimalSchema::default(),
            gate: Gate::default(),
            refusal: None,
            meta_tools: None,
            manifests: true,
            model: None,
            access: Rules::default(),
            disclosure_store: None,
            ticket_key: None,
            previous_ticket_keys: Vec::new(),
            ticket_life: Duration::from_secs(60 * 60),
            remember_connection: false,
            limits: Limits::default(),
            listeners: Listeners::default(),
            data_plane: DataPlane::default(),
            #[cfg(feature = "fetch")]
            fetching: crate::selective::fetch::Fetching::default(),
        }
    }
}

impl Policy {
    /// The content of refusals: the setting, or the default of the listing.
    pub(crate) fn refusal(&self) -> Refusal {
        self.refusal.unwrap_or(match self.listing {
            Listing::Grouped | Listing::Eager => Refusal::WithSignature,
            _ => Refusal::WithDescription,
        })
    }

    /// The meta-tools: what was set, or what the listing needs.
    pub(crate) fn meta_tools(&self) -> &MetaTools {
        static DESCRIBING: LazyLock<MetaTools> = LazyLock::new(MetaTools::describing);
        static ALL: LazyLock<MetaTools> = LazyLock::new(MetaTools::all);
        self.meta_tools.as_ref().unwrap_or(match self.listing {
            Listing::Grouped | Listing::Eager => &ALL,
            _ => &DESCRIBING,
        })
    }

    /// Whether a client's list shows full definitions, if it promised to describe before it calls or did not. `Auto` was
    /// resolved when the catalogue was built.
    pub(crate) fn lists_in_full(&self, promises_to_describe: bool) -> bool {
        match self.listing {
            Listing::Negotiated => !promises_to_describe,
            Listing::Full => true,
            _ => false,
        }
    }
}
