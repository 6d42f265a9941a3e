//! Skills as directories, for hosts that are not connected to the server: every group and bundle,
//! and the top level. Their texts are those of served skills, with relative links and the server's
//! name, which only files need.

use super::{
    skill_md::{self, Home},
    source::{self, Subject},
    uri::REFERENCES,
};
use crate::{
    catalog::{description::in_file, entry::Entry},
    disclosure::view::View,
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
pub(crate) struct Directory {
    /// The name of the directory and of the skill.
    pub(crate) name: String,
    /// The contents of `SKILL.md`.
    pub(crate) manual: String,
    /// The paths and contents of the tools' files.
    pub(crate) references: Vec<(String, Value)>,
    /// The author's own files.
    pub(crate) files: Vec<SkillFile>,
}

/// Returns the skills. `stems` contains the names of the tools' files without extension, by the
/// tools' places.
pub(crate) fn skills(view: &View<'_>, stems: &[String]) -> Vec<Directory> {
    let top = name_of_top(view);
    let home = Disk { server: &view.catalogue.info.name, stems };
    source::every(view, &top).iter().map(|subject| directory(subject, &home, view)).collect()
}

fn directory(subject: &Subject<'_>, home: &Disk<'_>, view: &View<'_>) -> Directory {
    let description = skill_md::description(subject);
    let described = subject.tools.iter().take(subject.described_max());
    let reference =
        |entry: &Entry| (format!("{REFERENCES}/{}", home.file(entry)), Value::Object(in_file(&entry.tool.about)));
    Directory {
        name: subject.name.to_owned(),
        manual: skill_md::text(subject, &description, view.policy.meta_tools(), home),
        references: described.map(|entry| reference(entry)).collect(),
        files: subject.files.to_vec(),
    }
}

/// Returns a valid name for the top level: the server's name, unless a group or bundle has it
/// already.
fn name_of_top(view: &View<'_>) -> String {
    const LONGEST: usize = 64;
    let fitting = heading_name(&view.catalogue.info.name).to_ascii_lowercase();
    let words = fitting.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut name = words.collect::<Vec<_>>().join("-");
    // All letters are ASCII by now, so no character is split.
    name.truncate(LONGEST);
    let name = name.trim_end_matches('-');
    let is_free = |name: &str| {
        is_heading_name(name)
            && view.tree().named(name).is_none()
            && view.catalogue.bundles.iter().all(|bundle| bundle.name != name)
    };
    let others = (1..).map(|number| if number == 1 { "top-level".to_owned() } else { format!("top-level-{number}") });
    std::iter::once(name.to_owned()).chain(others).find(|name| is_free(name)).unwrap_or_default()
}

struct Disk<'a> {
    server: &'a str,
    stems: &'a [String],
}

impl Home for Disk<'_> {
    fn manual(&self, skill: &str) -> String {
        format!("../{skill}/{SKILL_MD}")
    }

    fn file(&self, entry: &Entry) -> Cow<'_, str> {
        format!("{}.json", self.stems.get(entry.place).map_or(entry.name(), String::as_str)).into()
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
