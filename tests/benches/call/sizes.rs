//! The sizes of registry that are measured.

use super::{names::with_names, tools::tools};

/// How many tools each has.
pub(crate) const SIZES: [usize; 4] = [1, 30, 100, 400];

with_names! { 1 => tools! { one; } }
with_names! { 30 => tools! { thirty; } }
with_names! { 100 => tools! { hundred; } }
with_names! { 400 => tools! { four_hundred; } }
