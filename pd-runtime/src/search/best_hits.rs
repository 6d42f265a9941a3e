//! The selection of the best documents by their scores.

/// The least number of best documents of a selection. A selection of fewer would be made too often.
const SELECTED_MIN: usize = 64;

/// Returns the `count` best documents with their scores, best first, and the earlier one first for
/// equal scores. Documents with score 0 are not hits.
pub(super) fn best(scores: &[f32], count: usize) -> Vec<(usize, f32)> {
    let order = |one: &(usize, f32), other: &(usize, f32)| {
        other.1.total_cmp(&one.1).then(one.0.cmp(&other.0))
    };
    let mut hits: Vec<(usize, f32)> = Vec::new();
    // The score that a further document has to exceed.
    let mut least = 0.0;
    for (place, score) in scores.iter().copied().enumerate() {
        if score > least {
            hits.push((place, score));
        }
        // A registry has many more hits than are asked for. So the best ones are selected now and
        // then, and what is below all of them is not even kept. The order is total, so the result
        // does not depend on the partition.
        if hits.len() > count.max(SELECTED_MIN).saturating_mul(2) {
            hits.select_nth_unstable_by(count, order);
            hits.truncate(count);
            least = hits
                .iter()
                .map(|(_, score)| *score)
                .fold(f32::MAX, f32::min);
        }
    }
    hits.sort_unstable_by(order);
    hits.truncate(count);
    hits
}

#[cfg(test)]
mod tests {
    use super::best;
    use proptest::{collection::vec, prelude::*};

    proptest! {
        /// Few different scores make many equal ones, and more documents than are kept at once.
        #[test]
        fn the_best_are_the_first_of_all_in_order(
            scores in vec(prop_oneof![Just(f32::NAN), (0_u8..9).prop_map(f32::from)], 0..600),
            count in 0_usize..200,
        ) {
            let mut all: Vec<(usize, f32)> = scores
                .iter()
                .copied()
                .enumerate()
                .filter(|(_, score)| *score > 0.0)
                .collect();
            // A stable sort, so equal scores keep the order of documents.
            all.sort_by(|one, other| other.1.total_cmp(&one.1));
            all.truncate(count);
            prop_assert_eq!(best(&scores, count), all);
        }
    }
}
