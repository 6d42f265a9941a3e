//! Patterns on `fancy-regex`: look-around, back-references and Unicode classes.
//!
//! A text can make a backtracking pattern take exponential time. Each match has a limit of steps,
//! and all matches of a call share a limit of time.

use super::{MatchDeadline, Undecided, ecma};
use fancy_regex::{Regex, RegexBuilder};

/// The limit on steps by the text's length in bytes. One step may compare as many bytes as the text
/// has, so longer texts get fewer steps.
const STEPS: [(usize, usize); 3] = [(1 << 10, 100_000), (1 << 16, 10_000), (usize::MAX, 1_000)];

/// A pattern, compiled once for each limit of steps: fancy-regex fixes the limit at compilation.
#[derive(Debug)]
pub(super) struct ExtendedPattern {
    by_length: Vec<(usize, Regex)>,
    pub(super) backtracks: bool,
}

impl ExtendedPattern {
    pub(super) fn new(source: &str, translated: &str) -> Result<Self, String> {
        let by_length = STEPS
            .into_iter()
            .map(|(length, steps)| {
                let regex = RegexBuilder::new(translated).backtrack_limit(steps).build();
                Ok((
                    length,
                    regex
                        .map_err(|error| format!("the pattern `{source}` is not valid: {error}"))?,
                ))
            })
            .collect::<Result<_, String>>()?;
        Ok(Self {
            by_length,
            backtracks: ecma::backtracks(source),
        })
    }

    pub(super) fn is_match(
        &self,
        text: &str,
        deadline: &mut MatchDeadline,
    ) -> Result<bool, Undecided> {
        let limited = self
            .by_length
            .iter()
            .find(|(length, _)| text.len() <= *length);
        let (_, regex) = limited
            .filter(|_| !self.backtracks || !deadline.has_expired())
            .ok_or(Undecided)?;
        // The only errors are exceeded limits.
        regex.is_match(text).map_err(|_| Undecided)
    }
}
