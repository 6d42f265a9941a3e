//! Lines and groups of captured servers.

use super::*;
use std::fs;

fn described(names: &[&str], of: impl Fn(&[NamedTool<'_>]) -> Option<String>) -> String {
    let tools: Vec<_> = names
        .iter()
        .map(|name| NamedTool { name, summary: "" })
        .collect();
    of(&tools).unwrap_or_default()
}

/// Returns the names and summaries of the tools of a captured server.
fn captured(file: &str) -> Vec<(String, String)> {
    let path = format!("{}/../tests/data/{file}", env!("CARGO_MANIFEST_DIR"));
    let listed: Vec<rmcp::model::Tool> =
        serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let text = |tool: rmcp::model::Tool| {
        let summary = tool.description.unwrap_or_default();
        (tool.name.to_string(), summary.chars().take(60).collect())
    };
    listed.into_iter().map(text).collect()
}

fn named(tools: &[(String, String)]) -> Vec<NamedTool<'_>> {
    tools
        .iter()
        .map(|(name, summary)| NamedTool { name, summary })
        .collect()
}

#[test]
fn few_tools_are_described_by_their_summaries() {
    let tools = [
        NamedTool {
            name: "get_time",
            summary: "Get the time of a zone",
        },
        NamedTool {
            name: "convert_time",
            summary: "Convert a time",
        },
    ];
    assert_eq!(
        line(&tools).as_deref(),
        Some("Get the time of a zone; Convert a time")
    );
    assert_eq!(line(&[]), None);
}

#[test]
fn names_that_fit_are_a_line() {
    let git = [
        "git_status",
        "git_diff_staged",
        "git_commit",
        "git_create_branch",
    ];
    assert_eq!(
        described(&git, line),
        "Status, diff staged, commit, create branch"
    );
    let gists = ["create_gist", "get_gist", "list_gists", "updateGist"];
    assert_eq!(
        described(&gists, line),
        "Create, get, list and update gists"
    );
    let disks = [
        "compute_disk_create",
        "compute_disk_get",
        "compute_disk_delete",
    ];
    assert_eq!(described(&disks, line), "Create, get, delete");
}

#[test]
fn lines_of_all_servers_are_short_and_say_something() {
    for file in [
        "github",
        "grafana",
        "mcp-git",
        "notion",
        "playwright",
        "chrome-devtools",
    ] {
        let tools = captured(&format!("{file}.json"));
        let line = line(&named(&tools)).unwrap();
        assert!(line.chars().count() <= LINE_MAX, "{file}: {line}");
        assert!(line.split([',', ' ']).count() > 5, "{file}: {line}");
    }
}

#[test]
fn each_tool_is_in_one_group() {
    for file in ["github", "grafana", "playwright"] {
        let tools = captured(&format!("{file}.json"));
        let groups = groups(&named(&tools));
        assert!((5..=20).contains(&groups.len()), "{file}: {groups:?}");
        let mut places: Vec<usize> = groups.iter().flat_map(SubjectGroup::all_tools).collect();
        places.sort_unstable();
        assert!(places.iter().copied().eq(0..tools.len()), "{file}");
        for group in &groups {
            let is_valid = |letter: u8| letter.is_ascii_alphanumeric() || letter == b'-';
            assert!(group.name.bytes().all(is_valid), "{group:?}");
        }
    }
}

/// A client keeps paths, so a tool more or less must not rename or move what was there.
#[test]
fn a_further_tool_moves_few_others() {
    let mut tools = captured("github.json");
    let group_of = |tools: &[(String, String)]| -> HashMap<String, String> {
        let groups = groups(&named(tools));
        let places = groups.iter().flat_map(|group| {
            let places = group.all_tools().into_iter();
            places.map(|place| (tools[place].0.clone(), group.name.clone()))
        });
        places.collect()
    };
    let before = group_of(&tools);
    assert_eq!(before, group_of(&tools), "the same tools");
    let summary = "Pins an issue to its repository".to_owned();
    tools.insert(3, ("pin_issue".to_owned(), summary));
    let after = group_of(&tools);
    assert_eq!(after["pin_issue"], "issues");
    let moved = before
        .iter()
        .filter(|(tool, group)| after[*tool] != **group);
    assert!(moved.count() <= 3);
}

#[test]
fn names_without_shared_objects_give_no_groups() {
    let names: Vec<String> = (0..40).map(|number| format!("able{number}style")).collect();
    let tools: Vec<_> = names
        .iter()
        .map(|name| NamedTool { name, summary: "" })
        .collect();
    assert_eq!(groups(&tools), []);
    assert!(line(&tools).is_some_and(|line| line.ends_with(" and more")));
}

/// A registry refuses groups that nest more than eight deep, so a server must not be able to ask
/// for them.
#[test]
fn names_of_many_words_nest_one_level() {
    let mut names = Vec::new();
    for depth in 0..12 {
        let beginning: Vec<String> = (0..depth).map(|word| format!("part{word}")).collect();
        for branch in ["red", "green", "blue"] {
            for tool in 0..3 {
                names.push(format!("{}_{branch}{depth}_{tool}", beginning.join("_")));
            }
        }
    }
    let tools: Vec<_> = names
        .iter()
        .map(|name| NamedTool { name, summary: "" })
        .collect();
    let groups = groups(&tools);
    let below = groups.iter().flat_map(|group| &group.groups);
    assert!(below.clone().count() > 0, "{groups:?}");
    assert!(below.into_iter().all(|group| group.groups.is_empty()));
    let mut places: Vec<usize> = groups.iter().flat_map(SubjectGroup::all_tools).collect();
    places.sort_unstable();
    assert!(places.iter().copied().eq(0..tools.len()));
}
