//! An inline `const { … }` is evaluated when its function is compiled, not when it is checked.
//!
//! So no check of `#[pd_tool]` is one: an editor would not show it.

fn main() {
    const { panic!("only a build sees this") }
}
