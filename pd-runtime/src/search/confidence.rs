//! When one hit is clearly the one. Measured to be right more often than eager: see the tests of retrieval.

use super::rank::Scores;

/// How far ahead the first must be by words, of its own score, if it answers the whole request. A right guess saves a model
/// about three times what a wrong one costs, so this asks for three in four even where requests are paraphrased.
const BY_WORDS: f32 = 0.12;

/// How far ahead it must be where meanings count too, of the best score there can be.
const BY_MEANING: f32 = 0.13;

/// How much of a request a name must answer that is all said in it: names are made of common words, too.
const NAMED: f32 = 0.7;

/// Whether the first of these, best first, leads so far that it is likely the one, or is the only one that was named. The less
/// of a request it answers, the further it must lead.
pub(super) fn stands_out(best: &[(usize, f32)], words: &Scores, is_fused: bool) -> bool {
    let Some((place, first)) = best.first() else { return false };
    let lead = first - best.get(1).map_or(0.0, |(_, second)| *second);
    let answered = words.answered(*place);
    if answered >= NAMED && words.names_only(*place) {
        return true;
    }
    let answered = answered.sqrt();
    if is_fused { lead * (1.0 + answered) / 2.0 >= BY_MEANING } else { lead / first * answered >= BY_WORDS }
}
