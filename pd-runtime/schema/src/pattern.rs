//! Patterns of JSON Schema: regular expressions of ECMA-262 (Validation 2020-12, section 6.3.3).
//!
//! Most patterns run on `regex-lite`, in time linear in the text. Look-around, back-references and
//! Unicode classes need the feature `regex`.

mod ecma;
#[cfg(feature = "regex")]
mod extended;

use std::time::{Duration, Instant};

/// The time limit for all matches of one call that backtrack.
const TIME_MAX: Duration = Duration::from_millis(500);
/// The maximum size of a compiled pattern, in bytes.
const COMPILED_MAX: usize = 1 << 20;

/// A compiled pattern.
#[derive(Debug)]
pub(super) struct SchemaPattern {
    pub(super) source: Box<str>,
    engine: PatternEngine,
}

#[derive(Debug)]
enum PatternEngine {
    Linear(regex_lite::Regex),
    #[cfg(feature = "regex")]
    Extended(extended::ExtendedPattern),
}

/// The match was given up, so it has no result.
#[derive(Debug)]
pub(super) struct Undecided;

impl SchemaPattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    ///
    /// Returns an error if the pattern is not valid, or needs the feature `regex`.
    pub(super) fn new(source: &str) -> Result<Self, String> {
        let translated = ecma::translate(source)?;
        let engine = match ecma::needs_extension(source) {
            None => {
                // Without a limit on the size, a short pattern such as `(a{1000}){1000}` takes much
                // memory.
                let linear = regex_lite::RegexBuilder::new(&translated)
                    .size_limit(COMPILED_MAX)
                    .build();
                PatternEngine::Linear(
                    linear
                        .map_err(|error| format!("the pattern `{source}` is not valid: {error}"))?,
                )
            }
            #[cfg(feature = "regex")]
            Some(_) => {
                PatternEngine::Extended(extended::ExtendedPattern::new(source, &translated)?)
            }
            #[cfg(not(feature = "regex"))]
            Some(construct) => {
                return Err(format!(
                    "the pattern `{source}` contains {construct}: enable the feature `regex` of pd-runtime"
                ));
            }
        };
        Ok(Self {
            source: source.into(),
            engine,
        })
    }

    /// Returns whether a match may take exponential time without a limit.
    pub(super) fn backtracks(&self) -> bool {
        match &self.engine {
            PatternEngine::Linear(_) => false,
            #[cfg(feature = "regex")]
            PatternEngine::Extended(pattern) => pattern.backtracks,
        }
    }

    #[cfg_attr(
        not(feature = "regex"),
        expect(unused_variables, reason = "linear matches have no deadline")
    )]
    pub(super) fn is_match(
        &self,
        text: &str,
        deadline: &mut MatchDeadline,
    ) -> Result<bool, Undecided> {
        match &self.engine {
            PatternEngine::Linear(regex) => Ok(regex.is_match(text)),
            #[cfg(feature = "regex")]
            PatternEngine::Extended(pattern) => pattern.is_match(text, deadline),
        }
    }
}

/// Returns whether a pattern is valid, for the format `regex`. A pattern that needs the feature
/// counts as valid where the feature is off.
pub(super) fn is_valid(source: &str) -> bool {
    SchemaPattern::new(source).is_ok()
        || (ecma::needs_extension(source).is_some() && !cfg!(feature = "regex"))
}

/// The time that the matches of one call may still take. It starts with the first match.
#[derive(Debug, Default)]
pub(super) struct MatchDeadline(Option<Instant>);

impl MatchDeadline {
    #[cfg_attr(
        not(feature = "regex"),
        expect(dead_code, reason = "linear matches have no deadline")
    )]
    fn has_expired(&mut self) -> bool {
        let end = *self.0.get_or_insert_with(|| Instant::now() + TIME_MAX);
        Instant::now() >= end
    }
}
