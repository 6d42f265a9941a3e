//! A search without an index, over names and summaries. It serves the searches that come before the
//! index of very many tools is built.

use super::{
    best_hits::best,
    query::{self, beginning},
    searcher::DocumentHit,
    visible_stats::rarity,
};

/// The fewest letters of a root that is looked for. Shorter ones are part of many words.
const ROOT_MIN: usize = 3;

/// The limit on the number of different roots, one for each bit of a mask.
const ROOTS_MAX: usize = 32;

/// The weight of a word in a name. One in a summary weighs 1.
const NAME: f32 = 2.0;

/// The words that a tool has, as bits by the place of their root.
#[derive(Default)]
struct FoundWords {
    place: usize,
    in_name: u32,
    in_summary: u32,
}

/// Returns the `limit` best of these tools, best first. Each has its place, name and summary. None
/// of them is said to stand out.
pub(crate) fn scan<'a>(
    request: &str,
    limit: usize,
    tools: impl Iterator<Item = (usize, &'a str, &'a str)>,
) -> Vec<DocumentHit> {
    let mut roots: Vec<(String, f32)> = query::read(beginning(request))
        .into_iter()
        .map(|word| (word.root, word.weight))
        .filter(|(root, _)| root.chars().count() >= ROOT_MIN)
        .collect();
    roots.truncate(ROOTS_MAX);
    let mut found: Vec<FoundWords> = Vec::new();
    let mut counts = vec![0_usize; roots.len()];
    let mut all = 0;
    let mut lower = String::new();
    let mut mask = |text: &str| {
        lower.clear();
        lower.extend(text.chars().flat_map(char::to_lowercase));
        let bits = roots.iter().enumerate();
        bits.filter(|(_, (root, _))| lower.contains(root.as_str()))
            .fold(0_u32, |mask, (bit, _)| mask | 1 << bit)
    };
    for (place, name, summary) in tools {
        all += 1;
        let words = FoundWords {
            place,
            in_name: mask(name),
            in_summary: mask(summary),
        };
        let either = words.in_name | words.in_summary;
        for (bit, count) in counts.iter_mut().enumerate() {
            *count += usize::from(either & 1 << bit != 0);
        }
        if either != 0 {
            found.push(words);
        }
    }
    let weights: Vec<f32> = roots
        .iter()
        .zip(&counts)
        .map(|((_, weight), count)| weight * rarity(all, *count))
        .collect();
    let sum = |mask: u32| -> f32 {
        let bits = weights.iter().enumerate();
        bits.filter(|(bit, _)| mask & 1 << bit != 0)
            .map(|(_, weight)| weight)
            .sum()
    };
    let scores: Vec<f32> = found
        .iter()
        .map(|words| NAME * sum(words.in_name) + sum(words.in_summary))
        .collect();
    let hits = best(&scores, limit).into_iter();
    hits.filter_map(|(at, score)| {
        Some(DocumentHit {
            place: found.get(at)?.place,
            score,
            stands_out: false,
            step: None,
        })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::scan;

    #[test]
    fn the_rarest_words_in_names_decide() {
        let tools = [
            ("list_issues", "List the issues of a repository"),
            ("list_alerts", "List the alerts of a service"),
            ("muteAlert", "Silence one for hours"),
            ("get_page", "Read a page"),
        ];
        let places = |request: &str| {
            let tools = tools.iter().enumerate();
            let tools = tools.map(|(place, (name, summary))| (place, *name, *summary));
            let hits = scan(request, 2, tools);
            hits.iter().map(|hit| hit.place).collect::<Vec<_>>()
        };
        assert_eq!(places("mute an alert for two hours"), [2, 1]);
        assert_eq!(places("listing issue"), [0, 1]);
        for nothing in ["of", "", "zebra crossing"] {
            assert!(places(nothing).is_empty(), "{nothing}");
        }
    }
}
