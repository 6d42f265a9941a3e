//! Tests of registries, their locks, and the text of a change of each fact.

use super::{ContractLock, LockError};
use crate::{
    IntoOutput, Registry, Tool,
    tool::{ErrorHelp, ToolAnnotations},
};
use futures::FutureExt;
use serde_json::{Value, json};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

fn tool(name: &'static str) -> Tool<()> {
    Tool::new(name, "List commits", |(), _, _| {
        async { ().into_output() }.boxed()
    })
}

fn lock(tools: impl IntoIterator<Item = Tool<()>>) -> ContractLock {
    let registry = Registry::builder().tools(tools).freeze();
    ContractLock {
        tools: registry
            .tools
            .iter()
            .map(|tool| super::ToolContract::from_tool(&tool.about))
            .collect(),
    }
}

/// Returns the changes of a tool from `before` to `now`; breaking changes with a `!`.
fn told(
    before: impl FnOnce(Tool<()>) -> Tool<()>,
    now: impl FnOnce(Tool<()>) -> Tool<()>,
) -> Vec<String> {
    let changes = lock([before(tool("log"))]).changes_to(&lock([now(tool("log"))]));
    changes
        .iter()
        .map(|change| {
            format!(
                "{}{}",
                if change.breaking { "! " } else { "" },
                change.description
            )
        })
        .collect()
}

fn same(tool: Tool<()>) -> Tool<()> {
    tool
}

fn takes(properties: Value) -> impl FnOnce(Tool<()>) -> Tool<()> {
    move |tool| {
        tool.input_schema(
            json!({"type": "object", "properties": properties, "additionalProperties": false}),
        )
    }
}

#[test]
fn texts_are_no_reason_to_break() {
    assert_eq!(told(same, same), [""; 0]);
    let described = |text: &'static str| move |tool: Tool<()>| tool.description(text);
    assert_eq!(
        told(described("A."), described("B.")),
        ["description: \"A.\" → \"B.\""]
    );
    assert_eq!(
        told(same, |tool| tool.title("Log")),
        ["title added: \"Log\""]
    );
    assert_eq!(
        told(|tool| tool.title("Log"), same),
        ["title removed: \"Log\""]
    );
    let summarised = |_| {
        Tool::new("log", "List all", |(), _, _| {
            async { ().into_output() }.boxed()
        })
    };
    assert_eq!(
        told(described("A."), |tool| described("A.")(summarised(tool))),
        ["summary: \"List commits\" → \"List all\""]
    );
}

#[test]
fn usage_is_told_item_by_item() {
    let used = |tool: Tool<()>| {
        tool.example("", json!({"a": 1}))
            .guidance("Use it.")
            .note("Mind it.")
            .alias("history")
    };
    let words = [
        "example added: {\"a\":1}",
        "guidance added: \"Use it.\"",
        "note added: \"Mind it.\"",
        "alias added: \"history\"",
    ];
    assert_eq!(told(same, used), words);
    assert_eq!(
        told(used, same),
        words.map(|words| words.replace("added", "removed"))
    );
    let ordered = |first: &'static str, second: &'static str| {
        move |tool: Tool<()>| tool.note(first).note(second)
    };
    assert_eq!(
        told(ordered("A.", "B."), ordered("B.", "A.")),
        ["`usage_guidance` is in another order"]
    );
}

#[test]
fn error_help_goes_by_its_code() {
    let help = |code: &'static str, mend: &'static str| {
        move |tool: Tool<()>| tool.error(ErrorHelp::new(code, "", mend))
    };
    assert_eq!(
        told(same, help("GONE", "Look.")),
        ["help for the error `GONE` added"]
    );
    assert_eq!(
        told(help("GONE", "Look."), help("GONE", "See.")),
        ["help for the error `GONE` changed"]
    );
    assert_eq!(
        told(help("GONE", "Look."), same),
        ["help for the error `GONE` removed"]
    );
}

#[test]
fn a_hint_breaks_who_relied_on_it() {
    let hints = |read_only, idempotent| {
        move |tool: Tool<()>| {
            tool.with_annotations(ToolAnnotations {
                read_only,
                idempotent,
                ..ToolAnnotations::default()
            })
        }
    };
    assert_eq!(
        told(hints(Some(true), None), same),
        ["! hint: no longer `readOnlyHint` true"]
    );
    assert_eq!(
        told(same, hints(Some(true), None)),
        ["hint: now `readOnlyHint` true"]
    );
    assert_eq!(
        told(same, hints(None, Some(false))),
        ["hint: now `idempotentHint` false"]
    );
    assert_eq!(
        told(hints(None, Some(true)), hints(None, Some(false))),
        ["! hint: `idempotentHint` true → `idempotentHint` false"]
    );
    let destructive = |tool: Tool<()>| {
        tool.with_annotations(ToolAnnotations {
            destructive: Some(false),
            ..ToolAnnotations::default()
        })
    };
    assert_eq!(
        told(destructive, same),
        ["! hint: no longer `destructiveHint` false"]
    );
}

