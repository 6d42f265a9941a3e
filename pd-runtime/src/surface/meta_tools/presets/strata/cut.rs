//! Lists that are cut into parts, to bound the tokens of an answer: the part that is shown, and how
//! to get the rest.

use serde_json::{Map, Value, json};

/// The most categories in one answer (whitepaper, "The Strata Pattern": 5 to 10).
pub(super) const CATEGORIES_MAX: usize = 10;
/// The most actions in one answer for each category (whitepaper: 10 to 20).
pub(super) const ACTIONS_MAX: usize = 20;

/// One part of a list.
#[derive(Debug)]
pub(super) struct ListPart<T> {
    pub(super) items: Vec<T>,
    /// The length of the whole list.
    pub(super) total: usize,
    page: usize,
    left_out: usize,
}

impl<T> ListPart<T> {
    /// Returns the part of this number, counted from 1. A number after the last part returns an
    /// empty part.
    pub(super) fn new(all: Vec<T>, page: usize, size: usize) -> Self {
        let total = all.len();
        let page = page.max(1);
        // A model chooses the page, so the product may overflow.
        let before = (page - 1).saturating_mul(size);
        let left_out = total.saturating_sub(before.saturating_add(size));
        Self {
            items: all.into_iter().skip(before).take(size).collect(),
            total,
            page,
            left_out,
        }
    }

    /// Adds the number of the remaining items, and how to get them.
    pub(super) fn add_rest(
        &self,
        answer: &mut Map<String, Value>,
        next: impl FnOnce(usize) -> String,
    ) {
        if self.left_out > 0 {
            answer.insert("left_out".to_owned(), json!(self.left_out));
            answer.insert("next".to_owned(), json!(next(self.page + 1)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_on_one_page_and_the_rest_is_counted() {
        let pages = [
            (1, vec![0, 1, 2], Some(4)),
            (2, vec![3, 4, 5], Some(1)),
            (3, vec![6], None),
            (9, vec![], None),
        ];
        for (page, items, rest) in pages.into_iter().chain([(0, vec![0, 1, 2], Some(4))]) {
            let part = ListPart::new((0..7).collect(), page, 3);
            let mut answer = Map::new();
            part.add_rest(&mut answer, |next| format!("page {next}"));
            assert_eq!((part.items, part.total), (items, 7), "page {page}");
            assert_eq!(
                answer.get("left_out").and_then(Value::as_u64),
                rest,
                "page {page}"
            );
        }
        assert!(
            ListPart::new(vec![1], usize::MAX, usize::MAX)
                .items
                .is_empty()
        );
    }
}
