//! `tour`: a client goes from the list to a call, and each step is printed with its cost for a
//! model.

use super::{
    CliError, local,
    overlay::OverlayOptions,
    style::{self, counted, cut, saved, thousands},
    tokens::{count, count_json, lists, print_advice},
    tool_names::find_tool,
};
use crate::{
    catalog::{Catalog, definition::for_model, entry::CatalogEntry},
    protocol::keys::BODY,
    registry::selective::{column_selection::ColumnSelection, columns::MODE},
    server::erased_server::ErasedServer,
};

use clap::Args;
use rmcp::model::JsonObject;
use serde_json::{Value, json};
use std::sync::Arc;

/// The tool to visit.
#[derive(Debug, Clone, Default, Args)]
pub struct TourOptions {
    /// The tool to call; by default the first read-only tool with an example
    #[arg(long, value_name = "NAME")]
    pub(super) tool: Option<String>,
    #[command(flatten)]
    pub(super) texts: OverlayOptions,
}

impl TourOptions {
    /// Visits this tool by default. A tool on the command line takes precedence.
    #[must_use]
    pub fn with_default_tool(mut self, tool: impl Into<String>) -> Self {
        self.tool.get_or_insert_with(|| tool.into());
        self
    }
}

/// The maximum length of a printed message, in characters.
const WIDTH: usize = 116;

