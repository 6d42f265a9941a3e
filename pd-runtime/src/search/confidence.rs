//! The decision whether the first hit is clearly the intended tool. The thresholds were measured;
//! see the retrieval tests.

use super::rank::Scores;

/// The minimum lead of the first hit in a search by words, relative to its score, if it answers the
/// whole request. A right guess saves a model about three times the tokens that a wrong guess
/// costs. The threshold asks for a precision of three in four, even for paraphrased requests.
const BY_WORDS: f32 = 0.12;

/// The minimum lead in a search that includes meanings, relative to the highest possible score.
const BY_MEANING: f32 = 0.13;

/// The minimum share of a request that a tool answers if the request contains its whole name. Names
/// consist of common words, so a lower share may be chance.
const NAMED: f32 = 0.7;

/// Returns whether the first of these hits, best first, is likely the intended tool: it is the only
/// one named, or it leads by enough. The less of the request it answers, the larger the lead must
/// be.
pub(super) fn stands_out(best: &[(usize, f32)], words: &Scores, is_fused: bool) -> bool {
    let Some((place, first)) = best.first() else { return false };
    let lead = first - best.get(1).map_or(0.0, |(_, second)| *second);
    let answered = words.answered(*place);
    if answered >= NAMED && words.names_only(*place) {
        return true;
    }
    // The square root softens the penalty. By words, a hit that answers a quarter of the request
    // needs twice the lead, not four times.
    let answered = answered.sqrt();
    if is_fused { lead * (1.0 + answered) / 2.0 >= BY_MEANING } else { lead / first * answered >= BY_WORDS }
}
