//! `export`: the registry as files.

use super::{
    CliError, json_output,
    overlay::OverlayOptions,
    style::{self, counted},
};
use crate::{
    export::{self, EditedFiles, ExportReport, Format},
    server::erased_server::ErasedServer,
};
use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser},
};
use serde_json::json;
use std::path::PathBuf;

/// The files to write, and their directory.
#[derive(Debug, Clone, Args)]
pub struct ExportOptions {
    /// The format of the files
    #[arg(long, value_parser = formats())]
    format: Format,
    /// Overwrite files that were edited since they were written, and delete those of removed tools
    #[arg(long)]
    force: bool,
    /// The directory; created if it does not exist
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Print the paths of the files as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    #[doc(hidden)]
    pub texts: OverlayOptions,
}

fn formats() -> impl TypedValueParser<Value = Format> {
    let parser = PossibleValuesParser::new(Format::ALL.map(Format::name));
    parser.try_map(|name| {
        Format::ALL
            .into_iter()
            .find(|format| format.name() == name)
            // Never reached, because the parser before this knows the same names.
            .ok_or("no such format")
    })
}

/// Exports all tools. The operator sees every tool, so access rules do not apply.
pub(super) fn export(options: &ExportOptions, server: &dyn ErasedServer) -> Result<(), CliError> {
    let edited = if options.force {
        EditedFiles::Overwrite
    } else {
        EditedFiles::Keep
    };
    let exported = server
        .served()
        .as_owner(|view| export::export(view, options.format, &options.directory, edited))?;
    report(&exported, options)
}

/// Exports the groups of the top level as separate servers.
pub(super) fn export_groups(
    options: &ExportOptions,
    server: &dyn ErasedServer,
) -> Result<(), CliError> {
    let edited = if options.force {
        EditedFiles::Overwrite
    } else {
        EditedFiles::Keep
    };
    let exported = server
        .served()
        .as_owner(|view| export::export_groups(view, &options.directory, edited))?;
    report(&exported, options)
}

impl ExportOptions {
    /// Returns whether the files are a tree of servers.
    #[doc(hidden)]
    pub fn is_tree(&self) -> bool {
        self.format == Format::Tree
    }
}

fn report(exported: &ExportReport, options: &ExportOptions) -> Result<(), CliError> {
    let ExportReport {
        written,
        unchanged,
        removed,
        kept,
    } = exported;
    // The warning goes to standard error, so it appears beside the JSON, too.
    for path in kept {
        let path = options.directory.join(path);
        style::report(&format_args!(
            "warning: {} was edited since it was written, and is kept; `--force` overwrites it",
            path.display()
        ));
    }
    if options.json {
        let directory = &options.directory;
        return json_output::print(&json!({
            "directory": directory, "written": written, "unchanged": unchanged, "removed": removed, "kept": kept
        }));
    }
    Ok(style::print(format_args!(
        "{} {} in {}: {} written, {} unchanged, {} removed, {} kept\n",
        style::green("ok"),
        // Removed files are not in the directory any more.
        counted(written.len() + unchanged.len() + kept.len(), "file"),
        options.directory.display(),
        written.len(),
        unchanged.len(),
        removed.len(),
        kept.len(),
    ))?)
}
