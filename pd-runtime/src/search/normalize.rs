//! Normalization of letters that searches treat as equal: width, ligatures, case and diacritics.

use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;

/// Returns the text with compatibility forms replaced and diacritics removed. The case is
/// preserved, because identifiers are split at changes of case.
pub(super) fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    // NFKD separates base letters from marks, and NFC joins the marks that were not dropped.
    Cow::Owned(text.nfkd().filter(|letter| !is_dropped(*letter)).nfc().collect())
}

/// Appends `word` in lower case.
pub(super) fn push_lower(word: &str, to: &mut String) {
    for letter in word.chars().flat_map(char::to_lowercase) {
        match letter {
            'ß' => to.push_str("ss"),
            'ς' => to.push('σ'),
            // Lowercasing `İ` yields `i` and this combining dot.
            '\u{307}' => {}
            _ => to.push(letter),
        }
    }
}

/// Returns whether the letter is a mark that writers often omit, or invisible. Marks that form
/// another letter (kana voicing, Indic vowels) are preserved.
pub(super) fn is_dropped(letter: char) -> bool {
    matches!(letter,
        '\u{300}'..='\u{36f}' // European
        | '\u{591}'..='\u{5c7}' // Hebrew
        | '\u{640}' | '\u{64b}'..='\u{65f}' // Arabic
        | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_word_become_one() {
        let spelling = |text: &str| {
            let mut lower = String::new();
            push_lower(&fold(text), &mut lower);
            lower
        };
        for (one, other) in [
            ("Café", "cafe"),
            ("GRÖSSE", "größe"),
            ("ﬁle", "file"),
            ("Ｇｉｔ", "git"),
            ("İstanbul", "istanbul"),
            ("ΟΔΟΣ", "οδος"),
            ("всё", "все"),
            ("ﾃﾞｰﾀ", "データ"),
            ("co\u{ad}operate", "cooperate"),
        ] {
            assert_eq!(spelling(one), spelling(other));
        }
        assert_ne!(spelling("はは"), spelling("ばば"), "voicing makes another letter");
    }
}
