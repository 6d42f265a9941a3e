//! The source of the other columns, read piece by piece.

use super::{BODY_DATA, arguments::RestLocation, body::RowScanner};
#[cfg(feature = "fetch")]
use crate::selective::fetch::{FetchResponse, RowFetchError};
use crate::tool::{context::CallContext, error::ToolError};
use std::collections::VecDeque;

/// The number of bytes of a text that are scanned at once.
const PIECE_BYTES: usize = 64 * 1024;

/// A source that is being read.
pub(super) enum RestReader {
    Nothing,
    /// A text, and the number of pieces that were read.
    Here(String, usize),
    /// The response of another server.
    #[cfg(feature = "fetch")]
    At(Box<FetchResponse>, CallContext),
}

impl RestReader {
    /// Requests the other columns of these rows. Without rows, it requests nothing.
    pub(super) async fn open(
        rest: RestLocation,
        ids: &[u64],
        call: CallContext,
    ) -> Result<Self, ToolError> {
        match rest {
            _ if ids.is_empty() => Ok(Self::Nothing),
            RestLocation::Nothing => Ok(Self::Nothing),
            RestLocation::Here(text) => Ok(Self::Here(text, 0)),
            RestLocation::At(url) => Self::fetch(&url, ids, call).await,
        }
    }

    #[cfg(feature = "fetch")]
    async fn fetch(url: &str, ids: &[u64], call: CallContext) -> Result<Self, ToolError> {
        // The request names the chosen rows, so that the other server sends no others.
        let request = serde_json::json!({ "row_ids": ids }).to_string();
        let answer = until_cancelled(&call, call.fetching().post(url, request)).await?;
        Ok(Self::At(Box::new(answer), call))
    }

    #[cfg(not(feature = "fetch"))]
    #[expect(clippy::unused_async, reason = "with the feature it waits")]
    async fn fetch(_: &str, _: &[u64], _: CallContext) -> Result<Self, ToolError> {
        let why = "this server was built without pd-runtime's feature `fetch`, and takes `body_data` only; call the other tool \
                   again with `mode`: `sync`";
        Err(ToolError::new("RESOURCE_REFUSED", why))
    }

    /// Reads the next piece. Returns whether one was left.
    pub(super) async fn read(
        &mut self,
        body: &mut RowScanner,
        rows: &mut VecDeque<Vec<u8>>,
    ) -> Result<bool, ToolError> {
        let read = match self {
            Self::Nothing => return Ok(false),
            Self::Here(text, from) => {
                let piece = text.as_bytes().chunks(PIECE_BYTES).nth(*from);
                *from += 1;
                piece.map(|piece| body.read(piece, |row| rows.push_back(row)))
            }
            #[cfg(feature = "fetch")]
            Self::At(answer, call) => {
                let piece = until_cancelled(call, answer.piece()).await?;
                piece.map(|piece| body.read(piece.as_ref(), |row| rows.push_back(row)))
            }
        };
        match read {
            Some(read) => read.map(|()| true).map_err(|problem| self.fault(problem)),
            None if body.is_complete() => Ok(false),
            None => Err(self.fault("it ends before its rows do")),
        }
    }

    /// Returns whether the call has a body.
    pub(super) fn is_some(&self) -> bool {
        !matches!(self, Self::Nothing)
    }

    /// Extends an error of the caller that occurs after the body was requested. The body may be
    /// gone by then, so the corrected call alone would fail, too.
    pub(super) fn after_request(&self, error: ToolError) -> ToolError {
        match self {
            Self::Nothing | Self::Here(..) => error,
            #[cfg(feature = "fetch")]
            Self::At(..) => {
                let advice = "these rows are taken, so call the other tool again first, and send its new `resource_url`";
                ToolError::new(error.code, format!("{}; {advice}", error.message))
            }
        }
    }

    /// Creates the error for a body that is not an array of rows.
    pub(super) fn fault(&self, problem: &str) -> ToolError {
        match self {
            Self::Nothing | Self::Here(..) => ToolError::invalid_argument(
                BODY_DATA,
                &format!("{problem}; send the `body` as the other tool gave it"),
            ),
            #[cfg(feature = "fetch")]
            Self::At(answer, _) => fetch_error(&answer.unreadable(problem)),
        }
    }
}

/// Waits for another server, but no longer than the client waits for the call.
#[cfg(feature = "fetch")]
async fn until_cancelled<R>(
    call: &CallContext,
    fetch: impl Future<Output = Result<R, RowFetchError>>,
) -> Result<R, ToolError> {
    tokio::select! {
        fetched = fetch => fetched.map_err(|error| fetch_error(&error)),
        () = call.cancellation().cancelled() => Err(ToolError::cancelled()),
    }
}

#[cfg(feature = "fetch")]
fn fetch_error(error: &RowFetchError) -> ToolError {
    ToolError::new(error.code(), error.to_string())
}
