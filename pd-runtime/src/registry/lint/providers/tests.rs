//! Tests of the lints about providers: each text has the rule, the providers, and what to write.

#![expect(dead_code, reason = "fields are described and not read")]
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use crate::{IntoOutput, Tool, check::Lint, prelude::*, rmcp};
use futures::FutureExt;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

const ROOT: &str = "at the root of its input schema, where OpenAI and Anthropic take an object without unions and refuse each \
                    request with another one; ";
const NAMES: &str = "names of properties have 1 to 64 characters out of `A-Z`, `a-z`, `0-9`, `_`, `.` and `-`, or Anthropic \
                     refuses each request with the tool; ";
const TYPES: &str = "so Gemini, Kimi and OpenAI's strict mode refuse each request with the tool; ";

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "by", rename_all = "snake_case")]
enum Key {
    Number { number: u32 },
    Name { name: String },
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Place {
    Line { line: u32 },
    Symbol { symbol: String },
}

#[derive(Deserialize, JsonSchema)]
struct FindByKey {
    #[serde(flatten)]
    key: Key,
}

#[derive(Deserialize, JsonSchema)]
struct FindAtPlace {
    path: String,
    #[serde(flatten)]
    place: Place,
}

#[derive(Deserialize, JsonSchema)]
struct FindByBoth {
    #[serde(flatten)]
    key: Key,
    #[serde(flatten)]
    place: Place,
}

#[derive(Deserialize, JsonSchema)]
struct OData {
    #[serde(rename = "filter[name]")]
    filter: Option<String>,
    #[serde(rename = "$top")]
    top: Option<u32>,
}

#[derive(Deserialize, JsonSchema)]
struct Query {
    odata: OData,
}

#[derive(Deserialize, JsonSchema)]
struct Document {
    document: Value,
    more: Vec<Value>,
    either: Option<Mixed>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Mixed {
    Text(String),
    Any(Value),
}

#[pd_tool(summary = "Find by a key", read_only, allow(no_usage))]
fn by_key(_arguments: Args<FindByKey>) {}
#[pd_tool(
    summary = "Find at a place",
    read_only,
    allow(no_usage, undocumented_argument)
)]
fn at_place(_arguments: Args<FindAtPlace>) {}
#[pd_tool(summary = "Find by both", read_only, allow(no_usage))]
fn by_both(_arguments: Args<FindByBoth>) {}
#[pd_tool(summary = "Find by fields", read_only, allow(no_usage))]
fn by_fields(_arguments: Args<OData>) {}
#[pd_tool(
    summary = "Find by a query",
    read_only,
    allow(no_usage, undocumented_argument)
)]
fn by_query(#[arg(rename = "query")] _query: Query) {}
#[pd_tool(
    summary = "Keep a document",
    read_only,
    allow(no_usage, undocumented_argument)
)]
fn document(_arguments: Args<Document>) {}
#[pd_tool(summary = "Keep any document", allow(no_usage, undocumented_argument))]
fn any_document(#[arg(rename = "id")] _id: u32, #[arg(rename = "document")] _document: Value) {}

fn remarks(registry: &Registry<()>, tool: &str) -> Vec<String> {
    let of_tool = registry
        .lint()
        .into_iter()
        .filter(|remark| remark.tool == tool);
    of_tool
        .filter(|remark| [Lint::RefusedSchema, Lint::LongName].contains(&remark.lint))
        .map(|one| one.message)
        .collect()
}

#[test]
fn functions_are_corrected_in_their_types() {
    let registry: Registry<()> = pd_runtime::registry! { by_key, at_place, by_both, by_fields, by_query, document, any_document };
    let fields = "leave out `#[serde(flatten)]` at the enum, which makes it one argument, or take the fields of its variants as \
                  `Option`s";
    assert_eq!(
        remarks(&registry, "by_key"),
        [format!("`oneOf` is {ROOT}{fields}")]
    );
    assert_eq!(
        remarks(&registry, "at_place"),
        [format!("`anyOf` is {ROOT}{fields}")]
    );
    let both = remarks(&registry, "by_both");
    assert!(
        both.len() == 1
            && both
                .iter()
                .all(|words| words.ends_with(&format!("{ROOT}{fields}"))),
        "{both:?}"
    );
    let rename = "write `#[serde(rename = \"filter_name\")]` at the field, and use the other name where the tool passes the \
                  value on";
    assert_eq!(
        remarks(&registry, "by_fields"),
        [format!("`/filter[name]` and `/$top`: {NAMES}{rename}")]
    );
    assert_eq!(
        remarks(&registry, "by_query"),
        [format!(
            "`/query/filter[name]` and `/query/$top`: {NAMES}{rename}"
        )]
        .map(|words| words.replace("/query/", "/query/odata/"))
    );
    let types = "instead of `serde_json::Value`, take a struct or an enum with `JsonSchema`, `serde_json::Map<String, Value>` \
                 for any object, or a `String` that holds JSON";
    let places = "`/document`, `/more/items` and `/either/anyOf/1` have no `type`";
    assert_eq!(
        remarks(&registry, "document"),
        [format!("{places}, {TYPES}{types}")]
    );
    assert_eq!(
        remarks(&registry, "any_document"),
        [format!("`/document` has no `type`, {TYPES}{types}")]
    );
}

#[test]
fn run_time_tools_are_corrected_in_their_schemas() {
    let made = |schema: Value| -> Registry<()> {
        let tool = Tool::new("log", "List commits", |(), _, _| {
            async { ().into_output() }.boxed()
        });
        Registry::builder().tool(tool.input_schema(schema)).freeze()
    };
    let text = json!({ "type": "string" });
    for (schema, words) in [
        (
            json!({ "type": "object", "allOf": [{}], "anyOf": [{ "required": ["a"] }] }),
            format!(
                "`anyOf` and `allOf` are {ROOT}list the properties of all branches in `properties`, the names that every branch \
                 requires in `required`, and refuse other combinations in the handler"
            ),
        ),
        (
            json!({ "type": "object", "properties": { "$top": text } }),
            format!(
                "`/$top`: {NAMES}write `top` in the schema, and use the other name where the tool passes the value on"
            ),
        ),
        (
            json!({ "type": "object", "properties": { "größe": text } }),
            format!(
                "`/größe`: {NAMES}choose such a name in the schema, and use the other name where the tool passes the value on"
            ),
        ),
        (
            json!({ "type": "object", "properties": { "a": { "anyOf": [text, {}] } } }),
            format!(
                "`/a/anyOf/1` has no `type`, {TYPES}add `\"type\"` to the schema; for several types, write `anyOf` with a `type` \
                 in each branch"
            ),
        ),
    ] {
        assert_eq!(remarks(&made(schema.clone()), "log"), [words], "{schema}");
    }
}

#[derive(Clone)]
struct Finder;

#[rmcp::tool_router]
impl Finder {
    /// Find by a key
    #[rmcp::tool]
    fn by_key(&self, _: rmcp::handler::server::wrapper::Parameters<FindByKey>) -> String {
        String::new()
    }

    /// Find by fields
    #[rmcp::tool(annotations(read_only_hint = true))]
    fn by_fields(&self, _: rmcp::handler::server::wrapper::Parameters<OData>) -> String {
        String::new()
    }
}

#[test]
fn adopted_tools_are_corrected_in_the_type_of_parameters_or_declared_anew() {
    let registry = Registry::builder().adopt(Finder::tool_router()).freeze();
    let unhinted: Vec<_> = registry
        .lint()
        .into_iter()
        .filter(|one| one.lint == Lint::UnhintedRead)
        .collect();
    assert!(
        matches!(unhinted.as_slice(), [one] if one.tool == "by_key"
        && one.message.ends_with("add `annotations(read_only_hint = true)` to its `#[tool]`, or `false`")),
        "{unhinted:?}"
    );
    let found: Vec<String> = registry
        .lint()
        .into_iter()
        .filter(|one| one.lint == Lint::RefusedSchema)
        .map(|one| one.message)
        .collect();
    let [by_fields, by_key] = found.as_slice() else {
        panic!("{found:?}")
    };
    let anew = "; if the type is another crate's, disable the route with `with_disabled` and declare the tool with `#[pd_tool]`";
    assert!(
        by_key.starts_with(&format!(
            "`oneOf` is {ROOT}in the type of `Parameters`, leave out"
        )),
        "{by_key}"
    );
    assert!(
        by_fields.contains("at the field of the type in `Parameters`"),
        "{by_fields}"
    );
    assert!(
        by_key.ends_with(anew) && by_fields.ends_with(anew),
        "{found:?}"
    );
}

#[pd_tool(
    summary = "List commits",
    name = "list_the_commits_of_all_branches_by_author",
    read_only
)]
fn long() {}

#[test]
fn a_long_name_says_who_refuses_it_and_where_it_is_written() {
    let registry: Registry<()> = pd_runtime::registry! { long };
    let words = "its name has 42 characters; OpenAI and Anthropic refuse more than 64, and hosts put up to 24 before it, as in \
                 `mcp__SERVER__`; write `#[pd_tool(name = \"…\")]` with at most 40, or a shorter prefix in `with_prefix`";
    assert_eq!(
        remarks(&registry, "list_the_commits_of_all_branches_by_author"),
        [words]
    );
    let name = "n".repeat(65);
    let tool = Tool::new(name.clone(), "List commits", |(), _, _| {
        async { ().into_output() }.boxed()
    });
    let registry: Registry<()> = Registry::builder().tool(tool).freeze();
    assert!(
        remarks(&registry, &name)
            .iter()
            .all(|words| words.ends_with("name it in at most 40 where the tool is made"))
    );
    let refused = registry.check().unwrap_err().to_string();
    assert!(
        refused.contains("or OpenAI and Anthropic refuse the tool"),
        "{refused}"
    );
}
