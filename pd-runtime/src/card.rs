//! The documents by which registries, clients and desktop hosts know a server before they connect:
//! the server card, `server.json` and the manifest of an MCPB bundle. Whoever has the server
//! collects its facts.

mod card_error;
#[cfg(feature = "cli")]
pub(crate) mod mcpb_manifest;
mod published_facts;
mod publisher_facts;
pub(crate) mod repository;
mod rules;
pub(crate) mod server_card;
#[cfg(feature = "cli")]
pub(crate) mod server_json;
#[cfg(feature = "cli")]
pub(crate) mod server_package;

pub use card_error::CardError;
pub use server_card::ServerCard;

use rmcp::model::Implementation;

/// What a built server states about itself to callers without a token.
#[derive(Debug, Clone)]
pub(crate) struct ServerFacts {
    /// `serverInfo`.
    pub(crate) info: Implementation,
    /// The MCP versions that the server supports, as `server/discover` lists them.
    pub(crate) versions: Vec<String>,
    /// The author's instructions. Their beginning describes a server whose `serverInfo` has no
    /// description.
    pub(crate) instructions: String,
}

#[cfg(test)]
mod tests;
