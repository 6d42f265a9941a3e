//! `tokens`: the cost of each tool for a model, counted with the o200k tokenizer.

use super::{
    CliError, break_even, json_output,
    overlay::OverlayOptions,
    style::{self, saved_percent, thousands},
};
use crate::{
    catalog::{Catalog, definition::for_model, entry::CatalogEntry},
    policy::access::CallerAuthority,
    server::erased_server::ErasedServer,
    surface::meta_tools,
};
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
    #[doc(hidden)]
    pub json: bool,
    #[command(flatten)]
    #[doc(hidden)]
    pub texts: OverlayOptions,
}

/// Prints the costs of a server's tools.
pub(super) fn tokens(options: &TokensOptions, server: &dyn ErasedServer) -> Result<(), CliError> {
    let table = TokenTable::from_server(server)?;
    if options.json {
        json_output::print(&table)
    } else {
        table.print()
    }
}

/// Counts the o200k tokens of a text.
pub fn count(text: &str) -> usize {
    // Ordinary: in the text of a tool, the name of a special token is only text.
    tiktoken_rs::o200k_base_singleton()
        .encode_ordinary(text)
        .len()
}

/// Counts the o200k tokens of a value as compact JSON.
pub fn count_json(value: &impl Serialize) -> Result<usize, serde_json::Error> {
    serde_json::to_string(value).map(|text| count(&text))
}

/// The costs of a server's tools.
#[derive(Debug, Serialize)]
pub struct TokenTable {
    /// The name of the tokenizer.
    pub(super) tokenizer: &'static str,
    /// One row for each tool, in the order of the list.
    pub(super) tools: Vec<TokenRow>,
    /// The whole lists. `minimal` and `outline` include the meta-tools, which are part of the cost
    /// of disclosure.
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
    pub(super) outline: usize,
    pub(super) full: usize,
}

impl TokenTable {
    /// Counts the tokens of each tool.
    pub(super) fn from_server(server: &dyn ErasedServer) -> Result<Self, CliError> {
        let ToolLists {
            minimal,
            outline,
            full,
        } = lists(server);
        let mut tools = Vec::new();
        // All three lists are in the order of the catalog, so one place is one tool.
        for ((minimal, outline), full) in minimal.iter().zip(&outline).zip(&full) {
            let name = minimal.name.to_string();
            let cost = TokenCost {
                minimal: count_json(minimal)?,
                outline: count_json(outline)?,
                full: count_json(full)?,
            };
            tools.push(TokenRow { name, cost });
        }
        let meta_tools = server
            .served()
            .as_owner(|view| meta_tools::definitions(view).all());
        let with_meta_tools = |tools: &[Tool]| {
            count_json(&json!({ "tools": tools.iter().chain(&meta_tools).collect::<Vec<_>>() }))
        };
        let total = TokenCost {
            minimal: with_meta_tools(&minimal)?,
            outline: with_meta_tools(&outline)?,
            // A server without disclosure lists no meta-tools.
            full: count_json(&json!({ "tools": full }))?,
        };
        Ok(Self {
            tokenizer: "o200k_base",
            tools,
            total,
            advice: break_even::advice(server.served()),
        })
    }

    /// Prints the table, and the recommendation.
    pub fn print(&self) -> Result<(), CliError> {
        let total = format!("all {}, as listed", self.tools.len());
        let names = self
            .tools
            .iter()
            .map(|row| row.name.as_str())
            .chain([total.as_str()]);
        let name_width = names.map(|name| name.chars().count()).max().unwrap_or(4);
        let largest = self
            .tools
            .iter()
            .map(|row| row.cost.full)
            .max()
            .unwrap_or(1);
        let head = format!(
            "{:name_width$}  {:>8}  {:>8}  {:>8}  {:>6}",
            "tool", "minimal", "outline", "full", "saved"
        );
        style::print(format_args!(
            "{}  {}\n",
            style::bold(head),
            style::dim("o200k tokens; █ minimal, ▒ outline, ░ full; saved by outline")
        ))?;
        for row in &self.tools {
            let line = line(&row.name, row.cost, name_width);
            style::print(format_args!("{line}  {}\n", bar(row.cost, largest)))?;
        }
        style::print(format_args!(
            "{}\n",
            style::bold(line(&total, self.total, name_width))
        ))?;
        match &self.advice {
            Some(advice) => Ok(style::print(format_args!("{}\n", style::yellow(advice)))?),
            None => Ok(()),
        }
    }
}

/// All tools as three listings show them, without meta-tools.
pub(super) struct ToolLists {
    pub(super) minimal: Vec<Tool>,
    pub(super) outline: Vec<Tool>,
    pub(super) full: Vec<Tool>,
}

/// Returns the list by name and summary, in outline, and in full.
pub(super) fn lists(server: &dyn ErasedServer) -> ToolLists {
    let catalog = server.served().catalog();
    ToolLists {
        minimal: list(&catalog, |entry| entry.minimal()),
        outline: list(&catalog, CatalogEntry::outline),
        full: list(&catalog, |entry| &entry.forms(true).full.tool),
    }
}

fn list(catalog: &Catalog, form: fn(&CatalogEntry) -> &Tool) -> Vec<Tool> {
    // Models are shown no tools for views alone.
    let tools =
        catalog
            .visible(&CallerAuthority::Owner)
            .map(|entry| match entry.tool.about.eager {
                // Every listing has eager tools in full.
                true => for_model(&entry.forms(true).full.tool),
                false => for_model(form(entry)),
            });
    tools.collect()
}

fn line(name: &str, cost: TokenCost, width: usize) -> String {
    let [minimal, outline, full] = [cost.minimal, cost.outline, cost.full].map(thousands);
    let saved = saved_percent(cost.full, cost.outline, 1);
    format!("{name:width$}  {minimal:>8}  {outline:>8}  {full:>8}  {saved:>5}%")
}

fn bar(cost: TokenCost, largest: usize) -> String {
    // Rounded up, so that the smallest tool has a cell. Without tools, the largest has 0 tokens.
    let [minimal, outline, full] = [cost.minimal, cost.outline, cost.full]
        .map(|tokens| (tokens * BAR).div_ceil(largest.max(1)));
    let shown = outline.saturating_sub(minimal);
    let rest = full.saturating_sub(outline.max(minimal));
    format!(
        "{}{}{}",
        "█".repeat(minimal),
        "▒".repeat(shown),
        "░".repeat(rest)
    )
}
