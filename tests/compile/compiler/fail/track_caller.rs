//! A panic in a `#[track_caller] const fn` is reported where the function is called, with its message.
//!
//! Examples that do not fit are so reported at their line of the doc comment.

#[track_caller]
const fn check(fits: bool) {
    if !fits {
        panic!("the example has no `path`");
    }
}

const _: () = check(false);

fn main() {}
