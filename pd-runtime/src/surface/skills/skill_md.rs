//! A skill's `SKILL.md`: frontmatter, instructions, tools, and how to use one. The text is the same
//! for all callers that see the same tools; otherwise its digest would not match.

use super::{
    source::{NarrowerSkill, SkillSource},
    uri::{REFERENCES, directory, file},
    yaml::quote,
};
use crate::{
    catalog::entry::CatalogEntry,
    policy::{meta_tool_purpose::MetaToolPurpose, meta_tools::MetaTools},
    text::truncate::first_chars,
};

use rmcp::model::SKILL_MD;
use std::borrow::Cow;

/// The most characters of a description that the Agent Skills specification allows.
const DESCRIPTION_MAX: usize = 1024;

/// The links in a `SKILL.md`, which depend on the place where it is read.
pub(super) trait SkillLinks {
    /// Returns the link to another skill's `SKILL.md`.
    fn manual(&self, skill: &str) -> String;

    /// Returns the name of a tool's file in the directory of references.
    fn file(&self, entry: &CatalogEntry) -> Cow<'_, str>;

    /// Renders the last step: how to call a tool, and through which meta-tool.
    fn call(&self, through: &str) -> String;
}

/// The links for clients that are connected to the server.
pub(super) struct ServerLinks;

impl SkillLinks for ServerLinks {
    fn manual(&self, skill: &str) -> String {
        format!("{}/{SKILL_MD}", directory(skill))
    }

    fn file(&self, entry: &CatalogEntry) -> Cow<'_, str> {
        file(entry.name()).into()
    }

    fn call(&self, through: &str) -> String {
        format!("2. Call it by its name on the server of this skill{through}.")
    }
}

/// Renders the skill's purpose and when to use it. A host shows its model nothing else until the
/// skill is loaded.
pub(super) fn description(subject: &SkillSource<'_>) -> String {
    let what = what(subject);
    // At least half of the description is for the names of tools, by which models recognize the
    // task.
    let mut text: String = first_chars(what, DESCRIPTION_MAX / 2).to_owned();
    let names = subject
        .tools
        .iter()
        .map(|entry| entry.name())
        .chain(subject.narrower.iter().map(|skill| skill.name));
    let mut opening = if text.ends_with(['.', '!', '?']) {
        " Use it for tasks that need: "
    } else {
        ". Use it for tasks that need: "
    };
    for name in names {
        // The limit counts characters, and a separator or a name of ASCII has one per byte.
        if text.chars().count() + opening.len() + name.len() + " and more.".len() > DESCRIPTION_MAX
        {
            text.push_str(" and more");
            break;
        }
        text.push_str(opening);
        text.push_str(name);
        opening = ", ";
    }
    text.push('.');
    text
}

/// Returns the summary, or the first line of the instructions.
fn what<'a>(subject: &'a SkillSource<'_>) -> &'a str {
    let lines = subject.summary.lines().chain(subject.instructions.lines());
    lines
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or(subject.name)
}

/// The prefix of the keys by which a skill names what it works with (Skills as groups, a draft of
/// the working group for progressive disclosure).
const KEYS: &str = "io.modelcontextprotocol/";

/// Returns the `metadata` of the frontmatter: the names of the skill's tools and prompts, and the
/// URIs of its resources, each kind as one text with spaces between them.
pub(super) fn metadata(subject: &SkillSource<'_>) -> Vec<(String, String)> {
    let tools = subject.tools.iter().take(subject.described_max());
    let tools: Vec<&str> = tools.map(|entry| entry.name()).collect();
    let texts = |texts: &'_ [String]| -> String {
        let whole = texts.iter().map(String::as_str);
        // A text with a space would be read as two.
        let whole = whole.filter(|text| !text.contains(char::is_whitespace));
        whole.collect::<Vec<_>>().join(" ")
    };
    let kinds = [
        ("tools", tools.join(" ")),
        ("prompts", texts(subject.prompts)),
        ("resources", texts(subject.resources)),
    ];
    let present = kinds.into_iter().filter(|(_, names)| !names.is_empty());
    present
        .map(|(kind, names)| (format!("{KEYS}{kind}"), names))
        .collect()
}

