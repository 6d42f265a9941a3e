//! `report`: one HTML page with what models read of a server, and what they miss. The page needs no
//! network. `tokens`, `check`, `audit` and `tour` print the same numbers.

mod listing_cost;
mod page;
mod tool_facts;

use super::{
    CliError,
    any_server::AnyServer,
    audit::AuditTable,
    check::{CheckOptions, CheckSummary, ContractSummary},
    overlay::OverlayOptions,
    style,
    tokens::TokenTable,
    tool_names::find_tool,
    tour::{self, TourReport},
};
use crate::{
    ServerBuilder,
    catalog::{Catalog, entry::CatalogEntry},
    policy::access::CallerAuthority,
    registry::{RegistryInfo, group::GroupView},
    search::ConfusablePair,
    text::write_file::{write_private, write_public},
};
use chrono::{DateTime, Utc};
use clap::Args;
use listing_cost::{ListingCost, MeasuredTools};
use rmcp::ServerHandler;
use serde::Serialize;
use std::{fs, io, path::PathBuf, sync::Arc, time::SystemTime};
use tool_facts::ToolFacts;

/// The page to write, and what it shows.
#[derive(Debug, Clone, Args)]
pub struct ReportOptions {
    /// The HTML page to write; an existing file is replaced
    file: PathBuf,
    /// Add what callers did: a file that `serve --audit FILE` wrote
    #[arg(long, value_name = "FILE")]
    audit: Option<PathBuf>,
    /// Add the changes since this file of contracts, which `check --lock FILE` wrote
    #[arg(long, value_name = "FILE")]
    lock: Option<PathBuf>,
    /// The tool that the tour calls; by default a read-only tool, preferably with an example and in
    /// a group
    #[arg(long, value_name = "NAME")]
    #[doc(hidden)]
    pub tool: Option<String>,
    #[command(flatten)]
    texts: OverlayOptions,
}

/// Everything that the page shows.
#[derive(Debug, Serialize)]
struct ReportData {
    server: ServerFacts,
    tokens: TokenTable,
    /// The cost of finding one tool, by listing.
    listings: Vec<ListingCost>,
    /// The tool on which the listings are measured. `None` if the server lacks tools.
    measured_tool: Option<String>,
    /// `None` if no tool is read-only, because a call might change something.
    tour: Option<TourReport>,
    check: CheckSummary,
    tools: Vec<ToolFacts>,
    groups: Vec<GroupFacts>,
    pairs: Vec<ConfusablePair>,
    audit: Option<AuditTable>,
    contracts: Option<ContractSummary>,
}

#[derive(Debug, Serialize)]
struct ServerFacts {
    name: String,
    version: String,
    /// The time of the report in UTC.
    time: String,
}

impl ServerFacts {
    fn new(info: &RegistryInfo) -> Self {
        let time = DateTime::<Utc>::from(SystemTime::now())
            .format("%F %H:%M")
            .to_string();
        Self {
            name: info.name.to_string(),
            version: info.version.to_string(),
            time,
        }
    }
}

#[derive(Debug, Serialize)]
struct GroupFacts {
    name: String,
    summary: String,
    tools: Vec<String>,
    groups: Vec<GroupFacts>,
}

impl GroupFacts {
    fn new(group: &GroupView) -> Self {
        Self {
            name: group.name.clone(),
            summary: group.summary.clone(),
            tools: group.tools.clone(),
            groups: group.groups.iter().map(Self::new).collect(),
        }
    }

    fn contains(&self, tool: &str) -> bool {
        self.tools.iter().any(|name| name == tool)
            || self.groups.iter().any(|group| group.contains(tool))
    }
}

/// The part of the report that needs the registry and no server.
struct RegistryFindings {
    check: CheckSummary,
    pairs: Vec<ConfusablePair>,
    groups: Vec<GroupFacts>,
    contracts: Option<ContractSummary>,
    measured: MeasuredTools,
}

impl RegistryFindings {
    fn new<S, H>(options: &ReportOptions, builder: &ServerBuilder<S, H>) -> Result<Self, CliError>
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
    {
        let registry = builder.registry();
        let check = CheckSummary::new(
            &CheckOptions::for_texts(&options.texts),
            registry,
            builder.listed_as(),
        )?;
        if !check.problems.is_empty() {
            // A registry that breaks a rule has no lists to show.
            return Err(check.failures.join("; ").into());
        }
        let overlaid = options
            .texts
            .directory()
            .map(|directory| registry.overlaid(directory))
            .transpose()?;
        let registry = overlaid.as_ref().unwrap_or(registry);
        let (schema, has_group_lines) = builder.list_form();
        let compare = |path: &PathBuf| -> Result<_, CliError> {
            Ok(ContractSummary::compare(path, &registry.lock()?)?)
        };
        Ok(Self {
            check,
            pairs: registry.confusable_tools(),
            groups: registry.groups().iter().map(GroupFacts::new).collect(),
            contracts: options.lock.as_ref().map(compare).transpose()?,
            measured: MeasuredTools {
                registry: registry.without_state(),
                schema,
                has_group_lines,
            },
        })
    }
}

