//! The entries of a file that the gateway does not run, with the mistakes of each.

use super::{ConfigError, ConfigMistake, GatewayConfig};
use crate::config::names::entry_name;

/// An entry that is left out because of its mistakes, or because the environment lacks a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LeftOutServer {
    /// The name in the file.
    pub(crate) label: String,
    /// The name that the server would have.
    pub(crate) name: String,
    /// The mistakes, one a line.
    pub(crate) reason: String,
}

/// The mistakes of one entry that a reason contains.
const MISTAKES_MAX: usize = 20;

impl GatewayConfig {
    /// Returns the configuration if no entry has a mistake. A value that the environment lacks is
    /// not a mistake of its entry.
    ///
    /// # Errors
    ///
    /// Returns all mistakes in the file, each with its line, entry and key, and the missing values.
    pub fn without_mistakes(mut self) -> Result<Self, ConfigError> {
        if self.mistakes.is_empty() {
            return Ok(self);
        }
        let missing = self
            .warnings
            .into_iter()
            .filter(|warning| warning.kind.is_missing_value());
        self.mistakes.extend(missing);
        Err(ConfigError::from_mistakes(&self.path, self.mistakes))
    }

    /// Iterates over the mistakes that leave an entry out, with the missing values.
    fn leaving_out(&self) -> impl Iterator<Item = &ConfigMistake> {
        self.mistakes.iter().chain(
            self.warnings
                .iter()
                .filter(|warning| warning.kind.is_missing_value()),
        )
    }

    /// Returns the entries that are left out.
    pub(crate) fn left_out(&self) -> Vec<LeftOutServer> {
        let mut servers: Vec<LeftOutServer> = Vec::new();
        let mut counts: Vec<usize> = Vec::new();
        for mistake in self.leaving_out() {
            let Some(label) = &mistake.entry else {
                continue;
            };
            let known = servers
                .iter_mut()
                .zip(&mut counts)
                .find(|(server, _)| server.label == *label);
            match known {
                Some((server, count)) if *count < MISTAKES_MAX => {
                    *count += 1;
                    server.reason = format!("{}\n{mistake}", server.reason);
                }
                Some(_) => {}
                None => {
                    let name = entry_name(label);
                    servers.push(LeftOutServer {
                        label: label.clone(),
                        name,
                        reason: mistake.to_string(),
                    });
                    counts.push(1);
                }
            }
        }
        servers
    }
}
