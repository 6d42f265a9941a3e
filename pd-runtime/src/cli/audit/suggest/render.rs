//! The suggestions as a table on the terminal.

use super::{SuggestionReport, SuggestionRow, patch::REVIEW};
use crate::{
    cli::{
        CliError,
        style::{self, counted},
    },
    search::suggestion::RankCounts,
    text::escape::one_line,
};
use std::cmp::Reverse;

/// The number of suggestions that are printed, the strongest first. The page in the directory has
/// all.
const SHOWN_MAX: usize = 20;

/// The limit on a printed text, in characters.
const TEXT_MAX: usize = 60;

impl SuggestionReport {
    pub(super) fn print(&self) -> Result<(), CliError> {
        if !self.has_queries {
            line(
                "the log has no queries, so no words are suggested; `serve --audit-detail queries` records them",
            )?;
        }
        if self.suggestions.is_empty() {
            line(&self.nothing())?;
            return self.print_notes();
        }
        self.print_rows()?;
        self.print_effect()?;
        self.print_notes()?;
        self.print_next_step()
    }

    fn nothing(&self) -> String {
        let conversations = counted(self.min_conversations, "conversation");
        let callers = match self.min_callers {
            // Each conversation has a caller, so a minimum of one adds nothing.
            0 | 1 => String::new(),
            callers => format!(" and {}", counted(callers, "caller")),
        };
        format!(
            "nothing to suggest: nothing that would help comes from {conversations}{callers} or more"
        )
    }

    fn print_rows(&self) -> Result<(), CliError> {
        let mut strongest: Vec<&SuggestionRow> = self.suggestions.iter().collect();
        strongest.sort_by_key(|row| Reverse(row.strength()));
        let rows: Vec<[String; 6]> = strongest
            .into_iter()
            .take(SHOWN_MAX)
            .map(SuggestionRow::cells)
            .collect();
        let heads = [
            "tool",
            "suggestion",
            "times",
            "conversations",
            "callers",
            "rank",
        ]
        .map(str::to_owned);
        let widths: Vec<usize> = (0..heads.len())
            .map(|column| {
                let cells = rows
                    .iter()
                    .chain([&heads])
                    .filter_map(|row| row.get(column));
                cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
            })
            .collect();
        line(&style::bold(layout(&heads, &widths)))?;
        rows.iter()
            .try_for_each(|row| line(&layout(row, &widths)))?;
        match self.suggestions.len().saturating_sub(SHOWN_MAX) {
            0 => Ok(()),
            more => line(&style::dim(format!(
                "and {}, in {REVIEW}",
                counted(more, "more suggestion")
            ))),
        }
    }

    fn print_effect(&self) -> Result<(), CliError> {
        let before = &self.before;
        let after = &self.after;
        if before.searches == 0 {
            return Ok(());
        }
        line(&format!(
            "searches that led to a call: {}; the called tool is first in {:.1} % → {:.1} %, and among the first five in \
             {:.1} % → {:.1} %",
            style::thousands(before.searches),
            share(before.first, before),
            share(after.first, after),
            share(before.first_five, before),
            share(after.first_five, after),
        ))
    }

    /// Prints what the suggestions leave out.
    fn print_notes(&self) -> Result<(), CliError> {
        for (count, noun, what) in [
            (
                self.dropped_words,
                "word",
                "dropped, which would harm searches as much as help",
            ),
            (
                self.unknown_calls,
                "call",
                "of tools that this server does not have",
            ),
            (
                self.uncounted_events,
                "event",
                "not counted, beyond the limits of memory",
            ),
            (self.unreadable_lines, "line", "unreadable"),
        ] {
            if count > 0 {
                line(&style::dim(format!("{} {what}", counted(count, noun))))?;
            }
        }
        Ok(())
    }

    fn print_next_step(&self) -> Result<(), CliError> {
        let Some(directory) = &self.directory else {
            return Ok(());
        };
        let directory = directory.display();
        // Without the page.
        let files = self.files.len().saturating_sub(1);
        line(&format!(
            "{} {directory} has {REVIEW} with the evidence, and {} for an overlay; review them, then copy those that you \
             accept to the directory of `serve --overlay`",
            style::green("ok"),
            counted(files, "file"),
        ))
    }
}

impl SuggestionRow {
    /// Returns what to compare suggestions by: first those that change a rank, or that callers
    /// needed although search found the tools, then the most frequent ones.
    fn strength(&self) -> (bool, usize) {
        (
            self.called.is_some() || self.rank_before != self.rank_after,
            self.conversations,
        )
    }

    /// Returns the cells of the row: the tool, the suggestion, and the evidence.
    pub(super) fn cells(&self) -> [String; 6] {
        let text = style::cut(&self.text, TEXT_MAX);
        let mark = if self.is_written { "" } else { " (by hand)" };
        [
            one_line(&self.tool).into_owned(),
            format!("{}{mark}: {text}", self.kind.as_str()),
            self.times.to_string(),
            self.conversations.to_string(),
            self.callers
                .map_or_else(|| "–".to_owned(), |callers| callers.to_string()),
            self.render_rank(),
        ]
    }

    /// Renders "4 → 1", with a dash for a tool that is not found.
    fn render_rank(&self) -> String {
        // Such a suggestion comes from calls and not from searches, so it has no rank.
        if self.called.is_some() {
            return String::new();
        }
        format!(
            "{} → {}",
            rank_or_dash(self.rank_before),
            rank_or_dash(self.rank_after)
        )
    }
}

/// Joins cells, the first two to the left and numbers to the right.
fn layout(cells: &[String; 6], widths: &[usize]) -> String {
    let cells = cells
        .iter()
        .zip(widths)
        .enumerate()
        .map(|(column, (cell, width))| {
            let padding = " ".repeat(width.saturating_sub(cell.chars().count()));
            if column < 2 {
                format!("{cell}{padding}")
            } else {
                format!("{padding}{cell}")
            }
        });
    cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
}

fn share(count: usize, of: &RankCounts) -> f64 {
    // Shares are printed only if there are searches. `max` guards the division alone.
    100.0 * count as f64 / of.searches.max(1) as f64
}

fn rank_or_dash(rank: Option<usize>) -> String {
    rank.map_or_else(|| "–".to_owned(), |rank| rank.to_string())
}

fn line(text: &str) -> Result<(), CliError> {
    Ok(style::print(format_args!("{text}\n"))?)
}
