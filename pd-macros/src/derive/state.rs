//! `#[derive(State)]`: the server's state lends each of its fields.

use crate::{attributes::cfgs, errors::Errors, keys, paths::Runtime};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Data, DeriveInput, Field, Fields, Member, Type};

/// A field that is lent.
struct Part<'a> {
    cfgs: Vec<Attribute>,
    member: Member,
    ty: &'a Type,
}

/// Checks the struct and writes one impl a field.
pub(super) fn expand(input: &DeriveInput, runtime: &Runtime, errors: &mut Errors) -> TokenStream {
    let Some(fields) = fields(input) else {
        errors.at(&input.ident, "state lends its fields, so this is for structs with fields; remove it here");
        return TokenStream::new();
    };
    let mut parts = Vec::new();
    for (field, member) in fields.iter().zip(fields.members()) {
        if !is_skipped(field, errors) {
            check_type(field, &parts, errors);
            let cfgs = cfgs(&field.attrs);
            parts.push(Part { cfgs, member, ty: &field.ty });
        }
    }
    if !errors.is_empty() {
        parts.clear();
    }
    parts.iter().map(|part| emit(input, runtime, part)).collect()
}

fn fields(input: &DeriveInput) -> Option<&Fields> {
    match &input.data {
        Data::Struct(data) if !data.fields.is_empty() => Some(&data.fields),
        _ => None,
    }
}

fn is_skipped(field: &Field, errors: &mut Errors) -> bool {
    let mut skip = false;
    let lists = keys::lists(&field.attrs, "state", "skip", errors);
    keys::read(lists, errors, |key, input| match key.to_string().as_str() {
        "skip" => {
            skip = keys::flag(key, input)?;
            Ok(())
        }
        _ => Err(keys::unknown(key, "`#[state]` key", &["skip"])),
    });
    skip
}

/// A tool asks for its state by type, so a type names one field.
fn check_type(field: &Field, earlier: &[Part<'_>], errors: &mut Errors) {
    let ty = field.ty.to_token_stream().to_string();
    if cfgs(&field.attrs).is_empty() && earlier.iter().any(|part| part.ty.to_token_stream().to_string() == ty) {
        errors.at(
            &field.ty,
            "another field has this type, and tools ask for state by type; write `#[state(skip)]` above one of the two",
        );
    }
}

/// ```text
/// impl ::pd_runtime::__private::Provide<Repo> for App {
///     fn provide(&self) -> &Repo {
///         &self.repo
///     }
/// }
/// ```
fn emit(input: &DeriveInput, runtime: &Runtime, part: &Part<'_>) -> TokenStream {
    let Part { cfgs, member, ty } = part;
    let ident = &input.ident;
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    quote! {
        #(#cfgs)*
        #[automatically_derived]
        impl #impl_generics #runtime::Provide<#ty> for #ident #ty_generics #where_clause {
            fn provide(&self) -> &#ty {
                &self.#member
            }
        }
    }
}
