//! The call to send after a refusal or an error: the one that was sent, corrected as far as it can
//! be.

use crate::{
    catalog::{
        entry::CatalogEntry,
        signature::argument::{ArgumentType, accepts_type, known_names, required_names},
    },
    registry::{tool_spec::ToolSpec, validate::InvalidArguments},
    schema::{pointer, violations::ViolationKind},
    text::{invisible::is_invisible, suggest::nearest_tool},
    tool::descriptor::TICKET_ARGUMENT,
};
use rmcp::model::JsonObject;
use serde_json::Value;

/// The longest text that is repeated, in characters.
const KEPT_MAX: usize = 80;
/// The most items of an array that are repeated.
const ITEMS_MAX: usize = 10;
/// The longest corrected call, in bytes.
const CALL_MAX: usize = 1_000;
/// The most names that are offered for an unknown one.
const OFFERS_MAX: usize = 3;
/// The deepest value that is repeated.
const DEPTH_MAX: usize = 16;

/// A value of the corrected call.
#[derive(Debug)]
enum CorrectedValue {
    /// A number, a word, or a short text, as JSON.
    Kept(String),
    /// What to put there, in angle brackets. It is no JSON, so that nobody sends it as it is.
    Wanted(String),
    Object(Vec<CorrectedMember>),
    Array(Vec<CorrectedValue>),
}

/// A member of an object.
#[derive(Debug)]
struct CorrectedMember {
    name: String,
    /// The names that may be meant, if the schema does not have `name`.
    meant: Vec<String>,
    value: CorrectedValue,
}

/// The corrected arguments of a call.
#[derive(Debug)]
pub(super) struct CorrectedCall {
    arguments: CorrectedValue,
    /// Names of arguments that the tool does not use.
    pub(super) unused: Vec<String>,
}

impl CorrectedCall {
    /// Validates a tool's arguments, and corrects them if they are not valid. Returns `None` if a
    /// violation does not say what must change.
    pub(super) fn check(entry: &CatalogEntry, arguments: JsonObject, ticket: Option<&str>) -> Option<Self> {
        let about = &entry.tool.about;
        match entry.validator.validate(about.input.completed(arguments)) {
            Ok(arguments) => Some(Self::repeat(about, &arguments, ticket)),
            Err(invalid) => Self::from_invalid(about, &invalid, ticket),
        }
    }

    /// Corrects arguments by their violations. Returns `None` if a violation does not say what must
    /// change.
    pub(super) fn from_invalid(about: &ToolSpec, invalid: &InvalidArguments, ticket: Option<&str>) -> Option<Self> {
        let schema = Value::Object((*about.input.schema).clone());
        let mut call = Self::repeat(about, &invalid.arguments, ticket);
        let violations = invalid.violations.first.iter();
        let paths: Vec<(Vec<String>, ViolationKind)> =
            violations.map(|one| Some((steps(&one.pointer)?, one.kind))).collect::<Option<_>>()?;
        // Renamed first, because a name that is missing may be there under another one.
        call.rename(&schema, &[]);
        for (path, _) in paths.iter().filter(|(_, kind)| *kind != ViolationKind::Value) {
            let (_, parent) = path.split_last()?;
            call.rename(&schema, parent);
        }
        for (path, kind) in &paths {
            call.correct(&schema, path, *kind)?;
        }
        Some(call)
    }

    /// Repeats arguments, without defaults that the server added.
    fn repeat(about: &ToolSpec, arguments: &JsonObject, ticket: Option<&str>) -> Self {
        let is_default = |(name, value): &(&String, &Value)| {
            about.input.defaults.iter().any(|(own, default)| own == *name && default == *value)
        };
        let own = arguments.iter().filter(|member| !is_default(member));
        let mut members: Vec<_> = own.map(|(name, value)| CorrectedMember::new(name, kept(value, 0))).collect();
        let ticket = ticket.map(|ticket| CorrectedValue::Kept(Value::from(ticket).to_string()));
        members.extend(ticket.map(|ticket| CorrectedMember::new(TICKET_ARGUMENT, ticket)));
        Self { arguments: CorrectedValue::Object(members), unused: Vec::new() }
    }

