//! A large company's tools, made up: as many groups as one likes, ten tools in each, each with a schema of about 0.8 kB.

use futures::{FutureExt, future::ready};
use pd_runtime::{Group, IntoOutput, Registry, RegistryBuilder, Tool, tool::ToolAnnotations};
use serde_json::{Value, json};

/// What the groups are about, with a summary as an author writes one.
const SUBJECTS: [(&str, &str); 20] = [
    ("user", "Accounts of people and what they may do"),
    ("team", "Teams and who is in them"),
    ("issue", "Bugs and wishes, with their discussion"),
    ("label", "Labels to sort work by"),
    ("branch", "Branches and how they are protected"),
    ("commit", "Commits and what they changed"),
    ("release", "Released versions and their notes"),
    ("package", "Published packages and who uses them"),
    (
        "webhook",
        "Messages to other servers when something happens",
    ),
    ("secret", "Passwords and keys for builds"),
    ("invoice", "Bills and whether they are paid"),
    ("order", "Orders of customers and their delivery"),
    ("ticket", "Questions to support and their answers"),
    ("contract", "Contracts and when they end"),
    ("campaign", "Advertising and how it did"),
    ("contact", "People outside of the company"),
    ("calendar", "Meetings and rooms"),
    ("document", "Texts, tables and slides"),
    ("dashboard", "Charts of what is measured"),
    ("alert", "Warnings and who hears them"),
];
/// Where they are, so that there can be five times as many.
const PLACES: [&str; 5] = ["", "draft", "partner", "legacy", "regional"];
const VERBS: [(&str, &str); 10] = [
    ("get", "Get one {} by its identifier"),
    ("list", "List every {}, newest first"),
    ("create", "Create a {} from a name and settings"),
    ("update", "Change some settings of a {}"),
    ("delete", "Delete a {} for good"),
    ("search", "Search for a {} by words and dates"),
    ("archive", "Archive a {} so that it is read only"),
    ("restore", "Bring an archived {} back"),
    ("compare", "Compare two versions of a {}"),
    ("export", "Export a {} as JSON or CSV"),
];

/// This many groups of ten tools.
pub(crate) fn registry(groups: usize) -> Registry<()> {
    registry_of(groups * VERBS.len())
}

/// This many tools in groups of ten, of which the last may have fewer.
pub(crate) fn registry_of(tools: usize) -> Registry<()> {
    let of_place = |place: &'static str| {
        SUBJECTS
            .iter()
            .map(move |(subject, about)| (place, *subject, *about))
    };
    let groups = PLACES
        .iter()
        .flat_map(|place| of_place(place))
        .zip((0..tools).step_by(VERBS.len()));
    let add = |builder: RegistryBuilder<()>, ((place, subject, about), before)| {
        builder.group(group(place, subject, about, tools - before))
    };
    groups.fold(Registry::builder(), add).build().unwrap()
}

/// At most this many tools about one subject.
fn group(place: &str, subject: &str, about: &'static str, tools: usize) -> Group<()> {
    let words: Vec<&str> = [place, subject]
        .into_iter()
        .filter(|word| !word.is_empty())
        .collect();
    let tools = VERBS.iter().take(tools).map(|(verb, summary)| {
        let tool = Tool::new(
            format!("{}_{verb}", words.join("_")),
            summary.replace("{}", &words.join(" ")),
            |_, _, arguments| ready(Value::Object(arguments).to_string().into_output()).boxed(),
        );
        tool.input_schema(schema(subject))
            .with_annotations(ToolAnnotations {
                read_only: reads(verb),
                ..ToolAnnotations::NONE
            })
    });
    tools.fold(Group::new(words.join("-"), about), Group::tool)
}

fn schema(subject: &str) -> Value {
    let property = |about: &str| json!({ "type": "string", "minLength": 1, "maxLength": 200, "description": about });
    let schema = json!({
        "type": "object",
        "properties": {
            "owner": property("The account that owns it. The name is not case sensitive."),
            "name": property(&format!("The name of the {subject}, without its owner and without an extension.")),
            "since": property("Only what changed after this moment, as an ISO 8601 timestamp in UTC."),
            "order": { "enum": ["newest", "oldest", "name"], "default": "newest", "description": "What comes first." },
            "fields": { "type": "array", "items": { "type": "string" }, "description": "Which fields come back." },
            "page": { "type": "integer", "minimum": 1, "default": 1, "description": "Which page of results." },
        },
        "required": ["owner", "name"],
        "additionalProperties": false,
    });
    assert!(
        (760..840).contains(&schema.to_string().len()),
        "{}",
        schema.to_string().len()
    );
    schema
}

fn reads(verb: &str) -> Option<bool> {
    matches!(verb, "get" | "list" | "search" | "compare" | "export").then_some(true)
}
