//! `tour` of a gateway: what a model reads from the list of all servers to a call of one tool.

use crate::Gateway;
use pd_runtime::{
    cli::{CliError, TourOptions},
    upstream::{
        Catalog, CatalogEntry,
        cli::{
            AnyServer,
            local::{LocalClient, text_of},
            style,
            tokens::{count, count_json},
            tool_names::find_tool,
            tour::{TourCost, TourPrinter, TourReport, arguments_of, requires_arguments},
        },
        definition::for_model,
        text::thousands::thousands,
    },
};
use rmcp::model::JsonObject;
use serde_json::{Value, json};
use std::sync::Arc;

/// The most words of a search.
const QUERY_WORDS: usize = 8;

/// The tool of a tour, and its arguments.
struct Visit {
    entry: Arc<CatalogEntry>,
    /// `None` if the tool must not be called without being asked for.
    arguments: Option<JsonObject>,
}

/// Prints the steps on the servers of a gateway. Their lists are known.
pub(super) async fn tour(options: &TourOptions, gateway: &Gateway) -> Result<(), CliError> {
    let server = options.texts.build(gateway.builder())?;
    let server = AnyServer::new(&server);
    let visit = pick(options, &server.catalog())?;
    visit
        .run(gateway, server, TourPrinter::new(options))
        .await
        .map(drop)
}

/// Visits a tool without printing anything. Only a tool that was named is called: the result of a
/// foreign server may be private, and the page of `report` contains it.
pub(super) async fn gather(
    entry: &Arc<CatalogEntry>,
    is_named: bool,
    gateway: &Gateway,
    server: AnyServer<'_>,
) -> Result<TourReport, CliError> {
    let visit = Visit {
        entry: entry.clone(),
        arguments: is_named.then(|| arguments_of(entry)),
    };
    visit.run(gateway, server, TourPrinter::silent()).await
}

impl Visit {
    async fn run(
        self,
        gateway: &Gateway,
        server: AnyServer<'_>,
        mut tour: TourPrinter,
    ) -> Result<TourReport, CliError> {
        let client = server.connect().await?;
        let listed = client.tools().await?;
        let all = server.full_tools();
        let full = count_json(&json!({ "tools": all }))?;
        let mut with =
            count_json(&json!({ "tools": listed.iter().map(for_model).collect::<Vec<_>>() }))?;
        let tools = style::counted(all.len(), "tool");
        let servers = style::counted(count_servers(gateway), "server");
        let gist = format!(
            "{} entries instead of {tools} of {servers}, which cost {}",
            listed.len(),
            thousands(full)
        );
        tour.print_step("list", &gist, with, &client)?;

        let name = self.entry.name();
        let query = self
            .entry
            .tool
            .about
            .summary
            .split_whitespace()
            .take(QUERY_WORDS)
            .collect::<Vec<_>>()
            .join(" ");
        let gist = format!("`{query}`");
        with += step(
            &mut tour,
            &client,
            "search",
            "find_tools",
            json!({ "query": query }),
            &gist,
        )
        .await?;
        let gist = format!("the schema of `{name}` alone");
        with += step(
            &mut tour,
            &client,
            "describe",
            "describe_tools",
            json!({ "names": [name] }),
            &gist,
        )
        .await?;
        match self.arguments {
            Some(arguments) => {
                // As the list declares them: JSON in a text.
                let arguments = json!({ "name": name, "arguments": Value::Object(arguments).to_string() });
                let meta_tool = if self.entry.is_read_only() { "call_read_only_tool" } else { "call_tool" };
                step(&mut tour, &client, "call", meta_tool, arguments, &format!("`{name}` runs on its server")).await?;
            }
            None => {
                tour.print_note("No call: no tool is read-only without required arguments. `--tool NAME` calls one.")?
            }
        }
        // One turn each to search, to describe and to call.
        let turns = 3;
        tour.finish(
            Some(TourCost {
                read: with,
                full,
                turns,
            }),
            None,
        )
    }
}

/// Calls a meta-tool, prints the step, and returns its tokens.
async fn step(
    tour: &mut TourPrinter,
    client: &LocalClient,
    title: &str,
    meta_tool: &str,
    arguments: Value,
    gist: &str,
) -> Result<usize, CliError> {
    // A model writes the arguments, and reads the answer.
    let asked = count(&arguments.to_string());
    let Value::Object(arguments) = arguments else {
        return Ok(0);
    };
    let cost = asked + count(&text_of(&client.call(meta_tool, arguments).await?));
    tour.print_step(title, gist, cost, client)?;
    Ok(cost)
}

fn count_servers(gateway: &Gateway) -> usize {
    gateway
        .status()
        .iter()
        .filter(|server| server.tools > 0)
        .count()
}

/// Picks the named tool, or the first that is read-only and needs no arguments. Without one, the
/// first tool is described and not called, because a call can change something.
fn pick(options: &TourOptions, catalog: &Catalog) -> Result<Visit, CliError> {
    if let Some(name) = &options.tool {
        let entry = find_tool(catalog, name)?.clone();
        let arguments = Some(arguments_of(&entry));
        return Ok(Visit { entry, arguments });
    }
    let harmless = catalog
        .entries
        .iter()
        .find(|entry| entry.is_read_only() && !requires_arguments(entry));
    if let Some(entry) = harmless {
        return Ok(Visit {
            entry: entry.clone(),
            arguments: Some(JsonObject::new()),
        });
    }
    let first = catalog
        .entries
        .first()
        .ok_or("no server lists a tool; `doctor` shows why")?;
    Ok(Visit {
        entry: first.clone(),
        arguments: None,
    })
}
