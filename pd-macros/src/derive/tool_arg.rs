//! `#[derive(ToolArg)]`: the JSON of a struct or of an enum without data, for the compiler to judge examples by.

use super::serde::{Case, Serde};
use crate::{attributes::cfgs, errors::Errors, keys, paths::Runtime};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::{Data, DeriveInput, Field, Fields, Generics, Type, Variant, ext::IdentExt, parse_quote};

/// Reads the type and implements the trait. A faulty type has a shape of which nothing is known.
pub(super) fn expand(input: &DeriveInput, runtime: &Runtime, errors: &mut Errors) -> TokenStream {
    let serde = Serde::read(&input.attrs);
    let shape = match &input.data {
        Data::Struct(data) => shape_of_struct(&data.fields, &serde, input, errors),
        Data::Enum(data) => shape_of_enum(data.variants.iter(), &serde, errors),
        Data::Union(_) => {
            errors.at(&input.ident, "serde reads no union; write a struct or an enum");
            quote!(__pd::Shape::Unknown)
        }
    };
    let shape = if serde.is_foreign { quote!(__pd::Shape::Unknown) } else { shape };
    emit(input, runtime, &shape)
}

/// ```text
/// impl ::pd_runtime::__private::ToolArg for Page {
///     const SHAPE: ::pd_runtime::__private::Shape = {
///         use ::pd_runtime::__private as __pd;
///         use __pd::Unshaped as _;
///         __pd::Shape::Struct { fields: &[__pd::Field::new("size", __pd::Probe::<u32>::SHAPE)], open: false }
///     };
/// }
/// ```
fn emit(input: &DeriveInput, runtime: &Runtime, shape: &TokenStream) -> TokenStream {
    let ident = &input.ident;
    let generics = bounded(&input.generics, runtime);
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #impl_generics #runtime::ToolArg for #ident #ty_generics #where_clause {
            const SHAPE: #runtime::Shape = {
                use #runtime as __pd;
                #[allow(unused_imports)]
                use __pd::Unshaped as _;
                #shape
            };
        }
    }
}

