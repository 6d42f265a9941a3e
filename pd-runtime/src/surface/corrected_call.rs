//! The call to send after a refusal or an error: the sent call, corrected as far as possible.

mod correction;
mod meant_names;
mod own_call;
mod readings;
mod value;

use crate::{
    catalog::{entry::CatalogEntry, signature::argument::ValueSchema},
    disclosure::{
        listed_form::ListedForm,
        view::{CallerView, NestedForm},
    },
    protocol::keys::TICKET_ARGUMENT,
    registry::{tool_spec::ToolSpec, validate::InvalidArguments},
    surface::call_routes,
    text::invisible::is_invisible,
};
pub(crate) use own_call::is_stray_call;
pub(super) use own_call::{CHANGE, names_itself, own_arguments};
use pd_schema::{pointer, violations::ViolationKind};
use readings::ReadArguments;
use rmcp::model::JsonObject;
use serde_json::Value;
use value::{CorrectedMember, CorrectedValue};

/// The longest text that is repeated, in characters.
const KEPT_MAX: usize = 80;
/// The longest corrected call, in bytes.
const CALL_MAX: usize = 1_000;
/// The most optional arguments of one object that are named or shown.
const OPTIONAL_MAX: usize = 6;
/// The most values of the caller that are repeated where they are in no argument.
const LOST_MAX: usize = 5;
/// The most arguments that are named as unused.
const UNUSED_MAX: usize = 10;
/// The most changes that are named.
const CHANGES_MAX: usize = 5;

/// How a caller sends a call.
#[derive(Debug, Clone, Copy)]
pub(super) struct CallRoute<'a> {
    tool: &'a str,
    /// The meta-tool that calls the tool, if the caller's list does not show the tool.
    through: Option<&'a str>,
    /// The form of the tool's arguments in a call through the meta-tool.
    form: NestedForm,
}

impl<'a> CallRoute<'a> {
    /// Returns `None` if only a meta-tool of another system, with other arguments, calls the tool.
    pub(super) fn new(entry: &'a CatalogEntry, view: &'a CallerView<'_>) -> Option<Self> {
        if view.listed_form(entry) != ListedForm::Unlisted {
            return Some(Self {
                tool: entry.name(),
                through: None,
                form: view.nested_form(),
            });
        }
        Self::through_meta_tool(entry, view)
    }

    /// Returns the route through a meta-tool, also for a listed tool: a model that called it so
    /// repeats the call that it sent more readily than another.
    pub(super) fn through_meta_tool(
        entry: &'a CatalogEntry,
        view: &'a CallerView<'_>,
    ) -> Option<Self> {
        let offered = view.meta_tools();
        let through = call_routes::name_for(entry, offered);
        // Without meta-tools that call, an unlisted tool is still called by its name.
        let is_callable =
            through.is_some() || !offered.offers.iter().any(|offer| offer.role.calls());
        is_callable.then_some(Self {
            tool: entry.name(),
            through,
            form: view.nested_form(),
        })
    }

    /// Writes the call around its arguments.
    fn write(self, out: &mut String, arguments: impl FnOnce(&mut String)) {
        let begin = |name: &str| format!("{{\"name\": {}, \"arguments\": ", Value::from(name));
        out.extend(self.through.map(begin));
        out.push_str(&begin(self.tool));
        match (self.through, self.form) {
            (Some(_), NestedForm::Text) => {
                // The meta-tool takes the arguments as a JSON text, so they are encoded twice.
                let mut text = String::new();
                arguments(&mut text);
                out.push_str(&Value::from(text).to_string());
            }
            _ => arguments(out),
        }
        out.push_str(if self.through.is_some() { "}}" } else { "}" });
    }
}

