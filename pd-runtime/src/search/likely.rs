//! When one hit is clearly the one.

use super::find::Hit;

/// How far the first must be ahead of the second.
const AHEAD: f32 = 1.5;

/// Whether the first hit is so far ahead that its description is worth sending along.
pub(crate) fn stands_out(hits: &[Hit]) -> bool {
    match hits {
        [first, second, ..] => first.score >= AHEAD * second.score,
        [_] => true,
        [] => false,
    }
}