    /// Renders the request to call a tool again. Returns `None` if the arguments are too long to
    /// repeat.
    pub(super) fn render_request(&self, name: &str) -> Option<String> {
        let mut call = String::new();
        self.arguments.write(&mut call);
        let fill = if self.arguments.is_complete() { "" } else { "; replace each <…>" };
        (call.len() <= CALL_MAX).then(|| format!("Call {name} again with these arguments{fill}:\n{call}"))
    }

    /// Gives the members of an object the names that were meant, and removes those that the schema
    /// does not have.
    fn rename(&mut self, schema: &Value, path: &[String]) {
        let steps: Vec<&str> = path.iter().map(String::as_str).collect();
        let Some(known) = known_names(schema, &steps) else { return };
        let Some(CorrectedValue::Object(members)) = self.arguments.get(path) else { return };
        let mut names = MissingNames::new(known, required_names(schema, &steps), members);
        let accepts = |name: &str, kind: &str| {
            let steps: Vec<&str> = steps.iter().copied().chain([name]).collect();
            accepts_type(schema, &steps, kind)
        };
        members.iter_mut().for_each(|member| names.rename_similar(member));
        names.rename_only_fitting(members, accepts);
        members.iter_mut().for_each(|member| names.offer_fitting(member, accepts));
        let is_used = |member: &CorrectedMember| names.has(&member.name) || !member.meant.is_empty();
        let (used, unused): (Vec<_>, Vec<_>) = std::mem::take(members).into_iter().partition(is_used);
        *members = used;
        let unused = unused.into_iter().map(|member| member.name).filter(|name| is_repeatable(name));
        self.unused.extend(unused.take(ITEMS_MAX));
    }

    fn correct(&mut self, schema: &Value, path: &[String], kind: ViolationKind) -> Option<()> {
        let (last, parent) = path.split_last()?;
        let steps: Vec<&str> = path.iter().map(String::as_str).collect();
        match (kind, self.arguments.get(parent)?) {
            (ViolationKind::Unknown, CorrectedValue::Object(members)) => {
                members.retain(|member| member.name != *last || !member.meant.is_empty());
            }
            (ViolationKind::Missing, CorrectedValue::Object(members)) => {
                if members.iter().all(|member| member.name != *last) {
                    members.push(CorrectedMember::new(last, wanted(schema, &steps)));
                }
            }
            (ViolationKind::Value, _) => {
                // It may be gone with a name that the schema does not have.
                if let Some(value) = self.arguments.get(path) {
                    *value = wanted(schema, &steps);
                }
            }
            _ => return None,
        }
        Some(())
    }
}

impl CorrectedMember {
    fn new(name: &str, value: CorrectedValue) -> Self {
        Self { name: name.to_owned(), meant: Vec::new(), value }
    }

    fn write(&self, out: &mut String) {
        if self.meant.is_empty() {
            out.push_str(&Value::from(self.name.as_str()).to_string());
        } else {
            out.push('<');
            out.push_str(&self.meant.join("|"));
            out.push('>');
        }
        out.push_str(": ");
        self.value.write(out);
    }
}

/// The names of an object's properties that were not sent.
struct MissingNames<'s> {
    known: Vec<&'s str>,
    required: Vec<&'s str>,
    /// Required ones first.
    missing: Vec<&'s str>,
}

impl<'s> MissingNames<'s> {
    fn new(known: Vec<&'s str>, mut required: Vec<&'s str>, sent: &[CorrectedMember]) -> Self {
        let is_missing = |name: &&str| sent.iter().all(|member| member.name != *name);
        required.retain(is_missing);
        let optional = known.iter().copied().filter(|name| is_missing(name) && !required.contains(name));
        let missing = required.iter().copied().chain(optional).collect();
        Self { known, required, missing }
    }

