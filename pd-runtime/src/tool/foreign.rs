//! Arguments of types of other crates. They are arguments like any other; where they are none, rustc reports these traits,
//! which name the feature of schemars in place of a derive that nobody can add.

use super::argument::Argument;

macro_rules! features {
    ($($feature:ident)*) => {$(
        /// schemars' feature of this name.
        #[allow(non_camel_case_types, reason = "rustc prints the name in an error, as Cargo.toml has it")]
        #[derive(Debug)]
        pub struct $feature;
    )*};
}
features! {
    arrayvec07 bigdecimal04 bytes1 chrono04 either1 indexmap2 jiff02 rust_decimal1 semver1 smallvec1 smol_str03 url2 uuid1
}

/// An argument of a type that schemars describes with this feature.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a tool",
    label = "not an argument type",
    note = "a type of another crate needs schemars' feature `{Feature}`; in Cargo.toml: `schemars = {{ version = \"1\", \
            features = [\"{Feature}\"] }}`",
    note = "it also needs the feature `serde` of its own crate",
    note = "a type of your own needs `#[derive(serde::Deserialize, schemars::JsonSchema)]`"
)]
pub trait DescribedArgument<Feature>: Argument {}

#[diagnostic::do_not_recommend]
impl<T: Argument, Feature> DescribedArgument<Feature> for T {}

/// An argument whose type is called like those of several crates of dates and times.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a tool",
    label = "not an argument type",
    note = "a type of jiff needs in Cargo.toml: `schemars = {{ version = \"1\", features = [\"jiff02\"] }}` and jiff's feature \
            `serde`; one of chrono, `chrono04` in its place",
    note = "schemars describes no type of the crate `time`; take a type of jiff or chrono, or a `String` with \
            `#[arg(format = \"date-time\")]`, and parse it",
    note = "a type of your own needs `#[derive(serde::Deserialize, schemars::JsonSchema)]`"
)]
pub trait DateArgument: Argument {}

#[diagnostic::do_not_recommend]
impl<T: Argument> DateArgument for T {}

/// An argument of a type that schemars does not describe, of a crate of which it describes others.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a tool",
    label = "not an argument type",
    note = "schemars describes other types of this crate, and not this one; take a `String` and parse it",
    note = "or take a type of your own around it: `#[derive(serde::Deserialize, schemars::JsonSchema)]` with \
            `#[schemars(with = \"String\")]` above its field"
)]
pub trait UndescribedArgument: Argument {}

#[diagnostic::do_not_recommend]
impl<T: Argument> UndescribedArgument for T {}