/// The shape of a generic type asks for those of its parameters.
fn bounded(generics: &Generics, runtime: &Runtime) -> Generics {
    let mut generics = generics.clone();
    let parameters: Vec<Ident> = generics.type_params().map(|parameter| parameter.ident.clone()).collect();
    if !parameters.is_empty() {
        let clause = generics.make_where_clause();
        clause.predicates.extend(
            parameters.iter().map(|parameter| -> syn::WherePredicate { parse_quote!(#parameter: #runtime::ToolArg) }),
        );
    }
    generics
}

fn shape_of_struct(fields: &Fields, serde: &Serde, input: &DeriveInput, errors: &mut Errors) -> TokenStream {
    match fields {
        Fields::Named(named) if serde.is_transparent => match named.named.iter().next() {
            Some(only) => shape_of_field(only, &Serde::read(&only.attrs), input, errors),
            None => quote!(__pd::Shape::Unknown),
        },
        Fields::Named(named) => {
            let mut open = false;
            let fields = named.named.iter().filter_map(|field| {
                let own = Serde::read(&field.attrs);
                open |= own.is_flattened;
                let is_read = !own.is_skipped && !own.is_flattened;
                is_read.then(|| emit_field(field, &own, serde, input, errors))
            });
            let fields: Vec<_> = fields.collect();
            quote!(__pd::Shape::Struct { fields: &[#(#fields),*], open: #open })
        }
        Fields::Unnamed(unnamed) if unnamed.unnamed.len() == 1 => {
            let only =
                unnamed.unnamed.iter().map(|field| shape_of_field(field, &Serde::read(&field.attrs), input, errors));
            quote!(#(#only)*)
        }
        Fields::Unnamed(unnamed) => {
            let items =
                unnamed.unnamed.iter().map(|field| shape_of_field(field, &Serde::read(&field.attrs), input, errors));
            let items: Vec<_> = items.collect();
            quote!(__pd::Shape::Tuple(&[#(&#items),*]))
        }
        Fields::Unit => quote!(__pd::Shape::Unknown),
    }
}

/// `__pd::Field::new("pageSize", __pd::Probe::<u32>::SHAPE).aliases(&["size"]).or_default()`
fn emit_field(field: &Field, own: &Serde, all: &Serde, input: &DeriveInput, errors: &mut Errors) -> TokenStream {
    let cfgs = cfgs(&field.attrs);
    let name = field.ident.as_ref().map(|ident| name(own, all.rename_all.map(|case| case.of_field(ident)), ident));
    let shape = shape_of_field(field, own, input, errors);
    let aliases = &own.aliases;
    let aliases = (!aliases.is_empty()).then(|| quote!(.aliases(&[#(#aliases),*])));
    let or_default = (own.has_default || all.has_default).then(|| quote!(.or_default()));
    quote!(#(#cfgs)* __pd::Field::new(#name, #shape) #aliases #or_default)
}

fn name(own: &Serde, cased: Option<String>, ident: &Ident) -> String {
    own.rename.clone().or(cased).unwrap_or_else(|| ident.unraw().to_string())
}

/// Where a type parameter stands in the type, its bound is asked; else the type itself may have no shape.
fn shape_of_field(field: &Field, own: &Serde, input: &DeriveInput, errors: &mut Errors) -> TokenStream {
    let ty = &field.ty;
    let is_unchecked = is_unchecked(field, errors) || mentions(ty, std::slice::from_ref(&input.ident));
    let parameters: Vec<Ident> = input.generics.type_params().map(|parameter| parameter.ident.clone()).collect();
    if own.is_foreign || is_unchecked {
        quote!(__pd::Shape::Unknown)
    } else if mentions(ty, &parameters) {
        quote!(<#ty as __pd::ToolArg>::SHAPE)
    } else {
        quote!(__pd::Probe::<#ty>::SHAPE)
    }
}

/// Types that hold one another would be judged without end: `#[tool_arg(unchecked)]` on a field ends it.
fn is_unchecked(field: &Field, errors: &mut Errors) -> bool {
    let mut unchecked = false;
    let lists = keys::lists(&field.attrs, "tool_arg", "unchecked", errors);
    keys::read(lists, errors, |key, input| match key.to_string().as_str() {
        "unchecked" => {
            unchecked = keys::flag(key, input)?;
            Ok(())
        }
        _ => Err(keys::unknown(key, "`#[tool_arg]` key", &["unchecked"])),
    });
    unchecked
}

fn mentions(ty: &Type, names: &[Ident]) -> bool {
    fn any(tokens: TokenStream, names: &[Ident]) -> bool {
        tokens.into_iter().any(|token| match token {
            proc_macro2::TokenTree::Ident(ident) => names.contains(&ident),
            proc_macro2::TokenTree::Group(group) => any(group.stream(), names),
            _ => false,
        })
    }
    any(ty.to_token_stream(), names)
}

fn shape_of_enum<'a>(variants: impl Iterator<Item = &'a Variant>, all: &Serde, errors: &mut Errors) -> TokenStream {
    let mut names = Vec::new();
    let mut is_open = false;
    for variant in variants {
        let own = Serde::read(&variant.attrs);
        if !variant.fields.is_empty() && !own.is_skipped {
            errors.at(
                &variant.ident,
                format_args!(
                    "the compiler judges enums without data, and `{}` holds some; remove the derive, and \
                     `Registry::check` judges examples of it",
                    variant.ident
                ),
            );
        }
        is_open |= own.is_other || own.is_foreign || !cfgs(&variant.attrs).is_empty();
        if !own.is_skipped {
            names.push(name(&own, all.rename_all.map(|case: Case| case.of_variant(&variant.ident)), &variant.ident));
            names.extend(own.aliases);
        }
    }
    if is_open { quote!(__pd::Shape::Text) } else { quote!(__pd::Shape::Variants(&[#(#names),*])) }
}
