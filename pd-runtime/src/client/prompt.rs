//! The system prompt: the workflow in the wording of the implementation guide, reduced to the parts
//! that these servers need.

use super::{
    names::{self, DESCRIBE, ToolNames},
    server::ConnectedServer,
};
use crate::text::{invisible::without_invisible, truncate::first_chars};
use std::fmt::Write as _;

/// The largest number of characters in a summary.
const SUMMARY_MAX: usize = 300;
/// The largest number of bytes in the lists of all servers, about 50,000 tokens. Each server has an
/// equal part of it for its tools, and the same for its groups.
const LISTS_MAX: usize = 200_000;

const WORKFLOW: &str = "IMPORTANT - Tool Usage Workflow:
These tools use progressive disclosure. Follow this exact workflow:
1. PICK the right tool by its short description; it tells you WHAT the tool does.
2. FETCH its full description: call DESCRIBE with the tool's name: {\"names\": [\"TOOL_NAME\"]}
   Several at once: {\"names\": [\"TOOL_ONE\", \"TOOL_TWO\"]}
3. CALL the tool with the parameters you just learned.

DO NOT call DESCRIBE without tool names, nor for every tool; the short descriptions are sufficient for choosing.
You fetch the full description to learn the parameters and to authorize the tool. Describe each tool once.
";

/// Renders the prompt for these servers with the names of a conversation. It is empty if all their
/// tools are listed in full.
pub(super) fn render(servers: &[ConnectedServer], names: &ToolNames) -> String {
    // A client may have no servers.
    let room = LISTS_MAX / servers.len().max(1);
    let mut text = String::new();
    for (server_index, server) in servers.iter().enumerate() {
        let tool_list = server.tool_list();
        let about = |tool: &rmcp::model::Tool| {
            tool.description
                .as_deref()
                .unwrap_or("No description")
                .to_owned()
        };
        let tools = tool_list
            .summaries()
            .filter_map(|tool| Some((names.shown_name(server_index, &tool.name)?, about(tool))));
        render_lines(tools, room, &mut text);
    }
    if !text.is_empty() {
        // The heading is needed only if a list exists, and that is known only here.
        text.insert_str(0, "You have access to these tools:\n");
    }
    for (server_index, server) in servers.iter().enumerate() {
        render_unlisted(server_index, server, names, room, &mut text);
    }
    if !text.is_empty() {
        text.push('\n');
        text.push_str(&WORKFLOW.replace("DESCRIBE", DESCRIBE));
    }
    text
}

/// Renders as many lines as fit, and the number of lines that were left out.
fn render_lines<'a>(
    lines: impl Iterator<Item = (&'a str, String)>,
    room: usize,
    text: &mut String,
) {
    let end = text.len() + room;
    let mut left_out = 0_usize;
    for (name, about) in lines {
        let rendered = format!("  - {name}: {}\n", single_line(&about));
        // After the first line that does not fit, none is added. Otherwise long summaries would be
        // left out and later short ones would not, and the model could not tell where the list
        // ends.
        match left_out == 0 && text.len() + rendered.len() <= end {
            true => text.push_str(&rendered),
            false => left_out += 1,
        }
    }
    if left_out > 0 {
        _ = writeln!(
            text,
            "  ({left_out} more are left out here; what you know by name can be described all the same)"
        );
    }
}

/// Renders how the model finds tools that are in no list.
fn render_unlisted(
    server_index: usize,
    server: &ConnectedServer,
    names: &ToolNames,
    room: usize,
    text: &mut String,
) {
    let tool_list = server.tool_list();
    let search_tools: Vec<&str> = tool_list
        .features
        .search_tools
        .iter()
        .filter_map(|name| names.shown_name(server_index, name))
        .collect();
    if !search_tools.is_empty() {
        _ = writeln!(
            text,
            "More tools exist than are listed. Find them with {}.",
            search_tools.join(" or ")
        );
    }
    // Search results contain the server's own names, without the prefix that this client adds.
    if let Some(name) = server.name.as_deref().filter(|_| !search_tools.is_empty()) {
        _ = writeln!(
            text,
            "What they call NAME is called {} here.",
            names::prefixed(name, "NAME")
        );
    }
    if !tool_list.features.groups.is_empty() {
        text.push_str("Groups of more tools, to be fetched by the group's name:\n");
    }
    let groups = tool_list.features.groups.iter();
    render_lines(
        groups.filter_map(|group| {
            Some((
                names.shown_name(server_index, &group.name)?,
                group.about.clone(),
            ))
        }),
        room,
        text,
    );
}

/// Renders a server's text on one line, cut to [`SUMMARY_MAX`] characters, without control and
/// invisible characters.
fn single_line(text: &str) -> String {
    // A server controls this text. A line break in it could imitate lines of the prompt.
    let text: String = text
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect();
    let line = without_invisible(&text)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    first_chars(&line, SUMMARY_MAX).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_holds_nothing_unseen() {
        let tagged: String = "hi"
            .chars()
            .filter_map(|letter| char::from_u32(0xE_0000 + u32::from(letter)))
            .collect();
        let text = format!(
            "Send\u{1b}[31m\u{7}\r\n  \u{202e}liam\u{2066}{tagged}\u{200b} now\u{85}\u{2028}!"
        );
        assert_eq!(single_line(&text), "Send [31m liam now !");
        assert_eq!(
            single_line(
                "pay\u{fe0f}\u{e0141} \u{3164}\u{2800} \u{115f}\u{34f}\u{17b4}\u{180e}\u{ffa0} Ada"
            ),
            "pay Ada"
        );
        assert_eq!(single_line(&"x".repeat(1_000)).len(), SUMMARY_MAX);
    }

    #[test]
    fn a_list_ends_where_there_is_no_more_room() {
        let lines = || std::iter::repeat_n(("name", "about".repeat(10)), 10);
        let mut text = String::new();
        render_lines(lines(), 200, &mut text);
        assert_eq!(text.lines().count(), 4, "{text}");
        assert!(text.ends_with(
            "  (7 more are left out here; what you know by name can be described all the same)\n"
        ));
        text.clear();
        render_lines(lines(), 10_000, &mut text);
        assert_eq!(text.lines().count(), 10);
    }
}
