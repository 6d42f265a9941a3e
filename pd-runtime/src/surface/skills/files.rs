//! Skills as directories, for hosts that are not connected to the server: every group and bundle,
//! and the top level. They have the texts of served skills, with relative links and the name of the
//! server, which only files need.

use super::{
    skill_md::{self, SkillLinks},
    source::{self, SkillSource},
    uri::REFERENCES,
};
use crate::{
    catalog::{description::in_file, entry::CatalogEntry},
    disclosure::view::CallerView,
    registry::{
        check::{heading_name, is_heading_name},
        skill_file::SkillFile,
    },
};

use rmcp::model::SKILL_MD;
use serde_json::Value;
use std::borrow::Cow;

/// A skill's directory.
#[derive(Debug)]
pub(crate) struct SkillDirectory {
    /// The name of the directory and of the skill.
    pub(crate) name: String,
    /// The contents of `SKILL.md`.
    pub(crate) manual: String,
    /// The paths and contents of the tools' files.
    pub(crate) references: Vec<(String, Value)>,
    /// The files of the author.
    pub(crate) files: Vec<SkillFile>,
}

/// Returns the skills. `stems` contains the names of the tools' files without extension, by the
/// tools' places.
pub(crate) fn skills(view: &CallerView<'_>, stems: &[String]) -> Vec<SkillDirectory> {
    let top = name_of_top(view);
    let home = FileLinks {
        server: &view.catalog.info.name,
        stems,
    };
    source::every(view, &top)
        .iter()
        .map(|subject| directory(subject, &home, view))
        .collect()
}

fn directory(
    subject: &SkillSource<'_>,
    home: &FileLinks<'_>,
    view: &CallerView<'_>,
) -> SkillDirectory {
    let description = skill_md::description(subject);
    let described = subject.tools.iter().take(subject.described_max());
    let references = described.map(|entry| {
        (
            format!("{REFERENCES}/{}", home.file(entry)),
            Value::Object(in_file(&entry.tool.about)),
        )
    });
    SkillDirectory {
        name: subject.name.to_owned(),
        manual: skill_md::text(subject, &description, view.meta_tools(), home),
        references: references.collect(),
        files: subject.files.to_vec(),
    }
}

/// Returns a valid name for the top level: the server's name, unless a group or bundle has it
/// already.
fn name_of_top(view: &CallerView<'_>) -> String {
    const LONGEST: usize = 64;
    let fitting = heading_name(&view.catalog.info.name).to_ascii_lowercase();
    let words = fitting
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    let mut name = words.collect::<Vec<_>>().join("-");
    // All letters are ASCII by now, so no character is split.
    name.truncate(LONGEST);
    // The cut may end at a hyphen, and a skill's name must not.
    let name = name.trim_end_matches('-');
    let others = (1..).map(|number| {
        if number == 1 {
            "top-level".to_owned()
        } else {
            format!("top-level-{number}")
        }
    });
    std::iter::once(name.to_owned())
        .chain(others)
        .find(|name| is_free(name, view))
        .unwrap_or_default()
}

/// Returns whether a name is valid, and no group or bundle has it.
fn is_free(name: &str, view: &CallerView<'_>) -> bool {
    is_heading_name(name)
        && view.tree().named(name).is_none()
        && view
            .catalog
            .bundles
            .iter()
            .all(|bundle| bundle.name != name)
}

struct FileLinks<'a> {
    server: &'a str,
    stems: &'a [String],
}

impl SkillLinks for FileLinks<'_> {
    fn manual(&self, skill: &str) -> String {
        format!("../{skill}/{SKILL_MD}")
    }

    fn file(&self, entry: &CatalogEntry) -> Cow<'_, str> {
        format!(
            "{}.json",
            self.stems
                .get(entry.place)
                .map_or(entry.name(), String::as_str)
        )
        .into()
    }

    /// Renders the last steps. Reading a file is not a disclosure, because the server does not
    /// learn of it.
    fn call(&self, through: &str) -> String {
        format!(
            "2. Call it by its name on the MCP server `{}`{through}.\n\
             3. If the call is refused because its description was not read, read the one in the refusal, and call it again.",
            self.server
        )
    }
}
