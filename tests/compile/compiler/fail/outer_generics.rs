//! A nested item cannot name the generics around it (E0401).
//!
//! So a check that is nested in a generic impl names no type that the impl's parameters could stand in.

struct Users<T>(T);

impl<T> Users<T> {
    const TOOL: usize = {
        const SIZE: usize = size_of::<T>();
        SIZE
    };
}

fn main() {}
