//! Compares two states of the contracts, fact by fact. `schema` compares schemas.

use super::{
    change::{ContractChange, ContractChanges},
    columns,
    contract::ToolContract,
    render,
    schema::{self, SchemaRole},
};
use rmcp::model::JsonObject;
use serde_json::Value;

/// Facts with a text: the key, and the name in messages.
const TEXTS: &[(&str, &str)] = &[
    ("summary", "summary"),
    ("title", "title"),
    ("description", "description"),
    ("deprecated", "deprecation"),
];

/// Facts with a list of words: the key, the name in messages, and `true` if an added word breaks
/// callers.
const LISTS: &[(&str, &str, bool)] = &[
    ("scopes", "scope", true),
    ("aliases", "alias", false),
    ("related", "related tool", false),
];

/// Returns the changes from the old contracts to the new ones, in the new order. Removed tools come
/// last.
pub(super) fn compare_locks(old: &[ToolContract], new: &[ToolContract]) -> ContractChanges {
    // Collected first: a new tool may be one of these under another name.
    let mut gone: Vec<&ToolContract> = old
        .iter()
        .filter(|old| !new.iter().any(|new| new.name == old.name))
        .collect();
    let mut changes = Vec::new();
    for contract in new {
        if let Some(old) = old.iter().find(|old| old.name == contract.name) {
            changes.extend(compare_tools(old, contract));
        // A removed and a new tool with equal facts are one renamed tool.
        } else if let Some(at) = gone.iter().position(|gone| gone.facts == contract.facts) {
            let words = format!("renamed, was `{}`", gone.remove(at).name);
            changes.push(ContractChange::new(&contract.name, words, true));
        } else {
            changes.push(ContractChange::new(&contract.name, "new tool", false));
        }
    }
    changes.extend(
        gone.into_iter()
            .map(|gone| ContractChange::new(&gone.name, "removed", true)),
    );
    ContractChanges(changes)
}

/// MCP's tool annotations on which hosts decide whether to ask the user, with their defaults.
pub const HINT_DEFAULTS: [(&str, bool); 4] = [
    ("readOnlyHint", false),
    ("destructiveHint", true),
    ("idempotentHint", false),
    ("openWorldHint", true),
];

/// Compares two contracts of one tool.
pub(super) fn compare_tools(old: &ToolContract, new: &ToolContract) -> Vec<ContractChange> {
    let mut comparison = ToolComparison {
        tool: &new.name,
        changes: Vec::new(),
    };
    let before = &old.facts;
    let now = &new.facts;
    for (key, name) in TEXTS {
        comparison.text(name, before.get(*key), now.get(*key));
    }
    comparison.schemas(before, now);
    comparison.examples(before.get("examples"), now.get("examples"));
    comparison.guidance(before.get("usage_guidance"), now.get("usage_guidance"));
    comparison.errors(before.get("error_guidance"), now.get("error_guidance"));
    comparison.hints(before.get("annotations"), now.get("annotations"));
    for (key, name, breaks) in LISTS {
        comparison.list(name, *breaks, before.get(*key), now.get(*key));
    }
    comparison.columns(before.get("columns"), now.get("columns"));
    comparison.eager(before.get("eager"), now.get("eager"));
    // Last, because it reports another order of a list only if no other change was found.
    comparison.rest(before, now);
    // The digest covers facts that are compared above, so a difference in the digest alone means
    // that the file was edited.
    if comparison.changes.is_empty() && old.digest != new.digest {
        comparison.compatible(
            "the digest does not match the contract in the file, which was edited by hand"
                .to_owned(),
        );
    }
    comparison.changes
}

/// Collects the changes of one tool.
struct ToolComparison<'a> {
    tool: &'a str,
    changes: Vec<ContractChange>,
}

