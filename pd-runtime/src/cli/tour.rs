//! `tour`: a client goes from the list to a call, and each step is printed with its cost for a
//! model.

use super::{
    CliError, break_even, json_output, local,
    overlay::OverlayOptions,
    style::{self, counted, cut, saved_percent, thousands},
    tokens::{count, count_json, lists},
    tool_names::find_tool,
};
use crate::{
    PdServer,
    catalog::{Catalog, definition::for_model, entry::CatalogEntry},
    policy::{ListingStep, Refusal},
    protocol::keys::BODY,
    registry::problem::RegistryErrors,
    registry::selective::{column_selection::ColumnSelection, columns::MODE},
    server::{NoHandler, erased_server::ErasedServer},
};

use clap::Args;
use rmcp::model::JsonObject;
use serde::Serialize;
use serde_json::{Value, json, value::RawValue};
use std::sync::Arc;

/// The tool to visit.
#[derive(Debug, Clone, Default, Args)]
pub struct TourOptions {
    /// The tool to call; by default the first read-only tool with an example
    #[arg(long, value_name = "NAME")]
    pub(super) tool: Option<String>,
    /// Print the steps as JSON, with the whole messages
    #[arg(long)]
    pub(super) json: bool,
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
    visit(&entry, server, TourPrinter::new(options)).await.map(drop)
}

/// Visits a tool without printing anything.
pub(super) async fn gather(entry: &Arc<CatalogEntry>, server: &dyn ErasedServer) -> Result<TourReport, CliError> {
    visit(entry, server, TourPrinter::silent()).await
}

