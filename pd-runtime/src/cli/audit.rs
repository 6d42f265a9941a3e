//! `audit`: analyzes an audit log. The file is read as a stream. Memory grows with the numbers of
//! tools, conversations and queries, each up to a limit, but not with the file.

mod conversations;
mod frequent;
mod latency;
mod record;
mod searches;
mod suggest;
mod tally;
mod timeline;
mod verdict;

use super::{CliError, json_output, style};
use crate::{
    Registry,
    text::{escape, regular_file},
};
use clap::Args;
use frequent::TextCount;
use latency::LatencySummary;
use record::AuditRecord;
use searches::SearchCounts;
use serde::Serialize;
use std::{
    io::{self, BufReader},
    path::{Path, PathBuf},
};
use suggest::SuggestOptions;
use tally::{AuditTally, ToolCounts, ToolTally};
use timeline::TimelineSummary;
use verdict::ToolVerdict;

/// The file to read, and the tool to report on.
#[derive(Debug, Clone, Args)]
pub struct AuditOptions {
    /// The file that `serve --audit FILE` wrote
    file: PathBuf,
    /// Report on this tool only, and why it was not used
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// Print the counts, or the suggestions, as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    suggestions: SuggestOptions,
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
    pub(super) searches: SearchCounts,
    /// The refused calls by reason, most frequent first.
    pub(super) refusals: Vec<TextCount>,
    /// The calls by outcome, most frequent first.
    pub(super) outcomes: Vec<TextCount>,
    /// The calls without a description that was read in the session, by reason.
    pub(super) undisclosed: Vec<TextCount>,
    /// Calls, refusals and searches by time.
    pub(super) timeline: TimelineSummary,
    /// The descriptions and calls that named an unknown tool.
    pub(super) unknown_tools: usize,
    /// The events that the server could not write, so that the other counts are too low.
    pub(super) dropped_events: usize,
    /// The lines that are not events.
    pub(super) unreadable_lines: usize,
    /// The events about tools beyond the first 20,000, or with longer names than MCP allows.
    pub(super) uncounted_events: usize,
}

/// The counts of one tool.
#[derive(Debug, Serialize)]
pub(super) struct AuditRow {
    pub(super) name: String,
    #[serde(flatten)]
    pub(super) counts: ToolCounts,
    /// The duration of the calls that ran. `None` without such calls.
    #[serde(flatten)]
    pub(super) latency: Option<LatencySummary>,
}

pub(super) fn audit<S: 'static>(
    options: &AuditOptions,
    registry: &Registry<S>,
) -> Result<(), CliError> {
    // clap refuses `--suggest` with `--tool`, so one of the two is left.
    if let Some(directory) = options.suggestions.directory() {
        return suggest::suggest(options, directory, registry);
    }
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
    let mut tally = AuditTally::new(about);
    read_events(path, |event| match event {
        Some(event) => tally.record(event),
        None => tally.unread += 1,
    })?;
    tally.finish();
    Ok(tally)
}

/// Reads the events of a file one by one. `None` stands for a line that is not an event.
fn read_events(path: &Path, read_event: impl FnMut(Option<&AuditRecord>)) -> Result<(), CliError> {
    // Regular files only: a pipe would wait for its writer, and a device may have no end.
    let file = BufReader::new(regular_file::open(path).map_err(|error| unreadable(path, &error))?);
    Ok(record::for_each(file, read_event).map_err(|error| unreadable(path, &error))?)
}

fn unreadable(path: &Path, error: &io::Error) -> String {
    format!("{} cannot be read: {error}", path.display())
}

impl AuditRow {
    fn new((name, tally): (&str, &ToolTally)) -> Self {
        Self {
            name: name.to_owned(),
            counts: tally.counts.clone(),
            latency: tally.latency.summary(),
        }
    }
}

impl AuditTable {
    /// Counts the events of a file.
    pub(super) fn read(path: &Path) -> Result<Self, CliError> {
        tally_file(path, None).map(|tally| Self::from_tally(&tally))
    }

    fn from_tally(tally: &AuditTally) -> Self {
        Self {
            tools: tally.tools().map(AuditRow::new).collect(),
            searches: tally.searches.counts(),
            // All of them, because the tally already bounds their number.
            refusals: tally.refusals.top(usize::MAX),
            outcomes: tally.outcomes.top(usize::MAX),
            undisclosed: tally.undisclosed.top(usize::MAX),
            timeline: tally.timeline.summary(),
            unknown_tools: tally.unknown,
            dropped_events: tally.dropped,
            unreadable_lines: tally.unread,
            uncounted_events: tally.uncounted,
        }
    }

    fn print(&self) -> Result<(), CliError> {
        let widest = self
            .tools
            .iter()
            .map(|row| shown_width(&row.name))
            .max()
            // A file without tools has the heading alone.
            .unwrap_or(0)
            .max("tool".len());
        let heads: String = COLUMNS
            .iter()
            .map(|(head, _)| format!("  {head:>9}"))
            .collect();
        style::print(format_args!(
            "{}\n",
            style::bold(format!("{:widest$}{heads}", "tool"))
        ))?;
        for AuditRow { name, counts, .. } in &self.tools {
            let numbers: String = COLUMNS
                .iter()
                .map(|(head, number)| {
                    format!(
                        "  {:>width$}",
                        style::thousands(number(counts)),
                        // Headings are padded to nine characters, and a longer one widens its
                        // column.
                        width = head.len().max(9)
                    )
                })
                .collect();
            style::print(format_args!(
                "{}{}{numbers}\n",
                style::green(name),
                " ".repeat(widest - shown_width(name))
            ))?;
        }
        Ok(())
    }

    /// Prints the counts that belong to no tool.
    fn print_notes(&self) -> Result<(), CliError> {
        let undisclosed = self.undisclosed.iter().map(|reason| reason.count).sum();
        for (count, what) in [
            (
                undisclosed,
                "called a tool whose description was not read in the session",
            ),
            (self.searches.fruitless, "found nothing in a search"),
            (
                self.searches.without_call,
                "found tools in a search that no call followed",
            ),
            (self.unknown_tools, "named an unknown tool"),
            (
                self.dropped_events,
                "missing: the queue to the audit file was full, so these counts are too low",
            ),
            (self.unreadable_lines, "unreadable"),
            (
                self.uncounted_events,
                "not counted: the file names too many tools, or their names are too long",
            ),
        ] {
            if count > 0 {
                style::print(format_args!(
                    "{}\n",
                    style::dim(format!("{} {what}", style::counted(count, "event")))
                ))?;
            }
        }
        Ok(())
    }
}

fn shown_width(name: &str) -> usize {
    // As it is printed: an escape is wider than its character.
    escape::one_line(name).chars().count()
}
