//! A blanket impl over another crate's traits stands beside an impl for a type of one's own that lacks them.
//!
//! `Argument` is implemented for every `DeserializeOwned + JsonSchema`, and for `Args<T>`; so aliases of it work.

use std::str::FromStr;

trait Argument {
    const WHOLE: bool;
}

impl<T: FromStr + Clone> Argument for T {
    const WHOLE: bool = false;
}

struct Args<T>(T);

impl<T: FromStr> Argument for Args<T> {
    const WHOLE: bool = true;
}

type Parameters = Args<u8>;

fn main() {
    assert!(Parameters::WHOLE && !u8::WHOLE);
    let _ = Args(1);
}
