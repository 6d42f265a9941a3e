//! Each `const _` is evaluated for itself, so several panics are all told.
//!
//! All mistakes of a declaration, and of all declarations, come out together.

const _: () = panic!("first");
const _: () = panic!("second");
const _: () = {
    const _: () = panic!("third");
    const _: () = panic!("fourth");
};

fn main() {}
