//! `audit --suggest`: words, related tools and guidance for tools, from what callers searched
//! before they called a tool. The suggestions are files of an overlay in a separate directory.

mod choices;
mod differences;
mod patch;
mod render;
mod review;

use super::{AuditOptions, read_events};
use crate::{
    Registry,
    cli::{CliError, json_output},
    registry::tool_spec::ToolSpec,
    search::suggestion::{EvidenceMin, RankCounts, TextSuggestions, WordSuggestion},
};
use choices::CallerChoices;
use clap::Args;
use differences::ToolDifference;
use patch::{PatchDirectory, ToolAdditions};
use serde::Serialize;
use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
};

/// The directory for the suggestions, and the evidence that they need.
#[derive(Debug, Clone, Args)]
pub(super) struct SuggestOptions {
    /// Write suggestions to this new directory: words by which callers searched for a tool and
    /// which it lacks, and tools that callers confused. They are files for `--overlay`, for a
    /// person to review, and `review.md` has the evidence. Words need a log with queries
    /// (`serve --audit-detail queries`)
    #[arg(long, value_name = "DIR", conflicts_with = "tool")]
    suggest: Option<PathBuf>,
    /// Suggest changes to the edited descriptions in this directory, which `serve --overlay` serves
    #[arg(long, value_name = "DIR", requires = "suggest")]
    overlay: Option<PathBuf>,
    /// The least number of conversations that a suggestion must come from
    #[arg(long, value_name = "N", default_value_t = 3, requires = "suggest", value_parser = clap::value_parser!(u16).range(1..))]
    min_conversations: u16,
    /// The least number of callers that a suggestion must come from, unless the log has fewer
    #[arg(long, value_name = "N", default_value_t = 2, requires = "suggest", value_parser = clap::value_parser!(u16).range(1..))]
    min_callers: u16,
}

impl SuggestOptions {
    /// Returns the directory to write, if suggestions are wanted.
    pub(super) fn directory(&self) -> Option<&Path> {
        self.suggest.as_deref()
    }
}

/// What is suggested for one tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum SuggestionKind {
    /// A word for `aliases`.
    Alias,
    /// A tool for `related`.
    Related,
    /// A line for `usage_guidance`.
    Guidance,
    /// A word that the summary should contain. A person must write the sentence.
    Summary,
}

impl SuggestionKind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Alias => "alias",
            Self::Related => "related",
            Self::Guidance => "guidance",
            Self::Summary => "summary",
        }
    }
}

/// One suggestion, with its evidence.
#[derive(Debug, Serialize)]
struct SuggestionRow {
    tool: String,
    kind: SuggestionKind,
    text: String,
    /// Whether a file of the directory contains it.
    is_written: bool,
    /// How often callers searched by the word, or opened the tool before they called another one.
    times: usize,
    conversations: usize,
    /// `None` if the log knows no callers.
    callers: Option<usize>,
    /// The median rank of the called tool: in the log, with the present texts, and with all
    /// suggestions. `None` if it was not found, or if the suggestion is not a word.
    logged_rank: Option<usize>,
    rank_before: Option<usize>,
    rank_after: Option<usize>,
    /// The tool that was called instead.
    called: Option<String>,
}

/// The suggestions of a log.
#[derive(Debug, Serialize)]
struct SuggestionReport {
    /// `None` if there is nothing to suggest.
    directory: Option<PathBuf>,
    /// The files in the directory.
    files: Vec<PathBuf>,
    suggestions: Vec<SuggestionRow>,
    /// Whether the log has the queries of searches.
    has_queries: bool,
    min_conversations: usize,
    min_callers: usize,
    /// The logged searches that led to a call, repeated with the present texts.
    before: RankCounts,
    /// The same with all suggestions.
    after: RankCounts,
    /// The words that were dropped, because they harm searches at least as much as they help.
    dropped_words: usize,
    /// The calls of tools that this server does not have.
    unknown_calls: usize,
    /// The searches and calls beyond the limits of memory.
    uncounted_events: usize,
    unreadable_lines: usize,
}

/// Writes suggestions for the tools of a registry, and reports them.
pub(super) fn suggest<S: 'static>(
    options: &AuditOptions,
    directory: &Path,
    registry: &Registry<S>,
) -> Result<(), CliError> {
    let served = options.suggestions.overlay.as_deref();
    // With the served texts, so that nothing is suggested that they already have.
    let overlaid = served.map(|served| registry.overlaid(served)).transpose()?;
    let registry = overlaid.as_ref().unwrap_or(registry);
    // Before the log is read, which may take long.
    let patch = PatchDirectory::new(directory, served)?;
    let tools = registry.abouts();
    let (mut choices, unreadable) = read_choices(&options.file, &tools)?;
    let min = EvidenceMin {
        conversations: options.suggestions.min_conversations.into(),
        // A log that knows fewer callers would otherwise allow no suggestion.
        callers: usize::from(options.suggestions.min_callers).min(choices.callers()),
    };
    let differences = differences::find(&choices, &tools, min);
    let notes: Vec<_> = differences
        .iter()
        .filter_map(ToolDifference::note)
        .collect();
    // The requests are taken and not copied, because nothing reads them after this.
    let texts = registry.suggest_texts(&choices.take_requests(), &notes, min);
    let builder = ReportBuilder {
        tools: &tools,
        knows_callers: choices.callers() > 0,
    };
    let mut report = builder.report(&texts, &differences, &choices, min, unreadable);
    if !report.suggestions.is_empty() {
        report.files = patch.write(
            &tools,
            builder.additions(&texts, &differences),
            &review::render(&report),
        )?;
        report.directory = Some(directory.to_owned());
    }
    if options.json {
        json_output::print(&report)
    } else {
        report.print()
    }
}