    fn has(&self, name: &str) -> bool {
        name == TICKET_ARGUMENT || self.known.contains(&name)
    }

    /// Gives a member with an unknown name the name that is similar to it.
    fn rename_similar(&mut self, member: &mut CorrectedMember) {
        if !self.has(&member.name)
            && let Some(similar) = nearest_tool(&member.name, &self.missing)
        {
            self.rename(member, similar);
        }
    }

    /// Gives the only required name that is missing to the only unknown member of its type.
    fn rename_only_fitting(&mut self, members: &mut [CorrectedMember], accepts: impl Fn(&str, &str) -> bool) {
        let [missing] = self.required[..] else { return };
        let fits = |member: &&mut CorrectedMember| {
            !self.has(&member.name) && member.value.json_type().is_some_and(|kind| accepts(missing, kind))
        };
        let mut fitting = members.iter_mut().filter(fits);
        if let (Some(member), None) = (fitting.next(), fitting.next()) {
            self.rename(member, missing);
        }
    }

    fn rename(&mut self, member: &mut CorrectedMember, name: &str) {
        member.name = name.to_owned();
        self.missing.retain(|one| *one != name);
        self.required.retain(|one| *one != name);
    }

    /// Offers the names whose types fit to a member with an unknown name.
    fn offer_fitting(&self, member: &mut CorrectedMember, accepts: impl Fn(&str, &str) -> bool) {
        let Some(kind) = member.value.json_type().filter(|_| !self.has(&member.name)) else { return };
        let fitting: Vec<&str> = self.missing.iter().copied().filter(|name| accepts(name, kind)).collect();
        // A required one is asked for anyway.
        if fitting.len() <= OFFERS_MAX && !fitting.iter().any(|name| self.required.contains(name)) {
            member.meant = fitting.into_iter().map(str::to_owned).collect();
        }
    }
}

impl CorrectedValue {
    /// Returns the value that these steps lead to.
    fn get(&mut self, path: &[String]) -> Option<&mut Self> {
        path.iter().try_fold(self, |value, step| match value {
            Self::Object(members) => {
                members.iter_mut().find(|member| member.name == *step).map(|member| &mut member.value)
            }
            Self::Array(items) => items.get_mut(step.parse::<usize>().ok()?),
            _ => None,
        })
    }

    /// Returns the JSON type of a value that is repeated.
    fn json_type(&self) -> Option<&'static str> {
        match self {
            Self::Kept(text) if text.starts_with('"') => Some("string"),
            Self::Kept(text) if text.starts_with(['t', 'f']) => Some("boolean"),
            Self::Kept(text) if text.contains(['.', 'e', 'E']) => Some("number"),
            Self::Kept(text) if text == "null" => Some("null"),
            Self::Kept(_) => Some("integer"),
            Self::Object(_) => Some("object"),
            Self::Array(_) => Some("array"),
            Self::Wanted(_) => None,
        }
    }

    /// Returns whether there is nothing to fill in.
    fn is_complete(&self) -> bool {
        match self {
            Self::Kept(_) => true,
            Self::Wanted(_) => false,
            Self::Object(members) => members.iter().all(|member| member.meant.is_empty() && member.value.is_complete()),
            Self::Array(items) => items.iter().all(Self::is_complete),
        }
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Kept(text) => out.push_str(text),
            Self::Wanted(text) => {
                out.push('<');
                out.push_str(text);
                out.push('>');
            }
            Self::Object(members) => {
                let mut sign = "{";
                for member in members {
                    out.push_str(std::mem::replace(&mut sign, ", "));
                    member.write(out);
                }
                out.push_str(if members.is_empty() { "{}" } else { "}" });
            }
            Self::Array(items) => {
                let mut sign = "[";
                for item in items {
                    out.push_str(std::mem::replace(&mut sign, ", "));
                    item.write(out);
                }
                out.push_str(if items.is_empty() { "[]" } else { "]" });
            }
        }
    }
}

