//! The names that unknown arguments probably mean.

use super::{
    is_repeatable,
    value::{CorrectedMember, CorrectedValue},
};
use crate::{
    catalog::signature::argument::ValueSchema,
    protocol::keys::TICKET_ARGUMENT,
    surface::{
        argument_names::{NameRow, OWNER, REPOSITORY, is_in, is_same, is_synonym},
        call_forms::is_naming,
    },
};
use pd_schema::suggest::nearest;
use serde_json::Value;

/// Words that say what kind of thing a name is, and not which one.
const KINDS: [&str; 12] = [
    "count", "id", "ids", "index", "key", "list", "name", "no", "num", "number", "type", "value",
];

/// The shortest beginning of a word that stands for the word, in bytes.
const BEGINNING_MIN: usize = 4;

/// How an unknown name leads to the one that was meant, the surest first.
#[derive(Debug, Clone, Copy)]
enum NameMatch {
    /// It differs in capitals and in `_` only.
    Same,
    /// It differs by a few letters.
    Near,
    /// Authors use both for the same thing.
    Synonym,
    /// It has a word of it.
    SharedWord,
    /// It is, or its value is, one of the values that an argument may have.
    Option,
    /// It is the only required name that is missing and that can have the value.
    OnlyFit,
}

impl NameMatch {
    /// Those that decide before members are looked for inside of arguments.
    const BY_NAME: [Self; 5] = [
        Self::Same,
        Self::Near,
        Self::Synonym,
        Self::SharedWord,
        Self::Option,
    ];
}

/// The most names that an object may have. It bounds the work of hostile schemas.
const KNOWN_MAX: usize = 256;
/// The most unknown names that are examined.
const UNKNOWN_MAX: usize = 16;

/// The names that an object may have, and those that were not sent.
pub(super) struct MeantNames<'s, 'n> {
    schema: ValueSchema<'s>,
    /// The names of the tool.
    own: &'n [String],
    known: Vec<&'s str>,
    /// Required ones first.
    missing: Vec<&'s str>,
    required: Vec<&'s str>,
    /// What differs from the names that were sent, in words.
    pub(super) changes: Vec<String>,
}

impl<'s, 'n> MeantNames<'s, 'n> {
    /// Returns `None` if the schema allows other names explicitly, or has too many.
    pub(super) fn new(
        schema: ValueSchema<'s>,
        members: &[CorrectedMember],
        own: &'n [String],
    ) -> Option<Self> {
        let known = schema
            .known_names()
            .filter(|known| known.len() <= KNOWN_MAX)?;
        let required = schema.required_names();
        let optional = known
            .iter()
            .copied()
            .filter(|name| !required.contains(name));
        let names = required.iter().copied().chain(optional);
        let missing = names
            .filter(|name| members.iter().all(|member| member.name != *name))
            .collect();
        Some(Self {
            schema,
            own,
            known,
            missing,
            required,
            changes: Vec::new(),
        })
    }

    /// Gives the members the names that were meant, and their values the accepted types.
    pub(super) fn rename(&mut self, members: &mut Vec<CorrectedMember>) {
        // One kind of match for all members before the next kind: a member with a surer match takes
        // a name before members with a weaker one compete for it.
        for by in NameMatch::BY_NAME {
            self.rename_by(by, members);
        }
        self.split_repository(members);
        // From the last one, because moving a member shifts the places of those after it.
        for (place, _) in self.unknown(members).into_iter().rev() {
            self.move_inside(members, place);
        }
        // Last, because it goes by types alone.
        self.rename_by(NameMatch::OnlyFit, members);
    }

    fn rename_by(&mut self, by: NameMatch, members: &mut [CorrectedMember]) {
        for (place, member) in self.unknown(members) {
            if let Some((name, value)) = self.meant(by, &member, members) {
                self.note(&member.name, name);
                if let Some(place) = members.get_mut(place) {
                    *place = CorrectedMember::new(name, value);
                }
            }
        }
    }

    /// Returns the first members with unknown names, and their places.
    fn unknown(&self, members: &[CorrectedMember]) -> Vec<(usize, CorrectedMember)> {
        let unknown = members
            .iter()
            .enumerate()
            .filter(|(_, member)| !self.has(&member.name));
        unknown
            .take(UNKNOWN_MAX)
            .map(|(place, member)| (place, member.clone()))
            .collect()
    }

