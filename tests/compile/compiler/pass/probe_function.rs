//! An inherent function wins over a trait's where its bounds hold, in a generic impl as well, and yields to it elsewhere. Relied
//! on by `Lent` in `pd-runtime/src/tool/state.rs`.

use std::{cell::Cell, marker::PhantomData};

struct Lent<N>(PhantomData<N>);

impl<N: Send + Sync> Lent<N> {
    fn is_shared() -> bool {
        true
    }
}

trait NotShared {
    fn is_shared() -> bool {
        false
    }
}

impl<N> NotShared for Lent<N> {}

struct Store<T>(T);

impl<T: Send + Sync> Store<T> {
    fn is_shared() -> bool {
        Lent::<(Self, u8)>::is_shared()
    }
}

fn main() {
    assert!(Lent::<(u8, String)>::is_shared());
    assert!(!Lent::<(u8, Cell<u8>)>::is_shared());
    assert!(Store::<u8>::is_shared());
}
