//! Skills as directories, for hosts that are not connected to the server: every group and bundle, and the top level. They read
//! like those that are served, with what only files need: relative links, and the server's name.

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
    /// Its name, and the skill's.
    pub(crate) name: String,
    /// Its `SKILL.md`.
    pub(crate) manual: String,
    /// Paths in it, and what stands there.
    pub(crate) references: Vec<(String, Value)>,
    /// The author's own files.
    pub(crate) files: Vec<SkillFile>,
}

/// The skills; `stems` is what tools' files are called, without their extension, by the tools' places.
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

/// The server's name, made to fit; a group or bundle may be called so already.
fn name_of_top(view: &View<'_>) -> String {
    const LONGEST: usize = 64;
    let fitting = heading_name(&view.catalogue.info.name).to_ascii_lowercase();
    let words = fitting.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut name = words.collect::<Vec<_>>().join("-");
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

    /// Reading a file is no disclosure: the server does not know of it.
    fn call(&self, through: &str) -> String {
        format!(
            "2. Call it by its name on the MCP server `{}`{through}.\n\
             3. If the call is refused because its description was not read, read the one in the refusal, and call it again.",
            self.server
        )
    }
}
