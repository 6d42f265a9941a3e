//! The names that generated code would use by habit mean something else here.

#![allow(unused, reason = "the names are the point")]

struct Option;
struct Result;
struct Vec;
struct Box;
struct Some;
struct None;
struct Ok;
struct Err;
struct String;
struct Send;
struct Into;
struct Default;
struct Display;
struct ToString;
struct Declared;
struct Facts;
mod core {}
mod std {}
mod alloc {}
mod serde {}
mod serde_json {}
mod schemars {}
mod rmcp {}
mod thiserror {}
mod pd_runtime {}
mod __pd {}

macro_rules! concat {
    () => {};
}
macro_rules! file {
    () => {};
}
macro_rules! line {
    () => {};
}

#[::pd_runtime::pd_tool(summary = "Search the files' text", title = "Search", read_only)]
fn search(
    /// What to look for.
    #[arg(default = "main", min_length = 1)]
    text: ::std::string::String,
) -> ::std::string::String {
    text
}

#[::pd_runtime::pd_tool(summary = "Read one file", related(search), aliases("cat"), meta("rank" = 1))]
async fn read(call: &::pd_runtime::CallContext, line: u32) -> ::std::result::Result<::pd_runtime::Json<u32>, ReadError> {
    if line == 0 { ::std::result::Result::Err(ReadError::Missing) } else { ::std::result::Result::Ok(::pd_runtime::Json(line)) }
}

#[derive(Debug, ::pd_runtime::ToolErrors)]
enum ReadError {
    /// List the files first.
    Missing,
}

impl ::std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
        f.write_str("there is no such file")
    }
}

#[derive(::pd_runtime::State)]
struct App {
    clock: ::std::time::Instant,
}

fn tools() -> ::pd_runtime::Registry<App> {
    ::pd_runtime::registry! {
        #![budget = 900]
        search,
        /// Read what stands in files.
        files: read,
    }
}

fn main() {
    let _ = tools();
}
