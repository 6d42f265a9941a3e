//! Meta-tools in the form of other systems.

pub(crate) mod gram;
pub(crate) mod lazy;
pub(crate) mod strata;
