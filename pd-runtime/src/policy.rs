//! What a server is set to: how it lists, how strictly it gates. Pure settings and the one question they answer together.

use std::time::Duration;

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
    /// In full while that costs at most `max_tokens` (by [`estimate_tokens`](crate::estimate_tokens), decided once for the
    /// whole registry), minimal above: below break-even, disclosure costs more than it saves.
    Auto {
        /// The most tokens a full listing may cost. [`Listing::AUTO`] sets 2,000.
        max_tokens: usize,
    },
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

/// What a refusal carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum OnUndisclosed {
    /// The tool's full description, so that the next call can succeed: the refusal is itself a disclosure.
    #[default]
    Describe,
    /// The specification's bare error; the caller must read the description.
    Refuse,
}

/// The name of the meta-tool that describes tools.
pub(crate) const DESCRIBE_TOOLS: &str = "describe_tools";

/// All settings of a server.
#[derive(Debug, Clone)]
pub(crate) struct Policy {
    pub(crate) listing: Listing,
    pub(crate) minimal_schema: MinimalSchema,
    pub(crate) gate: Gate,
    pub(crate) on_undisclosed: OnUndisclosed,
    pub(crate) describe_tools: bool,
    pub(crate) ticket_key: Option<[u8; 32]>,
    pub(crate) ticket_life: Duration,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            listing: Listing::default(),
            minimal_schema: MinimalSchema::default(),
            gate: Gate::default(),
            on_undisclosed: OnUndisclosed::default(),
            describe_tools: true,
            ticket_key: None,
            ticket_life: Duration::from_secs(60 * 60),
        }
    }
}

impl Policy {
    /// Whether a client's list shows full definitions. `Auto` was resolved when the catalogue was built.
    pub(crate) fn lists_in_full(&self, declares_disclosure: bool) -> bool {
        match self.listing {
            Listing::Minimal | Listing::Auto { .. } => false,
            Listing::Negotiated => !declares_disclosure,
            Listing::Full => true,
        }
    }
}