/// The corrected arguments of a call.
#[derive(Debug)]
pub(super) struct CorrectedCall {
    /// The names of the tool. No argument with one of them as its value means another argument.
    names: Vec<String>,
    /// The number of arguments that were sent.
    sent: usize,
    arguments: CorrectedValue,
    /// The same with the optional arguments that a lost value may belong to.
    offering: Option<CorrectedValue>,
    /// Names of arguments that the tool does not use.
    pub(super) unused: Vec<String>,
    /// What differs from the arguments that were sent, in words.
    changes: Vec<String>,
    /// The optional arguments that were not sent.
    optional: Vec<String>,
    /// Whether a value of the caller is in no argument any more.
    is_lossy: bool,
    /// The texts and numbers of the caller that are in no argument any more.
    lost: Vec<Value>,
}

impl CorrectedCall {
    /// Validates a tool's arguments, and corrects them if they are not valid. Returns `None` if a
    /// violation does not say what must change.
    pub(super) fn check(
        entry: &CatalogEntry,
        arguments: JsonObject,
        ticket: Option<&str>,
    ) -> Option<Self> {
        let about = &entry.tool.about;
        let validator = entry.validator().ok()?;
        match validator.validate(about.input.completed(arguments)) {
            Ok(arguments) => {
                let schema = Value::Object((*about.input.schema).clone());
                // A schema that describes other names takes a call as one.
                let own = own_arguments(about, &arguments)
                    .filter(|_| ValueSchema::from_root(&schema).known_names().is_some());
                if let Some(own) = own {
                    return Self::check(entry, own, ticket).map(Self::note_unwrapped);
                }
                let mut call = Self::repeat(about, &arguments, ticket);
                // An open schema accepts arguments that the tool does not use.
                call.rename(ValueSchema::from_root(&schema), &[]);
                call.offer_places(ValueSchema::from_root(&schema));
                Some(call)
            }
            Err(invalid) => Self::from_invalid(about, &invalid, ticket),
        }
    }

    /// Corrects arguments by their violations. Returns `None` if a violation does not say what must
    /// change.
    pub(super) fn from_invalid(
        about: &ToolSpec,
        invalid: &InvalidArguments,
        ticket: Option<&str>,
    ) -> Option<Self> {
        if let Some(own) = own_arguments(about, &invalid.arguments) {
            let call = match about
                .input
                .validator()
                .ok()?
                .validate(about.input.completed(own))
            {
                Ok(arguments) => Some(Self::repeat(about, &arguments, ticket)),
                Err(inner) => Self::from_invalid(about, &inner, ticket),
            };
            return call.map(Self::note_unwrapped);
        }
        let schema = Value::Object((*about.input.schema).clone());
        let schema = ValueSchema::from_root(&schema);
        let mut changes = Vec::new();
        let read = readings::read(about, schema, invalid, &mut changes);
        let invalid = match &read {
            ReadArguments::Valid(arguments) => {
                return Some(Self {
                    changes,
                    ..Self::repeat(about, arguments, ticket)
                });
            }
            ReadArguments::Invalid(next) => next,
            ReadArguments::Unchanged => invalid,
        };
        let mut call = Self::repeat(about, &invalid.arguments, ticket);
        call.changes = changes;
        let violations = invalid.violations.first.iter();
        // If one violation has no known place, a correction of the others would not be enough.
        let paths: Vec<(Vec<String>, ViolationKind)> = violations
            .map(|one| Some((steps(&one.pointer)?, one.kind)))
            .collect::<Option<_>>()?;
        // Renamed first, because a name that is missing may be there under another one.
        let parents = paths
            .iter()
            .filter(|(_, kind)| *kind != ViolationKind::Value);
        let mut parents: Vec<&[String]> = parents
            .filter_map(|(path, _)| Some(path.split_last()?.1))
            .collect();
        // The root, too, because an open schema accepts a wrong name there.
        parents.push(&[]);
        parents.sort_unstable();
        parents.dedup();
        parents
            .into_iter()
            .for_each(|parent| call.rename(schema, parent));
        for (path, kind) in &paths {
            call.correct(schema, path, *kind)?;
        }
        call.remove_invalid(about, schema);
        call.offer_places(schema);
        Some(call)
    }

