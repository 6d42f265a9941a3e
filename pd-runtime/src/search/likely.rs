//! When one hit is clearly the one.

use super::find::Hit;

/// How far the first must be ahead of the second. A description sent along in vain costs less than half of what asking for it
/// later does, and a first hit this far ahead is the right one more often than not.
const AHEAD: f32 = 1.1;

/// Whether the first hit is so far ahead that its description is worth sending along.
pub(crate) fn stands_out(hits: &[Hit]) -> bool {
    match hits {
        [first, second, ..] => first.score >= AHEAD * second.score,
        [_] => true,
        [] => false,
    }
}