async fn visit(entry: &CatalogEntry, server: &dyn ErasedServer, mut tour: TourPrinter) -> Result<TourReport, CliError> {
    let chosen = arguments_of(entry);
    let mut arguments = chosen.clone();
    let is_chosen = entry.tool.about.columns.is_some() && ColumnSelection::take(&mut arguments).is_some();
    let client = local::LocalClient::connect(server).await?;

    let tools = client.tools().await?;
    let full = count_json(&json!({ "tools": lists(server).full }))?;
    let cost = count_json(&json!({ "tools": tools.iter().map(for_model).collect::<Vec<_>>() }))?;
    let listed = counted(tools.len(), "tool");
    let visit = Visit { name: entry.name(), arguments, chosen: is_chosen.then_some(chosen), full };
    match server.served().as_owner(|view| view.step()) {
        ListingStep::Full => {
            // Nothing is gated in this case, so there is no refusal and no description to show.
            let gist = format!("{listed} in full, so that no description is left to read");
            tour.print_step("list", &gist, cost, &client)?;
            visit.call_listed(&mut tour, &client, "in the list").await?;
            tour.finish(None, None)
        }
        ListingStep::Outline if !entry.is_read_first() => {
            let gist =
                format!("{listed} with their arguments, without texts; in full that would cost {}", thousands(full));
            tour.print_step("list", &gist, cost, &client)?;
            visit.call_listed(&mut tour, &client, "that the list shows").await?;
            tour.choose(TourCost { read: cost, full, turns: 1 });
            tour.print_note("The same with `--specification`: every description is read before its call.")?;
            let literal = literal(&server.served().catalogue())?;
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
fn literal(catalogue: &Catalog) -> Result<PdServer<(), NoHandler>, RegistryErrors> {
    PdServer::builder(catalogue.registry(), ()).specification().build()
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
    async fn disclose(&self, tour: &mut TourPrinter, server: &dyn ErasedServer) -> Result<(), CliError> {
        let (name, full) = (self.name, self.full);
        let client = local::LocalClient::connect(server).await?;
        let tools = client.tools().await?;
        let cost = count_json(&json!({ "tools": tools.iter().map(for_model).collect::<Vec<_>>() }))?;
        let listed = counted(tools.len(), "tool");
        let gist = format!("{listed} by name and summary; in full that would cost {}", thousands(full));
        tour.print_step("list", &gist, cost, &client)?;

        let refused = client.call(name, self.arguments.clone()).await?;
        let is_bare = server.served().as_owner(|view| view.policy.refusal(view.step())) == Refusal::Bare;
        let rest = if is_bare { "" } else { "; the refusal brings it along" };
        let gist = format!("`{name}` is refused before its description was read{rest}");
        tour.print_step("call", &gist, count(&local::text_of(&refused)), &client)?;

        // A new client reads the description first, as the server's instructions ask.
        let client = local::LocalClient::connect(server).await?;
        let description = client.describe(name).await?;
        // The refused call belongs to the other client, so its cost is not part of this one.
        tour.discount_last_step();
        let gist = format!("a client that follows the workflow reads `{name}`'s description first");
        tour.print_step("describe", &gist, count(&description), &client)?;
        self.call(tour, &client, "its description was read, and its arguments fit the schema").await?;
        tour.choose(TourCost { read: cost + count(&description), full, turns: 2 });
        Ok(())
    }

    /// Calls the tool by its list entry.
    async fn call_listed(
        &self,
        tour: &mut TourPrinter,
        client: &local::LocalClient,
        place: &str,
    ) -> Result<(), CliError> {
        self.call(tour, client, &format!("its arguments fit the schema {place}")).await
    }

    async fn call(&self, tour: &mut TourPrinter, client: &local::LocalClient, why: &str) -> Result<(), CliError> {
        let result = client.call(self.name, self.arguments.clone()).await?;
        let cost = count(&local::text_of(&result)) + count(&Value::Object(self.arguments.clone()).to_string());
        tour.print_step("call", &format!("`{}` runs: {why}", self.name), cost, client)?;
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

pub(super) fn requires_arguments(entry: &CatalogEntry) -> bool {
    let required = entry.tool.about.input.schema.get("required").and_then(Value::as_array);
    required.is_some_and(|required| !required.is_empty())
}

/// Returns the arguments of the tool's first example, or made-up ones.
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

/// The steps of a tour.
#[derive(Debug, Default, Serialize)]
pub(super) struct TourReport {
    steps: Vec<TourStep>,
    /// The tokens of all steps, results included.
    total_tokens: usize,
    /// The tool text that a model reads to choose and call one tool. `None` if nothing is gated.
    choice: Option<TourCost>,
    /// The same where the specification is served to the letter. `None` if the server does that itself,
    /// or lists everything in full.
    specification: Option<TourCost>,
    /// The recommendation of another listing.
    advice: Option<String>,
}

/// One step: its outcome, its cost, and its messages.
#[derive(Debug, Serialize)]
struct TourStep {
    name: String,
    outcome: String,
    tokens: usize,
    /// `false` for a step of another client, which the sum does not include.
    is_counted: bool,
    /// The messages of MCP, as they are sent.
    sent: Option<Box<RawValue>>,
    received: Option<Box<RawValue>>,
}

/// Tokens of tool text.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct TourCost {
    /// The tokens that a model read.
    pub(super) read: usize,
    /// The tokens of all tools in full.
    pub(super) full: usize,
    /// The requests of the model, with the call.
    pub(super) turns: usize,
}

/// The form in which a tour is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TourOutput {
    Text,
    Json,
    Silent,
}

/// Prints the steps of a tour, and adds up their tokens. As JSON, it prints one document at the end.
pub(super) struct TourPrinter {
    output: TourOutput,
    report: TourReport,
}

impl TourPrinter {
    pub(super) fn new(options: &TourOptions) -> Self {
        let output = if options.json { TourOutput::Json } else { TourOutput::Text };
        Self { output, report: TourReport::default() }
    }

    pub(super) fn silent() -> Self {
        Self { output: TourOutput::Silent, report: TourReport::default() }
    }

    /// Prints one step: its outcome, its cost, and its messages.
    pub(super) fn print_step(
        &mut self,
        title: &str,
        gist: &str,
        cost: usize,
        client: &local::LocalClient,
    ) -> Result<(), CliError> {
        let (sent, received) = client.last_exchange().unzip();
        self.report.total_tokens += cost;
        if self.output == TourOutput::Text {
            let head = format!("{}  {title:<8}  {gist}", self.report.steps.len() + 1);
            style::print(format_args!("{}  {}\n", style::bold(head), style::green(counted(cost, "token"))))?;
            for (arrow, message) in [("→", &sent), ("←", &received)] {
                let Some(message) = message else { continue };
                style::print(format_args!("   {} {}\n", arrow, style::dim(cut(&bare(message), WIDTH))))?;
            }
            style::print(format_args!("\n"))?;
        }
        let raw = |message: Option<String>| message.and_then(|message| RawValue::from_string(message).ok());
        self.report.steps.push(TourStep {
            name: title.to_owned(),
            outcome: gist.to_owned(),
            tokens: cost,
            is_counted: true,
            sent: raw(sent),
            received: raw(received),
        });
        Ok(())
    }

    /// Takes the last step out of the sum.
    fn discount_last_step(&mut self) {
        if let Some(step) = self.report.steps.last_mut() {
            step.is_counted = false;
            self.report.total_tokens -= step.tokens;
        }
    }

    /// Prints a remark that is not part of the JSON.
    pub(super) fn print_note(&self, note: &str) -> Result<(), CliError> {
        if self.output == TourOutput::Text {
            style::print(format_args!("{note}\n\n"))?;
        }
        Ok(())
    }

    /// Adds what a model read to choose and call one tool, in one of the ways.
    fn choose(&mut self, cost: TourCost) {
        match self.report.choice {
            None => self.report.choice = Some(cost),
            Some(_) => self.report.specification = Some(cost),
        }
    }

    /// Ends a tour.
    pub(super) fn finish(mut self, choice: Option<TourCost>, advice: Option<String>) -> Result<TourReport, CliError> {
        self.report.choice = choice.or(self.report.choice);
        self.report.advice = advice;
        match self.output {
            TourOutput::Silent => {}
            TourOutput::Json => json_output::print(&self.report)?,
            TourOutput::Text => self.report.print_sums()?,
        }
        Ok(self.report)
    }
}

impl TourReport {
    fn print_sums(&self) -> std::io::Result<()> {
        if let Some(choice) = self.choice {
            choice.print("To choose and call one tool")?;
        }
        if let Some(specification) = self.specification {
            specification.print("By the specification to the letter")?;
        }
        style::print(format_args!("Every step, results included: {}\n", counted(self.total_tokens, "token")))?;
        self.advice.iter().try_for_each(|advice| style::print(format_args!("{}\n", style::yellow(advice))))
    }
}

impl TourCost {
    fn print(self, way: &str) -> std::io::Result<()> {
        let share = saved_percent(self.full, self.read, 0);
        let share = match share.strip_prefix('-') {
            Some(more) => format!("{more} % more"),
            None => format!("{share} % saved"),
        };
        style::print(format_args!(
            "{way}, a model read {} of tool text in {} instead of {}: {}\n",
            counted(self.read, "token"),
            counted(self.turns, "turn"),
            thousands(self.full),
            if self.read < self.full { style::green(share) } else { style::red(share) },
        ))
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
