//! Renders forms as text. The comments of a form are at the end of the line on which the form
//! begins. Forms without comments stay on one line. Indentation is one space per level: the first
//! is free, because o200k joins it with the next word.

use super::ast::{Form, Member, Needed, Object};
use serde_json::Value;

/// The limit on an object on one line, in bytes.
const LINE_MAX: usize = 100;

/// A signature text under construction.
#[derive(Debug, Default)]
pub(super) struct Page {
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
enum Beside {
    Nothing,
    /// `form|form`
    Or,
    /// `form & form`, and `oneOf(form|form)`: all forms are checked against the same value.
    And,
    /// `form[]`
    Brackets,
}

impl Page {
    pub(super) fn form(&mut self, form: &Form) {
        self.write(form, Beside::Nothing);
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
    pub(super) fn and(&mut self, form: &Form) {
        self.push(" & ");
        self.write(form, Beside::And);
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
    pub(super) fn members(&mut self, object: &Object) {
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

    fn write(&mut self, form: &Form, beside: Beside) {
        match form {
            Form::Word(text) => self.push(text),
            Form::Named { name, is_exact } => {
                self.push(if *is_exact && beside == Beside::And { "exact " } else { "" });
                self.push(name);
            }
            Form::Commented(form, about) => {
                self.remark(about);
                self.write(form, beside);
            }
            Form::List { item, limits } => {
                self.write(item, Beside::Brackets);
                self.push(&format!("[{limits}]"));
            }
            Form::Tuple { items, rest, limits } => self.tuple(items, rest.as_deref(), limits),
            Form::Object(object) => self.object(object, beside),
            Form::AnyOf(forms) => self.write_list(forms, "|", Beside::Or, beside),
            Form::OneOf(forms) => {
                self.push("oneOf(");
                self.write_joined(forms, "|", Beside::And);
                self.push(")");
            }
            Form::AllOf(forms) => self.write_list(forms, " & ", Beside::And, beside),
        }
    }

    /// Renders a joined list, in parentheses if the context binds tighter.
    fn write_list(&mut self, forms: &[Form], sign: &str, own: Beside, outer: Beside) {
        let needs_parentheses = outer > own;
        self.push(if needs_parentheses { "(" } else { "" });
        self.write_joined(forms, sign, own.within(outer));
        self.push(if needs_parentheses { ")" } else { "" });
    }

    fn write_joined(&mut self, forms: &[Form], sign: &str, beside: Beside) {
        for (index, form) in forms.iter().enumerate() {
            self.push(if index == 0 { "" } else { sign });
            self.write(form, beside);
        }
    }

    fn tuple(&mut self, items: &[(Form, Needed)], rest: Option<&Form>, limits: &str) {
        self.push("[");
        for (index, (item, needed)) in items.iter().enumerate() {
            self.push(if index == 0 { "" } else { ", " });
            self.write(item, Beside::Brackets);
            self.push(if *needed == Needed::Optional { "?" } else { "" });
        }
        if let Some(rest) = rest {
            self.push(if items.is_empty() { "..." } else { ", ..." });
            self.write(rest, Beside::Brackets);
            self.push("[]");
        }
        self.push("]");
        self.push(limits);
    }

    fn object(&mut self, object: &Object, beside: Beside) {
        if object.is_any() {
            return self.push("object");
        }
        self.push(if object.is_exact && beside == Beside::And { "exact {" } else { "{" });
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

    fn members_in_line(&mut self, object: &Object) {
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

    fn member(&mut self, member: &Member) {
        self.push(&key(&member.name));
        self.push(if member.needed == Needed::Required { ": " } else { "?: " });
        self.form(&member.form);
        if let Some(default) = &member.default {
            self.push(" = ");
            self.push(default);
        }
    }

    fn other(&mut self, name: &str, form: Option<&Form>) {
        match form {
            None => self.push(name),
            Some(form) => {
                self.push(&format!("[{name}]: "));
                self.form(form);
            }
        }
    }
}

impl Beside {
    /// Returns the context for the parts: an object in a union in an intersection is still part of
    /// the intersection.
    fn within(self, outer: Self) -> Self {
        if outer == Self::And { outer } else { self }
    }
}

/// Renders an object on one line, if it is short and no member has a comment.
fn in_one_line(object: &Object) -> Option<String> {
    let mut line = Page { is_single_line: true, ..Page::default() };
    line.members_in_line(object);
    (line.remarks.is_empty() && line.text.len() <= LINE_MAX).then_some(line.text)
}

/// Renders a property's name, in quotes unless it is an identifier.
fn key(name: &str) -> String {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '$';
    let is_plain = name.chars().all(is_letter) && name.starts_with(|first: char| !first.is_ascii_digit());
    if is_plain { name.to_owned() } else { super::ast::json(&Value::from(name)) }
}
