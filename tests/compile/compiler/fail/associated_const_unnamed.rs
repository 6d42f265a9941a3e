//! `const _` is an item, and none of an impl.
//!
//! So a method's checks are nested in its named constant.

struct Repo;

impl Repo {
    const _: () = ();
}

fn main() {}
