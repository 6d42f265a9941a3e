//! The lint for texts that name a tool to callers who may not see it.

use super::{
    super::Registry,
    LintWarning,
    texts::{ReaderScopes, SharedText, shared_texts, tool_texts},
};
use crate::{registry::tool::Tool, tool::lint::Lint};
use std::collections::{HashMap, HashSet};

/// The tools that require scopes, by name.
type ScopedTools<'a, S> = HashMap<&'a str, &'a Tool<S>>;

/// Adds a warning for each tool that a text names to a reader without its scopes, once for each
/// tool or heading.
pub(super) fn check<S: 'static>(registry: &Registry<S>, warnings: &mut Vec<LintWarning>) {
    let scoped = registry
        .tools
        .iter()
        .filter(|tool| tool.scopes().next().is_some());
    let scoped: ScopedTools<'_, S> = scoped.map(|tool| (tool.name(), tool.as_ref())).collect();
    // Without scoped tools every name is public, and no text need be read.
    if scoped.is_empty() {
        return;
    }
    for tool in &registry.tools {
        check_tool(tool, &scoped, warnings);
    }
    let silent = registry.info.allow.contains(&Lint::NamesScopedTool);
    for text in shared_texts(registry).iter().filter(|_| !silent) {
        check_shared(text, &scoped, warnings);
    }
}

fn check_tool<S: 'static>(
    tool: &Tool<S>,
    scoped: &ScopedTools<'_, S>,
    warnings: &mut Vec<LintWarning>,
) {
    if tool.about.allow.contains(&Lint::NamesScopedTool) {
        return;
    }
    let readers = [tool.scopes().collect::<ReaderScopes<'_>>()];
    let mut known = HashSet::new();
    for (place, text) in tool_texts(&tool.about) {
        for named in exposed(&text, &readers, scoped) {
            // A reader of a tool's text may see the tool itself.
            if named.name() != tool.name() && known.insert(named.name()) {
                let advice =
                    "leave the name out in an overlay, or set the same `scopes` for both in `pd`";
                let advice = tool.about.is_relayed().then_some(advice);
                let words = message(&format!("its {place}"), named, advice);
                warnings.push(LintWarning::from_tool(
                    &tool.about,
                    Lint::NamesScopedTool,
                    words,
                ));
            }
        }
    }
}

fn check_shared<S: 'static>(
    text: &SharedText<'_>,
    scoped: &ScopedTools<'_, S>,
    warnings: &mut Vec<LintWarning>,
) {
    let mut known = HashSet::new();
    for named in exposed(text.text, &text.readers, scoped) {
        if known.insert(named.name()) {
            let advice = text.owner_advice;
            let is_relayed = text.owner_advice.is_some();
            let warning = LintWarning::from_registry(
                Lint::NamesScopedTool,
                message(&text.place, named, advice),
            );
            warnings.push(LintWarning {
                is_relayed,
                ..warning
            });
        }
    }
}

fn message<S: 'static>(place: &str, named: &Tool<S>, owner_advice: Option<&str>) -> String {
    let scopes: Vec<&str> = named.scopes().collect();
    format!(
        "`{}` in {place} is read by callers without its scope `{}`, who must not know of it; {}",
        named.name(),
        scopes.join("`, `"),
        owner_advice.unwrap_or("leave the name out"),
    )
}

/// Returns the tools that the text names and that one of its readers may not see.
fn exposed<'a, S: 'static>(
    text: &str,
    readers: &[ReaderScopes<'_>],
    scoped: &ScopedTools<'a, S>,
) -> impl Iterator<Item = &'a Tool<S>> {
    names_in(text)
        .filter_map(|name| scoped.get(name))
        .copied()
        .filter(|tool| {
            // The named tool may allow it too: its author decides whether its name is a secret.
            !tool.about.allow.contains(&Lint::NamesScopedTool)
                && readers
                    .iter()
                    .any(|reader| tool.scopes().any(|scope| !reader.contains(scope)))
        })
}

/// Returns the words of a text that may be a tool's name. A plain word such as `list` counts only
/// in code: elsewhere it is English.
fn names_in(text: &str) -> impl Iterator<Item = &str> {
    let is_part =
        |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.');
    let mut is_code = false;
    text.split_inclusive(move |letter| !is_part(letter))
        .filter_map(move |piece| {
            let name = piece
                .trim_end_matches(move |letter| !is_part(letter))
                .trim_matches(['.', '-']);
            let is_name = !name.is_empty() && (is_code || is_distinct(name));
            // A backtick after the previous piece opens code for the next word only. In `log
            // {"limit": 3}` the first word names a tool, and its arguments do not.
            is_code = piece.ends_with('`');
            is_name.then_some(name)
        })
}

/// Returns whether a word is not a plain word or number: it has a letter and a mark or digit, or a
/// capital after the first letter.
fn is_distinct(name: &str) -> bool {
    let has_letter = name.contains(|letter: char| letter.is_ascii_alphabetic());
    let has_mark = name.contains(|letter: char| !letter.is_ascii_alphabetic());
    (has_letter && has_mark) || name.chars().skip(1).any(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_code_or_distinct() {
        let names = |text| names_in(text).collect::<Vec<_>>();
        assert_eq!(
            names("Call `list` first, then delete_user. Then list."),
            ["list", "delete_user"]
        );
        assert_eq!(
            names("See getUser, v2.list and (drop-all)."),
            ["getUser", "v2.list", "drop-all"]
        );
        assert_eq!(
            names("`log {\"limit\": 3}` … Send mail to all-hands"),
            ["log", "all-hands"]
        );
        assert_eq!(names("?tools=a_b,c_d"), ["a_b", "c_d"]);
        assert!(
            names("Well-known words - and a dash.").contains(&"Well-known"),
            "no tool is called so"
        );
    }
}
