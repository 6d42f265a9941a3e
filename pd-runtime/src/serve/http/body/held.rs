//! The received part of a body.

use axum::body::Bytes;

/// The received part of a body. Most bodies arrive in one piece, which is not copied.
#[derive(Debug, Default)]
pub(super) enum ReceivedBody {
    #[default]
    Nothing,
    One(Bytes),
    Many(Vec<u8>),
}

impl ReceivedBody {
    pub(super) fn add(&mut self, part: Bytes) {
        *self = match std::mem::take(self) {
            Self::Nothing => Self::One(part),
            Self::One(first) => Self::Many([first, part].concat()),
            Self::Many(mut whole) => {
                whole.extend_from_slice(&part);
                Self::Many(whole)
            }
        };
    }

    /// Returns the bytes that this occupies in memory. A vector grows by doubling, so this may be
    /// twice the length of what has arrived.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::One(part) => part.len(),
            Self::Many(whole) => whole.capacity(),
        }
    }

    pub(super) fn into_bytes(self) -> Bytes {
        match self {
            Self::Nothing => Bytes::new(),
            Self::One(part) => part,
            Self::Many(whole) => whole.into(),
        }
    }
}
