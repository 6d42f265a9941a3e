//! Limits for patterns that backtrack: those with look-around or back-references. A text can make
//! such a pattern take exponential time. Each match has a limit of backtracking steps, and all
//! matches of a call share a limit of time.

use jsonschema::{Keyword, PatternOptions, ValidationError, Validator, error::ValidationErrorKind};
use rmcp::model::JsonObject;
use serde_json::{Value, json};
use std::{
    cell::Cell,
    time::{Duration, Instant},
};

/// The keyword that replaces such a `pattern` in the compiled schema.
const BACKTRACKING: &str = "x-pd-runtime-pattern";
/// The time limit for all such matches of one call.
const TIME_MAX: Duration = Duration::from_millis(500);
/// The limit on steps by the text's length in bytes. One step may compare as many bytes as the text
/// has, so longer texts get fewer steps.
const STEPS: [(usize, usize); 3] = [(1 << 10, 100_000), (1 << 16, 10_000), (usize::MAX, 1_000)];
/// The limit on steps for a property's name in `patternProperties`. Arguments may have very many
/// names.
pub(super) const NAME_STEPS: usize = 1_000;
/// The message for a text whose match was given up.
pub(super) const UNDECIDED: &str = "takes too long to match against its pattern; send a shorter or simpler text";

/// Returns whether a pattern needs a backtracking engine. It may report a pattern that does not
/// need one, for example with `(?=` inside a character class.
pub(super) fn backtracks(pattern: &str) -> bool {
    let mut rest = pattern;
    while let Some(at) = rest.find(['\\', '(']) {
        let candidate = rest.get(at..).unwrap_or_default();
        let special = match candidate.strip_prefix("(?") {
            Some(group) => !group.starts_with([':', 'P', 'i', 'm', 's', 'x', '-']) && !is_named(group),
            None => candidate
                .strip_prefix('\\')
                .is_some_and(|escape| escape.starts_with(|c: char| c == 'k' || c.is_ascii_digit())),
        };
        if special {
            return true;
        }
        // Skips the escaped character, so that `\\1` and `\(?=` are not taken for a back-reference
        // or a group.
        let escaped = candidate.strip_prefix('\\').and_then(|escape| escape.chars().next()).map_or(0, char::len_utf8);
        rest = candidate.get(1 + escaped..).unwrap_or_default();
    }
    false
}

/// Returns whether a group is `(?<name>…)`, as opposed to `(?<=…)` and `(?<!…)`.
fn is_named(group: &str) -> bool {
    group.strip_prefix('<').is_some_and(|name| !name.starts_with(['=', '!']))
}

/// Replaces each such `pattern` with the keyword. Returns whether the schema has any,
/// `patternProperties` included.
pub(super) fn replace(schema: &mut Value) -> bool {
    let mut any = false;
    super::super::subschemas::visit_mut(schema, &mut |object| {
        any |= replace_in(object);
        let names = object.get("patternProperties").and_then(Value::as_object);
        any |= names.is_some_and(|names| names.keys().any(|name| backtracks(name)));
    });
    any
}

fn replace_in(object: &mut JsonObject) -> bool {
    let Some(pattern) = object.get("pattern").and_then(Value::as_str).filter(|pattern| backtracks(pattern)) else {
        return false;
    };
    let pattern = pattern.to_owned();
    object.shift_remove("pattern");
    object.insert(BACKTRACKING.to_owned(), Value::String(pattern));
    true
}

