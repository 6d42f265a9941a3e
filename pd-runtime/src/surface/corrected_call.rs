//! The call to send after a refusal or an error: the one that was sent, corrected as far as it can
//! be.

mod missing_names;

use crate::{
    catalog::{
        entry::CatalogEntry,
        signature::argument::{ArgumentType, accepts_type, known_names, required_names},
    },
    registry::{tool_spec::ToolSpec, validate::InvalidArguments},
    schema::{pointer, violations::ViolationKind},
    text::invisible::is_invisible,
    tool::descriptor::TICKET_ARGUMENT,
};
use missing_names::MissingNames;
use rmcp::model::JsonObject;
use serde_json::Value;

/// The longest text that is repeated, in characters.
const KEPT_MAX: usize = 80;
/// The most items of an array that are repeated.
const ITEMS_MAX: usize = 10;
/// The longest corrected call, in bytes.
const CALL_MAX: usize = 1_000;
/// The most optional arguments that are named.
const OPTIONAL_MAX: usize = 6;
/// The most changes that are named.
const CHANGES_MAX: usize = 5;
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
    value: CorrectedValue,
}

/// The corrected arguments of a call.
#[derive(Debug)]
pub(super) struct CorrectedCall {
    arguments: CorrectedValue,
    /// Names of arguments that the tool does not use.
    pub(super) unused: Vec<String>,
    /// What differs from the arguments that were sent, in words.
    changes: Vec<String>,
    /// The optional arguments that were not sent.
    optional: Vec<String>,
    /// Whether a value of the caller is in no argument any more.
    is_lossy: bool,
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
        let own = arguments.iter().filter(|member| !is_default(member) && is_repeatable(member.0));
        let mut members: Vec<_> = own.map(|(name, value)| CorrectedMember::new(name, kept(value, 0))).collect();
        let ticket = ticket.map(|ticket| CorrectedValue::Kept(Value::from(ticket).to_string()));
        members.extend(ticket.map(|ticket| CorrectedMember::new(TICKET_ARGUMENT, ticket)));
        let (unused, changes, optional) = (Vec::new(), Vec::new(), Vec::new());
        Self { arguments: CorrectedValue::Object(members), unused, changes, optional, is_lossy: false }
    }

    /// Renders the request to call a tool again. Returns `None` if the arguments are too long to
    /// repeat.
    pub(super) fn render_request(&self, name: &str) -> Option<String> {
        let mut call = format!("{{\"name\": {}, \"arguments\": ", Value::from(name));
        self.arguments.write(&mut call);
        call.push('}');
        let fill = if self.arguments.is_complete() { "" } else { ", with a value for each <…>" };
        let changes = match self.changes.get(..CHANGES_MAX).unwrap_or(&self.changes) {
            [] => "Now send".to_owned(),
            changes => format!("Change this: {}.{} Then send", changes.join(", "), self.other_places()),
        };
        (call.len() <= CALL_MAX).then(|| format!("{changes}{fill}:\n{call}"))
    }

    /// Names the arguments that may be the right place for a value that is lost.
    fn other_places(&self) -> String {
        let names: Vec<String> = self.optional.iter().take(OPTIONAL_MAX).map(|name| format!("`{name}`")).collect();
        if names.is_empty() || !self.is_lossy {
            String::new()
        } else {
            format!(" There are also {}.", names.join(", "))
        }
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
        members.iter_mut().for_each(|member| names.rename_similar(member, accepts));
        names.rename_only_fitting(members, accepts);
        let (used, unused): (Vec<_>, Vec<_>) =
            std::mem::take(members).into_iter().partition(|member| names.has(&member.name));
        *members = used;
        let unused = unused.into_iter().map(|member| member.name).filter(|name| is_repeatable(name));
        let unused: Vec<String> = unused.take(ITEMS_MAX).collect();
        self.changes.extend(names.renamed.iter().map(|(old, new)| format!("`{new}` instead of `{old}`")));
        self.changes.extend(unused.iter().map(|name| format!("no `{name}`")));
        self.is_lossy |= !unused.is_empty();
        if path.is_empty() {
            self.optional = names.optional().map(str::to_owned).collect();
        }
        self.unused.extend(unused);
    }

    fn correct(&mut self, schema: &Value, path: &[String], kind: ViolationKind) -> Option<()> {
        let (last, parent) = path.split_last()?;
        let steps: Vec<&str> = path.iter().map(String::as_str).collect();
        match (kind, self.arguments.get(parent)?) {
            (ViolationKind::Unknown, CorrectedValue::Object(members)) => {
                members.retain(|member| member.name != *last);
            }
            (ViolationKind::Missing, CorrectedValue::Object(members)) => {
                if members.iter().all(|member| member.name != *last) {
                    members.push(CorrectedMember::new(last, wanted(schema, &steps)));
                    self.changes.push(format!("`{last}` is missing"));
                }
            }
            (ViolationKind::Value, _) => {
                // It may be gone with a name that the schema does not have.
                if let Some(value) = self.arguments.get(path) {
                    *value = wanted(schema, &steps);
                    let name = Some(path.join("/")).filter(|name| is_repeatable(name));
                    self.changes.push(name.map_or("another value".to_owned(), |name| format!("another `{name}`")));
                    self.is_lossy = true;
                }
            }
            _ => return None,
        }
        Some(())
    }
}

impl CorrectedMember {
    fn new(name: &str, value: CorrectedValue) -> Self {
        Self { name: name.to_owned(), value }
    }

    fn write(&self, out: &mut String) {
        out.push_str(&Value::from(self.name.as_str()).to_string());
        out.push_str(": ");
        self.value.write(out);
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
            Self::Object(members) => members.iter().all(|member| member.value.is_complete()),
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
        Value::Object(members) if depth < DEPTH_MAX && members.keys().all(|name| is_repeatable(name)) => {
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
mod tests;