pub(super) async fn tour(options: &TourOptions, server: &dyn ErasedServer) -> Result<(), CliError> {
    let entry = pick(options, &server.served().catalogue())?;
    let chosen = arguments_of(&entry);
    let mut arguments = chosen.clone();
    let is_chosen = entry.tool.about.columns.is_some() && ColumnSelection::take(&mut arguments).is_some();
    let client = local::LocalClient::connect(server).await?;
    let mut tour = TourPrinter::default();

    let tools = client.tools().await?;
    let full = count_json(&json!({ "tools": lists(server).1 }))?;
    let cost = count_json(&json!({ "tools": tools.iter().map(for_model).collect::<Vec<_>>() }))?;
    let listed = counted(tools.len(), "tool");
    if server.served().as_owner(|view| view.lists_in_full()) {
        // Nothing is gated in this case, so there is no refusal and no description to show.
        let gist = format!("{listed} in full, so that no description is left to read");
        tour.print_step("list", &gist, cost, &client)?;
        return tour.call_listed(entry.name(), arguments, &client).await;
    }
    let gist = format!("{listed} by name and summary; in full that would cost {}", thousands(full));
    tour.print_step("list", &gist, cost, &client)?;

    let name = entry.name();
    let refused = client.call(name, arguments.clone()).await?;
    let gist = format!("`{name}` is refused before its description was read; the refusal brings it along");
    tour.print_step("call", &gist, count(&local::text_of(&refused)), &client)?;

    // A new client reads the description first, as the server's instructions ask.
    let client = local::LocalClient::connect(server).await?;
    let description = client.describe(name).await?;
    // The refused call belongs to the other client, so its cost is not part of this one.
    tour.spent -= count(&local::text_of(&refused));
    let gist = format!("a client that follows the workflow reads `{name}`'s description first");
    tour.print_step("describe", &gist, count(&description), &client)?;

    let result = client.call(name, arguments.clone()).await?;
    let gist = format!("`{name}` runs: its description was read, and its arguments fit the schema");
    let text = local::text_of(&result);
    tour.print_step("call", &gist, count(&text) + count(&Value::Object(arguments).to_string()), &client)?;
    if is_chosen {
        select(&mut tour, &client, name, chosen).await?;
    }
    tour.sum_up(cost, count(&description), full)?;
    print_advice(server)
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
    let cost = count(&without_body(&local::text_of(&result))) + count(&Value::Object(arguments).to_string());
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

pub(super) fn pick(options: &TourOptions, catalogue: &Catalog) -> Result<Arc<CatalogEntry>, CliError> {
    if let Some(name) = &options.tool {
        return find_tool(catalogue, name).cloned();
    }
    // Eager tools are not gated, so they have no step to show.
    let gated = || catalogue.entries.iter().filter(|entry| !entry.tool.about.eager);
    let candidate = gated()
        .find(|entry| !entry.tool.about.examples.is_empty() && entry.is_read_only())
        .or_else(|| gated().find(|entry| !entry.tool.about.examples.is_empty()))
        .or_else(|| gated().next());
    candidate
        .cloned()
        .ok_or_else(|| "no tool has a description to read before its call; name a tool with `--tool`".into())
}

pub(super) fn arguments_of(entry: &CatalogEntry) -> JsonObject {
    let example = entry.tool.about.examples.first().and_then(|example| example.input.as_object());
    match example
        .cloned()
        .map_or_else(|| sample(&Value::Object((*entry.tool.about.input.schema).clone())), Value::Object)
    {
        Value::Object(arguments) => arguments,
        _ => JsonObject::new(),
    }
}

/// Returns a small value that a simple schema accepts, with required properties only.
fn sample(schema: &Value) -> Value {
    for key in ["const", "default", "/enum/0", "/examples/0"] {
        let value = if key.starts_with('/') { schema.pointer(key) } else { schema.get(key) };
        if let Some(value) = value {
            return value.clone();
        }
    }
    if let Some(branch) = schema.pointer("/anyOf/0").or_else(|| schema.pointer("/oneOf/0")) {
        return sample(branch);
    }
    let named = schema.get("type").and_then(|kind| kind.as_str().or_else(|| kind.pointer("/0")?.as_str()));
    match named {
        Some("string") => json!("example"),
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or(json!(1)),
        Some("boolean") => json!(true),
        Some("array") => Value::Array(schema.get("items").map(sample).into_iter().collect()),
        Some("object") => required(schema).map(|(name, property)| (name, sample(property))).collect(),
        _ => Value::Null,
    }
}

fn required(schema: &Value) -> impl Iterator<Item = (String, &Value)> {
    let names = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    names.filter_map(|name| Some((name.to_owned(), schema.get("properties")?.get(name)?)))
}

/// Prints the steps of a tour, and adds up their tokens.
#[derive(Default)]
pub(super) struct TourPrinter {
    step: usize,
    spent: usize,
}

impl TourPrinter {
    /// Prints one step: its outcome, its cost, and its messages.
    pub(super) fn print_step(
        &mut self,
        title: &str,
        gist: &str,
        cost: usize,
        client: &local::LocalClient,
    ) -> Result<(), CliError> {
        self.step += 1;
        self.spent += cost;
        let head = format!("{}  {title:<8}  {gist}", self.step);
        style::print(format_args!("{}  {}\n", style::bold(head), style::green(counted(cost, "token"))))?;
        if let Some((sent, received)) = client.last_exchange() {
            for (arrow, message) in [("→", sent), ("←", received)] {
                style::print(format_args!("   {} {}\n", arrow, style::dim(cut(&bare(&message), WIDTH))))?;
            }
        }
        style::print(format_args!("\n"))?;
        Ok(())
    }

    /// Ends the tour of a server that lists all tools in full.
    async fn call_listed(
        &mut self,
        name: &str,
        arguments: JsonObject,
        client: &local::LocalClient,
    ) -> Result<(), CliError> {
        let result = client.call(name, arguments.clone()).await?;
        let cost = count(&local::text_of(&result)) + count(&Value::Object(arguments).to_string());
        self.print_step("call", &format!("`{name}` runs: its arguments fit the schema in the list"), cost, client)?;
        style::print(format_args!("Every step, results included: {}\n", counted(self.spent, "token")))?;
        Ok(())
    }

    pub(super) fn sum_up(&self, listing: usize, description: usize, full: usize) -> Result<(), CliError> {
        let with = listing + description;
        let share = match saved(full, with) {
            share if share >= 0.0 => format!("{share:.0} % saved"),
            share => format!("{:.0} % more", -share),
        };
        style::print(format_args!(
            "To choose and call one tool, a model read {} of tool text instead of {}: {}\n",
            counted(with, "token"),
            thousands(full),
            if with < full { style::green(share) } else { style::red(share) },
        ))?;
        style::print(format_args!("Every step, results included: {}\n", counted(self.spent, "token")))?;
        Ok(())
    }
}

/// Returns the part of a message that a model or its host reads: the text of a result, or the
/// method and parameters of a request.
fn bare(message: &str) -> String {
    let Ok(Value::Object(mut object)) = serde_json::from_str(message) else { return message.to_owned() };
    let Some(result) = object.get("result") else {
        // `_meta` and the envelope belong to the host; models never read them.
        object.retain(|key, _| key == "method" || key == "params");
        if let Some(Value::Object(params)) = object.get_mut("params") {
            params.shift_remove("_meta");
        }
        return Value::Object(object).to_string();
    };
    let text = result.pointer("/content/0/text").or_else(|| result.pointer("/contents/0/text"));
    let text = text.and_then(Value::as_str).map(str::to_owned);
    let failed = result.get("isError").and_then(Value::as_bool) == Some(true);
    let body = text.or_else(|| result.get("tools").map(Value::to_string)).unwrap_or_else(|| result.to_string());
    if failed { format!("isError: {body}") } else { body }
}
