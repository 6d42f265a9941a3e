//! An answer with rows, serialized piece by piece from their table. The last piece is sent only
//! once no other reader can take the rows.

use super::super::connection::DeliveryHook;
use crate::selective::{
    data_plane::TakenRows,
    table::{PickedRows, Table},
};

use axum::body::{Bytes, HttpBody};
use futures::future::BoxFuture;
use hyper::body::{Frame, SizeHint};
use std::{
    fmt, io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

/// The approximate size of a piece, in bytes.
const PIECE: usize = 64 * 1024;
const BEGIN: &str = r#"{"body":["#;
/// The answer if no row matches.
pub(super) const EMPTY: &str = r#"{"body":[],"total_rows":0}"#;

/// The body of an answer.
pub(super) struct RowStream {
    rows: PickedRows<Arc<Table>>,
    next: NextPiece,
    /// The number of bytes that have not been passed on.
    left: u64,
    /// Closes the rows for all other readers.
    close: Option<BoxFuture<'static, bool>>,
    /// Holds the lease of the rows. If it is dropped before everything was written, the rows are
    /// returned to the store.
    delivery: DeliveryHook,
}

enum NextPiece {
    /// The row to serialize next, by its index among the selected rows.
    Row(usize),
    /// The last piece, which waits until no other reader can take the rows.
    Last(Bytes),
    Nothing,
}

impl fmt::Debug for RowStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowStream")
            .field("left", &self.left)
            .finish_non_exhaustive()
    }
}

impl RowStream {
    /// Creates the body, and the action to run once it was written.
    pub(super) fn new(rows: PickedRows<Arc<Table>>, taking: TakenRows) -> (Self, DeliveryHook) {
        let end = end(rows.len()).len();
        // `written_len` counts the brackets of the array, which `BEGIN` and `end` contain, too.
        let left = (BEGIN.len() - 1 + rows.written_len() + end - 1) as u64;
        let close = Some(taking.close_later());
        let delivery = DeliveryHook::new(move || taking.finish(left));
        (
            Self {
                rows,
                next: NextPiece::Row(0),
                left,
                close,
                delivery: delivery.clone(),
            },
            delivery,
        )
    }

    /// Serializes the next piece. Returns `None` for the last one, which is kept in `next`.
    fn write(&mut self, row: usize) -> Option<Bytes> {
        // A quarter more than a piece, since the row that crosses the limit is written completely.
        let mut piece = String::with_capacity(PIECE.min(self.left as usize) + PIECE / 4);
        piece.push_str(if row == 0 { BEGIN } else { "" });
        if let Some(row) = self.rows.write_some(row, PIECE, &mut piece) {
            self.next = NextPiece::Row(row);
            return Some(piece.into());
        }
        piece.push_str(&end(self.rows.len()));
        self.next = NextPiece::Last(piece.into());
        None
    }

    fn hand_over(&mut self, piece: Bytes) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        self.left = self.left.saturating_sub(piece.len() as u64);
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    /// Resolves once no other reader can take the rows. Returns whether this reader still holds
    /// them.
    fn poll_close(&mut self, context: &mut Context<'_>) -> Poll<bool> {
        let Some(close) = &mut self.close else {
            return Poll::Ready(false);
        };
        let is_ours = ready!(close.as_mut().poll(context));
        self.close = None;
        Poll::Ready(is_ours)
    }
}

fn end(rows: usize) -> String {
    format!("],\"total_rows\":{rows}}}")
}

impl HttpBody for RowStream {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        if let NextPiece::Row(row) = self.next
            && let Some(piece) = self.write(row)
        {
            return self.hand_over(piece);
        }
        if !matches!(self.next, NextPiece::Last(_)) {
            return Poll::Ready(None);
        }
        let is_ours = ready!(self.poll_close(context));
        // The lease may have ended while the consumer read slowly, and another one may have the
        // rows. So the body fails before its end, and the consumer sees that it is incomplete.
        let NextPiece::Last(piece) = std::mem::replace(&mut self.next, NextPiece::Nothing) else {
            return Poll::Ready(None);
        };
        if !is_ours {
            return Poll::Ready(Some(Err(io::Error::other(
                "this reader's lease of the rows has ended",
            ))));
        }
        self.delivery.report_handed_over();
        self.hand_over(piece)
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.next, NextPiece::Nothing)
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
