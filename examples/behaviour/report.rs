//! What all trials come to: a line for each agent in each setting.

use super::{setting::Setting, trial::Trial};
use std::fmt;

/// All trials of a run.
#[derive(Debug, Default)]
pub(crate) struct Report(Vec<Trial>);

impl Report {
    pub(crate) fn add(&mut self, trial: Trial) {
        self.0.push(trial);
    }

    /// Every trial, as a line of JSON.
    pub(crate) fn lines(&self) -> String {
        self.0.iter().filter_map(|trial| serde_json::to_string(trial).ok()).map(|line| line + "\n").collect()
    }

    /// Who was in which setting, in the order of the trials.
    fn rows(&self) -> Vec<(&str, Setting)> {
        let mut rows: Vec<(&str, Setting)> = Vec::new();
        for trial in &self.0 {
            let row = (trial.agent.as_str(), trial.setting);
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
        rows
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.0.iter().map(|trial| trial.agent.len()).max().unwrap_or_default().max("agent".len());
        writeln!(
            f,
            "| {:29} | {:width$} | tasks | right tool | described first | right arguments | refusals | turns | tokens |",
            "listing / wording", "agent"
        )?;
        writeln!(
            f,
            "|{:-<31}|{:-<2$}|------:|-----------:|----------------:|----------------:|---------:|------:|-------:|",
            "",
            "",
            width + 2
        )?;
        for (agent, setting) in self.rows() {
            let trials: Vec<&Trial> =
                self.0.iter().filter(|trial| trial.agent == agent && trial.setting == setting).collect();
            writeln!(f, "| {:29} | {agent:width$} | {}", setting.to_string(), Summary::of(&trials))?;
        }
        Ok(())
    }
}

/// One row's figures.
struct Summary {
    tasks: usize,
    right_tool: usize,
    described_first: usize,
    right_arguments: usize,
    refusals: usize,
    /// The mean over what was done.
    turns: f64,
    /// The mean over all tasks.
    tokens: usize,
}

impl Summary {
    fn of(trials: &[&Trial]) -> Self {
        let count = |holds: fn(&Trial) -> bool| trials.iter().filter(|trial| holds(trial)).count();
        let turns: Vec<usize> = trials.iter().filter_map(|trial| trial.solved_in).collect();
        Self {
            tasks: trials.len(),
            right_tool: count(|trial| trial.right_tool),
            described_first: count(|trial| trial.described_first),
            right_arguments: count(|trial| trial.right_arguments),
            refusals: trials.iter().map(|trial| trial.refusals).sum(),
            turns: turns.iter().sum::<usize>() as f64 / turns.len() as f64,
            tokens: trials.iter().map(|trial| trial.tokens).sum::<usize>() / trials.len().max(1),
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tasks, right_tool, described_first, right_arguments, refusals, turns, tokens } = self;
        let turns = if turns.is_nan() { "–".to_owned() } else { format!("{turns:.1}") };
        write!(
            f,
            "{tasks:5} | {right_tool:10} | {described_first:15} | {right_arguments:15} | {refusals:8} | {turns:>5} | {tokens:6} |"
        )
    }
}
