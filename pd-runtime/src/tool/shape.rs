//! What the compiler knows of an argument's type, and the judging of examples and defaults against it while the
//! author's crate compiles. What it cannot know is left to `registry::check`, which asks serde.

mod const_json;
mod const_panic;
mod constant;
mod key;
mod report;
mod std_impls;
mod validate;

pub use const_panic::{
    Limits, check_default, check_error_code, check_example, check_field_key, check_keyword, check_map_key,
    check_one_of, check_root, check_wrapper,
};
pub use constant::{Bound, Constant, NOT_KNOWN, check_constant};

use crate::tool::{
    argument::Args,
    error::ErrorHelp,
    output::IntoOutput,
    read_trace::{self, ReadError},
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::marker::PhantomData;
use validate::Judge;

/// Which JSON a type accepts, as far as the compiler can know.
///
/// A shape repeats what serde does with the type, so it is for types whose serde form is plain: primitives, `Option`,
/// lists, maps, and the structs and enums that `#[derive(ToolArg)]` is for.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Shape {
    /// Nothing is known; [`Registry::check`](crate::Registry::check) judges the value with serde.
    Unknown,
    /// Every value is right.
    Anything,
    /// `true` or `false`.
    Boolean,
    /// A whole number.
    Integer {
        /// The smallest.
        min: i128,
        /// The largest.
        max: i128,
    },
    /// Any number.
    Number,
    /// A string.
    Text,
    /// A string of one character.
    Character,
    /// One of these strings.
    Variants(&'static [&'static str]),
    /// The value, or `null`, or nothing.
    Optional(&'static Shape),
    /// A list of such items.
    List(&'static Shape),
    /// A list with one item for each of these.
    Tuple(&'static [&'static Shape]),
    /// An object with values of one shape.
    Map(&'static Shape),
    /// An object with these fields.
    Struct {
        /// The fields.
        fields: &'static [Field],
        /// Whether it may have others.
        open: bool,
    },
    /// All arguments at once: [`Args`](crate::Args).
    Whole(&'static Shape),
    /// A type that stands for something else in a tool: what to write instead.
    Misplaced(&'static str),
}

/// A field of a [`Shape::Struct`], or an argument of a tool.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Field {
    /// Its name in JSON.
    pub name: &'static str,
    /// Other names that serde accepts. The schema does not show them, so calls and examples with one are refused.
    pub aliases: &'static [&'static str],
    /// What it accepts.
    pub shape: Shape,
    /// Whether it has a value when it is left out.
    pub has_default: bool,
    /// Whether it is a tool's only argument, so that any other is unknown.
    pub is_alone: bool,
}

impl Field {
    /// A field called `name`.
    pub const fn new(name: &'static str, shape: Shape) -> Self {
        Self { name, aliases: &[], shape, has_default: false, is_alone: false }
    }

    /// Sets other names that serde accepts, and the schema refuses.
    #[must_use]
    pub const fn aliases(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    /// Has a value when it is left out.
    #[must_use]
    pub const fn or_default(mut self) -> Self {
        self.has_default = true;
        self
    }

    /// Is a tool's only argument.
    #[must_use]
    pub const fn alone(mut self) -> Self {
        self.is_alone = true;
        self
    }

    /// Whether leaving it out is surely an error.
    const fn is_required(&self) -> bool {
        let may_lack = matches!(self.shape, Shape::Optional(_) | Shape::Unknown | Shape::Anything);
        !self.has_default && !may_lack
    }
}

/// A type whose JSON the compiler knows, so that examples and defaults of it are judged while they compile.
///
/// `#[derive(ToolArg)]` implements it for structs and for enums without data, beside serde's own derive:
///
/// ```
/// use pd_runtime::prelude::*;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema, ToolArg)]
/// #[serde(rename_all = "kebab-case")]
/// enum Order {
///     NewestFirst,
///     OldestFirst,
/// }
///
/// /// Commits, in order
/// ///
/// /// # Examples
/// ///
/// /// ```json
/// /// { "order": "newest-first" }
/// /// ```
/// #[pd_tool]
/// fn log(order: Order) {}
/// ```
///
/// A type without it is fine too: [`Registry::check`](crate::Registry::check) judges its examples then. For a type with
/// a serde form of its own, say the shape:
///
/// ```
/// use pd_runtime::{Shape, ToolArg};
///
/// struct Revision([u8; 20]);
///
/// impl ToolArg for Revision {
///     const SHAPE: Shape = Shape::Text;
/// }
/// ```
pub trait ToolArg {
    /// What the type accepts.
    const SHAPE: Shape;
}

/// Asks for what is known of any type: `Probe::<T>::SHAPE` is that of a [`ToolArg`], else [`Unshaped`]'s.
///
/// An inherent constant wins over a trait's, where its bounds hold. It works for concrete types only: where `T` is a type
/// parameter, nothing is known.
#[derive(Debug)]
pub struct Probe<T: ?Sized>(PhantomData<T>);

impl<T: ToolArg + ?Sized> Probe<T> {
    /// The type's own shape.
    pub const SHAPE: Shape = T::SHAPE;
}

impl<T: IntoOutput> Probe<T> {
    /// The errors of a return type.
    pub const ERRORS: &'static [ErrorHelp] = T::ERRORS;
}

impl<K: JsonSchema> Probe<K> {
    /// How the key of a map describes itself.
    pub const KEY_SCHEMA: Option<fn(&mut SchemaGenerator) -> Schema> = Some(K::json_schema);
}

impl<K: DeserializeOwned> Probe<K> {
    /// How the key of a map is read.
    pub const KEY_TRACE: Option<fn(&Value) -> Option<Vec<ReadError>>> = Some(read_trace::trace::<K>);
}

impl<T> Probe<Args<T>> {
    /// The type takes all arguments, whatever its name is here.
    pub const IS_WHOLE: bool = true;
}

/// What is known of any type.
pub trait Unshaped {
    /// The type is one argument.
    const IS_WHOLE: bool = false;
    /// Nothing: the type is no [`ToolArg`].
    const SHAPE: Shape = Shape::Unknown;
    /// None: the type cannot be named where errors are asked for.
    const ERRORS: &'static [ErrorHelp] = &[];
    /// The type does not describe itself, or cannot be named.
    const KEY_SCHEMA: Option<fn(&mut SchemaGenerator) -> Schema> = None;
    /// The type cannot be read, or cannot be named.
    const KEY_TRACE: Option<fn(&Value) -> Option<Vec<ReadError>>> = None;
}

impl<T: ?Sized> Unshaped for Probe<T> {}

/// Stands for a type that cannot be named where shapes are asked for: a type parameter of the impl.
#[derive(Debug)]
pub struct Unknown;

/// Whether the compiler could judge all of an example: each argument is of a known type, or its name is not in `unproven`.
pub(crate) fn is_proven(unproven: &'static [Field], input: &str) -> bool {
    let mut judge = Judge::new();
    judge.example(input, unproven);
    !judge.is_unsure
}
