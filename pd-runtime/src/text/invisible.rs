//! The table of characters that a reader does not see but a model reads. Prompts, exports and
//! terminals filter by it.
//!
//! A filter combines three tests. [`char::is_control`] finds the C0 and C1 controls, including ESC
//! and BEL. [`is_invisible`] finds characters without a visible form, including the marks of
//! writing direction. `is_joiner` finds the two joiners, which some scripts and emoji need.

#[cfg(any(feature = "client", feature = "export"))]
use std::borrow::Cow;

/// Returns whether a character has no visible form, and a text stays readable without it.
///
/// These are Unicode's default ignorable code points without the joiners, the interlinear
/// annotation marks and the blank Braille pattern. The table includes variation selectors: an emoji
/// without its selector is the same emoji to a model, and a run of selectors can hide any bytes
/// from a reader.
pub fn is_invisible(letter: char) -> bool {
    turns_direction(letter)
        || matches!(
            u32::from(letter),
            0xAD // soft hyphen
                | 0x34F // combining grapheme joiner
                | 0x115F | 0x1160 | 0x3164 | 0xFFA0 // Hangul fillers
                | 0x17B4 | 0x17B5 // Khmer inherent vowels
                | 0x180B..=0x180F // Mongolian selectors and vowel separator
                | 0x200B | 0xFEFF // zero width spaces
                | 0x2060..=0x2065 | 0x206A..=0x206F // word joiner, invisible operators, deprecated format marks
                | 0x2800 // blank Braille pattern
                | 0xFE00..=0xFE0F // variation selectors 1 to 16
                | 0xFFF0..=0xFFFB // reserved ignorables, interlinear annotations
                | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A // shorthand and musical format controls
                | 0xE_0000..=0xE_0FFF // tags, variation selectors 17 to 256, reserved ignorables
        )
}

/// Returns whether the character changes the direction of the text after it: the bidirectional
/// marks, embeddings, overrides and isolates (Unicode UAX #9).
pub(crate) const fn turns_direction(letter: char) -> bool {
    matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns whether a character joins its neighbors or keeps them apart: U+200C and U+200D.
pub(crate) fn is_joiner(letter: char) -> bool {
    matches!(letter, '\u{200c}' | '\u{200d}')
}

/// Removes invisible characters, and joiners that join nothing.
///
/// A joiner stays if it is alone between two visible characters beyond ASCII. That preserves
/// Persian and Indic words and emoji families, and leaves no room for a message in joiners. Control
/// characters stay.
#[cfg(any(feature = "client", feature = "export"))]
pub(crate) fn without_invisible(text: &str) -> Cow<'_, str> {
    if !text
        .chars()
        .any(|letter| is_invisible(letter) || is_joiner(letter))
    {
        return Cow::Borrowed(text);
    }
    let mut visible = String::with_capacity(text.len());
    let mut before = None;
    let mut joiner = None;
    for letter in text.chars().filter(|letter| !is_invisible(*letter)) {
        if is_joiner(letter) {
            // Of a run of joiners only the first can stay: a run could encode text.
            joiner = joiner.or(Some(letter));
            continue;
        }
        let joined = joiner
            .take()
            .filter(|_| before.is_some_and(takes_joiner) && takes_joiner(letter));
        visible.extend(joined.into_iter().chain([letter]));
        before = Some(letter);
    }
    Cow::Owned(visible)
}

fn takes_joiner(letter: char) -> bool {
    !letter.is_ascii() && !letter.is_whitespace() && !letter.is_control()
}

/// Returns the first character that a reviewer does not see and a model reads: a control character,
/// an invisible one, or a joiner that joins nothing.
pub fn hidden_character(text: &str) -> Option<char> {
    // A gateway looks at every text of every tool when it starts, and nearly all of them are plain
    // ASCII.
    if text
        .bytes()
        .all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t'))
    {
        return None;
    }
    marked_hidden(text).find_map(|(letter, is_hidden)| is_hidden.then_some(letter))
}

