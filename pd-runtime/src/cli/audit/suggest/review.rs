//! The page with the evidence, for the person who reviews the suggestions.

use super::{SuggestionKind, SuggestionReport, SuggestionRow};
use crate::text::escape::visible;
use std::fmt::Write;

/// Renders the page as Markdown.
pub(super) fn render(report: &SuggestionReport) -> String {
    let mut page = String::from(HEAD);
    let before = &report.before;
    let after = &report.after;
    if before.searches > 0 {
        // Writing to a `String` cannot fail.
        let _ = write!(
            page,
            "\n| searches that led to a call: {} | present texts | with all suggestions |\n|---|---:|---:|\n\
             | the called tool is first | {} | {} |\n| it is among the first five | {} | {} |\n",
            before.searches, before.first, after.first, before.first_five, after.first_five,
        );
    }
    for rows in report
        .suggestions
        .chunk_by(|one, next| one.tool == next.tool)
    {
        render_tool(&mut page, rows);
    }
    page
}

/// The beginning of the page.
const HEAD: &str = "\
# Suggestions from an audit log

The JSON files beside this page are parts of an overlay. Nothing serves them yet. Read each change, delete what is
wrong, and copy the files that you accept to the directory of `serve --overlay`. The words come from callers.

*Times* counts the searches with the word, or how often the tool was opened before another one was called. *Rank* is
the median rank of the called tool in these searches: in the log, with the present texts, and with all suggestions.
";

fn render_tool(page: &mut String, rows: &[SuggestionRow]) {
    let Some(first) = rows.first() else { return };
    let _ = write!(page, "\n## {}\n", cell(&first.tool));
    let (written, by_hand): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.is_written);
    if !written.is_empty() {
        page.push_str(
            "\n| suggestion | times | conversations | callers | rank |\n|---|---:|---:|---:|---|\n",
        );
        written.iter().for_each(|row| render_row(page, row));
    }
    if !by_hand.is_empty() {
        page.push_str("\nTo write by hand:\n\n");
        by_hand.iter().for_each(|row| render_template(page, row));
    }
}

fn render_row(page: &mut String, row: &SuggestionRow) {
    let _ = writeln!(
        page,
        "| {} {} | {} | {} | {} | {} |",
        row.kind.as_str(),
        cell(&row.text),
        row.times,
        row.conversations,
        number(row.callers),
        ranks(row),
    );
}

/// Renders a task for a person: what callers did, and the sentence that is missing.
fn render_template(page: &mut String, row: &SuggestionRow) {
    let text = cell(&row.text);
    let conversations = row.conversations;
    let called = row.called.as_deref().map(cell).unwrap_or_default();
    let _ = match row.kind {
        SuggestionKind::Summary => writeln!(
            page,
            "- Summary: callers said {text} in {conversations} conversations. Other texts of the tool have the word, but \
             its summary does not. Write a summary with it, if it is what the tool does."
        ),
        SuggestionKind::Guidance => writeln!(
            page,
            "- Guidance: in {conversations} conversations, callers read this tool and then called {called}. The line \
             {text} would take searches from {called}. Write in other words when to use which: \"To …, use {called}.\""
        ),
        SuggestionKind::Alias | SuggestionKind::Related => {
            writeln!(page, "- {} {text}", row.kind.as_str())
        }
    };
}

fn ranks(row: &SuggestionRow) -> String {
    if row.called.is_some() {
        return String::new();
    }
    format!(
        "{} → {} → {}",
        number(row.logged_rank),
        number(row.rank_before),
        number(row.rank_after)
    )
}

fn number(number: Option<usize>) -> String {
    number.map_or_else(|| "–".to_owned(), |number| number.to_string())
}

/// Renders a text as code in a cell of a table. Markdown in it has no effect.
fn cell(text: &str) -> String {
    // A bar would end the cell, in code, too.
    let text = visible(text).replace('|', "\\|");
    // Two backticks would end the code.
    let text = if text.contains("``") {
        text.replace('`', "'")
    } else {
        text
    };
    // The spaces keep a backtick at either end apart from the marks, and Markdown does not show
    // them.
    format!("`` {text} ``")
}
