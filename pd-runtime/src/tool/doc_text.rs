//! The compile-time checks of texts that an author wrote as an expression: `#[doc = shared!()]`.

use crate::text::{const_message::ConstMessage, const_str::contains};

/// Refuses a text that the macro read differently. It evaluates `concat!` and `include_str!` by
/// name, and these names may belong to other macros, or to a `macro_rules!` of another folder.
#[track_caller]
#[allow(
    clippy::panic,
    reason = "this is how a const function refuses to compile"
)]
pub const fn check_read_text(compiled: &str, read: &str) {
    if !is_same_text(compiled.as_bytes(), read.as_bytes()) {
        panic!(
            "a macro reads another text here than the compiler, and the model would get the macro's; write the text itself"
        )
    }
}

/// Compares two texts in large steps, because rustc limits the steps of a constant.
const fn is_same_text(mut one: &[u8], mut other: &[u8]) -> bool {
    while let (Some((first, rest)), Some((same, others))) = (
        one.split_first_chunk::<16>(),
        other.split_first_chunk::<16>(),
    ) {
        if u128::from_ne_bytes(*first) != u128::from_ne_bytes(*same) {
            return false;
        }
        (one, other) = (rest, others);
    }
    while let ([first, rest @ ..], [same, others @ ..]) = (one, other)
        && *first == *same
    {
        (one, other) = (rest, others);
    }
    one.is_empty() && other.is_empty()
}

/// Refuses a text that only the compiler can read if it contains one of these headings. A section
/// becomes fields of the description, and only the macro can parse it.
#[track_caller]
#[allow(
    clippy::panic,
    reason = "this is how a const function refuses to compile"
)]
pub const fn check_unread_text(text: &str, headings: &[&str]) {
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        // `str::lines` is not const.
        let (line, after) = split_line(rest);
        rest = after;
        // A deeper heading is part of a section.
        let [b'#', b' ', title @ ..] = line.trim_ascii() else {
            continue;
        };
        // The slice ends at ASCII bytes of a `str`, so this does not fail.
        let Ok(title) = str::from_utf8(title.trim_ascii()) else {
            continue;
        };
        if contains(headings, title) {
            let message = ConstMessage::new()
                .text("a macro cannot read this text, so its `# ")
                .text(title);
            let instead =
                "` is no section; write the text itself, `concat!(…)` or `include_str!(…)`";
            panic!("{}", message.text(instead).as_str())
        }
    }
}

/// Splits off the first line.
const fn split_line(text: &[u8]) -> (&[u8], &[u8]) {
    let mut length = 0;
    let mut rest = text;
    while let [byte, after @ ..] = rest {
        if *byte == b'\n' {
            return (text.split_at(length).0, after);
        }
        (length, rest) = (length + 1, after);
    }
    (text, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_refused(text: &str) -> bool {
        std::panic::catch_unwind(|| check_unread_text(text, &["Notes", "Errors"])).is_err()
    }

    #[test]
    fn texts_are_compared_to_their_ends() {
        let text = "A text with more than two chunks of 16 bytes.";
        check_read_text(text, text);
        for other in [
            "",
            "A text",
            &text.replace('.', "!"),
            &text.replace('A', "a"),
            &format!("{text} "),
            &text[..32],
        ] {
            assert!(!is_same_text(text.as_bytes(), other.as_bytes()), "{other}");
            assert!(!is_same_text(other.as_bytes(), text.as_bytes()), "{other}");
        }
    }

    #[test]
    fn only_a_known_heading_is_refused() {
        for text in ["# Notes", "One.\n\n # Notes \r\n- two", "\n# Errors"] {
            assert!(is_refused(text), "{text}");
        }
        for text in [
            "",
            "# Other",
            "Notes",
            "## Notes",
            "#Notes",
            "see # Notes",
            "äöü\n\n",
            "# Note",
        ] {
            assert!(!is_refused(text), "{text}");
        }
    }
}
