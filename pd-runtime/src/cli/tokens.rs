//! `tokens`: the cost of each tool for a model, counted with the o200k tokenizer.

use super::{
    CliError, break_even, json_output,
    overlay::OverlayOptions,
    style::{self, saved_percent, thousands},
};
use crate::{catalog::definition::for_model, server::erased_server::ErasedServer, surface::meta_tools};
use clap::Args;
use rmcp::model::Tool;
use serde::Serialize;
use serde_json::json;

/// The width of the bars, in characters.
const BAR: usize = 24;

/// The form of the table.
#[derive(Debug, Clone, Default, Args)]
pub struct TokensOptions {
    /// Print the numbers as JSON
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) texts: OverlayOptions,
}

/// Prints the costs of a server's tools.
pub(super) fn tokens(options: &TokensOptions, server: &dyn ErasedServer) -> Result<(), CliError> {
    let table = TokenTable::from_server(server)?;
    if options.json { json_output::print(&table) } else { table.print() }
}

/// Counts the o200k tokens of a text.
pub(super) fn count(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()
}

/// Counts the o200k tokens of a value as compact JSON.
pub(super) fn count_json(value: &impl Serialize) -> Result<usize, serde_json::Error> {
    serde_json::to_string(value).map(|text| count(&text))
}

/// The costs of a server's tools.
#[derive(Debug, Serialize)]
pub(super) struct TokenTable {
    /// The name of the tokenizer.
    pub(super) tokenizer: &'static str,
    /// One row for each tool, in the order of the list.
    pub(super) tools: Vec<TokenRow>,
    /// The whole lists. `minimal` includes the meta-tools, which are part of the cost of disclosure.
    pub(super) total: TokenCost,
    /// The recommendation of another listing, if this one costs more than it saves.
    pub(super) advice: Option<String>,
}

/// The cost of one tool.
#[derive(Debug, Serialize)]
pub(super) struct TokenRow {
    pub(super) name: String,
    #[serde(flatten)]
    pub(super) cost: TokenCost,
}

/// Tokens with and without disclosure.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct TokenCost {
    pub(super) minimal: usize,
    pub(super) full: usize,
}

impl TokenTable {
    /// Counts the tokens of each tool.
    pub(super) fn from_server(server: &dyn ErasedServer) -> Result<Self, CliError> {
        let (minimal, full) = lists(server);
        let mut tools = Vec::new();
        for (minimal, full) in minimal.iter().zip(&full) {
            let cost = TokenCost { minimal: count_json(minimal)?, full: count_json(full)? };
            tools.push(TokenRow { name: minimal.name.to_string(), cost });
        }
        let meta_tools = server.served().as_owner(meta_tools::definitions);
        let listed: Vec<&Tool> = minimal.iter().chain(&meta_tools).collect();
        let total = TokenCost {
            minimal: count_json(&json!({ "tools": listed }))?,
            full: count_json(&json!({ "tools": full }))?,
        };
        Ok(Self { tokenizer: "o200k_base", tools, total, advice: break_even::advice(server.served()) })
    }

    /// Prints the table, and the recommendation.
    pub(super) fn print(&self) -> Result<(), CliError> {
        let total = format!("all {}, as listed", self.tools.len());
        let names = self.tools.iter().map(|row| row.name.as_str()).chain([total.as_str()]);
        let name_width = names.map(|name| name.chars().count()).max().unwrap_or(4);
        let largest = self.tools.iter().map(|row| row.cost.full).max().unwrap_or(1);
        let head = format!("{:name_width$}  {:>8}  {:>8}  {:>6}", "tool", "minimal", "full", "saved");
        style::print(format_args!("{}  {}\n", style::bold(head), style::dim("o200k tokens; █ minimal, ░ full")))?;
        for row in &self.tools {
            let line = line(&row.name, row.cost, name_width);
            style::print(format_args!("{line}  {}\n", bar(row.cost, largest)))?;
        }
        style::print(format_args!("{}\n", style::bold(line(&total, self.total, name_width))))?;
        match &self.advice {
            Some(advice) => Ok(style::print(format_args!("{}\n", style::yellow(advice)))?),
            None => Ok(()),
        }
    }
}

/// Returns the list with and without disclosure. Neither contains meta-tools.
pub(super) fn lists(server: &dyn ErasedServer) -> (Vec<Tool>, Vec<Tool>) {
    let catalogue = server.served().catalogue();
    let minimal = catalogue.entries.iter().map(|entry| match entry.tool.about.eager {
        true => for_model(&entry.modern.full.tool),
        false => for_model(&entry.minimal),
    });
    let full = catalogue.entries.iter().map(|entry| for_model(&entry.modern.full.tool));
    (minimal.collect(), full.collect())
}

fn line(name: &str, cost: TokenCost, width: usize) -> String {
    let (minimal, full) = (thousands(cost.minimal), thousands(cost.full));
    format!("{name:width$}  {minimal:>8}  {full:>8}  {:>5}%", saved_percent(cost.full, cost.minimal, 1))
}

fn bar(cost: TokenCost, largest: usize) -> String {
    let cells = |tokens: usize| (tokens * BAR).div_ceil(largest.max(1));
    let (minimal, full) = (cells(cost.minimal), cells(cost.full));
    format!("{}{}", "█".repeat(minimal), "░".repeat(full.saturating_sub(minimal)))
}
