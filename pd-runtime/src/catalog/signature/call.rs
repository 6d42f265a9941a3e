//! The declaration of a signature: the tool's name and arguments, with a gap for the caller's
//! ticket.

use super::{
    TICKET_MAX,
    ast::{self, ObjectForm, SchemaForm},
    lower::SchemaReader,
    render::SignatureWriter,
};
use crate::protocol::keys::TICKET_ARGUMENT;

use rmcp::model::JsonObject;
use serde_json::Value;

/// A declaration, cut at the gap for the ticket.
#[derive(Debug, Clone)]
pub(super) struct CallDeclaration {
    name: Box<str>,
    /// The text after the name, up to the end of the last argument.
    before: Box<str>,
    /// The separator between the last argument and the ticket.
    separator: &'static str,
    /// The text after the arguments, up to the result type.
    after: Box<str>,
    /// The declarations of the named types in the arguments.
    types: Box<str>,
    /// The arguments on one line: required ones with their types, and optional ones by name. `None`
    /// if a line would not say all that is required.
    outline: Option<Box<str>>,
}

impl CallDeclaration {
    pub(super) fn new(name: &str, schema: &JsonObject) -> Self {
        let schema = Value::Object(schema.clone());
        let reader = SchemaReader::new(&schema);
        // A schema that cannot be split into named types is shown verbatim, as one argument type.
        let arguments = reader
            .as_ref()
            .map_or_else(|| SchemaForm::verbatim(&schema), SchemaReader::root);
        let mut page = SignatureWriter::default();
        let (object, others) = split_arguments(arguments, &mut page);
        // A named type has its declaration on a line of its own.
        let has_types = reader.iter().any(|reader| reader.types().next().is_some());
        let outline =
            (others.is_empty() && !has_types).then(|| SignatureWriter::outline(&object).into());
        let [separator, closing] = if object.is_empty() {
            ["", "}"]
        } else {
            ["\n ", "\n}"]
        };
        let before = render_arguments(&object, !others.is_empty(), &mut page);
        page.push(closing);
        others.iter().for_each(|form| page.and(form));
        page.push(")");
        let after = page.take_text();
        page.end_line();
        for (name, form) in reader.iter().flat_map(SchemaReader::types) {
            page.push(&format!("\ntype {name} = "));
            page.form(&form);
            page.end_line();
        }
        Self {
            name: name.into(),
            before,
            separator,
            after,
            types: page.take_text(),
            outline,
        }
    }

    /// Renders the declaration on one line without comments, if a line says all that is required.
    pub(super) fn outline(&self, ticket: Option<&str>) -> Option<String> {
        let ticket = ticket.map(|ticket| format!("{TICKET_ARGUMENT}: \"{ticket}\""));
        let arguments = self.outline.as_deref()?;
        let members: Vec<&str> = [arguments]
            .into_iter()
            .chain(ticket.as_deref())
            .filter(|members| !members.is_empty())
            .collect();
        Some(format!("{}({{{}}})", self.name, members.join(", ")))
    }

    /// Returns the same declaration under another name. A name that is not a plain word is quoted,
    /// so that it cannot pose as part of the declaration.
    pub(super) fn with_name(self, name: &str) -> Self {
        let is_plain = name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || "_-./:".contains(letter));
        let name = if is_plain {
            name.into()
        } else {
            ast::json(&Value::from(name)).into()
        };
        Self { name, ..self }
    }

    /// Appends the declaration. `results` is the text of the result type.
    pub(super) fn write(&self, out: &mut String, ticket: Option<&str>, results: &str) {
        out.push_str(&self.name);
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

    /// Returns an upper bound on the number of bytes that [`CallDeclaration::write`] appends,
    /// without the results.
    pub(super) fn len(&self) -> usize {
        self.name.len() + self.before.len() + self.after.len() + self.types.len() + TICKET_MAX
    }
}

/// Splits the arguments into an object and other constraints on the same value.
fn split_arguments(
    arguments: SchemaForm,
    page: &mut SignatureWriter,
) -> (ObjectForm, Vec<SchemaForm>) {
    match arguments {
        SchemaForm::Commented(form, about) => {
            page.remark(&about);
            split_arguments(*form, page)
        }
        SchemaForm::Object(object) => (object, Vec::new()),
        // The ticket is a member of the first object. The other objects remain parts of the
        // intersection.
        SchemaForm::AllOf(forms) => {
            let (mut objects, mut others): (Vec<SchemaForm>, Vec<SchemaForm>) = forms
                .into_iter()
                .partition(|form| matches!(form, SchemaForm::Object(_)));
            let first = if objects.is_empty() {
                SchemaForm::Object(ObjectForm::default())
            } else {
                objects.remove(0)
            };
            others.splice(..0, objects);
            (split_arguments(first, page).0, others)
        }
        other => (ObjectForm::default(), vec![other]),
    }
}

/// Renders the text up to the end of the last argument.
fn render_arguments(object: &ObjectForm, has_others: bool, page: &mut SignatureWriter) -> Box<str> {
    page.push(if object.is_exact && has_others {
        "(exact {"
    } else {
        "({"
    });
    page.members(object);
    if !object.is_empty() {
        page.end_line();
    }
    page.take_text()
}
