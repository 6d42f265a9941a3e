//! Causes of errors as message templates. `#[derive(ToolErrors)]` derives them from
//! `#[error("…")]`.

/// Returns whether a failure's message already contains this cause, with values where the cause has
/// `…` or `{name}`. Repeating the cause would cost the model tokens without new information.
pub(crate) fn is_stated(cause: &str, message: &str) -> bool {
    let fragments = literal_fragments(cause);
    let [first, middle @ .., last] = fragments.as_slice() else {
        return cause == message;
    };
    let values = message
        .strip_prefix(first)
        .and_then(|rest| rest.strip_suffix(last));
    // Each fragment is matched at its first occurrence, which leaves the most text for the
    // fragments after it.
    values
        .and_then(|values| {
            middle.iter().try_fold(values, |rest: &str, fragment| {
                Some(rest.split_once(fragment)?.1)
            })
        })
        .is_some()
}

/// Returns the literal text between the placeholders.
fn literal_fragments(cause: &str) -> Vec<&str> {
    let mut fragments = Vec::new();
    let mut start = 0;
    for (at, _) in cause.match_indices(['…', '{']) {
        if let Some(length) = cause.get(at..).and_then(value_len) {
            fragments.push(cause.get(start..at).unwrap_or_default());
            start = at + length;
        }
    }
    fragments.push(cause.get(start..).unwrap_or_default());
    fragments
}

/// Returns the length of the placeholder at the start of this text. A brace that does not enclose a
/// name is literal text.
fn value_len(text: &str) -> Option<usize> {
    if text.starts_with('…') {
        return Some('…'.len_utf8());
    }
    let (name, _) = text.strip_prefix('{')?.split_once('}')?;
    let is_name = !name.is_empty()
        && name
            .chars()
            .all(|letter| letter.is_alphanumeric() || letter == '_');
    is_name.then_some(name.len() + "{}".len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_states_the_cause_that_it_was_made_of() {
        for (cause, message) in [
            ("the repository is broken", "the repository is broken"),
            (
                "… is in no commit of that revision",
                "src/lib.rs is in no commit of that revision",
            ),
            ("no answer within {seconds} s", "no answer within 30 s"),
            ("{path} of {revision}: …", "a of b: c"),
            ("write {\"limit\": {max}}", "write {\"limit\": 5}"),
            ("… and …", "this and that and those"),
        ] {
            assert!(is_stated(cause, message), "{cause}: {message}");
        }
    }

    #[test]
    fn a_cause_that_says_something_else_is_not_stated() {
        for (cause, message) in [
            ("the bank refused it", "the card 7 was refused"),
            (
                "the repository is broken",
                "the repository is broken: no HEAD",
            ),
            ("no answer within {seconds} s", "no answer within 30 ms"),
            ("a … a", "a"),
            ("{x}: b: {y}", "a: c"),
        ] {
            assert!(!is_stated(cause, message), "{cause}: {message}");
        }
    }
}
