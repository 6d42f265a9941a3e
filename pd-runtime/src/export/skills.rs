//! `skills`: directories in the Agent Skills format, with the same manuals as the skills that the
//! server serves.

use super::{
    File,
    error::ExportError,
    names::{Names, is_device},
};
use crate::{disclosure::view::View, surface::skills::files};
use rmcp::model::SKILL_MD;

/// Returns the files of all skills.
///
/// # Errors
///
/// Returns an error if a skill's name is reserved on Windows.
pub(super) fn files(view: &View<'_>) -> Result<Vec<File>, ExportError> {
    let mut names = Names::default();
    // One namespace for all tools: a tool has the same file name in each of its skills.
    let stems: Vec<String> = view.catalogue.entries.iter().map(|entry| names.take(entry.name())).collect();
    let mut files = Vec::new();
    for skill in files::skills(view, &stems) {
        // The name cannot be changed to fit: a skill's directory must have the skill's name.
        if is_device(&skill.name) {
            return Err(ExportError::ReservedName { name: skill.name });
        }
        files.push(File::new(format!("{}/{SKILL_MD}", skill.name), skill.manual));
        let references = skill.references.into_iter();
        files.extend(references.map(|(path, value)| File::json(format!("{}/{path}", skill.name), &value)));
        let own = skill.files.iter();
        files.extend(own.map(|file| File::new(format!("{}/{}", skill.name, file.path()), file.contents())));
    }
    Ok(files)
}
