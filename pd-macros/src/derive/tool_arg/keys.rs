//! Checks of map keys in fields, by tokens where possible and by the compiler otherwise.

use super::{field::FieldPlan, parameters};
use crate::{
    errors::Errors,
    map_keys::{self, MapType},
    ty::plain,
};
use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::{DeriveInput, GenericParam, ext::IdentExt, spanned::Spanned};

/// Reports keys that tokens show to be invalid, and emits compile-time checks for the others:
///
/// ```text
/// const _: () = __pd::check_field_key(
///     "Route",
///     "Point",
///     "Vec<(Point, String)>",
///     __pd::ShapeProbe::<Point>::SHAPE,
/// );
/// ```
pub(super) fn check(
    input: &DeriveInput,
    plans: &[FieldPlan<'_>],
    errors: &mut Errors,
) -> TokenStream {
    let types: Vec<_> = plans.iter().filter_map(FieldPlan::read_type).collect();
    types.iter().for_each(|ty| map_keys::check(ty, errors));
    let maps = types.iter().flat_map(|ty| MapType::find_all(ty));
    let unnamed = unnamed(input);
    let judged = maps.filter(|map| map.is_unknown() && !parameters::mentions(map.key, &unnamed));
    let owner = input.ident.unraw().to_string();
    let checks = judged.map(|map| {
        let key = map.key;
        let words = plain(map.key);
        let pairs = map.pairs();
        // rustc underlines from the path's first token to the parentheses, so both have the key's
        // span.
        let path = quote_spanned!(key.span()=> __pd::check_field_key);
        let passed =
            quote_spanned!(key.span()=> (#owner, #words, #pairs, __pd::ShapeProbe::<#key>::SHAPE));
        quote!(const _: () = {
            #[allow(unused_imports)]
            use __pd::ShapeFallback as _;
            #path #passed
        };)
    });
    checks.collect()
}

/// Returns the names that a nested item cannot use, and the type itself, whose shape would depend
/// on itself.
fn unnamed(input: &DeriveInput) -> Vec<Ident> {
    let parameters = input
        .generics
        .params
        .iter()
        .map(|parameter| match parameter {
            GenericParam::Type(ty) => ty.ident.clone(),
            GenericParam::Const(constant) => constant.ident.clone(),
            GenericParam::Lifetime(lifetime) => lifetime.lifetime.ident.clone(),
        });
    let own = [input.ident.clone(), Ident::new("Self", input.ident.span())];
    parameters.chain(own).collect()
}
