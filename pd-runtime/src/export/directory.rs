//! Updates a directory: writes only files that differ, each one as a whole or not at all, and
//! changes nothing that no export wrote. All checks come before the first write.

use super::{
    EditedFiles, ExportFile,
    error::ExportError,
    index,
    record::ExportRecord,
    report::ExportReport,
    whole_file::{content, write},
};
use crate::digest::Digest;
use serde_json::Value;
use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
};

/// The action for one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileAction {
    Write,
    Leave,
    Keep,
    Remove,
    /// The file was removed already, so only its record is dropped.
    Forget,
    Refuse,
}

/// A directory, the record of its last export, and the treatment of edited files.
#[derive(Debug)]
pub(super) struct ExportDirectory<'a> {
    pub(super) directory: &'a Path,
    pub(super) record: ExportRecord,
    pub(super) edited: EditedFiles,
}

impl ExportDirectory<'_> {
    /// Makes the directory contain these files.
    ///
    /// # Errors
    ///
    /// Returns an error if something that no export wrote is in the way, or if the file system
    /// reports an error.
    pub(super) fn sync(&mut self, files: &[ExportFile]) -> Result<ExportReport, ExportError> {
        let before = self.record.clone();
        self.sync_since(&before, files)
    }

    /// Makes the directory contain the files of a server's tree, and its index the server's entry.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`ExportDirectory::sync`], or an error if the index is not valid.
    pub(super) fn sync_tree(
        &mut self,
        entry: Value,
        files: &[ExportFile],
    ) -> Result<ExportReport, ExportError> {
        let before = self.record.clone();
        self.record.entry = Some(entry);
        // Checked first, because an unusable index would be found only after all files were
        // written.
        index::check(self.directory, &self.record)?;
        let mut exported = self.sync_since(&before, files)?;
        index::update(
            self.directory,
            &self.record,
            before.entry.as_ref(),
            self.edited,
            &mut exported,
        )?;
        Ok(exported)
    }

    fn sync_since(
        &mut self,
        before: &ExportRecord,
        files: &[ExportFile],
    ) -> Result<ExportReport, ExportError> {
        let plan = self.plan(files)?;
        let stale = self.stale_files(files)?;
        let outcome = self.carry_out(stale, files, &plan);
        let name = self.record.name();
        if self.record != *before || !self.directory.join(&name).is_file() {
            // Written after a failed export, too. Otherwise the next export would not recognize the
            // files that this one wrote.
            let recorded = write(self.directory, &name, self.record.render().as_bytes());
            return outcome.and_then(|exported| recorded.map(|()| exported));
        }
        outcome
    }

    fn carry_out(
        &mut self,
        stale: Vec<(String, FileAction)>,
        files: &[ExportFile],
        plan: &[FileAction],
    ) -> Result<ExportReport, ExportError> {
        let mut exported = ExportReport::default();
        // Stale files are removed first: on a case-insensitive file system, `log.json` may replace
        // `Log.json`.
        for (path, step) in stale {
            self.remove_stale(&path, step, &mut exported)?;
        }
        for (file, step) in files.iter().zip(plan) {
            self.write_file(file, *step, &mut exported)?;
        }
        Ok(exported)
    }

    fn plan(&self, files: &[ExportFile]) -> Result<Vec<FileAction>, ExportError> {
        let steps = files
            .iter()
            .map(|file| self.action_for(file))
            .collect::<Result<Vec<_>, _>>()?;
        let refused = files
            .iter()
            .zip(&steps)
            .filter(|(_, step)| **step == FileAction::Refuse);
        let paths: Vec<PathBuf> = refused
            .map(|(file, _)| self.directory.join(&file.path))
            .collect();
        if paths.is_empty() {
            Ok(steps)
        } else {
            Err(ExportError::Foreign { paths })
        }
    }

    fn action_for(&self, file: &ExportFile) -> Result<FileAction, ExportError> {
        let Some(existing) = existing_digest(self.directory, &file.path)? else {
            return Ok(FileAction::Write);
        };
        let wanted = digest(&file.contents);
        Ok(match self.record.files.get(&file.path) {
            Some(_) if existing == wanted => FileAction::Leave,
            Some(written) if existing == *written || self.edited == EditedFiles::Overwrite => {
                FileAction::Write
            }
            Some(_) => FileAction::Keep,
            // On a case-insensitive file system this reads the earlier file under its old spelling.
            // It is this export's own.
            None if self.record.by_another_case(&file.path) == Some(existing.as_str()) => {
                FileAction::Write
            }
            // The file already has the right contents, so it counts as written by this export.
            None if existing == wanted => FileAction::Leave,
            None => FileAction::Refuse,
        })
    }

    /// Returns the files of earlier exports that this export does not contain.
    fn stale_files(&self, files: &[ExportFile]) -> Result<Vec<(String, FileAction)>, ExportError> {
        let wanted: HashSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
        let stale = self
            .record
            .files
            .iter()
            .filter(|(path, _)| !wanted.contains(path.as_str()));
        stale
            .map(|(path, written)| Ok((path.clone(), self.action_for_stale(path, written)?)))
            .collect()
    }

    fn action_for_stale(&self, path: &str, written: &str) -> Result<FileAction, ExportError> {
        Ok(match existing_digest(self.directory, path)? {
            None => FileAction::Forget,
            Some(existing) if existing == written || self.edited == EditedFiles::Overwrite => {
                FileAction::Remove
            }
            Some(_) => FileAction::Keep,
        })
    }

    fn remove_stale(
        &mut self,
        path: &str,
        step: FileAction,
        exported: &mut ExportReport,
    ) -> Result<(), ExportError> {
        if step == FileAction::Keep {
            exported.kept.push(path.into());
            return Ok(());
        }
        if step == FileAction::Remove {
            let full = self.directory.join(path);
            fs::remove_file(&full).map_err(|error| ExportError::unwritable(&full, &error))?;
            // `remove_dir` fails if the directory has other contents, which then stay.
            let parents = Path::new(path)
                .ancestors()
                .skip(1)
                .filter(|parent| !parent.as_os_str().is_empty());
            parents
                .map(|parent| fs::remove_dir(self.directory.join(parent)))
                .take_while(Result::is_ok)
                .for_each(drop);
            exported.removed.push(path.into());
        }
        self.record.files.remove(path);
        Ok(())
    }

    fn write_file(
        &mut self,
        file: &ExportFile,
        step: FileAction,
        exported: &mut ExportReport,
    ) -> Result<(), ExportError> {
        let list = match step {
            FileAction::Keep => {
                exported.kept.push(file.path.as_str().into());
                return Ok(());
            }
            FileAction::Leave => &mut exported.unchanged,
            _ => {
                write(self.directory, &file.path, &file.contents)?;
                &mut exported.written
            }
        };
        list.push(file.path.as_str().into());
        self.record
            .files
            .insert(file.path.clone(), digest(&file.contents));
        Ok(())
    }
}

fn digest(contents: &[u8]) -> String {
    Digest::from_bytes(contents).to_string()
}

/// Returns the digest of the file at this path, if it exists.
fn existing_digest(directory: &Path, path: &str) -> Result<Option<String>, ExportError> {
    Ok(content(directory, path)?.map(|bytes| Digest::from_bytes(&bytes).to_string()))
}
