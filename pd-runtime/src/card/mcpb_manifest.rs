//! The manifest of an MCPB bundle, which desktop hosts install by a double click.

use super::{
    CardError, ServerFacts,
    published_facts::{description, title},
    repository::Repository,
    rules,
};
use serde::Serialize;
use serde_json::{Value, json};

/// The version of the manifest's format. Later versions add kinds of servers that are no programs.
const MANIFEST_VERSION: &str = "0.3";

/// What only the publisher of a bundle knows.
#[derive(Debug, Clone)]
pub(crate) struct BundleFacts<'a> {
    /// The name of the bundle; the server's own by default.
    pub(crate) name: Option<&'a str>,
    pub(crate) title: Option<&'a str>,
    pub(crate) description: Option<&'a str>,
    pub(crate) website: Option<&'a str>,
    pub(crate) repository: Option<Repository>,
    pub(crate) author: BundleAuthor<'a>,
    pub(crate) license: Option<&'a str>,
    /// The program's path in the bundle.
    pub(crate) entry_point: &'a str,
    /// The command to run; the entry point in the bundle's directory by default.
    pub(crate) command: Option<&'a str>,
    pub(crate) arguments: &'a [String],
    pub(crate) platforms: &'a [&'static str],
}

/// Who made a bundle.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct BundleAuthor<'a> {
    pub(crate) name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) email: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) url: Option<&'a str>,
}

/// The tools that a host shows before it installs a bundle.
#[derive(Debug, Clone)]
pub(crate) enum BundleTools<'a> {
    /// The tools that models can call, each with its summary.
    Listed(Vec<BundleTool<'a>>),
    /// The server finds out at run time which tools it has.
    Generated,
}

/// One tool.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct BundleTool<'a> {
    pub(crate) name: &'a str,
    pub(crate) description: &'a str,
}

/// Renders the manifest.
pub(crate) fn document(
    bundle: &BundleFacts<'_>,
    server: &ServerFacts,
    tools: &BundleTools<'_>,
) -> Result<Value, CardError> {
    let website = bundle.website.or(server.info.website_url.as_deref());
    for url in website.iter().chain(&bundle.author.url) {
        rules::check_url(url)?;
    }
    if let Some(title) = bundle.title {
        rules::check_text(title, CardError::Title)?;
    }
    rules::check_version(&server.info.version)?;
    let in_bundle = || format!("${{__dirname}}/{}", bundle.entry_point);
    let (tools, is_generated) = match tools {
        BundleTools::Listed(tools) => (tools.as_slice(), false),
        BundleTools::Generated => (&[][..], true),
    };
    Ok(json!(Manifest {
        manifest_version: MANIFEST_VERSION,
        name: bundle.name.unwrap_or(&server.info.name),
        display_name: title(bundle.title, server),
        version: &server.info.version,
        description: description(bundle.description, server)?,
        author: &bundle.author,
        repository: bundle.repository.as_ref().map(|repository| GitRepository {
            kind: "git",
            url: &repository.url,
        }),
        homepage: website,
        license: bundle.license,
        server: BundledServer {
            kind: "binary",
            entry_point: bundle.entry_point,
            mcp_config: BundledCommand {
                command: bundle.command.map_or_else(in_bundle, str::to_owned),
                args: bundle.arguments,
                env: json!({}),
            },
        },
        tools,
        tools_generated: is_generated,
        prompts_generated: is_generated,
        compatibility: (!bundle.platforms.is_empty()).then_some(Compatibility {
            platforms: bundle.platforms,
        }),
    }))
}

#[derive(Serialize)]
struct Manifest<'a> {
    manifest_version: &'static str,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    display_name: Option<&'a str>,
    version: &'a str,
    description: String,
    author: &'a BundleAuthor<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repository: Option<GitRepository<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    homepage: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    license: Option<&'a str>,
    server: BundledServer<'a>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    tools: &'a [BundleTool<'a>],
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    tools_generated: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    prompts_generated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    compatibility: Option<Compatibility<'a>>,
}

#[derive(Serialize)]
struct GitRepository<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    url: &'a str,
}

#[derive(Serialize)]
struct BundledServer<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    entry_point: &'a str,
    mcp_config: BundledCommand<'a>,
}

#[derive(Serialize)]
struct BundledCommand<'a> {
    command: String,
    args: &'a [String],
    env: Value,
}

#[derive(Serialize)]
struct Compatibility<'a> {
    platforms: &'a [&'static str],
}
