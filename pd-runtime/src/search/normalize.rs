//! Normalization of letters that readers consider equal: width, ligatures, case, diacritics.

use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;

/// Applies compatibility decomposition and removes diacritics. Keeps the case, because identifiers
/// are split at changes of case.
pub(super) fn normalize(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    // Marks are separate letters only after the decomposition. Those that stay, as in `が`, are
    // joined with their letters again.
    Cow::Owned(
        text.nfkd()
            .filter(|letter| !is_dropped(*letter))
            .nfc()
            .collect(),
    )
}

/// Appends `word` in lower case.
pub(super) fn push_lower(word: &str, to: &mut String) {
    for letter in word.chars().flat_map(char::to_lowercase) {
        match letter {
            'ß' => to.push_str("ss"),
            'ς' => to.push('σ'),
            // The lower case of `İ` is `i` and this combining dot.
            '\u{307}' => {}
            _ => to.push(letter),
        }
    }
}

/// Returns whether a mark is optional in writing or invisible. Marks that distinguish letters
/// (kana, Indic vowels) stay.
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
        let fold = |text: &str| {
            let mut lower = String::new();
            push_lower(&normalize(text), &mut lower);
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
            assert_eq!(fold(one), fold(other));
        }
        assert_ne!(fold("はは"), fold("ばば"), "voicing makes another letter");
    }
}
