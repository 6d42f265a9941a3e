//! `list`: the tools, by group and bundle for people, or as `tools/list` for programs.

use super::{CliError, json_output, overlay::OverlayOptions, style};
use crate::{
    catalog::Catalog,
    policy::access::CallerAuthority,
    registry::{bundle::Bundle, group::GroupView},
    server::erased_server::ErasedServer,
    text::escape,
};
use clap::Args;
use serde_json::json;

/// The form of the list.
#[derive(Debug, Clone, Args)]
pub struct ListOptions {
    /// Print full definitions, as a server without progressive disclosure lists them
    #[arg(long)]
    full: bool,
    /// Print the JSON of `tools/list`
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pub(super) texts: OverlayOptions,
}

pub(super) fn list(options: &ListOptions, server: &dyn ErasedServer) -> Result<(), CliError> {
    let catalog = server.served().catalog();
    let entries: Vec<_> = catalog.visible(&CallerAuthority::Owner).collect();
    let tools: Vec<_> = entries
        .iter()
        .map(|entry| {
            if options.full {
                &entry.forms(true).full.tool
            } else {
                entry.minimal()
            }
        })
        .collect();
    if options.json {
        return json_output::print(&json!({ "tools": tools }));
    }
    if options.full {
        for entry in &entries {
            style::print(format_args!(
                "{}\n",
                super::describe::render(&entry.tool.about)
            ))?;
        }
        return Ok(());
    }
    // One width for all groups keeps the summaries in one column.
    let width = entries
        .iter()
        .map(|entry| entry.name().len())
        .max()
        .unwrap_or(0);
    print_tools(&catalog, &catalog.root.tools, 0, width)?;
    catalog
        .root
        .groups
        .iter()
        .try_for_each(|group| print_group(&catalog, group, 0, width))?;
    catalog.bundles.iter().try_for_each(print_bundle)?;
    match catalog.entries.len() - entries.len() {
        0 => Ok(()),
        hidden => {
            let tools = style::counted(hidden, "tool");
            style::print(format_args!(
                "{}\n",
                style::dim(format!("{tools} for the views of MCP Apps alone"))
            ))?;
            Ok(())
        }
    }
}

fn print_group(
    catalog: &Catalog,
    group: &GroupView,
    depth: usize,
    width: usize,
) -> Result<(), CliError> {
    let indent = "  ".repeat(depth);
    style::print(format_args!(
        "{indent}{}  {}\n",
        style::bold(format!("{}/", group.name)),
        style::dim(&group.summary)
    ))?;
    print_tools(catalog, &group.tools, depth + 1, width)?;
    group
        .groups
        .iter()
        .try_for_each(|inner| print_group(catalog, inner, depth + 1, width))
}

/// Prints a bundle. Its tools are names only, because their summaries are already printed above.
fn print_bundle(bundle: &Bundle) -> Result<(), CliError> {
    let tools = bundle
        .tools
        .iter()
        .map(|tool| style::green(tool).to_string())
        .collect::<Vec<_>>()
        .join(", ");
    let summary = style::dim(&bundle.summary);
    style::print(format_args!(
        "{}  {summary}\n  {tools}\n",
        style::bold(format!("{}:", bundle.name))
    ))?;
    Ok(())
}

fn print_tools(
    catalog: &Catalog,
    names: &[String],
    depth: usize,
    width: usize,
) -> Result<(), CliError> {
    let known = names
        .iter()
        .filter_map(|name| Some((name, catalog.find(name, &CallerAuthority::Owner)?)));
    for (name, entry) in known {
        let summary = entry.tool.about.summary.trim();
        let indent = "  ".repeat(depth);
        let padding = " ".repeat(width.saturating_sub(name.len()));
        style::print(format_args!(
            "{indent}{}{padding}  {}\n",
            style::green(name),
            escape::one_line(summary)
        ))?;
    }
    Ok(())
}
