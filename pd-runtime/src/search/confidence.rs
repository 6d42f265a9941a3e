//! Decides whether the first hit is clearly the intended tool.

use super::rank::DocumentScores;

/// The part of a request that a fully mentioned name must answer. Names consist of common words,
/// too, so mentioning a name is not enough.
const NAMED: f32 = 0.7;

/// The least probability that the first hit is right, as a logit: 0.9. A description that a model
/// reads in vain costs a turn.
const CONFIDENT: f32 = 2.2;

/// A logistic model of the probability that a first hit is right. It was fitted to every other
/// request of azure-mcp and of metatool, and measured on the others. The example `retrieval` prints
/// how often a hit stands out, and how often it is then wrong.
struct Confidence {
    /// The lead over the next hit, as a part of the first one's score.
    lead: f32,
    /// How closely the hit's words match.
    closeness: f32,
    /// How much the request says: its logarithm.
    specificity: f32,
    bias: f32,
}

const BY_WORDS: Confidence = Confidence {
    lead: 5.0,
    closeness: 3.1,
    specificity: 0.7,
    bias: -4.4,
};

const BY_MEANING: Confidence = Confidence {
    lead: 6.6,
    closeness: 2.5,
    specificity: 0.7,
    bias: -3.4,
};

/// Returns whether the first of these hits (best first) is very probably the intended one, or it is
/// the only tool that the request names or consists of.
pub(super) fn stands_out(best: &[(usize, f32)], words: &DocumentScores, is_fused: bool) -> bool {
    let Some((place, first)) = best.first() else {
        return false;
    };
    let next = best.get(1).map_or(0.0, |(_, next)| *next);
    let is_named = words.answered(*place) >= NAMED && words.names_only(*place);
    if is_named || words.calls_only(*place) {
        return true;
    }
    let model = if is_fused { BY_MEANING } else { BY_WORDS };
    let logit = model.lead * (first - next) / first
        + model.closeness * words.closeness(*place)
        + model.specificity * words.specificity().ln_1p()
        + model.bias;
    logit >= CONFIDENT
}
