//! Lints about what model providers and hosts do with a tool: schemas that providers refuse, and names
//! that are too long behind the prefix of a host.

use super::{super::tool_spec::ToolSpec, correction::Correction};
use crate::{text::escape::one_line, tool::lint::Lint};
use pd_schema::provider_fit::provider_fit;

/// The longest name that leaves room for a prefix: providers accept 64 characters.
const NAME_MAX: usize = 40;
/// The most reasons in a warning.
const REASONS_MAX: usize = 3;

pub(super) fn check(about: &ToolSpec, warn: &mut impl FnMut(Lint, String)) {
    let length = about.name.chars().count();
    if length > NAME_MAX {
        let advice = Correction {
            author: &format!("use at most {NAME_MAX}"),
            owner: "set a shorter `prefix` in the `pd` object of its server",
        }
        .for_tool(about)
        .to_owned();
        let words = format!(
            "its name has {length} characters, and hosts add a prefix of up to 24 before a provider's limit of 64; {advice}"
        );
        warn(Lint::LongName, words);
    }
    let misfits = provider_fit(&about.input.schema);
    if !misfits.is_empty() {
        let mut reasons: Vec<_> =
            misfits.iter().take(REASONS_MAX).map(|one| one_line(&one.to_string()).into()).collect();
        let more = misfits.len().saturating_sub(REASONS_MAX);
        reasons.extend((more > 0).then(|| format!("{more} more")));
        let advice = Correction {
            author: "give each argument one type and a plain name",
            owner: "leave it out with `pd.exclude`, or tell the server's maintainers",
        };
        let words = format!(
            "model providers refuse its input schema, and each request with it: {}; {}",
            reasons.join("; "),
            advice.for_tool(about)
        );
        warn(Lint::RefusedSchema, words);
    }
}
