//! The words that two names share, as in `capture` and `memory_capture`, or `listNotes` and
//! `notes_list`.

/// The shortest word that counts as a part of another word, in bytes. Shorter ones occur in too
/// many words.
const PART_MIN: usize = 3;

/// The overlap of one name with another one.
#[derive(Clone, Copy)]
pub(super) struct WordOverlap {
    /// The score of the shared words. An equal word counts twice its letters, and a part of a word
    /// one less.
    pub(super) letters: usize,
    /// Whether every word of the name is shared.
    pub(super) is_whole: bool,
}

impl WordOverlap {
    /// Finds the words of `name` that `other` contains.
    pub(super) const fn new(name: &str, other: &str) -> Self {
        let mut overlap = Self {
            letters: 0,
            is_whole: true,
        };
        let (mut word, mut rest) = next_word(name.as_bytes());
        while !word.is_empty() {
            let letters = shared_letters(word, other.as_bytes());
            overlap.letters += letters;
            overlap.is_whole = overlap.is_whole && letters > 0;
            (word, rest) = next_word(rest);
        }
        // A name of one letter (score 2) is in too many names to match as a whole.
        Self {
            is_whole: overlap.is_whole && overlap.letters >= PART_MIN,
            ..overlap
        }
    }
}

/// Returns the best score of a word among the words of `name`.
const fn shared_letters(word: &[u8], name: &[u8]) -> usize {
    let mut most = 0;
    let (mut other, mut rest) = next_word(name);
    while !other.is_empty() {
        let letters = likeness(word, other);
        most = if letters > most { letters } else { most };
        (other, rest) = next_word(rest);
    }
    most
}

/// Scores two words: twice the length for equal words, one less if one word contains the other, and
/// 0 otherwise.
const fn likeness(one: &[u8], other: &[u8]) -> usize {
    let (short, long) = if one.len() < other.len() {
        (one, other)
    } else {
        (other, one)
    };
    // Equal except for capitals. `==` for slices is not const.
    if short.len() == long.len() && begins_with(long, short) {
        2 * short.len()
    } else if short.len() >= PART_MIN && contains(long, short) {
        2 * short.len() - 1
    } else {
        0
    }
}

const fn contains(mut text: &[u8], part: &[u8]) -> bool {
    while let [_, rest @ ..] = text {
        if begins_with(text, part) {
            return true;
        }
        text = rest;
    }
    false
}

const fn begins_with(mut text: &[u8], mut part: &[u8]) -> bool {
    while let ([first, rest @ ..], [same, others @ ..]) = (text, part)
        && first.eq_ignore_ascii_case(same)
    {
        (text, part) = (rest, others);
    }
    part.is_empty()
}

/// Returns the first word and the text after it. A word ends at a separator, or before a capital
/// letter that follows a small one.
const fn next_word(mut text: &[u8]) -> (&[u8], &[u8]) {
    while let [sign, rest @ ..] = text
        && !is_letter(*sign)
    {
        text = rest;
    }
    let mut length = 0;
    let mut rest = text;
    let mut was_small = false;
    while let [letter, after @ ..] = rest
        && is_letter(*letter)
        && !(was_small && letter.is_ascii_uppercase())
    {
        was_small = letter.is_ascii_lowercase();
        rest = after;
        length += 1;
    }
    text.split_at(length)
}

/// Returns whether the byte belongs to a word. Bytes beyond ASCII are parts of letters.
const fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlap(name: &str, other: &str) -> (usize, bool) {
        let WordOverlap { letters, is_whole } = WordOverlap::new(name, other);
        (letters, is_whole)
    }

    #[test]
    fn words_are_shared_whatever_joins_them() {
        assert_eq!(overlap("capture", "memory_capture"), (14, true));
        assert_eq!(overlap("list-notes", "notes.list"), (18, true));
        assert_eq!(overlap("listNotes", "LIST_NOTES"), (18, true));
        assert_eq!(overlap("get_weather", "weather_forecast"), (14, false));
        assert_eq!(overlap("größe", "messe_größe"), (14, true));
    }

    #[test]
    fn parts_of_words_count_less() {
        assert_eq!(overlap("captures", "memory_capture"), (13, true));
        assert_eq!(overlap("note", "add_notes"), (7, true));
        assert_eq!(overlap("ad", "add"), (0, false), "too short to tell");
    }

    #[test]
    fn nothing_is_shared_with_nothing() {
        for (name, other) in [("", ""), ("", "log"), ("log", ""), ("__", "__"), ("a", "a")] {
            assert!(!WordOverlap::new(name, other).is_whole, "{name} {other}");
        }
    }
}
