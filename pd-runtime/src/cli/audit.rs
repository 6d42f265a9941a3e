//! `audit`: analyzes an audit log. The file is read as a stream. Memory grows with the number of
//! tools and, up to a limit, of conversations, but not with the file.

mod record;
mod tally;
mod verdict;

use super::{CliError, json_output, style};
use crate::text::{escape, regular_file};
use clap::Args;
use record::AuditRecord;
use serde::Serialize;
use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
};
use tally::{AuditTally, ToolCounts};
use verdict::ToolVerdict;

/// The file to read, and the tool to report on.
#[derive(Debug, Clone, Args)]
pub struct AuditOptions {
    /// The file that `serve --audit FILE` wrote
    file: PathBuf,
    /// Report on this tool only, and why it was not used
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// Print the counts as JSON
    #[arg(long)]
    json: bool,
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

/// The counts of an audit log.
#[derive(Debug, Serialize)]
pub(super) struct AuditTable {
    /// One row for each tool, in the order of their first events.
    pub(super) tools: Vec<AuditRow>,
    /// The searches that found no tool.
    pub(super) fruitless_searches: usize,
    /// The descriptions and calls that named an unknown tool.
    pub(super) unknown_tools: usize,
    /// The events that the server could not write, so that the other counts are too low.
    pub(super) dropped_events: usize,
    /// The lines that are not events.
    pub(super) unreadable_lines: usize,
}

/// The counts of one tool.
#[derive(Debug, Serialize)]
pub(super) struct AuditRow {
    pub(super) name: String,
    #[serde(flatten)]
    pub(super) counts: ToolCounts,
}

pub(super) fn audit(options: &AuditOptions) -> Result<(), CliError> {
    let Some(name) = &options.tool else {
        let table = AuditTable::read(&options.file)?;
        if options.json {
            return json_output::print(&table);
        }
        table.print()?;
        return table.print_notes();
    };
    let tally = tally_file(&options.file, Some(name))?;
    let verdict = ToolVerdict::new(name, &tally);
    if options.json {
        return json_output::print(&verdict);
    }
    verdict.print()?;
    AuditTable::from_tally(&tally).print_notes()
}

/// Counts the events of a file, and the tools that were chosen instead of the tool in `about`.
fn tally_file(path: &Path, about: Option<&str>) -> Result<AuditTally, CliError> {
    let unreadable = |error| format!("{} cannot be read: {error}", path.display());
    let file = BufReader::new(regular_file::open(path).map_err(unreadable)?);
    Ok(read_tally(file, about).map_err(unreadable)?)
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

impl AuditTable {
    /// Counts the events of a file.
    pub(super) fn read(path: &Path) -> Result<Self, CliError> {
        tally_file(path, None).map(|tally| Self::from_tally(&tally))
    }

    fn from_tally(tally: &AuditTally) -> Self {
        let row = |(name, counts): (&str, &ToolCounts)| AuditRow { name: name.to_owned(), counts: counts.clone() };
        Self {
            tools: tally.tools().map(row).collect(),
            fruitless_searches: tally.fruitless,
            unknown_tools: tally.unknown,
            dropped_events: tally.dropped,
            unreadable_lines: tally.unread,
        }
    }

    fn print(&self) -> Result<(), CliError> {
        let width = |name: &str| escape::one_line(name).chars().count();
        let widest = self.tools.iter().map(|row| width(&row.name)).max().unwrap_or(0).max("tool".len());
        let heads: String = COLUMNS.iter().map(|(head, _)| format!("  {head:>9}")).collect();
        style::print(format_args!("{}\n", style::bold(format!("{:widest$}{heads}", "tool"))))?;
        for AuditRow { name, counts } in &self.tools {
            let numbers: String = COLUMNS
                .iter()
                .map(|(head, number)| {
                    format!("  {:>width$}", style::thousands(number(counts)), width = head.len().max(9))
                })
                .collect();
            style::print(format_args!("{}{}{numbers}\n", style::green(name), " ".repeat(widest - width(name))))?;
        }
        Ok(())
    }

    /// Prints the counts that belong to no tool.
    fn print_notes(&self) -> Result<(), CliError> {
        for (count, what) in [
            (self.fruitless_searches, "found nothing in a search"),
            (self.unknown_tools, "named an unknown tool"),
            (self.dropped_events, "missing: the queue to the audit file was full, so these counts are too low"),
            (self.unreadable_lines, "unreadable"),
        ] {
            if count > 0 {
                style::print(format_args!("{}\n", style::dim(format!("{} {what}", style::counted(count, "event")))))?;
            }
        }
        Ok(())
    }
}