/// Repeats a value. What is long or cannot be seen is named and not repeated.
fn kept(value: &Value, depth: usize) -> CorrectedValue {
    match value {
        Value::String(text) if !is_repeatable(text) => CorrectedValue::Wanted("as before".to_owned()),
        Value::Array(items) if items.len() <= ITEMS_MAX && depth < DEPTH_MAX => {
            CorrectedValue::Array(items.iter().map(|item| kept(item, depth + 1)).collect())
        }
        Value::Object(members) if depth < DEPTH_MAX => {
            let member = |(name, value): (&String, &Value)| CorrectedMember::new(name, kept(value, depth + 1));
            CorrectedValue::Object(members.iter().map(member).collect())
        }
        Value::Array(_) | Value::Object(_) => CorrectedValue::Wanted("as before".to_owned()),
        scalar => CorrectedValue::Kept(scalar.to_string()),
    }
}

fn is_repeatable(text: &str) -> bool {
    text.chars().nth(KEPT_MAX).is_none() && !text.chars().any(|letter| is_invisible(letter) || letter.is_control())
}

/// Describes a value that is missing or wrong.
fn wanted(schema: &Value, steps: &[&str]) -> CorrectedValue {
    let Some(ArgumentType { form, about }) = ArgumentType::find(schema, steps) else {
        return CorrectedValue::Wanted("another value".to_owned());
    };
    CorrectedValue::Wanted(if about.is_empty() { form } else { format!("{form}: {about}") })
}

