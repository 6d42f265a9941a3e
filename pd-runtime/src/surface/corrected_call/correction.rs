//! The correction of arguments, value by value.

use super::{
    CorrectedCall, LOST_MAX, UNUSED_MAX, is_repeatable,
    meant_names::MeantNames,
    value::{CorrectedMember, CorrectedValue},
};
use crate::catalog::signature::argument::ValueSchema;
use pd_schema::violations::ViolationKind;
use serde_json::Value;

impl CorrectedCall {
    /// Gives the members of an object the names that were meant, and removes those that the schema
    /// does not have.
    pub(super) fn rename(&mut self, schema: ValueSchema<'_>, path: &[String]) {
        let place = self.schema_at(schema, path);
        let Some(CorrectedValue::Object(members)) = self.arguments.get_mut(path) else {
            return;
        };
        let own = &self.names;
        let Some(mut names) = place.and_then(|schema| MeantNames::new(schema, members, own)) else {
            return;
        };
        names.rename(members);
        let removed = names.remove_unknown(members);
        let unused = removed
            .iter()
            .map(|member| &member.name)
            .filter(|name| is_repeatable(name));
        let unused: Vec<String> = unused.take(UNUSED_MAX).cloned().collect();
        self.changes.append(&mut names.changes);
        self.changes
            .extend(unused.iter().map(|name| format!("no `{name}`")));
        self.is_lossy |= !unused.is_empty();
        // `other_places` names arguments, and not members of objects.
        if path.is_empty() {
            self.optional = names.optional();
        }
        self.unused.extend(unused);
        removed
            .iter()
            .for_each(|member| self.note_lost(&member.value));
    }

    fn note_lost(&mut self, value: &CorrectedValue) {
        self.is_lossy = true;
        // A text with JSON is not offered as the value of a member: that is what it would be hidden
        // in.
        if value.begins_as_json() || value.is_one_of(&self.names) {
            return;
        }
        if let CorrectedValue::Kept(value @ (Value::String(_) | Value::Number(_))) = value
            && self.lost.len() < LOST_MAX
        {
            self.lost.push(value.clone());
        }
    }

    pub(super) fn correct(
        &mut self,
        schema: ValueSchema<'_>,
        path: &[String],
        kind: ViolationKind,
    ) -> Option<()> {
        let (last, parent) = path.split_last()?;
        let place = self.schema_at(schema, path);
        let wanted = self.wanted(schema, path);
        match (kind, self.arguments.get_mut(parent)?) {
            (ViolationKind::Unknown, CorrectedValue::Object(members)) => {
                // Gone already, if the schema names all members. Otherwise it is not a name by a
                // pattern of the schema.
                let place = members.iter().position(|member| member.name == *last);
                if let Some(removed) = place.map(|place| members.remove(place)) {
                    self.note_removed(path);
                    self.note_lost(&removed.value);
                }
            }
            (ViolationKind::Missing, CorrectedValue::Object(members)) => {
                if members.iter().all(|member| member.name != *last) {
                    members.push(CorrectedMember::new(last, wanted));
                    self.change(path, |name| format!("{name} is missing"));
                }
            }
            (ViolationKind::Value, _) => {
                // It may be gone with a name that the schema does not have.
                let Some(value) = self.arguments.get_mut(path) else {
                    return Some(());
                };
                // The surest correction first. `with_tag` asks for a value, so it comes last.
                let other = place.and_then(|schema| {
                    // A value of the right type may still be too small, or have another form.
                    let converted = value.convert(schema).filter(|converted| converted != value);
                    converted
                        .or_else(|| value.wrap(schema))
                        .or_else(|| value.with_tag(schema))
                });
                let part = place
                    .filter(|_| other.is_none())
                    .and_then(|schema| value.part(schema));
                self.is_lossy |= part.is_some();
                let is_lost = other.is_none() && part.is_none();
                let old = std::mem::replace(value, other.or(part).unwrap_or(wanted));
                match value {
                    _ if !is_lost => {}
                    // The value may be one of the object's members.
                    CorrectedValue::Object(_) => self.note_lost(&old),
                    _ => self.is_lossy = true,
                }
                self.change(path, |name| format!("another {name}"));
            }
            _ => return None,
        }
        Some(())
    }

    /// Returns the schema of the value at a path. The tags in the arguments choose the variants.
    fn schema_at<'s>(
        &self,
        mut schema: ValueSchema<'s>,
        path: &[String],
    ) -> Option<ValueSchema<'s>> {
        let mut value = Some(&self.arguments);
        for step in path {
            schema = value
                .map_or(schema, |value| value.variant_in(schema))
                .inner(step)?;
            value = value.and_then(|value| value.get(step));
        }
        Some(value.map_or(schema, |value| value.variant_in(schema)))
    }

    /// Describes the value that is wanted at a path. A tag that chooses no variant is one of all
    /// tags.
    pub(super) fn wanted(&self, schema: ValueSchema<'_>, path: &[String]) -> CorrectedValue {
        let enumeration = path
            .split_last()
            .and_then(|(tag, parent)| Some((tag, self.schema_at(schema, parent)?)));
        let words = enumeration
            .map(|(tag, schema)| schema.tag_words(tag))
            .unwrap_or_default();
        if words.len() > 1 {
            return CorrectedValue::Wanted(ValueSchema::show_words(&words));
        }
        self.schema_at(schema, path)
            .map_or_else(CorrectedValue::unknown, CorrectedValue::wanted)
    }

    /// Notes that the member at a path was removed.
    fn note_removed(&mut self, path: &[String]) {
        let name = path.join("/");
        if is_repeatable(&name) {
            self.changes.push(format!("no `{name}`"));
        }
    }

    /// Notes a change of the value at a path. Names of schemas are as untrusted as values.
    fn change(&mut self, path: &[String], render: impl Fn(&str) -> String) {
        let path = path.join("/");
        self.changes.push(if is_repeatable(&path) {
            render(&format!("`{path}`"))
        } else {
            render("argument")
        });
    }
}