/// Reads the choices of callers from a log. Returns them with the number of unreadable lines.
fn read_choices(path: &Path, tools: &[&ToolSpec]) -> Result<(CallerChoices, usize), CliError> {
    let places: HashMap<&str, usize> = tools
        .iter()
        .enumerate()
        .map(|(place, tool)| (tool.name.as_ref(), place))
        .collect();
    let mut choices = CallerChoices::default();
    let mut unreadable = 0;
    read_events(path, |event| match event {
        Some(event) => choices.record(event, &places),
        None => unreadable += 1,
    })?;
    choices.finish();
    Ok((choices, unreadable))
}

/// Builds the report and the files from the same suggestions.
struct ReportBuilder<'a> {
    tools: &'a [&'a ToolSpec],
    knows_callers: bool,
}

impl ReportBuilder<'_> {
    fn report(
        &self,
        texts: &TextSuggestions,
        differences: &[ToolDifference],
        choices: &CallerChoices,
        min: EvidenceMin,
        unreadable_lines: usize,
    ) -> SuggestionReport {
        let mut rows: Vec<(usize, SuggestionRow)> = Vec::new();
        rows.extend(
            texts
                .aliases
                .iter()
                .map(|word| (word.tool, self.word_row(word, SuggestionKind::Alias))),
        );
        for (difference, is_harmless) in with_verdicts(differences, texts) {
            rows.extend(
                self.difference_rows(difference, is_harmless)
                    .into_iter()
                    .map(|row| (difference.opened, row)),
            );
        }
        rows.extend(
            texts
                .hidden_words
                .iter()
                .map(|word| (word.tool, self.word_row(word, SuggestionKind::Summary))),
        );
        // A stable sort, which keeps the kinds of a tool in the order above.
        rows.sort_by_key(|(tool, _)| *tool);
        SuggestionReport {
            directory: None,
            files: Vec::new(),
            suggestions: rows.into_iter().map(|(_, row)| row).collect(),
            has_queries: choices.has_queries,
            min_conversations: min.conversations,
            min_callers: min.callers,
            before: texts.before,
            after: texts.after,
            dropped_words: texts.dropped,
            unknown_calls: choices.unknown,
            uncounted_events: choices.uncounted,
            unreadable_lines,
        }
    }

    fn name(&self, place: usize) -> String {
        self.tools
            .get(place)
            .map(|tool| tool.name.to_string())
            .unwrap_or_default()
    }

    fn word_row(&self, word: &WordSuggestion, kind: SuggestionKind) -> SuggestionRow {
        SuggestionRow {
            tool: self.name(word.tool),
            kind,
            text: word.word.clone(),
            is_written: kind == SuggestionKind::Alias,
            times: word.searches,
            conversations: word.conversations,
            // A log without callers has no count. A 0 would claim one.
            callers: self.knows_callers.then_some(word.callers),
            logged_rank: word.ranks.logged,
            rank_before: word.ranks.before,
            rank_after: word.ranks.after,
            called: None,
        }
    }

    fn difference_rows(
        &self,
        difference: &ToolDifference,
        is_harmless: bool,
    ) -> Vec<SuggestionRow> {
        let row = |kind, text: &str, is_written| SuggestionRow {
            tool: self.name(difference.opened),
            kind,
            text: text.to_owned(),
            is_written,
            times: difference.passed.times,
            conversations: difference.passed.conversations.len(),
            callers: self
                .knows_callers
                .then_some(difference.passed.callers.len()),
            logged_rank: None,
            rank_before: None,
            rank_after: None,
            called: Some(self.name(difference.called)),
        };
        let related = difference
            .is_unrelated
            .then(|| row(SuggestionKind::Related, &self.name(difference.called), true));
        let note = difference
            .note
            .as_ref()
            .map(|note| row(SuggestionKind::Guidance, note, is_harmless));
        related.into_iter().chain(note).collect()
    }

    fn additions(
        &self,
        texts: &TextSuggestions,
        differences: &[ToolDifference],
    ) -> BTreeMap<usize, ToolAdditions> {
        let mut additions: BTreeMap<usize, ToolAdditions> = BTreeMap::new();
        for word in &texts.aliases {
            additions
                .entry(word.tool)
                .or_default()
                .aliases
                .push(word.word.clone());
        }
        for (difference, is_harmless) in with_verdicts(differences, texts) {
            let tool = additions.entry(difference.opened).or_default();
            tool.related.extend(
                difference
                    .is_unrelated
                    .then(|| self.name(difference.called)),
            );
            tool.notes
                .extend(difference.note.clone().filter(|_| is_harmless));
        }
        additions
    }
}

/// Returns the differences, each with whether its note is harmless.
fn with_verdicts<'a>(
    differences: &'a [ToolDifference],
    texts: &'a TextSuggestions,
) -> impl Iterator<Item = (&'a ToolDifference, bool)> {
    let mut verdicts = texts.harmless_notes.iter();
    differences.iter().map(move |difference| {
        // Verdicts exist for notes only, so a difference without one must not take the next.
        let is_harmless = difference.note.is_some() && verdicts.next() == Some(&true);
        (difference, is_harmless)
    })
}
