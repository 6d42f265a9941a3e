//! An estimate of a text's cost in tokens, without a tokenizer. It is `const`, so that the compiler
//! can check the budget of a listing. `cli::tokens` counts real tokens.

/// Estimates how many o200k tokens `text` costs.
///
/// A word costs one token for each nine letters or part of them, and digits one for each three.
/// Four marks or three bytes beyond ASCII cost one, and a space belongs to the word after it. For
/// real MCP listings the estimate is within 15 % of the tokenizer. Other alphabets are
/// overestimated.
///
/// ```
/// assert_eq!(pd_runtime::estimate_tokens("List commits, newest first"), 5);
/// ```
#[allow(
    clippy::indexing_slicing,
    reason = "the tables hold every byte and every kind"
)]
pub const fn estimate_tokens(text: &str) -> usize {
    let mut tokens = 0;
    let mut kind = SPACE;
    let mut room = 0;
    let mut bytes = text.as_bytes();
    // The compiler interprets this loop for a registry's whole listing. Every call and index in it
    // slows compilation down, so it looks up one table per byte.
    while let [byte, rest @ ..] = bytes {
        let next = KINDS[*byte as usize];
        // `room` is what is left of the current token, so a run costs its length divided by the
        // token's size, rounded up.
        if next == kind && room > 0 {
            room -= 1;
        } else if next == SPACE {
            // A space ends the run but costs nothing. The next byte starts another token.
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

/// The number of bytes of each kind per token. Spaces cost nothing.
const PER_TOKEN: &[u8; 5] = &[0, 9, 3, 4, 3];

/// The kind of each byte.
#[allow(clippy::indexing_slicing, reason = "the loop's condition is the bound")]
const KINDS: &[u8; 256] = &{
    let mut kinds = [MARK; 256];
    let mut byte = 0;
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

    /// Computes the same estimate in another way: by runs of one kind, each divided by the size of
    /// its tokens.
    fn estimate_by_runs(text: &str) -> usize {
        let kind = |byte: &u8| match byte {
            b' ' | b'\n' | b'\t' | b'\r' => usize::MAX,
            b'a'..=b'z' | b'A'..=b'Z' => 9,
            b'0'..=b'9' | 0x80.. => 3,
            _ => 4,
        };
        let is_wide = |byte: &u8| *byte >= 0x80;
        let runs = text
            .as_bytes()
            .chunk_by(|one, next| kind(one) == kind(next) && is_wide(one) == is_wide(next));
        runs.filter_map(|run| {
            run.first()
                .filter(|byte| kind(byte) < usize::MAX)
                .map(|byte| run.len().div_ceil(kind(byte)))
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
                    alphabet
                        .get((seed >> 33) % alphabet.len() / (1 + length % 4))
                        .copied()
                })
                .collect();
            assert_eq!(estimate_tokens(&text), estimate_by_runs(&text), "{text:?}");
        }
        for run in
            (0..100).flat_map(|length| ["a", "7", "?", "é", " "].map(|one| one.repeat(length)))
        {
            assert_eq!(estimate_tokens(&run), estimate_by_runs(&run), "{run:?}");
        }
    }
}
