//! Lists that may be long: every tool that returns one returns a page of it and says how to get the next.

use super::errors::GitError;
use pd_runtime::ToolArg;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many items to pass over: the `next_skip` of the page before.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema, ToolArg)]
#[serde(transparent)]
pub struct Skip(pub u32);

/// One page of a list.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Page<T> {
    /// The page's items, in the order the tool promises.
    pub items: Vec<T>,
    /// Where the next page begins: pass it as `skip`. Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_skip: Option<u32>,
}

impl<T> Page<T> {
    /// The page of a list that is known as a whole.
    pub(super) fn of(all: impl IntoIterator<Item = T>, Skip(skip): Skip, limit: u32) -> Self {
        let mut rest = all.into_iter().skip(skip as usize);
        let items = rest.by_ref().take(limit as usize).collect();
        let next_skip = rest.next().map(|_| skip.saturating_add(limit));
        Self { items, next_skip }
    }

    /// The same page with every item turned into something else.
    pub(super) fn try_map<U>(
        self,
        turn: impl FnMut(T) -> Result<U, GitError>,
    ) -> Result<Page<U>, GitError> {
        let items = self.items.into_iter().map(turn).collect::<Result<_, _>>()?;
        Ok(Page {
            items,
            next_skip: self.next_skip,
        })
    }
}

/// A page in the making, for lists that are found item by item.
#[derive(Debug)]
pub(super) struct Pager<T> {
    skip: u32,
    limit: u32,
    seen: u32,
    items: Vec<T>,
}

impl<T> Pager<T> {
    pub(super) fn new(Skip(skip): Skip, limit: u32) -> Self {
        Self {
            skip,
            limit,
            seen: 0,
            items: Vec::new(),
        }
    }

    /// Offers the list's next item, which is made only if it belongs on the page. False once the page is full and
    /// known to have a successor: then there is no need to look further.
    pub(super) fn offer(
        &mut self,
        item: impl FnOnce() -> Result<T, GitError>,
    ) -> Result<bool, GitError> {
        let place = self.seen;
        self.seen = self.seen.saturating_add(1);
        if place < self.skip {
            return Ok(true);
        }
        if place >= self.end() {
            return Ok(false);
        }
        self.items.push(item()?);
        Ok(true)
    }

    pub(super) fn finish(self) -> Page<T> {
        let next_skip = (self.seen > self.end()).then_some(self.end());
        Page {
            items: self.items,
            next_skip,
        }
    }

    fn end(&self) -> u32 {
        self.skip.saturating_add(self.limit)
    }
}
