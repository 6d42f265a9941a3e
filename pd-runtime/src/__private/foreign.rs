//! Arguments of types of other crates. Where rustc refuses one, it names the bound, and with it the feature to enable.

pub use crate::tool::foreign::*;

use crate::{
    descriptor::{ArgumentFacts, argument},
    tool::error::ToolError,
};
use rmcp::model::JsonObject;

/// The facts of such an argument.
pub const fn argument_described<T: DescribedArgument<Feature>, Feature>(name: &'static str) -> ArgumentFacts {
    argument::<T>(name)
}

/// Takes such an argument.
pub fn take_described<T: DescribedArgument<Feature>, Feature>(
    arguments: &mut JsonObject,
    name: &str,
) -> Result<T, ToolError> {
    T::take(arguments, name)
}

/// The facts of such an argument.
pub const fn argument_date<T: DateArgument>(name: &'static str) -> ArgumentFacts {
    argument::<T>(name)
}

/// Takes such an argument.
pub fn take_date<T: DateArgument>(arguments: &mut JsonObject, name: &str) -> Result<T, ToolError> {
    T::take(arguments, name)
}

/// The facts of such an argument.
pub const fn argument_undescribed<T: UndescribedArgument>(name: &'static str) -> ArgumentFacts {
    argument::<T>(name)
}

/// Takes such an argument.
pub fn take_undescribed<T: UndescribedArgument>(arguments: &mut JsonObject, name: &str) -> Result<T, ToolError> {
    T::take(arguments, name)
}
