//! A type alias in a block is the fallback for names that a glob import of an inner block does not bring; a generic
//! parameter of the impl is visible in neither.
//!
//! A check nested in a generic impl can so name each argument's type: those of the module are found, the parameters are
//! nothing that is known.

#![deny(warnings)]

use std::marker::PhantomData;

trait Shaped {
    const SHAPE: u8;
}

struct Filter;
impl Shaped for Filter {
    const SHAPE: u8 = 1;
}

struct Unknown;

struct Probe<T>(PhantomData<T>);
impl<T: Shaped> Probe<T> {
    const SHAPE: u8 = T::SHAPE;
}

trait Unshaped {
    const SHAPE: u8 = 0;
}
impl<T> Unshaped for Probe<T> {}

mod server {
    use super::Filter;

    pub struct Users<T>(pub T);

    impl<T> Users<T> {
        pub const TOOL: () = {
            const _: () = {
                type T = crate::Unknown;
                #[allow(dead_code, reason = "the module's own is found first")]
                type Filter = crate::Unknown;
                {
                    use self::*;
                    use crate::Unshaped as _;
                    assert!(crate::Probe::<T>::SHAPE == 0);
                    assert!(crate::Probe::<Filter>::SHAPE == 1);
                }
            };
        };
    }
}

fn main() {
    server::Users::<u8>::TOOL
}
