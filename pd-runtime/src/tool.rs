//! The parts of a tool: arguments, results, errors, state, context, and the facts that `#[pd_tool]`
//! records about it.

pub(crate) mod argument;
pub(crate) mod ask;
pub(crate) mod cause;
pub(crate) mod client_call;
pub(crate) mod client_session;
pub(crate) mod context;
pub(crate) mod descriptor;
pub(crate) mod doc_text;
pub(crate) mod error;
pub(crate) mod handler;
pub(crate) mod lint;
pub(crate) mod output;
pub(crate) mod principal;
mod prior_answers;
mod progress;
pub(crate) mod read_trace;
mod recorded_context;
pub(crate) mod recording_client;
pub(crate) mod row_slot;
pub(crate) mod rows;
pub(crate) mod selected;
pub(crate) mod shape;
pub(crate) mod silent_handler;
pub(crate) mod state;
pub(crate) mod view;

pub use argument::{Argument, ArgumentSchema};
pub use descriptor::{SUMMARY_MAX, ToolAnnotations};
pub use error::{ConvertibleError, ErrorHelp};
pub use handler::{BoxedHandler, ToolHandler};
pub use output::{StructuredOutput, ToolResult};
pub use progress::Progress;
pub use recording_client::RecordingClient;
pub use rows::IntoRows;
pub use selected::SelectableRow;
pub use shape::{Field, Shape};
pub use state::{LendState, StateTypes};
