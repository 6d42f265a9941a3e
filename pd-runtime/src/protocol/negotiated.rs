//! The client's declarations, and what follows from them for its requests. `surface` defines the
//! surfaces.

pub(crate) mod handshake;

use rmcp::model::ExtensionCapabilities;
use serde_json::Value;

/// The declarations of a client: in `initialize`, or in each request since 2026-07-28.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClientProfile<'a> {
    /// The protocol version that the client requested.
    pub(crate) version: &'a str,
    pub(crate) extensions: ClientExtensions<'a>,
}

/// The extensions that a client declared, in one of two forms.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ClientExtensions<'a> {
    /// From `initialize`.
    Handshake(Option<&'a ExtensionCapabilities>),
    /// From the `clientCapabilities` of a request.
    Inline(Option<&'a Value>),
}

impl ClientProfile<'_> {
    /// Returns whether the client declared the extension with this setting set to `true`.
    pub(crate) fn sets(&self, extension: &str, setting: &str) -> bool {
        let value = self.setting(extension, setting);
        // A setting with another type or value is not the promise that the extension requires.
        value.is_some_and(|value| *value == true)
    }

    /// Returns whether the client declared the extension with this member in a setting that is a
    /// list of texts.
    pub(crate) fn lists(&self, extension: &str, setting: &str, member: &str) -> bool {
        let value = self.setting(extension, setting);
        let members = value.and_then(Value::as_array).into_iter().flatten();
        members
            .filter_map(Value::as_str)
            .any(|one| one.eq_ignore_ascii_case(member))
    }

    fn setting(&self, extension: &str, setting: &str) -> Option<&Value> {
        match self.extensions {
            ClientExtensions::Handshake(declared) => declared?.get(extension)?.get(setting),
            ClientExtensions::Inline(capabilities) => capabilities?
                .get("extensions")?
                .get(extension)?
                .get(setting),
        }
    }

    pub(crate) fn declares(&self, extension: &str) -> bool {
        match self.extensions {
            ClientExtensions::Handshake(declared) => {
                declared.is_some_and(|declared| declared.contains_key(extension))
            }
            // This runs for every request. Reading one member costs less than parsing all
            // capabilities.
            ClientExtensions::Inline(capabilities) => {
                let declared = capabilities.and_then(|capabilities| capabilities.get("extensions"));
                declared.is_some_and(|declared| declared.get(extension).is_some())
            }
        }
    }
}

/// What a client's surfaces require of the server: the union over all surfaces that the client
/// negotiated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ClientTerms {
    /// The negotiated surfaces as a bit set. Bit `n` is the surface at index `n` of
    /// `surface::SURFACES`.
    pub(crate) spoken: u32,
    /// The client describes a tool before it calls the tool. Under `Listing::Negotiated` its lists
    /// are minimal.
    pub(crate) describes: bool,
    /// The client sends tickets in `_meta` and not among the arguments.
    pub(crate) keeps_tickets: bool,
    /// The client expands groups, so its lists omit tools that are in groups.
    pub(crate) expands_groups: bool,
    /// A rule of a surface forbids refusing calls of undisclosed tools.
    pub(crate) forbids_gating: bool,
    /// The client is a gateway. It describes the tools to the clients behind it and gates their
    /// calls.
    pub(crate) relays: bool,
    /// The client renders the views of MCP Apps, and sends the calls of views like those of its
    /// model.
    pub(crate) shows_views: bool,
    /// The client's lists have descriptions of at most 60 characters and bare schemas. The client
    /// describes tools by a method, and calls them by their names.
    pub(crate) wants_brief: bool,
}

impl ClientTerms {
    /// Returns the union of both.
    pub(crate) fn union(self, other: Self) -> Self {
        Self {
            spoken: self.spoken | other.spoken,
            describes: self.describes || other.describes,
            keeps_tickets: self.keeps_tickets || other.keeps_tickets,
            expands_groups: self.expands_groups || other.expands_groups,
            forbids_gating: self.forbids_gating || other.forbids_gating,
            relays: self.relays || other.relays,
            shows_views: self.shows_views || other.shows_views,
            wants_brief: self.wants_brief || other.wants_brief,
        }
    }

    pub(crate) fn speaks(&self, wire: usize) -> bool {
        // `surface::SURFACES` has far fewer entries than the 32 bits of `spoken`.
        self.spoken & (1 << wire) != 0
    }
}
