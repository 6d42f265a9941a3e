//! A `const _` nested in an associated constant is evaluated by `cargo check`, in a generic impl too, used or not.
//!
//! The checks that `#[pd_tool]` leaves to the compiler stand there.

struct Users<T>(T);

impl<T> Users<T> {
    const TOOL: () = {
        const _: () = panic!("the example does not fit");
    };
}

fn main() {}
