//! Tests of the lints: the texts that they report, and those that they ignore.

use super::LintWarning;
use crate::{Bundle, Group, IntoOutput, Registry, Tool, check::Lint, tool::ToolAnnotations};
use futures::FutureExt;
use serde_json::{Value, json};

/// A tool without warnings: each test adds one cause.
fn tool(name: &'static str, summary: &'static str) -> Tool<()> {
    Tool::new(name, summary, |(), _, _| async { ().into_output() }.boxed()).with_annotations(
        ToolAnnotations {
            read_only: Some(true),
            ..ToolAnnotations::default()
        },
    )
}

fn taking(tool: Tool<()>, names: &[&str]) -> Tool<()> {
    let about = |name: &&str| {
        (
            (*name).to_owned(),
            json!({ "type": "string", "description": format!("Which {name} is meant.") }),
        )
    };
    let properties: Value = names
        .iter()
        .map(about)
        .collect::<serde_json::Map<_, _>>()
        .into();
    tool.input_schema(json!({ "type": "object", "properties": properties }))
        .guidance("Use it.")
}

fn found(tool: Tool<()>) -> Vec<Lint> {
    lints(
        &Registry::builder()
            .group(Group::new("file-history", "Files' pasts").tool(tool))
            .freeze()
            .lint(),
    )
}

fn lints(remarks: &[LintWarning]) -> Vec<Lint> {
    remarks.iter().map(|remark| remark.lint).collect()
}

fn words(tool: Tool<()>) -> String {
    Registry::builder()
        .tool(tool)
        .freeze()
        .lint()
        .iter()
        .map(|remark| remark.message.as_str())
        .collect()
}

#[test]
fn a_summary_begins_with_its_verb() {
    for (summary, better) in [
        ("This tool lists commits", "Lists commits"),
        ("this function will list commits", "List commits"),
        ("This tool can list commits", "List commits"),
        ("A tool that lists commits", "Lists commits"),
        ("The tool for commits", "Commits"),
        ("Tool to list commits", "List commits"),
        ("Use this tool to list commits", "List commits"),
        ("This tool allows you to list commits", "List commits"),
        ("Lets you list commits", "List commits"),
        ("Used to list commits", "List commits"),
    ] {
        let summary_of = words(tool("log", summary));
        assert!(
            summary_of.ends_with(&format!("begin with the verb: \"{better}\"")),
            "{summary}: {summary_of}"
        );
    }
    for fine in [
        "Tool use by day",
        "This week's commits",
        "Allow a user",
        "A function's callers",
        "This tool",
    ] {
        assert_eq!(found(tool("log", fine)), [], "{fine}");
    }
}

#[test]
fn a_summary_ends_without_a_full_stop() {
    assert_eq!(found(tool("log", "List commits.")), [Lint::SummaryFullStop]);
    for fine in [
        "List commits",
        "List commits, tags, etc.",
        "List commits...",
        "Say what this is e.g.",
    ] {
        assert_eq!(found(tool("log", fine)), [], "{fine}");
    }
}

#[test]
fn a_summary_is_no_list_of_arguments() {
    let arguments = ["path", "limit", "file_format", "author"];
    for listing in [
        "path, limit, file format",
        "Takes a path and the limit",
        "Search by path, author, file_format",
    ] {
        assert_eq!(
            found(taking(tool("log", listing), &arguments)),
            [Lint::SummaryListsArguments],
            "{listing}"
        );
    }
    for fine in [
        "Takes a path",
        "Find commits by path, author or limit",
        "Convert path to author",
        "List commits",
    ] {
        assert_eq!(found(taking(tool("log", fine), &arguments)), [], "{fine}");
    }
}

#[test]
fn a_summary_does_not_repeat_its_group() {
    for repeated in [
        "File history: list commits",
        "[File-History] List commits",
        "File history - list commits",
        "List file history of the file history",
        "List file-history entries in file history",
    ] {
        assert_eq!(
            found(tool("log", repeated)),
            [Lint::SummaryRepeatsGroup],
            "{repeated}"
        );
    }
    for fine in [
        "Search the file history",
        "List commits of the file history",
        "History: list commits",
        "Copy a file history into another file history",
    ] {
        assert_eq!(found(tool("log", fine)), [], "{fine}");
    }
}

#[test]
fn the_groups_around_count_too() {
    let inner = Group::new("compare", "Compare").tool(tool("diff", "Trees: compare two"));
    let registry = Registry::builder()
        .group(Group::new("trees", "Trees").group(inner))
        .freeze();
    assert_eq!(lints(&registry.lint()), [Lint::SummaryRepeatsGroup]);
}

