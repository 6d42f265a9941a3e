//! Splits texts into words: identifiers at their parts, and scripts without spaces into pairs of
//! letters.

use super::normalize::{is_dropped, normalize, push_lower};
use unicode_normalization::char::is_combining_mark;

/// The limit on the length of a word, in bytes. Longer ones are data, such as base64.
const WORD_MAX: usize = 64;

/// The kind of a word in its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordKind {
    /// A word, a part of an identifier, or two letters of a script without spaces.
    Plain,
    /// All parts of an identifier joined.
    Whole,
    /// One letter of a script without spaces.
    Letter,
}

/// Calls `take` with each word of `text`, normalized and in lower case.
pub(super) fn each(text: &str, take: &mut dyn FnMut(&str, WordKind)) {
    for identifier in identifiers(text) {
        // The fast path for most words: nothing to normalize or to split.
        if identifier.bytes().all(|letter| letter.is_ascii_lowercase()) {
            send(identifier, WordKind::Plain, take);
        } else {
            // Normalization may turn one letter into several characters, including separators (`½`
            // becomes `1⁄2`), so split again.
            identifiers(&normalize(identifier)).for_each(|identifier| parts(identifier, take));
        }
    }
}

fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter| !(is_word(letter) || is_joint(letter)))
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric()
        || (!letter.is_ascii() && (is_combining_mark(letter) || is_dropped(letter)))
}

fn is_joint(letter: char) -> bool {
    matches!(letter, '_' | '-')
}

/// Splits an identifier: `get_fileURL` becomes `get`, `file`, `url` and `getfileurl`.
fn parts(identifier: &str, take: &mut dyn FnMut(&str, WordKind)) {
    let mut whole = String::new();
    let mut count = 0;
    for part in identifier
        .split(is_joint)
        .flat_map(pieces)
        .filter(|part| !part.is_empty())
    {
        if part.starts_with(is_dense) {
            pairs(part, take);
            continue;
        }
        let start = whole.len();
        push_lower(part, &mut whole);
        count += 1;
        send(
            whole.get(start..).unwrap_or_default(),
            WordKind::Plain,
            take,
        );
    }
    // An identifier of one part would be counted twice.
    if count > 1 {
        send(&whole, WordKind::Whole, take);
    }
}

fn send(word: &str, kind: WordKind, take: &mut dyn FnMut(&str, WordKind)) {
    if !word.is_empty() && word.len() <= WORD_MAX {
        take(word, kind);
    }
}

/// Sends all pairs of neighboring letters, the best approximation of words without a dictionary. A
/// single letter is a word.
fn pairs(part: &str, take: &mut dyn FnMut(&str, WordKind)) {
    let ends: Vec<usize> = part
        .char_indices()
        .map(|(at, _)| at)
        .chain([part.len()])
        .collect();
    // `ends` has one more element than the part has letters. A letter among others has less weight
    // than a pair, because it occurs in many words.
    let kind = if ends.len() > 2 {
        WordKind::Letter
    } else {
        WordKind::Plain
    };
    let mut cut = |from: Option<&usize>, to: Option<&usize>, kind| {
        if let (Some(from), Some(to)) = (from, to) {
            take(part.get(*from..*to).unwrap_or_default(), kind);
        }
    };
    for at in 0..ends.len() {
        cut(ends.get(at), ends.get(at + 1), kind);
        cut(ends.get(at), ends.get(at + 2), WordKind::Plain);
    }
}

/// Cuts at changes of case, between letters and digits, and between scripts with and without
/// spaces.
fn pieces(run: &str) -> impl Iterator<Item = &str> {
    let mut start = 0;
    let ends = run
        .char_indices()
        .map(|(at, _)| at)
        .skip(1)
        .filter(|at| is_seam(run, *at))
        .chain([run.len()]);
    ends.map(move |end| {
        run.get(std::mem::replace(&mut start, end)..end)
            .unwrap_or_default()
    })
}

fn is_seam(run: &str, at: usize) -> bool {
    let (before, after) = run.split_at(at);
    let mut ahead = after.chars().map(LetterClass::from_char);
    let Some((last, next)) = before
        .chars()
        .next_back()
        .map(LetterClass::from_char)
        .zip(ahead.next())
    else {
        return false;
    };
    match (last, next) {
        // `HTTPServer` is two words, and `APIs` is one: the last capital starts a new word only if
        // at least two lower-case letters follow.
        (LetterClass::Upper, LetterClass::Upper) => {
            ahead
                .take(2)
                .filter(|class| *class == LetterClass::Lower)
                .count()
                == 2
        }
        // `Server`: the capital begins the word that follows.
        (LetterClass::Upper, LetterClass::Lower) => false,
        (last, next) => last != next,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LetterClass {
    Upper,
    Lower,
    Digit,
    Dense,
}

impl LetterClass {
    fn from_char(letter: char) -> Self {
        match letter {
            _ if letter.is_ascii_lowercase() => Self::Lower,
            _ if is_dense(letter) => Self::Dense,
            _ if letter.is_uppercase() => Self::Upper,
            _ if letter.is_numeric() => Self::Digit,
            // Letters without case (Arabic, Hindi) and combining marks do not start a new word.
            _ => Self::Lower,
        }
    }
}

/// Returns whether a letter belongs to a script without spaces, or to Korean, which attaches
/// endings to words.
fn is_dense(letter: char) -> bool {
    matches!(letter,
        '\u{e00}'..='\u{eff}' // Thai, Lao
        | '\u{1000}'..='\u{109f}' // Burmese
        | '\u{1780}'..='\u{17ff}' // Khmer
        | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' // kana
        | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' // Han
        | '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7af}') // Hangul
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> String {
        let mut found = Vec::new();
        each(text, &mut |word, kind| match kind {
            WordKind::Plain => found.push(word.to_owned()),
            WordKind::Whole => found.push(format!("({word})")),
            WordKind::Letter => {}
        });
        found.join(" ")
    }

    #[test]
    fn identifiers_are_split_and_kept() {
        for (text, split) in [
            ("list commits", "list commits"),
            ("get_file-contents", "get file contents (getfilecontents)"),
            ("getHTTPServer", "get http server (gethttpserver)"),
            ("APIs of VMs", "apis of vms"),
            ("oauth2", "oauth 2 (oauth2)"),
            ("--dry-run, x", "dry run (dryrun) x"),
            ("snake_", "snake"),
            ("it's", "it s"),
            ("½ co\u{ad}op", "1 2 coop"),
            ("<ID>: a/b.c", "id a b c"),
            ("", ""),
            ("-_- !", ""),
        ] {
            assert_eq!(words(text), split, "{text}");
        }
    }

    #[test]
    fn every_script_has_words() {
        for (text, split) in [
            ("Größe ändern", "grosse andern"),
            ("удалить файл", "удалить фаил"),
            ("创建问题", "创建 建问 问题"),
            ("ファイルを開く", "ファ ァイ イル ルを を開 開く"),
            ("파일 삭제", "파일 삭제"),
            ("字", "字"),
            ("用git提交", "用 git 提交"),
            ("नमस्ते दुनिया", "नमस्ते दुनिया"),
            ("ข้อมูล", "ขอ อม มล"),
        ] {
            let found = words(text);
            if text == "ข้อมูล" {
                assert!(found.contains(' '), "{found}");
            } else {
                assert_eq!(found, split, "{text}");
            }
        }
    }

    #[test]
    fn data_is_no_word() {
        assert_eq!(words(&"a".repeat(WORD_MAX + 1)), "");
    }
}
