//! The contents of a skill's directories.

use super::{JSON, MARKDOWN, index::IndexedSkill, uri};
use crate::{disclosure::view::CallerView, registry::skill_file::SkillFile};

use rmcp::model::{DIRECTORY_MIME_TYPE, Resource};

/// Returns the files and directories in one directory, by its path in the skill; empty if the
/// directory does not exist.
pub(super) fn list(manual: &IndexedSkill, path: &str, view: &CallerView<'_>) -> Vec<Resource> {
    let mut children = match path {
        "" => vec![manual_file(manual), directory(manual, uri::REFERENCES)],
        uri::REFERENCES => manual
            .tools
            .iter()
            .filter_map(|name| reference(manual, name, view))
            .collect(),
        _ => Vec::new(),
    };
    for file in &manual.files {
        let Some(rest) = inside(file.path(), path) else {
            continue;
        };
        // Directories are not stored: they follow from the paths of the files in them.
        let child = match rest.split_once('/') {
            None => own_file(manual, file, rest),
            Some((name, _)) => directory(
                manual,
                file.path()
                    .get(..file.path().len() - rest.len() + name.len())
                    .unwrap_or(name),
            ),
        };
        // Several files may be in the same subdirectory.
        if !children.iter().any(|known| known.uri == child.uri) {
            children.push(child);
        }
    }
    children
}

/// Returns the path of a file relative to a directory above it.
fn inside<'a>(path: &'a str, directory: &str) -> Option<&'a str> {
    match directory {
        "" => Some(path),
        directory => path.strip_prefix(directory)?.strip_prefix('/'),
    }
}

fn manual_file(manual: &IndexedSkill) -> Resource {
    let frontmatter = &manual.skill.frontmatter;
    let resource = Resource::new(&manual.skill.uri, &frontmatter.name)
        .with_description(&frontmatter.description);
    resource
        .with_mime_type(MARKDOWN)
        .with_size(manual.text.len() as u64)
}

fn directory(manual: &IndexedSkill, path: &str) -> Resource {
    let name = path.rsplit('/').next().unwrap_or(path);
    Resource::new(uri::own_file(manual.name(), path), name).with_mime_type(DIRECTORY_MIME_TYPE)
}

fn reference(manual: &IndexedSkill, name: &str, view: &CallerView<'_>) -> Option<Resource> {
    let entry = view.find(name)?;
    let uri = uri::reference(manual.name(), name);
    Some(
        Resource::new(uri, uri::file(name))
            .with_description(entry.tool.about.summary.trim())
            .with_mime_type(JSON),
    )
}

fn own_file(manual: &IndexedSkill, file: &SkillFile, name: &str) -> Resource {
    let resource = Resource::new(uri::own_file(manual.name(), file.path()), name)
        .with_mime_type(file.media_type());
    resource.with_size(file.contents().len() as u64)
}
