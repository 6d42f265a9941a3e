//! `skills`: directories that any host of Agent Skills reads, with the same manuals as the skills that the server serves.

use super::{
    File,
    error::ExportError,
    names::{Names, is_device},
};
use crate::{disclosure::view::View, surface::skills::files};
use rmcp::model::SKILL_MD;

/// # Errors
///
/// A skill is called as no directory on Windows can be.
pub(super) fn files(view: &View<'_>) -> Result<Vec<File>, ExportError> {
    let mut names = Names::default();
    let stems: Vec<String> = view.catalogue.entries.iter().map(|entry| names.take(entry.name())).collect();
    let mut files = Vec::new();
    for skill in files::skills(view, &stems) {
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
