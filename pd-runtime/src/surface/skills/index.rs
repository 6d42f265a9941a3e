//! The skills for one set of visible tools, built once: entries with digests, and each `SKILL.md`.
//! The tools' files are rendered when they are read; only their digests are kept.

use super::{
    skill_md::{self, ServerLinks},
    source::{self, SkillSource},
    uri::{directory, own_file, reference, skill_name},
};
use crate::{
    disclosure::{disclose::file_text, view::CallerView},
    registry::skill_file::SkillFile,
};

use rmcp::model::{JsonObject, SKILL_MD, Skill, SkillFrontmatter, SkillResource, SkillResources};
use std::{collections::HashMap, sync::Arc};

/// The skills that exist for some callers, in the catalog's order.
#[derive(Debug)]
pub(super) struct SkillIndex {
    manuals: Vec<IndexedSkill>,
    by_name: HashMap<Box<str>, usize>,
}

/// One skill.
#[derive(Debug)]
pub(super) struct IndexedSkill {
    pub(super) skill: Skill,
    /// The contents of `SKILL.md`.
    pub(super) text: Box<str>,
    /// The tools that have a file.
    pub(super) tools: Vec<Box<str>>,
    /// The files of the author.
    pub(super) files: Vec<SkillFile>,
}

impl SkillIndex {
    /// Returns the index of this caller's skills. Output schemas differ between the protocol's
    /// generations, and so do digests.
    pub(super) fn for_caller(view: &CallerView<'_>) -> Arc<Self> {
        view.sight()
            .cached_for(view.caller.modern, || Self::build(view))
    }

    fn build(view: &CallerView<'_>) -> Self {
        let manuals: Vec<_> = source::all(view)
            .iter()
            .map(|subject| IndexedSkill::new(subject, view))
            .collect();
        let by_name = manuals
            .iter()
            .enumerate()
            .map(|(place, manual)| (manual.name().into(), place))
            .collect();
        Self { manuals, by_name }
    }

    pub(super) fn manuals(&self) -> &[IndexedSkill] {
        &self.manuals
    }

    /// Returns the skill that has its `SKILL.md` at this URI.
    pub(super) fn by_file_uri(&self, uri: &str) -> Option<&IndexedSkill> {
        self.manual(uri.strip_suffix(SKILL_MD)?.strip_suffix('/')?)
    }

    /// Returns the skill in this directory.
    pub(super) fn manual(&self, directory: &str) -> Option<&IndexedSkill> {
        self.manuals.get(*self.by_name.get(skill_name(directory)?)?)
    }
}

impl IndexedSkill {
    fn new(subject: &SkillSource<'_>, view: &CallerView<'_>) -> Self {
        let description = skill_md::description(subject);
        let text = skill_md::text(subject, &description, view.meta_tools(), &ServerLinks);
        let uri = format!("{}/{SKILL_MD}", directory(subject.name));
        let described = subject.tools.iter().take(subject.described_max());
        // Rendered only for digest and size, then dropped: keeping them would duplicate all
        // descriptions for each set of visible tools.
        let files = described.clone().map(|entry| {
            SkillResource::from_bytes(
                reference(subject.name, entry.name()),
                file_text(entry, view).as_bytes(),
            )
        });
        let own = subject.files.iter().map(|file| {
            SkillResource::new(
                own_file(subject.name, file.path()),
                file.digest(),
                file.contents().len() as u64,
            )
        });
        let files = std::iter::once(SkillResource::from_bytes(&uri, text.as_bytes()))
            .chain(files)
            .chain(own)
            .collect();
        let metadata: JsonObject = skill_md::metadata(subject)
            .into_iter()
            .map(|(key, names)| (key, names.into()))
            .collect();
        let mut frontmatter = SkillFrontmatter::new(subject.name, description);
        if !metadata.is_empty() {
            frontmatter = frontmatter.with_field("metadata", metadata);
        }
        Self {
            skill: Skill::new(uri, frontmatter, SkillResources::Files(files)),
            text: text.into(),
            tools: described.map(|entry| entry.name().into()).collect(),
            files: subject.files.to_vec(),
        }
    }

    pub(super) fn name(&self) -> &str {
        self.skill.name()
    }

    /// Returns the file of the author at a path.
    pub(super) fn file(&self, path: &str) -> Option<&SkillFile> {
        self.files.iter().find(|file| file.path() == path)
    }
}