    fn note_unwrapped(mut self) -> Self {
        self.changes.insert(0, CHANGE.to_owned());
        self
    }

    /// Adds the optional arguments to which a value belongs that is in no argument any more.
    /// Without such a value they are left out: models then fill in what nobody asked for.
    fn offer_places(&mut self, schema: ValueSchema<'_>) {
        if !self.lost.is_empty() {
            self.offering = self.arguments.with_offers(schema);
        }
    }

    /// Removes values that are not valid where they were moved to.
    fn remove_invalid(&mut self, about: &ToolSpec, schema: ValueSchema<'_>) {
        let Some(Value::Object(mut chosen)) = self.arguments.chosen() else {
            return;
        };
        // The ticket is not an argument of the tool, so it would be a violation.
        chosen.remove(TICKET_ARGUMENT);
        let validator = about.input.validator();
        let Err(invalid) = validator.map_or(Ok(JsonObject::new()), |validator| {
            validator.validate(chosen)
        }) else {
            return;
        };
        let violations = invalid
            .violations
            .first
            .iter()
            .filter(|one| one.kind == ViolationKind::Value);
        for path in violations.filter_map(|one| steps(&one.pointer)) {
            let wanted = self.wanted(schema, &path);
            // A gap has no value that could be wrong.
            if let Some(value @ CorrectedValue::Kept(_)) = self.arguments.get_mut(&path) {
                *value = wanted;
                self.is_lossy = true;
            }
        }
    }

    /// Repeats valid arguments without some of them.
    pub(super) fn without(
        about: &ToolSpec,
        arguments: &JsonObject,
        left_out: &[&str],
        ticket: Option<&str>,
    ) -> Self {
        let mut call = Self::repeat(about, arguments, ticket);
        if let CorrectedValue::Object(members) = &mut call.arguments {
            members.retain(|member| !left_out.contains(&member.name.as_str()));
        }
        let names = left_out.iter().filter(|name| is_repeatable(name));
        call.changes = names.map(|name| format!("no `{name}`")).collect();
        call
    }

    /// Repeats arguments, without defaults that the server added.
    fn repeat(about: &ToolSpec, arguments: &JsonObject, ticket: Option<&str>) -> Self {
        let own = arguments
            .iter()
            .filter(|(name, value)| !about.input.is_default(name, value) && is_repeatable(name));
        let mut members: Vec<_> = own
            .map(|(name, value)| CorrectedMember::new(name, CorrectedValue::repeat(value)))
            .collect();
        let sent = members.len();
        let ticket = ticket.map(|ticket| CorrectedValue::Kept(Value::from(ticket)));
        members.extend(ticket.map(|ticket| CorrectedMember::new(TICKET_ARGUMENT, ticket)));
        Self {
            names: own_call::names(about).map(str::to_owned).collect(),
            sent,
            arguments: CorrectedValue::Object(members),
            offering: None,
            unused: Vec::new(),
            changes: Vec::new(),
            optional: Vec::new(),
            is_lossy: false,
            lost: Vec::new(),
        }
    }

    /// Renders the request to call a tool again. Returns `None` if the arguments are too long.
    pub(super) fn render_request(&self, route: CallRoute<'_>) -> Option<String> {
        // If this call is too long, the call without offers follows.
        let offering = self
            .offering
            .as_ref()
            .and_then(|offering| render_call(offering, route, true));
        let (others, has_gaps) = match &offering {
            Some(_) => (String::new(), true),
            None => (self.other_places(), !self.arguments.is_complete()),
        };
        let call = offering.or_else(|| self.render_call(route))?;
        let fill = if has_gaps {
            self.render_fill()
        } else {
            String::new()
        };
        let send = match self.changes.get(..CHANGES_MAX).unwrap_or(&self.changes) {
            [] => "Now send".to_owned(),
            changes => format!("Change this: {}.{others} Then send", changes.join(", ")),
        };
        Some(format!("{send}{fill}:\n{call}"))
    }

