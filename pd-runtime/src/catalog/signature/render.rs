//! Renders forms as text. The comments of a form are at the end of the line on which the form
//! begins. Forms without comments stay on one line. Indentation is one space per level: the first
//! is free, because o200k joins it with the next word.

use super::ast::{MemberPresence, ObjectForm, ObjectMember, SchemaForm};
use serde_json::Value;

/// The limit on an object on one line, in bytes.
const LINE_MAX: usize = 100;

/// A signature text under construction.
#[derive(Debug, Default)]
pub(super) struct SignatureWriter {
    pub(super) text: String,
    /// The comments for the end of the current line.
    remarks: Vec<String>,
    level: usize,
    /// Whether the whole text must be one line.
    is_single_line: bool,
}

/// The context of a form, which decides whether it needs parentheses. Ordered by how tightly each
/// binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
enum FormContext {
    Nothing,
    /// `form|form`
    Or,
    /// `form & form`, and `oneOf(form|form)`: all forms are checked against the same value.
    And,
    /// `form[]`
    Brackets,
}

impl SignatureWriter {
    /// Renders a form on one line, without the comments inside.
    pub(super) fn line(form: &SchemaForm) -> String {
        let mut line = Self {
            is_single_line: true,
            ..Self::default()
        };
        line.form(form);
        line.text
    }

    /// Renders the members of an object on one line: required ones with their types, and optional
    /// ones by name.
    pub(super) fn outline(object: &ObjectForm) -> String {
        let mut members: Vec<String> = Vec::new();
        for member in &object.members {
            let name = key(&member.name);
            members.push(match member.needed {
                MemberPresence::Required => format!("{name}: {}", Self::line(&member.form)),
                MemberPresence::Optional => format!("{name}?"),
            });
        }
        for (name, form) in &object.others {
            let mut line = Self {
                is_single_line: true,
                ..Self::default()
            };
            line.other(name, form.as_ref());
            members.push(line.text);
        }
        members.join(", ")
    }

    pub(super) fn form(&mut self, form: &SchemaForm) {
        self.write(form, FormContext::Nothing);
    }

    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub(super) fn remark(&mut self, about: &str) {
        self.remarks.push(about.to_owned());
    }

    /// Returns the text so far and starts a new one.
    pub(super) fn take_text(&mut self) -> Box<str> {
        std::mem::take(&mut self.text).into()
    }

    /// Appends another part of an intersection.
    pub(super) fn and(&mut self, form: &SchemaForm) {
        self.push(" & ");
        self.write(form, FormContext::And);
    }

    /// Ends a line: appends its comments.
    pub(super) fn end_line(&mut self) {
        if !self.remarks.is_empty() {
            self.text.push_str(" // ");
            self.text.push_str(&self.remarks.join(" "));
            self.remarks.clear();
        }
    }

    fn new_line(&mut self) {
        self.end_line();
        self.text.push('\n');
        self.text.extend(std::iter::repeat_n(' ', self.level));
    }

    /// Renders the members of an object, one per line, without a line break after the last.
    pub(super) fn members(&mut self, object: &ObjectForm) {
        self.level += 1;
        for member in &object.members {
            self.new_line();
            self.member(member);
        }
        for (name, form) in &object.others {
            self.new_line();
            self.other(name, form.as_ref());
        }
        self.level -= 1;
    }

    fn write(&mut self, form: &SchemaForm, beside: FormContext) {
        match form {
            SchemaForm::Word(text) => self.push(text),
            SchemaForm::Named { name, is_exact } => {
                // Outside an intersection every object accepts only the properties that it names,
                // so `exact` would add nothing.
                self.push(if *is_exact && beside == FormContext::And {
                    "exact "
                } else {
                    ""
                });
                self.push(name);
            }
            SchemaForm::Commented(form, about) => {
                self.remark(about);
                self.write(form, beside);
            }
            SchemaForm::List { item, limits } => {
                self.write(item, FormContext::Brackets);
                self.push(&format!("[{limits}]"));
            }
            SchemaForm::Tuple {
                items,
                rest,
                limits,
            } => self.tuple(items, rest.as_deref(), limits),
            SchemaForm::Object(object) => self.object(object, beside),
            SchemaForm::AnyOf(forms) => self.write_list(forms, "|", FormContext::Or, beside),
            SchemaForm::OneOf(forms) => {
                self.push("oneOf(");
                self.write_joined(forms, "|", FormContext::And);
                self.push(")");
            }
            SchemaForm::AllOf(forms) => self.write_list(forms, " & ", FormContext::And, beside),
        }
    }

