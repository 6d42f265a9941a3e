//! Compile-time knowledge of argument types. The compiler validates examples and defaults against
//! it while the author's crate compiles.
//! `registry::check` uses serde for everything that a shape cannot express.

mod const_json;
mod const_panic;
mod constant;
mod key;
mod report;
mod std_impls;
mod validate;

pub use const_panic::{
    KeywordTarget, check_default, check_error_code, check_example, check_field_key, check_keyword,
    check_map_key, check_one_of, check_root, check_wrapper,
};
pub use constant::{ConstantBound, ConstantValue, NOT_KNOWN, check_constant};

use crate::tool::{
    argument::Args,
    error::ErrorHelp,
    output::IntoOutput,
    read_trace::{self, ReadTrace},
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use std::marker::PhantomData;
use validate::ShapeValidator;

/// The JSON that a type accepts, as far as the compiler can know.
///
/// A shape repeats what serde does with the type. Use it for types with a plain serde form:
/// primitives, `Option`, lists, maps, and the structs and enums that `#[derive(ToolArg)]` supports.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Shape {
    /// The shape is not known. [`Registry::check`](crate::Registry::check) validates the value with
    /// serde.
    Unknown,
    /// Any value.
    Anything,
    /// `true` or `false`.
    Boolean,
    /// A whole number within a range.
    Integer {
        /// The smallest value.
        min: i128,
        /// The largest value.
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
    /// The value, `null`, or no value at all.
    Optional(&'static Shape),
    /// A list of items of one shape.
    List(&'static Shape),
    /// A list with exactly one item for each of these shapes.
    Tuple(&'static [&'static Shape]),
    /// An object with values of one shape.
    Map(&'static Shape),
    /// An object with these fields.
    Struct {
        /// The fields of the object.
        fields: &'static [Field],
        /// Whether the object may have other fields.
        open: bool,
    },
    /// All arguments at once: [`Args`].
    Whole(&'static Shape),
    /// A type that cannot be an argument under this name. The text names the type to write instead.
    Misplaced(&'static str),
}

/// A field of a [`Shape::Struct`], or an argument of a tool.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Field {
    /// The field's name in JSON.
    pub name: &'static str,
    /// Other names that serde accepts. The schema does not contain them, so calls and examples that
    /// use one are refused.
    pub aliases: &'static [&'static str],
    /// The JSON that the field accepts.
    pub shape: Shape,
    /// Whether the field has a value when it is left out.
    pub has_default: bool,
    /// Whether the field is the tool's only argument, so that every other key is unknown.
    pub is_alone: bool,
}

impl Field {
    /// Creates a field with this name and shape, without aliases or default.
    pub const fn new(name: &'static str, shape: Shape) -> Self {
        Self {
            name,
            aliases: &[],
            shape,
            has_default: false,
            is_alone: false,
        }
    }

    /// Sets other names that serde accepts. The schema refuses them.
    #[must_use]
    pub const fn aliases(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    /// Marks the field as one that has a value when it is left out.
    #[must_use]
    pub const fn or_default(mut self) -> Self {
        self.has_default = true;
        self
    }

    /// Marks the field as the tool's only argument.
    #[must_use]
    pub const fn alone(mut self) -> Self {
        self.is_alone = true;
        self
    }

    /// Returns whether leaving the field out is certainly an error.
    const fn is_required(&self) -> bool {
        // An unknown type or `serde_json::Value` may deserialize from nothing. Only serde can
        // decide that, at run time.
        let may_lack = matches!(
            self.shape,
            Shape::Optional(_) | Shape::Unknown | Shape::Anything
        );
        !self.has_default && !may_lack
    }
}

/// A type with JSON that the compiler knows, so that the compiler can validate examples and
/// defaults of the type.
///
/// `#[derive(ToolArg)]` implements the trait for structs and for enums without data, beside serde's
/// own derive:
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
/// An argument type does not need this trait: [`Registry::check`](crate::Registry::check) validates
/// examples of other types. Implement the trait by hand for a type with a custom serde form:
///
/// ```
/// use pd_runtime::{ToolArg, tool::Shape};
///
/// struct Revision([u8; 20]);
///
/// impl ToolArg for Revision {
///     const SHAPE: Shape = Shape::Text;
/// }
/// ```
pub trait ToolArg {
    /// The JSON that the type accepts.
    const SHAPE: Shape;
}

/// Looks up what is known of any type: `ShapeProbe::<T>::SHAPE` is the shape of a [`ToolArg`], and
/// that of [`ShapeFallback`] otherwise.
///
/// rustc prefers an inherent constant to a trait's if the inherent impl's bounds hold. This works
/// for concrete types only. For a type parameter, rustc takes the trait's constant and the shape is
/// unknown.
#[derive(Debug)]
pub struct ShapeProbe<T: ?Sized>(PhantomData<T>);

impl<T: ToolArg + ?Sized> ShapeProbe<T> {
    /// The shape that the type declares.
    pub const SHAPE: Shape = T::SHAPE;
}

impl<T: IntoOutput> ShapeProbe<T> {
    /// The errors that the return type declares.
    pub const ERRORS: &'static [ErrorHelp] = T::ERRORS;
}

impl<K: JsonSchema> ShapeProbe<K> {
    /// Returns the schema of a map's key type.
    pub const KEY_SCHEMA: Option<fn(&mut SchemaGenerator) -> Schema> = Some(K::json_schema);
}

impl<K: DeserializeOwned> ShapeProbe<K> {
    /// Traces the errors of reading a map's key.
    pub const KEY_TRACE: Option<ReadTrace> = Some(read_trace::trace::<K>);
}

impl<T> ShapeProbe<Args<T>> {
    /// Marks a type that takes all arguments, even under an alias or another name.
    pub const IS_WHOLE: bool = true;
}

/// The defaults of [`ShapeProbe`], for types without more specific knowledge.
pub trait ShapeFallback {
    /// A type is one argument unless it is [`Args`].
    const IS_WHOLE: bool = false;
    /// No shape is known, because the type does not implement [`ToolArg`].
    const SHAPE: Shape = Shape::Unknown;
    /// No errors are known, because generated code cannot name the type.
    const ERRORS: &'static [ErrorHelp] = &[];
    /// The type has no schema, or generated code cannot name it.
    const KEY_SCHEMA: Option<fn(&mut SchemaGenerator) -> Schema> = None;
    /// The type cannot be deserialized, or generated code cannot name it.
    const KEY_TRACE: Option<ReadTrace> = None;
}

impl<T: ?Sized> ShapeFallback for ShapeProbe<T> {}

/// A placeholder for a type that generated code cannot name where it needs a shape: a type
/// parameter of the impl.
#[derive(Debug)]
pub struct UnknownType;

/// Returns whether the compiler could validate all of an example. This holds if every argument has
/// a known type or is not in `unproven`.
pub(crate) fn is_proven(unproven: &'static [Field], input: &str) -> bool {
    let mut judge = ShapeValidator::new();
    // The code that runs at compile time, so that both reach the same result.
    judge.example(input, unproven);
    !judge.is_unsure
}
