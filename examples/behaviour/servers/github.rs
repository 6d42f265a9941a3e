//! Sixteen of GitHub's tools as they were captured, in three groups. Their arguments are checked
//! against the captured schemas. Their answers are recorded texts, in which `{owner}` stands for the
//! argument `owner`.

use super::super::Failure;
use futures::{FutureExt, future::ready};
use pd_runtime::{Group, IntoOutput, Json, Registry, Tool, tool::ToolResult};
use rmcp::model::{self, JsonObject};
use serde_json::Value;
use std::collections::BTreeMap;

const CAPTURED: &str = include_str!("../../../tests/data/github.json");
const ANSWERS: &str = include_str!("github_answers.json");

const GROUPS: [(&str, &str, &[&str]); 3] = [
    (
        "issues",
        "Read, open, label and comment on issues",
        &[
            "create_issue",
            "list_issues",
            "issue_read",
            "add_issue_comment",
            "update_issue_labels",
            "search_issues",
        ],
    ),
    (
        "pull-requests",
        "List, open, review and merge pull requests",
        &[
            "create_pull_request",
            "list_pull_requests",
            "merge_pull_request",
            "request_pull_request_reviewers",
        ],
    ),
    (
        "repositories",
        "Read files, branches, commits, releases and code",
        &[
            "create_branch",
            "list_branches",
            "get_file_contents",
            "list_commits",
            "get_latest_release",
            "search_code",
        ],
    ),
];

/// The registry of the captured tools.
///
/// # Errors
///
/// A captured tool or its answer is missing, or breaks a rule of the registry.
pub(crate) fn registry() -> Result<Registry<()>, Failure> {
    let captured: Vec<model::Tool> = serde_json::from_str(CAPTURED)?;
    let mut captured: BTreeMap<_, _> = captured
        .into_iter()
        .map(|tool| (tool.name.to_string(), tool))
        .collect();
    let mut answers: BTreeMap<String, Value> = serde_json::from_str(ANSWERS)?;
    let mut builder = Registry::builder()
        .name("github")
        .version("1")
        .instructions("Repositories on GitHub.");
    for (name, summary, tools) in GROUPS {
        let mut group = Group::new(name, summary);
        for tool in tools {
            let definition = captured
                .remove(*tool)
                .ok_or_else(|| format!("no captured tool `{tool}`"))?;
            let answer = answers
                .remove(*tool)
                .ok_or_else(|| format!("no recorded answer of `{tool}`"))?;
            group = group.tool(recorded(definition, answer));
        }
        builder = builder.group(group);
    }
    Ok(builder.build()?)
}

fn recorded(definition: model::Tool, answer: Value) -> Tool<()> {
    let origin = format!("captured tool {}", definition.name);
    Tool::from_definition(definition, move |(), _, arguments| {
        ready(reply(&answer, &arguments)).boxed()
    })
    .origin(origin)
}

fn reply(answer: &Value, arguments: &JsonObject) -> ToolResult {
    Json(filled(answer, arguments)).into_output()
}

/// The recorded answer with the arguments of this call. A member for an argument that the call left
/// out is left out, too.
fn filled(answer: &Value, arguments: &JsonObject) -> Value {
    match answer {
        Value::String(text) => Value::String(filled_text(text, arguments)),
        Value::Array(items) => items.iter().map(|item| filled(item, arguments)).collect(),
        Value::Object(members) => {
            let filled = members
                .iter()
                .map(|(name, member)| (name.clone(), filled(member, arguments)));
            filled
                .filter(|(_, member)| !is_placeholder(member))
                .collect()
        }
        other => other.clone(),
    }
}

fn filled_text(text: &str, arguments: &JsonObject) -> String {
    arguments
        .iter()
        .fold(text.to_owned(), |text, (name, value)| {
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            text.replace(&format!("{{{name}}}"), &value)
        })
}

fn is_placeholder(member: &Value) -> bool {
    member
        .as_str()
        .is_some_and(|text| text.starts_with('{') && text.ends_with('}'))
}

#[test]
fn answers_repeat_what_was_asked_for() {
    let answer = serde_json::json!({ "url": "github.com/{owner}/{repo}", "numbers": [7, "{number}"], "body": "{body}" });
    let arguments =
        model::object(serde_json::json!({ "owner": "octo", "repo": "demo", "number": 12 }));
    let expected = serde_json::json!({ "url": "github.com/octo/demo", "numbers": [7, "12"] });
    assert_eq!(filled(&answer, &arguments), expected);
}
