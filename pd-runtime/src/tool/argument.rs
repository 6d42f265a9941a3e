//! Arguments of a tool: the parameters that it takes by value and that callers send.
//! `server::dispatch` validates them.

use super::{
    error::ToolError,
    read_trace::{self, ReadError},
};
use rmcp::model::JsonObject;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// All arguments of a tool as one struct, for tools that share a set of arguments or come from
/// another framework.
///
/// It must be the tool's only parameter by value. `use pd_runtime::Args as Parameters` accepts code
/// that was written for rmcp.
///
/// ```
/// use pd_runtime::prelude::*;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Sum {
///     /// The numbers to add up.
///     numbers: Vec<i64>,
/// }
///
/// /// Add numbers
/// #[pd_tool]
/// fn sum(Args(Sum { numbers }): Args<Sum>) -> String {
///     numbers.iter().sum::<i64>().to_string()
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Args<T>(pub T);

/// The part of the input schema that describes one argument.
#[derive(Debug)]
pub enum ArgumentSchema {
    /// One property of the root object.
    Property {
        /// The argument's schema, without `null` if the argument is optional.
        schema: Schema,
        /// Whether a call without the argument fails.
        required: bool,
    },
    /// The whole root object.
    Root(Schema),
    /// The four properties that carry rows of another tool (MCP-SD). The schema describes one row.
    Rows(Schema),
}

/// A type that a tool can take as a parameter by value.
///
/// Every type that is `Deserialize + JsonSchema` is one argument. [`Args`] is all arguments, and
/// [`Selected`](crate::Selected) is the four arguments that carry rows of another tool.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a tool",
    label = "not an argument type",
    note = "an argument needs `#[derive(serde::Deserialize, schemars::JsonSchema)]`",
    note = "state that the server lends is taken by reference: `&{Self}`",
    note = "of another crate's type, enable its feature of schemars, or take a `String` and parse it"
)]
pub trait Argument: Sized + Send {
    /// Returns the argument's part of the input schema.
    fn place(generator: &mut SchemaGenerator) -> ArgumentSchema;

    /// Takes the argument `name` out of the call's arguments.
    ///
    /// # Errors
    ///
    /// Returns `INVALID_ARGUMENTS` with serde's message if the type refuses a value that the schema
    /// allows.
    fn take(arguments: &mut JsonObject, name: &str) -> Result<Self, ToolError>;

    /// Returns every error that serde creates while it reads the argument. Returns `None` if it
    /// reads the argument, or if nothing is known of the type.
    #[doc(hidden)]
    fn trace(_arguments: &JsonObject, _name: &str) -> Option<Vec<ReadError>> {
        None
    }
}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema + Send> Argument for T {
    fn place(generator: &mut SchemaGenerator) -> ArgumentSchema {
        let schema = T::json_schema(generator);
        // serde derives read a missing field in the same way, so this finds every optional type,
        // including aliases and the author's own.
        match T::deserialize(absent::AbsentValue) {
            Ok(_) => ArgumentSchema::Property {
                schema: without_null(schema),
                required: false,
            },
            Err(absent::RequiredError) => ArgumentSchema::Property {
                schema,
                required: true,
            },
        }
    }

    fn take(arguments: &mut JsonObject, name: &str) -> Result<Self, ToolError> {
        // Validated arguments are few, so comparing each name is cheaper than hashing one.
        // `Value::take` leaves `null` behind, because removing the entry would shift all entries
        // after it.
        let sent = arguments
            .iter_mut()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value.take());
        let taken = match sent {
            Some(value) => read(value).map_err(|error| error.to_string()),
            None => T::deserialize(absent::AbsentValue)
                .map_err(|absent::RequiredError| "it is missing".to_owned()),
        };
        taken.map_err(|problem| ToolError::invalid_argument(name, &problem))
    }

    fn trace(arguments: &JsonObject, name: &str) -> Option<Vec<ReadError>> {
        read_trace::trace::<T>(arguments.get(name)?)
    }
}

impl<T: DeserializeOwned + JsonSchema + Send> Argument for Args<T> {
    fn place(generator: &mut SchemaGenerator) -> ArgumentSchema {
        ArgumentSchema::Root(T::json_schema(generator))
    }

