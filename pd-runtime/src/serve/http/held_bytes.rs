//! Bytes of an answer that hold what the answer keeps. hyper drops bytes when the socket has taken
//! them, and a body earlier.

use crate::protocol::answer_memory::AnswerMemory;
use axum::body::Bytes;

struct HeldBytes {
    bytes: Bytes,
    _memory: AnswerMemory,
}

impl AsRef<[u8]> for HeldBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Returns the bytes, with what the answer keeps until they are dropped.
pub(super) fn held(bytes: Bytes, memory: &AnswerMemory) -> Bytes {
    match memory.is_empty() {
        // Most answers keep nothing, and an owner would cost them an allocation.
        true => bytes,
        false => Bytes::from_owner(HeldBytes {
            bytes,
            _memory: memory.clone(),
        }),
    }
}
