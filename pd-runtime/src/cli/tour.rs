//! `tour`: a client goes from the list to a call, and each step is printed with its cost for a
//! model.

mod printer;

pub use printer::{TourCost, TourPrinter, TourReport};

use super::{
    CliError,
    any_server::AnyServer,
    break_even, local,
    overlay::OverlayOptions,
    style::{counted, thousands},
    tokens::{count, count_json, lists},
    tool_names::find_tool,
};
use crate::{
    PdServer,
    catalog::{Catalog, definition::for_model, entry::CatalogEntry},
    policy::{ListingStep, Refusal, access::CallerAuthority},
    protocol::keys::BODY,
    registry::problem::RegistryErrors,
    registry::selective::{column_selection::ColumnSelection, columns::MODE},
    server::{NoHandler, erased_server::ErasedServer},
};

use clap::Args;
use pd_schema::reader::SchemaRef;
use rmcp::model::JsonObject;
use serde_json::{Value, json};
use std::sync::Arc;

/// The tool to visit.
#[derive(Debug, Clone, Default, Args)]
pub struct TourOptions {
    /// The tool to call; by default the first read-only tool with an example
    #[arg(long, value_name = "NAME")]
    #[doc(hidden)]
    pub tool: Option<String>,
    /// Print the steps as JSON, with the whole messages
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    #[doc(hidden)]
    pub texts: OverlayOptions,
}

impl TourOptions {
    /// Visits this tool by default. A tool on the command line takes precedence.
    #[must_use]
    pub fn with_default_tool(mut self, tool: impl Into<String>) -> Self {
        self.tool.get_or_insert_with(|| tool.into());
        self
    }
}

pub(super) async fn tour(options: &TourOptions, server: &dyn ErasedServer) -> Result<(), CliError> {
    let entry = pick(options, &server.served().catalog())?;
    visit(&entry, server, TourPrinter::new(options))
        .await
        .map(drop)
}

/// Visits a tool without printing anything.
pub(super) async fn gather(
    entry: &Arc<CatalogEntry>,
    server: AnyServer<'_>,
) -> Result<TourReport, CliError> {
    visit(entry, server.0, TourPrinter::silent()).await
}

async fn visit(
    entry: &CatalogEntry,
    server: &dyn ErasedServer,
    mut tour: TourPrinter,
) -> Result<TourReport, CliError> {
    let chosen = arguments_of(entry);
    let mut arguments = chosen.clone();
    // Taken out, because the first call is without columns. The call after it names them.
    let is_chosen =
        entry.tool.about.columns.is_some() && ColumnSelection::take(&mut arguments).is_some();
    let client = local::LocalClient::connect(server).await?;

    let tools = client.tools().await?;
    let full = count_json(&json!({ "tools": lists(server).full }))?;
    let cost = count_json(&json!({ "tools": tools.iter().map(for_model).collect::<Vec<_>>() }))?;
    let listed = counted(tools.len(), "tool");
    let visit = Visit {
        name: entry.name(),
        arguments,
        chosen: is_chosen.then_some(chosen),
        full,
    };
    match server.served().as_owner(|view| view.step()) {
        ListingStep::Full => {
            // Nothing is gated in this case, so the tour has neither a refusal nor a description.
            let gist = format!("{listed} in full, so that no description is left to read");
            tour.print_step("list", &gist, cost, &client)?;
            visit.call_listed(&mut tour, &client, "in the list").await?;
            tour.finish(None, None)
        }
        ListingStep::Outline if !entry.is_read_first() => {
            let gist = format!(
                "{listed} with their arguments, without texts; in full that would cost {}",
                thousands(full)
            );
            tour.print_step("list", &gist, cost, &client)?;
            visit
                .call_listed(&mut tour, &client, "that the list shows")
                .await?;
            tour.choose(TourCost {
                read: cost,
                full,
                turns: 1,
            });
            tour.print_note(
                "The same with `--specification`: every description is read before its call.",
            )?;
            let literal = literal(&server.served().catalog())?;
            visit.disclose(&mut tour, literal.host().as_ref()).await?;
            tour.finish(None, None)
        }
        _ => {
            visit.disclose(&mut tour, server).await?;
            tour.finish(None, break_even::advice(server.served()))
        }
    }
}