    /// Renders a joined list, in parentheses if the context binds tighter.
    fn write_list(
        &mut self,
        forms: &[SchemaForm],
        sign: &str,
        own: FormContext,
        outer: FormContext,
    ) {
        let needs_parentheses = outer > own;
        self.push(if needs_parentheses { "(" } else { "" });
        self.write_joined(forms, sign, own.within(outer));
        self.push(if needs_parentheses { ")" } else { "" });
    }

    fn write_joined(&mut self, forms: &[SchemaForm], sign: &str, beside: FormContext) {
        for (index, form) in forms.iter().enumerate() {
            self.push(if index == 0 { "" } else { sign });
            self.write(form, beside);
        }
    }

    fn tuple(
        &mut self,
        items: &[(SchemaForm, MemberPresence)],
        rest: Option<&SchemaForm>,
        limits: &str,
    ) {
        self.push("[");
        for (index, (item, needed)) in items.iter().enumerate() {
            self.push(if index == 0 { "" } else { ", " });
            self.write(item, FormContext::Brackets);
            self.push(if *needed == MemberPresence::Optional {
                "?"
            } else {
                ""
            });
        }
        if let Some(rest) = rest {
            self.push(if items.is_empty() { "..." } else { ", ..." });
            self.write(rest, FormContext::Brackets);
            self.push("[]");
        }
        self.push("]");
        self.push(limits);
    }

    fn object(&mut self, object: &ObjectForm, beside: FormContext) {
        if object.is_any() {
            return self.push("object");
        }
        self.push(if object.is_exact && beside == FormContext::And {
            "exact {"
        } else {
            "{"
        });
        if self.is_single_line {
            self.members_in_line(object);
        } else if let Some(line) = in_one_line(object) {
            self.push(&line);
        } else {
            self.members(object);
            self.new_line();
        }
        self.push("}");
    }

    fn members_in_line(&mut self, object: &ObjectForm) {
        let mut sign = "";
        for member in &object.members {
            self.push(std::mem::replace(&mut sign, ", "));
            self.member(member);
        }
        for (name, form) in &object.others {
            self.push(std::mem::replace(&mut sign, ", "));
            self.other(name, form.as_ref());
        }
    }

    fn member(&mut self, member: &ObjectMember) {
        self.push(&key(&member.name));
        self.push(if member.needed == MemberPresence::Required {
            ": "
        } else {
            "?: "
        });
        self.form(&member.form);
        if let Some(default) = &member.default {
            self.push(" = ");
            self.push(default);
        }
    }

    fn other(&mut self, name: &str, form: Option<&SchemaForm>) {
        match form {
            None => self.push(name),
            Some(form) => {
                self.push(&format!("[{name}]: "));
                self.form(form);
            }
        }
    }
}

impl FormContext {
    /// Returns the context for the parts: an object in a union in an intersection is still part of
    /// the intersection.
    fn within(self, outer: Self) -> Self {
        if outer == Self::And { outer } else { self }
    }
}

/// Renders an object on one line, if it is short and no member has a comment.
fn in_one_line(object: &ObjectForm) -> Option<String> {
    let mut line = SignatureWriter {
        is_single_line: true,
        ..SignatureWriter::default()
    };
    // Rendered to find out whether it fits: a comment inside needs a line.
    line.members_in_line(object);
    (line.remarks.is_empty() && line.text.len() <= LINE_MAX).then_some(line.text)
}

/// Renders a property's name, in quotes unless it is an identifier.
fn key(name: &str) -> String {
    let is_plain = name
        .chars()
        .all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == '$')
        && name.starts_with(|first: char| !first.is_ascii_digit());
    if is_plain {
        name.to_owned()
    } else {
        super::ast::json(&Value::from(name))
    }
}
