//! The keywords that assert something about a value itself (Core 2020-12, section 7.6.1). They do
//! not recurse.

use super::{BYTES_EACH, COMPARISONS_EACH, Evaluation, GivenUp};
use crate::{
    count_values, format, member,
    node::{NumberBound, SchemaKeyword, SizeLimit},
    number,
    pattern::SchemaPattern,
    references::address_of,
};
use serde_json::{Map, Number, Value};

/// The number of pairs of a text's byte and a pattern's byte that count as one step.
const PAIRS_EACH: u64 = 16;

impl Evaluation<'_> {
    pub(super) fn fits_assertion(&mut self, keyword: &SchemaKeyword, value: &Value) -> bool {
        match keyword {
            SchemaKeyword::Never => false,
            SchemaKeyword::Type(types) => types.contains(value),
            SchemaKeyword::Const(only) => number::are_equal(only, value),
            SchemaKeyword::Enum(values) => {
                self.advance(values.len() as u64 / COMPARISONS_EACH)
                    && values.iter().any(|one| number::are_equal(one, value))
            }
            other => match value {
                Value::Number(number) => fits_number(other, number),
                Value::String(text) => self.fits_text(other, text, value),
                Value::Array(items) => self.fits_array(other, items),
                Value::Object(object) => self.fits_object(other, object),
                Value::Null | Value::Bool(_) => true,
            },
        }
    }

    fn fits_text(&mut self, keyword: &SchemaKeyword, text: &str, value: &Value) -> bool {
        if !self.advance(text.len() as u64 / BYTES_EACH) {
            return false;
        }
        // JSON Schema counts characters. A text with no more bytes than the limit need not be
        // counted.
        let is_longer = |than: u64| text.len() as u64 > than && text.chars().count() as u64 > than;
        match keyword {
            SchemaKeyword::Size(SizeLimit::MinLength, least) => {
                // At least `n` characters is more than `n - 1`. Every text has at least 0.
                least.checked_sub(1).is_none_or(is_longer)
            }
            SchemaKeyword::Size(SizeLimit::MaxLength, most) => !is_longer(*most),
            SchemaKeyword::Pattern(pattern) => self.matches(pattern, text, Some(value)),
            SchemaKeyword::Format(format) => format::matches(*format, text),
            _ => true,
        }
    }

    /// Matches a text. `value` is the value in the arguments to report if the match is given up;
    /// a property name has none.
    pub(crate) fn matches(
        &mut self,
        pattern: &SchemaPattern,
        text: &str,
        value: Option<&Value>,
    ) -> bool {
        // A linear match takes time in proportion to the text and to the pattern.
        let pairs = (text.len() as u64).saturating_mul(pattern.source.len() as u64);
        if !self.advance(pairs / PAIRS_EACH) {
            return false;
        }
        pattern
            .is_match(text, &mut self.deadline)
            .unwrap_or_else(|_| {
                self.give_up(GivenUp::Match(value.map_or(0, address_of)));
                false
            })
    }

    fn fits_array(&mut self, keyword: &SchemaKeyword, items: &[Value]) -> bool {
        let count = items.len() as u64;
        match keyword {
            SchemaKeyword::Size(SizeLimit::MinItems, least) => count >= *least,
            SchemaKeyword::Size(SizeLimit::MaxItems, most) => count <= *most,
            SchemaKeyword::Unique => {
                // Hashing a value takes longer than most keywords.
                let parts: u64 = items.iter().map(count_values).sum();
                self.advance(2 * parts) && number::are_unique(items)
            }
            _ => true,
        }
    }

    fn fits_object(&mut self, keyword: &SchemaKeyword, object: &Map<String, Value>) -> bool {
        let count = object.len() as u64;
        let has = |name: &str| member::find(object, name).is_some();
        match keyword {
            SchemaKeyword::Size(SizeLimit::MinProperties, least) => count >= *least,
            SchemaKeyword::Size(SizeLimit::MaxProperties, most) => count <= *most,
            SchemaKeyword::Required(names) => names.iter().all(|name| has(name)),
            SchemaKeyword::DependentRequired(by_name) => {
                self.advance(by_name.len() as u64 / COMPARISONS_EACH)
                    && by_name
                        .iter()
                        .all(|(name, needed)| !has(name) || needed.iter().all(|name| has(name)))
            }
            _ => true,
        }
    }
}

fn fits_number(keyword: &SchemaKeyword, value: &Number) -> bool {
    match keyword {
        SchemaKeyword::Bound(bound, limit) => {
            let order = number::compare(value, limit);
            match bound {
                NumberBound::Minimum => order.is_ge(),
                NumberBound::Maximum => order.is_le(),
                NumberBound::Above => order.is_gt(),
                NumberBound::Below => order.is_lt(),
            }
        }
        SchemaKeyword::MultipleOf(divisor) => number::is_multiple(value, divisor),
        _ => true,
    }
}
