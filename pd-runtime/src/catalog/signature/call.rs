//! The declaration itself: a name and its arguments, cut where a caller's ticket goes in.

use super::{
    ast::{Form, Object},
    lower::Reader,
    render::Page,
};
use crate::tool::descriptor::TICKET_ARGUMENT;

use rmcp::model::JsonObject;
use serde_json::Value;

/// The longest argument for a ticket, in bytes.
const TICKET_MAX: usize = 48;

/// How a tool is called.
#[derive(Debug, Clone)]
pub(super) struct Call {
    /// Up to the last argument.
    before: Box<str>,
    /// Between the last argument and one more.
    separator: &'static str,
    /// The rest, up to what comes back.
    after: Box<str>,
    /// The types that the arguments name.
    types: Box<str>,
}

impl Call {
    pub(super) fn new(name: &str, schema: &JsonObject) -> Self {
        let schema = Value::Object(schema.clone());
        let reader = Reader::of(&schema);
        let arguments = reader.as_ref().map_or_else(|| Form::verbatim(&schema), |reader| reader.root(&schema));
        let mut page = Page::default();
        page.push(name);
        let (object, others) = taken_apart(arguments, &mut page);
        let [separator, closing] = if object.is_empty() { ["", "}"] } else { ["\n ", "\n}"] };
        let before = opened(&object, !others.is_empty(), &mut page);
        page.push(closing);
        others.iter().for_each(|form| page.and(form));
        page.push(")");
        let after = page.cut();
        page.end();
        for (name, form) in reader.iter().flat_map(Reader::types) {
            page.push(&format!("\ntype {name} = "));
            page.form(&form);
            page.end();
        }
        Self { before, separator, after, types: page.cut() }
    }

    /// Writes the declaration; `results` is what comes back.
    pub(super) fn write(&self, out: &mut String, ticket: Option<&str>, results: &str) {
        out.push_str(&self.before);
        if let Some(ticket) = ticket {
            for part in [self.separator, TICKET_ARGUMENT, ": \"", ticket, "\""] {
                out.push_str(part);
            }
        }
        for part in [&self.after, results, &self.types] {
            out.push_str(part);
        }
    }

    /// At least as many bytes as [`Call::write`] adds, without results.
    pub(super) fn len(&self) -> usize {
        self.before.len() + self.after.len() + self.types.len() + TICKET_MAX
    }
}

/// The arguments as an object, and what else must hold of them.
fn taken_apart(arguments: Form, page: &mut Page) -> (Object, Vec<Form>) {
    match arguments {
        Form::Told(form, about) => {
            page.remark(&about);
            taken_apart(*form, page)
        }
        Form::Object(object) => (object, Vec::new()),
        Form::AllOf(forms) => {
            let (mut objects, mut others): (Vec<Form>, Vec<Form>) =
                forms.into_iter().partition(|form| matches!(form, Form::Object(_)));
            let first = if objects.is_empty() { Form::Object(Object::default()) } else { objects.remove(0) };
            others.splice(..0, objects);
            (taken_apart(first, page).0, others)
        }
        other => (Object::default(), vec![other]),
    }
}

/// The text up to the last argument.
fn opened(object: &Object, has_others: bool, page: &mut Page) -> Box<str> {
    page.push(if object.is_exact && has_others { "(exact {" } else { "({" });
    page.members(object);
    if !object.is_empty() {
        page.end();
    }
    page.cut()
}
