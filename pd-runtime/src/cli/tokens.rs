//! `tokens`: the cost of each tool for a model, counted with the o200k tokenizer.

use super::{
    CliError, break_even,
    style::{self, saved, thousands},
};
use crate::{catalog::definition::for_model, server::erased_server::ErasedServer, surface::meta_tools};
use rmcp::model::Tool;
use serde::Serialize;
use serde_json::json;

/// The width of the bars, in characters.
const BAR: usize = 24;

/// Counts the o200k tokens of a text.
pub(super) fn count(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()
}

/// Counts the o200k tokens of a value as compact JSON.
pub(super) fn count_json(value: &impl Serialize) -> Result<usize, serde_json::Error> {
    serde_json::to_string(value).map(|text| count(&text))
}

struct TokenRow {
    name: String,
    minimal: usize,
    full: usize,
}

pub(super) fn table(server: &dyn ErasedServer) -> Result<(), CliError> {
    let (minimal, full) = lists(server);
    let mut rows = Vec::new();
    for (minimal, full) in minimal.iter().zip(&full) {
        let (name, minimal, full) = (minimal.name.to_string(), count_json(minimal)?, count_json(full)?);
        rows.push(TokenRow { name, minimal, full });
    }
    let meta_tools = server.served().as_owner(meta_tools::definitions);
    // Meta-tools are part of the cost of disclosure, so the total includes them.
    let listed: Vec<&Tool> = minimal.iter().chain(&meta_tools).collect();
    let total = TokenRow {
        name: format!("all {}, as listed", minimal.len()),
        minimal: count_json(&json!({ "tools": listed }))?,
        full: count_json(&json!({ "tools": full }))?,
    };
    print(&rows, &total)?;
    print_advice(server)
}

/// Recommends another listing if this one costs more than it saves.
pub(super) fn print_advice(server: &dyn ErasedServer) -> Result<(), CliError> {
    match break_even::advice(server.served()) {
        Some(advice) => Ok(style::print(format_args!("{}\n", style::yellow(advice)))?),
        None => Ok(()),
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

fn print(rows: &[TokenRow], total: &TokenRow) -> Result<(), CliError> {
    let name_width = rows.iter().chain([total]).map(|row| row.name.chars().count()).max().unwrap_or(4);
    let largest = rows.iter().map(|row| row.full).max().unwrap_or(1);
    let head = format!("{:name_width$}  {:>8}  {:>8}  {:>6}", "tool", "minimal", "full", "saved");
    style::print(format_args!("{}  {}\n", style::bold(head), style::dim("o200k tokens; █ minimal, ░ full")))?;
    for row in rows {
        style::print(format_args!("{}  {}\n", line(row, name_width), bar(row, largest)))?;
    }
    style::print(format_args!("{}\n", style::bold(line(total, name_width))))?;
    Ok(())
}

fn line(row: &TokenRow, width: usize) -> String {
    let (minimal, full) = (thousands(row.minimal), thousands(row.full));
    format!("{:width$}  {minimal:>8}  {full:>8}  {:>5.1}%", row.name, saved(row.full, row.minimal))
}

fn bar(row: &TokenRow, largest: usize) -> String {
    let cells = |tokens: usize| (tokens * BAR).div_ceil(largest.max(1));
    let (minimal, full) = (cells(row.minimal), cells(row.full));
    format!("{}{}", "█".repeat(minimal), "░".repeat(full.saturating_sub(minimal)))
}
