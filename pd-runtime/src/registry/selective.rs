//! Selective tools: the columns of their rows, the selection of a call, and the arguments that carry
//! rows.

pub(crate) mod arguments;
pub(crate) mod column_selection;
pub(crate) mod columns;