/// Returns a server of the same tools that serves the specification to the letter.
fn literal(catalog: &Catalog) -> Result<PdServer<(), NoHandler>, RegistryErrors> {
    PdServer::builder(catalog.registry(), ())
        .specification()
        .build()
}

/// A call of one tool, which every way ends with.
struct Visit<'a> {
    name: &'a str,
    arguments: JsonObject,
    /// The arguments of the example, if it names columns.
    chosen: Option<JsonObject>,
    /// The tokens of all tools in full.
    full: usize,
}

impl Visit<'_> {
    /// Lists, is refused, reads the description, and calls.
    async fn disclose(
        &self,
        tour: &mut TourPrinter,
        server: &dyn ErasedServer,
    ) -> Result<(), CliError> {
        let name = self.name;
        let full = self.full;
        let client = local::LocalClient::connect(server).await?;
        let tools = client.tools().await?;
        let cost =
            count_json(&json!({ "tools": tools.iter().map(for_model).collect::<Vec<_>>() }))?;
        let listed = counted(tools.len(), "tool");
        let gist = format!(
            "{listed} by name and summary; in full that would cost {}",
            thousands(full)
        );
        tour.print_step("list", &gist, cost, &client)?;

        let refused = client.call(name, self.arguments.clone()).await?;
        let is_bare = server
            .served()
            .as_owner(|view| view.policy.refusal(view.step()))
            == Refusal::Bare;
        let rest = if is_bare {
            ""
        } else {
            "; the refusal brings it along"
        };
        let gist = format!("`{name}` is refused before its description was read{rest}");
        tour.print_step("call", &gist, count(&local::text_of(&refused)), &client)?;

        // A new client reads the description first, as the server's instructions ask.
        let client = local::LocalClient::connect(server).await?;
        let description = client.describe(name).await?;
        // The refused call belongs to the other client, so its cost is not part of this one.
        tour.discount_last_step();
        let gist = format!("a client that follows the workflow reads `{name}`'s description first");
        tour.print_step("describe", &gist, count(&description), &client)?;
        self.call(
            tour,
            &client,
            "its description was read, and its arguments fit the schema",
        )
        .await?;
        // One turn reads the description, and one calls.
        tour.choose(TourCost {
            read: cost + count(&description),
            full,
            turns: 2,
        });
        Ok(())
    }

    /// Calls the tool by its list entry.
    async fn call_listed(
        &self,
        tour: &mut TourPrinter,
        client: &local::LocalClient,
        place: &str,
    ) -> Result<(), CliError> {
        self.call(
            tour,
            client,
            &format!("its arguments fit the schema {place}"),
        )
        .await
    }

    async fn call(
        &self,
        tour: &mut TourPrinter,
        client: &local::LocalClient,
        why: &str,
    ) -> Result<(), CliError> {
        let result = client.call(self.name, self.arguments.clone()).await?;
        // A model reads the result, and writes the arguments.
        let cost = count(&local::text_of(&result))
            + count(&Value::Object(self.arguments.clone()).to_string());
        tour.print_step(
            "call",
            &format!("`{}` runs: {why}", self.name),
            cost,
            client,
        )?;
        match &self.chosen {
            Some(chosen) => select(tour, client, self.name, chosen.clone()).await,
            None => Ok(()),
        }
    }
}

