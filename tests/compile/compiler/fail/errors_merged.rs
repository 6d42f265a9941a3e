//! Two errors of one text at one place are reported once.
//!
//! `#[pd_tool]` names a return type in the facts and calls the function where that type stands, so that a bad one is one
//! error.

trait Output {}

const fn facts<R: Output>() {}

macro_rules! tool {
    ($returns:ty) => {
        const _: () = facts::<$returns>();
        const _: () = facts::<$returns>();
    };
}

struct Found;

tool!(Found);

fn main() {}
