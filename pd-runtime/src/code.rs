//! Code mode: a model writes one program that calls many tools, and reads what the program returns.
//! (Feature `code`.)
//!
//! ```no_run
//! use pd_runtime::{code::{self, CodeMode}, prelude::*};
//!
//! # /// Say hello
//! # #[pd_tool(read_only)]
//! # fn hello() -> String { "hello".into() }
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     // The server starts this program again for each run. That process is the sandbox.
//!     code::run_worker_if_requested();
//!     let mode = CodeMode::from_current_exe()?;
//!     let server = PdServer::builder(pd_runtime::registry! { hello }, ())
//!         .code_mode(mode)
//!         .build()?;
//!     # let _ = server;
//!     // Serve it.
//!     Ok(())
//! }
//! ```
//!
#![doc = include_str!("../docs/code-mode.md")]

pub(crate) mod answer;
pub(crate) mod message;
pub(crate) mod process;
pub(crate) mod program;
pub(crate) mod rehearsal;
mod settings;
pub(crate) mod tool_path;
mod worker;

pub use program::{CodeProgram, ProgramFileError};
pub use settings::CodeMode;
pub use worker::run_worker_if_requested;
