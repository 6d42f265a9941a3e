//! How many wrong first hits the pairs of confusable tools explain. The pairs come from the tools'
//! texts alone, or also from requests that the tools declare.

use crate::set::{self, Request, Set};
use pd_runtime::{
    Tool,
    search::{Search, confusable_tools},
};
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
    /// Measures the pairs that come from the tools' texts alone.
    pub(crate) fn of_texts(set: &Set) -> Self {
        Self::new(set, &set.tools, &set.requests.iter().collect::<Vec<_>>())
    }

    /// Measures, on every other request, the pairs of tools that declare the rest of the requests.
    pub(crate) fn of_declared(set: &Set) -> Self {
        let (declared, measured): (Vec<_>, Vec<_>) = (0..)
            .zip(&set.requests)
            .partition(|(index, _)| index % 2 == 0);
        let tools: Vec<Tool<()>> = set
            .definitions
            .iter()
            .map(|definition| {
                let requests = declared
                    .iter()
                    .filter(|(_, request)| request.relevant.contains(&*definition.name));
                requests.fold(set::tool(definition.clone()), |tool, (_, request)| {
                    tool.found_by(request.text.clone())
                })
            })
            .collect();
        let measured: Vec<_> = measured.into_iter().map(|(_, request)| request).collect();
        Self::new(set, &tools, &measured)
    }

    fn new(set: &Set, tools: &[Tool<()>], requests: &[&Request]) -> Self {
        let found = confusable_tools(tools);
        let pairs: BTreeSet<(&str, &str)> = found
            .iter()
            .flat_map(|pair| [(&*pair.tool, &*pair.other), (&*pair.other, &*pair.tool)])
            .collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (tool, _) in &pairs {
            *counts.entry(tool).or_default() += 1;
        }
        let search = Search::new(&set.tools);
        let wrong: Vec<_> = requests
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

/// Prints two lines for each set: for the texts of its tools alone, and with every other request
/// declared by its tools and measured on the rest.
pub(crate) fn print(sets: &[Set]) {
    let width = sets
        .iter()
        .map(|set| set.name.chars().count())
        .max()
        .unwrap_or(0);
    println!(
        "{:width$}  tools  pairs from         flagged  pairs  of a tool  wrong first hits  explained",
        "set"
    );
    for set in sets {
        let texts = ("texts", PairCoverage::of_texts(set));
        let declared = ("half the requests", PairCoverage::of_declared(set));
        for (source, found) in [texts, declared] {
            let (flagged, share) = (100.0 * found.flagged, 100.0 * found.share());
            println!(
                "{:width$}  {:5}  {source:17}  {flagged:5.1} %  {:5}  {:9}  {:16}  {:9} = {share:.1} %",
                set.name,
                set.tools.len(),
                found.pairs,
                found.pairs_of_tool,
                found.wrong,
                found.explained
            );
        }
    }
}
