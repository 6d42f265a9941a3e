//! Collects the mistakes of a file, so that all are reported at once.

use super::{
    error::{ConfigError, ConfigErrorKind, ConfigMistake},
    spanned::LineIndex,
};
use std::path::Path;

/// Collects the mistakes of one file.
#[derive(Debug)]
pub(super) struct MistakeCollector<'t> {
    path: &'t Path,
    lines: LineIndex<'t>,
    mistakes: Vec<ConfigMistake>,
    warnings: Vec<ConfigMistake>,
}

impl<'t> MistakeCollector<'t> {
    pub(super) fn new(path: &'t Path, text: &'t str) -> Self {
        Self {
            path,
            lines: LineIndex::new(text),
            mistakes: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Returns the line of an offset, counted from 1.
    pub(super) fn line(&self, offset: usize) -> usize {
        self.lines.position(offset).0
    }

    /// Adds a mistake. An empty `key` is the entry as a whole.
    pub(super) fn report(
        &mut self,
        offset: usize,
        entry: Option<&str>,
        key: &str,
        kind: ConfigErrorKind,
    ) {
        let mistake = self.mistake(offset, entry, key, kind);
        self.mistakes.push(mistake);
    }

    /// Adds a warning: a mistake that does not prevent the use of the file.
    pub(super) fn warn(
        &mut self,
        offset: usize,
        entry: Option<&str>,
        key: &str,
        kind: ConfigErrorKind,
    ) {
        let warning = self.mistake(offset, entry, key, kind);
        self.warnings.push(warning);
    }

    fn mistake(
        &self,
        offset: usize,
        entry: Option<&str>,
        key: &str,
        kind: ConfigErrorKind,
    ) -> ConfigMistake {
        let key = (!key.is_empty()).then(|| key.to_owned());
        let position = Some(self.lines.position(offset));
        ConfigMistake {
            path: self.path.to_owned(),
            position,
            entry: entry.map(str::to_owned),
            key,
            kind,
        }
    }

    /// Returns the mistakes so far.
    #[cfg(feature = "cli")]
    pub(super) fn mistakes(&self) -> &[ConfigMistake] {
        &self.mistakes
    }

    /// Returns a position to compare later mistakes with.
    pub(super) fn mark(&self) -> (usize, usize) {
        (self.mistakes.len(), self.warnings.len())
    }

    /// Returns whether a mistake was added after a position.
    pub(super) fn has_mistakes_since(&self, (mistakes, _): (usize, usize)) -> bool {
        self.mistakes.len() > mistakes
    }

    /// Removes what was added after a position.
    pub(super) fn forget_since(&mut self, (mistakes, warnings): (usize, usize)) {
        self.mistakes.truncate(mistakes);
        self.warnings.truncate(warnings);
    }

    /// Returns the mistakes of entries, and the warnings, both sorted by position. A value that the
    /// environment lacks is a warning.
    ///
    /// # Errors
    ///
    /// Returns all mistakes if one of them concerns the file as a whole.
    pub(super) fn finish(
        mut self,
    ) -> Result<(Vec<ConfigMistake>, Vec<ConfigMistake>), ConfigError> {
        if self.mistakes.iter().any(|mistake| mistake.entry.is_none()) {
            return Err(self.into_error());
        }
        let (missing, mut mistakes): (Vec<_>, Vec<_>) = self
            .mistakes
            .into_iter()
            .partition(|mistake| mistake.kind.is_missing_value());
        self.warnings.extend(missing);
        // Keys are not read in the order of the file.
        self.warnings.sort_by_key(|warning| warning.position);
        mistakes.sort_by_key(|mistake| mistake.position);
        Ok((mistakes, self.warnings))
    }

    /// Returns the collector if it has no mistakes yet.
    ///
    /// # Errors
    ///
    /// Returns an error if there is a mistake.
    #[cfg(feature = "cli")]
    pub(super) fn without_mistakes(self) -> Result<Self, ConfigError> {
        if self.mistakes.is_empty() {
            Ok(self)
        } else {
            Err(self.into_error())
        }
    }

    fn into_error(self) -> ConfigError {
        ConfigError::from_mistakes(self.path, self.mistakes)
    }
}
