//! The join of the chosen rows with their other columns, as these arrive.

use super::{
    ABSTRACT_DATA, Selected,
    arguments::RestLocation,
    body::RowScanner,
    join::{self, JoinRules, join_row},
    row::RawRow,
    source::RestReader,
};
use crate::tool::{context::CallContext, error::ToolError};
use futures::{Stream, stream};
use serde::de::DeserializeOwned;
use std::{
    collections::{HashMap, VecDeque},
    marker::PhantomData,
};

/// The number of rows that an error message names at most.
const NAMED_MAX: usize = 10;

/// Returns all rows, in the order in which they were chosen.
pub(super) async fn all<T: DeserializeOwned>(
    selected: Selected<T>,
    call: &CallContext,
) -> Result<Vec<T>, ToolError> {
    // `Option` marks a row that has not arrived. `next` fails if one never does, so `flatten` drops
    // none.
    let mut rows: Vec<Option<T>> = selected.chosen.iter().map(|_| None).collect();
    let mut joining = RowJoiner::open(selected, call.clone()).await?;
    while let Some((place, row)) = joining.next().await? {
        if let Some(empty) = rows.get_mut(place) {
            *empty = Some(row);
        }
    }
    Ok(rows.into_iter().flatten().collect())
}

/// Returns the rows in the order in which their other columns arrive.
pub(super) fn stream<T: DeserializeOwned>(
    selected: Selected<T>,
    call: CallContext,
) -> impl Stream<Item = Result<T, ToolError>> + Send + use<T> {
    stream::try_unfold(StreamState::Closed(selected, call), |opening| async move {
        let mut joining = match opening {
            StreamState::Closed(selected, call) => RowJoiner::open(selected, call).await?,
            StreamState::Open(joining) => joining,
        };
        let next = joining.next().await?;
        Ok(next.map(|(_, row)| (row, StreamState::Open(joining))))
    })
}

/// The state of a stream. It fetches nothing before the first row is requested.
enum StreamState<T> {
    Closed(Selected<T>, CallContext),
    Open(RowJoiner<T>),
}

/// A join in progress.
struct RowJoiner<T> {
    source: RestReader,
    body: RowScanner,
    /// Rows of the body that have arrived and are not yet joined.
    arrived: VecDeque<Vec<u8>>,
    /// Chosen rows that wait for their other columns, with their positions.
    waiting: HashMap<u64, (usize, RawRow)>,
    /// The chosen rows without other columns, once the body has ended. The first row is at the end,
    /// so that `pop` returns it.
    alone: Option<Vec<(usize, RawRow)>>,
    joint: JoinRules,
    row: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned> RowJoiner<T> {
    async fn open(selected: Selected<T>, call: CallContext) -> Result<Self, ToolError> {
        let Selected {
            chosen,
            rest,
            joint,
            row,
        } = selected;
        // A fetched body can be taken once, so a row that cannot fit must fail before the fetch.
        if matches!(rest, RestLocation::At(_)) {
            chosen
                .iter()
                .try_for_each(|row| join::check_chosen::<T>(row, &joint))?;
        }
        let ids: Vec<u64> = chosen.iter().map(|row| row.id).collect();
        let waiting = chosen
            .into_iter()
            .enumerate()
            .map(|(place, row)| (row.id, (place, row)))
            .collect();
        let source = RestReader::open(rest, &ids, call).await?;
        Ok(Self {
            source,
            body: RowScanner::default(),
            arrived: VecDeque::new(),
            waiting,
            alone: None,
            joint,
            row,
        })
    }

    /// Returns the next row and its position, or `None` at the end.
    async fn next(&mut self) -> Result<Option<(usize, T)>, ToolError> {
        loop {
            if let Some(alone) = &mut self.alone {
                let Some((place, chosen)) = alone.pop() else {
                    return Ok(None);
                };
                return join_row(&chosen, None, &self.joint).map(|row| Some((place, row)));
            }
            while let Some(text) = self.arrived.pop_front() {
                let rest = RawRow::read(&text)
                    .map_err(|problem| self.source.fault(&format!("one of its rows {problem}")))?;
                // A server may send more rows than were requested, and a row twice. Only the first
                // one is joined.
                if let Some((place, chosen)) = self.waiting.remove(&rest.id) {
                    let row = join_row(&chosen, Some(&rest), &self.joint)
                        .map_err(|error| self.source.after_request(error))?;
                    return Ok(Some((place, row)));
                }
            }
            if !self.source.read(&mut self.body, &mut self.arrived).await? {
                self.alone = Some(self.without_rest()?);
            }
        }
    }

    /// Returns the rows without other columns. If a body was sent, it must contain every chosen
    /// row.
    fn without_rest(&mut self) -> Result<Vec<(usize, RawRow)>, ToolError> {
        let mut alone: Vec<_> = self.waiting.drain().map(|(_, row)| row).collect();
        if self.source.is_some() && !alone.is_empty() {
            return Err(self
                .source
                .after_request(missing_rows(alone.iter().map(|(_, row)| row.id).collect())));
        }
        alone.sort_unstable_by_key(|(place, _)| std::cmp::Reverse(*place));
        Ok(alone)
    }
}

/// Creates the error for rows that the body lacks. It names the smallest numbers.
fn missing_rows(mut ids: Vec<u64>) -> ToolError {
    ids.sort_unstable();
    let named: Vec<_> = ids.iter().take(NAMED_MAX).map(u64::to_string).collect();
    let more = ids.len().checked_sub(NAMED_MAX).filter(|more| *more > 0);
    let more = more
        .map(|more| format!(" and {more} more"))
        .unwrap_or_default();
    let problem = format!(
        "the other tool's rows have none with `_row_id` {}{more}; send rows of its `abstract`, with their `_row_id`",
        named.join(", ")
    );
    ToolError::invalid_argument(ABSTRACT_DATA, &problem)
}
