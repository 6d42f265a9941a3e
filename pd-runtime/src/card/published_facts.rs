//! The facts that a server card and `server.json` have in common.

use super::{
    CardError, ServerFacts, publisher_facts::PublisherFacts, repository::Repository, rules,
};
use crate::text::truncate::{cut_at_word, first_chars};
use rmcp::model::Icon;
use serde::Serialize;

/// The facts of a server under the keys of both documents.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PublishedFacts<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    description: String,
    version: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    website_url: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repository: Option<Repository>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    icons: Vec<&'a Icon>,
}

impl<'a> PublishedFacts<'a> {
    /// Joins what the publisher sets, once it was checked, with what the server states about itself.
    pub(super) fn new(own: &'a PublisherFacts, server: &'a ServerFacts) -> Result<Self, CardError> {
        let website = own.website.as_deref();
        let website_url = website.or(server.info.website_url.as_deref());
        if let Some(url) = website_url {
            rules::check_url(url)?;
        }
        rules::check_version(&server.info.version)?;
        Ok(Self {
            name: &own.name,
            title: title(own.title.as_deref(), server),
            description: description(own.description.as_deref(), server)?,
            version: &server.info.version,
            website_url,
            repository: own.repository()?,
            icons: icons(server),
        })
    }
}

/// Returns the title that is set, or the server's own. The server's is cut, because MCP has no
/// limit for it.
pub(super) fn title<'a>(own: Option<&'a str>, server: &'a ServerFacts) -> Option<&'a str> {
    let of_server = || {
        let title = server.info.title.as_deref()?.trim();
        Some(first_chars(title, rules::TEXT_MAX)).filter(|title| !title.is_empty())
    };
    own.or_else(of_server)
}

/// Returns the description that is set, that of `serverInfo`, or the beginning of the instructions.
/// What is not set for a card is cut, because MCP has no limit for it.
pub(super) fn description(own: Option<&str>, server: &ServerFacts) -> Result<String, CardError> {
    if let Some(own) = own {
        rules::check_text(own, CardError::Description)?;
        return Ok(own.to_owned());
    }
    let of_server = server.info.description.as_deref().map(shorten);
    of_server
        .into_iter()
        .chain([shorten(&server.instructions)])
        .find(|text| !text.is_empty())
        .ok_or(CardError::NoDescription)
}

/// Returns the first paragraph of a text if it is short enough, its first sentence, or its
/// beginning.
fn shorten(text: &str) -> String {
    let lines = text.trim().lines().map(str::trim);
    let paragraph: Vec<_> = lines
        .take_while(|line| !line.is_empty())
        .flat_map(str::split_whitespace)
        .collect();
    let paragraph = paragraph.join(" ");
    if paragraph.chars().count() <= rules::TEXT_MAX {
        return paragraph;
    }
    match paragraph.split_once(". ") {
        Some((sentence, _)) if sentence.chars().count() < rules::TEXT_MAX => format!("{sentence}."),
        // One character less, for the mark.
        _ => format!("{}…", cut_at_word(&paragraph, rules::TEXT_MAX - 1)),
    }
}

/// Returns the icons that registries accept: by a URL with TLS, of at most 255 characters.
fn icons(server: &ServerFacts) -> Vec<&Icon> {
    let all = server.info.icons.iter().flatten();
    all.filter(|icon| icon.src.starts_with("https://") && rules::check_url(&icon.src).is_ok())
        .collect()
}