/// Adds the keyword to the options.
pub(super) fn with_keyword(options: jsonschema::ValidationOptions<'static>) -> jsonschema::ValidationOptions<'static> {
    options.with_keyword(BACKTRACKING, |_, pattern, _| match BacktrackingPattern::new(pattern) {
        Ok(keyword) => Ok(Box::new(keyword)),
        Err(error) => Err(error),
    })
}

/// A pattern, compiled once for each limit of steps: fancy-regex fixes the limit at compilation.
struct BacktrackingPattern {
    by_length: Vec<(usize, Validator)>,
}

impl BacktrackingPattern {
    fn new(pattern: &Value) -> Result<Self, ValidationError<'static>> {
        let schema = json!({ "pattern": pattern });
        let compiled = |(length, steps): (usize, usize)| {
            let limited = PatternOptions::fancy_regex().backtrack_limit(steps);
            Ok((length, jsonschema::options().with_pattern_options(limited).build(&schema)?))
        };
        Ok(Self { by_length: STEPS.into_iter().map(compiled).collect::<Result<_, ValidationError<'static>>>()? })
    }

    fn check<'i>(&self, instance: &'i Value, text: &str) -> Result<(), ValidationError<'i>> {
        let limited = self.by_length.iter().find(|(length, _)| text.len() <= *length);
        let Some((_, validator)) = limited.filter(|_| !MatchDeadline::has_expired()) else {
            // Out of time, or a limit was exceeded: the match was neither a success nor a failure.
            MatchDeadline::give_up(instance);
            return Err(ValidationError::custom(UNDECIDED));
        };
        validator.validate(instance).inspect_err(|error| {
            if matches!(error.kind(), ValidationErrorKind::BacktrackLimitExceeded { .. }) {
                MatchDeadline::give_up(instance);
            }
        })
    }
}

impl<'i> Keyword<'i> for BacktrackingPattern {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        match instance {
            Value::String(text) => self.check(instance, text),
            _ => Ok(()),
        }
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        self.validate(instance).is_ok()
    }
}

thread_local! {
    static DEADLINE: Cell<Option<Instant>> = const { Cell::new(None) };
    static UNDECIDED_AT: Cell<Option<usize>> = const { Cell::new(None) };
}

/// The deadline for one call's matches on this thread, and the text that was given up.
/// Thread-local, because a custom keyword of jsonschema receives no context of the call.
pub(super) struct MatchDeadline(());

impl MatchDeadline {
    pub(super) fn new() -> Self {
        DEADLINE.set(Instant::now().checked_add(TIME_MAX));
        UNDECIDED_AT.set(None);
        Self(())
    }

    /// Returns the pointer to the text that was given up, if any. Every other result is meaningless
    /// then: `not` turns a rejection into an acceptance.
    pub(super) fn undecided(&self, arguments: &Value) -> Option<String> {
        let text = UNDECIDED_AT.get()?;
        Some(pointer_to(text, arguments).unwrap_or_default())
    }

    fn has_expired() -> bool {
        DEADLINE.get().is_some_and(|over| Instant::now() >= over)
    }

    fn give_up(text: &Value) {
        if UNDECIDED_AT.get().is_none() {
            UNDECIDED_AT.set(Some(std::ptr::from_ref(text).addr()));
        }
    }
}

impl Drop for MatchDeadline {
    fn drop(&mut self) {
        DEADLINE.set(None);
        UNDECIDED_AT.set(None);
    }
}

/// Returns the JSON pointer to the value at an address. Property names have no address here.
fn pointer_to(address: usize, value: &Value) -> Option<String> {
    if std::ptr::from_ref(value).addr() == address {
        return Some(String::new());
    }
    let inside = |step: String, inner: &Value| Some(format!("/{step}{}", pointer_to(address, inner)?));
    match value {
        Value::Array(items) => items.iter().enumerate().find_map(|(index, item)| inside(index.to_string(), item)),
        Value::Object(object) => object.iter().find_map(|(name, inner)| inside(super::escaped(name), inner)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_around_and_back_references_backtrack() {
        for pattern in
            [r"(a+)\1$", "^(?=a)", "(?!a)", "(?<=a)b", "(?<!a)b", r"(?<n>a)\k<n>", "(?>a)", r"\\\1", "((?=x))"]
        {
            assert!(backtracks(pattern), "{pattern}");
        }
        for pattern in [
            "",
            "^a+$",
            "(a|b)",
            "(?:a)",
            "(?<year>[0-9]+)",
            "(?i)a",
            r"\d\.\(",
            r"\\d",
            r"\(?=",
            "[a-z]{1,9}",
            "é(",
            "\\",
        ] {
            assert!(!backtracks(pattern), "{pattern}");
        }
    }
}
