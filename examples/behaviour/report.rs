//! What all trials come to: a line for each agent in each setting, for each server and for all.

use super::{servers::Subject, setting::Setting, trial::Trial};
use clap::ValueEnum;
use std::fmt;

/// All trials of a run.
#[derive(Debug, Default)]
pub(crate) struct Report(Vec<Trial>);

/// What one line is about; without a subject it is about all servers.
type Row<'a> = (Setting, &'a str, Option<Subject>);

impl Report {
    pub(crate) fn add(&mut self, trial: Trial) {
        self.0.push(trial);
    }

    /// Who was in which setting, in the order of the trials, with each of these servers.
    fn rows(&self, subjects: &[Option<Subject>]) -> Vec<Row<'_>> {
        let mut pairs: Vec<(Setting, &str)> = Vec::new();
        for trial in &self.0 {
            let pair = (trial.setting, trial.agent.as_str());
            if !pairs.contains(&pair) {
                pairs.push(pair);
            }
        }
        let of_pair = |(setting, agent)| {
            subjects
                .iter()
                .map(move |subject| (setting, agent, *subject))
        };
        pairs.into_iter().flat_map(of_pair).collect()
    }

    /// The servers that were tried.
    fn subjects(&self) -> Vec<Option<Subject>> {
        let is_tried = |subject: &&Subject| self.0.iter().any(|trial| trial.subject == **subject);
        Subject::value_variants()
            .iter()
            .filter(is_tried)
            .copied()
            .map(Some)
            .collect()
    }

    fn trials(&self, (setting, agent, subject): Row<'_>) -> Vec<&Trial> {
        let is_in = |trial: &&Trial| {
            trial.setting == setting
                && trial.agent == agent
                && subject.is_none_or(|subject| trial.subject == subject)
        };
        self.0.iter().filter(is_in).collect()
    }

    fn write_table(&self, f: &mut fmt::Formatter<'_>, subjects: &[Option<Subject>]) -> fmt::Result {
        let width = self
            .0
            .iter()
            .map(|trial| trial.agent.len())
            .max()
            .unwrap_or_default()
            .max("agent".len());
        let (listing, agent, server) = ("listing / wording", "agent", "server");
        write!(f, "| {listing:25} | {agent:width$} | {server:8} |")?;
        COLUMNS
            .iter()
            .try_for_each(|column| write!(f, " {column} |"))?;
        write!(f, "\n|{:-<27}|{:-<2$}|----------|", "", "", width + 2)?;
        COLUMNS
            .iter()
            .try_for_each(|column| write!(f, "{:->1$}:|", "", column.len() + 1))?;
        for row in self.rows(subjects) {
            let (setting, agent, subject) = row;
            let (setting, server) = (
                setting.to_string(),
                subject.map_or("all".to_owned(), |subject| subject.to_string()),
            );
            write!(
                f,
                "\n| {setting:25} | {agent:width$} | {server:8} |{}",
                Summary::new(&self.trials(row))
            )?;
        }
        writeln!(f)
    }
}

impl fmt::Display for Report {
    /// A table over all servers, and one by server where they are several.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let subjects = self.subjects();
        if subjects.len() < 2 {
            return self.write_table(f, &subjects);
        }
        self.write_table(f, &[None])?;
        writeln!(f)?;
        self.write_table(f, &subjects)
    }
}

/// Tokens, calls and what became of them are sums over all trials of a line.
const COLUMNS: [&str; 13] = [
    "tasks",
    "finished",
    "share",
    "right tool first",
    "described first",
    "turns each",
    "prompt tokens",
    "completion tokens",
    "calls",
    "refusals",
    "errors",
    "repetitions",
    "unreadable",
];

/// One line's figures, in the order of the columns.
struct Summary([String; COLUMNS.len()]);

impl Summary {
    fn new(trials: &[&Trial]) -> Self {
        let count = |holds: fn(&Trial) -> bool| trials.iter().filter(|trial| holds(trial)).count();
        let sum = |each: fn(&Trial) -> usize| trials.iter().map(|trial| each(trial)).sum::<usize>();
        let (tasks, finished) = (trials.len(), count(|trial| trial.solved_in.is_some()));
        let share = |part: usize| part as f64 / tasks as f64;
        Self([
            tasks.to_string(),
            finished.to_string(),
            format!("{:.0} %", share(finished) * 100.0),
            count(|trial| trial.right_tool).to_string(),
            count(|trial| trial.described_first).to_string(),
            format!("{:.1}", share(sum(|trial| trial.turns.len()))),
            sum(|trial| trial.usage.prompt).to_string(),
            sum(|trial| trial.usage.completion).to_string(),
            sum(|trial| trial.calls().count()).to_string(),
            sum(|trial| trial.count(|made| made.is_refused)).to_string(),
            sum(|trial| trial.count(|made| made.is_error)).to_string(),
            sum(|trial| trial.count(|made| made.is_repeated)).to_string(),
            sum(Trial::unreadable).to_string(),
        ])
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .zip(COLUMNS)
            .try_for_each(|(figure, column)| write!(f, " {figure:>0$} |", column.len()))
    }
}
