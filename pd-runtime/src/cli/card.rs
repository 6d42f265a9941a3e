//! `card`: the documents by which registries, clients and desktop hosts know a server.

mod card_form;
mod serve_flags;

pub(super) use serve_flags::CardFlags;

use super::{CliError, json_output, overlay::OverlayOptions};
use crate::{
    card::{
        ServerCard, ServerFacts,
        mcpb_manifest::{self, BundleAuthor, BundleFacts, BundleTool, BundleTools},
        repository::Repository,
        server_json,
        server_package::ServerPackage,
    },
    policy::access::CallerAuthority,
    server::erased_server::ErasedServer,
};
use card_form::{CardForm, FactUse};
use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser},
};
use serde_json::Value;

/// The systems for which a bundle may have a program, under their names in manifests.
const PLATFORMS: [&str; 3] = ["darwin", "linux", "win32"];

/// The error for a name that no document of a registry can do without.
const NO_NAME: &str = "a server card and `server.json` need the server's name in registries; write `--name \
    NAMESPACE/NAME`, e.g. `--name io.github.me/notes`, where the namespace is a domain of yours backwards, or \
    `io.github.` and your account";

/// The error for an entry from which no client learns how to use the server.
const NO_PLACE: &str = "`server.json` needs a place from which clients get the server; write `--remote URL` for a server \
    that you run, or `--package TYPE:IDENTIFIER` for one that users install, e.g. `--package npm:@me/notes`";

/// The error for a bundle of nobody.
const NO_AUTHOR: &str = "a bundle needs an author; write `--author NAME`";

/// The document, and the facts that a server does not know.
#[derive(Debug, Clone, Args)]
pub struct CardOptions {
    /// The document
    #[arg(
        long = "as",
        value_enum,
        default_value = "server-card",
        value_name = "FORM"
    )]
    form: CardForm,
    /// The server's name in registries, as NAMESPACE/NAME; for `mcpb`, the name of the bundle, by
    /// default the server's own
    #[arg(long)]
    name: Option<String>,
    /// The title for people, in at most 100 characters; by default the server's own
    #[arg(long)]
    title: Option<String>,
    /// What the server does, in at most 100 characters; by default the description of the server,
    /// or the beginning of its instructions
    #[arg(long)]
    description: Option<String>,
    /// The URL of a page for people; by default the server's own
    #[arg(long, value_name = "URL")]
    website: Option<String>,
    /// The URL of the source code
    #[arg(long, value_name = "URL")]
    repository: Option<String>,
    /// The service that hosts the source code; by default that of the URL, if it is GitHub, GitLab,
    /// Bitbucket or Codeberg
    #[arg(long, value_name = "SERVICE", requires = "repository")]
    repository_source: Option<String>,
    /// The URL at which clients reach the server over HTTP (`server-card`, `server.json`)
    #[arg(long, value_name = "URL")]
    remote: Option<String>,
    /// A package of this server: `npm:NAME`, `pypi:NAME` or `nuget:NAME`, each with `@VERSION` if it
    /// is not the server's, `oci:IMAGE:TAG`, or `mcpb:URL#sha256=HASH`; may be repeated
    /// (`server.json`)
    #[arg(long, value_name = "TYPE:IDENTIFIER", value_parser = ServerPackage::parse)]
    package: Vec<ServerPackage>,
    /// An argument with which the program serves; may be repeated; by default `serve`
    /// (`server.json`, `mcpb`)
    #[arg(
        long,
        value_name = "TEXT",
        allow_hyphen_values = true,
        default_value = "serve"
    )]
    argument: Vec<String>,
    /// Who made the bundle (`mcpb`)
    #[arg(long, value_name = "NAME")]
    author: Option<String>,
    /// The author's address (`mcpb`)
    #[arg(long, value_name = "ADDRESS", requires = "author", value_parser = email)]
    author_email: Option<String>,
    /// A page of the author (`mcpb`)
    #[arg(long, value_name = "URL", requires = "author")]
    author_url: Option<String>,
    /// The license, as an SPDX expression (`mcpb`)
    #[arg(long, value_name = "SPDX")]
    license: Option<String>,
    /// The program in the bundle; by default `server/` and the server's own name (`mcpb`)
    #[arg(long, value_name = "PATH", value_parser = path_in_bundle)]
    entry_point: Option<String>,
    /// The command that starts the program; by default the entry point in the bundle's directory,
    /// `${__dirname}` (`mcpb`)
    #[arg(long)]
    command: Option<String>,
    /// A system that the program is for; repeat it, or separate names by commas (`mcpb`)
    #[arg(long, value_delimiter = ',', value_parser = platforms())]
    platform: Vec<&'static str>,
    #[command(flatten)]
    #[doc(hidden)]
    pub texts: OverlayOptions,
}

fn platforms() -> impl TypedValueParser<Value = &'static str> {
    let parser = PossibleValuesParser::new(PLATFORMS);
    parser.try_map(|name| {
        let mut known = PLATFORMS.into_iter();
        known
            .find(|platform| *platform == name)
            // Never reached, because the parser before this knows the same names.
            .ok_or("no such platform")
    })
}

