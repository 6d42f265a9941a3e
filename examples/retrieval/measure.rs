//! How well and how fast a set's requests are answered.

use crate::set::Request;
use indicatif::ProgressBar;
use pd_runtime::search::{EmbedError, Search, SearchHit, SearchMode};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    fmt,
    time::{Duration, Instant},
};

/// How many hits are looked at.
const RANKS: usize = 100;

/// Recall is measured among so many first hits.
const LIMITS: [usize; 4] = [1, 3, 5, 10];

/// How many hits an answer to a request of several steps has for each.
const STEP_HITS: usize = 6;
/// How many it has at most.
const STEPS_HITS: usize = 15;

/// What the columns are: recall, the mean reciprocal rank, the median time, the share of requests with enough tools among the
/// hits that an answer shows, the share with a hit that stands out, and the wrong share of those.
pub(crate) const HEAD: &str = " R@1   R@3   R@5  R@10   MRR      µs    met  clear  wrong";

/// What was measured of one way to search.
#[derive(Default)]
pub(crate) struct Measured {
    requests: usize,
    /// How much of what is relevant was found, in sum over requests, by how many hits are looked at.
    recall: [f64; 4],
    reciprocal_rank: f64,
    took: Vec<Duration>,
    /// How often an answer had a tool for each step.
    met: usize,
    /// How often a hit stood out, and how often it was a right one.
    clear: usize,
    right: usize,
    /// Requests without enough tools in the answer, and what they found.
    pub(crate) misses: Vec<String>,
}

impl Measured {
    /// Answers all requests.
    pub(crate) fn of(
        requests: &[Request],
        search: &Search,
        mode: SearchMode,
    ) -> Result<Self, EmbedError> {
        let mut measured = Self::default();
        // The bar is drawn on terminals only.
        let bar = ProgressBar::new(requests.len() as u64);
        for request in bar.wrap_iter(requests.iter()) {
            let began = Instant::now();
            let found = search.find_by(mode, &request.text, RANKS)?;
            measured.took.push(began.elapsed());
            measured.note(request, &found);
        }
        bar.finish_and_clear();
        measured.took.sort();
        Ok(measured)
    }

    /// How much of what is relevant is among the `limit` first hits, in the mean.
    pub(crate) fn recall_at(&self, limit: usize) -> Option<f64> {
        let at = LIMITS.iter().position(|known| *known == limit)?;
        Some(self.recall.get(at)? / self.requests as f64)
    }

    /// How often a hit that stood out was right, and how often one did.
    #[cfg(test)]
    pub(crate) fn standing_out(&self) -> (f64, f64) {
        (
            self.right as f64 / self.clear as f64,
            self.clear as f64 / self.requests as f64,
        )
    }

    /// In how many answers there was a tool for each step.
    pub(crate) fn met(&self) -> f64 {
        self.met as f64 / self.requests.max(1) as f64
    }

    /// The columns of the table as JSON. Shares are between 0 and 1.
    pub(crate) fn to_json(&self) -> Value {
        let requests = self.requests.max(1) as f64;
        let recall = LIMITS
            .iter()
            .zip(self.recall)
            .map(|(limit, recall)| (limit.to_string(), json!(recall / requests)));
        json!({
            "recall_at": recall.collect::<serde_json::Map<_, _>>(),
            "mean_reciprocal_rank": self.reciprocal_rank / requests,
            "median_micros": self.median_micros(),
            "met": self.met(),
            "clear": self.clear as f64 / requests,
            "wrong": 1.0 - self.right as f64 / self.clear.max(1) as f64,
        })
    }

    fn median_micros(&self) -> u128 {
        self.took
            .get(self.took.len() / 2)
            .map_or(0, Duration::as_micros)
    }

    pub(crate) fn requests(&self) -> usize {
        self.requests
    }

    fn note(&mut self, request: &Request, found: &[SearchHit<'_>]) {
        let is_right = |found: &&SearchHit<'_>| {
            let fits = |tools: &BTreeSet<String>| tools.contains(found.name);
            fits(&request.relevant) || request.steps.iter().any(fits)
        };
        let shown = match request.steps.len() {
            0 | 1 => 5,
            steps => (STEP_HITS * steps).min(STEPS_HITS),
        };
        let names: Vec<&str> = found.iter().take(shown).map(|found| found.name).collect();
        self.met += usize::from(request.is_met_by(&names));
        self.requests += 1;
        for (recall, limit) in self.recall.iter_mut().zip(LIMITS) {
            let right: BTreeSet<&str> = found
                .iter()
                .take(limit)
                .filter(is_right)
                .map(|found| found.name)
                .collect();
            *recall += if request.steps.is_empty() {
                right.len() as f64 / request.relevant.len().max(1) as f64
            } else {
                let is_met =
                    |step: &&BTreeSet<String>| right.iter().any(|name| step.contains(*name));
                request.steps.iter().filter(is_met).count() as f64 / request.steps.len() as f64
            };
        }
        if !request.is_met_by(&names) {
            self.misses.push(match request.steps.as_slice() {
                [] => format!(
                    "{:?} means {:?}, found {:?}",
                    request.text,
                    request.relevant,
                    names.get(..3).unwrap_or(&names)
                ),
                steps => format!("{:?} means {steps:?}, found {names:?}", request.text),
            });
        }
        let rank = found.iter().position(|found| is_right(&found));
        self.reciprocal_rank += rank.map_or(0.0, |rank| 1.0 / (rank + 1) as f64);
        // Of the hits for several steps, each may stand out.
        let clear: Vec<_> = found.iter().filter(|found| found.stands_out).collect();
        self.clear += clear.len();
        self.right += clear.into_iter().filter(is_right).count();
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let requests = self.requests.max(1) as f64;
        for recall in self.recall {
            write!(to, "{:.3} ", recall / requests)?;
        }
        let median = self.median_micros();
        let clear = self.clear as f64 / requests;
        let wrong = 1.0 - self.right as f64 / self.clear.max(1) as f64;
        write!(
            to,
            "{:.3} {median:7}  {:.3}  {clear:.3}  {wrong:.3}",
            self.reciprocal_rank / requests,
            self.met()
        )
    }
}
