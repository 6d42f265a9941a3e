//! Decides whether the first hit is clearly the intended tool. The thresholds were chosen in the
//! retrieval tests; they favor precision.

use super::rank::DocumentScores;

/// The required lead of the first hit by words, relative to its score, if it answers the whole
/// request. A right guess saves a model about three times what a wrong one costs. The threshold
/// aims at three right guesses in four even for paraphrased requests.
const BY_WORDS: f32 = 0.12;

/// The required lead with meanings, relative to the best possible score.
const BY_MEANING: f32 = 0.13;

/// The part of a request that a fully mentioned name must answer. Names consist of common words,
/// too, so mentioning a name is not enough.
const NAMED: f32 = 0.7;

/// Returns whether the first of these hits (best first) is very probably the intended one: its lead
/// is large, or it is the only tool that the request names. The less of the request the hit
/// answers, the larger the lead must be.
pub(super) fn stands_out(best: &[(usize, f32)], words: &DocumentScores, is_fused: bool) -> bool {
    let Some((place, first)) = best.first() else {
        return false;
    };
    let lead = first - best.get(1).map_or(0.0, |(_, second)| *second);
    let answered = words.answered(*place);
    if answered >= NAMED && words.names_only(*place) {
        return true;
    }
    // The square root softens the effect: a hit that answers a quarter of the request needs twice
    // the lead, not four times.
    let answered = answered.sqrt();
    // Fused scores are between 0 and 1 by their scale, so their lead is not divided by the first.
    // Words are only a part of them, so a request without an answer by words halves the lead at
    // most.
    if is_fused {
        lead * (1.0 + answered) / 2.0 >= BY_MEANING
    } else {
        lead / first * answered >= BY_WORDS
    }
}