impl ToolComparison<'_> {
    fn compatible(&mut self, words: String) {
        self.changes
            .push(ContractChange::new(self.tool, words, false));
    }

    fn breaking(&mut self, words: String) {
        self.changes
            .push(ContractChange::new(self.tool, words, true));
    }

    fn text(&mut self, name: &str, old: Option<&Value>, new: Option<&Value>) {
        match (old.map(text_of), new.map(text_of)) {
            (Some(old), Some(new)) if old != new => {
                self.compatible(format!("{name}: {}", render::texts(&old, &new)))
            }
            (None, Some(new)) => self.compatible(format!("{name} added: {}", render::text(&new))),
            (Some(old), None) => self.compatible(format!("{name} removed: {}", render::text(&old))),
            _ => {}
        }
    }

    fn schemas(&mut self, old: &JsonObject, new: &JsonObject) {
        for (key, role) in [
            ("inputSchema", SchemaRole::Arguments),
            ("outputSchema", SchemaRole::Result),
        ] {
            match (old.get(key), new.get(key)) {
                (Some(old), Some(new)) => {
                    let differences = schema::compare(old, new, role).into_iter();
                    let tool = self.tool;
                    self.changes.extend(
                        differences.map(|one| {
                            ContractChange::new(tool, one.render(role), one.breaks(role))
                        }),
                    );
                }
                // Callers of the old contract expected no schema, so they read the results as
                // before.
                (None, Some(_)) if role == SchemaRole::Result => {
                    self.compatible("results have a schema now".to_owned())
                }
                (Some(_), None) if role == SchemaRole::Result => {
                    self.breaking("results have no schema any more".to_owned())
                }
                (None, None) => {}
                _ => self.breaking(format!("`{key}` is in one of the locks only")),
            }
        }
    }

    fn examples(&mut self, old: Option<&Value>, new: Option<&Value>) {
        let (removed, added) = difference(items(old), items(new));
        for (example, became) in removed
            .iter()
            .map(|one| (one, "removed"))
            .chain(added.iter().map(|one| (one, "added")))
        {
            let input = example.get("input").unwrap_or(example);
            self.compatible(format!("example {became}: {}", render::value(input)));
        }
    }

    fn guidance(&mut self, old: Option<&Value>, new: Option<&Value>) {
        for (key, name) in [("common_patterns", "guidance"), ("important_notes", "note")] {
            self.list(name, false, member(old, key), member(new, key));
        }
    }

    fn errors(&mut self, old: Option<&Value>, new: Option<&Value>) {
        let key = "common_errors";
        let (removed, added) = difference(items(member(old, key)), items(member(new, key)));
        for help in &removed {
            // The code names the help, so equal codes on both sides are one changed text.
            let became = if has_code_of(help, &added) {
                "changed"
            } else {
                "removed"
            };
            self.compatible(format!(
                "help for the error `{}` {became}",
                error_code(help)
            ));
        }
        for help in added.iter().filter(|help| !has_code_of(help, &removed)) {
            self.compatible(format!("help for the error `{}` added", error_code(help)));
        }
    }

    /// Compares tool annotations. A change breaks callers that relied on the safer value.
    fn hints(&mut self, old: Option<&Value>, new: Option<&Value>) {
        // A missing annotation means its default, so only effective values are compared.
        for (key, default) in HINT_DEFAULTS {
            // Each default is the value that a caller must be more careful with.
            let safe = !default;
            let before = member(old, key).and_then(Value::as_bool);
            let now = member(new, key).and_then(Value::as_bool);
            if before != now
                && let Some(words) =
                    render::change(describe_hint(key, before), describe_hint(key, now))
            {
                let lost = before.unwrap_or(default) == safe && now.unwrap_or(default) != safe;
                self.changes.push(ContractChange::new(
                    self.tool,
                    format!("hint: {words}"),
                    lost,
                ));
            }
        }
    }

    /// Compares lists. `more_breaks` is `true` if an added member requires something of callers.
    fn list(&mut self, name: &str, more_breaks: bool, old: Option<&Value>, new: Option<&Value>) {
        let (removed, added) = difference(items(old), items(new));
        for gone in removed {
            self.compatible(format!("{name} removed: {}", describe_item(gone)));
        }
        for more in added {
            self.changes.push(ContractChange::new(
                self.tool,
                format!("{name} added: {}", describe_item(more)),
                more_breaks,
            ));
        }
    }

    fn eager(&mut self, old: Option<&Value>, new: Option<&Value>) {
        match (old.is_some(), new.is_some()) {
            (true, false) => {
                self.breaking("no longer eager: callers read its description first".to_owned())
            }
            (false, true) => {
                self.compatible("eager now: callers need not read its description first".to_owned())
            }
            _ => {}
        }
    }

    fn columns(&mut self, old: Option<&Value>, new: Option<&Value>) {
        let tool = self.tool;
        self.changes.extend(
            columns::compare(old, new)
                .into_iter()
                .map(|(words, breaks)| ContractChange::new(tool, words, breaks)),
        );
    }

    /// Compares the facts that no method above compares, such as `_meta` and the order of lists.
    fn rest(&mut self, old: &JsonObject, new: &JsonObject) {
        let all = old
            .keys()
            .chain(new.keys().filter(|key| !old.contains_key(*key)));
        for key in all.filter(|key| old.get(*key) != new.get(*key)) {
            match key.as_str() {
                "inputSchema" | "outputSchema" | "annotations" | "columns" | "eager" => {}
                key if TEXTS.iter().any(|(text, _)| *text == key) => {}
                "_meta" => self.compatible("`_meta` changed".to_owned()),
                key if is_list(key) => self.report_order(key),
                // A newer version of this library may have written a fact that this one does not
                // know.
                key => self.breaking(format!(
                    "`{key}` changed, which cannot be shown to be compatible"
                )),
            }
        }
    }

    /// Reports another order of a list. Added and removed members were reported before, and only
    /// without any is the order left as the cause.
    fn report_order(&mut self, key: &str) {
        if self.changes.is_empty() {
            self.compatible(format!("`{key}` is in another order"));
        }
    }
}

fn text_of(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn member<'a>(object: Option<&'a Value>, key: &str) -> Option<&'a Value> {
    object.and_then(|object| object.get(key))
}

fn error_code(help: &Value) -> &str {
    help.get("error")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

fn has_code_of(help: &Value, list: &[&Value]) -> bool {
    list.iter()
        .any(|other| error_code(other) == error_code(help))
}

fn describe_hint(key: &str, hint: Option<bool>) -> Option<String> {
    hint.map(|hint| format!("`{key}` {hint}"))
}

fn describe_item(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| render::value(value), render::text)
}

fn is_list(key: &str) -> bool {
    matches!(key, "examples" | "usage_guidance" | "error_guidance")
        || LISTS.iter().any(|(list, ..)| *list == key)
}

fn items(list: Option<&Value>) -> &[Value] {
    list.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns the members that only the old list has, and the members that only the new list has.
fn difference<'a>(old: &'a [Value], new: &'a [Value]) -> (Vec<&'a Value>, Vec<&'a Value>) {
    (without(old, new), without(new, old))
}

fn without<'a>(list: &'a [Value], other: &[Value]) -> Vec<&'a Value> {
    list.iter().filter(|item| !other.contains(item)).collect()
}
