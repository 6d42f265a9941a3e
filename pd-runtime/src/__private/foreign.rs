//! Arguments of types with the names of types from well-known crates. They are arguments like any
//! other. If rustc rejects one, it reports the trait of its crate, whose notes name schemars'
//! feature instead of a derive that the author cannot add to a foreign type.

macro_rules! crates {
    ($($feature:ident: $one:literal, $other:literal;)*) => {$(
        pub mod $feature {
            use crate::tool::{argument::Argument, descriptor::{self, ArgumentFacts}, error::ToolError};
            use rmcp::model::JsonObject;

            /// An argument whose type may come from this crate.
            #[diagnostic::on_unimplemented(
                message = "`{Self}` cannot be an argument of a tool",
                label = "not an argument type",
                note = $one,
                note = $other,
                note = "a type of your own needs `#[derive(serde::Deserialize, schemars::JsonSchema)]`"
            )]
            pub trait ForeignArgument: Argument {}

            #[diagnostic::do_not_recommend]
            impl<T: Argument> ForeignArgument for T {}

            /// Returns the facts of such an argument.
            pub const fn argument<T: ForeignArgument>(name: &'static str) -> ArgumentFacts {
                descriptor::argument::<T>(name)
            }

            /// Parses such an argument.
            pub fn take<T: ForeignArgument>(arguments: &mut JsonObject, name: &str) -> Result<T, ToolError> {
                T::take(arguments, name)
            }
        }
    )*};
}

crates! {
    arrayvec07:
        "a type of the crate `arrayvec` needs in Cargo.toml: `schemars = {{ version = \"1\", features = [\"arrayvec07\"] }}`",
        "and `arrayvec = {{ version = \"0.7\", features = [\"serde\"] }}`";
    bigdecimal04:
        "a type of the crate `bigdecimal` needs in Cargo.toml: `schemars = {{ version = \"1\", features = [\"bigdecimal04\"] }}`",
        "and `bigdecimal = {{ version = \"0.4\", features = [\"serde\"] }}`";
    bytes1:
        "a type of the crate `bytes` needs in Cargo.toml: `schemars = {{ version = \"1\", features = [\"bytes1\"] }}`",
        "and `bytes = {{ version = \"1\", features = [\"serde\"] }}`";
    chrono04:
        "a type of the crate `chrono` needs in Cargo.toml: `schemars = {{ version = \"1\", features = [\"chrono04\"] }}`",
        "and `chrono = {{ version = \"0.4\", features = [\"serde\"] }}`";
    either1:
        "a type of the crate `either` needs in Cargo.toml: `schemars = {{ version = \"1\", features = [\"either1\"] }}`",
        "and `either = {{ version = \"1\", features = [\"serde\"] }}`";
    indexmap2:
        "a type of the crate `indexmap` needs in Cargo.toml: `schemars = {{ version = \"1\", features = [\"indexmap2\"] }}`",
        "and `indexmap = {{ version = \"2\", features = [\"serde\"] }}`";
    jiff02:
        "a type of the crate `jiff` needs in Cargo.toml: `schemars = {{ version = \"1\", features = [\"jiff02\"] }}`",
        "and `jiff = {{ version = \"0.2\", features = [\"serde\"] }}`";
    rust_decimal1:
        "a type of the crate `rust_decimal` needs in Cargo.toml: `schemars = {{ version = \"1\", features = [\"rust_decimal1\"] }}`",
        "and `rust_decimal = {{ version = \"1\", features = [\"serde\"] }}`";
    semver1:
        "a type of the crate `semver` needs in Cargo.toml: `schemars = {{ version = \"1\", features = [\"semver1\"] }}`",
        "and `semver = {{ version = \"1\", features = [\"serde\"] }}`";
    smallvec1:
        "a type of the crate `smallvec` needs in Cargo.toml: `schemars = {{ version = \"1\", features = [\"smallvec1\"] }}`",
        "and `smallvec = {{ version = \"1\", features = [\"serde\"] }}`";
    smol_str03:
        "a type of the crate `smol_str` needs in Cargo.toml: `schemars = {{ version = \"1\", features = [\"smol_str03\"] }}`",
        "and `smol_str = {{ version = \"0.3\", features = [\"serde\"] }}`";
    url2:
        "a type of the crate `url` needs in Cargo.toml: `schemars = {{ version = \"1\", features = [\"url2\"] }}`",
        "and `url = {{ version = \"2\", features = [\"serde\"] }}`";
    uuid1:
        "a type of the crate `uuid` needs in Cargo.toml: `schemars = {{ version = \"1\", features = [\"uuid1\"] }}`",
        "and `uuid = {{ version = \"1\", features = [\"serde\"] }}`";
    date:
        "a type of jiff needs in Cargo.toml: `schemars = {{ version = \"1\", features = [\"jiff02\"] }}` and jiff's feature `serde`; one of chrono needs `chrono04` in its place",
        "schemars describes no type of the crate `time`; take a type of jiff or chrono, or a `String` with `#[arg(format = \"date-time\")]`, and parse it";
    undescribed:
        "schemars describes other types of this crate, and not this one; take a `String` and parse it",
        "or take a type of your own around it, with `#[schemars(with = \"String\")]` above its field";
}
