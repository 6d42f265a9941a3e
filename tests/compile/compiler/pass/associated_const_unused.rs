//! An associated constant that nothing uses is never evaluated.
//!
//! So a tool's declaration cannot hold its own checks, unless another constant is nested in it; `registry!` forces the rest.

struct Repo;

impl Repo {
    const TOOL: () = panic!("nobody sees this");
}

fn main() {
    let _ = Repo;
}
