//! Why a model did not use a tool, in a few sentences.

use super::tally::{AuditTally, ToolCounts};
use crate::text::escape::one_line;

/// How many tools are named that were chosen instead.
const INSTEAD_MAX: usize = 3;

/// What happened to the tool, and what that may mean.
pub(super) fn render(name: &str, tally: &AuditTally) -> String {
    let Some(tool) = tally.tool(name) else {
        let name = one_line(name);
        return format!(
            "`{name}` does not come up: it was not listed, not found, not called. Is that its name, and may these callers see it?"
        );
    };
    format!("{}\n{}", happened(name, tool, &tally.instead()), meaning(tool))
}

fn happened(name: &str, tool: &ToolCounts, instead: &[(&str, usize)]) -> String {
    let mut told = vec![format!("`{}` was listed {}", one_line(name), times(tool.listed)), found(tool)];
    if tool.passed_over > 0 {
        let named = instead.iter().take(INSTEAD_MAX);
        let named = named.map(|(other, count)| format!("`{}` {}", one_line(other), times(*count)));
        let named = named.collect::<Vec<_>>().join(", ");
        told.push(format!("passed over for another tool {} ({named})", times(tool.passed_over)));
    }
    told.push(format!("described {}", times(tool.described)));
    if tool.refused > 0 {
        told.push(format!("refused {}", times(tool.refused)));
    }
    let after = if tool.called == 0 && tool.described > 0 { "never called after it".to_owned() } else { called(tool) };
    told.push(after);
    told.join("; ") + "."
}

fn found(tool: &ToolCounts) -> String {
    match (tool.found, tool.first) {
        (0, _) => "never found by a search".to_owned(),
        (found, 0) => format!("found {}, never first, at best as hit {}", times(found), tool.best),
        (found, first) if first == found => format!("found {}, always first", times(found)),
        (found, first) => format!("found {}, {} as the first hit", times(found), times(first)),
    }
}

fn called(tool: &ToolCounts) -> String {
    match tool.failed {
        0 => format!("called {}", times(tool.called)),
        failed => format!("called {}, of which {failed} failed", times(tool.called)),
    }
}

/// The first hindrance on the way from the list to a result.
fn meaning(tool: &ToolCounts) -> &'static str {
    match tool {
        ToolCounts { called: called @ 1.., failed, .. } if failed * 2 >= *called => {
            "It is used, and at least every second call fails: look at the errors, and at what its examples show."
        }
        ToolCounts { called: 1.., .. } => "It is used.",
        ToolCounts { refused: 1.., .. } => {
            "Its calls were refused and not tried again: the host may not show its model what a refusal says."
        }
        ToolCounts { described: 1.., .. } => {
            "It was read and left: its description may not promise what its summary does, or ask for more than callers have."
        }
        ToolCounts { found: 1.., first: 0, .. } => {
            "Searches find others first: give it aliases and examples in the words that callers use."
        }
        ToolCounts { found: 1.., .. } => {
            "Searches find it, and nobody opens it: its summary may not say what it is for."
        }
        ToolCounts { listed: 1.., .. } => {
            "It is listed, and nobody asks for it: its summary may not say what it is for."
        }
        _ => "Nothing else happened to it.",
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
        let found =
            ToolCounts { listed: 40, found: 12, best: 2, passed_over: 9, described: 2, ..ToolCounts::default() };
        assert_eq!(
            happened("log", &found, &[("search", 7), ("blame", 2)]),
            "`log` was listed 40 times; found 12 times, never first, at best as hit 2; passed over for another tool 9 times \
             (`search` 7 times, `blame` twice); described twice; never called after it."
        );
        let cases = [
            (ToolCounts { called: 4, failed: 2, ..found.clone() }, "every second call fails"),
            (ToolCounts { called: 4, failed: 1, ..found.clone() }, "It is used."),
            (ToolCounts { refused: 1, ..found.clone() }, "not tried again"),
            (found.clone(), "read and left"),
            (ToolCounts { described: 0, ..found.clone() }, "find others first"),
            (ToolCounts { described: 0, first: 12, ..found }, "nobody opens it"),
            (ToolCounts { listed: 1, ..ToolCounts::default() }, "nobody asks for it"),
        ];
        for (tool, words) in cases {
            assert!(meaning(&tool).contains(words), "{tool:?}: {}", meaning(&tool));
        }
        assert!(render("lgo", &AuditTally::default()).contains("does not come up"));
    }
}