    /// Renders the call, without the descriptions of arguments if it would be too long.
    pub(super) fn render_call(&self, route: CallRoute<'_>) -> Option<String> {
        [true, false]
            .into_iter()
            .find_map(|has_comments| render_call(&self.arguments, route, has_comments))
    }

    /// Asks for values. Small models take the values of an example in the description unless this
    /// text repeats the values that they sent.
    fn render_fill(&self) -> String {
        let lost: Vec<String> = self.lost.iter().map(Value::to_string).collect();
        match lost.as_slice() {
            [] => ", with a value for each <…>".to_owned(),
            lost => format!(
                ", with a value for each <…>, from {} if one fits",
                lost.join(", ")
            ),
        }
    }

    /// Returns the arguments without a ticket, if all of them have values.
    pub(super) fn complete_arguments(&self) -> Option<JsonObject> {
        let Value::Object(mut arguments) = self
            .arguments
            .chosen()
            .filter(|_| self.arguments.is_complete())?
        else {
            return None;
        };
        arguments.shift_remove(TICKET_ARGUMENT);
        Some(arguments)
    }

    /// Returns the part of the sent arguments that the tool uses.
    pub(super) fn used_part(&self) -> f32 {
        // Names inside of objects count as unused, too, so there may be more than were sent.
        let unused = self.unused.len().min(self.sent);
        if self.sent == 0 {
            1.0
        } else {
            small(self.sent - unused) / small(self.sent)
        }
    }

    /// Returns whether the call has all values that were sent.
    pub(super) fn uses_all(&self) -> bool {
        self.unused.is_empty() && !self.is_lossy
    }

    /// Returns the number of arguments that are to be filled in.
    pub(super) fn count_wanted(&self) -> f32 {
        match &self.arguments {
            CorrectedValue::Object(members) => small(
                members
                    .iter()
                    .filter(|member| !member.value.is_complete())
                    .count(),
            ),
            _ => 0.0,
        }
    }

    /// Names the arguments that may be the right place for a value that is lost.
    fn other_places(&self) -> String {
        let names: Vec<String> = self
            .optional
            .iter()
            .take(OPTIONAL_MAX)
            .map(|name| format!("`{name}`"))
            .collect();
        match names.as_slice() {
            [] => String::new(),
            _ if !self.is_lossy => String::new(),
            [name] => format!(" There is also {name}."),
            names => format!(" There are also {}.", names.join(", ")),
        }
    }
}

/// Renders the call of a tool with these arguments. Returns `None` if it would be too long.
fn render_call(
    arguments: &CorrectedValue,
    route: CallRoute<'_>,
    has_comments: bool,
) -> Option<String> {
    let mut call = String::new();
    route.write(&mut call, |out| arguments.write(out, has_comments));
    (call.len() <= CALL_MAX).then_some(call)
}

/// Returns a count as a number to calculate with. Counts of arguments are small.
fn small(count: usize) -> f32 {
    f32::from(u16::try_from(count).unwrap_or(u16::MAX))
}

pub(super) fn is_repeatable(text: &str) -> bool {
    text.chars().nth(KEPT_MAX).is_none()
        && !text
            .chars()
            .any(|letter| is_invisible(letter) || letter.is_control())
}

/// Returns the steps of a JSON pointer. Returns `None` for the root, and for a cut pointer.
fn steps(pointer: &str) -> Option<Vec<String>> {
    let steps = pointer.strip_prefix('/')?.split('/');
    (!pointer.ends_with('…')).then(|| {
        steps
            .map(|step| pointer::unescaped(step.into()).into_owned())
            .collect()
    })
}

#[cfg(test)]
mod tests;
