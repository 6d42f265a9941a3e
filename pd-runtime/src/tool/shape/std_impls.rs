//! The shapes of types from std, serde_json and this crate.

use super::{Shape, ToolArg};
use crate::tool::{argument::Args, selected::Selected};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet, LinkedList, VecDeque},
    num::{NonZeroU8, NonZeroU16, NonZeroU32, NonZeroU64, NonZeroUsize},
    path::PathBuf,
    rc::Rc,
    sync::Arc,
};

macro_rules! integers {
    ($($ty:ident),*) => {$(
        impl ToolArg for $ty {
            const SHAPE: Shape = Shape::Integer { min: <$ty>::MIN as i128, max: <$ty>::MAX as i128 };
        }
    )*};
}
integers!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize);

/// The range that serde_json can represent without its feature `arbitrary_precision`.
impl ToolArg for u128 {
    const SHAPE: Shape = u64::SHAPE;
}

/// The range that serde_json can represent without its feature `arbitrary_precision`.
impl ToolArg for i128 {
    const SHAPE: Shape = Shape::Integer {
        min: i64::MIN as i128,
        max: u64::MAX as i128,
    };
}

macro_rules! non_zero {
    ($($ty:ident),*) => {$(
        impl ToolArg for $ty {
            const SHAPE: Shape = Shape::Integer { min: 1, max: <$ty>::MAX.get() as i128 };
        }
    )*};
}
non_zero!(NonZeroU8, NonZeroU16, NonZeroU32, NonZeroU64, NonZeroUsize);

macro_rules! plain {
    ($($ty:ty => $shape:ident),* $(,)?) => {$(
        impl ToolArg for $ty {
            const SHAPE: Shape = Shape::$shape;
        }
    )*};
}
plain! {
    bool => Boolean,
    f32 => Number,
    f64 => Number,
    String => Text,
    str => Text,
    PathBuf => Text,
    char => Character,
    serde_json::Value => Anything,
}

macro_rules! transparent {
    ($($ty:ident),*) => {$(
        impl<T: ToolArg + ?Sized> ToolArg for $ty<T> {
            const SHAPE: Shape = T::SHAPE;
        }
    )*};
}
transparent!(Box, Rc, Arc);

impl<T: ToolArg + ToOwned + ?Sized> ToolArg for Cow<'_, T> {
    const SHAPE: Shape = T::SHAPE;
}

impl<T: ToolArg> ToolArg for Option<T> {
    const SHAPE: Shape = Shape::Optional(&T::SHAPE);
}

macro_rules! lists {
    ($($ty:ident<T $(, $more:ident)?>),*) => {$(
        impl<T: ToolArg $(, $more)?> ToolArg for $ty<T $(, $more)?> {
            const SHAPE: Shape = Shape::List(&T::SHAPE);
        }
    )*};
}
lists!(Vec<T>, VecDeque<T>, LinkedList<T>, BTreeSet<T>, HashSet<T, S>);

impl<T: ToolArg> ToolArg for [T] {
    const SHAPE: Shape = Shape::List(&T::SHAPE);
}

impl<T: ToolArg, const N: usize> ToolArg for [T; N] {
    // serde reads an array as a tuple of exactly `N` items.
    const SHAPE: Shape = Shape::Tuple(&[&T::SHAPE; N]);
}

macro_rules! tuples {
    ($(($($part:ident),+)),*) => {$(
        impl<$($part: ToolArg),+> ToolArg for ($($part,)+) {
            const SHAPE: Shape = Shape::Tuple(&[$(&$part::SHAPE),+]);
        }
    )*};
}
tuples!(
    (A),
    (A, B),
    (A, B, C),
    (A, B, C, D),
    (A, B, C, D, E),
    (A, B, C, D, E, F),
    (A, B, C, D, E, F, G),
    (A, B, C, D, E, F, G, H)
);

// JSON keys are strings for every `K`. `check_map_key` checks `K` itself.
impl<K, V: ToolArg> ToolArg for BTreeMap<K, V> {
    const SHAPE: Shape = Shape::Map(&V::SHAPE);
}

impl<K, V: ToolArg, S> ToolArg for HashMap<K, V, S> {
    const SHAPE: Shape = Shape::Map(&V::SHAPE);
}

impl ToolArg for serde_json::Map<String, serde_json::Value> {
    const SHAPE: Shape = Shape::Map(&Shape::Anything);
}

impl<T: ToolArg> ToolArg for Args<T> {
    const SHAPE: Shape = Shape::Whole(&T::SHAPE);
}

/// The macro recognizes `Selected` by name, because it represents four arguments. Under another
/// name it would be one argument.
impl<T> ToolArg for Selected<T> {
    const SHAPE: Shape = Shape::Misplaced("`Selected` under another name; write `Selected<…>`");
}

/// rmcp's wrapper would be a single argument that contains all others.
impl<T> ToolArg for rmcp::handler::server::wrapper::Parameters<T> {
    const SHAPE: Shape =
        Shape::Misplaced("rmcp's `Parameters`; write `use pd_runtime::Args as Parameters`");
}

macro_rules! of_the_call {
    ($($ty:ty => $instead:literal),* $(,)?) => {$(
        /// rmcp extracts this type from the request. A parameter of this type would be an argument
        /// that the caller sends.
        impl ToolArg for $ty {
            const SHAPE: Shape = Shape::Misplaced($instead);
        }
    )*};
}
of_the_call! {
    rmcp::model::Extensions =>
        "rmcp's `Extensions`; write `call: &CallContext` and, inside, `call.request()`, whose field `extensions` it is",
    rmcp::model::RequestMetaObject =>
        "the request's `_meta`; write `call: &CallContext` and, inside, `call.request()`, whose field `meta` it is",
    rmcp::model::RequestId => "the request's id; write `call: &CallContext` and, inside, `call.request_id()`",
}
