//! Numbers as JSON Schema compares them: by value, whatever their notation (Core 2020-12, section
//! 4.2.2). `serde_json` distinguishes `1` and `1.0`.

use serde_json::{Number, Value};
use std::{
    cmp::Ordering,
    hash::{BuildHasher, Hash, Hasher, RandomState},
};

/// Compares two numbers exactly.
pub(super) fn compare(one: &Number, other: &Number) -> Ordering {
    match (integer(one), integer(other)) {
        (Some(one), Some(other)) => one.cmp(&other),
        (Some(one), None) => compare_mixed(one, float(other)),
        (None, Some(other)) => compare_mixed(other, float(one)).reverse(),
        // JSON has no NaN, so the total order is the order of the values.
        (None, None) => float(one).total_cmp(&float(other)),
    }
}

/// Returns whether a number has no fraction, as `1.0`.
pub(super) fn is_integer(number: &Number) -> bool {
    number.is_i64() || number.is_u64() || float(number).fract() == 0.0
}

/// Returns the value of an integer, `1.0` included, unless it is very large.
pub(super) fn integer(number: &Number) -> Option<i128> {
    let exact = number
        .as_i64()
        .map(i128::from)
        .or_else(|| number.as_u64().map(i128::from));
    exact.or_else(|| {
        let float = float(number);
        // Beyond this, neighboring floats are further apart than 1, and `as` would saturate.
        (float.fract() == 0.0 && float.abs() < 1e36).then_some(float as i128)
    })
}

fn float(number: &Number) -> f64 {
    number.as_f64().unwrap_or_default()
}

/// Compares an integer with a float that is not one.
fn compare_mixed(integer: i128, float: f64) -> Ordering {
    // `integer` returns nothing this large, so the sign decides.
    if float.abs() >= 1e36 {
        return if float > 0.0 {
            Ordering::Less
        } else {
            Ordering::Greater
        };
    }
    // The float has a fraction, so it is never equal to an integer.
    if integer <= float.floor() as i128 {
        Ordering::Less
    } else {
        Ordering::Greater
    }
}

/// Returns whether a number is a multiple of another, in decimal notation: 0.3 is a multiple of
/// 0.1, although the floats are not.
pub(super) fn is_multiple(number: &Number, of: &Number) -> bool {
    let (Some((value, value_exponent)), Some((divisor, divisor_exponent))) =
        (decimal(number), decimal(of))
    else {
        return false;
    };
    // 0 is a multiple of every number. A divisor of 0 would fail below.
    if divisor == 0 || value == 0 {
        return value == 0;
    }
    let shift = value_exponent - divisor_exponent;
    // Calculated modulo the divisor, because `1e308` fits in no integer type.
    if shift >= 0 {
        return mul_mod(
            value % divisor,
            pow_mod(10, shift.unsigned_abs(), divisor),
            divisor,
        ) == 0;
    }
    // More digits than the value has: no multiple of such a divisor is so small.
    let scale = 10_u128.checked_pow(shift.unsigned_abs());
    scale
        .and_then(|scale| divisor.checked_mul(scale))
        .is_some_and(|divisor| value % divisor == 0)
}

/// Returns the digits of a number and its decimal exponent, without the sign.
fn decimal(number: &Number) -> Option<(u128, i32)> {
    // The shortest text that means the number: `0.1` has one digit, and its float 55.
    let text = number.to_string();
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((&text, "0"));
    let (whole, fraction) = digits
        .trim_start_matches('-')
        .split_once('.')
        .unwrap_or((digits.trim_start_matches('-'), ""));
    let exponent: i32 = exponent.trim_start_matches('+').parse().ok()?;
    let digits = format!("{whole}{fraction}").parse().ok()?;
    Some((
        digits,
        exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?,
    ))
}

fn pow_mod(base: u128, mut exponent: u32, modulus: u128) -> u128 {
    let mut result = 1 % modulus;
    let mut square = base % modulus;
    while exponent > 0 {
        if exponent % 2 == 1 {
            result = mul_mod(result, square, modulus);
        }
        square = mul_mod(square, square, modulus);
        exponent /= 2;
    }
    result
}

/// Multiplies without overflow. A divisor has at most 20 digits, so a factor fits in 67 bits; the
/// second factor is added bit by bit where the product would not fit.
fn mul_mod(one: u128, mut other: u128, modulus: u128) -> u128 {
    if let Some(product) = one.checked_mul(other) {
        return product % modulus;
    }
    let mut sum = 0;
    let mut double = one % modulus;
    while other > 0 {
        if other % 2 == 1 {
            sum = (sum + double) % modulus;
        }
        double = (double + double) % modulus;
        other /= 2;
    }
    sum
}

/// Returns whether two values are equal: numbers by value, objects in any order.
pub(super) fn are_equal(one: &Value, other: &Value) -> bool {
    are_equal_by(one, other, &|one, other| compare(one, other).is_eq())
}

/// Returns whether two values are equal, with another comparison of numbers.
pub fn are_equal_by(
    one: &Value,
    other: &Value,
    is_same: &impl Fn(&Number, &Number) -> bool,
) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => is_same(one, other),
        (Value::Array(ones), Value::Array(others)) => {
            ones.len() == others.len()
                && ones
                    .iter()
                    .zip(others)
                    .all(|(one, other)| are_equal_by(one, other, is_same))
        }
        (Value::Object(ones), Value::Object(others)) => {
            ones.len() == others.len()
                && ones.iter().all(|(name, one)| {
                    others
                        .get(name)
                        .is_some_and(|other| are_equal_by(one, other, is_same))
                })
        }
        _ => one == other,
    }
}

/// Returns whether no two items are equal. Items are hashed, because comparing each pair of a
/// caller's long array would take quadratic time.
pub(super) fn are_unique(items: &[Value]) -> bool {
    // Random, so that a caller cannot choose items with equal hashes.
    let state = RandomState::new();
    let mut by_hash: Vec<_> = items
        .iter()
        .map(|item| (hash_of(item, &state), item))
        .collect();
    by_hash.sort_unstable_by_key(|(hash, _)| *hash);
    let mut groups = by_hash.chunk_by(|(one, _), (other, _)| one == other);
    groups.all(|group| {
        let mut pairs = group
            .iter()
            .enumerate()
            .flat_map(|(place, one)| group.iter().skip(place + 1).map(move |other| (one, other)));
        pairs.all(|((_, one), (_, other))| !are_equal(one, other))
    })
}

fn hash_of(value: &Value, state: &RandomState) -> u64 {
    let mut hasher = state.build_hasher();
    std::mem::discriminant(value).hash(&mut hasher);
    match value {
        Value::Null => {}
        Value::Bool(value) => value.hash(&mut hasher),
        Value::Number(number) => match integer(number) {
            Some(integer) => integer.hash(&mut hasher),
            None => float(number).to_bits().hash(&mut hasher),
        },
        Value::String(text) => text.hash(&mut hasher),
        Value::Array(items) => items
            .iter()
            .for_each(|item| hash_of(item, state).hash(&mut hasher)),
        // The sum is the same in any order.
        Value::Object(object) => {
            object
                .iter()
                .map(|(name, inner)| state.hash_one((name, hash_of(inner, state))))
                .fold(0, u64::wrapping_add)
                .hash(&mut hasher);
        }
    }
    hasher.finish()
}
