//! Rules for the keys of `meta(…)` (MCP, "General fields: `_meta`").

use crate::{args::Args, errors::Errors};

/// Checks that each key is valid, not reserved, and used once.
pub(super) fn check(args: &Args, errors: &mut Errors) {
    for (index, (key, _)) in args.meta.iter().enumerate() {
        let text = key.value();
        // Compared before the form is checked, so that an invalid key is not reported twice as
        // such.
        if args
            .meta
            .iter()
            .take(index)
            .any(|(earlier, _)| earlier.value() == text)
        {
            errors.at(
                key,
                format_args!("`meta` has the key \"{text}\" twice; keep one"),
            );
        } else if !is_legal(&text) {
            errors.at(key, "a key of `meta` has letters, digits, `-`, `_` and `.`, as in `\"example.org/rank\"`");
        } else if is_reserved(&text) {
            errors.at(
                key,
                format_args!(
                    "the keys below \"{}\" belong to MCP; choose a domain of yours",
                    prefix(&text)
                ),
            );
        }
    }
}

/// Returns whether the key has the form `name` or `labels.of.a.domain/name`.
fn is_legal(key: &str) -> bool {
    // The last slash, because a name cannot contain one, and the labels are then refused.
    let (labels, name) = key
        .rsplit_once('/')
        .map_or((None, key), |(labels, name)| (Some(labels), name));
    is_word(name, "-_.")
        && labels.is_none_or(|labels| labels.split('.').all(|label| is_word(label, "-")))
}

fn is_word(text: &str, inside: &str) -> bool {
    let edges = text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.ends_with(|c: char| c.is_ascii_alphanumeric());
    edges
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || inside.contains(c))
}

/// Returns whether the second label of the prefix is MCP's own, as in `io.modelcontextprotocol/…`.
fn is_reserved(key: &str) -> bool {
    // A key without a prefix has no labels, so MCP reserves none.
    key.contains('/')
        && matches!(
            prefix(key).split('.').nth(1),
            Some("modelcontextprotocol" | "mcp")
        )
}

fn prefix(key: &str) -> &str {
    key.rsplit_once('/').map_or("", |(prefix, _)| prefix)
}
