//! Reports texts that hold the JSON of what a schema wants in their place, and keeps what they
//! hold.

use super::{ArgumentValue, FindingKind, ViolationExplainer, ViolationFinding};
use crate::{
    json_text::{self, JsonText, TEXTS_MAX},
    references::address_of,
    violations::ViolationKind,
};
use serde_json::Value;

/// What the branches of a union want instead of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextVerdict {
    /// No branch takes this text, because of its type or of the words that the branch lists. A
    /// branch that refuses it for its length or its pattern wants a text.
    is_refused: bool,
    /// Besides, a branch takes values of the type that the text holds.
    pub(super) is_wanted: bool,
}

impl<'s> ViolationExplainer<'_, 's> {
    /// Reports a text that holds the JSON of what is wanted in its place, and keeps what it holds.
    /// Returns whether it is such a text.
    pub(super) fn is_json_of(
        &mut self,
        place: &ArgumentValue<'_>,
        is_wanted: impl FnOnce(&Value, &mut Self) -> bool,
    ) -> bool {
        let Value::String(text) = place.value else {
            return false;
        };
        if place.is_root()
            || !json_text::begins_as_json(text)
            || self.violations.texts.0.len() >= TEXTS_MAX
        {
            return false;
        }
        // `allOf` may lead to one text twice, which is parsed once.
        if !self.parsed.insert(address_of(place.value)) {
            return false;
        }
        let Some(value) = json_text::parse(text).filter(|value| is_wanted(value, self)) else {
            return false;
        };
        let kind = match value {
            Value::Object(_) => "the object",
            Value::Array(_) => "the array",
            _ => "`null`",
        };
        self.violations.add(
            ViolationKind::Value,
            || place.pointer(),
            || format!("is a text that holds JSON; send {kind} itself"),
        );
        let path = place
            .path()
            .into_iter()
            .map(|part| part.render().into_owned())
            .collect();
        self.violations.texts.0.push(JsonText { path, value });
        true
    }

    /// Judges a text by the findings of a union's branches. `value` is what the text holds.
    pub(super) fn verdict<'v>(
        &mut self,
        branches: &[&[ViolationFinding<'s, 'v>]],
        place: &ArgumentValue<'v>,
        value: &Value,
    ) -> TextVerdict {
        let mut union = TextVerdict {
            is_refused: true,
            is_wanted: false,
        };
        for findings in branches {
            let branch = self.branch_verdict(findings, place, value);
            union.is_refused &= branch.is_refused;
            union.is_wanted |= branch.is_wanted;
        }
        TextVerdict {
            is_wanted: union.is_wanted && union.is_refused,
            ..union
        }
    }

    fn branch_verdict<'v>(
        &mut self,
        findings: &[ViolationFinding<'s, 'v>],
        place: &ArgumentValue<'v>,
        value: &Value,
    ) -> TextVerdict {
        let mut branch = TextVerdict {
            is_refused: false,
            is_wanted: true,
        };
        for finding in findings
            .iter()
            .filter(|finding| finding.place.is_same(place))
        {
            let (is_refused, is_wanted) = match finding.kind {
                FindingKind::Type(types) => (true, types.contains(value)),
                FindingKind::Const(_) | FindingKind::Enum(_) => (true, false),
                // The schema's depth bounds unions inside each other.
                FindingKind::Union(nodes) => {
                    let inner: Vec<_> = nodes
                        .iter()
                        .map(|node| self.findings(*node, place))
                        .collect();
                    let inner: Vec<_> = inner
                        .iter()
                        .map(|findings| findings.kept.as_slice())
                        .collect();
                    let inner = self.verdict(&inner, place, value);
                    (inner.is_refused, inner.is_wanted)
                }
                // Other findings, such as a length, mean that the branch takes texts.
                _ => continue,
            };
            branch.is_refused |= is_refused;
            branch.is_wanted &= is_wanted;
        }
        TextVerdict {
            is_wanted: branch.is_wanted && branch.is_refused,
            ..branch
        }
    }
}