#[test]
fn two_tools_have_two_summaries() {
    let registry = Registry::builder()
        .tool(tool("a", "List commits"))
        .tool(tool("b", "List  commits!"))
        .freeze();
    let remarks = registry.lint();
    assert_eq!(lints(&remarks), [Lint::SameSummary]);
    assert!(
        remarks
            .iter()
            .all(|remark| remark.tool == "b" && remark.message.contains("`a`")),
        "{remarks:?}"
    );
}

#[test]
fn one_declaration_served_twice_may_have_one_summary() {
    use pd_runtime::prelude::*;
    #[pd_tool(summary = "List things", read_only)]
    fn list() {}
    let once = || -> Registry<()> {
        pd_runtime::registry! { list }
    };
    let twice = once()
        .with_prefix("book_")
        .merge(once().with_prefix("film_"));
    assert_eq!(twice.map(|registry| registry.lint()), Ok(Vec::new()));
}

#[test]
fn a_required_argument_is_described() {
    let schema = json!({
        "type": "object",
        "properties": {
            "path": { "type": "string" },
            "id": { "type": "string", "description": " " },
            "limit": { "type": "integer" },
            "tree": { "$ref": "#/$defs/Tree" },
        },
        "required": ["path", "id", "tree"],
        "$defs": { "Tree": { "type": "string", "description": "A tree." } },
    });
    let words = words(
        tool("log", "List commits")
            .guidance("Use it.")
            .input_schema(schema),
    );
    assert_eq!(
        words,
        "its required arguments `path`, `id` have no description; write `/// …` above, or on the type"
    );
}

#[test]
fn an_argument_is_not_described_by_its_name() {
    let schema = |text: &str| json!({ "type": "object", "properties": { "file_path": { "type": "string", "description": text } } });
    let tool = || tool("log", "List commits").guidance("Use it.");
    for repeated in ["The file path.", "file_path", "Its file-path"] {
        assert_eq!(
            found(tool().input_schema(schema(repeated))),
            [Lint::ArgumentRepeatsName],
            "{repeated}"
        );
    }
    let listed = json!({ "type": "object", "properties": { "method": { "type": "string", "description": "The method.", "enum": ["GET"] } } });
    assert_eq!(found(tool().input_schema(listed)), []);
    for fine in ["The path of a file.", "The file path, from the root."] {
        assert_eq!(found(tool().input_schema(schema(fine))), [], "{fine}");
    }
}

#[test]
fn a_tool_says_how_it_is_used() {
    let schema = json!({ "type": "object", "properties": { "limit": { "type": "integer" } } });
    let taking = || tool("log", "List commits").input_schema(schema.clone());
    assert_eq!(found(taking()), [Lint::NoUsage]);
    assert_eq!(found(taking().guidance("Use it.")), []);
    assert_eq!(found(taking().note("Mind it.")), []);
    assert_eq!(found(taking().example("", json!({}))), []);
    assert_eq!(found(tool("log", "List commits")), []);
}

#[test]
fn a_tool_that_reads_says_so() {
    let unhinted = |summary| tool("log", summary).with_annotations(ToolAnnotations::default());
    for reading in [
        "Show a commit",
        "Get a commit",
        "Look up a commit",
        "Describe a commit",
    ] {
        assert_eq!(found(unhinted(reading)), [Lint::UnhintedRead], "{reading}");
    }
    assert_eq!(found(unhinted("Look around")), []);
    assert_eq!(found(unhinted("Show a commit and mark it")), []);
    assert_eq!(found(unhinted("Write a commit")), []);
    assert_eq!(
        found(unhinted("Show a commit").with_annotations(ToolAnnotations {
            read_only: Some(false),
            ..ToolAnnotations::default()
        })),
        []
    );
}

#[test]
fn a_tool_that_writes_is_not_read_only() {
    for writing in [
        "Delete branches",
        "Send a mail",
        "Set the title",
        "Update an issue",
    ] {
        assert_eq!(
            found(tool("log", writing)),
            [Lint::ReadOnlyWrites],
            "{writing}"
        );
        assert_eq!(
            found(tool("log", writing).with_annotations(ToolAnnotations::default())),
            [],
            "{writing}"
        );
    }
    for fine in [
        "Update history",
        "Set difference",
        "Add two numbers",
        "Deleted branches",
        "Preview a mail",
    ] {
        assert_eq!(found(tool("log", fine)), [], "{fine}");
    }
}

#[test]
fn a_lint_is_silenced_where_it_is_wrong() {
    use pd_runtime::prelude::*;
    #[pd_tool(
        summary = "This tool adds.",
        allow(summary_filler, no_usage, undocumented_argument)
    )]
    fn add(number: u8) {
        let _ = number;
    }
    let registry: Registry<()> = pd_runtime::registry! { add };
    assert_eq!(lints(&registry.lint()), [Lint::SummaryFullStop]);
    assert_eq!(
        found(tool("log", "List commits.").allow(Lint::SummaryFullStop)),
        []
    );
}

