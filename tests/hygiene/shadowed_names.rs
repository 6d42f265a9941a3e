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
struct ToString;
struct Declared;
struct Facts;
mod core {}
mod std {}
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

#[derive(::pd_runtime::State)]
struct App {
    clock: ::std::time::Instant,
}

fn tools() -> ::pd_runtime::Registry<App> {
    ::pd_runtime::registry! {
        #![budget = 900]
        search
    }
}

fn main() {
    let _ = tools();
}