/// Returns the steps of a JSON pointer. Returns `None` for the root, and for a pointer that was
/// cut.
fn steps(pointer: &str) -> Option<Vec<String>> {
    let steps = pointer.strip_prefix('/')?.split('/');
    (!pointer.ends_with('…')).then(|| steps.map(|step| pointer::unescaped(step.into()).into_owned()).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use serde_json::json;
    use std::sync::Arc;

    /// Returns the corrected call and the arguments that the tool does not use.
    fn corrected(schema: &Value, arguments: &Value) -> (Option<String>, Vec<String>) {
        let definition = rmcp::model::Tool::new("tool", "A tool", Arc::new(schema.as_object().unwrap().clone()));
        let about = ToolSpec::from_definition(definition);
        let validator = about.input.validator().unwrap();
        let invalid = validator.validate(arguments.as_object().unwrap().clone()).unwrap_err();
        let call = CorrectedCall::from_invalid(&about, &invalid, None);
        call.map_or((None, Vec::new()), |call| (call.render_request("tool"), call.unused))
    }

    fn call(schema: &Value, arguments: &Value) -> String {
        let request = corrected(schema, arguments).0.unwrap_or_default();
        let (_, call) = request.split_once(":\n").unwrap_or_default();
        call.to_owned()
    }

    fn issue(is_closed: bool) -> Value {
        json!({
            "type": "object",
            "properties": {
                "owner": { "type": "string", "description": "The account that owns the repository." },
                "repo": { "type": "string" },
                "body": { "type": "string" },
                "state": { "enum": ["open", "closed"] },
                "labels": { "type": "array", "items": { "type": "string" } },
                "target": {
                    "type": "object",
                    "properties": { "branch": { "type": "string" }, "line": { "type": "integer", "minimum": 1 } },
                    "required": ["branch"],
                },
            },
            "required": ["owner", "repo"],
            "additionalProperties": !is_closed,
        })
    }

    #[test]
    fn missing_arguments_are_added_and_others_kept() {
        for schema in [issue(true), issue(false)] {
            assert_eq!(
                call(&schema, &json!({ "repo": "demo", "state": "open", "labels": ["bug"] })),
                r#"{"repo": "demo", "state": "open", "labels": ["bug"], "owner": <string: The account that owns the repository>}"#
            );
        }
    }

    #[test]
    fn arguments_get_the_names_that_were_meant() {
        for schema in [issue(true), issue(false)] {
            assert_eq!(
                call(&schema, &json!({ "repository": "demo", "Owner": "octo" })),
                r#"{"repo": "demo", "owner": "octo"}"#
            );
        }
    }

    #[test]
    fn the_only_missing_argument_is_the_only_unknown_one_of_its_type() {
        for schema in [issue(true), issue(false)] {
            let (found, unused) = corrected(&schema, &json!({ "owner": "octo", "project": "demo", "count": 3 }));
            assert!(found.is_some_and(|call| call.ends_with(r#"{"owner": "octo", "repo": "demo"}"#)));
            assert_eq!(unused, ["count"], "no argument is a number");
            let (found, _) = corrected(&schema, &json!({ "owner": "octo", "project": "demo", "other": "x" }));
            assert!(found.is_some_and(|call| call.ends_with(r#"{"owner": "octo", "repo": <string>}"#)), "two fit");
        }
    }

    #[test]
    fn names_of_a_fitting_type_are_offered() {
        let schema = json!({
            "type": "object",
            "properties": { "path": { "type": "string" }, "skip": { "type": "integer" }, "limit": { "type": "integer" } },
            "additionalProperties": false,
        });
        assert_eq!(call(&schema, &json!({ "path": "a", "n": 3 })), r#"{"path": "a", <skip|limit>: 3}"#);
        assert_eq!(
            call(&schema, &json!({ "path": "a", "limit": 1, "n": 3 })),
            r#"{"path": "a", "limit": 1, <skip>: 3}"#
        );
    }

    #[test]
    fn unused_arguments_are_named() {
        for schema in [issue(true), issue(false)] {
            let (call, unused) = corrected(&schema, &json!({ "owner": "octo", "verbose": true }));
            let request = "Call tool again with these arguments; replace each <…>:\n";
            assert_eq!(call.as_deref(), Some(&*format!("{request}{}", r#"{"owner": "octo", "repo": <string>}"#)));
            assert_eq!(unused, ["verbose"]);
        }
    }

    #[test]
    fn wrong_values_are_replaced_by_what_is_wanted() {
        let arguments =
            json!({ "owner": "octo", "repo": 7, "state": "done", "labels": ["a", 1], "target": { "line": 0 } });
        assert_eq!(
            call(&issue(true), &arguments),
            r#"{"owner": "octo", "repo": <string>, "state": <"open"|"closed">, "labels": ["a", <string>], "target": {"line": <int(>=1)>, "branch": <string>}}"#
        );
    }

    #[test]
    fn what_is_long_or_hidden_is_not_repeated() {
        for hidden in ["x".repeat(100_000), "a\u{202e}b".to_owned(), "a\nb".to_owned()] {
            let arguments = json!({ "owner": "octo", "body": hidden });
            assert_eq!(call(&issue(true), &arguments), r#"{"owner": "octo", "body": <as before>, "repo": <string>}"#);
        }
        let long: Vec<String> = (0..100).map(|number| format!("label {number}")).collect();
        let arguments = json!({ "owner": "octo", "labels": long });
        assert_eq!(call(&issue(true), &arguments), r#"{"owner": "octo", "labels": <as before>, "repo": <string>}"#);
        let names: JsonObject = (0..1_000).map(|number| (format!("name_{number}"), json!(number))).collect();
        let (call, unused) = corrected(&issue(true), &Value::Object(names));
        assert!(call.unwrap_or_default().len() <= 2 * CALL_MAX && unused.len() <= ITEMS_MAX);
    }

    #[test]
    fn a_violation_of_the_whole_has_no_correction() {
        let schema = json!({ "type": "object", "minProperties": 2 });
        assert_eq!(corrected(&schema, &json!({ "a": 1 })).0, None);
    }
}