    /// Moves a member into the only argument that has a member of this name.
    fn move_inside(&mut self, members: &mut Vec<CorrectedMember>, place: usize) {
        let Some(member) = members.get(place) else {
            return;
        };
        if member.value.is_one_of(self.own) {
            return;
        }
        // The iterator borrows `members`, so it is dropped before they change.
        let mut targets = self.known.iter().filter_map(|name| {
            let schema = self.schema.inner(name)?;
            let inner = schema
                .known_names()?
                .into_iter()
                .find(|inner| is_synonym(inner, &member.name))?;
            let value = member.value.convert(schema.inner(inner)?)?;
            let own = members.iter().find(|member| member.name == **name);
            let mut object = match own.map(|own| &own.value) {
                // A value that is there already is not replaced.
                Some(object @ CorrectedValue::Object(_)) if !object.has(inner) => object.clone(),
                None => CorrectedValue::Object(Vec::new()),
                _ => return None,
            };
            object.set(inner, value);
            object.add_required(schema);
            Some((*name, object))
        });
        let (Some((name, object)), None) = (targets.next(), targets.next()) else {
            return;
        };
        drop(targets);
        let old = members.remove(place).name;
        match members.iter_mut().find(|member| member.name == name) {
            Some(own) => own.value = object,
            None => members.insert(place, CorrectedMember::new(name, object)),
        }
        self.note(&old, name);
    }

    /// Splits `octo/demo` into the owner and the name of a repository, if each has an argument.
    fn split_repository(&mut self, members: &mut Vec<CorrectedMember>) {
        let known = |row: NameRow| self.known.iter().copied().find(|name| is_in(name, row));
        let (Some(owner), Some(repository)) = (known(OWNER), known(REPOSITORY)) else {
            return;
        };
        let Some(member) = members.iter_mut().find(|member| member.name == repository) else {
            return;
        };
        let CorrectedValue::Kept(Value::String(text)) = &member.value else {
            return;
        };
        let Some((first, second)) = text.split_once('/') else {
            return;
        };
        // A path with more slashes, or a text with spaces, is not the name of a repository.
        if first.is_empty()
            || second.is_empty()
            || second.contains('/')
            || text.contains(char::is_whitespace)
        {
            return;
        }
        let first = Value::from(first);
        let second = Value::from(second);
        let text = text.clone();
        member.value = CorrectedValue::Kept(second);
        // An owner that was sent stays.
        if members.iter().all(|member| member.name != owner) {
            members.push(CorrectedMember::new(owner, CorrectedValue::Kept(first)));
        }
        self.missing.retain(|one| *one != owner);
        self.changes
            .push(format!("`{owner}` and `{repository}` instead of `{text}`"));
    }

    /// Removes the members with other names, and returns them.
    pub(super) fn remove_unknown(
        &self,
        members: &mut Vec<CorrectedMember>,
    ) -> Vec<CorrectedMember> {
        let (known, unknown) = std::mem::take(members)
            .into_iter()
            .partition(|member| self.has(&member.name));
        *members = known;
        unknown
    }

    /// Returns the optional names that were not sent.
    pub(super) fn optional(&self) -> Vec<String> {
        let optional = self
            .missing
            .iter()
            .filter(|name| !self.required.contains(name) && is_repeatable(name));
        optional.map(|name| (*name).to_owned()).collect()
    }

    fn has(&self, name: &str) -> bool {
        name == TICKET_ARGUMENT || self.known.contains(&name)
    }

