//! The live heap, counted at every allocation: bytes as asked for, without what the allocator adds.

use peak_alloc::PeakAlloc;

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// Bytes that are allocated now.
pub(crate) fn live() -> usize {
    HEAP.current_usage()
}

/// The most bytes that were allocated since the peak was forgotten.
pub(crate) fn peak() -> usize {
    HEAP.peak_usage()
}

/// Begins a new peak at what is allocated now.
pub(crate) fn forget_peak() {
    HEAP.reset_peak_usage();
}
