//! Rewrites entries of Zed, opencode and others to the keys that most clients have.

use super::{
    server_objects,
    spanned::{SpannedData, SpannedMember, SpannedValue},
};

/// Rewrites all entries of a file.
pub(super) fn rewrite_entries(root: &mut SpannedValue) {
    // Collected first, because `find` borrows the root that the loop changes.
    let locations: Vec<_> = server_objects::find(root)
        .into_iter()
        .map(|object| object.location)
        .collect();
    for location in locations {
        let is_below_mcp = location.first() == Some(&"mcp");
        let object = location
            .iter()
            .try_fold(&mut *root, |value, key| member_mut(value, key));
        entries_mut(object).for_each(|entry| rewrite(entry, is_below_mcp));
    }
    let projects = member_mut(root, "projects").map(|value| &mut value.data);
    let Some(SpannedData::Object(projects)) = projects else {
        return;
    };
    for project in projects {
        entries_mut(member_mut(&mut project.value, "mcpServers"))
            .for_each(|entry| rewrite(entry, false));
    }
}

fn member_mut<'v>(value: &'v mut SpannedValue, key: &str) -> Option<&'v mut SpannedValue> {
    let SpannedData::Object(members) = &mut value.data else {
        return None;
    };
    members
        .iter_mut()
        .find(|member| member.key == key)
        .map(|member| &mut member.value)
}

/// Iterates over the members of each entry.
fn entries_mut(object: Option<&mut SpannedValue>) -> impl Iterator<Item = &mut Vec<SpannedMember>> {
    let members = match object.map(|object| &mut object.data) {
        Some(SpannedData::Object(members)) => Some(members),
        _ => None,
    };
    members
        .into_iter()
        .flatten()
        .filter_map(|member| match &mut member.value.data {
            SpannedData::Object(members) => Some(members),
            _ => None,
        })
}

fn rewrite(entry: &mut Vec<SpannedMember>, is_below_mcp: bool) {
    // `"transport": {"type": "sse", "url": …}`.
    if let Some(SpannedData::Object(members)) = take_if(entry, "transport", is_object) {
        members.into_iter().for_each(|member| add(entry, member));
    }
    // `"command": {"path": …, "args": …, "env": …}` of older versions of Zed.
    if let Some(SpannedData::Object(members)) = take_if(entry, "command", is_object) {
        for mut member in members {
            if member.key == "path" {
                "command".clone_into(&mut member.key);
            }
            add(entry, member);
        }
    }
    if is_below_mcp {
        rewrite_opencode(entry);
    }
}

/// Rewrites an entry of opencode. Entries in VS Code's `mcp.servers` have none of its keys.
fn rewrite_opencode(entry: &mut Vec<SpannedMember>) {
    let is_opencode =
        text_of(entry, "type").is_some_and(|kind| ["local", "remote"].contains(&kind));
    if let Some(SpannedData::Array(elements)) = take_if(entry, "command", is_array) {
        let mut elements = elements.into_iter();
        if let Some(program) = elements.next() {
            let offset = program.offset;
            add(
                entry,
                SpannedMember {
                    key: "command".to_owned(),
                    offset,
                    value: program,
                },
            );
            let args = SpannedValue {
                offset,
                data: SpannedData::Array(elements.collect()),
            };
            add(
                entry,
                SpannedMember {
                    key: "args".to_owned(),
                    offset,
                    value: args,
                },
            );
        }
    }
    rename(entry, "environment", "env");
    if is_opencode {
        // In opencode, this limits the time until the list of tools is known. In other clients, the
        // key of the same name limits each call.
        rename(entry, "timeout", "startup_timeout_ms");
        entry
            .iter_mut()
            .for_each(|member| rewrite_references(&mut member.value));
    }
}

/// Writes `{env:VAR}` of opencode as `${env:VAR}`, and `{file:PATH}` as `${file:PATH}`, which is
/// reported.
fn rewrite_references(value: &mut SpannedValue) {
    match &mut value.data {
        SpannedData::Text(text) => {
            for reference in ["{env:", "{file:"] {
                // The first replacement removes a `$` that the text has already, so that the second
                // one does not write two.
                let rewritten = format!("${reference}");
                *text = text
                    .replace(&rewritten, reference)
                    .replace(reference, &rewritten);
            }
        }
        SpannedData::Array(elements) => elements.iter_mut().for_each(rewrite_references),
        SpannedData::Object(members) => members
            .iter_mut()
            .for_each(|member| rewrite_references(&mut member.value)),
        _ => {}
    }
}

fn is_object(data: &SpannedData) -> bool {
    matches!(data, SpannedData::Object(_))
}

fn is_array(data: &SpannedData) -> bool {
    matches!(data, SpannedData::Array(_))
}

/// Removes a member if its value has a type, and returns the value.
fn take_if(
    entry: &mut Vec<SpannedMember>,
    key: &str,
    has_type: fn(&SpannedData) -> bool,
) -> Option<SpannedData> {
    let index = entry
        .iter()
        .position(|member| member.key == key && has_type(&member.value.data))?;
    Some(entry.remove(index).value.data)
}

/// Adds a member, unless the entry has one with the same name.
fn add(entry: &mut Vec<SpannedMember>, member: SpannedMember) {
    if entry.iter().all(|known| known.key != member.key) {
        entry.push(member);
    }
}

fn rename(entry: &mut [SpannedMember], from: &str, to: &str) {
    if entry.iter().any(|member| member.key == to) {
        return;
    }
    if let Some(member) = entry.iter_mut().find(|member| member.key == from) {
        to.clone_into(&mut member.key);
    }
}

fn text_of<'v>(entry: &'v [SpannedMember], key: &str) -> Option<&'v str> {
    entry
        .iter()
        .find(|member| member.key == key)?
        .value
        .as_text()
}
