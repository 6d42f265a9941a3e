//! A topic's page: each case with its error and its mend.

use crate::{case::Case, said, topic::Topic};
use std::collections::BTreeSet;

/// Renders a topic's page.
pub(crate) fn render(topic: &Topic, cases: &[Case]) -> String {
    let entries: String = topic.select(cases).into_iter().map(entry).collect();
    format!("# {}\n\n{}\n{entries}", topic.heading, topic.about)
}

/// Checks that no two titles have one anchor.
pub(crate) fn check_titles(cases: &[Case]) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    match cases.iter().find(|case| !seen.insert(anchor(&case.title))) {
        Some(case) => Err(format!(
            "{}.rs: another case has the same first line; say what differs",
            case.name
        )),
        None => Ok(()),
    }
}

fn entry(case: &Case) -> String {
    let said = said::shorten(&case.stderr);
    let mend: Vec<_> = case.mend.iter().map(|hunk| hunk.diff.as_str()).collect();
    format!(
        "\n## {}\n\n```text\n{said}\n```\n\n```diff\n{}\n```\n",
        case.title,
        mend.join("\n\n")
    )
}

/// Converts a heading to the anchor that rustdoc and GitHub give it.
pub(crate) fn anchor(heading: &str) -> String {
    let kept = heading
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}
