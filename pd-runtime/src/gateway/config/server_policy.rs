//! The servers that settings of Claude Code allow and deny: by name, by command, or by URL.

use super::{
    client_switches::is_same_name,
    spanned::{SpannedData, SpannedMember, SpannedValue},
};

/// Returns the key of the list that denies a server.
pub(super) fn denying_key(settings: &SpannedValue, entry: &SpannedMember) -> Option<&'static str> {
    let rules = |key: &str| match settings.get(key).map(|member| &member.value.data) {
        Some(SpannedData::Array(rules)) => Some(rules),
        _ => None,
    };
    let is_named = |rules: &Vec<SpannedValue>| rules.iter().any(|rule| concerns(rule, entry));
    if rules("deniedMcpServers").is_some_and(is_named) {
        return Some("deniedMcpServers");
    }
    // An empty list allows none.
    rules("allowedMcpServers").is_some_and(|rules| !is_named(rules)).then_some("allowedMcpServers")
}

fn concerns(rule: &SpannedValue, entry: &SpannedMember) -> bool {
    let text = |value: &SpannedValue, key: &str| Some(value.get(key)?.value.as_text()?.to_owned());
    if let Some(name) = text(rule, "serverName") {
        return is_same_name(&name, &entry.key);
    }
    if let Some(pattern) = text(rule, "serverUrl") {
        return text(&entry.value, "url").is_some_and(|url| fits(&pattern, &url));
    }
    let Some(command) = rule.get("serverCommand").map(|member| texts(&member.value)) else { return false };
    let own = text(&entry.value, "command").map(|program| {
        let args = entry.value.get("args").map(|member| texts(&member.value)).unwrap_or_default();
        std::iter::once(program).chain(args).collect::<Vec<_>>()
    });
    own == Some(command)
}

fn texts(value: &SpannedValue) -> Vec<String> {
    match &value.data {
        SpannedData::Array(elements) => elements.iter().filter_map(|one| one.as_text().map(str::to_owned)).collect(),
        _ => Vec::new(),
    }
}

/// Returns whether a text fits a pattern, in which `*` stands for any text.
fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    true
}