#[test]
fn a_remark_says_where_and_how_it_is_called() {
    let remarks = Registry::builder()
        .tool(tool("log", "List commits.").origin("log.rs:7"))
        .freeze()
        .lint();
    let text: String = remarks.iter().map(ToString::to_string).collect();
    assert_eq!(
        text,
        "tool `log` (log.rs:7): its summary ends with a full stop; write \"List commits\" [summary_full_stop]"
    );
}

/// Returns the warnings about a registry, as `place: lint` texts.
fn remarked(registry: &Registry<()>, lint: Lint) -> Vec<String> {
    let remarks = registry
        .lint()
        .into_iter()
        .filter(|remark| remark.lint == lint);
    remarks
        .map(|remark| format!("{}|{}", remark.tool, remark.message))
        .collect()
}

#[test]
fn a_text_names_no_tool_to_callers_who_may_not_know_of_it() {
    let lint = Lint::NamesScopedTool;
    let secret = || {
        tool("drop_all", "Drop all")
            .scope("admin")
            .with_annotations(ToolAnnotations::default())
    };
    let with = |other: Tool<()>| Registry::builder().tool(secret()).tool(other).freeze();
    let words =
        "is read by callers without its scope `admin`, who must not know of it; leave the name out";
    let text = "Then call drop_all.";
    for (spoiled, place) in [
        (tool("log", "List, as drop_all"), "summary"),
        (tool("log", "List").description(text), "description"),
        (tool("log", "List").title(text), "title"),
        (tool("log", "List").guidance(text), "guidance"),
        (tool("log", "List").note(text), "notes"),
        (tool("log", "List").error(crate::tool::ErrorHelp::new("NOPE", "", text)), "error help"),
        (tool("log", "List").example(text, json!({})), "examples"),
        (
            tool("log", "List")
                .input_schema(json!({ "type": "object", "properties": { "a": { "anyOf": [{ "title": text }] } } })),
            "input schema",
        ),
        (tool("log", "List").output_schema(json!({ "type": "object", "description": text })), "output schema"),
    ] {
        assert_eq!(remarked(&with(spoiled), lint), [format!("log|`drop_all` in its {place} {words}")], "{place}");
    }
    let twice = with(tool("log", "List").description(text).note(text));
    assert_eq!(remarked(&twice, lint).len(), 1, "one remark is enough");
}

#[test]
fn a_text_may_name_tools_that_all_its_readers_see() {
    let lint = Lint::NamesScopedTool;
    let tools = |log: Tool<()>| {
        let list = tool("list", "List").scope("read");
        Registry::builder()
            .tool(tool("drop_all", "Drop").scope("admin").scope("write"))
            .tool(list)
            .tool(log)
            .freeze()
    };
    let named = || tool("log", "Log").description("Use drop_all.");
    assert_eq!(
        remarked(
            &tools(named().scope("write").scope("admin").scope("more")),
            lint
        ),
        [""; 0]
    );
    assert_eq!(
        remarked(&tools(named().scope("admin")), lint).len(),
        1,
        "one of two scopes is not enough"
    );
    for fine in [
        "List what there is, and drop all.",
        "drop_all_of_it, a_drop_all, xdrop_all",
        "To list is fine.",
    ] {
        assert_eq!(
            remarked(&tools(tool("log", "Log").description(fine)), lint),
            [""; 0],
            "{fine}"
        );
    }
    assert_eq!(
        remarked(
            &tools(tool("log", "Log").description("First `list`, then…")),
            lint
        )
        .len(),
        1
    );
    assert_eq!(remarked(&tools(named().allow(lint)), lint), [""; 0]);
    let allowed = Registry::builder()
        .tool(tool("drop_all", "Drop").scope("admin").allow(lint))
        .tool(named())
        .freeze();
    assert_eq!(
        remarked(&allowed, lint),
        [""; 0],
        "the named tool allows it"
    );
    assert_eq!(
        remarked(
            &Registry::builder()
                .tool(tool("drop_all", "Drop drop_all").scope("admin"))
                .freeze(),
            lint
        ),
        [""; 0]
    );
}

