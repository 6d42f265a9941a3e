//! Texts that look like tokens.

use super::SECRET_MIN;

/// How tokens of well-known services begin.
const PREFIXES: [&str; 14] = [
    "ghp_",
    "gho_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "sk-",
    "xoxb-",
    "xoxp-",
    "AKIA",
    "AIza",
    "eyJ",
    "hf_",
    "npm_",
    "pypi-",
];
/// The shortest text without a meaning, in bytes.
const RANDOM_MIN: usize = 20;
/// The bits of each character of a random text.
const RANDOM_BITS: f64 = 3.5;

/// Returns whether a text looks like a token: it has a known beginning, or is long, of several
/// kinds of characters, and without repetitions. Paths, options and words with a separator have a
/// meaning.
pub(super) fn is_random(text: &str) -> bool {
    // Base64 has slashes, too. Of the texts with slashes, no path ends like base64.
    let is_base64 = text.ends_with('=');
    if text.starts_with('-')
        || !text
            .chars()
            .all(|letter| is_of_token(letter) || is_base64 && letter == '/')
    {
        return false;
    }
    // Words such as `sk-learn` begin like a token, too, but are short.
    if text.len() >= 2 * SECRET_MIN && PREFIXES.iter().any(|prefix| text.starts_with(prefix)) {
        return true;
    }
    let has_digit = text.contains(|letter: char| letter.is_ascii_digit());
    let has_lower = text.contains(|letter: char| letter.is_ascii_lowercase());
    let has_upper = text.contains(|letter: char| letter.is_ascii_uppercase());
    let is_mixed = has_digit && has_lower && has_upper;
    // Hex digits have one case, so the mix does not find them. 32 of them are 128 bits, or a UUID.
    let is_hex = text.len() >= 32
        && has_digit
        && text
            .chars()
            .all(|letter| letter.is_ascii_hexdigit() || letter == '-');
    // 3.5 bits need over 11 different characters (2^3.5), so a text with repetitions has less.
    text.len() >= RANDOM_MIN && (is_mixed && entropy(text) >= RANDOM_BITS || is_hex)
}

/// Returns whether tokens have a character.
pub(super) fn is_of_token(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.' | '+' | '=' | '~')
}

/// Returns the Shannon entropy of a text's bytes, in bits for each.
fn entropy(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in text.bytes() {
        counts
            .iter_mut()
            .skip(usize::from(byte))
            .take(1)
            .for_each(|count| *count += 1);
    }
    let length = f64::from(u32::try_from(text.len()).unwrap_or(u32::MAX));
    let parts = counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| f64::from(*count) / length);
    parts.map(|part| -part * part.log2()).sum()
}