/// Repeats the call with the columns that its example names. No tool fetches the other columns
/// here, so `sync` mode sends them along for the agent to remove.
async fn select(
    tour: &mut TourPrinter,
    client: &local::LocalClient,
    name: &str,
    chosen: JsonObject,
) -> Result<(), CliError> {
    let mut arguments = chosen;
    arguments.insert(MODE.to_owned(), json!("sync"));
    let result = client.call(name, arguments.clone()).await?;
    let gist = format!(
        "`{name}` shows the columns that were named; an agent hands the rest to the next tool, unseen by its model"
    );
    let cost = count(&without_body(&local::text_of(&result)))
        + count(&Value::Object(arguments).to_string());
    tour.print_step("select", &gist, cost, client)
}

/// Returns the part of an answer that a model reads.
fn without_body(text: &str) -> String {
    match serde_json::from_str(text) {
        Ok(Value::Object(mut answer)) => {
            answer.shift_remove(BODY);
            Value::Object(answer).to_string()
        }
        _ => text.to_owned(),
    }
}

pub(super) fn pick(
    options: &TourOptions,
    catalog: &Catalog,
) -> Result<Arc<CatalogEntry>, CliError> {
    if let Some(name) = &options.tool {
        return find_tool(catalog, name).cloned();
    }
    // Read-only tools first, because the tour calls the tool.
    let candidate = gated(catalog)
        .find(|entry| !entry.tool.about.usage.examples.is_empty() && entry.is_read_only())
        .or_else(|| gated(catalog).find(|entry| !entry.tool.about.usage.examples.is_empty()))
        .or_else(|| gated(catalog).next());
    candidate.cloned().ok_or_else(|| {
        "no tool has a description to read before its call; name a tool with `--tool`".into()
    })
}

fn gated(catalog: &Catalog) -> impl Iterator<Item = &Arc<CatalogEntry>> {
    // Eager tools are not gated, so they have no step to show.
    catalog
        .visible(&CallerAuthority::Owner)
        .filter(|entry| !entry.tool.about.eager)
}

/// Returns whether a call without arguments would be refused.
pub fn requires_arguments(entry: &CatalogEntry) -> bool {
    let required = entry
        .tool
        .about
        .input
        .schema
        .get("required")
        .and_then(Value::as_array);
    required.is_some_and(|required| !required.is_empty())
}

/// Returns the arguments of the tool's first example, or made-up ones.
pub fn arguments_of(entry: &CatalogEntry) -> JsonObject {
    let example = entry
        .tool
        .about
        .usage
        .examples
        .first()
        .and_then(|example| example.input.as_object());
    match example.cloned().map_or_else(
        || sample(SchemaRef::document(&*entry.tool.about.input.schema)),
        Value::Object,
    ) {
        Value::Object(arguments) => arguments,
        _ => JsonObject::new(),
    }
}

/// Returns a small value that a simple schema accepts, with required properties only.
fn sample(schema: SchemaRef<'_>) -> Value {
    let first = |keyword| schema.get(keyword)?.as_array()?.first();
    // Values that the author wrote come before values that are made up from the type.
    let written = schema
        .get("const")
        .or_else(|| schema.get("default"))
        .or_else(|| first("enum"))
        .or_else(|| first("examples"));
    if let Some(value) = written {
        return value.clone();
    }
    if let Some(branch) = schema.alternatives().next() {
        return sample(branch);
    }
    let named = schema
        .get("type")
        .and_then(|kind| kind.as_str().or_else(|| kind.pointer("/0")?.as_str()));
    match named {
        Some("string") => json!("example"),
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or(json!(1)),
        Some("boolean") => json!(true),
        Some("array") => {
            let items = schema.get("items");
            items
                .map(|items| sample(schema.at(items)))
                .into_iter()
                .collect()
        }
        Some("object") => required(schema)
            .map(|(name, property)| (name, sample(property)))
            .collect(),
        // A reference, too, because it may lead back to this schema.
        _ => Value::Null,
    }
}

/// Returns the required properties that the schema describes.
fn required(schema: SchemaRef<'_>) -> impl Iterator<Item = (String, SchemaRef<'_>)> {
    let names = schema.required();
    names.filter_map(move |name| Some((name.to_owned(), schema.property(name)?)))
}
