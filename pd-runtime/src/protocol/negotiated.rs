//! What a client said of itself, and what follows from it for its requests. Which wires there are is `surface`'s business.

pub(crate) mod handshake;

use rmcp::model::ExtensionCapabilities;
use serde_json::Value;

/// What a client said: in `initialize`, or with each request from 2026-07-28.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Client<'a> {
    /// The protocol version it asked for.
    pub(crate) version: &'a str,
    pub(crate) extensions: Extensions<'a>,
}

/// The extensions it declared, in whichever form they came.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Extensions<'a> {
    /// In `initialize`.
    Handshake(Option<&'a ExtensionCapabilities>),
    /// `clientCapabilities` of a request.
    Inline(Option<&'a Value>),
}

impl Client<'_> {
    pub(crate) fn declares(&self, extension: &str) -> bool {
        match self.extensions {
            Extensions::Handshake(declared) => declared.is_some_and(|declared| declared.contains_key(extension)),
            Extensions::Inline(capabilities) => {
                let declared = capabilities.and_then(|capabilities| capabilities.get("extensions"));
                declared.is_some_and(|declared| declared.get(extension).is_some())
            }
        }
    }
}

/// What the wires that a client speaks ask of the server: the union of what each asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Terms {
    /// The wires it negotiated: a bit each, by their place in `surface::WIRES`.
    pub(crate) spoken: u32,
    /// It describes before it calls: under `Listing::Negotiated` its lists are minimal.
    pub(crate) describes: bool,
    /// It keeps tickets in `_meta`, not among the arguments.
    pub(crate) keeps_tickets: bool,
    /// Its lists leave out what stands in groups.
    pub(crate) expands_groups: bool,
    /// A rule of its wire forbids to refuse undisclosed calls.
    pub(crate) forbids_gating: bool,
    /// Its lists' descriptions have at most 60 characters, and their schemas are bare.
    pub(crate) wants_brief: bool,
    /// It opens a session for each request, so no session remembers what it has read.
    pub(crate) is_one_shot: bool,
}

/// The MCP Inspector's command line, by the name that it gives in `initialize`.
const ONE_SHOT: &str = "inspector-cli";

impl Terms {
    /// What both ask.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            spoken: self.spoken | other.spoken,
            describes: self.describes || other.describes,
            keeps_tickets: self.keeps_tickets || other.keeps_tickets,
            expands_groups: self.expands_groups || other.expands_groups,
            forbids_gating: self.forbids_gating || other.forbids_gating,
            wants_brief: self.wants_brief || other.wants_brief,
            is_one_shot: self.is_one_shot || other.is_one_shot,
        }
    }

    /// The same for a client of this name.
    pub(crate) fn with_client_name(self, name: &str) -> Self {
        Self { is_one_shot: name == ONE_SHOT, ..self }
    }

    pub(crate) fn speaks(&self, wire: usize) -> bool {
        self.spoken & (1 << wire) != 0
    }
}