/// Returns each character with whether it is hidden. Newlines and tabs are not. Neither are the
/// selector after an emoji and a joiner after a visible character beyond ASCII, unless another one
/// follows: a run of either can encode text.
pub(crate) fn marked_hidden(text: &str) -> impl Iterator<Item = (char, bool)> {
    let mut before = ' ';
    // The character before an emoji's selector. A joiner after the selector joins that character.
    let mut base = ' ';
    let mut letters = text.chars().peekable();
    std::iter::from_fn(move || {
        let letter = letters.next()?;
        let is_hidden = match letter {
            '\n' | '\t' => false,
            // A lone one moves a terminal to the start of the line. Some servers end lines with
            // both.
            '\r' => letters.peek() != Some(&'\n'),
            _ if is_style(letter) => is_style(before),
            _ if is_joiner(letter) => is_joiner(base) || is_invisible(base) || !takes_joiner(base),
            _ => letter.is_control() || is_invisible(letter),
        };
        before = letter;
        if !is_style(letter) {
            base = letter;
        }
        Some((letter, is_hidden))
    })
}

/// Returns whether a character selects the style of an emoji: text or picture.
fn is_style(letter: char) -> bool {
    matches!(letter, '\u{fe0e}' | '\u{fe0f}')
}

#[cfg(all(test, any(feature = "client", feature = "export")))]
mod tests {
    use super::*;

    fn letters(ranges: &[(u32, u32)]) -> impl Iterator<Item = char> {
        ranges
            .iter()
            .flat_map(|(first, last)| *first..=*last)
            .filter_map(char::from_u32)
    }

    #[test]
    fn characters_without_a_visible_form_are_in_the_table() {
        let invisible = [
            (0xAD, 0xAD),
            (0x34F, 0x34F),
            (0x61C, 0x61C),
            (0x115F, 0x1160),
            (0x17B4, 0x17B5),
            (0x180E, 0x180E),
            (0x200B, 0x200B),
            (0x200E, 0x200F),
            (0x202A, 0x202E),
            (0x2060, 0x206F),
            (0x2800, 0x2800),
            (0x3164, 0x3164),
            (0xFE00, 0xFE0F),
            (0xFEFF, 0xFEFF),
            (0xFFA0, 0xFFA0),
            (0xFFF9, 0xFFFB),
            (0xE0000, 0xE007F),
            (0xE0100, 0xE01EF),
        ];
        for letter in letters(&invisible) {
            let text = format!("a{letter}b");
            assert!(
                is_invisible(letter) && without_invisible(&text) == "ab",
                "U+{:04X}",
                u32::from(letter)
            );
        }
    }

    #[test]
    fn characters_with_a_visible_form_are_not() {
        let visible = [
            (0x20, 0x7E),
            (0xA1, 0xAC),
            (0xAE, 0x34E),
            (0x904, 0x939),
            (0x2801, 0x28FF),
            (0xAC00, 0xAC10),
        ];
        for letter in
            letters(&visible).chain("↩️😀한ᄀ⠁한".chars().filter(|letter| *letter != '\u{fe0f}'))
        {
            assert!(!is_invisible(letter), "U+{:04X}", u32::from(letter));
        }
    }

    #[test]
    fn joiners_stay_only_where_they_join() {
        for kept in ["می\u{200c}خواهم", "क्\u{200d}ष", "👩\u{200d}🚀", "\t\r\n"] {
            assert_eq!(without_invisible(kept), kept);
        }
        for (text, visible) in [
            ("a\u{200d}b", "ab"),
            ("\u{200c}می \u{200c}", "می "),
            ("👩\u{200d}\u{200c}\u{200d}🚀", "👩\u{200d}🚀"),
            ("❤\u{fe0f}\u{200d}🔥", "❤\u{200d}🔥"),
            ("1\u{fe0f}\u{20e3}", "1\u{20e3}"),
        ] {
            assert_eq!(without_invisible(text), visible, "{text:?}");
        }
    }
}
