//! An associated constant of a generic type is evaluated when a function that uses it is compiled.
//!
//! So the checks of a generic server, which its registry forces, may fire in `cargo build` only.

struct Users<T>(T);

impl<T> Users<T> {
    const TOOL: usize = if size_of::<T>() == 4 { panic!("only a build sees this") } else { 1 };
}

fn registry<T>() -> usize {
    Users::<T>::TOOL
}

fn main() {
    registry::<u32>();
}