    /// Returns the only name that an unknown member means by this match, with its value. Two names
    /// would be a guess.
    fn meant(
        &self,
        by: NameMatch,
        member: &CorrectedMember,
        members: &[CorrectedMember],
    ) -> Option<(&'s str, CorrectedValue)> {
        // It says which tool is called, and not with what.
        if member.value.is_one_of(self.own)
            && (is_naming(&member.name) || !matches!(by, NameMatch::Same))
        {
            return None;
        }
        let near = matches!(by, NameMatch::Near)
            .then(|| nearest(&member.name, &self.missing))
            .flatten();
        let fits = |name: &&'s str| {
            let schema = self.schema.inner(name)?;
            let value = match by {
                // The name is meant even if the value does not fit. Invalid values are removed
                // later.
                NameMatch::Same if is_same(name, &member.name) => Some(
                    member
                        .value
                        .convert(schema)
                        .unwrap_or_else(|| member.value.clone()),
                ),
                NameMatch::Near if near == Some(*name) => member.value.convert(schema),
                NameMatch::Synonym if is_synonym(name, &member.name) => {
                    member.value.convert(schema)
                }
                NameMatch::SharedWord if shares_word(name, &member.name) => {
                    member.value.convert(schema)
                }
                NameMatch::Option => chosen_option(member, schema),
                NameMatch::OnlyFit if self.required.contains(name) && is_name(&member.name) => {
                    fitting(member, schema)
                }
                _ => None,
            };
            Some((*name, value?))
        };
        let mut fitting = self.missing.iter().filter_map(fits);
        let first = fitting.next()?;
        let is_only = fitting.next().is_none() && !self.is_rivaled(by, member, first.0, members);
        is_only.then_some(first)
    }

    /// Returns whether another unknown member could have the name as well.
    fn is_rivaled(
        &self,
        by: NameMatch,
        member: &CorrectedMember,
        name: &str,
        members: &[CorrectedMember],
    ) -> bool {
        matches!(by, NameMatch::OnlyFit)
            && members.iter().any(|other| {
                let schema = self.schema.inner(name);
                !self.has(&other.name)
                    && other.name != member.name
                    && schema.is_some_and(|schema| fitting(other, schema).is_some())
            })
    }

    fn note(&mut self, old: &str, name: &str) {
        self.missing.retain(|one| *one != name);
        if is_repeatable(old) && is_repeatable(name) {
            self.changes.push(format!("`{name}` instead of `{old}`"));
        }
    }
}

/// Returns the value of a member if the schema accepts it unchanged. A conversion would be a guess,
/// because no name supports it. A text that contains JSON is left out, too: it is data of another
/// argument.
fn fitting(member: &CorrectedMember, schema: ValueSchema<'_>) -> Option<CorrectedValue> {
    member
        .value
        .convert(schema)
        .filter(|converted| *converted == member.value && !member.value.begins_as_json())
}

/// Returns the option of an argument that a member names, by its value or, as in `squash: true`, by
/// its name.
fn chosen_option(member: &CorrectedMember, schema: ValueSchema<'_>) -> Option<CorrectedValue> {
    match &member.value {
        CorrectedValue::Kept(Value::Bool(true)) => {
            let options = schema.options();
            let mut named = options.iter().filter(|option| {
                option
                    .as_str()
                    .is_some_and(|option| shares_word(option, &member.name))
            });
            let option = named.next().filter(|_| named.next().is_none())?;
            Some(CorrectedValue::repeat(option))
        }
        CorrectedValue::Kept(value @ Value::String(_)) if !schema.options().is_empty() => schema
            .convert(value)
            .map(|option| CorrectedValue::repeat(&option)),
        _ => None,
    }
}

/// Returns whether both names have a word in common that says which thing they are about. The
/// beginning of a word counts, as in `repo` and `repository`.
fn shares_word(one: &str, other: &str) -> bool {
    let other = words(other);
    words(one)
        .iter()
        .filter(|word| !KINDS.contains(&word.as_str()))
        .any(|word| {
            other
                .iter()
                .any(|other| word == other || is_begun(word, other) || is_begun(other, word))
        })
}

fn is_begun(word: &str, by: &str) -> bool {
    by.len() >= BEGINNING_MIN && word.starts_with(by)
}

/// Splits a name at `_`, `-`, `.` and capitals. A plural counts as its singular.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for letter in name.chars() {
        if letter.is_uppercase() || !letter.is_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
    }
    // `getURL` is split into `get`, `u`, `r` and `l`. Single letters would match by accident.
    words.retain(|word| word.len() > 1);
    words
        .into_iter()
        .map(|word| word.strip_suffix('s').map(str::to_owned).unwrap_or(word))
        .collect()
}

/// Returns whether a text is written as names of arguments are. Others, such as `topic/parser`, are
/// values in the wrong place.
fn is_name(text: &str) -> bool {
    text.chars()
        .all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | '$'))
}
