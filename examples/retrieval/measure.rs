//! How well and how fast a set's requests are answered.

use crate::set::Request;
use indicatif::ProgressBar;
use pd_runtime::search::{EmbedError, Search, SearchHit, SearchMode};
use serde_json::{Value, json};
use std::{
    fmt,
    time::{Duration, Instant},
};

/// How many hits are looked at.
const RANKS: usize = 100;

/// Recall is measured among so many first hits.
const LIMITS: [usize; 4] = [1, 3, 5, 10];

/// How many hits must have a tool that fits, or one for each of several steps.
const SHOWN: [usize; 2] = [5, 12];

/// What the columns are: recall, the mean reciprocal rank, the median time, the share of requests with a tool that fits among
/// five hits, or one for each step among twelve, the hits that stand out by request, and the wrong share of those.
pub(crate) const HEAD: &str = " R@1   R@3   R@5  R@10   MRR      µs    met  clear  wrong";

/// What was measured of one way to search.
#[derive(Default)]
pub(crate) struct Measured {
    requests: usize,
    /// How much of what is relevant was found, in sum over requests, by how many hits are looked at.
    recall: [f64; 4],
    reciprocal_rank: f64,
    took: Vec<Duration>,
    /// How often the shown hits were enough.
    met: usize,
    /// How often a hit stood out, and how often it was a right one.
    clear: usize,
    right: usize,
    /// Requests whose shown hits are not enough, and what they found.
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

    /// For which share of the requests the shown hits are enough.
    pub(crate) fn met(&self) -> f64 {
        self.met as f64 / self.requests.max(1) as f64
    }

    /// Which share of the hits that stood out was wrong.
    fn wrong(&self) -> f64 {
        (self.clear - self.right) as f64 / self.clear.max(1) as f64
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
            "wrong": self.wrong(),
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
        let is_right = |found: &&SearchHit<'_>| request.relevant.contains(found.name);
        let names: Vec<&str> = found.iter().map(|found| found.name).collect();
        let first = |limit: usize| names.get(..limit).unwrap_or(&names);
        self.requests += 1;
        for (recall, limit) in self.recall.iter_mut().zip(LIMITS) {
            *recall += request.recall(first(limit));
        }
        let [one, several] = SHOWN;
        let shown = first(if request.steps.len() > 1 {
            several
        } else {
            one
        });
        if request.is_met_by(shown) {
            self.met += 1;
        } else {
            self.misses.push(format!(
                "{:?} means {:?}, found {:?}",
                request.text,
                request.relevant,
                first(3)
            ));
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
        let wrong = self.wrong();
        write!(
            to,
            "{:.3} {median:7}  {:.3}  {clear:.3}  {wrong:.3}",
            self.reciprocal_rank / requests,
            self.met()
        )
    }
}
