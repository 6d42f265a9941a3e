//! String literals that are readable in the expansion.

use proc_macro2::Literal;

/// Emits the text as a literal, raw if escapes would make it hard to read.
pub(crate) fn text(text: &str) -> Literal {
    // A raw literal cannot contain a bare carriage return.
    if !text.contains(['"', '\\', '\n']) || text.contains('\r') {
        return Literal::string(text);
    }
    let hashes = "#".repeat(longest_run(text) + 1);
    let raw = format!("r{hashes}\"{text}\"{hashes}");
    raw.parse().unwrap_or_else(|_| Literal::string(text))
}

/// Returns the length of the longest run of hashes after a quote. A raw literal needs one hash
/// more.
fn longest_run(text: &str) -> usize {
    let after_quotes = text.split('"').skip(1);
    after_quotes
        .map(|rest| rest.len() - rest.trim_start_matches('#').len())
        .max()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_means_the_text() {
        for (meant, written) in [
            ("plain", r#""plain""#),
            ("with \"quotes\"", "r#\"with \"quotes\"\"#"),
            ("a\nb", "r#\"a\nb\"#"),
            ("\"# \"##", "r###\"\"# \"##\"###"),
            ("\r\n", r#""\r\n""#),
        ] {
            assert_eq!(text(meant).to_string(), written);
        }
    }
}
