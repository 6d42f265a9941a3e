//! Guessing which name was meant.

/// The candidate most like `name`, if one is like it at all.
pub(crate) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let best = candidates.map(|one| (likeness(name, one), one)).max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 > 0.7).then_some(best.1)
}

/// The `count` candidates most like `name`, most alike first; equals keep their order.
pub(crate) fn ranked<'a>(name: &str, candidates: impl Iterator<Item = &'a str>, count: usize) -> Vec<&'a str> {
    let mut scored: Vec<_> = candidates.map(|one| (likeness(name, one), one)).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().take(count).map(|(_, one)| one).collect()
}

/// From 0 to 1. Names are at most 64 characters, so a longer query is cut: comparing costs the product of lengths.
fn likeness(name: &str, candidate: &str) -> f64 {
    let cut = name.char_indices().nth(64).map_or(name, |(end, _)| name.get(..end).unwrap_or(name));
    strsim::jaro_winkler(cut, candidate)
}
