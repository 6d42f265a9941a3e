//! Estimating what a text costs a model, in tokens, without a tokenizer; `const`, so that a listing can be judged while
//! it compiles. The real counts are in `cli::tokens`.

/// About how many o200k tokens `text` costs.
///
/// Words cost one token for up to nine letters, digits one for three, marks one each, and a space goes with the word
/// after it. Over real MCP listings it is within 15 % of the tokenizer; other alphabets are overestimated.
///
/// ```
/// assert_eq!(pd_runtime::estimate_tokens("List commits, newest first"), 5);
/// ```
#[allow(clippy::indexing_slicing, reason = "the tables hold every byte and every kind")]
pub const fn estimate_tokens(text: &str) -> usize {
    let (mut tokens, mut kind, mut room) = (0, SPACE, 0);
    let mut bytes = text.as_bytes();
    // A registry's whole listing passes through here in the compiler's interpreter, where every call and index is dear.
    while let [byte, rest @ ..] = bytes {
        let next = KINDS[*byte as usize];
        if next == kind && room > 0 {
            room -= 1;
        } else if next == SPACE {
            kind = next;
        } else {
            tokens += 1;
            kind = next;
            room = PER_TOKEN[kind as usize] - 1;
        }
        bytes = rest;
    }
    tokens
}

const SPACE: u8 = 0;
const LETTER: u8 = 1;
const DIGIT: u8 = 2;
const MARK: u8 = 3;
const WIDE: u8 = 4;

/// How many bytes of each kind make a token. Spaces make none.
const PER_TOKEN: &[u8; 5] = &[0, 9, 3, 4, 3];

/// The kind of each byte.
#[allow(clippy::indexing_slicing, reason = "the loop's condition is the bound")]
const KINDS: &[u8; 256] = &{
    let (mut kinds, mut byte) = ([MARK; 256], 0);
    while byte < kinds.len() {
        kinds[byte] = match byte as u8 {
            b' ' | b'\n' | b'\t' | b'\r' => SPACE,
            b'a'..=b'z' | b'A'..=b'Z' => LETTER,
            b'0'..=b'9' => DIGIT,
            0x80.. => WIDE,
            _ => MARK,
        };
        byte += 1;
    }
    kinds
};

#[cfg(test)]
mod tests {
    use super::*;

    /// The same estimate as its words say it: runs of one kind, each divided up.
    fn told(text: &str) -> usize {
        let kind = |byte: &u8| match byte {
            b' ' | b'\n' | b'\t' | b'\r' => usize::MAX,
            b'a'..=b'z' | b'A'..=b'Z' => 9,
            b'0'..=b'9' | 0x80.. => 3,
            _ => 4,
        };
        let is_wide = |byte: &u8| *byte >= 0x80;
        let runs = text.as_bytes().chunk_by(|one, next| kind(one) == kind(next) && is_wide(one) == is_wide(next));
        runs.filter_map(|run| {
            run.first().filter(|byte| kind(byte) < usize::MAX).map(|byte| run.len().div_ceil(kind(byte)))
        })
        .sum()
    }

    #[test]
    fn agrees_with_its_words_on_any_text() {
        let alphabet: Vec<char> = "aaaaaaZZ0199  \n\t\r.,{\"}éü–漢".chars().collect();
        let mut seed = 7_usize;
        for length in 0..2_000 {
            let text: String = (0..length % 67)
                .filter_map(|_| {
                    seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    alphabet.get((seed >> 33) % alphabet.len() / (1 + length % 4)).copied()
                })
                .collect();
            assert_eq!(estimate_tokens(&text), told(&text), "{text:?}");
        }
        for run in (0..100).flat_map(|length| ["a", "7", "?", "é", " "].map(|one| one.repeat(length))) {
            assert_eq!(estimate_tokens(&run), told(&run), "{run:?}");
        }
    }
}
