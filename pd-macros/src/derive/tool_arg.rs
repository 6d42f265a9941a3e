//! `#[derive(ToolArg)]`: the JSON shape of a struct or of an enum without data, for compile-time
//! checks of examples.

mod field;
mod keys;
mod parameters;

use self::field::FieldPlan;
use super::serde::SerdeAttributes;
use crate::{errors::Errors, paths::RuntimePath};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DataEnum, DeriveInput, Fields, Generics, Variant, parse_quote};

/// Reads the type and implements the trait. A type with an error gets the unknown shape.
pub(super) fn expand(
    input: &DeriveInput,
    runtime: &RuntimePath,
    errors: &mut Errors,
) -> TokenStream {
    let serde = SerdeAttributes::read(&input.attrs);
    let plans = field::plan(input, errors);
    let shape = match &input.data {
        Data::Struct(data) => shape_of_struct(&data.fields, &plans, &serde),
        Data::Enum(data) => shape_of_enum(data, &serde, errors),
        Data::Union(_) => {
            errors.at(
                &input.ident,
                "serde reads no union; write a struct or an enum",
            );
            unknown()
        }
    };
    // The fields do not describe the JSON then, so they are neither checked nor bounded.
    if serde.is_foreign {
        return emit(input, runtime, &[], &unknown());
    }
    let keys = keys::check(input, &plans, errors);
    emit(input, runtime, &plans, &quote!(#keys #shape))
}

/// ```text
/// impl ::pd_runtime::__private::ToolArg for Page {
///     const SHAPE: ::pd_runtime::__private::Shape = {
///         use ::pd_runtime::__private as __pd;
///         use __pd::ShapeFallback as _;
///         __pd::Shape::Struct {
///             fields: &[__pd::Field::new("size", __pd::ShapeProbe::<u32>::SHAPE)],
///             open: false,
///         }
///     };
/// }
/// ```
fn emit(
    input: &DeriveInput,
    runtime: &RuntimePath,
    plans: &[FieldPlan<'_>],
    shape: &TokenStream,
) -> TokenStream {
    let ident = &input.ident;
    let generics = bounded(&input.generics, plans, runtime);
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #impl_generics #runtime::ToolArg for #ident #ty_generics #where_clause {
            const SHAPE: #runtime::Shape = {
                use #runtime as __pd;
                #[allow(unused_imports)]
                use __pd::ShapeFallback as _;
                #shape
            };
        }
    }
}

/// Adds a `ToolArg` bound to each type parameter whose shape is needed, and to no other.
fn bounded(generics: &Generics, plans: &[FieldPlan<'_>], runtime: &RuntimePath) -> Generics {
    let mut generics = generics.clone();
    let needed: Vec<_> = generics
        .type_params()
        .map(|one| one.ident.clone())
        .filter(|parameter| plans.iter().any(|plan| plan.needs_shape_of(parameter)))
        .collect();
    if !needed.is_empty() {
        let bounds = needed
            .iter()
            .map(|one| -> syn::WherePredicate { parse_quote!(#one: #runtime::ToolArg) });
        generics.make_where_clause().predicates.extend(bounds);
    }
    generics
}

fn unknown() -> TokenStream {
    quote!(__pd::Shape::Unknown)
}

fn shape_of_struct(
    fields: &Fields,
    plans: &[FieldPlan<'_>],
    serde: &SerdeAttributes,
) -> TokenStream {
    match (fields, plans) {
        _ if serde.is_transparent => {
            // serde treats the one field without default or `PhantomData` type as the transparent
            // one.
            plans
                .iter()
                .find(|plan| plan.may_be_the_whole())
                .map_or_else(unknown, FieldPlan::emit_shape)
        }
        (Fields::Named(_), _) => shape_of_object(plans, serde),
        // serde reads a tuple struct of one element as the element.
        (Fields::Unnamed(all), [only]) if all.unnamed.len() == 1 => only.emit_shape(),
        (Fields::Unnamed(_), [_, ..]) => shape_of_tuple(plans, serde),
        _ => unknown(),
    }
}

fn shape_of_object(plans: &[FieldPlan<'_>], serde: &SerdeAttributes) -> TokenStream {
    // A flattened field may have any members, so an unknown key is not an error.
    let open = plans.iter().any(|plan| plan.serde.is_flattened);
    let fields = plans
        .iter()
        .filter(|plan| !plan.serde.is_flattened)
        .map(|plan| plan.emit(serde));
    quote!(__pd::Shape::Struct { fields: &[#(#fields),*], open: #open })
}

/// Returns the shape of a tuple struct. serde allows trailing elements with a default to be absent,
/// which `Shape::Tuple` cannot express.
fn shape_of_tuple(plans: &[FieldPlan<'_>], serde: &SerdeAttributes) -> TokenStream {
    if serde.has_default || plans.iter().any(|plan| plan.serde.has_default) {
        return unknown();
    }
    let items = plans.iter().map(FieldPlan::emit_shape);
    quote!(__pd::Shape::Tuple(&[#(&#items),*]))
}

/// Returns the shape of an enum: its names without aliases. The schema does not list aliases, so a
/// call that uses one is rejected.
fn shape_of_enum(data: &DataEnum, all: &SerdeAttributes, errors: &mut Errors) -> TokenStream {
    let variants = data
        .variants
        .iter()
        .map(|variant| (variant, SerdeAttributes::read(&variant.attrs)));
    // serde refuses a skipped variant, so it is not one of the values.
    let variants: Vec<_> = variants.filter(|(_, own)| !own.is_skipped).collect();
    variants
        .iter()
        .for_each(|(variant, _)| check_variant(variant, errors));
    if variants.iter().any(|(_, own)| own.is_foreign) {
        return unknown();
    }
    if variants.iter().any(|(_, own)| own.is_other) {
        return quote!(__pd::Shape::Text);
    }
    let names = variants.iter().map(|(variant, own)| {
        let cased = all
            .rename_all
            .map(|case| case.apply_to_variant(&variant.ident));
        own.name(cased, &variant.ident)
    });
    quote!(__pd::Shape::Variants(&[#(#names),*]))
}

fn check_variant(variant: &Variant, errors: &mut Errors) {
    let ident = &variant.ident;
    if !variant.fields.is_empty() {
        errors.at(
            ident,
            format_args!(
                "the compiler judges enums without data, and `{ident}` holds some; remove the derive, and \
                 `Registry::check` judges examples of it"
            ),
        );
    }
}
