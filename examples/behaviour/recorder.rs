//! The files of a run. Each trial is written when it ends, so that a long run that is stopped keeps
//! what it measured.

use super::{Failure, trial::Trial};
use std::{
    fs::{self, File},
    io::Write as _,
    path::PathBuf,
};

/// The files that the command line names.
#[derive(Debug)]
pub(crate) struct Recorder {
    lines: Option<File>,
    transcripts: Option<PathBuf>,
    number: usize,
}

impl Recorder {
    /// Creates the file of JSON lines and the directory of transcripts.
    ///
    /// # Errors
    ///
    /// One of them cannot be created.
    pub(crate) fn create(
        lines: Option<PathBuf>,
        transcripts: Option<PathBuf>,
    ) -> Result<Self, Failure> {
        let create = |path: PathBuf| {
            File::create(&path).map_err(|error| format!("{}: {error}", path.display()))
        };
        let lines = lines.map(create).transpose()?;
        if let Some(directory) = &transcripts {
            fs::create_dir_all(directory)
                .map_err(|error| format!("{}: {error}", directory.display()))?;
        }
        Ok(Self {
            lines,
            transcripts,
            number: 0,
        })
    }

    /// Writes a trial to each of the files.
    ///
    /// # Errors
    ///
    /// A file cannot be written.
    pub(crate) fn record(&mut self, trial: &Trial) -> Result<(), Failure> {
        self.number += 1;
        if let Some(lines) = &mut self.lines {
            writeln!(lines, "{}", serde_json::to_string(trial)?)?;
        }
        if let Some(directory) = &self.transcripts {
            fs::write(
                directory.join(trial.file_name(self.number)),
                trial.transcript(),
            )?;
        }
        Ok(())
    }
}
