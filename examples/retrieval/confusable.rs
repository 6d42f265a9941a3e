//! How many wrong first hits the pairs of confusable tools explain. The pairs come from the tools'
//! texts alone.

use crate::set::{Request, Set};
use pd_runtime::search::{Search, confusable_tools};
use std::collections::{BTreeMap, BTreeSet};

/// The wrong first hits of a set, and the pairs that explain them.
#[derive(Debug)]
pub(crate) struct PairCoverage {
    pub(crate) pairs: usize,
    /// The largest number of pairs with the same tool.
    pub(crate) pairs_of_tool: usize,
    /// The share of the tools that are in a pair.
    pub(crate) flagged: f64,
    /// The requests whose first hit is wrong.
    pub(crate) wrong: usize,
    /// The wrong first hits that are in a pair with a right tool.
    pub(crate) explained: usize,
}

impl PairCoverage {
    pub(crate) fn new(set: &Set) -> Self {
        let found = confusable_tools(&set.tools);
        let pairs: BTreeSet<(&str, &str)> = found
            .iter()
            .flat_map(|pair| [(&*pair.tool, &*pair.other), (&*pair.other, &*pair.tool)])
            .collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        pairs
            .iter()
            .for_each(|(tool, _)| *counts.entry(tool).or_default() += 1);
        let search = Search::new(&set.tools);
        let wrong: Vec<_> = set
            .requests
            .iter()
            .filter_map(|request| wrong_hit(&search, request))
            .collect();
        let is_explained = |(hit, request): &&(&str, &Request)| {
            request
                .relevant
                .iter()
                .any(|tool| pairs.contains(&(*hit, &**tool)))
        };
        Self {
            pairs: found.len(),
            pairs_of_tool: counts.values().copied().max().unwrap_or(0),
            flagged: counts.len() as f64 / set.tools.len().max(1) as f64,
            wrong: wrong.len(),
            explained: wrong.iter().filter(is_explained).count(),
        }
    }

    /// Returns the explained share of the wrong first hits.
    pub(crate) fn share(&self) -> f64 {
        self.explained as f64 / self.wrong.max(1) as f64
    }
}

/// Returns the first hit of a request if it is not right.
fn wrong_hit<'a>(search: &'a Search, request: &'a Request) -> Option<(&'a str, &'a Request)> {
    let hit = search.find(&request.text, 1).first()?.name;
    (!request.relevant.contains(hit)).then_some((hit, request))
}

/// Prints a line for each set.
pub(crate) fn print(sets: &[Set]) {
    let width = sets
        .iter()
        .map(|set| set.name.chars().count())
        .max()
        .unwrap_or(0);
    println!(
        "{:width$}  tools  flagged  pairs  of a tool  wrong first hits  explained",
        "set"
    );
    for set in sets {
        let found = PairCoverage::new(set);
        let (flagged, share) = (100.0 * found.flagged, 100.0 * found.share());
        println!(
            "{:width$}  {:5}  {flagged:5.1} %  {:5}  {:9}  {:16}  {:9} = {share:.1} %",
            set.name,
            set.tools.len(),
            found.pairs,
            found.pairs_of_tool,
            found.wrong,
            found.explained
        );
    }
}