#[test]
fn what_is_needed_to_call_breaks() {
    assert_eq!(
        told(same, |tool| tool.scope("admin")),
        ["! scope added: \"admin\""]
    );
    assert_eq!(
        told(|tool| tool.scope("admin"), same),
        ["scope removed: \"admin\""]
    );
    assert_eq!(
        told(Tool::eager, same),
        ["! no longer eager: callers read its description first"]
    );
    assert_eq!(
        told(same, Tool::eager),
        ["eager now: callers need not read its description first"]
    );
}

#[test]
fn schemas_are_told_by_argument_and_result() {
    let limit = |most: u8| takes(json!({"limit": {"type": "integer", "maximum": most}}));
    assert_eq!(
        told(limit(5), limit(4)),
        ["! argument `limit`: at most 5 → at most 4"]
    );
    assert_eq!(
        told(limit(5), takes(json!({}))),
        ["! argument `limit`: removed"]
    );
    let returns = |schema: Value| move |tool: Tool<()>| tool.output_schema(schema);
    assert_eq!(
        told(same, returns(json!({"type": "object"}))),
        ["results have a schema now"]
    );
    assert_eq!(
        told(returns(json!({"type": "object"})), same),
        ["! results have no schema any more"]
    );
    let author = json!({"type": "object", "properties": {"author": {"type": "string"}}});
    assert_eq!(
        told(returns(author), returns(json!({"type": "object"}))),
        ["! result `author`: removed"]
    );
}

#[test]
fn what_has_no_words_is_told_all_the_same() {
    let meta = |rank: u8| {
        move |tool: Tool<()>| {
            tool.meta(
                json!({"rank": rank})
                    .as_object()
                    .cloned()
                    .unwrap_or_default(),
            )
        }
    };
    assert_eq!(told(meta(1), meta(2)), ["`_meta` changed"]);
    let mut edited = lock([tool("log")]);
    edited
        .tools
        .iter_mut()
        .for_each(|contract| contract.digest = "sha256:0".to_owned());
    let changes = edited.changes_to(&lock([tool("log")])).to_string();
    assert_eq!(
        changes,
        "log\n  compatible  the digest does not match the contract in the file, which was edited by hand"
    );
}

#[test]
fn tools_come_and_go() {
    let old = lock([
        tool("log"),
        tool("blame").title("Blame"),
        tool("gone").title("Gone"),
    ]);
    let new = lock([
        tool("log"),
        tool("annotate").title("Blame"),
        tool("new").title("New"),
    ]);
    let changes = old.changes_to(&new);
    assert_eq!(
        changes.to_string(),
        "annotate\n  breaking    renamed, was `blame`\nnew\n  compatible  new tool\ngone\n  breaking    removed"
    );
    assert_eq!(changes.breaking(), 2);
    assert_eq!(
        changes.counted(),
        "3 contracts changed, with 2 breaking changes"
    );
}

