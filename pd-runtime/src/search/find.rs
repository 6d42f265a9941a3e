//! The search itself: read the request, score what the caller sees, choose.

use super::{index::Index, query::Query, rank::best, view::View};

/// A document that fits a request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Hit {
    /// Its place among the documents that the index was made of.
    pub(crate) place: usize,
    /// How well it fits; comparable within one answer only.
    pub(crate) score: f32,
}

impl Index {
    /// The `limit` documents that fit a request best, best first; of equals the first. Words count, not their order.
    pub(crate) fn find(&self, request: &str, limit: usize, view: &View) -> Vec<Hit> {
        let scores = self.scores(&Query::new(request, self, view), view);
        let places = best(&scores.of, limit).into_iter();
        places.filter_map(|place| Some(Hit { place, score: *scores.of.get(place)? })).collect()
    }
}
