//! The derive macros: `ToolArg` for argument types, `ToolErrors` for error enums, `State` for a
//! server's state.

mod serde;
mod state;
mod tool_arg;
mod tool_errors;

use crate::{attributes, errors::Errors, keys, paths::RuntimePath};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Data, DeriveInput};

/// Expands `#[derive(ToolErrors)]`.
pub(crate) fn tool_errors(item: TokenStream) -> TokenStream {
    expand("ToolErrors", item, tool_errors::expand)
}

/// Expands `#[derive(ToolArg)]`.
pub(crate) fn tool_arg(item: TokenStream) -> TokenStream {
    expand("ToolArg", item, tool_arg::expand)
}

/// Expands `#[derive(State)]`.
pub(crate) fn state(item: TokenStream) -> TokenStream {
    expand("State", item, state::expand)
}

fn expand(
    name: &str,
    item: TokenStream,
    derive: fn(&DeriveInput, &RuntimePath, &mut Errors) -> TokenStream,
) -> TokenStream {
    let mut errors = Errors::default();
    let Some(input) = errors.take(syn::parse2::<DeriveInput>(item)) else {
        return errors.into_compile_errors(&format!("`#[derive({name})]`"));
    };
    let runtime = parse_runtime(&input.attrs, &mut errors);
    check_places(&input, &mut errors);
    // The impl is generated in spite of errors, so that code that uses the type causes no further
    // ones.
    let implementation = derive(&input, &runtime, &mut errors);
    let errors = errors.into_compile_errors(&format!("`#[derive({name})]` on `{}`", input.ident));
    quote!(#implementation #errors)
}

/// Rejects attributes of fields and variants above the whole type, and `#[pd]` inside it.
fn check_places(input: &DeriveInput, errors: &mut Errors) {
    for (name, place) in [("state", "field"), ("tool_error", "variant")] {
        for misplaced in attributes::called(&input.attrs, name) {
            errors.at(
                misplaced,
                format_args!("`#[{name}]` is about one {place}; write it above that"),
            );
        }
    }
    for misplaced in inner_attributes(&input.data).flat_map(|inner| attributes::called(inner, "pd"))
    {
        errors.at(
            misplaced,
            "`#[pd]` is about the whole type; write it above that",
        );
    }
}

fn inner_attributes(data: &Data) -> impl Iterator<Item = &[Attribute]> {
    let (fields, variants) = match data {
        Data::Struct(data) => (Some(&data.fields), None),
        Data::Enum(data) => (None, Some(&data.variants)),
        // Each derive rejects a union.
        Data::Union(_) => (None, None),
    };
    let of_fields = fields
        .into_iter()
        .flatten()
        .map(|field| field.attrs.as_slice());
    of_fields.chain(
        variants
            .into_iter()
            .flatten()
            .map(|variant| variant.attrs.as_slice()),
    )
}

/// Parses `#[pd(crate = path)]`.
fn parse_runtime(attributes: &[Attribute], errors: &mut Errors) -> RuntimePath {
    let mut runtime = RuntimePath::default();
    let lists = keys::lists(attributes, "pd", "crate = path", errors);
    keys::read(lists, errors, |key, input| match key.to_string().as_str() {
        "crate" => {
            runtime = RuntimePath(Some(keys::path(key, input)?));
            Ok(())
        }
        _ => Err(keys::unknown(key, "`#[pd]` key", &["crate"])),
    });
    runtime
}
