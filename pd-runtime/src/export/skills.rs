//! `skills`: directories in the Agent Skills format, with the same manuals as the skills that the
//! server serves.

use super::{
    ExportFile,
    error::ExportError,
    names::{FileNames, is_device},
};
use crate::{disclosure::view::CallerView, surface::skills::files};
use rmcp::model::SKILL_MD;

/// Returns the files of all skills.
///
/// # Errors
///
/// Returns an error if a skill's name is reserved on Windows.
pub(super) fn files(view: &CallerView<'_>) -> Result<Vec<ExportFile>, ExportError> {
    let mut names = FileNames::default();
    // One namespace for all tools: a tool has the same file name in each of its skills.
    let stems: Vec<String> = view
        .catalog
        .entries
        .iter()
        .map(|entry| names.take(entry.name()))
        .collect();
    let mut files = Vec::new();
    for skill in files::skills(view, &stems) {
        // The name cannot be changed to fit: a skill's directory must have the skill's name.
        if is_device(&skill.name) {
            return Err(ExportError::ReservedName { name: skill.name });
        }
        files.push(ExportFile::new(
            format!("{}/{SKILL_MD}", skill.name),
            skill.manual,
        ));
        let references = skill.references.into_iter();
        files.extend(
            references
                .map(|(path, value)| ExportFile::json(format!("{}/{path}", skill.name), &value)),
        );
        let own = skill.files.iter();
        files.extend(own.map(|file| {
            ExportFile::new(format!("{}/{}", skill.name, file.path()), file.contents())
        }));
    }
    Ok(files)
}
