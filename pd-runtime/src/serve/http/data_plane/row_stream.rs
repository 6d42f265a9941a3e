//! An answer with rows, written piece by piece out of their table. The last piece leaves only once nobody else can have the rows.

use super::super::connection::Delivery;
use crate::selective::{
    data_plane::Taking,
    table::{Picked, Table},
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

/// About how many bytes a piece has.
const PIECE: usize = 64 * 1024;
const BEGIN: &str = r#"{"body":["#;
/// The answer where nothing matches.
pub(super) const EMPTY: &str = r#"{"body":[],"total_rows":0}"#;

/// The body of an answer.
pub(super) struct Pieces {
    picked: Picked<Arc<Table>>,
    next: Next,
    /// How many bytes have not been handed over.
    left: u64,
    /// Takes the rows from everybody else.
    close: Option<BoxFuture<'static, bool>>,
    /// Holds the rows; where it is dropped before all was written, they are given back.
    delivery: Delivery,
}

enum Next {
    /// This row, by its place among those that were picked.
    Row(usize),
    /// What is left to be handed over once nobody else can have the rows.
    Last(Bytes),
    Nothing,
}

impl fmt::Debug for Pieces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pieces").field("left", &self.left).finish_non_exhaustive()
    }
}

impl Pieces {
    /// The answer, and what is to be done once it was written.
    pub(super) fn new(picked: Picked<Arc<Table>>, taking: Taking) -> (Self, Delivery) {
        let end = end(picked.len()).len();
        // Its brackets are among what stands around the rows.
        let left = (BEGIN.len() - 1 + picked.written_len() + end - 1) as u64;
        let close = Some(taking.close_later());
        let delivery = Delivery::new(move || taking.finish(left));
        (Self { picked, next: Next::Row(0), left, close, delivery: delivery.clone() }, delivery)
    }

    /// Writes the next piece; the last one waits.
    fn write(&mut self, row: usize) -> Option<Bytes> {
        let mut piece = String::with_capacity(PIECE.min(self.left as usize) + PIECE / 4);
        piece.push_str(if row == 0 { BEGIN } else { "" });
        if let Some(row) = self.picked.write_some(row, PIECE, &mut piece) {
            self.next = Next::Row(row);
            return Some(piece.into());
        }
        piece.push_str(&end(self.picked.len()));
        self.next = Next::Last(piece.into());
        None
    }

    fn hand_over(&mut self, piece: Bytes) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        self.left = self.left.saturating_sub(piece.len() as u64);
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    /// Ready once nobody else can have the rows; says whether they are still this reader's.
    fn poll_close(&mut self, context: &mut Context<'_>) -> Poll<bool> {
        let Some(close) = &mut self.close else { return Poll::Ready(false) };
        let is_ours = ready!(close.as_mut().poll(context));
        self.close = None;
        Poll::Ready(is_ours)
    }
}

fn end(rows: usize) -> String {
    format!("],\"total_rows\":{rows}}}")
}

impl HttpBody for Pieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        if let Next::Row(row) = self.next
            && let Some(piece) = self.write(row)
        {
            return self.hand_over(piece);
        }
        if !matches!(self.next, Next::Last(_)) {
            return Poll::Ready(None);
        }
        let is_ours = ready!(self.poll_close(context));
        let Next::Last(piece) = std::mem::replace(&mut self.next, Next::Nothing) else { return Poll::Ready(None) };
        if !is_ours {
            return Poll::Ready(Some(Err(io::Error::other("these rows are not this reader's any more"))));
        }
        self.delivery.is_handed_over();
        self.hand_over(piece)
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.next, Next::Nothing)
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
