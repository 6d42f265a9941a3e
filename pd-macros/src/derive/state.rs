//! `#[derive(State)]`: implements `Provide` for each field of the server's state.

use crate::{
    attributes::cfgs,
    errors::Errors,
    keys,
    lent::{inner, refuse_cell},
    paths::RuntimePath,
    ty::last_segment,
};
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Attribute, Data, DeriveInput, Field, Fields, Member, Type};

/// A field that tools may borrow.
struct LentField<'a> {
    cfgs: Vec<Attribute>,
    member: Member,
    ty: &'a Type,
}

/// Checks the struct and generates one impl for each field.
pub(super) fn expand(
    input: &DeriveInput,
    runtime: &RuntimePath,
    errors: &mut Errors,
) -> TokenStream {
    let Some(fields) = fields(input) else {
        errors.at(
            &input.ident,
            "state lends its fields, so this is for structs with fields; remove it here",
        );
        return TokenStream::new();
    };
    let mut parts = Vec::new();
    for (field, member) in fields.iter().zip(fields.members()) {
        check_shared(&field.ty, errors);
        if !is_skipped(field, errors) {
            check_type(field, &parts, errors);
            let cfgs = cfgs(&field.attrs);
            parts.push(LentField {
                cfgs,
                member,
                ty: &field.ty,
            });
        }
    }
    // The impls of a struct with conflicting fields would only add rustc's errors about conflicting
    // impls.
    if !errors.is_empty() {
        parts.clear();
    }
    let contents: Vec<_> = parts
        .iter()
        .filter_map(|part| contents(input, part, &parts))
        .collect();
    parts
        .iter()
        .chain(&contents)
        .map(|part| emit(input, runtime, part))
        .collect()
}

/// Checks that the type can be shared between threads. This holds for skipped fields, too, because
/// calls share the whole struct.
fn check_shared(ty: &Type, errors: &mut Errors) {
    if let Some(instead) = refuse_cell(ty) {
        errors.at(
            ty,
            format_args!("many calls borrow the state at once; write `{instead}`"),
        );
    }
}

/// Returns the `T` of a field `Arc<T>` or `Box<T>`, if no other field provides a `T`.
///
/// A type parameter of the struct may be instantiated with the type of another field, so its
/// contents are not provided.
fn contents<'a>(
    input: &DeriveInput,
    part: &LentField<'a>,
    parts: &[LentField<'a>],
) -> Option<LentField<'a>> {
    let ty = content(part.ty)?;
    let written = ty.to_token_stream().to_string();
    // syn types have no cheap equality that ignores spans; their token text has.
    let is_written = |ty: &Type| ty.to_token_stream().to_string() == written;
    // `Provide<T>` requires a size, which trait objects, slices and `str` lack.
    let is_sized = !matches!(ty, Type::TraitObject(_) | Type::Slice(_)) && written != "str";
    let is_generic = input
        .generics
        .type_params()
        .map(|parameter| &parameter.ident)
        .any(|name| mentions(ty.to_token_stream(), &name.to_string()));
    // `Provide<T>` holds for every `T` itself, so a second impl would conflict.
    let is_own = input.ident == written;
    let is_alone = parts
        .iter()
        .filter(|other| is_written(other.ty) || content(other.ty).is_some_and(is_written))
        .count()
        == 1;
    (is_sized && !is_generic && !is_own && is_alone).then(|| LentField {
        cfgs: part.cfgs.clone(),
        member: part.member.clone(),
        ty,
    })
}

fn content(ty: &Type) -> Option<&Type> {
    let is_pointer =
        last_segment(ty).is_some_and(|last| last.ident == "Arc" || last.ident == "Box");
    inner(ty).filter(|_| is_pointer)
}

fn mentions(tokens: TokenStream, name: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == name,
        TokenTree::Group(group) => mentions(group.stream(), name),
        _ => false,
    })
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

/// Rejects two fields of one type. A tool selects its state by type, so each type must identify one
/// field.
fn check_type(field: &Field, earlier: &[LentField<'_>], errors: &mut Errors) {
    let ty = field.ty.to_token_stream().to_string();
    // Under `cfg`, the two fields may be alternatives of which one is compiled.
    if cfgs(&field.attrs).is_empty()
        && earlier
            .iter()
            .any(|part| part.ty.to_token_stream().to_string() == ty)
    {
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
fn emit(input: &DeriveInput, runtime: &RuntimePath, part: &LentField<'_>) -> TokenStream {
    let LentField { cfgs, member, ty } = part;
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
