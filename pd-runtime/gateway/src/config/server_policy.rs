//! The servers that settings of Claude Code allow and deny: by name, by command, or by URL.

use super::{
    same_name::is_same_name,
    spanned::{SpannedData, SpannedMember, SpannedValue},
};

/// Returns the key of the list that denies a server.
pub(super) fn denying_key(settings: &SpannedValue, entry: &SpannedMember) -> Option<&'static str> {
    // A denial counts even if the other list allows the server.
    if rules(settings, "deniedMcpServers").is_some_and(|rules| is_named(rules, entry)) {
        return Some("deniedMcpServers");
    }
    // An empty list allows none.
    let allowed = rules(settings, "allowedMcpServers");
    allowed
        .is_some_and(|rules| !is_named(rules, entry))
        .then_some("allowedMcpServers")
}

fn rules<'v>(settings: &'v SpannedValue, key: &str) -> Option<&'v [SpannedValue]> {
    match settings.get(key).map(|member| &member.value.data) {
        Some(SpannedData::Array(rules)) => Some(rules),
        _ => None,
    }
}

fn is_named(rules: &[SpannedValue], entry: &SpannedMember) -> bool {
    rules.iter().any(|rule| concerns(rule, entry))
}

fn concerns(rule: &SpannedValue, entry: &SpannedMember) -> bool {
    if let Some(name) = text_of(rule, "serverName") {
        return is_same_name(&name, &entry.key);
    }
    if let Some(pattern) = text_of(rule, "serverUrl") {
        return text_of(&entry.value, "url").is_some_and(|url| fits(&pattern, &url));
    }
    let Some(command) = rule.get("serverCommand").map(|member| texts(&member.value)) else {
        return false;
    };
    let own = text_of(&entry.value, "command").map(|program| {
        let args = entry
            .value
            .get("args")
            .map(|member| texts(&member.value))
            .unwrap_or_default();
        std::iter::once(program).chain(args).collect::<Vec<_>>()
    });
    own == Some(command)
}

fn text_of(value: &SpannedValue, key: &str) -> Option<String> {
    Some(value.get(key)?.value.as_text()?.to_owned())
}

fn texts(value: &SpannedValue) -> Vec<String> {
    match &value.data {
        SpannedData::Array(elements) => elements
            .iter()
            .filter_map(|one| one.as_text().map(str::to_owned))
            .collect(),
        _ => Vec::new(),
    }
}

/// Returns whether a text fits a pattern, in which `*` stands for any text.
fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        // The first match is enough: a later one leaves less text for the parts after it.
        let Some((_, after)) = rest.split_once(part) else {
            return false;
        };
        rest = after;
    }
    true
}