    fn take(arguments: &mut JsonObject, _: &str) -> Result<Self, ToolError> {
        let mut value = Value::Object(std::mem::take(arguments));
        let read = T::deserialize(&value).or_else(|error| {
            if rewrite_whole_floats(&mut value) {
                T::deserialize(&value)
            } else {
                Err(error)
            }
        });
        read.map(Args).map_err(|error| {
            // serde does not say where it failed, so the arguments are read once more.
            let name = read_trace::refused_member::<T>(&value).unwrap_or_default();
            ToolError::invalid_argument(&name, &error.to_string())
        })
    }

    fn trace(arguments: &JsonObject, _: &str) -> Option<Vec<ReadError>> {
        read_trace::trace::<T>(&Value::Object(arguments.clone()))
    }
}

/// Deserializes a value. If serde refuses it, whole numbers with a fraction are tried as integers,
/// because JSON Schema and JavaScript call `1.0` an integer.
pub(super) fn read<T: DeserializeOwned>(value: Value) -> Result<T, serde_json::Error> {
    // The first attempt reads by reference, so that valid arguments are never copied.
    T::deserialize(&value).or_else(|error| {
        let mut integers = value;
        if rewrite_whole_floats(&mut integers) {
            T::deserialize(integers)
        } else {
            Err(error)
        }
    })
}

/// Rewrites numbers such as `1.0` as integers if an `f64` holds them exactly. Returns whether any
/// number was rewritten.
fn rewrite_whole_floats(value: &mut Value) -> bool {
    // Beyond this, neighboring integers share one `f64`, so the integer that was sent is unknown.
    const EXACT: f64 = 9_007_199_254_740_992.0; // 2^53
    match value {
        Value::Number(number) => match number
            .as_f64()
            .filter(|float| number.is_f64() && float.fract() == 0.0)
        {
            Some(float) if float.abs() <= EXACT => {
                *value = Value::from(float as i64);
                true
            }
            _ => false,
        },
        // `any` would stop at the first rewritten item and leave the rest as they are.
        Value::Array(items) => {
            items
                .iter_mut()
                .map(rewrite_whole_floats)
                .filter(|changed| *changed)
                .count()
                > 0
        }
        Value::Object(entries) => {
            entries
                .values_mut()
                .map(rewrite_whole_floats)
                .filter(|changed| *changed)
                .count()
                > 0
        }
        _ => false,
    }
}

/// Removes `null` from the schema of an optional argument. A `null` argument counts as absent, so
/// the schema need not spend tokens on it.
pub(crate) fn without_null(mut schema: Schema) -> Schema {
    let Some(object) = schema.as_object_mut() else {
        return schema;
    };
    // schemars puts `null` into `type`, `enum` or `anyOf`, depending on the inner type.
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        // A list of one type has the meaning of the type alone, and costs more tokens.
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(branches)) = object.get_mut("anyOf") {
        branches.retain(|branch| branch.get("type").is_none_or(|name| name != "null"));
        if let [Value::Object(only)] = branches.as_mut_slice() {
            let only = std::mem::take(only);
            // `remove` would move the last keyword into the gap.
            object.shift_remove("anyOf");
            for (key, value) in only {
                // A keyword beside `anyOf`, such as the description, is the author's and wins.
                object.entry(key).or_insert(value);
            }
        }
    }
    schema
}

/// A deserializer for a missing value. It does what serde's `missing_field` does for an absent
/// field.
mod absent {
    use serde::{Deserializer, de, forward_to_deserialize_any};
    use std::fmt;

    pub(super) struct AbsentValue;

    #[derive(Debug)]
    pub(super) struct RequiredError;

    impl fmt::Display for RequiredError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a value is required")
        }
    }

    impl std::error::Error for RequiredError {}

    impl de::Error for RequiredError {
        fn custom<T: fmt::Display>(_: T) -> Self {
            RequiredError
        }
    }

    impl<'de> Deserializer<'de> for AbsentValue {
        type Error = RequiredError;

        fn deserialize_any<V: de::Visitor<'de>>(self, _: V) -> Result<V::Value, RequiredError> {
            Err(RequiredError)
        }

        fn deserialize_option<V: de::Visitor<'de>>(
            self,
            visitor: V,
        ) -> Result<V::Value, RequiredError> {
            visitor.visit_none()
        }

        forward_to_deserialize_any! {
            bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
            newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
        }
    }
}
