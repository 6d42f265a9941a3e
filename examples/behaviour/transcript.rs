//! A trial as a text: what the agent read and wrote in each turn.

use super::trial::{MadeCall, Trial, Turn};
use std::fmt::{self, Write as _};

/// Longer than any fence that a model writes.
const FENCE: &str = "~~~~~~";

impl Trial {
    /// Renders the trial in Markdown.
    pub(crate) fn transcript(&self) -> String {
        let mut page = String::new();
        // Writing to a string does not fail.
        let _ = self.write_transcript(&mut page);
        page
    }

    /// The name of its file: unique within a run, sorted by setting.
    pub(crate) fn file_name(&self, number: usize) -> String {
        let setting = self.setting.to_string().replace(" / ", "-");
        format!(
            "{setting}-{}-{number:03}-{}-{}.md",
            self.subject, self.tool, self.seed
        )
    }

    fn write_transcript(&self, page: &mut String) -> fmt::Result {
        writeln!(
            page,
            "# {}, {}: {}\n\n{} (seed {}). {self}\n",
            self.setting, self.subject, self.task, self.agent, self.seed
        )?;
        writeln!(
            page,
            "## System\n\n{FENCE}text\n{}\n{FENCE}\n\n## User\n\n{}",
            self.system, self.task
        )?;
        for (place, turn) in self.turns.iter().enumerate() {
            write_turn(page, place + 1, turn)?;
        }
        writeln!(page, "\n## End\n\n{}", self.end())
    }

    fn end(&self) -> String {
        match (self.solved_in, &self.words, &self.failure) {
            (Some(turn), ..) => format!("Done in turn {turn}."),
            (None, Some(words), _) => {
                format!("The agent answered without having done the task: {words}")
            }
            (None, None, Some(failure)) => format!("The agent failed: {failure}"),
            (None, None, None) => "The turns were over.".to_owned(),
        }
    }
}

fn write_turn(page: &mut String, number: usize, turn: &Turn) -> fmt::Result {
    let (read, wrote) = (turn.usage.prompt, turn.usage.completion);
    writeln!(
        page,
        "\n## Turn {number} (read {read} tokens, wrote {wrote})"
    )?;
    if !turn.wrote.is_empty() {
        writeln!(page, "\n{FENCE}text\n{}\n{FENCE}", turn.wrote)?;
    }
    turn.calls
        .iter()
        .try_for_each(|made| write_call(page, made))?;
    turn.unreadable
        .iter()
        .try_for_each(|text| writeln!(page, "\nUnreadable:\n\n{FENCE}text\n{text}\n{FENCE}"))
}

fn write_call(page: &mut String, made: &MadeCall) -> fmt::Result {
    let arguments = serde_json::to_string(&made.call.arguments).unwrap_or_default();
    let repeated = if made.is_repeated { ", repeated" } else { "" };
    writeln!(
        page,
        "\nCall `{}` `{arguments}`: {}{repeated}",
        made.call.name,
        made.outcome()
    )?;
    for reached in &made.reached {
        let arguments = serde_json::to_string(&reached.arguments).unwrap_or_default();
        writeln!(
            page,
            "\nAdmitted: `{}` `{arguments}`: {}",
            reached.tool,
            reached.outcome.as_str()
        )?;
    }
    writeln!(page, "\n{FENCE}text\n{}\n{FENCE}", made.result)
}