/// A temporary directory.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> io::Result<Self> {
        let path =
            std::env::temp_dir().join(format!("pd-runtime-lock-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).map(|()| Self(path))
    }

    fn lock(&self) -> PathBuf {
        self.0.join("tools.lock")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

fn written() -> ContractLock {
    let schema = json!({"type": "object", "properties": {"x": {"type": "number", "minimum": 0.1, "multipleOf": 1e-7}}});
    let odd = tool("log")
        .description("One line.\n\nAnd \"another\".")
        .input_schema(schema)
        .guidance("Several\nlines.");
    lock([odd, tool("blame").scope("read").eager()])
}

#[test]
fn a_file_gives_back_what_was_written() -> io::Result<()> {
    let folder = Folder::new("written")?;
    assert_eq!(
        written()
            .write(folder.lock())
            .map_err(|error| error.to_string()),
        Ok(())
    );
    assert_eq!(ContractLock::read(folder.lock()).ok(), Some(written()));
    assert_eq!(
        fs::read_dir(&folder.0)?.count(),
        1,
        "nothing is left beside it"
    );
    let text = fs::read_to_string(folder.lock())?;
    assert!(
        text.starts_with(
            "{\n  \"version\": 1,\n  \"tools\": {\n    \"log\": {\n      \"digest\": \"sha256:"
        ),
        "{text}"
    );
    assert!(
        text.contains("      \"description\": [\"One line.\", \"\", \"And \\\"another\\\".\"],\n"),
        "{text}"
    );
    assert!(text.ends_with("}\n"), "{text}");
    Ok(())
}

#[test]
fn the_digest_is_the_catalog_s() -> Result<(), crate::check::RegistryErrors> {
    let registry = Registry::builder().tool(tool("log")).build()?;
    let server =
        crate::PdServer::builder(Registry::builder().tool(tool("log")).build()?, ()).build()?;
    let digests: Vec<_> = server
        .host()
        .served()
        .catalog()
        .entries
        .iter()
        .map(|entry| entry.digest.to_string())
        .collect();
    assert_eq!(
        registry
            .lock()?
            .tools
            .iter()
            .map(|tool| tool.digest.clone())
            .collect::<Vec<_>>(),
        digests
    );
    Ok(())
}

fn failure(path: &Path) -> String {
    ContractLock::read(path)
        .map(|_| ())
        .map_err(|error| error.to_string())
        .err()
        .unwrap_or_default()
}

#[test]
fn what_is_no_lock_is_refused_and_kept() -> io::Result<()> {
    let folder = Folder::new("corrupt")?;
    let path = folder.lock();
    assert!(
        failure(&path).starts_with("no such file: "),
        "{}",
        failure(&path)
    );
    for (text, why) in [
        ("", "EOF while parsing a value at line 1 column 0"),
        ("<<<<<<< HEAD\n{}", "expected value at line 1 column 1"),
        ("[]", "it has no `version`"),
        ("{\"tools\": {}}", "it has no `version`"),
        (
            "{\"version\": 2, \"tools\": []}",
            "is of version 2, and this pd-runtime reads version 1",
        ),
        ("{\"version\": 1}", "its `tools` are not an object"),
        (
            "{\"version\": 1, \"tools\": {\"log\": 1}}",
            "tool `log` is not an object",
        ),
        (
            "{\"version\": 1, \"tools\": {\"log\": {}}}",
            "tool `log` has no `digest`",
        ),
        (
            "{\"version\": 1, \"tools\": {\"log\": {\"digest\": \"\", \"inputSchema\": 1}}}",
            "the `inputSchema` of tool `log` is not an object",
        ),
        (
            "{\"version\": 1, \"tools\": {\"log\": {\"digest\": \"\", \"description\": [1]}}}",
            "the `description` of tool `log` is not a text",
        ),
    ] {
        fs::write(&path, text)?;
        assert!(failure(&path).contains(why), "{text}: {}", failure(&path));
        let refused = written()
            .write(&path)
            .is_err_and(|error| error.to_string() == failure(&path));
        assert!(
            refused && fs::read_to_string(&path)? == text,
            "{text} is still there"
        );
    }
    Ok(())
}

#[test]
fn a_missing_directory_is_named() -> io::Result<()> {
    let folder = Folder::new("missing")?;
    let path = folder.0.join("no").join("tools.lock");
    let why = written()
        .write(&path)
        .map_err(|error| error.to_string())
        .err()
        .unwrap_or_default();
    assert!(
        why.contains("no such directory") && why.ends_with("create it first"),
        "{why}"
    );
    Ok(())
}

#[test]
fn a_test_in_one_line_tells_what_changed() -> io::Result<()> {
    let folder = Folder::new("checked")?;
    let registry =
        |title: &'static str| Registry::builder().tool(tool("log").title(title)).freeze();
    let check = |title| registry(title).check_lock(folder.lock());
    assert!(matches!(check("Log"), Err(LockError::Missing { .. })));
    assert!(
        registry("Log")
            .lock()
            .is_ok_and(|lock| lock.write(folder.lock()).is_ok())
    );
    assert!(check("Log").is_ok());
    let why = format!("{:?}", check("History"));
    assert!(
        why.starts_with("Err(1 contract changed, none in a way that breaks callers since "),
        "{why}"
    );
    assert!(
        why.contains("\nlog\n  compatible  title: \"Log\" → \"History\"\n"),
        "{why}"
    );
    Ok(())
}

#[test]
fn an_unsound_registry_promises_nothing() {
    let registry = Registry::builder().tool(tool("not a name")).freeze();
    assert!(registry.lock().is_err());
}

/// Tests of the columns of selective tools.
mod selective {
    use super::*;
    use crate::{Table, prelude::*};
    use std::collections::BTreeMap;

    #[derive(serde::Serialize, schemars::JsonSchema)]
    struct Wide {
        event: String,
        severity: String,
    }

    #[derive(serde::Serialize, schemars::JsonSchema)]
    struct Narrow {
        event: String,
    }

    #[derive(serde::Serialize, schemars::JsonSchema)]
    struct Deep {
        depth: f64,
    }

    #[derive(serde::Serialize, schemars::JsonSchema)]
    struct Counted {
        depth: i64,
    }

    #[derive(serde::Serialize, schemars::JsonSchema)]
    struct Told {
        depth: String,
    }

    #[derive(serde::Serialize, schemars::JsonSchema)]
    struct Unsure {
        depth: Option<f64>,
    }

    macro_rules! tools {
        ($($module:ident: $rows:ty,)*) => {$(
            mod $module {
                use super::*;
                #[pd_tool(summary = "List weather alerts", selective)]
                pub(super) fn alerts() -> $rows {
                    Default::default()
                }
            }
        )*};
    }

    tools! {
        wide: Json<Vec<Wide>>,
        narrow: Json<Vec<Narrow>>,
        open: Table,
        maps: Json<Vec<BTreeMap<String, u8>>>,
        deep: Json<Vec<Deep>>,
        counted: Json<Vec<Counted>>,
        texts: Json<Vec<Told>>,
        unsure: Json<Vec<Unsure>>,
    }

    /// List weather alerts.
    #[pd_tool]
    fn alerts() -> Json<Vec<Narrow>> {
        Json(Vec::new())
    }

    fn told(before: Registry<()>, now: Registry<()>) -> Vec<String> {
        let lock = |registry: Registry<()>| ContractLock {
            tools: registry
                .tools
                .iter()
                .map(|tool| super::super::ToolContract::from_tool(&tool.about))
                .collect(),
        };
        let changes = lock(before).changes_to(&lock(now));
        let words = changes.iter().map(|one| {
            format!(
                "{}{}",
                if one.breaking { "! " } else { "" },
                one.description
            )
        });
        words
            .filter(|words| !words.contains("description"))
            .collect()
    }

    #[test]
    fn a_column_that_vanishes_breaks_callers_who_name_it() {
        let wide = || crate::registry! { wide::alerts };
        let narrow = || crate::registry! { narrow::alerts };
        assert_eq!(told(wide(), narrow()), ["! column removed: \"severity\""]);
        assert_eq!(told(narrow(), wide()), ["column added: \"severity\""]);
        assert_eq!(
            told(wide(), crate::registry! { open::alerts }),
            [
                "column removed: \"event\"",
                "column removed: \"severity\"",
                "rows may have other columns now than those known"
            ]
        );
        assert_eq!(
            told(crate::registry! { maps::alerts }, narrow()),
            [
                "column added: \"event\"",
                "! rows have no other columns any more than those known"
            ]
        );
    }

    #[test]
    fn a_column_that_holds_something_else_breaks_callers_who_read_it() {
        let deep = || crate::registry! { deep::alerts };
        assert_eq!(
            told(deep(), crate::registry! { texts::alerts }),
            ["! column \"depth\": number → string"]
        );
        assert_eq!(
            told(deep(), crate::registry! { unsure::alerts }),
            ["! column \"depth\": number → null | number"]
        );
        assert_eq!(
            told(crate::registry! { unsure::alerts }, deep()),
            ["column \"depth\": null | number → number"]
        );
        assert_eq!(
            told(deep(), crate::registry! { counted::alerts }),
            ["column \"depth\": number → integer"]
        );
        assert_eq!(
            told(crate::registry! { counted::alerts }, deep()),
            ["! column \"depth\": integer → number"]
        );
    }

    #[test]
    fn a_tool_that_becomes_selective_keeps_callers_who_name_nothing() {
        let (plain, selective) = (
            || crate::registry! { alerts },
            || crate::registry! { narrow::alerts },
        );
        assert_eq!(
            told(plain(), selective()),
            [
                "argument `abstract_domains`: new and optional",
                "argument `mode`: new and optional",
                "! results have no schema any more",
                "selective now: callers may name the columns to show",
            ]
        );
        let gone = told(selective(), plain());
        assert!(
            gone.contains(&"! no longer selective: callers named the columns to show".to_owned()),
            "{gone:?}"
        );
    }
}