#[test]
fn texts_beside_the_tools_name_none_to_strangers() {
    let lint = Lint::NamesScopedTool;
    let secret = || tool("drop_all", "Drop").scope("admin");
    let text = "Begin with drop_all.";
    let places = |registry: Registry<()>| {
        let remarks = remarked(&registry, lint).into_iter();
        let place = |remark: String| {
            remark
                .split(" in ")
                .nth(1)?
                .split(" is ")
                .next()
                .map(str::to_owned)
        };
        remarks.filter_map(place).collect::<Vec<_>>()
    };
    let inner = Group::new("deep", text)
        .tool(secret())
        .tool(tool("log", "Log"));
    let registry = Registry::builder()
        .instructions(text)
        .group(Group::new("all", text).instructions(text).group(inner))
        .group(
            Group::new("admins", text)
                .instructions(text)
                .member("drop_all"),
        )
        .bundle(crate::Bundle::new("both", text).tools(["drop_all", "log"]))
        .bundle(crate::Bundle::new("secret", text).tools(["drop_all"]))
        .freeze();
    let expected = [
        "the server's instructions",
        "the summary of group `/all`",
        "the instructions of group `/all`",
        "the summary of group `/all/deep`",
        "the summary of bundle `both`",
    ];
    assert_eq!(places(registry), expected);
    let silent = Registry::builder()
        .instructions(text)
        .tool(secret())
        .freeze()
        .allow(lint);
    assert_eq!(places(silent), [""; 0]);
}

#[test]
fn texts_name_no_path_or_host_of_one_machine() {
    let spoiled = tool("log", "Log").note("Kept in /home/ada/log, by db.prod.internal.");
    assert_eq!(found(spoiled), [Lint::InternalPath, Lint::InternalHost]);
    assert_eq!(
        found(
            tool("log", "Log")
                .note("/home/ada")
                .allow(Lint::InternalPath)
        ),
        []
    );
    assert_eq!(
        found(tool("log", "Log").example("", json!({ "path": "/home/ada/x", "host": "10.0.0.7" }))),
        []
    );
    let registry = || {
        Registry::<()>::builder()
            .instructions("Ask http://localhost:8080 first.")
            .freeze()
    };
    let told = "|`http://localhost:8080` in the server's instructions is a host that callers elsewhere cannot reach and need \
                not know; leave it out";
    assert_eq!(remarked(&registry(), Lint::InternalHost), [told]);
    assert_eq!(registry().allow(Lint::InternalHost).lint(), []);
    let remark = registry().lint().remove(0).to_string();
    assert!(
        remark.starts_with("`http://localhost:8080` in the server's")
            && remark.ends_with("[internal_host]"),
        "{remark}"
    );
}

#[test]
fn a_skill_over_5_000_tokens_is_long() {
    let log = || tool("log", "Show commits");
    let words = |count: usize| "word ".repeat(count);
    let remarks = |count: usize| {
        let group = Group::new("history", "Read history")
            .instructions(words(count))
            .tool(log());
        let bundle = Bundle::new("who", "Find who")
            .instructions(words(count))
            .tool("log");
        Registry::builder()
            .group(group)
            .bundle(bundle)
            .freeze()
            .lint()
    };
    assert_eq!(remarks(3_000), []);
    let told: Vec<String> = remarks(8_000).iter().map(ToString::to_string).collect();
    let beginnings = [
        "group `history`: its `SKILL.md` costs about ",
        "bundle `who`: its `SKILL.md` costs about ",
    ];
    assert_eq!(told.len(), 2, "{told:?}");
    for (text, beginning) in told.iter().zip(beginnings) {
        assert!(
            text.starts_with(beginning) && text.ends_with("[long_skill]"),
            "{text}"
        );
    }
    let unserved = Group::new("plain", words(8_000)).tool(log());
    assert_eq!(
        Registry::builder().group(unserved).freeze().lint(),
        [],
        "a group without instructions is not a skill"
    );
}

#[test]
fn a_name_leaves_room_for_the_prefix_of_a_host() {
    let name = |length: usize| -> &'static str { "n".repeat(length).leak() };
    assert_eq!(found(tool(name(41), "List commits")), [Lint::LongName]);
    assert_eq!(
        found(tool(name(41), "List commits").allow(Lint::LongName)),
        []
    );
    assert_eq!(found(tool(name(40), "List commits")), []);
}

#[test]
fn a_schema_that_providers_refuse_is_reported_with_its_reasons() {
    let with = |schema: Value| {
        tool("log", "List commits")
            .input_schema(schema)
            .guidance("Use it.")
    };
    for (schema, reason) in [
        (
            json!({ "type": "object", "properties": { "a": { "description": "Any." } } }),
            "`/a` has no `type`",
        ),
        (
            json!({ "type": "object", "properties": { "a b": { "type": "null" } } }),
            "`/a b`: names of properties have 1 to 64",
        ),
        (
            json!({ "type": "object", "anyOf": [{ "required": ["a"] }] }),
            "`anyOf` is at the root",
        ),
    ] {
        assert_eq!(
            found(with(schema.clone())),
            [Lint::RefusedSchema],
            "{schema}"
        );
        assert_eq!(
            found(with(schema.clone()).allow(Lint::RefusedSchema)),
            [],
            "{schema}"
        );
        assert!(words(with(schema.clone())).contains(reason), "{schema}");
    }
}
