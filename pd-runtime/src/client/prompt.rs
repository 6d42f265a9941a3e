//! The system prompt: the workflow in the implementation guide's words, and of it only what these servers need.

use super::{names, server::Server};
use std::fmt::Write as _;

/// The most characters of a summary.
const SUMMARY_MAX: usize = 300;

const WORKFLOW: &str = "IMPORTANT - Tool Usage Workflow:
These tools use progressive disclosure. Follow this exact workflow:
1. PICK the right tool by its short description; it tells you WHAT the tool does.
2. FETCH its full description: call DESCRIBE with the tool's name: {\"names\": [\"TOOL_NAME\"]}
   Several at once: {\"names\": [\"TOOL_ONE\", \"TOOL_TWO\"]}
3. CALL the tool with the parameters you just learned.

DO NOT call DESCRIBE without tool names, nor for every tool; the short descriptions are sufficient for choosing.
You fetch the full description to learn the parameters and to authorize the tool. Describe each tool once.
";

/// The prompt for these servers; empty where all their tools are listed in full.
pub(super) fn prompt(servers: &[Server], describe: &str) -> String {
    let mut text = String::new();
    for server in servers {
        list(server, &mut text);
    }
    if !text.is_empty() {
        text.insert_str(0, "You have access to these tools:\n");
    }
    for server in servers {
        find(server, &mut text);
    }
    if !text.is_empty() {
        text.push('\n');
        text.push_str(&WORKFLOW.replace("DESCRIBE", describe));
    }
    text
}

/// The tools that the model sees here alone.
fn list(server: &Server, text: &mut String) {
    for tool in server.listed().summaries() {
        let name = names::shown(server.name.as_deref(), &tool.name, |_| false);
        let summary = tool.description.as_deref().unwrap_or("No description");
        _ = writeln!(text, "  - {name}: {}", line(summary));
    }
}

/// How to come by tools that are in no list.
fn find(server: &Server, text: &mut String) {
    let listed = server.listed();
    let finding: Vec<_> =
        listed.offer.finding.iter().map(|name| names::shown(server.name.as_deref(), name, |_| false)).collect();
    if !finding.is_empty() {
        _ = writeln!(text, "More tools exist than are listed. Find them with {}.", finding.join(" or "));
    }
    if let Some(name) = server.name.as_deref().filter(|_| !finding.is_empty()) {
        _ = writeln!(text, "What they call NAME is called {} here.", names::shown(Some(name), "NAME", |_| false));
    }
    if !listed.offer.groups.is_empty() {
        text.push_str("Groups of more tools, to be fetched by the group's name:\n");
    }
    for group in &listed.offer.groups {
        _ = writeln!(
            text,
            "  - {}: {}",
            names::shown(server.name.as_deref(), &group.name, |_| false),
            line(&group.about)
        );
    }
}

/// A text of a server's on one line, which is short.
fn line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(SUMMARY_MAX).collect()
}
