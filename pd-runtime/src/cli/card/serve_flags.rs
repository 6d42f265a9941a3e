//! `serve --card-…`: the card of a server that serves HTTP.

use crate::serve::{HttpOptions, ServerCard};
use clap::Args;

/// The card to publish beside the endpoint.
#[derive(Debug, Clone, Args)]
pub(in crate::cli) struct CardFlags {
    /// Publish a server card at /mcp/server-card, for everyone: the name, version and description
    /// of this server, and its URL. The value is the server's name in registries, e.g.
    /// io.github.me/notes
    #[arg(long, value_name = "NAMESPACE/NAME", requires = "http")]
    card_name: Option<String>,
    /// The URL at which clients reach the server; by default the value of --jwt-audience
    #[arg(long, value_name = "URL", requires = "card_name")]
    card_url: Option<String>,
    /// What the server does, in at most 100 characters; by default its own description, or the
    /// beginning of its instructions
    #[arg(long, value_name = "TEXT", requires = "card_name")]
    card_description: Option<String>,
    /// A page about the server for people; by default the server's own
    #[arg(long, value_name = "URL", requires = "card_name")]
    card_website: Option<String>,
}

impl CardFlags {
    /// Applies the flags. A card that is set in code stays without them.
    pub(in crate::cli) fn set(&self, options: HttpOptions) -> HttpOptions {
        let Some(name) = &self.card_name else {
            return options;
        };
        let mut card = ServerCard::new(name);
        if let Some(url) = &self.card_url {
            card = card.url(url);
        }
        if let Some(text) = &self.card_description {
            card = card.description(text);
        }
        if let Some(url) = &self.card_website {
            card = card.website_url(url);
        }
        options.server_card(card)
    }
}
