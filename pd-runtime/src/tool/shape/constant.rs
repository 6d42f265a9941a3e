//! Checks of defaults that are constants of the author against the argument's own `#[arg]`. Only
//! the compiler knows the values of such constants.

use super::const_panic::refuse;
use crate::text::{const_message::ConstMessage, const_str::contains};

/// The value of a constant, as far as `#[arg]` can limit it.
#[derive(Debug, Clone, Copy)]
pub enum ConstantValue {
    /// A number, whole or not.
    Number(f64),
    /// A string.
    Text(&'static str),
}

/// A limit of an argument. It applies to a number itself, and to the length of a string in
/// characters.
#[derive(Debug, Clone, Copy)]
pub enum ConstantBound {
    /// At least this.
    AtLeast(f64),
    /// At most this.
    AtMost(f64),
    /// More than this.
    Above(f64),
    /// Less than this.
    Below(f64),
    /// One of these strings.
    OneOf(&'static [&'static str]),
}

/// A placeholder for a number that generated code cannot name. It satisfies every limit.
pub const NOT_KNOWN: f64 = f64::NAN;

/// Refuses a constant that violates a limit. `limit` is the limit's name in the message.
#[track_caller]
pub const fn check_constant(
    tool: &str,
    argument: &str,
    constant: ConstantValue,
    bound: ConstantBound,
    limit: &str,
) {
    let size = match constant {
        ConstantValue::Number(number) => number,
        ConstantValue::Text(text) => char_count(text) as f64,
    };
    let fits = match (bound, constant) {
        (ConstantBound::AtLeast(least), _) => size >= least,
        (ConstantBound::AtMost(most), _) => size <= most,
        (ConstantBound::Above(limit), _) => size > limit,
        (ConstantBound::Below(limit), _) => size < limit,
        (ConstantBound::OneOf(allowed), ConstantValue::Text(text)) => contains(allowed, text),
        (ConstantBound::OneOf(_), ConstantValue::Number(_)) => true,
    };
    // Every comparison with NaN is false, so `NOT_KNOWN` needs its own exception.
    if !fits && !size.is_nan() {
        let place = ConstMessage::new()
            .text("this default of `")
            .text(argument)
            .text("` breaks its `");
        refuse(tool, &place.text(limit), "`; change one of the two");
    }
}

/// Counts characters. `str::chars` is not const.
const fn char_count(text: &str) -> usize {
    let mut bytes = text.as_bytes();
    let mut count = 0;
    while let [byte, rest @ ..] = bytes {
        // Counts all bytes except UTF-8 continuation bytes (`10xxxxxx`).
        if *byte & 0b1100_0000 != 0b1000_0000 {
            count += 1;
        }
        bytes = rest;
    }
    count
}
