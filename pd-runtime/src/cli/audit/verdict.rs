//! A verdict on why models did not use a tool, in a few sentences.

use super::tally::{AuditTally, ToolCounts};
use crate::{cli::style, text::escape::one_line};
use serde::Serialize;

/// The maximum number of alternatives to name.
const INSTEAD_MAX: usize = 3;

/// The counts of one tool, and their likely meaning.
#[derive(Debug, Serialize)]
pub(super) struct ToolVerdict<'a> {
    tool: &'a str,
    /// `None` if the file has no event about the tool.
    counts: Option<&'a ToolCounts>,
    /// The tools that were chosen although a search found this one, most frequent first.
    instead: Vec<ChosenTool<'a>>,
    meaning: &'static str,
}

/// A tool that was chosen instead of another one.
#[derive(Debug, Serialize)]
struct ChosenTool<'a> {
    name: &'a str,
    times: usize,
}

impl<'a> ToolVerdict<'a> {
    pub(super) fn new(tool: &'a str, tally: &'a AuditTally) -> Self {
        let counts = tally.tool(tool);
        let instead = tally
            .instead()
            .into_iter()
            .map(|(name, times)| ChosenTool { name, times })
            .collect();
        Self {
            tool,
            counts,
            instead,
            meaning: counts.map_or(ABSENT, meaning),
        }
    }

    pub(super) fn print(&self) -> std::io::Result<()> {
        style::print(format_args!("{}\n", self.render()))
    }

    fn render(&self) -> String {
        match self.counts {
            None => format!(
                "`{}` does not occur in this file. {}",
                one_line(self.tool),
                self.meaning
            ),
            Some(counts) => format!(
                "{}\n{}",
                render_counts(self.tool, counts, &self.instead),
                self.meaning
            ),
        }
    }
}

/// The meaning of a file without an event about the tool.
const ABSENT: &str =
    "It was not listed, found or called. Check its name, and whether these callers may see it.";

fn render_counts(name: &str, tool: &ToolCounts, instead: &[ChosenTool<'_>]) -> String {
    let mut parts = vec![
        format!("`{}` was listed {}", one_line(name), times(tool.listed)),
        render_hits(tool),
    ];
    if tool.passed_over > 0 {
        let named = instead.iter().take(INSTEAD_MAX);
        let named = named.map(|other| format!("`{}` {}", one_line(other.name), times(other.times)));
        let named = named.collect::<Vec<_>>().join(", ");
        parts.push(format!(
            "passed over for another tool {} ({named})",
            times(tool.passed_over)
        ));
    }
    parts.push(format!("described {}", times(tool.described)));
    if tool.refused > 0 {
        parts.push(format!("refused {}", times(tool.refused)));
    }
    let after = if tool.called == 0 && tool.described > 0 {
        "never called after it".to_owned()
    } else {
        render_calls(tool)
    };
    parts.push(after);
    parts.join("; ") + "."
}

fn render_hits(tool: &ToolCounts) -> String {
    match (tool.found, tool.first) {
        (0, _) => "never found by a search".to_owned(),
        (found, 0) => {
            format!(
                "found {}, never first, at best as hit {}",
                times(found),
                // A tool that was found has a rank.
                tool.best_rank.unwrap_or_default()
            )
        }
        (found, first) if first == found => format!("found {}, always first", times(found)),
        (found, first) => format!("found {}, {} as the first hit", times(found), times(first)),
    }
}

fn render_calls(tool: &ToolCounts) -> String {
    match tool.failed {
        0 => format!("called {}", times(tool.called)),
        failed => format!("called {}, {failed} failed", times(tool.called)),
    }
}

/// Returns the first obstacle on the way from the list to a result.
fn meaning(tool: &ToolCounts) -> &'static str {
    // The arms are ordered from the last stage back to the first: a called tool was also described,
    // found and listed.
    match tool {
        ToolCounts {
            called: called @ 1..,
            failed,
            ..
        } if failed * 2 >= *called => {
            "It is used, and at least every second call fails: check its errors and its examples."
        }
        ToolCounts { called: 1.., .. } => "It is used.",
        ToolCounts { held: 1.., .. } => {
            "Its server has changed it, and nobody has approved the change: review it with `pd-gateway approve`."
        }
        ToolCounts { refused: 1.., .. } => {
            "Its calls were refused and not tried again: the host may not show the content of a refusal to its model."
        }
        ToolCounts { described: 1.., .. } => {
            "Its description was read, but it was not called: the description may promise less than the summary, or require more than callers have."
        }
        ToolCounts {
            found: 1..,
            first: 0,
            ..
        } => {
            "Searches rank other tools first: add aliases and examples in the words that callers use. \
             `find QUERY --explain` shows why, and `audit FILE --suggest DIR` suggests words."
        }
        ToolCounts { found: 1.., .. } => {
            "Searches find it, but clients do not open it: its summary may not explain its purpose."
        }
        ToolCounts { listed: 1.., .. } => {
            "It is listed, but clients do not ask for it: its summary may not explain its purpose."
        }
        _ => "The file contains no other event about it.",
    }
}

fn times(count: usize) -> String {
    match count {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        count => format!("{count} times"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_hindrance_is_named() {
        let found = ToolCounts {
            listed: 40,
            found: 12,
            best_rank: Some(2),
            passed_over: 9,
            described: 2,
            ..ToolCounts::default()
        };
        assert_eq!(
            render_counts(
                "log",
                &found,
                &[
                    ChosenTool {
                        name: "search",
                        times: 7
                    },
                    ChosenTool {
                        name: "blame",
                        times: 2
                    }
                ]
            ),
            "`log` was listed 40 times; found 12 times, never first, at best as hit 2; passed over for another tool 9 times \
             (`search` 7 times, `blame` twice); described twice; never called after it."
        );
        let cases = [
            (
                ToolCounts {
                    called: 4,
                    failed: 2,
                    ..found.clone()
                },
                "every second call fails",
            ),
            (
                ToolCounts {
                    called: 4,
                    failed: 1,
                    ..found.clone()
                },
                "It is used.",
            ),
            (
                ToolCounts {
                    refused: 1,
                    ..found.clone()
                },
                "not tried again",
            ),
            (
                ToolCounts {
                    refused: 1,
                    held: 1,
                    ..found.clone()
                },
                "nobody has approved",
            ),
            (found.clone(), "was read, but it was not called"),
            (
                ToolCounts {
                    described: 0,
                    ..found.clone()
                },
                "rank other tools first",
            ),
            (
                ToolCounts {
                    described: 0,
                    first: 12,
                    ..found
                },
                "clients do not open it",
            ),
            (
                ToolCounts {
                    listed: 1,
                    ..ToolCounts::default()
                },
                "clients do not ask for it",
            ),
        ];
        for (tool, words) in cases {
            assert!(
                meaning(&tool).contains(words),
                "{tool:?}: {}",
                meaning(&tool)
            );
        }
        assert!(
            ToolVerdict::new("lgo", &AuditTally::new(None))
                .render()
                .contains("does not occur")
        );
    }
}