/// Renders the file.
pub(super) fn text(
    subject: &SkillSource<'_>,
    description: &str,
    offered: &MetaTools,
    home: &impl SkillLinks,
) -> String {
    let mut frontmatter = format!(
        "---\nname: {}\ndescription: {}\n",
        quote(subject.name),
        quote(description)
    );
    for (place, (key, names)) in metadata(subject).iter().enumerate() {
        if place == 0 {
            frontmatter.push_str("metadata:\n");
        }
        frontmatter.push_str(&format!("  {key}: {}\n", quote(names)));
    }
    frontmatter.push_str("---");
    let heading = format!("# {}", subject.name);
    let parts = [
        Some(frontmatter),
        Some(heading),
        Some(subject.summary.trim().to_owned()),
        Some(subject.instructions.trim().to_owned()),
        section(
            "## Narrower skills",
            subject.narrower.iter().map(|skill| narrower(skill, home)),
        ),
        section(
            "## Files",
            subject
                .files
                .iter()
                .map(|file| format!("- [`{0}`]({0})", file.path())),
        ),
        section("## Tools", tools(subject, home)),
        (!subject.tools.is_empty()).then(|| how(offered, home)),
    ];
    let parts: Vec<_> = parts
        .into_iter()
        .flatten()
        // An author may leave the summary or the instructions empty.
        .filter(|part| !part.is_empty())
        .collect();
    parts.join("\n\n") + "\n"
}

fn section(heading: &str, lines: impl Iterator<Item = String>) -> Option<String> {
    let lines: Vec<_> = lines.collect();
    (!lines.is_empty()).then(|| format!("{heading}\n\n{}", lines.join("\n")))
}

fn narrower(skill: &NarrowerSkill<'_>, home: &impl SkillLinks) -> String {
    format!(
        "- `{}` ({}): {}",
        skill.name,
        home.manual(skill.name),
        skill.summary.trim()
    )
}

fn tools(subject: &SkillSource<'_>, home: &impl SkillLinks) -> impl Iterator<Item = String> {
    let described = subject.described_max();
    subject
        .tools
        .iter()
        .enumerate()
        .map(move |(place, entry)| tool(entry, place < described, home))
}

fn tool(entry: &CatalogEntry, has_file: bool, home: &impl SkillLinks) -> String {
    let name = entry.name();
    let summary = entry.tool.about.summary.trim();
    if has_file {
        format!("- [`{name}`]({REFERENCES}/{}): {summary}", home.file(entry))
    } else {
        format!("- `{name}`: {summary}")
    }
}

/// Renders how to describe a tool and how to call it.
fn how(offered: &MetaTools, home: &impl SkillLinks) -> String {
    let describe = match offered.name_of(MetaToolPurpose::Describe) {
        Some(describe) => format!(", or call `{describe}` with its name"),
        None => String::new(),
    };
    let call = match (
        offered.name_of(MetaToolPurpose::Call),
        offered.name_of(MetaToolPurpose::CallReadOnly),
    ) {
        // A host can run the reading tool without a question, because it is annotated as read-only.
        (Some(call), Some(reading)) => {
            through(&format!("`{reading}` (or `{call}`, if it may write)"))
        }
        (Some(call), None) | (None, Some(call)) => through(&format!("`{call}`")),
        (None, None) => String::new(),
    };
    format!(
        "## How to use a tool\n\n\
         1. Read its file in `{REFERENCES}/` for its arguments, examples and errors{describe}.\n{}",
        home.call(&call)
    )
}

fn through(call: &str) -> String {
    format!(", through {call} if it is not among your tools")
}
