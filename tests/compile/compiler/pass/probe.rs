//! An inherent constant wins over a trait's of the same name, where its bounds hold: a probe for what a type implements.
//! In generic code it always answers for the parameter, hence "no".
//!
//! Examples that are held against argument types rely on it: a type that nobody knows is unchecked, not an error.

use std::marker::PhantomData;

trait Shaped {
    const SHAPE: &'static str;
}

impl Shaped for u32 {
    const SHAPE: &'static str = "integer";
}

impl<T: Shaped> Shaped for Vec<T> {
    const SHAPE: &'static str = "array";
}

struct Probe<T>(PhantomData<T>);

impl<T: Shaped> Probe<T> {
    const SHAPE: &'static str = T::SHAPE;
}

trait Unshaped {
    const SHAPE: &'static str = "anything";
}

impl<T> Unshaped for Probe<T> {}

struct Foreign;

fn in_generic_code<T>() -> &'static str {
    Probe::<T>::SHAPE
}

fn main() {
    assert_eq!(Probe::<Vec<u32>>::SHAPE, "array");
    assert_eq!(Probe::<Foreign>::SHAPE, "anything");
    assert_eq!(Probe::<Vec<Foreign>>::SHAPE, "anything");
    assert_eq!(in_generic_code::<u32>(), "anything");
}