fn warn_of_no_tour(error: &CliError) {
    style::report(&format_args!("warning: the page has no tour: {error}"));
}

/// Returns the tool that the tour calls: the named one, or one that changes nothing. A tool with
/// known arguments and in a group shows most: its call succeeds, and not every listing has it.
fn visited(
    options: &ReportOptions,
    catalog: &Catalog,
    groups: &[GroupFacts],
) -> Result<Option<Arc<CatalogEntry>>, CliError> {
    if let Some(name) = &options.tool {
        return find_tool(catalog, name).cloned().map(Some);
    }
    let models = catalog.visible(&CallerAuthority::Owner).collect::<Vec<_>>();
    let harmless = models
        .into_iter()
        // Every list has eager tools in full, so a tour of one would show no disclosure.
        .filter(|entry| entry.is_read_only() && !entry.tool.about.eager);
    // Of equal ones, `max_by_key` would return the last.
    Ok(harmless
        .rev()
        .max_by_key(|entry| {
            (
                has_arguments(entry),
                is_grouped(entry, groups),
                has_example(entry),
            )
        })
        .cloned())
}

fn has_example(entry: &CatalogEntry) -> bool {
    !entry.tool.about.usage.examples.is_empty()
}

fn has_arguments(entry: &CatalogEntry) -> bool {
    has_example(entry) || !tour::requires_arguments(entry)
}

fn is_grouped(entry: &CatalogEntry, groups: &[GroupFacts]) -> bool {
    groups.iter().any(|group| group.contains(entry.name()))
}

/// Writes the page. `visit` shows the tour of a tool, as the command `tour` does.
pub async fn report<S, H>(
    options: &ReportOptions,
    builder: ServerBuilder<S, H>,
    visit: impl AsyncFnOnce(&Arc<CatalogEntry>, AnyServer<'_>) -> Result<TourReport, CliError>,
) -> Result<(), CliError>
where
    S: Send + Sync + 'static,
    H: ServerHandler,
{
    // The log before anything is measured: a wrong path should fail at once.
    let audit = options.audit.as_deref().map(AuditTable::read).transpose()?;
    let info = builder.info();
    // Before the build, which consumes the registry.
    let found = RegistryFindings::new(options, &builder)?;
    let server = options.texts.build(builder)?;
    let server = server.host().as_ref();
    let tokens = TokenTable::from_server(server)?;
    let catalog = server.served().catalog();
    let visited = visited(options, &catalog, &found.groups)?;
    // The listings are measured on tools without state, where a call of any tool is harmless.
    let first = catalog.visible(&CallerAuthority::Owner).next();
    let compared = visited.as_ref().or(first);
    let data = ReportData {
        server: ServerFacts::new(&info),
        tokens,
        measured_tool: compared.map(|entry| entry.name().to_owned()),
        listings: listing_cost::measure(&found.measured, compared.map(AsRef::as_ref)).await?,
        tour: match &visited {
            // A tool that fails does not take the rest of the page with it.
            Some(entry) => visit(entry, AnyServer(server))
                .await
                .inspect_err(warn_of_no_tour)
                .ok(),
            None => None,
        },
        check: found.check,
        tools: catalog
            .visible(&CallerAuthority::Owner)
            .map(|entry| ToolFacts::new(entry))
            .collect(),
        groups: found.groups,
        pairs: found.pairs,
        audit,
        contracts: found.contracts,
    };
    let page = page::render(&data)?;
    let path = options.file.display();
    write(options, &page).map_err(|error| format!("{path} cannot be written: {error}"))?;
    let tools = style::counted(data.tools.len(), "tool");
    Ok(style::print(format_args!(
        "{} {path}: {tools}, {} kB\n",
        style::green("ok"),
        page.len().div_ceil(1000)
    ))?)
}

/// Writes the page. Only its owner can read a new page with an audit log, as only the owner can
/// read the log.
fn write(options: &ReportOptions, page: &str) -> io::Result<()> {
    let is_special = fs::metadata(&options.file).is_ok_and(|file| !file.is_file());
    match (is_special, &options.audit) {
        // A pipe such as `/dev/stdout` takes the page, and is not replaced by a file.
        (true, _) => fs::write(&options.file, page),
        (false, Some(_)) => write_private(&options.file, page),
        (false, None) => write_public(&options.file, page),
    }
}
