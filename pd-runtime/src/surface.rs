//! The wires on which descriptions are disclosed, one file each. A surface only projects: it decides nothing, and
//! every description it shows comes from `disclose`.

pub(crate) mod extension;
pub(crate) mod listing;
pub(crate) mod meta_tools;
pub(crate) mod refusal;
pub(crate) mod resource;

/// The most tools that one request may describe.
pub(crate) const NAMES_MAX: usize = 50;

/// Names as a caller gives them: trimmed, without empty ones, each once.
pub(crate) fn cleaned<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    // No tool has a longer name, so the rest of one is not worth sending back.
    let cut = |name: &'a str| name.char_indices().nth(65).and_then(|(end, _)| name.get(..end)).unwrap_or(name);
    names.map(str::trim).map(cut).filter(|name| !name.is_empty() && seen.insert(*name)).map(str::to_owned).collect()
}
