//! Programs, where a server runs them: the tool that one is about, and one that a model wrote as a
//! block of code instead of a call.

use super::agent::{Call, Reply};
use rmcp::model::object;
use serde_json::{Value, json};

/// The tool that runs a program.
pub(crate) const RUN_CODE: &str = "run_code";
const FENCE: &str = "```";
/// Labels of blocks in which models write programs.
const LABELS: [&str; 2] = ["js", "javascript"];
/// Members of `tools` that call no tool.
const ABOUT_TOOLS: [&str; 2] = ["find", "describe"];

/// Returns a call of `run_code` with this program.
pub(crate) fn run(code: &str) -> Call {
    Call {
        id: String::new(),
        name: RUN_CODE.to_owned(),
        arguments: object(json!({ "code": code })),
    }
}

/// Returns the first tool that a program calls, by `tools.NAME(…)`, `tools.GROUP.NAME(…)` or
/// `tools.call("NAME", …)`.
pub(crate) fn first_tool(call: &Call) -> Option<&str> {
    let code = call.arguments.get("code").and_then(Value::as_str)?;
    code.match_indices("tools.")
        .find_map(|(place, start)| called(code.get(place + start.len()..)?))
}

/// Returns the tool of a call after `tools.`.
fn called(rest: &str) -> Option<&str> {
    let (path, arguments) = rest.split_once('(')?;
    let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-');
    match path.rsplit('.').next()?.trim() {
        "call" => arguments
            .trim_start()
            .get(1..)?
            .split(|letter| !is_name(letter))
            .next(),
        name if ABOUT_TOOLS.contains(&name) || !name.chars().all(is_name) => None,
        name => Some(name),
    }
}

/// Reads a block of JavaScript as a call of `run_code`, in a reply without another call.
pub(crate) fn read_block(reply: &mut Reply) {
    if !reply.calls.is_empty() || !reply.unreadable.is_empty() {
        return;
    }
    let block = reply.raw.split_once(FENCE).and_then(|(prose, block)| {
        let (label, code) = block.split_once('\n')?;
        let is_program = LABELS.contains(&label.trim().to_ascii_lowercase().as_str());
        is_program.then_some((prose, code.split_once(FENCE).map_or(code, |(code, _)| code)))
    });
    if let Some((prose, code)) = block {
        let (prose, call) = (prose.trim().to_owned(), run(code.trim()));
        reply.text = prose;
        reply.calls.push(call);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn a_program_is_about_the_first_tool_that_it_calls() {
        for (code, tool) in [
            ("return await tools.log({ limit: 3 })", Some("log")),
            (
                "const found = await tools.find('log');\nreturn tools.history.log({})",
                Some("log"),
            ),
            ("return await tools.call(\"log\", {})", Some("log")),
            ("await tools.describe('log')", None),
            ("return 1", None),
        ] {
            assert_eq!(first_tool(&run(code)), tool, "{code}");
        }
    }

    #[test]
    fn a_block_of_code_is_a_program_where_there_is_no_call() {
        let read = |raw: &str| {
            let mut reply = Reply {
                raw: raw.to_owned(),
                ..Reply::default()
            };
            read_block(&mut reply);
            reply
        };
        for raw in [
            "I will look.\n```js\nreturn 1\n```",
            "I will look.\n```JavaScript\nreturn 1",
        ] {
            let reply = read(raw);
            assert_eq!(
                (reply.text.as_str(), &reply.calls[0].arguments["code"]),
                ("I will look.", &json!("return 1"))
            );
        }
        for raw in ["```rust\nfn main() {}\n```", "return 1"] {
            assert!(read(raw).calls.is_empty(), "{raw}");
        }
        let mut other = Reply {
            raw: "```js\nreturn 1\n```".to_owned(),
            calls: vec![run("2")],
            ..Reply::default()
        };
        read_block(&mut other);
        assert_eq!(other.calls.len(), 1);
    }
}
