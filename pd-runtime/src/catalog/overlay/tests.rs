//! The contents of overlay directories, and the report of each mistake.

mod serving;

use super::OverlayError;
use crate::{IntoOutput, Tool, prelude::*};
use futures::FutureExt;
use rmcp::model::JsonObject;
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
};

/// What can go wrong in the history.
#[derive(Debug, thiserror::Error, ToolErrors)]
enum HistoryError {
    /// List branches first.
    #[error("no such revision")]
    NoRevision,
}

/// As compiled.
///
/// # Examples
///
/// The last one:
///
/// ```json
/// { "limit": 1 }
/// ```
///
/// # Notes
///
/// - Times are in UTC.
#[pd_tool(summary = "List commits", related(show))]
fn log(
    /// How many commits.
    #[arg(default = 20, maximum = 500)]
    limit: u32,
    /// A type, title or description to look for.
    description: Option<String>,
) -> Result<Json<Vec<f64>>, HistoryError> {
    match description {
        Some(_) => Err(HistoryError::NoRevision),
        None => Ok(Json(vec![f64::from(limit)])),
    }
}

/// One commit.
#[pd_tool]
fn show() {}

fn registry() -> Registry<()> {
    crate::registry! { log, show }
}

/// A temporary directory, removed when dropped.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "pd-overlay-{}-{}",
            std::process::id(),
            MADE.fetch_add(1, Ordering::Relaxed)
        );
        let folder = Self(std::env::temp_dir().join(name));
        fs::create_dir_all(&folder.0).unwrap();
        files
            .iter()
            .for_each(|(name, text)| folder.write(name, text));
        folder
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl AsRef<Path> for Folder {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

fn overlaid(files: &[(&str, &str)]) -> Result<Registry<()>, OverlayError> {
    registry().overlaid(Folder::new(files))
}

/// A tool's full description.
fn described(registry: &Registry<()>, tool: &str) -> JsonObject {
    crate::catalog::description::document(&registry.tool(tool).unwrap().about)
}

/// The mistakes in a file `log.json`, without its path.
fn mistakes(text: &str) -> Vec<String> {
    let error = overlaid(&[("log.json", text)]).unwrap_err();
    let told = error.iter().map(ToString::to_string);
    told.map(|told| told.split_once("log.json:").unwrap().1.to_owned())
        .collect()
}

#[test]
fn each_key_replaces_what_was_compiled_and_the_rest_stays() {
    let text = json!({
        "description": "Edited.",
        "usage_guidance": { "common_patterns": ["Ask for few."] },
        "error_guidance": { "common_errors": [{ "error": "NO_REVISION", "cause": "It was never pushed." }] },
        "examples": [{ "input": { "limit": 2 }, "explanation": "Two." }],
        "related": []
    });
    let edited = overlaid(&[("log.json", &text.to_string())]).unwrap();
    let now = described(&edited, "log");
    let before = described(&registry(), "log");
    assert_eq!(now["description"], "Edited.");
    assert_eq!(
        now["usage_guidance"],
        json!({ "common_patterns": ["Ask for few."] }),
        "the notes went with it"
    );
    assert_eq!(now["examples"], text["examples"]);
    let help = json!({ "error": "NO_REVISION", "cause": "It was never pushed.", "solution": "List branches first." });
    assert_eq!(
        now["error_guidance"]["common_errors"],
        json!([help]),
        "the rest is the error type's"
    );
    assert_eq!(now["inputSchema"], before["inputSchema"]);
    assert!(
        edited
            .tool("log")
            .unwrap()
            .about
            .discovery
            .related
            .is_empty()
    );
    assert_eq!(edited.tool("log").unwrap().summary(), "List commits");
    assert_eq!(described(&edited, "show"), described(&registry(), "show"));
    edited.check().unwrap();
}

#[test]
fn a_whole_description_as_callers_read_it_changes_nothing() {
    let compiled = registry();
    let files = Folder::new(&[]);
    for tool in compiled.names() {
        let mut text = described(&compiled, tool);
        text.insert(
            "related".to_owned(),
            json!(compiled.tool(tool).unwrap().about.discovery.related),
        );
        files.write(
            &format!("{tool}.json"),
            &serde_json::to_string_pretty(&text).unwrap(),
        );
    }
    let same = compiled.overlaid(&files).unwrap();
    assert!(
        compiled
            .lock()
            .unwrap()
            .changes_to(&same.lock().unwrap())
            .is_empty()
    );
    assert_eq!(
        same.check().unwrap(),
        compiled.check().unwrap(),
        "what the compiler judged stays judged"
    );
}

#[test]
fn texts_of_schemas_can_be_edited() {
    let mut text = described(&registry(), "log");
    text["inputSchema"]["description"] = json!("All of them are optional.");
    text["inputSchema"]["properties"]["limit"]["description"] = json!("At most so many.");
    text["inputSchema"]["properties"]["description"]
        .as_object_mut()
        .unwrap()
        .remove("description");
    text["outputSchema"]["items"]["title"] = json!("seconds");
    let edited = overlaid(&[("log.json", &Value::Object(text.clone()).to_string())]).unwrap();
    assert_eq!(described(&edited, "log"), text);
    let order = |schema: &Value| {
        schema["properties"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(
        order(&described(&edited, "log")["inputSchema"]),
        ["limit", "description"]
    );
}

#[test]
fn schemas_cannot_be_edited() {
    let text = serde_json::to_string_pretty(&described(&registry(), "log")).unwrap();
    let undo = "an overlay changes no schema but its texts (`title`, `description`, `$comment`): undo this, or change the tool itself";
    let maximum = "\"maximum\": 500";
    for (at, from, to, what) in [
        (
            maximum,
            maximum,
            "\"maximum\": 900",
            "the tool's schema has 500 here",
        ),
        (
            maximum,
            maximum,
            "\"multipleOf\": 5",
            "the tool's schema has no `multipleOf` here",
        ),
        (
            "\"limit\": {",
            maximum,
            "\"title\": \"x\"",
            "`maximum` is missing here, which the tool's schema has",
        ),
        (
            "\"limit\": {",
            "\"limit\": {",
            "\"limits\": {",
            "the tool's schema has no `limits` here",
        ),
        (
            "\"type\": \"array\"",
            "\"type\": \"array\"",
            "\"type\": 5",
            "the tool's schema has \"array\" here",
        ),
    ] {
        let before = text.split_once(at).unwrap().0;
        let (line, column) = (
            before.matches('\n').count() + 1,
            before.rsplit('\n').next().unwrap().len() + 1,
        );
        let expected = format!("{line}:{column}: {what}; {undo}");
        let told = mistakes(&text.replace(from, to));
        assert!(told.contains(&expected), "{expected}: {told:?}");
    }
    let untold = mistakes("{\n\"inputSchema\": {\"type\": \"object\", \"description\": 5}}");
    assert!(
        untold.contains(&"2:35: this must be a text, and is a number".to_owned()),
        "{untold:?}"
    );
    let output = overlaid(&[("show.json", r#"{"outputSchema": {}}"#)])
        .unwrap_err()
        .to_string();
    assert!(
        output.contains("show.json:1:2: the tool has no output schema; "),
        "{output}"
    );
}

#[test]
fn every_mistake_in_a_file_is_told_at_its_place() {
    let text = r#"{
  "sumary": "List",
  "description": ["Edited."],
  "examples": [{ "inptu": {} }, 5],
  "usage_guidance": { "notes": [] },
  "error_guidance": { "common_errors": [{ "cause": "?" }] }
}"#;
    assert_eq!(
        mistakes(text),
        [
            "2:3: `sumary` is not a valid key here; did you mean `summary`?",
            "3:3: this must be a text, and is an array",
            "4:16: `input` is missing here; add it",
            "4:18: `inptu` is not a valid key here; did you mean `input`?",
            "4:33: this must be an object, and is a number",
            "5:23: `notes` is not a valid key here; available: common_patterns, important_notes",
            "6:41: `error` is missing here; add it",
        ]
    );
    assert_eq!(
        mistakes("{\n  \"description\": \"half")[0],
        "2:22: it is not JSON: EOF while parsing a string"
    );
    assert_eq!(
        mistakes("")[0],
        "1:1: it is not JSON: EOF while parsing a value"
    );
}

#[test]
fn texts_keep_the_rules_of_the_registry() {
    let text = r#"{
  "summary": "",
  "related": ["shwo"],
  "examples": [
    { "input": { "limit": 20 } },
    { "input": { "limit": 501 } },
    { "input": [] }
  ],
  "error_guidance": { "common_errors": [{ "error": "NO_REVISON" }] }
}"#;
    assert_eq!(
        mistakes(text),
        [
            "2:3: it has no summary; describe in one line what it does",
            "3:3: it names `shwo` as related, which this registry lacks; did you mean `show`?",
            "6:7: example 2 would be refused: `/limit` 501 is greater than the maximum of 500",
            "7:7: example 3 would be refused: an example is an object of arguments",
            "9:43: its errors name `NO_REVISON`, which its error type lacks; it has NO_REVISION",
        ]
    );
}

#[test]
fn aliases_are_words_by_which_callers_find_the_tool() {
    let edited = overlaid(&[("show.json", r#"{ "aliases": ["culprit", "annotate"] }"#)]).unwrap();
    assert_eq!(
        edited
            .search()
            .find("culprit", 5)
            .first()
            .map(|hit| hit.name),
        Some("show")
    );
    assert!(
        !described(&edited, "show").contains_key("aliases"),
        "they are no part of a description"
    );
    let text = r#"{ "aliases": ["annotate", "-", "log ", "cul\u200bprit", "LOG", "annotate"] }"#;
    assert_eq!(
        mistakes(text),
        [
            "1:27: this alias has no word; write one by which callers search, or remove it",
            "1:32: this alias has a character that a reader does not see; remove it",
            "1:40: this alias has a character that a reader does not see; remove it",
            "1:57: this alias is the tool's own name; remove it",
            "1:64: this alias repeats an earlier one; remove it",
        ]
    );
}

/// A type may have rules that its schema cannot express.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema, ToolArg)]
struct Even(#[serde(deserialize_with = "even")] u32);

fn even<'de, D: serde::Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    let number = <u32 as serde::Deserialize>::deserialize(from)?;
    if number % 2 == 0 {
        Ok(number)
    } else {
        Err(serde::de::Error::custom("it is odd"))
    }
}

#[pd_tool(summary = "Halve a number")]
fn halve(number: Even) -> String {
    (number.0 / 2).to_string()
}

#[test]
fn examples_are_held_against_the_types_of_arguments() {
    let files = Folder::new(&[(
        "halve.json",
        r#"{ "examples": [{ "input": { "number": 3 } }] }"#,
    )]);
    let registry: Registry<()> = crate::registry! { halve };
    let told = registry.overlaid(&files).unwrap_err().to_string();
    assert!(
        told.contains("halve.json:1:18: example 1 would be refused: ")
            && told.contains("it is odd"),
        "{told}"
    );
}

#[test]
fn mistakes_of_all_files_are_told_at_once() {
    let error = overlaid(&[
        ("log.json", "{"),
        ("logg.json", "{}"),
        ("other.json", "{\n\"name\": \"show\"}"),
        ("show.json", "{}"),
        ("nothing_like_it.json", "{}"),
    ]);
    let told = error.unwrap_err().to_string();
    assert!(told.contains(" has 4 mistakes:\n"), "{told}");
    for mistake in [
        "logg.json:1:1: no such tool: `logg`; did you mean `log`?",
        "log.json:1:1: it is not JSON: EOF while parsing an object",
        "nothing_like_it.json:1:1: no such tool: `nothing_like_it`; remove this file, or register the tool",
        "other.json describes `show`, too; keep one of them",
    ] {
        assert!(told.contains(mistake), "{mistake}: {told}");
    }
}

#[test]
fn a_listing_over_its_budget_is_the_directory_s_fault() {
    let registry: Registry<()> = crate::registry! { #![budget = 60] log, show };
    registry.check().unwrap();
    let long = format!("{{ \"summary\": \"{}\" }}", "word ".repeat(12).trim());
    let files = Folder::new(&[("log.json", &long), ("show.json", &long)]);
    let error = registry.overlaid(&files).unwrap_err();
    let [mistake] = error.iter().collect::<Vec<_>>()[..] else {
        panic!("{error}")
    };
    assert_eq!(
        (mistake.path.as_path(), mistake.position),
        (files.as_ref(), None)
    );
    assert!(
        mistake.kind.to_string().contains("over its budget of 60"),
        "{error}"
    );
}

/// Problems that `check` finds in the registry are not mistakes of a file.
#[test]
fn a_registry_with_faults_of_its_own_takes_texts() {
    let faulty = || {
        let tool = Tool::new("faulty", "", |&(), _, _| async { ().into_output() }.boxed());
        Registry::builder()
            .budget(1)
            .tool(tool.example("", json!(5)).related("missing"))
            .freeze()
    };
    assert!(faulty().check().is_err());
    // In a debug build, `build` checks the registry, so `replace` serves the faulty one.
    let server = PdServer::builder(registry(), ()).build().unwrap();
    server.replace(faulty()).unwrap();
    for (text, mistake) in [
        (None, None),
        (Some(json!({ "description": "Edited." })), None),
        (Some(json!({ "summary": "" })), Some("it has no summary")),
        (
            Some(json!({ "related": ["missing"] })),
            Some("it names `missing` as related"),
        ),
        (
            Some(json!({ "examples": [{ "input": 5 }] })),
            Some("example 1 would be refused"),
        ),
        (
            Some(json!({ "summary": "Longer than before" })),
            Some("over its budget of 1"),
        ),
    ] {
        let files = Folder::new(&[]);
        text.iter()
            .for_each(|text| files.write("faulty.json", &text.to_string()));
        for told in [
            faulty().overlaid(&files).err(),
            server.overlay(&files).err(),
        ] {
            let told = told.map(|error| error.to_string());
            let is_expected = match (&told, mistake) {
                (Some(told), Some(mistake)) => {
                    told.contains("has 1 mistake") && told.contains(mistake)
                }
                (told, mistake) => told.is_none() && mistake.is_none(),
            };
            assert!(is_expected, "{text:?}: {told:?}");
        }
    }
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Row {
    id: u32,
    /// In metres.
    depth: f64,
}

/// Soundings.
#[pd_tool(summary = "List soundings", selective)]
fn soundings() -> Json<Vec<Row>> {
    Json(Vec::new())
}

#[test]
fn a_selective_tools_columns_stay_named() {
    let registry = || -> Registry<()> {
        crate::registry! { soundings }
    };
    let at = "/inputSchema/properties/abstract_domains";
    let laid = |retell: &dyn Fn(&mut Value)| {
        let mut file = Value::Object(described(&registry(), "soundings"));
        retell(file.pointer_mut(at).unwrap());
        registry().overlaid(Folder::new(&[("soundings.json", &file.to_string())]))
    };
    laid(&|_| ()).unwrap();
    let edited =
        laid(&|domains| domains["description"] = json!("What to show: `id`, or depth (m)."))
            .unwrap();
    let described = Value::Object(described(&edited, "soundings"));
    assert_eq!(
        described.pointer(at).unwrap()["description"],
        "What to show: `id`, or depth (m)."
    );
    let stale = laid(&|domains| domains["description"] = json!("Show idle_depth or id."))
        .unwrap_err()
        .to_string();
    let told = "this text lacks the column `depth`, and callers read here which there are; add a line `- depth`";
    assert!(
        stale.contains("soundings.json:1:") && stale.ends_with(told) && !stale.contains("`id`"),
        "{stale}"
    );
    let dropped =
        laid(&|domains| drop(domains.as_object_mut().unwrap().shift_remove("description")))
            .unwrap_err();
    assert_eq!(dropped.iter().count(), 2, "{dropped}");
}