fn email(text: &str) -> Result<String, &'static str> {
    let has_parts = text.split_once('@').is_some_and(|(name, host)| {
        !name.is_empty() && host.contains('.') && !host.contains('@') && !host.starts_with('.')
    });
    if has_parts && !text.contains(char::is_whitespace) {
        Ok(text.to_owned())
    } else {
        Err("write an address such as `me@example.com`")
    }
}

fn path_in_bundle(path: &str) -> Result<String, &'static str> {
    let is_inside = path
        .split('/')
        .all(|part| !matches!(part, "" | "." | "..") && !part.contains(['\\', ':']));
    if is_inside {
        Ok(path.to_owned())
    } else {
        Err("write the path from the top of the bundle, with slashes, e.g. `server/notes`")
    }
}

/// Prints the document.
pub(super) fn card(options: &CardOptions, server: &dyn ErasedServer) -> Result<(), CliError> {
    let facts = server.card_facts();
    options.check_use()?;
    let document = match options.form {
        CardForm::ServerCard => options.published()?.document(&facts, None)?,
        CardForm::ServerJson => {
            if options.remote.is_none() && options.package.is_empty() {
                return Err(NO_PLACE.into());
            }
            let card = options.published()?;
            server_json::document(&card, &facts, &options.package, &options.argument)?
        }
        CardForm::Mcpb => options.manifest(server, &facts)?,
    };
    json_output::print_file(&document)
}

impl CardOptions {
    /// Checks that the document has a place for each fact. Otherwise a publisher would believe that
    /// it was published.
    fn check_use(&self) -> Result<(), CliError> {
        let has_own_arguments = self.argument != ["serve"];
        let facts = [
            (self.remote.is_some(), FactUse::REMOTE),
            (!self.package.is_empty(), FactUse::PACKAGE),
            (has_own_arguments, FactUse::ARGUMENT),
            (self.author.is_some(), FactUse::AUTHOR),
            (self.license.is_some(), FactUse::LICENSE),
            (self.entry_point.is_some(), FactUse::ENTRY_POINT),
            (self.command.is_some(), FactUse::COMMAND),
            (!self.platform.is_empty(), FactUse::PLATFORM),
        ];
        let unused = facts
            .into_iter()
            .find(|(is_set, fact)| *is_set && !fact.is_in(self.form));
        unused.map_or(Ok(()), |(_, fact)| Err(fact.refusal(self.form).into()))
    }

    /// Returns the facts for a server card and for `server.json`.
    fn published(&self) -> Result<ServerCard, CliError> {
        let mut card = ServerCard::new(self.name.as_deref().ok_or(NO_NAME)?);
        if let Some(title) = &self.title {
            card = card.title(title);
        }
        if let Some(text) = &self.description {
            card = card.description(text);
        }
        if let Some(url) = &self.website {
            card = card.website_url(url);
        }
        if let Some(url) = &self.remote {
            card = card.url(url);
        }
        Ok(match (&self.repository, &self.repository_source) {
            (Some(url), None) => card.repository(url),
            (Some(url), Some(service)) => card.repository_on(service, url),
            (None, _) => card,
        })
    }

    fn manifest(&self, server: &dyn ErasedServer, facts: &ServerFacts) -> Result<Value, CliError> {
        let catalog = server.served().catalog();
        let tools = if catalog.info.sources.is_empty() {
            // Without the tools for views alone, which no model can call.
            let listed = catalog
                .visible(&CallerAuthority::Owner)
                .map(|entry| BundleTool {
                    name: entry.name(),
                    description: entry.tool.about.summary.trim(),
                });
            BundleTools::Listed(listed.collect())
        } else {
            BundleTools::Generated
        };
        let default_program = || format!("server/{}", file_name(&facts.info.name));
        let entry_point = self.entry_point.clone().unwrap_or_else(default_program);
        // A manifest names no service, so any is right.
        let repository = self
            .repository
            .as_ref()
            .map(|url| Repository::new(url, Some("git")))
            .transpose()?;
        let bundle = BundleFacts {
            name: self.name.as_deref(),
            title: self.title.as_deref(),
            description: self.description.as_deref(),
            website: self.website.as_deref(),
            repository,
            author: BundleAuthor {
                name: self.author.as_deref().ok_or(NO_AUTHOR)?,
                email: self.author_email.as_deref(),
                url: self.author_url.as_deref(),
            },
            license: self.license.as_deref(),
            entry_point: &entry_point,
            command: self.command.as_deref(),
            arguments: &self.argument,
            platforms: &self.platform,
        };
        Ok(mcpb_manifest::document(&bundle, facts, &tools)?)
    }
}

/// Returns the name in characters that every system has in names of files.
fn file_name(name: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
    let plain: String = name
        .chars()
        .map(|character| if is_plain(character) { character } else { '-' })
        .collect();
    let plain = plain.trim_matches(['.', '-']);
    if plain.is_empty() { "server" } else { plain }.to_owned()
}
