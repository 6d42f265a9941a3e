//! `audit`: analyzes an audit log. The file is read as a stream. Memory grows with the number of
//! tools and, up to a limit, of conversations, but not with the file.

mod record;
mod tally;
mod verdict;

use super::{CliError, style};
use crate::text::{escape, regular_file};
use clap::Args;
use record::AuditRecord;
use std::{
    io::{BufRead, BufReader},
    path::PathBuf,
};
use tally::{AuditTally, ToolCounts};

/// The file to read, and the tool to report on.
#[derive(Debug, Clone, Args)]
pub struct AuditOptions {
    /// The file that `serve --audit FILE` wrote
    file: PathBuf,
    /// Report on this tool only, and why it was not used
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
}

/// The heading of a column, and its number.
type ReportColumn = (&'static str, fn(&ToolCounts) -> usize);

const COLUMNS: [ReportColumn; 8] = [
    ("listed", |tool| tool.listed),
    ("found", |tool| tool.found),
    ("first", |tool| tool.first),
    ("passed over", |tool| tool.passed_over),
    ("described", |tool| tool.described),
    ("refused", |tool| tool.refused),
    ("called", |tool| tool.called),
    ("failed", |tool| tool.failed),
];

pub(super) fn audit(options: &AuditOptions) -> Result<(), CliError> {
    let unreadable = |error| format!("{} cannot be read: {error}", options.file.display());
    let file = BufReader::new(regular_file::open(&options.file).map_err(unreadable)?);
    let tally = read_tally(file, options.tool.as_deref()).map_err(unreadable)?;
    match &options.tool {
        Some(name) => style::print(format_args!("{}\n", verdict::render(name, &tally)))?,
        None => table(&tally)?,
    }
    notes(&tally)
}

fn read_tally(mut file: impl BufRead, about: Option<&str>) -> std::io::Result<AuditTally> {
    let (mut tally, mut line) = (AuditTally::new(about), Vec::new());
    while file.read_until(b'\n', &mut line)? > 0 {
        // A server that was stopped leaves half a line, and other versions write other events.
        // Neither hides the rest of the file.
        match serde_json::from_slice::<AuditRecord>(&line) {
            Ok(record) => tally.record(&record),
            Err(_) => tally.unread += 1,
        }
        line.clear();
    }
    Ok(tally)
}

fn table(tally: &AuditTally) -> Result<(), CliError> {
    let width = |name: &str| escape::one_line(name).chars().count();
    let widest = tally.tools().map(|(name, _)| width(name)).max().unwrap_or(0).max("tool".len());
    let heads: String = COLUMNS.iter().map(|(head, _)| format!("  {head:>9}")).collect();
    style::print(format_args!("{}\n", style::bold(format!("{:widest$}{heads}", "tool"))))?;
    for (name, tool) in tally.tools() {
        let numbers: String = COLUMNS
            .iter()
            .map(|(head, number)| format!("  {:>width$}", style::thousands(number(tool)), width = head.len().max(9)))
            .collect();
        style::print(format_args!("{}{}{numbers}\n", style::green(name), " ".repeat(widest - width(name))))?;
    }
    Ok(())
}

/// Prints the counts that belong to no tool.
fn notes(tally: &AuditTally) -> Result<(), CliError> {
    for (count, what) in [
        (tally.fruitless, "found nothing in a search"),
        (tally.unknown, "named an unknown tool"),
        (tally.dropped, "missing: the queue to the audit file was full, so these counts are too low"),
        (tally.unread, "unreadable"),
    ] {
        if count > 0 {
            style::print(format_args!("{}\n", style::dim(format!("{} {what}", style::counted(count, "event")))))?;
        }
    }
    Ok(())
}
