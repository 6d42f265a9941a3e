//! The checks, compiled once for all fuzz targets.
//!
//! `just fuzz TARGET` looks for bytes that break one; what breaks lands in `artifacts`, and is kept in `corpus` under a name that
//! says what it was. `just fuzz-keep TARGET` keeps of a run what reaches further. The test `corpus` of pd-tests replays both.
//! There is no address sanitizer: the product forbids `unsafe`. Debug assertions and overflow checks are on.

pub mod checks;
